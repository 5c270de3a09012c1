"""Who calls, from the verified token's claims, in each of the shapes gateways hand them on."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from strandline.errors import Forbidden, Unauthenticated

MAX_SUBJECT_BYTES = 255


@dataclass(frozen=True, slots=True)
class Principal:
    """The account a request is for, and what its token allows."""

    account: str
    scopes: frozenset[str]
    developer: bool

    def require(self, scope: str) -> None:
        """Raises Forbidden without that scope."""
        if scope not in self.scopes:
            raise Forbidden(f"The token lacks the scope {scope}.")


def principal(event: Mapping[str, Any]) -> Principal:
    """The caller of a version-2.0 event. Raises Unauthenticated without a usable subject."""
    claims = _claims(event)
    subject = claims.get("sub")
    if not isinstance(subject, str) or not subject.strip():
        raise Unauthenticated
    if len(subject.encode(errors="replace")) > MAX_SUBJECT_BYTES or not subject.isprintable():
        raise Unauthenticated
    scopes = words(claims.get("scope")) | words(claims.get("scp")) | words(claims.get("scopes"))
    developer = claims.get("developer") in (True, "true")
    return Principal(subject, scopes, developer)


def words(claim: object) -> frozenset[str]:
    """A claim's words: from a list, a JSON list in a string, `[a b]`, or blank-separated text.

    Anything else grants nothing.
    """
    if isinstance(claim, list):
        return frozenset(word for word in claim if isinstance(word, str) and word)
    if not isinstance(claim, str):
        return frozenset()
    text = claim.strip()
    if text.startswith("[") and text.endswith("]"):
        try:
            return words(json.loads(text))
        except ValueError:
            # API Gateway prints an array claim as `[a b]`, which is not JSON.
            return frozenset(text[1:-1].replace(",", " ").split())
    return frozenset(text.split())


def _claims(event: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = event
    for step in ("requestContext", "authorizer", "jwt", "claims"):
        found = found.get(step) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}
