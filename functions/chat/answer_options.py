"""How a question is to be answered.

The options are stored with the question, so that a later reply answers the same request.
"""

from dataclasses import dataclass
from typing import Literal

from functions.chat.requests import NewMessage
from strandline.dependencies import Dependencies
from strandline.errors import Invalid, ModelNotConfigured
from strandline.models.base import Value
from strandline.models.profile import Profile
from strandline.models.receipt import RecallScope
from strandline.models.session import Mount, Session
from strandline.models.turn import Turn
from strandline.use_cases.session_context import resolve_mount


class AnswerOptions(Value):
    """A question's options. `model` is a `provider:model` name."""

    model: str
    memory_scope: Literal["latest_1", "latest_3"] = "latest_1"
    recall: RecallScope = RecallScope.ACCOUNT
    history: Literal["on", "off"] = "on"
    mount: Mount | None = None

    @property
    def most_checkpoints(self) -> int:
        """How many checkpoints the prompt may hold."""
        return 3 if self.memory_scope == "latest_3" else 1


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A stored question without an answer, with what is needed to answer it."""

    account: str
    session: Session
    profile: Profile
    question: Turn
    options: AnswerOptions


def resolve_options(
    deps: Dependencies, account: str, session: Session, message: NewMessage
) -> AnswerOptions:
    """Returns the options of a message in its session.

    Raises Invalid, ModelNotConfigured and NotFound for a checkpoint outside the session's space.
    """
    if message.recall is RecallScope.SPACE and session.space_id is None:
        raise Invalid("The session is in no space.")
    model = resolve_model(
        deps.settings.chat_model,
        (session.provider, session.model),
        (message.provider, message.model),
    )
    # An unknown model is refused here, before the question is stored.
    deps.chat_models(model)
    return AnswerOptions(
        model=model,
        memory_scope=message.memory_scope,
        recall=message.recall,
        history=message.history,
        mount=resolve_mount(
            deps.table,
            account,
            session,
            message.mounted_checkpoint_id,
            message.history_base_seq,
        ),
    )


Choice = tuple[str | None, str | None]
"""A provider and a model; None leaves either open."""


def resolve_model(default: str, of_session: Choice, of_message: Choice) -> str:
    """Returns a `provider:model` name: the message's choice, else the session's, else the default.

    A provider chosen without a model takes a later choice's model only if that one is for the same
    provider.
    Raises ModelNotConfigured when no model is left.
    """
    default_provider, _, default_model = default.partition(":")
    choices = [of_message, of_session, (default_provider, default_model)]
    provider = next(provider for provider, _ in choices if provider)
    for provider_of_model, model in choices:
        if model and provider_of_model in (None, provider):
            return f"{provider}:{model}"
    raise ModelNotConfigured(f"Name a model of {provider}.")
