"""What is only supposed or asked is told from what is stated; and of whom it is stated."""

import pytest

from strandline.language.modality import is_hypothetical, is_question
from strandline.language.people import Person, canonical_subject, third_party_subject


def _place(content, quote):
    start = content.index(quote)
    return content, start, start + len(quote)


@pytest.mark.parametrize(
    ("content", "quote"),
    [
        ("Suppose I moved to Oslo, what visa would I need?", "I moved to Oslo"),
        ("If I were rich, I'd buy a boat", "I'd buy a boat"),
        ("I would move to Oslo for the right job", "I would move to Oslo"),
        ("What if I lived in Oslo?", "I lived in Oslo"),
        ("Imagine I'm a pirate. I live on a ship.", "I live on a ship"),
        ("I usually cook if I have time", "I have time"),
        ("Hypothetically, I live in Oslo", "I live in Oslo"),
        ("I wish I lived in Oslo", "I lived in Oslo"),
        ("Translate into German: I live in Berlin", "I live in Berlin"),
        ("Please summarize this: I moved to Oslo. I sold my car.", "I sold my car"),
        ("Write a short story: 'I am allergic to nuts,' said Tom.", "I am allergic to nuts"),
        ("请翻译：我住在奥斯陆", "我住在奥斯陆"),
        ("Angenommen, ich ziehe nach Oslo", "ich ziehe nach Oslo"),
        ("Supposons que j'habite à Oslo", "j'habite à Oslo"),
        ("Si viviera en Oslo, compraría una casa", "compraría una casa"),
        ("如果我搬到奥斯陆,要什么签证?", "我搬到奥斯陆"),
    ],
)
def test_a_supposition_is_noticed(content, quote):
    """The sentence around the quote tells, and a scene that was set goes on."""
    assert is_hypothetical(*_place(content, quote))


@pytest.mark.parametrize(
    ("content", "quote"),
    [
        ("I would like to move to Oslo", "I would like to move to Oslo"),
        ("I'd prefer tea", "I'd prefer tea"),
        ("I translate books: it pays my rent", "it pays my rent"),
        ("Translate it for me, I live in Berlin", "I live in Berlin"),
        ("I write a novel in my free time", "I write a novel"),
        ("I suppose I'm a night owl", "I'm a night owl"),
        ("I can't imagine living elsewhere", "I can't imagine living elsewhere"),
        ("Suppose I moved to Oslo, what then? I'm allergic to nuts.", "I'm allergic to nuts"),
        ("Imagine I'm a pirate. By the way, I live in Oslo.", "I live in Oslo"),
        ("I usually cook if I have time", "I usually cook"),
        ("I'd been living in Oslo for years", "I'd been living in Oslo"),
        ("When I was a child I would swim daily", "I would swim daily"),
        ("I live in Oslo. I could use some help.", "I live in Oslo"),
        ("Ich arbeite als Arzt in Oslo", "Arzt in Oslo"),
    ],
)
def test_a_wish_or_a_habit_of_speech_is_no_supposition(content, quote):
    """Words that look like suppositions are taken for what they mean."""
    assert not is_hypothetical(*_place(content, quote))


@pytest.mark.parametrize(
    ("content", "quote"),
    [
        ("any ideas for dinner?", "any ideas for dinner"),
        ("Can you recommend a hotel in Oslo?", "hotel in Oslo"),
        ("Do you know if I live in Oslo?", "I live in Oslo"),
        ("Am I allergic to nuts?", "I allergic to nuts"),
        ("Do you think I'm too old?", "I'm too old"),
        ("Should I buy a car?", "I buy a car"),
        ("Soll ich nach Oslo ziehen?", "nach Oslo ziehen"),
        ("我应该吃素吗？", "我应该吃素"),
    ],
)
def test_a_question_states_nothing(content, quote):
    """Whatever part of what is asked gets quoted."""
    assert is_question(*_place(content, quote))


@pytest.mark.parametrize(
    ("content", "quote"),
    [
        ("I'm vegan, any ideas for dinner?", "I'm vegan"),
        ("What can I eat given that I'm allergic to nuts?", "I'm allergic to nuts"),
        ("What gift should I buy for my brother Jack?", "my brother Jack"),
        ("Can you remind me to call mom tomorrow?", "remind me to call mom tomorrow"),
        ("I moved to Oslo. What now?", "I moved to Oslo"),
        ("Ich bin Veganer, hast du Ideen?", "Ich bin Veganer"),
        ("我是素食者，晚饭吃什么？", "我是素食者"),
    ],
)
def test_a_statement_within_a_question_stays_one(content, quote):
    """People tell things while they ask."""
    assert not is_question(*_place(content, quote))


@pytest.mark.parametrize(
    ("clause", "person"),
    [
        ("My brother Jack hates fish", Person("brother", "Jack")),
        ("My older sister lives in Oslo", Person("sister")),
        ("Meine Schwester Anna wohnt in Oslo", Person("schwester", "Anna")),
        ("我哥哥讨厌鱼", Person("哥哥")),
        ("My brother Jack and I moved to Oslo", None),
        ("My doctor told me to avoid salt", None),
        ("My favourite colour is blue", None),
        ("I hate fish", None),
        ("", None),
    ],
)
def test_whom_a_clause_is_about(clause, person):
    """Someone of the user's, unless the user is in it as well."""
    assert third_party_subject(clause) == person


@pytest.mark.parametrize(
    ("said", "subject"),
    [("The user", "user"), ("", "user"), ("I", "user"), ("AI", "assistant"), (" Jack ", "Jack")],
)
def test_the_user_and_the_assistant_have_one_name_each(said, subject):
    """However the model calls them."""
    assert canonical_subject(said) == subject
