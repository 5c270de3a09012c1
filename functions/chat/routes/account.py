"""The account's profile, jobs and events, and the service's providers, document and health."""

from typing import Any

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.chat import job_view, openapi_document
from functions.chat.requests import ProfileChange
from functions.chat.responses import Health, ProviderStatus
from strandline import __version__
from strandline.api.app import account, sent_fields
from strandline.api.cursor import read_cursor
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.models.event import Event
from strandline.models.job import JobView
from strandline.models.profile import Profile
from strandline.providers import registry
from strandline.runtime import runtime
from strandline.store.accounts import events, profiles
from strandline.store.pagination import PageRequest

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
    """Returns the account's profile."""
    return profiles.get(runtime().table, account(router))


@router.patch("/v1/profile")
def change_profile(change: ProfileChange) -> Profile:
    """Changes the account's profile."""
    deps = runtime()
    return profiles.change(deps.table, account(router), sent_fields(change), deps.clock())


@router.get("/v1/providers")
def list_providers() -> Page[ProviderStatus]:
    """Lists the model providers: which are configured, and for what."""
    found = registry.provider_statuses(runtime().settings)
    return Page(items=tuple(ProviderStatus.model_validate(each) for each in found))


@router.get("/v1/jobs/<job_id>")
def read_job(job_id: str) -> JobView:
    """Returns a background job with its state and result."""
    return job_view.read_job_view(runtime(), account(router), job_id)


@router.get("/v1/events")
def list_events(limit: Limit = 20, cursor: Cursor = None) -> Page[Event]:
    """Lists the events of the account's memories, oldest first.

    The last page has a cursor as well: events that come later are read from it.
    """
    list_key = ("events", account(router))
    after = read_cursor(cursor, *list_key)
    found = events.page(runtime().table, account(router), PageRequest(limit, after))
    return to_page(events.with_resume_position(found, after), *list_key)


@router.get("/v1/openapi.json")
def describe() -> dict[str, Any]:
    """Returns this document; the routes of diagnostics are in it for developers only."""
    return openapi_document.document(router.context["caller"].developer)


@router.get("/v1/health")
def health() -> Health:
    """Returns that the service is up."""
    return Health(status="ok", version=__version__, capabilities=CAPABILITIES)
