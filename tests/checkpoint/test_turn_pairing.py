"""Messages paired into questions and answers, with a time on each."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from functions.checkpoint.imports.transcript import ImportedMessage
from functions.checkpoint.imports.turn_pairing import assign_times, pair_turns
from strandline.models.turn import Role
from tests.support.laws import law

SAID = st.builds(
    ImportedMessage,
    st.sampled_from(list(Role)),
    st.text("abc", min_size=1, max_size=3),
    st.none() | st.integers(-5, 5).map(lambda n: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(n)),
)


@given(st.lists(SAID, max_size=12))
@law()
def test_pairs_keep_every_word_in_order(messages: list[ImportedMessage]) -> None:
    """Said or skipped, nothing else; only the last question may be without an answer."""
    paired = pair_turns(messages)
    told = [each.content for each in paired.skipped]
    for number, pair in enumerate(paired.pairs):
        assert pair.question.role is Role.USER
        assert pair.answer is not None or number == len(paired.pairs) - 1
        told += [pair.question.content, *([pair.answer.content] if pair.answer else [])]
    assert "".join(told).replace("\n\n", "") == "".join(each.content for each in messages)
    kept = len(messages) - len(paired.skipped) - paired.joined
    assert kept == sum(1 if pair.answer is None else 2 for pair in paired.pairs)


@given(st.lists(SAID, max_size=12))
@law()
def test_times_never_go_back_nor_lie_in_the_future(messages: list[ImportedMessage]) -> None:
    """A given time that fits is kept; each that isn't is counted."""
    now = datetime(2026, 1, 3, tzinfo=UTC)
    before = pair_turns(messages).pairs
    after, changed = assign_times(before, now)
    given_times = [each.at for pair in before for each in (pair.question, pair.answer) if each]
    times = [each.at for pair in after for each in (pair.question, pair.answer) if each]
    assert all(at is not None and at <= now for at in times)
    assert times == sorted(at for at in times if at)
    moved = [a for a, b in zip(given_times, times, strict=True) if a is not None and a != b]
    assert len(moved) == changed
