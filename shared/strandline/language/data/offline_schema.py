"""The sections of a language's file that the offline rules read (docs/offline.md)."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from strandline.language.data.field_types import NO_TABLE, NO_WORDS, Pattern, Words


class Answers(NamedTuple):
    """How an offline answer tells what is asked of it."""

    please: Pattern = ""
    questions: Pattern = ""
    question_endings: Pattern = ""
    thanks: Pattern = ""


class Overlap(NamedTuple):
    """Words that tell nothing of what a text is about, and endings that are cut off, in order."""

    common: Words = NO_WORDS
    endings: tuple[str, ...] = ()
    possessive: str = ""


class Clauses(NamedTuple):
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


class SharedSubject(NamedTuple):
    """A subject that the next clause leaves out ("I love tea and hate coffee").

    `subject` is a pattern over the clause before, with the group `who` and, where it holds a
    form of "be", the group `be`. Behind it `verbs` take `who` for their subject, and `states`
    take `who` with `be` appended.
    """

    subject: Pattern = ""
    verbs: Pattern = ""
    states: Pattern = ""
    be: str = ""


class Times(NamedTuple):
    """What says when: anywhere (`when`), or before the subject (`leading`)."""

    when: Pattern = ""
    leading: Pattern = ""


class Names(NamedTuple):
    """Capitalised words that are no names, begin names, or stand within them."""

    particles: Words = NO_WORDS
    not_names: Words = NO_WORDS
    beginnings: Words = NO_WORDS
    possessives: tuple[str, ...] = ()


class Objects(NamedTuple):
    """What is cut off a phrase to get the thing that it speaks of.

    The phrase ends at a word of `ends`; then words of `leading` and `trailing` are cut off, and
    in quoted statements `articles` in front and `noise` anywhere.
    """

    ends: Pattern = ""
    leading: Pattern = ""
    trailing: Pattern = ""
    articles: Words = NO_WORDS
    noise: Pattern = ""


class Drafts(NamedTuple):
    """Clauses that are a decision (`settled`), a task (`to_do`) or the objective (`goals`)."""

    settled: Pattern = ""
    to_do: Pattern = ""
    goals: Pattern = ""


class Documents(NamedTuple):
    """What a heading says that the lines under it are; `labels` begin a line of their own."""

    open_questions: Pattern = ""
    decisions: Pattern = ""
    tasks: Pattern = ""
    assumptions: Pattern = ""
    entities: Pattern = ""
    objective: Pattern = ""
    summary: Pattern = ""
    labels: Pattern = ""


class Openings(NamedTuple):
    """Words before a statement that say nothing (`fillers`), and greetings."""

    fillers: Pattern = ""
    greetings: Pattern = ""


class Suggestion(NamedTuple):
    """What the assistant proposes: the group `what`, in a text that may name {what}."""

    pattern: Pattern = ""
    title: str = ""
    text: str = "{what}"


class PredicateRule(NamedTuple):
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


class ThirdPerson(NamedTuple):
    """How a predicate of "I" becomes one of "they". English only.

    `verbs` and `pronouns` map words to their replacements; `add_s` are verbs that take an s.
    Words of `unchanged` look like a pronoun and are none.
    """

    adverbs: Pattern = ""
    verbs: Mapping[str, str] = NO_TABLE
    add_s: Words = NO_WORDS
    pronouns: Mapping[str, str] = NO_TABLE
    unchanged: Words = NO_WORDS


class ThirdParties(NamedTuple):
    """Patterns for what is said of others. English only.

    `first_person` maps a verb of the third person to the form that follows "I"; `owner` is how
    the user's people are told ("the user's").
    """

    related: Pattern = ""
    plural: Pattern = ""
    named: Pattern = ""
    pronoun: Pattern = ""
    pronouns: Words = NO_WORDS
    not_names: Words = NO_WORDS
    first_person: Mapping[str, str] = NO_TABLE
    owner: str = ""


class Restated(NamedTuple):
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
    spellings: Mapping[str, str] = NO_TABLE
    titles: Mapping[str, str] = NO_TABLE
    texts: Mapping[str, str] = NO_TABLE


Meaning = Literal[
    "allergy", "home", "diet", "regime", "opinion", "job", "name", "fear", "decision",
    "commitment", "own", "self",
]  # fmt: skip


class Quoted(NamedTuple):
    """Statements that are kept in the user's own words.

    `rules` are patterns over a whole clause, tried in the order of the file; `titles` name each
    meaning. `owner` and `relations` are "my" and the people one has. What ends with
    `question_endings` is asked.
    """

    rules: Mapping[Meaning, Pattern] = NO_TABLE
    titles: Mapping[Meaning, str] = NO_TABLE
    owner: Pattern = ""
    relations: Pattern = ""
    question_endings: Pattern = ""


class Offline(NamedTuple):
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
