"""The format of a language's file, and the values that it is read into. See docs/languages.md.

Every section is optional. A missing section, list or pattern means that the language has none.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from strandline.language.data.field_types import NO_TABLE, NO_WORDS, Pattern, Words
from strandline.language.data.offline_schema import Offline


class Script(NamedTuple):
    """How the language is written, for those that their script tells.

    `characters` is the inside of a character class. `weight` is what one character counts
    against Latin letters. `languages` are other codes written in this script, `includes` the
    codes whose characters this language uses too.
    """

    characters: str = ""
    weight: int = 2
    languages: Words = NO_WORDS
    includes: Words = NO_WORDS


class ContentWords(NamedTuple):
    """Words by what they contribute to a statement.

    `function` words tell the language and carry no content; `light` words may be added or left
    out without changing the fact; `light_characters` are single characters of that sort.
    Words that end with one of `function_endings` are like function words ("n't").
    `dividing` words have sides that can't be exchanged ("from", "than"). `synonyms` maps a stem
    to the words that it stands for. `stop` words are ignored by BM25.
    """

    function: Words = NO_WORDS
    function_endings: Words = NO_WORDS
    light: Words = NO_WORDS
    light_characters: str = ""
    stop: Words = NO_WORDS
    synonyms: Mapping[str, Words] = NO_TABLE
    feeling_stems: Words = NO_WORDS
    turning_stems: Words = NO_WORDS
    dividing: Words = NO_WORDS
    comparing: Words = NO_WORDS
    listing: Words = NO_WORDS


class Topics(NamedTuple):
    """How a topic shows that several things belong to it ("allergies").

    The head noun ends at `head_end`; it is a plural if it ends with `plural` and is not one of
    the words `singular`.
    """

    head_end: str = ""
    plural: Pattern = ""
    singular: Words = NO_WORDS


class Sentences(NamedTuple):
    """Where sentences and clauses end.

    No sentence ends at the full stop of `abbreviations`. A clause begins at `links` anywhere, at
    `openers` behind a comma or a `joining` word, at `consequences` behind a comma, and at
    `comma_openers` (characters) behind a Chinese comma.
    """

    abbreviations: Words = NO_WORDS
    openers: Words = NO_WORDS
    links: Words = NO_WORDS
    joining: Words = NO_WORDS
    consequences: Pattern = ""
    comma_openers: str = ""


class People(NamedTuple):
    """Whom a statement is about.

    `relation` is a pattern with the group `relation`, for languages without blanks.
    `user_owner` are ways to write "the user's". A text is about the user if it begins with one of
    `user_subjects`, behind one of `subject_leads` perhaps, and `not_subject` doesn't follow.
    """

    relations: Words = NO_WORDS
    possessives: Words = NO_WORDS
    first_person: Words = NO_WORDS
    relation: Pattern = ""
    articles: Words = NO_WORDS
    user_owner: Pattern = ""
    user_subjects: Pattern = ""
    subject_leads: Pattern = ""
    not_subject: Pattern = ""
    user_names: Words = NO_WORDS
    assistant_names: Words = NO_WORDS


class Negation(NamedTuple):
    """How the language says no.

    `negators` negate; in `harmless` phrases they don't, in `undecided` ones they may. `avoiding`
    and `disliking` words negate by their meaning, `liking` words are their opposite; beside
    `excusing` words either polarity may stand. `negators_cancel` tells whether two make a yes.
    """

    negators: Pattern = ""
    harmless: Pattern = ""
    undecided: Pattern = ""
    avoiding: Pattern = ""
    disliking: Pattern = ""
    liking: Pattern = ""
    excusing: Pattern = ""
    negators_cancel: bool = False


class Modality(NamedTuple):
    """How the language marks suppositions and questions, over folded lower-case text.

    `tasks` hand over a text to work on, after `task_openings`; who speaks in it needn't be the
    user. `would` is a conditional of the speaker's own, unless `once` says that it tells of the
    past. `conditions` open a conditional clause; `reality` ends a supposition. `questions` are
    how a clause that asks begins, after `question_fillers`; in a language without blanks, what
    such a clause holds. `requests` are wishes put as questions. `statements` begin what states
    something even within a question, after `statement_fillers`; `doubts` before them undo that.
    """

    task_openings: Pattern = ""
    tasks: Pattern = ""
    supposing: Pattern = ""
    would: Pattern = ""
    once: Pattern = ""
    conditions: Pattern = ""
    reality: Pattern = ""
    question_fillers: Pattern = ""
    questions: Pattern = ""
    requests: Pattern = ""
    statement_fillers: Pattern = ""
    statements: Pattern = ""
    doubts: Pattern = ""


Shift = Literal[
    "days", "ahead", "ago", "next unit", "this unit", "last unit", "next weekday",
    "coming weekday", "last weekday",
]  # fmt: skip
"""What a relative date stands for."""


class DateRule(NamedTuple):
    """A pattern for a relative date and what it stands for; `days` where it says no number.

    The pattern runs over lower-case text. Its groups are `n` (a number), `unit` and `day` (a
    weekday); {NUMBER}, {UNIT} and {WEEKDAY} are the alternatives of the language.
    """

    pattern: Pattern
    shift: Shift = "days"
    days: int = 0


class Dates(NamedTuple):
    """Relative dates. `tail` is a time of day that may follow; `past` marks the past tense.

    `weekdays` are seven lists from Monday to Sunday; `units` maps "day", "week", "month" and
    "year" to their words; `numbers` maps digits to their words.
    """

    rules: tuple[DateRule, ...] = ()
    weekdays: tuple[Words, ...] = ()
    units: Mapping[Literal["day", "week", "month", "year"], Words] = NO_TABLE
    numbers: Mapping[int, Words] = NO_TABLE
    tail: Pattern = ""
    past: Pattern = ""


class Replies(NamedTuple):
    """What a model writes in place of JSON.

    When it refuses (`refusals`), and when it found nothing: anywhere (`nothing`) or at the
    beginning (`nothing_openings`).
    """

    refusals: Pattern = ""
    nothing: Pattern = ""
    nothing_openings: Pattern = ""


class Language(NamedTuple):
    """All that differs in one language.

    `rank` orders languages where the order decides: the lower one is tried first. `spaced` tells
    whether blanks part its words. `stemmer` is a Snowball algorithm. `capitalised_nouns` tells
    that a capital letter marks no name. `fragments` are the file's own placeholders.
    """

    code: str
    name: str = ""
    rank: int = 1000
    spaced: bool = True
    stemmer: str = ""
    capitalised_nouns: bool = False
    fragments: Mapping[str, str] = NO_TABLE
    script: Script = Script()
    words: ContentWords = ContentWords()
    topics: Topics = Topics()
    sentences: Sentences = Sentences()
    people: People = People()
    negation: Negation = Negation()
    modality: Modality = Modality()
    dates: Dates = Dates()
    replies: Replies = Replies()
    offline: Offline = Offline()
