"""A deployed Strandline to drive over HTTP: one in an emulator, or a real one."""

import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from infra.local.template import load_template
from infra.stack.deployment import Stack, deploy
from infra.stack.emulator import Emulator
from infra.stack.issuer import AUDIENCE, Issuer
from infra.stack.logs import keep
from infra.stack.queues import counts
from infra.stack.routes import connect
from strandline.clock import Deadline
from strandline.providers.base import Message, Schema
from strandline.providers.offline import OfflineRules
from tests.support.openai_script import Kind, Script, kind_of
from tests.support.openai_server import OpenAIServer, Received, Reply, chat

ROOT = Path(__file__).parents[2]
BUILT = ROOT / ".aws-sam/host/template.yaml"
CHAT_MODEL = "chat"
KEY_PARAMETER = "/strandline/openai-api-key"
KEY = "a-key-of-this-run"
SECONDS_TO_WAIT = 90.0
Tell = Callable[[str], None]


class Rules(Script):
    """A script that, where nothing was ordered, extracts and drafts by the offline rules."""

    def usual(self, request: Received) -> Reply:
        """As the rules say, but for what `finds` has, for chats, embeddings and reviews."""
        kind = kind_of(request)
        if kind not in _BY_RULES or (kind is Kind.EXTRACTION and self.found(request)):
            return super().usual(request)
        said = [Message(m["role"], m["content"]) for m in request.body["messages"]]
        schema, until = Schema(kind.value, {}), Deadline.after(10)
        return chat(OfflineRules().complete(said, schema=schema, deadline=until).text)


_BY_RULES = (Kind.EXTRACTION, Kind.DRAFT, Kind.TITLE)


@dataclass(repr=False)
class Control:
    """What a test of an emulated stack can look into and change."""

    emulator: Emulator
    issuer: Issuer
    models: OpenAIServer
    script: Rules
    sam: list[str]
    stack: Stack = field(init=False)

    def deploy(self, **changed: str) -> None:
        """Deploy the built template, or deploy it again with other parameters."""
        parameters = {
            "JwtIssuer": self.issuer.address,
            "JwtAudience": AUDIENCE,
            "ChatModel": f"openai:{CHAT_MODEL}",
            "BackgroundModel": "openai:background",
            "EmbeddingModel": "openai:text-embedding-3-small",
            "OpenAiBaseUrl": self.models.base_url,
            "OpenAiApiKeyParameter": KEY_PARAMETER,
        }
        self.stack = deploy(self.emulator, self.sam, BUILT, parameters | changed)
        client = self.emulator.client
        connect(client("apigatewayv2"), client("lambda"), self.stack, load_template(BUILT))
        eventually(self._answers, "the chat function's first answer")

    def _answers(self) -> bool:
        """Whether the API answers. The first start unpacks the layer, which takes its time here."""
        address = f"{self.emulator.endpoint}/v1/health"
        try:
            return httpx.get(address, headers={"host": self.host}, timeout=60).status_code == 200
        except httpx.TransportError:
            return False

    @property
    def host(self) -> str:
        """The name by which the emulator knows the API."""
        return f"{self.stack.api_id}.execute-api.localhost:{self.emulator.port}"

    @property
    def sqs(self) -> Any:
        """A client of the queues."""
        return self.emulator.client("sqs")

    @property
    def queue(self) -> str:
        """The job queue's address."""
        return self.stack.outputs["JobQueueUrl"]

    @property
    def dead_queue(self) -> str:
        """The dead-letter queue's address."""
        return self.stack.outputs["JobDeadLetterQueueUrl"]

    def queues(self) -> str:
        """The state of both queues, for a person to read."""
        waiting, dead = counts(self.sqs, self.queue), counts(self.sqs, self.dead_queue)
        told = f"queue: {waiting['waiting']} waiting, {waiting['at work']} at work"
        return f"{told}; dead: {dead['waiting'] + dead['at work']}"


@dataclass(frozen=True)
class Deployment:
    """Where the requests go. `control` is there only for an emulated stack."""

    url: str
    host: str | None
    token_of: Callable[[str], str | None] = field(repr=False)
    tell: Tell = field(repr=False)
    control: Control | None = field(default=None, repr=False)

    def call(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, **headers: str
    ) -> httpx.Response:
        """One request, told as it goes."""
        sent = {"host": self.host} if self.host else {}
        sent |= {"authorization": f"Bearer {token}"} if token else {}
        started = time.monotonic()
        answer = httpx.request(
            method, self.url + path, json=body, headers=sent | headers, timeout=35
        )
        spent = (time.monotonic() - started) * 1000
        self.tell(f"{method:6} {path} → {answer.status_code}  {spent:.0f} ms")
        return answer

    def account(self, name: str) -> "Account":
        """Someone with a token of their own."""
        token = self.token_of(name)
        if token is None:
            raise LookupError(name)
        return Account(self, token)


@dataclass(frozen=True)
class Account:
    """One account's requests."""

    target: Deployment
    token: str = field(repr=False)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """One request with the account's token."""
        return self.target.call(method, path, body, token=self.token, **headers)

    def get(self, path: str) -> Any:
        """What is there; the answer must be 200."""
        answer = self.call("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def session(self) -> str:
        """A new session's id."""
        answer = self.call("POST", "/v1/sessions", {})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def say(self, session_id: str, content: str, **fields: Any) -> Any:
        """A message; what was answered with 201."""
        body = {"content": content, **fields}
        answer = self.call("POST", f"/v1/sessions/{session_id}/messages", body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def ended(self, job_id: str) -> Any:
        """The job, once it has ended; every state on the way is told."""
        before = ""
        for job in _patiently(lambda: self.call_quietly(f"/v1/jobs/{job_id}")):
            if (state := f"{job['state']} (attempt {job['attempts']})") != before:
                before = state
                self.target.tell(f"job    {job_id} {state} {job.get('reason') or ''}")
            if job["state"] not in ("queued", "running"):
                return job
        raise AssertionError(f"{job_id} has not ended: {before}")

    def call_quietly(self, path: str) -> Any:
        """A read that is repeated until something happens."""
        quiet = Deployment(self.target.url, self.target.host, self.target.token_of, lambda _: None)
        return Account(quiet, self.token).get(path)


def _patiently(look: Callable[[], Any]) -> Iterator[Any]:
    """What is seen again and again, for as long as anyone would wait."""
    until = time.monotonic() + SECONDS_TO_WAIT
    while time.monotonic() < until:
        yield look()
        time.sleep(0.5)


def eventually(look: Callable[[], Any], what: str) -> Any:
    """The first thing seen that is true. Raises AssertionError with `what` when nothing is."""
    for seen in _patiently(look):
        if seen:
            return seen
    raise AssertionError(f"{what}: not within {SECONDS_TO_WAIT:.0f} s")


@contextmanager
def emulated(environment: Mapping[str, str], tell: Tell) -> Iterator[Deployment]:
    """A stack deployed into an emulator of its own, gone afterwards."""
    script = Rules()
    with ExitStack() as open_:
        issuer = open_.enter_context(Issuer())
        models = open_.enter_context(OpenAIServer(script))
        log = ROOT / ".aws-sam/emulator.log"
        emulator = open_.enter_context(Emulator(environment["UV"], log))
        tell(f"emulator at {emulator.endpoint}, its log in {log.relative_to(ROOT)}")
        emulator.client("ssm").put_parameter(Name=KEY_PARAMETER, Value=KEY, Type="SecureString")
        control = Control(emulator, issuer, models, script, shlex.split(environment["SAM"]))
        started = time.monotonic()
        control.deploy()
        tell(f"sam deploy: {control.stack.api_id} in {time.monotonic() - started:.0f} s")
        try:
            yield Deployment(emulator.endpoint, control.host, issuer.token, tell, control)
        finally:
            kept = ROOT / ".aws-sam/functions.log"
            keep(emulator.client("logs"), kept)
            tell(f"stopping; the functions' logs are in {kept.relative_to(ROOT)}")


def deployed(environment: Mapping[str, str], tell: Tell) -> Deployment:
    """A stack that someone has deployed: STRANDLINE_URL, and tokens of one account or two."""
    tokens = {
        "ada": environment.get("STRANDLINE_TOKEN"),
        "bob": environment.get("STRANDLINE_OTHER_TOKEN"),
    }
    return Deployment(environment["STRANDLINE_URL"].rstrip("/"), None, tokens.get, tell)
