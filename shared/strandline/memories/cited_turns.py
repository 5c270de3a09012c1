"""The cited versions of turns: current, superseded, expired or deleted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from strandline import ids, keys
from strandline.language.words import quote_words
from strandline.models.memory import Citation, Evidence
from strandline.models.retention import RetentionRule
from strandline.models.turn import Turn
from strandline.store.accounts import profiles
from strandline.store.conversations import turns
from strandline.table import Table
from strandline.writes import Item

TurnVersion = tuple[str, int]
"""A turn's id and the number of its version."""


class SourceState(StrEnum):
    """Whether a cited version is the turn's transcript now, was replaced, or is gone."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class CitedTurn:
    """A cited version of a turn; `turn` is None when its words are gone."""

    state: SourceState
    turn: Turn | None = None


def read_cited_turns(
    table: Table, account: str, citations: Iterable[Citation], at: datetime
) -> Mapping[TurnVersion, CitedTurn]:
    """Returns the state and words of each cited version.

    Takes one batch of reads, and a second one if a cited version isn't the current one.
    """
    wanted = {(each.turn_id, each.turn_version) for each in citations}
    turn_keys = {turn_id: _turn_key(account, turn_id) for turn_id, _ in wanted}
    found = dict(table.get_many([*turn_keys.values(), keys.profile(account)]))
    rule = profiles.retention_from_item(found.get(keys.profile(account))).turns
    further_keys = []
    for turn_id, version in wanted:
        item = found.get(turn_keys[turn_id])
        if item is None:
            further_keys.append(_session_key(account, turn_id))
        elif _version_number(item) != version:
            further_keys.append(_earlier_key(account, (turn_id, version)))
    found |= table.get_many(further_keys)
    return {version: _cited_turn(account, version, found, rule, at) for version in wanted}


def with_quote(citation: Citation, cited_turns: Mapping[TurnVersion, CitedTurn]) -> Evidence:
    """Returns the citation with its quote from the cited version, None if the words are gone."""
    turn = cited_turns[citation.turn_id, citation.turn_version].turn
    words = quote_words(turn.content, citation.word_start, citation.word_end) if turn else None
    return Evidence(**citation.model_dump(), quote=words)


def _cited_turn(
    account: str,
    version: TurnVersion,
    found: Mapping[keys.Key, Item],
    rule: RetentionRule,
    at: datetime,
) -> CitedTurn:
    turn_id, number = version
    item = found.get(_turn_key(account, turn_id))
    if item is None:
        session = found.get(_session_key(account, turn_id))
        session_exists = session is not None and "deleted_at" not in session
        # A turn of an existing session can only be missing because it expired.
        return CitedTurn(SourceState.EXPIRED if session_exists else SourceState.DELETED)
    if "deleted_at" in item:
        return CitedTurn(SourceState.DELETED)
    if turns.is_gone(item, rule, at):
        return CitedTurn(SourceState.EXPIRED)
    if _version_number(item) == number:
        return CitedTurn(SourceState.CURRENT, turns.turn_from_item(item, rule, at))
    earlier = found.get(_earlier_key(account, version))
    if earlier is None:
        return CitedTurn(SourceState.EXPIRED)
    return CitedTurn(SourceState.SUPERSEDED, turns.turn_from_item(earlier, rule, at))


def _version_number(item: Item) -> int:
    return int(item.get("version", 1))


def _turn_key(account: str, turn_id: str) -> keys.Key:
    return keys.turn(account, *ids.parse_turn_id(turn_id))


def _earlier_key(account: str, version: TurnVersion) -> keys.Key:
    return keys.earlier_turn(account, *ids.parse_turn_id(version[0]), version[1])


def _session_key(account: str, turn_id: str) -> keys.Key:
    return keys.session(account, ids.parse_turn_id(turn_id)[0])
