"""The sections of a language's file that the offline rules read (docs/offline.md)."""

from dataclasses import dataclass, field
from typing import Literal

from strandline.language.data.field_types import NONE, Pattern, Words


@dataclass(frozen=True)
class Answers:
    """How an offline answer tells what is asked of it."""

    please: Pattern = ""
    questions: Pattern = ""
    question_endings: Pattern = ""
    thanks: Pattern = ""


@dataclass(frozen=True)
class Overlap:
    """Words that tell nothing of what a text is about, and endings that are cut off, in order."""

    common: Words = NONE
    endings: tuple[str, ...] = ()
    possessive: str = ""


@dataclass(frozen=True)
class Clauses:
    """Where a turn is parted into clauses, and which of them state nothing.

    A clause ends before a `connectives` word (and an adverb of `after_connectives`) when one of
    `starts` follows, and at `breaks`. `suppositions` make a clause hypothetical; after one of
    `supposition_openers` (behind `supposition_fillers`) the rest of the paragraph is. `reporting`
    verbs tell another's words, unless the clause begins with one of `own_subjects`.
    `questions` begin a clause that asks.
    """

    abbreviations: Pattern = ""
    connectives: Pattern = ""
    after_connectives: Pattern = ""
    starts: Pattern = ""
    breaks: Pattern = ""
    supposition_fillers: Pattern = ""
    supposition_openers: Pattern = ""
    suppositions: Pattern = ""
    own_subjects: Pattern = ""
    reporting: Pattern = ""
    questions: Pattern = ""


@dataclass(frozen=True)
class SharedSubject:
    """A subject that the next clause leaves out ("I love tea and hate coffee").

    `subject` is a pattern over the clause before, with the group `who` and, where it holds a
    form of "be", the group `be`. Behind it `verbs` take `who` for their subject, and `states`
    take `who` with `be` appended.
    """

    subject: Pattern = ""
    verbs: Pattern = ""
    states: Pattern = ""
    be: str = ""


@dataclass(frozen=True)
class Times:
    """What says when: anywhere (`when`), or before the subject (`leading`)."""

    when: Pattern = ""
    leading: Pattern = ""


@dataclass(frozen=True)
class Names:
    """Capitalised words that are no names, begin names, or stand within them."""

    particles: Words = NONE
    not_names: Words = NONE
    beginnings: Words = NONE
    possessives: tuple[str, ...] = ()


@dataclass(frozen=True)
class Objects:
    """What is cut off a phrase to get the thing that it speaks of.

    The phrase ends at a word of `ends`; then words of `leading` and `trailing` are cut off, and
    in quoted statements `articles` in front and `noise` anywhere.
    """

    ends: Pattern = ""
    leading: Pattern = ""
    trailing: Pattern = ""
    articles: Words = NONE
    noise: Pattern = ""


@dataclass(frozen=True)
class Drafts:
    """Clauses that are a decision (`settled`), a task (`to_do`) or the objective (`goals`)."""

    settled: Pattern = ""
    to_do: Pattern = ""
    goals: Pattern = ""


@dataclass(frozen=True)
class Documents:
    """What a heading says that the lines under it are; `labels` begin a line of their own."""

    open_questions: Pattern = ""
    decisions: Pattern = ""
    tasks: Pattern = ""
    assumptions: Pattern = ""
    entities: Pattern = ""
    objective: Pattern = ""
    summary: Pattern = ""
    labels: Pattern = ""


@dataclass(frozen=True)
class Openings:
    """Words before a statement that say nothing (`fillers`), and greetings."""

    fillers: Pattern = ""
    greetings: Pattern = ""


@dataclass(frozen=True)
class Suggestion:
    """What the assistant proposes: the group `what`, in a text that may name {what}."""

    pattern: Pattern = ""
    title: str = ""
    text: str = "{what}"


@dataclass(frozen=True)
class PredicateRule:
    """A pattern over what follows "I", and what it means. English only.

    `topic` may name {object}, {other} and {verb}, which the pattern caught. A `dated` rule holds
    only with a date or a time.
    """

    pattern: Pattern
    title: str
    importance: float
    topic: str = ""
    labels: tuple[str, ...] = ()
    kind: str = "observation"
    dated: bool = False


@dataclass(frozen=True)
class ThirdPerson:
    """How a predicate of "I" becomes one of "they". English only.

    `verbs` and `pronouns` map words to their replacements; `add_s` are verbs that take an s.
    Words of `unchanged` look like a pronoun and are none.
    """

    adverbs: Pattern = ""
    verbs: dict[str, str] = field(default_factory=dict)
    add_s: Words = NONE
    pronouns: dict[str, str] = field(default_factory=dict)
    unchanged: Words = NONE


@dataclass(frozen=True)
class ThirdParties:
    """Patterns for what is said of others. English only.

    `first_person` maps a verb of the third person to the form that follows "I"; `owner` is how
    the user's people are told ("the user's").
    """

    related: Pattern = ""
    plural: Pattern = ""
    named: Pattern = ""
    pronoun: Pattern = ""
    not_names: Words = NONE
    first_person: dict[str, str] = field(default_factory=dict)
    owner: str = ""


@dataclass(frozen=True)
class Restated:
    """Patterns and texts of statements that are told in the third person. English only."""

    subject: Pattern = ""
    remember: Pattern = ""
    no_fact: Pattern = ""
    reminder: Pattern = ""
    order: Pattern = ""
    name: Pattern = ""
    greeted_name: Pattern = ""
    own: Pattern = ""
    own_article: str = ""
    own_possessive: str = ""
    no_thing: Pattern = ""
    third_party: Pattern = ""
    due: Pattern = ""
    decided: Pattern = ""
    proposed: Pattern = ""
    open_question: Pattern = ""
    spellings: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


Meaning = Literal[
    "allergy", "home", "diet", "regime", "opinion", "job", "name", "fear", "decision",
    "commitment", "own", "self",
]  # fmt: skip


@dataclass(frozen=True)
class Quoted:
    """Statements that are kept in the user's own words.

    `rules` are patterns over a whole clause, tried in the order of the file; `titles` name each
    meaning. `owner` and `relations` are "my" and the people one has. What ends with
    `question_endings` is asked.
    """

    rules: dict[Meaning, Pattern] = field(default_factory=dict)
    titles: dict[Meaning, str] = field(default_factory=dict)
    owner: Pattern = ""
    relations: Pattern = ""
    question_endings: Pattern = ""


@dataclass(frozen=True)
class Offline:
    """What the offline rules need (docs/offline.md)."""

    answers: Answers = Answers()
    overlap: Overlap = Overlap()
    clauses: Clauses = Clauses()
    shared_subject: SharedSubject = SharedSubject()
    times: Times = Times()
    names: Names = Names()
    objects: Objects = Objects()
    drafts: Drafts = Drafts()
    documents: Documents = Documents()
    openings: Openings = Openings()
    suggestion: Suggestion = Suggestion()
    quoted: Quoted = Quoted()
    restated: Restated = Restated()
    predicates: tuple[PredicateRule, ...] = ()
    third_person: ThirdPerson = ThirdPerson()
    third_parties: ThirdParties = ThirdParties()
