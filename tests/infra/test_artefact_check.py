"""The look at what `sam build` made: what would not run on Lambda is found before it is there."""

from pathlib import Path

import pytest

from infra.checks.build_artifact import (
    DESCRIPTION,
    LANGUAGES,
    LAYER,
    Unfit,
    described,
    import_alone,
    languages,
    layer_bytes,
    machines,
    wheel_tags,
)

ROOT = Path(__file__).parents[2]


def wheel(build: Path, name: str, *tags: str) -> None:
    """An installed wheel's metadata in the layer."""
    folder = build / LAYER / "python" / f"{name}.dist-info"
    folder.mkdir(parents=True)
    (folder / "WHEEL").write_text("Wheel-Version: 1.0\n" + "".join(f"Tag: {t}\n" for t in tags))


def library(build: Path, machine: int) -> None:
    """A native library's head in the layer."""
    folder = build / LAYER / "python"
    folder.mkdir(parents=True, exist_ok=True)
    head = b"\x7fELF" + bytes(14) + machine.to_bytes(2, "little")
    (folder / f"native{machine}.so").write_bytes(head)


def test_wheels_for_lambdas_platform_or_any_are_fit(tmp_path: Path) -> None:
    """Pure ones, ones for CPython 3.13 and ones for the stable ABI, on aarch64."""
    wheel(tmp_path, "pure-1", "py2-none-any", "py3-none-any")
    wheel(tmp_path, "exact-1", "cp313-cp313-manylinux_2_27_aarch64")
    wheel(tmp_path, "stable-1", "cp310-abi3-manylinux2014_aarch64")
    assert set(wheel_tags(tmp_path)) == {"pure-1", "exact-1", "stable-1"}


@pytest.mark.parametrize(
    "tag",
    [
        "cp313-cp313-manylinux_2_28_x86_64",
        "cp311-cp311-manylinux_2_28_aarch64",
        "cp313-cp313-macosx_11_0_arm64",
        "py2-none-any",
    ],
)
def test_a_wheel_for_something_else_is_unfit(tmp_path: Path, tag: str) -> None:
    """Another machine, another Python or another system: the function would fail when it starts."""
    wheel(tmp_path, "good-1", "py3-none-any")
    wheel(tmp_path, "odd-1", tag)
    with pytest.raises(Unfit, match="odd-1"):
        wheel_tags(tmp_path)


def test_a_layer_without_wheels_is_unfit(tmp_path: Path) -> None:
    """An empty layer fits every limit, and is wrong."""
    with pytest.raises(Unfit, match="no wheel at all"):
        wheel_tags(tmp_path)


def test_one_library_for_another_machine_is_unfit(tmp_path: Path) -> None:
    """The bytes decide, whatever the wheel says of itself."""
    library(tmp_path, 183)
    assert machines(tmp_path) == {"aarch64": 1}
    library(tmp_path, 62)
    with pytest.raises(Unfit, match="x86_64"):
        machines(tmp_path)


def test_a_layer_that_is_too_big_is_unfit(tmp_path: Path) -> None:
    """120 MB unzipped is the limit; a sparse file of one byte more is over it."""
    folder = tmp_path / LAYER
    folder.mkdir()
    with (folder / "weights").open("wb") as file:
        file.truncate(120_000_000)
    assert layer_bytes(tmp_path) == 120_000_000
    (folder / "one").write_bytes(b"1")
    with pytest.raises(Unfit, match="120,000,001"):
        layer_bytes(tmp_path)


def test_a_chat_function_without_todays_description_is_unfit(tmp_path: Path) -> None:
    """What it serves to clients is read from its own build: missing or old, the build is wrong."""
    with pytest.raises(Unfit, match="lacks"):
        described(tmp_path, ROOT)
    built = tmp_path / "ChatFunction" / DESCRIPTION
    built.parent.mkdir(parents=True)
    built.write_text("{}")
    with pytest.raises(Unfit, match="lacks"):
        described(tmp_path, ROOT)
    built.write_bytes((ROOT / DESCRIPTION).read_bytes())
    assert described(tmp_path, ROOT) == built.stat().st_size


def test_a_layer_without_every_language_is_unfit(tmp_path: Path) -> None:
    """A file that the layer lacks is named."""
    built = tmp_path / LAYER / "python" / LANGUAGES
    built.mkdir(parents=True)
    shipped = sorted((ROOT / "shared" / LANGUAGES).glob("*.toml"))
    for file in shipped[:-1]:
        (built / file.name).write_bytes(file.read_bytes())
    with pytest.raises(Unfit, match=shipped[-1].name):
        languages(tmp_path, ROOT)
    (built / shipped[-1].name).write_bytes(shipped[-1].read_bytes())
    assert languages(tmp_path, ROOT) == len(shipped)


def test_a_handler_that_needs_what_is_not_in_the_build_is_unfit(tmp_path: Path) -> None:
    """The editable install of this very environment is not found by the import."""
    with pytest.raises(Unfit, match="No module named 'functions'"):
        import_alone(tmp_path, ROOT / "template.yaml")
