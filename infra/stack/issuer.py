"""An OpenID issuer on loopback: discovery, keys, and tokens good and bad."""

import json
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

AUDIENCE = "strandline-stack-test"
KEY_ID = "of-this-run"


class Issuer:
    """The issuer; use it in a `with`. Its key lives as long as it does."""

    def __init__(self) -> None:
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._http = _Loopback(("127.0.0.1", 0), _Handler)
        self.address = f"http://127.0.0.1:{self._http.server_port}"
        self._http.pages = {
            "/.well-known/openid-configuration": {
                "issuer": self.address,
                "jwks_uri": f"{self.address}/.well-known/jwks.json",
                "id_token_signing_alg_values_supported": ["RS256"],
            },
            "/.well-known/jwks.json": {"keys": [self._public_key()]},
        }

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def token(self, account: str, *, key: rsa.RSAPrivateKey | None = None, **claims: Any) -> str:
        """A token of that account, valid for an hour; `key` and `claims` make other ones."""
        now = int(time.time())
        said = {
            "iss": self.address,
            "aud": AUDIENCE,
            "sub": account,
            "iat": now,
            "exp": now + 3600,
            "jti": str(uuid.uuid4()),
        }
        headers = {"kid": KEY_ID}
        return jwt.encode(said | claims, key or self._key, algorithm="RS256", headers=headers)

    def _public_key(self) -> dict[str, Any]:
        public = RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        return {**public, "kid": KEY_ID, "use": "sig", "alg": "RS256"}


class _Loopback(ThreadingHTTPServer):
    daemon_threads = True
    pages: dict[str, Any]


class _Handler(BaseHTTPRequestHandler):
    server: _Loopback

    def do_GET(self) -> None:
        page = self.server.pages.get(self.path)
        content = json.dumps(page).encode()
        self.send_response(404 if page is None else 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Silent."""
