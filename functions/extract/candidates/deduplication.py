"""The candidates of one exchange, each fact once. Pure."""

from collections.abc import Iterable
from dataclasses import replace

from functions.extract.candidates.candidate import Verified
from strandline.language.statements import compatible, same_fact, statement_of


def merge_duplicates(candidates: Iterable[Verified]) -> tuple[Verified, ...]:
    """The candidates of one exchange, each fact once: the first wording with all the evidence."""
    merged: list[Verified] = []
    for candidate in candidates:
        told = statement_of(candidate)
        at = next(
            (
                index
                for index, other in enumerate(merged)
                if compatible(candidate.kind, other.kind) and same_fact(told, statement_of(other))
            ),
            None,
        )
        if at is None:
            merged.append(candidate)
        else:
            merged[at] = _both(merged[at], candidate)
    return tuple(merged)


def _both(first: Verified, second: Verified) -> Verified:
    return replace(
        first,
        importance=max(first.importance, second.importance),
        labels=tuple(dict.fromkeys((*first.labels, *second.labels))),
        topic=first.topic or second.topic,
        evidence=tuple(dict.fromkeys((*first.evidence, *second.evidence))),
    )
