"""Access check: developer access and scopes, checked before anything else about a request."""

from strandline.api.claims import Principal
from strandline.errors import Forbidden

DEVELOPER = "developer access"
READ = "debug:read"
WRITE = "debug:write"
TURNS = "turns:read"


def check_access(caller: Principal, method: str, path: str) -> None:
    """Raises Forbidden, naming what the token lacks for a request of this method and path."""
    missing = [] if caller.developer else [DEVELOPER]
    missing += [scope for scope in required_scopes(method, path) if scope not in caller.scopes]
    if missing:
        raise Forbidden(f"The token lacks {', '.join(missing)}.")


def required_scopes(method: str, path: str) -> tuple[str, ...]:
    """Returns the scopes that a request needs; evidence quotes turns and needs TURNS as well."""
    scope = READ if method == "GET" else WRITE
    # Anywhere in the path, so that no spelling of it reaches evidence without the scope.
    return (scope, TURNS) if "/evidence" in path else (scope,)
