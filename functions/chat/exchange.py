"""A stored question on its way to its answer."""

from dataclasses import dataclass

from functions.chat.answer_options import AnswerOptions
from strandline.models.profile import Profile
from strandline.models.session import Session
from strandline.models.turn import Turn


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """Whose question it is, where it was asked and how it is to be answered."""

    account: str
    session: Session
    profile: Profile
    question: Turn
    options: AnswerOptions
