"""The recall bench reads its set tolerantly and counts as it says."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from infra.bench.locomo import Measured, main, recall_of, summary
from infra.bench.locomo_dataset import Item, Question, load, turn_ids

AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)

SET: list[dict[str, Any]] = [
    {
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bob",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": "I grow beans."},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Look", "blip_caption": "a photo"},
            ],
            "session_2_date_time": "1:00 am on 9 May, 2023",
        },
        "observation": {"session_1_observation": {"Ada": [["Ada grows beans.", ["D1:1", "D1:2"]]]}},
        "qa": [
            {"question": "What does Ada grow?", "evidence": ["D1:1"], "category": 4},
            {"question": "Nothing to find?", "evidence": [], "category": 4},
            {"question": "What was never said?", "evidence": ["D1:1"], "category": 5},
        ],
    }
]


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        (["D1:3"], {"D1:3"}),
        (["D8:6; D9:17"], {"D8:6", "D9:17"}),
        (["D9:1 D4:4", "D1:1"], {"D9:1", "D4:4", "D1:1"}),
        ("D22:10, D22:12", {"D22:10", "D22:12"}),
        (["D:11:26", "D30:05"], {"D11:26", "D30:5"}),
        (["D"], set()),
        ([], set()),
    ],
)
def test_malformed_evidence_is_read(evidence: object, found: set[str]) -> None:
    """Every way the set writes turn ids gives the turns it means."""
    assert turn_ids(evidence) == found


def test_the_set_is_read_as_its_own_code_renders_it(tmp_path: Path) -> None:
    """Turns carry speaker and caption; questions without evidence or of category 5 are left out."""
    file = tmp_path / "set.json"
    file.write_text(json.dumps(SET))
    (conversation,) = load(file)
    assert [turn.text for turn in conversation.turns] == [
        'Ada said, "I grow beans."',
        'Bob said, "Look" and shared a photo.',
    ]
    assert conversation.observations == (Item("Ada grows beans.", frozenset({"D1:1", "D1:2"}), AT),)
    assert [question.text for question in conversation.questions] == ["What does Ada grow?"]
    assert conversation.ended_at == AT


def test_recall_is_the_share_of_the_evidence_that_was_reached() -> None:
    """One of two evidence turns in the first five, both in the first ten."""
    items = [Item("", frozenset({f"D1:{n}"}), AT) for n in range(10)]
    question = Question("", frozenset({"D1:4", "D1:5"}), 1)
    measured = recall_of([f"mem_{n:05d}" for n in range(10)], items, question)
    assert measured == Measured(1, (0.5, 1.0, 1.0))


def test_the_summary_averages_over_questions() -> None:
    """Overall and for each category that has questions."""
    measured = [Measured(1, (1.0, 1.0, 1.0)), Measured(4, (0.0, 0.5, 1.0))]
    rows = summary({"turns": {"product": measured}})
    assert [(row["category"], row["questions"], row["recall@5"]) for row in rows] == [
        ("all", 2, 0.5),
        ("multi-hop", 1, 1.0),
        ("single-hop", 1, 0.0),
    ]


@pytest.mark.parametrize("arguments", [[], [""], ["no/such/file.json"]])
def test_an_absent_file_is_said_plainly(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The bench ends with 2 and a sentence, not with a trace."""
    assert main(arguments) == 2
    assert "Pass the path of a locomo10.json" in capsys.readouterr().out


def test_the_bench_runs_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On one conversation every ranking finds the one turn, and the results are written."""
    file = tmp_path / "set.json"
    file.write_text(json.dumps(SET))
    monkeypatch.chdir(tmp_path)
    assert main([str(file)]) == 0
    rows = json.loads((tmp_path / "bench-results" / "locomo.json").read_text())["rows"]
    overall = [row for row in rows if row["category"] == "all"]
    assert [row["recall@5"] for row in overall] == [1.0] * 8
    assert "turns, seed's rule" in capsys.readouterr().out
