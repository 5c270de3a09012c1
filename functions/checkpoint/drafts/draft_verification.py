"""Whether a draft's line rests on what was said. What doesn't is dropped, with the reason."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from functions.checkpoint.drafts.draft_reply_parser import Point, Quote
from functions.checkpoint.drafts.draft_window import Excerpt, Place
from strandline.language.content_words import content_stems, count_shared, unmatched
from strandline.language.detection import detect_script, possible_languages
from strandline.language.folding import fold_lower, fold_text
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

_TITLE_CASE = 0.7
"""From this part of capitals on they are a way of writing and tell no names."""


@dataclass(frozen=True, slots=True)
class Cite:
    """A quote that stands in a place."""

    place: Place
    found: QuoteLocation

    def citation(self) -> Evidence | DocumentQuote:
        """The quote as a draft shows it, its words as they stand there."""
        first, end = self.found.word_start, self.found.word_end
        said = self.place.content[self.found.start : self.found.end]
        turn = self.place.turn
        if turn is None:
            return DocumentQuote(word_start=first, word_end=end, quote=said)
        return Evidence(
            turn_id=turn.id,
            role=turn.role,
            word_start=first,
            word_end=end,
            said_at=turn.created_at,
            quote=said,
        )

    @property
    def by_assistant(self) -> bool:
        """Whether the words are the assistant's: what it proposes is decided by somebody else."""
        return self.place.turn is not None and self.place.turn.role is Role.ASSISTANT

    def clauses(self) -> tuple[str, ...]:
        """The clauses that the quote touches, whole."""
        touched = spans_near(split_clauses(self.place.content), self.found.start, self.found.end)
        return tuple(clause.text for clause in touched)


@dataclass(frozen=True)
class Checker:
    """Looks lines up in one excerpt. `language` is the profile's, for where none shows."""

    excerpt: Excerpt
    language: str
    stems: Mapping[str, frozenset[str]]
    folded: Mapping[int, str]

    @classmethod
    def of(cls, excerpt: Excerpt, language: str) -> "Checker":
        """A checker that knows the excerpt's words in every language it may be in."""
        text = "\n".join(excerpt.texts)
        codes = {code for each in excerpt.texts for code in possible_languages(each, language)}
        return cls(
            excerpt,
            language,
            stems={code: frozenset(content_stems(text, code)) for code in codes},
            folded={n: fold_text(place.content) for n, place in excerpt.places.items()},
        )

    def cited(self, point: Point, *, decision: bool) -> Cited | Dropped:
        """A decision or task with what it cites, or why it was dropped."""
        cites, reason = self._cites(point, decision=decision)
        if reason is None and decision and all(cite.by_assistant for cite in cites):
            reason = ASSISTANT_SAID
        if reason is None:
            reason = self._fault(point.text, cites)
        if reason is not None:
            return Dropped(text=point.text, reason=reason)
        found = dict.fromkeys(cite.citation() for cite in cites)
        return Cited(text=point.text, citations=tuple(found))

    def mentioned(self, point: Point) -> str | Dropped:
        """A line that needs no quote, if it names nothing that isn't there."""
        if self._names_others(point.text):
            return Dropped(text=point.text, reason=NOT_NAMED)
        return point.text

    def entity(self, point: Point) -> str | Dropped:
        """A name, if it stands in the excerpt, in whatever case."""
        name = fold_lower(point.text)
        if any(name in text.casefold() for text in self.folded.values()):
            return point.text
        return Dropped(text=point.text, reason=NOT_NAMED)

    def _cites(self, point: Point, *, decision: bool) -> tuple[list[Cite], str | None]:
        # A line without a quote may be one itself.
        quotes = point.quotes or (Quote(None, point.text),)
        kept: list[Cite] = []
        reason = NO_QUOTE
        for quote in quotes:
            cite = self._found(quote)
            fault = cite if isinstance(cite, str) else _unfit(cite, decision=decision)
            if isinstance(cite, Cite) and fault is None:
                kept.append(cite)
            elif (fault is not None and point.quotes) or (
                isinstance(cite, Cite) and fault is not None
            ):
                reason = fault
        return kept, None if kept else reason

    def _found(self, quote: Quote) -> Cite | str:
        """Where the quote stands; a named turn is the only one that is looked into."""
        if quote.turn is not None:
            place = self.excerpt.places.get(quote.turn)
            if place is None:
                return NOT_SHOWN
            found = locate_quote(quote.text, place.content)
            return Cite(place, found) if found else NOT_IN_TURN
        wanted = _between_marks(quote.text)
        for number, place in reversed(self.excerpt.places.items()):
            # A quick look first: most turns don't hold it.
            if wanted in self.folded[number] and (found := locate_quote(quote.text, place.content)):
                return Cite(place, found)
        return NOT_SAID

    def _fault(self, text: str, cites: Iterable[Cite]) -> str | None:
        said = [clause for cite in cites for clause in cite.clauses()]
        if not self._grounded(text, " ".join(said)):
            return NOT_GROUNDED
        if self._names_others(text):
            return NOT_NAMED
        return None if polarity_agrees(text, said, self.language) else POLARITY

    def _grounded(self, text: str, said: str) -> bool:
        """Whether they share a content word; texts of two languages can't be compared."""
        if detect_script(text) != detect_script(said):
            return True
        written, spoken = (possible_languages(each, self.language) for each in (text, said))
        if len(written) == len(spoken) == 1 and written != spoken:
            return True
        language = written[0] if written[0] in spoken else spoken[0]
        return count_shared(content_stems(text, language), content_stems(said, language)) > 0

    def _names_others(self, text: str) -> bool:
        """Whether a name or a number of it is nowhere in the excerpt.

        What was said elsewhere is the one thing that a draft must never hold.
        """
        language = possible_languages(text, self.language)[0]
        known = self.stems.get(language)
        if known is None:
            return False
        named = unmatched(frozenset(content_stems(_names(text, language), language)), known)
        return any(not count_shared([name], known) for name in named)


def _unfit(cite: Cite, *, decision: bool) -> str | None:
    """What is only supposed was neither decided nor given to do; what is asked, not decided."""
    place = (cite.place.content, cite.found.start, cite.found.end)
    if is_hypothetical(*place):
        return HYPOTHETICAL
    return ONLY_ASKED if decision and is_question(*place) else None


def _between_marks(text: str) -> str:
    """The quote from its first word to its last, as `locate` looks for it."""
    found = fold_text(text)
    at = word_spans(found)
    return found[at[0].start : at[-1].end] if at else found


def _names(text: str, language: str) -> str:
    """Its words with capitals or digits; the first word's capital tells nothing."""
    found = split_words(text)
    capitals = [word for word in found[1:] if word[0].isupper()]
    if language == "de" or len(capitals) > _TITLE_CASE * len(found):
        capitals = []
    digits = [word for word in found if any(character.isdigit() for character in word)]
    return " ".join(dict.fromkeys([*capitals, *digits]))
