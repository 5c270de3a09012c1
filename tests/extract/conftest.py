"""Exchanges, and what becomes of a model's reply to one."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from functions.extract.candidates.candidate import VerifiedCandidate
from functions.extract.candidates.verification import verify_candidate
from functions.extract.exchange import Exchange
from functions.extract.model_call.reply_parser import ParsedCandidates, parse_reply
from strandline.models.job import Dropped
from strandline.models.turn import Role, Turn, TurnStatus
from tests.support import extraction_replies

START = datetime(2026, 12, 1, 22, 30, tzinfo=UTC)
SESSION = "01KBDQM2Z0000000000000000A"

Say = Callable[..., Exchange]
Learn = Callable[..., tuple[list[VerifiedCandidate], list[Dropped]]]


def _turn(number: int, role: Role, content: str) -> Turn:
    return Turn(
        id=f"trn_{SESSION}_{number:08d}",
        session_id=f"ses_{SESSION}",
        sequence_number=number,
        role=role,
        content=content,
        created_at=START + timedelta(minutes=number),
        status=TurnStatus.ANSWERED if role is Role.USER else TurnStatus.COMPLETE,
    )


@pytest.fixture
def say() -> Say:
    """An exchange in which the user says this; `number` is the user turn's."""

    def build(
        user: str,
        assistant: str = "Noted.",
        number: int = 1,
        zone: str = "Europe/Oslo",
        earlier: tuple[str, ...] = (),
    ) -> Exchange:
        return Exchange(
            user=_turn(number, Role.USER, user),
            assistant=_turn(number + 1, Role.ASSISTANT, assistant),
            earlier=tuple(_turn(0, Role.USER, text) for text in earlier),
            time_zone=zone,
            language="en",
        )

    return build


@pytest.fixture
def memory_reply() -> Callable[..., dict[str, Any]]:
    """One memory as a model writes it."""
    return extraction_replies.found


@pytest.fixture
def learn() -> Learn:
    """What is verified and what is dropped of the model's reply: text, or memories to encode."""

    def run(exchange: Exchange, *reply: Any) -> tuple[list[VerifiedCandidate], list[Dropped]]:
        text = reply[0] if isinstance(reply[0], str) else json.dumps({"memories": list(reply)})
        parsed = parse_reply(text)
        assert isinstance(parsed, ParsedCandidates), parsed
        results = [verify_candidate(candidate, exchange) for candidate in parsed.items]
        kept = [result for result in results if isinstance(result, VerifiedCandidate)]
        return kept, [result for result in results if isinstance(result, Dropped)]

    return run
