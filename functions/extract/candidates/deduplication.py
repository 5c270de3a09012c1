"""Merges candidates of one exchange that state the same fact. Pure."""

from collections.abc import Iterable
from dataclasses import replace

from functions.extract.candidates.candidate import VerifiedCandidate
from strandline.language.statements import compatible, same_fact, statement_of


def merge_duplicates(candidates: Iterable[VerifiedCandidate]) -> tuple[VerifiedCandidate, ...]:
    """Returns each fact once, in its first wording and with the evidence of all its wordings."""
    merged: list[VerifiedCandidate] = []
    for candidate in candidates:
        statement = statement_of(candidate)
        at = next(
            (
                index
                for index, other in enumerate(merged)
                if compatible(candidate.kind, other.kind)
                and same_fact(statement, statement_of(other))
            ),
            None,
        )
        if at is None:
            merged.append(candidate)
        else:
            merged[at] = _merge_pair(merged[at], candidate)
    return tuple(merged)


def _merge_pair(first: VerifiedCandidate, second: VerifiedCandidate) -> VerifiedCandidate:
    return replace(
        first,
        importance=max(first.importance, second.importance),
        labels=tuple(dict.fromkeys((*first.labels, *second.labels))),
        topic=first.topic or second.topic,
        evidence=tuple(dict.fromkeys((*first.evidence, *second.evidence))),
    )
