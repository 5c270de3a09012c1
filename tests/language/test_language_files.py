"""A language is one file: what it holds, and what is said of a file that is wrong."""

import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from strandline.language import detection, polarity, sentences
from strandline.language.content_words import content_stems
from strandline.language.data import loader
from strandline.language.data.field_types import Pattern
from strandline.language.data.loader import LanguageFileError, load_language

PAGE = Path(__file__).parents[2] / "docs" / "languages.md"
SHIPPED = [each.code for each in loader.languages()]


def example_of_the_page() -> str:
    """The Danish file that docs/languages.md shows."""
    blocks = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return next(textwrap.dedent(block) for block in blocks if "# Danish" in block)


@pytest.fixture
def danish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder with nothing but a Danish file is where languages are read from."""
    (tmp_path / "da.toml").write_text(example_of_the_page(), encoding="utf-8")
    monkeypatch.setattr(loader, "_folder", lambda: tmp_path)
    _forget_languages()
    yield
    monkeypatch.undo()
    _forget_languages()


def _forget_languages() -> None:
    """Empty every cache of the language package."""
    for name, module in list(sys.modules.items()):
        if name.startswith("strandline.language"):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@pytest.mark.usefixtures("danish")
def test_a_new_file_is_a_new_language() -> None:
    """It is detected, its clauses are parted and its polarity is read, without any code."""
    assert detection.detect_language("Jeg er glad og mæt", "en") == "da"
    clauses = sentences.split_clauses("Jeg elsker te og jeg hader kaffe, men vi er venner.")
    assert [clause.text.strip() for clause in clauses] == [
        "Jeg elsker te",
        "og jeg hader kaffe",
        ", men vi er venner.",
    ]
    assert polarity.polarity("Jeg spiser ikke fisk", "da") is polarity.Polarity.DENIED
    assert polarity.polarity("Jeg spiser fisk", "da") is polarity.Polarity.AFFIRMED
    assert not polarity.polarity_agrees("Jeg elsker te", ["Jeg hader te"], "da")
    assert content_stems("Jeg spiser nu fisk", "da") == ("spis", "fisk")


@pytest.mark.usefixtures("danish")
def test_a_language_without_a_file_has_no_words() -> None:
    """Neither has one whose code is a path."""
    for code in ("en", "", "../da", "da.toml"):
        assert loader.language(code).words.function == frozenset()


def test_languages_come_by_rank() -> None:
    """The order decides between languages that fit a text equally well."""
    assert SHIPPED[:8] == ["en", "de", "fr", "es", "it", "pt", "nl", "sv"]
    assert len({each.rank for each in loader.languages()}) == len(SHIPPED)


@pytest.mark.parametrize("code", SHIPPED)
def test_every_pattern_compiles(code: str) -> None:
    """By itself, as the inside of a group."""
    for key, pattern in _patterns(loader.language(code), ""):
        try:
            re.compile(f"(?:{pattern})")
        except re.error as error:
            pytest.fail(f"{code}.toml: {key}: {error}")


def _patterns(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """Every pattern of a section, with its key."""
    for field, kind in value.__annotations__.items():
        held, name = getattr(value, field), f"{key}.{field}".strip(".")
        if kind is Pattern:
            yield name, held
        elif hasattr(held, "_fields"):
            yield from _patterns(held, name)
        elif isinstance(held, tuple) and held and hasattr(held[0], "_fields"):
            for number, item in enumerate(held):
                yield from _patterns(item, f"{name}.{number}")
        elif name.endswith("quoted.rules"):
            yield from ((f"{name}.{meaning}", pattern) for meaning, pattern in held.items())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[words", "Expected"),
        ("[word]", "word: unknown key"),
        ("[negation]\nnegator = 'nej'", "negation.negator: unknown key"),
        ("[words]\nfunction = 3", "words.function: expected words"),
        ("[words]\nfunction = ['a', 3]", "words.function: expected words"),
        ("rank = true", "rank: expected a whole number, not True"),
        ("words = 'a'", "words: expected a table, not 'a'"),
        ("[negation]\nnegators = '{NEJ}'", "negation.negators: unknown placeholder {NEJ}"),
        ("[fragments]\nNEJ = '{ALDRIG}'", "fragments.NEJ: unknown placeholder {ALDRIG}"),
        ("[fragments]\nNEJ = 3", "fragments.NEJ: expected a string"),
        ("[dates]\nrules = [{ days = 1 }]", "dates.rules.0.pattern: missing"),
        ("[dates]\nrules = 1", "dates.rules: expected an array, not 1"),
        ("[dates]\nrules = [{ shift = 'soon', pattern = 'a' }]", "dates.rules.0.shift: expected"),
        ("[dates.numbers]\nen = 'en'", "dates.numbers: expected keys that are numbers"),
        ("[dates.units]\nhour = 'time'", "dates.units: expected keys of day, week, month, year"),
        ("[offline.quoted.rules]\nhobby = 'a'", "offline.quoted.rules: expected keys of"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_name_and_key(
    tmp_path: Path, text: str, problem: str
) -> None:
    """Whoever writes a file finds the place."""
    file = tmp_path / "da.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(LanguageFileError) as raised:
        load_language(file)
    assert str(raised.value).startswith(f"da.toml: {problem}")


def test_patterns_are_laid_out_and_filled_in(tmp_path: Path) -> None:
    """Line breaks with their indentation go; a fragment may use the one above it."""
    file = tmp_path / "da.toml"
    file.write_text(
        "[fragments]\nNEVER = 'aldrig'\nNO = 'ikke|{NEVER}'\n"
        "[negation]\nnegators = '''(?:{NO}){1,2}\n    |uden'''\n",
        encoding="utf-8",
    )
    assert load_language(file).negation.negators == "(?:ikke|aldrig){1,2}|uden"


def test_no_file_is_read_at_import() -> None:
    """Neither is what reads them imported."""
    code = (
        "import sys\n"
        "import strandline.language.statements, strandline.language.modality\n"
        "import strandline.providers.offline, functions.extract.candidates.relative_dates\n"
        "late = ('tomllib', 'strandline.language.data.schema')\n"
        "print([name for name in late if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
