"""Who calls, from the verified token's claims, in each of the shapes gateways hand them on.

Scopes are in `scope`, `scp` or `scopes`; a developer has `developer: true`. Cognito, which can
write neither as it is, puts its resource server's name before each scope and lists a user's
groups (docs/deploying.md): `strandline/debug:read`, and `developers` in `cognito:groups`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from strandline.errors import Unauthenticated

MAX_SUBJECT_BYTES = 255
RESOURCE_SERVER = "strandline/"
DEVELOPERS = "developers"
_WORD = re.compile(r'(?:(?!["\\,\[\]{}<>])[!-~])+')
"""A scope (RFC 6749, 3.3), less what marks the shapes of lists and objects."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The account a request is for, and what its token allows."""

    account: str
    scopes: frozenset[str]
    developer: bool


def principal(event: Mapping[str, Any]) -> Principal:
    """The caller of a version-2.0 event. Raises Unauthenticated without a usable subject."""
    claims = _claims(event)
    subject = claims.get("sub")
    if not isinstance(subject, str) or not subject.strip():
        raise Unauthenticated
    if len(subject.encode(errors="replace")) > MAX_SUBJECT_BYTES or not subject.isprintable():
        raise Unauthenticated
    scopes = (
        claim_words(claims.get("scope"))
        | claim_words(claims.get("scp"))
        | claim_words(claims.get("scopes"))
    )
    said = claims.get("developer")
    developer = (
        said is True or said == "true" or DEVELOPERS in claim_groups(claims.get("cognito:groups"))
    )
    return Principal(
        subject, frozenset(scope.removeprefix(RESOURCE_SERVER) for scope in scopes), developer
    )


def claim_words(claim: object) -> frozenset[str]:
    """A claim's words: from a list, a JSON list in a string, `[a b]`, or blank-separated text.

    Anything else grants nothing: what is half understood isn't guessed at.
    """
    found = _split(claim.strip()) if isinstance(claim, str) else claim
    if not isinstance(found, list):
        return frozenset()
    if not all(isinstance(word, str) and _WORD.fullmatch(word) for word in found):
        return frozenset()
    return frozenset(found)


def claim_groups(claim: object) -> frozenset[str]:
    """A claim's groups: from a list, or the `[a b]` that a gateway makes of it; else none.

    Told apart by blanks alone: a group's name may hold any other character, a comma among them.
    """
    found = claim
    if isinstance(claim, str):
        found = claim[1:-1].split(" ") if claim[:1] == "[" and claim[-1:] == "]" else None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        return frozenset()
    return frozenset(found)


def _split(text: str) -> object:
    if not (text.startswith("[") and text.endswith("]")):
        return text.split()
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        # API Gateway prints an array claim as `[a b]`, which is not JSON.
        return text[1:-1].replace(",", " ").split()


def _claims(event: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = event
    for step in ("requestContext", "authorizer", "jwt", "claims"):
        found = found.get(step) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}
