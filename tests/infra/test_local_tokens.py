"""The local issuer and the check of its tokens."""

import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic import ValidationError

from infra.local.tokens import ALGORITHM, AUDIENCE, ISSUER, TokenRequest, Tokens, open_tokens

OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Tokens:
    """An issuer with a new key."""
    return open_tokens(tmp_path_factory.mktemp("tokens"))


def signed(tokens: Tokens, **claims: Any) -> str:
    """A token with these claims over good ones; a claim of None is left out."""
    good = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": int(time.time()) + 60}
    return jwt.encode(
        {k: v for k, v in (good | claims).items() if v is not None}, tokens.key, algorithm=ALGORITHM
    )


def test_a_token_says_who_and_what(tokens: Tokens) -> None:
    """Account, scopes and the developer flag come back as they were asked for."""
    asked = TokenRequest(account="ada", scopes=("debug:read", "turns:read"), developer=True)
    claims = tokens.verify("Bearer " + tokens.issue(asked))
    assert claims is not None
    assert {k: claims[k] for k in ("sub", "scope", "developer", "iss", "aud")} == {
        "sub": "ada",
        "scope": "debug:read turns:read",
        "developer": True,
        "iss": ISSUER,
        "aud": AUDIENCE,
    }


def test_the_bearer_prefix_may_be_left_out(tokens: Tokens) -> None:
    """The gateway's identity source takes the bare token as well."""
    token = tokens.issue(TokenRequest(account="ada"))
    assert tokens.verify(token) == tokens.verify(f"bearer {token}")
    assert tokens.verify(token) is not None


def test_an_audience_may_be_one_of_several(tokens: Tokens) -> None:
    """A list of audiences that holds ours is ours."""
    assert tokens.verify(signed(tokens, aud=["other", AUDIENCE])) is not None


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "someone else"},
        {"iss": None},
        {"aud": "another product"},
        {"aud": None},
        {"exp": 1},
        {"exp": None},
        {"nbf": 4_000_000_000},
    ],
)
def test_a_token_with_a_wrong_claim_is_none(tokens: Tokens, claims: dict[str, Any]) -> None:
    """Issuer, audience and time are all checked, and all must be there."""
    assert tokens.verify(signed(tokens, **claims)) is None


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer x.y.z", "Basic YTpi", "ü"])
def test_what_is_no_token_is_none(tokens: Tokens, authorization: str | None) -> None:
    """Anything else in the header is nothing."""
    assert tokens.verify(authorization) is None


def test_another_key_signs_nothing(tokens: Tokens) -> None:
    """A token with the right claims and a foreign signature is none."""
    token = signed(Tokens(OTHER_KEY))
    assert Tokens(OTHER_KEY).verify(token) is not None
    assert tokens.verify(token) is None


def test_an_unsigned_token_is_none(tokens: Tokens) -> None:
    """`alg: none` and a shared secret are not what the authorizer takes."""
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": int(time.time()) + 60}
    assert tokens.verify(jwt.encode(claims, None, algorithm="none")) is None
    assert tokens.verify(jwt.encode(claims, "s" * 32, algorithm="HS256")) is None


def test_a_token_may_be_born_expired(tokens: Tokens) -> None:
    """A negative lifetime gives a token to try a 401 with."""
    assert tokens.verify(tokens.issue(TokenRequest(account="ada", expires_in=-10))) is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"account": ""},
        {"account": 7},
        {"account": "ada", "scopes": "debug:read"},
        {"account": "ada", "scopes": [1]},
        {"account": "ada", "developer": "yes"},
        {"account": "ada", "expires_in": 1.5},
        {"account": "ada", "admin": True},
    ],
)
def test_a_wrong_request_gives_no_token(body: dict[str, Any]) -> None:
    """Nothing is guessed about who asks for what."""
    with pytest.raises(ValidationError):
        TokenRequest.model_validate(body)


def test_the_key_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    """A token of before a restart is valid after it, and the key's file is closed to others."""
    token = open_tokens(tmp_path).issue(TokenRequest(account="ada"))
    assert open_tokens(tmp_path).verify(token) is not None
    [path] = tmp_path.iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
