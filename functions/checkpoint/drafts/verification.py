"""Verifies that a draft's lines state what was said; others are dropped with a reason. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from functions.checkpoint.drafts.reply_parser import ProposedLine, Quote
from functions.checkpoint.drafts.window import Excerpt, SourceText
from strandline.language.content_words import content_stems, count_shared, unmatched
from strandline.language.data import loader
from strandline.language.detection import possible_languages
from strandline.language.folding import fold_lower, fold_text
from strandline.language.grounding import is_grounded
from strandline.language.modality import is_hypothetical, is_question
from strandline.language.polarity import polarity_agrees
from strandline.language.quotes import QuoteLocation, locate_quote
from strandline.language.sentences import spans_near, split_clauses
from strandline.language.words import split_words, word_spans
from strandline.models.checkpoint import Cited, DocumentQuote
from strandline.models.job import Dropped
from strandline.models.memory import Evidence
from strandline.models.turn import Role

NO_QUOTE = "it quotes nothing"
NOT_SHOWN = "the turn it names is not in the window"
NOT_IN_TURN = "the quote is not in the turn it names"
NOT_SAID = "the quote is not in the window"
HYPOTHETICAL = "hypothetical: the quoted words only suppose it"
ONLY_ASKED = "the quoted words only ask it"
NOT_GROUNDED = "it shares no word with what it quotes"
ASSISTANT_SAID = "only the assistant said it: nobody took it up"
POLARITY = "the text and its quote disagree on yes and no"
NOT_NAMED = "it names what is not in the window"

_TITLE_CASE_SHARE = 0.7
"""Share of capitalised words from which capitals are a style and mark no names."""


@dataclass(frozen=True, slots=True)
class LocatedQuote:
    """A quote and where it occurs in a source text."""

    source: SourceText
    location: QuoteLocation

    def citation(self) -> Evidence | DocumentQuote:
        """Returns the quote as a draft's citation, with the source's own words."""
        first, end = self.location.word_start, self.location.word_end
        words = self.source.content[self.location.start : self.location.end]
        turn = self.source.turn
        if turn is None:
            return DocumentQuote(word_start=first, word_end=end, quote=words)
        return Evidence(
            turn_id=turn.id,
            role=turn.role,
            word_start=first,
            word_end=end,
            said_at=turn.created_at,
            quote=words,
        )

    @property
    def by_assistant(self) -> bool:
        """Whether the words are the assistant's, which can propose but not decide."""
        return self.source.turn is not None and self.source.turn.role is Role.ASSISTANT

    def clauses(self) -> tuple[str, ...]:
        """Returns the whole clauses of the source that the quote overlaps."""
        clauses = split_clauses(self.source.content)
        touched = spans_near(clauses, self.location.start, self.location.end)
        return tuple(clause.text for clause in touched)


@dataclass(frozen=True)
class DraftVerifier:
    """Verifies lines against one excerpt.

    `language` is the profile's, for texts whose language can't be detected. `stems` are the
    excerpt's content stems by language, `folded` its folded texts by source number.
    """

    excerpt: Excerpt
    language: str
    stems: Mapping[str, frozenset[str]]
    folded: Mapping[int, str]

    @classmethod
    def for_excerpt(cls, excerpt: Excerpt, language: str) -> "DraftVerifier":
        """Returns a verifier with the excerpt's stems in every language it may be in."""
        text = "\n".join(excerpt.texts)
        codes = {code for each in excerpt.texts for code in possible_languages(each, language)}
        return cls(
            excerpt,
            language,
            stems={code: frozenset(content_stems(text, code)) for code in codes},
            folded={n: fold_text(source.content) for n, source in excerpt.sources.items()},
        )

    def verify_cited(self, line: ProposedLine, *, decision: bool) -> Cited | Dropped:
        """Returns a decision or task with its citations, or the reason why it was dropped."""
        quotes, reason = self._usable_quotes(line, decision=decision)
        if reason is None and decision and all(quote.by_assistant for quote in quotes):
            reason = ASSISTANT_SAID
        if reason is None:
            reason = self._mismatch_reason(line.text, quotes)
        if reason is not None:
            return Dropped(text=line.text, reason=reason)
        citations = dict.fromkeys(quote.citation() for quote in quotes)
        return Cited(text=line.text, citations=tuple(citations))

    def verify_uncited(self, line: ProposedLine) -> str | Dropped:
        """Returns a line that needs no quote, or why it was dropped.

        Its names and numbers must occur in the excerpt.
        """
        if self._has_foreign_names(line.text):
            return Dropped(text=line.text, reason=NOT_NAMED)
        return line.text

    def verify_entity(self, line: ProposedLine) -> str | Dropped:
        """Returns a name that occurs in the excerpt in any case, or why it was dropped."""
        name = fold_lower(line.text)
        if any(name in text.casefold() for text in self.folded.values()):
            return line.text
        return Dropped(text=line.text, reason=NOT_NAMED)

    def _usable_quotes(
        self, line: ProposedLine, *, decision: bool
    ) -> tuple[list[LocatedQuote], str | None]:
        """Returns the quotes that can ground the line, or none and the reason why."""
        # The text of a line without a quote may be one itself.
        quotes = line.quotes or (Quote(None, line.text),)
        kept: list[LocatedQuote] = []
        reason = NO_QUOTE
        for quote in quotes:
            located = self._locate(quote)
            if isinstance(located, str):
                reason = located if line.quotes else reason
            elif (unusable := _unusable_reason(located, decision=decision)) is not None:
                reason = unusable
            else:
                kept.append(located)
        return kept, None if kept else reason

    def _locate(self, quote: Quote) -> LocatedQuote | str:
        """Returns where the quote occurs, in the turn it names only, or why it counts for nothing.

        Of several turns the newest counts if it names none.
        """
        if quote.turn is not None:
            source = self.excerpt.sources.get(quote.turn)
            if source is None:
                return NOT_SHOWN
            location = locate_quote(quote.text, source.content)
            return LocatedQuote(source, location) if location else NOT_IN_TURN
        wanted = _first_to_last_word(quote.text)
        for number, source in reversed(self.excerpt.sources.items()):
            # Most turns fail this cheap check.
            if wanted not in self.folded[number]:
                continue
            if location := locate_quote(quote.text, source.content):
                return LocatedQuote(source, location)
        return NOT_SAID

    def _mismatch_reason(self, text: str, quotes: Iterable[LocatedQuote]) -> str | None:
        """Returns why the text says something else than its quotes; None if it doesn't."""
        clauses = [clause for quote in quotes for clause in quote.clauses()]
        quoted = " ".join(clauses)
        if not is_grounded(text, quoted, quoted=quoted, language=self.language):
            return NOT_GROUNDED
        if self._has_foreign_names(text):
            return NOT_NAMED
        return None if polarity_agrees(text, clauses, self.language) else POLARITY

    def _has_foreign_names(self, text: str) -> bool:
        """Whether a name or a number of the text occurs nowhere in the excerpt.

        A draft must never contain what was said elsewhere.
        """
        language = possible_languages(text, self.language)[0]
        known = self.stems.get(language)
        if known is None:
            return False
        names = frozenset(content_stems(_names_and_numbers(text, language), language))
        return any(not count_shared([name], known) for name in unmatched(names, known))


def _unusable_reason(quote: LocatedQuote, *, decision: bool) -> str | None:
    """Returns why a quote can't ground a decision or a task.

    What is only supposed is neither; what is only asked is no decision.
    """
    span = (quote.source.content, quote.location.start, quote.location.end)
    if is_hypothetical(*span):
        return HYPOTHETICAL
    return ONLY_ASKED if decision and is_question(*span) else None


def _first_to_last_word(text: str) -> str:
    """Returns the folded text from its first word to its last, as `locate_quote` looks for it."""
    folded = fold_text(text)
    spans = word_spans(folded)
    return folded[spans[0].start : spans[-1].end] if spans else folded


def _names_and_numbers(text: str, language: str) -> str:
    """Returns the words with capitals or digits.

    The capital of the first word marks no name, nor do capitals in a language that capitalises
    all nouns.
    """
    words = split_words(text)
    capitals = [word for word in words[1:] if word[0].isupper()]
    if loader.language(language).capitalised_nouns or len(capitals) > _TITLE_CASE_SHARE * len(
        words
    ):
        capitals = []
    digits = [word for word in words if any(character.isdigit() for character in word)]
    return " ".join(dict.fromkeys([*capitals, *digits]))
