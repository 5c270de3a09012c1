"""Laws of verification: never an exception, and never a citation that isn't in its turn."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from functions.extract.candidates.candidate import Candidate, Quote, VerifiedCandidate
from functions.extract.candidates.citations import FACT_KINDS
from functions.extract.candidates.verification import verify_candidate
from functions.extract.exchange import Exchange
from strandline.language import words
from strandline.language.folding import fold_with_offsets
from strandline.models.job import Dropped
from strandline.models.memory import Kind
from strandline.models.turn import Role, Turn, TurnStatus
from tests.support.laws import law

PIECES = st.sampled_from(
    ["I", "like", "don't", "hate", "tea", "pork", "Oslo", "my brother Jack", "suppose", "if",
     "?", ".", ",", "\n", " ", "tomorrow", "我", "不", "吃", "猪肉", "，", "é",
     "e\u0301", "’", "“", "🙂",
     "\u200d", "ich", "nicht", "ne", "pas", "1.5", "\u05d0\u05d1", "because", "and I'm"]
)  # fmt: skip
SPEECH = st.lists(PIECES | st.text(max_size=6), min_size=1, max_size=14).map(" ".join)


@st.composite
def _cases(draw):
    """A user turn, an assistant turn and a candidate that often quotes them."""
    user, assistant = draw(SPEECH), draw(SPEECH)
    part = st.sampled_from([user, assistant]).flatmap(
        lambda text: st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(
            lambda ends: text[min(ends) : max(ends)]
        )
    )
    quote = st.builds(Quote, st.sampled_from([None, *Role]), part | SPEECH)
    text = draw(SPEECH | part)
    candidate = Candidate(
        kind=draw(st.sampled_from(list(Kind))),
        title=text[:80],
        text=text,
        importance=0.5,
        subject=draw(st.sampled_from(["user", "assistant", "Jack"])),
        quotes=tuple(draw(st.lists(quote, max_size=3))),
    )
    return user, assistant, candidate


@law(200)
@given(_cases(), st.sampled_from(["en", "de", "zh", "", "xx-YY"]))
def test_every_citation_that_is_kept_is_verbatim(case, language):
    """Law: what is cited, folded, is the words of one of the candidate's quotes, of that turn."""
    user, assistant, candidate = case
    result = _verified(user, assistant, candidate, language)
    assert isinstance(result, VerifiedCandidate | Dropped)
    if isinstance(result, Dropped):
        assert result.reason
        return
    turns = {Role.USER: user, Role.ASSISTANT: assistant}
    quoted = {
        tuple(words.split_words(fold_with_offsets(quote.text).text)) for quote in candidate.quotes
    }
    assert result.evidence
    for citation in result.evidence:
        cited = words.quote_words(turns[citation.role], citation.word_start, citation.word_end)
        assert tuple(words.split_words(fold_with_offsets(cited).text)) in quoted


@law(200)
@given(_cases())
def test_the_assistants_words_alone_never_make_a_fact_about_the_user(case):
    """Law: an observation, decision or commitment of the user's cites the user."""
    user, assistant, candidate = case
    result = _verified(user, assistant, candidate, "en")
    if isinstance(result, VerifiedCandidate) and result.kind in FACT_KINDS:
        assert result.user_said_it or (
            result.kind is Kind.COMMITMENT and result.subject == "assistant"
        )
        if result.kind is Kind.OBSERVATION and result.subject != "assistant":
            assert {citation.role for citation in result.evidence} == {Role.USER}


def _verified(user, assistant, candidate, language):
    at = datetime(2026, 12, 1, 22, 30, tzinfo=UTC)
    turns = [
        Turn(
            id=f"trn_{number}",
            session_id="ses_1",
            sequence_number=number,
            role=role,
            content=content,
            created_at=at,
            status=TurnStatus.COMPLETE,
        )
        for number, (role, content) in enumerate(zip(Role, (user, assistant), strict=True))
    ]
    return verify_candidate(candidate, Exchange(turns[0], turns[1], language=language))


def test_only_the_quotes_that_hold_are_kept(say, learn, memory_reply):
    """One good quote is enough; what stands beside it in error is left out."""
    exchange = say("I moved to Oslo. I like it.", "Oslo is nice.")
    reply = memory_reply("Moved to Oslo", "I moved to Oslo")
    reply["quotes"] += [
        {"turn": "user", "quote": "I moved to Bergen"},
        {"turn": "assistant", "quote": "Oslo is nice"},
        {"turn": "user", "quote": "never said"},
    ]
    kept, _ = learn(exchange, reply)
    assert [(c.role, c.word_start, c.word_end) for c in kept[0].evidence] == [(Role.USER, 0, 4)]
