"""The caller of a request, from the claims of its verified token.

Scopes are in `scope`, `scp` or `scopes`; a developer has `developer: true`. Gateways pass claims
on in several shapes, all of which are read. Cognito writes both differently: it puts its resource
server's name before each scope (`strandline/debug:read`), and a developer is in the group
`developers` of `cognito:groups` (docs/deploying.md).
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
_SCOPE = re.compile(r'(?:(?!["\\,\[\]{}<>])[!-~])+')
"""A scope (RFC 6749, section 3.3), without the characters that delimit lists and objects."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller: an account, the token's scopes, and whether the caller is a developer."""

    account: str
    scopes: frozenset[str]
    developer: bool


def principal(event: Mapping[str, Any]) -> Principal:
    """Returns the caller of an API Gateway event of payload version 2.0.

    Raises Unauthenticated if the token has no usable subject.
    """
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
    flag = claims.get("developer")
    developer = (
        flag is True or flag == "true" or DEVELOPERS in claim_groups(claims.get("cognito:groups"))
    )
    return Principal(
        subject, frozenset(scope.removeprefix(RESOURCE_SERVER) for scope in scopes), developer
    )


def claim_words(claim: object) -> frozenset[str]:
    """Returns the words of a claim: a list, a JSON list as text, `[a b]`, or `a b`.

    Any other shape returns none, so that it grants nothing.
    """
    found = _split(claim.strip()) if isinstance(claim, str) else claim
    if not isinstance(found, list):
        return frozenset()
    if not all(isinstance(word, str) and _SCOPE.fullmatch(word) for word in found):
        return frozenset()
    return frozenset(found)


def claim_groups(claim: object) -> frozenset[str]:
    """Returns the groups of a claim: a list, or the `[a b]` that a gateway makes of it.

    Any other shape returns none. Groups are separated by blanks alone, because their names may
    hold any other character, commas included.
    """
    groups = claim
    if isinstance(claim, str):
        groups = claim[1:-1].split(" ") if claim[:1] == "[" and claim[-1:] == "]" else None
    if not isinstance(groups, list) or not all(isinstance(name, str) for name in groups):
        return frozenset()
    return frozenset(groups)


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
