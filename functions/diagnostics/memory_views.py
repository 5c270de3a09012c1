"""Memories as developers read them. Pure."""

from typing import TYPE_CHECKING, Any

from functions.diagnostics.responses import MemoryHead, Recording, RevisionView, SearchHit
from strandline.models.memory import Memory
from strandline.models.memory_head import Head
from strandline.models.memory_status import GivenReview, Review, maturity
from strandline.models.receipt import MOST_EQUIVALENTS

if TYPE_CHECKING:
    # text_search loads numpy, which only the search needs.
    from strandline.recall.text_search import TextMatch

_COPIED_FIELDS = (RevisionView.model_fields.keys() & Memory.model_fields.keys()) - {"evidence"}


def revision_view(memory: Memory, review: GivenReview | None, *, current: bool) -> RevisionView:
    """Returns a revision with the review it was given."""
    return RevisionView(**_revision_fields(memory, review, current=current))


def head_view(head: Head) -> MemoryHead:
    """Returns a memory's current revision with its status."""
    return MemoryHead(**_head_fields(head))


def search_hit(head: Head, match: "TextMatch") -> SearchHit:
    """Returns a memory's current revision with its status and how well it matched."""
    return SearchHit(
        **_head_fields(head),
        score=match.score,
        matched=match.matched,
        equivalents=match.equivalents[:MOST_EQUIVALENTS],
    )


def _head_fields(head: Head) -> dict[str, Any]:
    memory, status = head.memory, head.status
    recorded = _recorded_turns(memory)
    return _revision_fields(memory, status.reviewed, current=True) | {
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


def _revision_fields(
    memory: Memory, review: GivenReview | None, *, current: bool
) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in _COPIED_FIELDS} | {
        "current": current,
        "review": review.review if review else Review.UNREVIEWED,
        "reviewed_at": review.at if review else None,
        "citations": memory.evidence,
    }


def _recorded_turns(memory: Memory) -> tuple[Recording, ...]:
    """Returns each turn that a memory rests on once, oldest first."""
    cited = {citation.turn_id: citation.said_at for citation in memory.evidence}
    recordings = [Recording(turn_id=turn, at=at, inherited=False) for turn, at in cited.items()]
    recordings += [
        Recording(turn_id=turn.turn_id, at=turn.said_at, inherited=True)
        for turn in memory.inherited
        if turn.turn_id not in cited
    ]
    return tuple(sorted(recordings, key=lambda recording: (recording.at, recording.turn_id)))
