"""What a token must allow before anything about a request is looked at."""

from strandline.api.claims import Principal
from strandline.errors import Forbidden

DEVELOPER = "developer access"
READ = "debug:read"
WRITE = "debug:write"
TURNS = "turns:read"


def admit(caller: Principal, method: str, path: str) -> None:
    """Raises Forbidden, naming what the token lacks for a request of this method and path."""
    missing = [] if caller.developer else [DEVELOPER]
    missing += [scope for scope in needed(method, path) if scope not in caller.scopes]
    if missing:
        raise Forbidden(f"The token lacks {', '.join(missing)}.")


def needed(method: str, path: str) -> tuple[str, ...]:
    """The scopes: to read or to write, and for raw evidence the turns' own."""
    reads = READ if method == "GET" else WRITE
    # Wherever it stands, so that no spelling of the path that leads to evidence goes without.
    return (reads, TURNS) if "/evidence" in path else (reads,)
