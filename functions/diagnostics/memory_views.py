"""Memories as developers read them. Pure."""

from typing import TYPE_CHECKING, Any

from functions.diagnostics.responses import MemoryHead, Recording, RevisionView, SearchHit
from strandline.models.memory import Memory
from strandline.models.memory_head import Head
from strandline.models.memory_status import GivenReview, Review, maturity
from strandline.models.receipt import MOST_EQUIVALENTS

if TYPE_CHECKING:
    # Only searching loads numpy.
    from strandline.recall.text_search import TextMatch

_SAME = (RevisionView.model_fields.keys() & Memory.model_fields.keys()) - {"evidence"}


def revision(memory: Memory, reviewed: GivenReview | None, *, current: bool) -> RevisionView:
    """A revision with the judgment given on it."""
    return RevisionView(**_words(memory, reviewed, current=current))


def head(found: Head) -> MemoryHead:
    """A memory as it is now."""
    return MemoryHead(**_whole(found))


def hit(found: Head, match: "TextMatch") -> SearchHit:
    """A memory as it is now, and how it was found."""
    return SearchHit(
        **_whole(found),
        score=match.score,
        matched=match.matched,
        equivalents=match.equivalents[:MOST_EQUIVALENTS],
    )


def _whole(found: Head) -> dict[str, Any]:
    memory, status = found.memory, found.status
    recorded = _recorded(memory)
    return _words(memory, status.reviewed, current=True) | {
        "state": status.state,
        "maturity": maturity(memory, status),
        "freshness": status.freshness,
        "stale_since": status.stale_since,
        "saved": status.saved,
        "dismissed": status.dismissed,
        "flags": status.flags,
        "recorded": recorded,
        "recorded_from": recorded[0].at if recorded else None,
        "recorded_to": recorded[-1].at if recorded else None,
    }


def _words(memory: Memory, reviewed: GivenReview | None, *, current: bool) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in _SAME} | {
        "current": current,
        "review": reviewed.review if reviewed else Review.UNREVIEWED,
        "reviewed_at": reviewed.at if reviewed else None,
        "citations": memory.evidence,
    }


def _recorded(memory: Memory) -> tuple[Recording, ...]:
    """Each turn once, oldest first."""
    own = {each.turn_id: each.said_at for each in memory.evidence}
    found = [Recording(turn_id=turn, at=at, inherited=False) for turn, at in own.items()]
    found += [
        Recording(turn_id=each.turn_id, at=each.said_at, inherited=True)
        for each in memory.inherited
        if each.turn_id not in own
    ]
    return tuple(sorted(found, key=lambda each: (each.at, each.turn_id)))
