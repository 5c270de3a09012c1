"""`python -m infra.checks.build_artifact BUILD HOST`: whether what `sam build` made would run.

BUILD is the build for Lambda, HOST the one for this machine. The first is looked at, the second
is run: every handler is imported with nothing to be found but its own build and what Lambda has.
"""

import subprocess
import sys
import tempfile
from importlib.metadata import requires
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement

from infra.local.template import functions, load_template

LAYER = "StrandlineLayer"
DESCRIPTION = "functions/chat/openapi.json"
LANGUAGES = "strandline/language/data"
MAX_LAYER_BYTES = 120 * 1000 * 1000
PLATFORM = "aarch64"
PYTHONS = ("cp313", "abi3")
ELF_MACHINE = {183: "aarch64", 62: "x86_64"}
"""https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html, e_machine."""

IMPORT = """
import sys
sys.path[:0] = sys.argv[2:]
from importlib import import_module
module, _, name = sys.argv[1].rpartition(".")
assert callable(getattr(import_module(module), name))
for late in ("strandline.providers.openai.chat", "strandline.providers.openai.embeddings",
             "openai", "numpy", "Stemmer", "stopwordsiso", "strandline.runtime"):
    import_module(late)
assert import_module("strandline.language.data.loader").languages()
"""
"""What a function imports only when it is first needed is imported as well."""


class Unfit(Exception):
    """The build would not run on Lambda."""


def layer_bytes(build: Path) -> int:
    """The layer's size unzipped. Raises Unfit above the limit."""
    size = sum(f.stat().st_size for f in (build / LAYER).rglob("*") if f.is_file())
    if size > MAX_LAYER_BYTES:
        raise Unfit(f"the layer has {size:,} bytes; {MAX_LAYER_BYTES:,} are the limit")
    return size


def wheel_tags(build: Path) -> dict[str, list[str]]:
    """The tags of every wheel in the layer. Raises Unfit for one of another platform or Python."""
    found: dict[str, list[str]] = {}
    for wheel in sorted((build / LAYER / "python").glob("*.dist-info/WHEEL")):
        lines = wheel.read_text(encoding="utf-8").splitlines()
        found[wheel.parent.stem] = [x.partition(": ")[2] for x in lines if x.startswith("Tag: ")]
    unfit = {name: tags for name, tags in found.items() if not any(_fits(tag) for tag in tags)}
    if unfit or not found:
        raise Unfit(f"wheels of another platform: {unfit or 'no wheel at all'}")
    return found


def _fits(tag: str) -> bool:
    python, abi, platform = tag.split("-")
    if platform == "any":
        return "py3" in python
    return PLATFORM in platform and ("cp313" in python or abi in PYTHONS)


def machines(build: Path) -> dict[str, int]:
    """How many native libraries are for which machine. Raises Unfit for another than Lambda's."""
    found: dict[str, int] = {}
    for library in (build / LAYER).rglob("*.so*"):
        head = library.read_bytes()[:20]
        machine = ELF_MACHINE.get(int.from_bytes(head[18:20], "little"), "unknown")
        found[machine] = found.get(machine, 0) + 1
    if set(found) != {PLATFORM}:
        raise Unfit(f"native libraries for {found}")
    return found


def described(build: Path, source: Path) -> int:
    """The bytes of the API's description in the chat function. Raises Unfit without it as it is."""
    wanted, found = source / DESCRIPTION, build / "ChatFunction" / DESCRIPTION
    if not found.is_file() or found.read_bytes() != wanted.read_bytes():
        raise Unfit(f"the chat function lacks {DESCRIPTION} as it is now")
    return found.stat().st_size


def languages(build: Path, source: Path) -> int:
    """How many languages' files the layer has. Raises Unfit if one of the source is missing."""
    wanted = {file.name for file in (source / "shared" / LANGUAGES).glob("*.toml")}
    found = {file.name for file in (build / LAYER / "python" / LANGUAGES).glob("*.toml")}
    if missing := wanted - found:
        raise Unfit(f"the layer lacks the languages' files {', '.join(sorted(missing))}")
    return len(found)


def import_alone(host: Path, template: Path) -> list[str]:
    """Import every handler from its own build and the layer. Raises Unfit with Python's words."""
    imported = []
    with tempfile.TemporaryDirectory() as scratch:
        given = _what_lambda_has(Path(scratch))
        for function in functions(load_template(template)).values():
            own, layer = (host / function.name).resolve(), (host / LAYER / "python").resolve()
            # -I: no environment and no user site; -S: no site-packages, so no editable install.
            run = subprocess.run(  # noqa: S603  this interpreter, our own build
                [sys.executable, "-I", "-S", "-c", IMPORT, function.handler, own, layer, given],
                capture_output=True,
                text=True,
                cwd=scratch,
                check=False,
            )
            if run.returncode:
                raise Unfit(f"{function.name} can't be imported:\n{run.stderr}")
            imported.append(function.name)
    return imported


def _what_lambda_has(scratch: Path) -> Path:
    """A folder with boto3 and what it needs, and nothing else."""
    wanted, seen = ["boto3"], set[str]()
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        needed = [Requirement(text) for text in requires(name) or []]
        wanted += [need.name for need in needed if not need.marker or need.marker.evaluate()]
    for name in seen:
        module = {"python-dateutil": "dateutil"}.get(name, name)
        spec = find_spec(module)
        if spec is None or spec.origin is None:
            raise Unfit(f"{name} is not installed here")
        origin = Path(spec.origin)
        source = origin.parent if origin.name == "__init__.py" else origin
        (scratch / source.name).symlink_to(source)
    return scratch


def main(build: Path, host: Path) -> int:
    """Say what was found; 1 when it would not run."""
    try:
        size, tags, native = layer_bytes(build), wheel_tags(build), machines(build)
        size_described = described(build, Path())
        files = languages(build, Path())
        imported = import_alone(host, Path("template.yaml"))
    except Unfit as unfit:
        print(f"artefact: {unfit}", file=sys.stderr)
        return 1
    print(f"artefact: layer of {size / 1e6:.1f} MB (at most {MAX_LAYER_BYTES / 1e6:.0f})")
    print(f"artefact: {len(tags)} wheels and {native[PLATFORM]} native libraries, all {PLATFORM}")
    print(f"artefact: the API's description of {size_described / 1e3:.0f} kB in the chat function")
    print(f"artefact: {files} languages' files in the layer")
    print(f"artefact: imported from the build alone: {', '.join(imported)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
