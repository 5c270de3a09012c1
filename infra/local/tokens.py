"""A token issuer for local runs, and the check that the template's authorizer would make.

It exists in the local runner only. The key stays in the data folder, readable by its owner.
"""

import os
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

ISSUER = "strandline-local"
AUDIENCE = "strandline-local"
ALGORITHM = "RS256"  # the gateway's authorizer takes RSA signatures only
LIFETIME_SECONDS = 7 * 24 * 3600
_LONGEST = 366 * 24 * 3600


class TokenRequest(BaseModel):
    """What a token is asked for. `expires_in` is in seconds; a negative one is expired already."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    account: StrictStr = Field(min_length=1, max_length=256)
    scopes: tuple[StrictStr, ...] = ()
    developer: StrictBool = False
    expires_in: StrictInt = Field(default=LIFETIME_SECONDS, ge=-_LONGEST, le=_LONGEST)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Issues and verifies tokens with one key."""

    key: rsa.RSAPrivateKey

    def issue(self, asked: TokenRequest) -> str:
        """A signed token for that account."""
        now = int(time.time())
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": asked.account,
            "scope": " ".join(asked.scopes),
            "developer": asked.developer,
            "iat": now,
            "exp": now + asked.expires_in,
            "jti": str(uuid.uuid4()),
        }
        return jwt.encode(claims, self.key, algorithm=ALGORITHM)

    def verify(self, authorization: str | None) -> Mapping[str, Any] | None:
        """The claims of a valid token, with or without `Bearer `; None for anything else."""
        token = (authorization or "").strip()
        if token[:7].lower() == "bearer ":
            token = token[7:].strip()
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self.key.public_key(),
                algorithms=[ALGORITHM],
                audience=AUDIENCE,
                issuer=ISSUER,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.InvalidTokenError:
            return None
        return claims


def open_tokens(folder: Path) -> Tokens:
    """The issuer of that data folder; its key is made at the first use and kept."""
    path = folder / "token-key.pem"
    if not path.exists():
        _write_key(path)
    key = load_pem_private_key(path.read_bytes(), password=None)
    if not isinstance(key, rsa.RSAPrivateKey):
        raise TypeError(f"{path.name} holds no RSA key")
    return Tokens(key)


def _write_key(path: Path) -> None:
    """Whole or not at all: written beside its place, then moved there."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(file.fileno())
    part.rename(path)
