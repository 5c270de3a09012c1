"""The languages' files, read when they are first needed and kept."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from strandline.language.data.schema import Language

DEFAULT = "en"
"""The language of texts that show none."""

_FOLDER = "strandline.language.data"
_ENDING = ".toml"


class LanguageFileError(ValueError):
    """A language's file is not as docs/languages.md says."""


def language(code: str) -> "Language":
    """The language of that code; one without any data if it has no file.

    Raises LanguageFileError.
    """
    return _read(code if code in _files() else "")


@cache
def languages() -> tuple["Language", ...]:
    """All languages, by rank, then by code. Raises LanguageFileError."""
    return tuple(sorted(map(_read, _files()), key=lambda each: (each.rank, each.code)))


def words(select: Callable[["Language"], Iterable[str]]) -> frozenset[str]:
    """A list of words over all languages."""
    return frozenset(word for each in languages() for word in select(each))


def alternatives(
    select: Callable[["Language"], str], *, spaced: bool | None = None, otherwise: str = "(?!)"
) -> str:
    """A pattern over all languages, as the inside of a group: each language's in order of rank.

    With `spaced` only languages with blanks between their words, or only those without.
    `otherwise` is the pattern if no language has one; by default it matches nothing.
    """
    chosen = (each for each in languages() if spaced in (None, each.spaced))
    return "|".join(pattern for each in chosen if (pattern := select(each))) or otherwise


def load_language(file: "Traversable") -> "Language":
    """What a file says of the language that it is named after.

    Raises LanguageFileError, which names the file and the key.
    """
    import tomllib  # noqa: PLC0415 - not before a file is read

    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LanguageFileError(f"{file.name}: {error}") from None
    return _parsed(data, file.name)


@cache
def _files() -> Mapping[str, "Traversable"]:
    found = sorted(_folder().iterdir(), key=lambda file: file.name)
    return {f.name.removesuffix(_ENDING): f for f in found if f.name.endswith(_ENDING)}


def _folder() -> "Traversable":
    from importlib import resources  # noqa: PLC0415 - not before a file is read

    return resources.files(_FOLDER)


@cache
def _read(code: str) -> "Language":
    return load_language(_files()[code]) if code else _parsed({}, "")


def _parsed(data: dict[str, Any], name: str) -> "Language":
    # What only reading needs: most processes that import this module never read a file.
    from strandline.language.data.fragments import fragments_of  # noqa: PLC0415
    from strandline.language.data.reader import read_value  # noqa: PLC0415
    from strandline.language.data.schema import Language  # noqa: PLC0415

    try:
        given = {**data, "code": name.removesuffix(_ENDING)}
        found: Language = read_value(Language, given, fragments_of(data))
    except ValueError as error:
        raise LanguageFileError(f"{name}: {error}") from None
    return found
