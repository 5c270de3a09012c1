"""The embedded services over HTTP on loopback, for the processes that handlers run in."""

import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from botocore.awsrequest import AWSPreparedRequest
from botocore.compat import HTTPHeaders

from infra.local.embedded_aws import REGION, EmbeddedAws

_SERVICES = {"DynamoDB_20120810": "dynamodb", "AmazonSQS": "sqs"}


class Door:
    """Lets in who signs with this run's access key: the runner's own processes."""

    def __init__(self, embedded: EmbeddedAws) -> None:
        self._access_key = secrets.token_hex(16)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(embedded, self._access_key))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def variables(self) -> dict[str, str]:
        """What a process needs in its environment to come in."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._server.server_port}",
            "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "false",
            "AWS_ACCESS_KEY_ID": self._access_key,
        }

    def close(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(embedded: EmbeddedAws, access_key: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1  # headers and body leave together

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            service = _SERVICES.get((self.headers.get("x-amz-target") or "").partition(".")[0])
            if f"Credential={access_key}/" not in (self.headers.get("authorization") or ""):
                self._answer(403, {}, b'{"__type": "AccessDeniedException"}')
            elif service is None:
                self._answer(400, {}, b'{"__type": "UnknownOperationException"}')
            else:
                response = embedded.answer(_request(service, self.headers, body))
                self._answer(response.status_code, response.headers, response.content)

        def _answer(self, status: int, headers: Any, body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in ("content-length", "date", "server"):
                    self.send_header(name, str(value))
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """The functions' requests are logged, not each of their calls."""

    return Handler


def _request(service: str, headers: Any, body: bytes) -> AWSPreparedRequest:
    """The request as it would have gone to AWS: moto finds the service by its host."""
    host = f"{service}.{REGION}.amazonaws.com"
    kept = HTTPHeaders()
    for name, value in headers.items():
        kept[name] = host if name.lower() == "host" else value
    return AWSPreparedRequest("POST", f"https://{host}/", kept, body, stream_output=False)
