"""What belongs to the account or the service as a whole."""

from typing import Any

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.chat import job_view, openapi_document
from functions.chat.requests import ProfileChange
from functions.chat.responses import Health, ProviderStatus
from strandline import __version__
from strandline.api import cursor as cursors
from strandline.api.app import account, sent_fields
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.models.event import Event
from strandline.models.job import JobView
from strandline.models.profile import Profile
from strandline.providers import registry
from strandline.runtime import runtime
from strandline.store.accounts import events, profiles

router = Router()
CAPABILITIES = (
    "chat",
    "memories",
    "recall",
    "receipts",
    "events",
    "checkpoints",
    "import",
    "verdicts",
    "diagnostics",
)


@router.get("/v1/profile")
def read_profile() -> Profile:
    """The account's declared context."""
    return profiles.get(runtime().table, account(router))


@router.patch("/v1/profile")
def change_profile(change: ProfileChange) -> Profile:
    """Change the declared context."""
    now = runtime()
    return profiles.change(now.table, account(router), sent_fields(change), now.clock())


@router.get("/v1/providers")
def list_providers() -> Page[ProviderStatus]:
    """Which model providers are configured, and for what."""
    found = registry.provider_statuses(runtime().settings)
    return Page(items=tuple(ProviderStatus.model_validate(each) for each in found))


@router.get("/v1/jobs/<job_id>")
def read_job(job_id: str) -> JobView:
    """A background job: how it stands and what came of it."""
    return job_view.read_job_view(runtime(), account(router), job_id)


@router.get("/v1/events")
def list_events(limit: Limit = 20, cursor: Cursor = None) -> Page[Event]:
    """What happened to the account's memories, oldest first; the last cursor stays good."""
    this = ("events", account(router))
    after = cursors.read_cursor(cursor, *this)
    found = events.page(runtime().table, account(router), limit, after)
    return to_page(events.with_resume_position(found, after), *this)


@router.get("/v1/openapi.json")
def describe() -> dict[str, Any]:
    """This document, as much of it as there is for the caller."""
    return openapi_document.document(router.context["caller"].developer)


@router.get("/v1/health")
def health() -> Health:
    """That the service is up."""
    return Health(status="ok", version=__version__, capabilities=CAPABILITIES)
