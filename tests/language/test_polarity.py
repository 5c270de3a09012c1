"""A memory says yes where its source says yes, and no where it says no."""

import pytest

from strandline.language.polarity import Polarity, polarity, polarity_agrees
from strandline.language.sentences import split_clauses

AGREE = [
    ("The user likes jazz", "No doubt I like jazz"),
    ("The user doesn't like jazz", "I don't think I like jazz"),
    ("The user doubts that he likes jazz", "I doubt that I like jazz"),
    ("Avoids pork", "I don't eat pork"),
    ("Doesn't eat pork", "I don't eat pork"),
    ("Doesn’t eat pork", "I don't eat pork"),
    ("Eats pork", "I eat pork"),
    ("Is vegetarian", "I don't eat meat"),
    ("Doesn't like fish", "I hate fish"),
    ("Hates fish", "I don't like fish"),
    ("Can't stand onions", "I hate onions"),
    ("Doesn't hate fish", "I don't hate fish"),
    ("Speaks French", "I not only speak French but also German"),
    ("Is looking forward to Oslo", "I can't wait to see Oslo"),
    ("Is fine with cats", "I don't mind cats"),
    ("Can come Friday", "No problem, I can come Friday"),
    ("Lives in Oslo", "No, I live in Oslo"),
    ("Call mom", "Don't forget to call mom"),
    ("Likes tea", "I like tea, not coffee"),
    ("Moved to Oslo", "I moved to Oslo and I'm not happy"),
    ("Is Muslim", "I don't eat pork because I'm Muslim"),
    ("Doesn't eat beef", "I don't eat pork, beef or lamb"),
    ("Former smoker", "I quit smoking"),
    ("Lived in Oslo", "I used to live in Oslo"),
    ("No longer works at Acme", "I quit my job at Acme"),
    ("Is no longer vegan", "I'm not vegan anymore"),
    ("Is allergic to nuts", "I'm allergic to nuts, so no pesto please"),
    ("Never smoked", "I have never smoked"),
    ("Doesn't drink coffee or alcohol", "I drink neither coffee nor alcohol"),
    ("Uses Postgres instead of MySQL", "We decided to use Postgres, not MySQL"),
    ("Allergic to nuts", "I can't eat nuts"),
    ("Available from Friday", "I can't come until Friday"),
    ("Isst kein Schweinefleisch", "Ich esse kein Schweinefleisch"),
    ("Mag keinen Fisch", "Ich hasse Fisch"),
    ("Ne mange pas de porc", "Je ne mange pas de porc"),
    ("Ne boit que de l'eau", "Je ne bois que de l'eau"),
    ("No come carne", "No como carne"),
    ("Vivo en Madrid", "Vivo en Madrid y odio el cilantro"),
    ("Vive en Oslo", "No, vivo en Oslo"),
    ("不吃猪肉", "我不吃猪肉"),
    ("喜欢茶", "我非常喜欢茶"),
    ("豚肉を食べない", "豚肉は食べません"),
    ("薬を飲む必要がある", "薬を飲まなければならない"),
    ("Не ест свинину", "Я не ем свинину"),
]

DIFFER = [
    ("The user likes jazz", "I doubt that I like jazz"),
    ("The user likes jazz", "I don't think I like jazz"),
    ("Eats pork", "I don't eat pork"),
    ("Doesn't eat pork", "I eat pork"),
    ("Likes fish", "I hate fish"),
    ("Loves fish", "I can't stand fish"),
    ("Hates fish", "I don't hate fish"),
    ("Dislikes cats", "I don't mind cats"),
    ("Likes coffee", "I like tea, not coffee"),
    ("Eats beef", "I don't eat pork, beef or lamb"),
    ("Smokes", "I stopped smoking"),
    ("Lives in Oslo", "I used to live in Oslo"),
    ("Is vegan", "I'm not vegan anymore"),
    ("Is allergic to nuts", "I'm not allergic to nuts"),
    ("Has a nut allergy", "I'm not allergic to nuts"),
    ("Smoked", "I have never smoked"),
    ("Chose MySQL", "We'll go with Postgres and not MySQL"),
    ("Has kids", "I have no kids"),
    ("Isst Schweinefleisch", "Ich esse kein Schweinefleisch"),
    ("Mag Fisch", "Ich mag Fisch nicht"),
    ("Mange du porc", "Je ne mange pas de porc"),
    ("Aime le poisson", "Je n'aime pas le poisson"),
    ("Come carne", "No como carne"),
    ("Mangia carne", "Non mangio carne"),
    ("Come carne", "Não como carne"),
    ("Eet vlees", "Ik eet geen vlees"),
    ("Äter kött", "Jag äter inte kött"),
    ("吃猪肉", "我不吃猪肉"),
    ("豚肉を食べる", "豚肉は食べません"),
    ("Ест свинину", "Я не ем свинину"),
]


def _agrees(text, source):
    return polarity_agrees(text, [clause.text for clause in split_clauses(source)], "en")


@pytest.mark.parametrize(("text", "source"), AGREE)
def test_the_same_polarity_in_other_words_agrees(text, source):
    """Negative verbs stand for negations, and phrases that negate nothing don't count."""
    assert _agrees(text, source)


@pytest.mark.parametrize(("text", "source"), DIFFER)
def test_a_turned_statement_is_noticed(text, source):
    """In every language the tables know, without being told which it is."""
    assert not _agrees(text, source)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Loves Chinese food", "en", Polarity.AFFIRMED),
        ("Hates Chinese food", "en", Polarity.DENIED),
        ("Doesn't hate Chinese food", "en", Polarity.AFFIRMED),
        ("Avoids pork", "en", Polarity.DENIED),
        ("Is not vegan anymore", "en", Polarity.DENIED),
        ("不吃猪肉", "zh", Polarity.DENIED),
        ("", "en", Polarity.AFFIRMED),
    ],
)
def test_a_whole_text_affirms_or_denies(text, language, expected):
    """What two memories are told apart by when their words are the same."""
    assert polarity(text, language) is expected
