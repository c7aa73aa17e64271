"""The evaluation and calibration commands on a small labelled set of our own."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memory.tenants.models import Tenant
from retrieval.cards.thresholds import get_thresholds
from retrieval.checks import check_pipeline
from retrieval.models import SpanThreshold
from retrieval.search.recipes import PARTS

SAYINGS = ["I parked on level three", "The cat is called Miso", "My locker code is 4711", "Tea from Assam is best"]
QUESTIONS = {"Where did I park?": 0, "What is the cat called?": 1, "locker code?": 2, "which tea is best": 3}


@pytest.fixture
def labelled(tmp_path: Path) -> dict[str, str]:
    messages = [
        {
            "id": f"m{n}",
            "role": "user",
            "speaker": "user",
            "session": "s",
            "text": text,
            "timestamp": f"2026-01-0{n + 1}T10:00:00Z",
        }
        for n, text in enumerate(SAYINGS)
    ]
    conversation = {"conversation_id": "c", "user_id": "u", "messages": messages}
    questions = [
        {"id": f"q{n}", "user_id": "u", "query": query, "evidence": [f"m{place}"], "category": "plain"}
        for n, (query, place) in enumerate(QUESTIONS.items())
    ]
    questions.append({"id": "none", "user_id": "u", "query": "unanswerable", "evidence": [], "category": "plain"})
    chats, asked = tmp_path / "chats.jsonl", tmp_path / "questions.jsonl"
    chats.write_text(json.dumps(conversation) + "\n", encoding="utf-8")
    asked.write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    return {"conversations": str(chats), "questions": str(asked)}


def run(name: str, labelled: dict[str, str], *more: str) -> str:
    out = StringIO()
    arguments = ["--conversations", labelled["conversations"], "--questions", labelled["questions"], *more]
    options = {} if name == "evaluate" else {"skip_checks": True}
    call_command(name, *arguments, stdout=out, **options)
    return out.getvalue()


def test_evaluation_prints_scores_and_leaves_nothing_behind(db, labelled: dict[str, str]):
    before = Tenant.objects.count()
    table = run("evaluate", labelled)
    scores = next(line for line in table.splitlines() if line.startswith("ALL")).split()
    assert scores[1] == "4"
    assert float(scores[3]) == 1.0
    assert Tenant.objects.count() == before


@pytest.mark.parametrize("more", [["--recipe", "rrf60"], ["--embedder", "none"], ["--one-user"], ["--sessions"]])
def test_evaluation_takes_other_recipes_embedders_and_groupings(db, labelled: dict[str, str], more: list[str]):
    assert "ALL" in run("evaluate", labelled, *more)


def test_evaluation_gates_on_recall(db, labelled: dict[str, str]):
    with pytest.raises(CommandError, match="below 1"):
        run("evaluate", labelled, "--min-recall", "1.1")


@pytest.mark.parametrize("floor", ["recall@10=0.9", "plain:mrr=0.5", "ndcg@10=0"])
def test_evaluation_passes_floors_that_hold(db, labelled: dict[str, str], floor: str):
    assert "ALL" in run("evaluate", labelled, "--floor", floor)


@pytest.mark.parametrize(
    ("floor", "said"),
    [
        ("recall@5=1.1", "recall@5 of ALL is 1.000, below 1.100"),
        ("plain:mrr=2", "mrr of plain"),
        ("other:mrr=0.1", "no questions of category other"),
        ("recall@7=0.1", "--floor takes"),
        ("mrr", "--floor takes"),
    ],
)
def test_evaluation_says_which_floor_is_broken_or_unknown(db, labelled: dict[str, str], floor: str, said: str):
    with pytest.raises(CommandError, match=said):
        run("evaluate", labelled, "--floor", floor)


def test_evaluation_prints_what_each_part_brings(db, labelled: dict[str, str]):
    table = run("evaluate", labelled, "--ablations")
    for part in PARTS:
        assert f"-without-{part} " in table


def test_a_failing_model_is_a_plain_sentence(db, labelled: dict[str, str]):
    with pytest.raises(CommandError, match="sentence_model_missing"):
        run("evaluate", labelled, "--embedder", '{"provider": "sentence", "package": "no_such_model"}')


def test_an_unknown_recipe_is_a_plain_sentence(db, labelled: dict[str, str]):
    with pytest.raises(CommandError, match="no recipe 'x'"):
        run("evaluate", labelled, "--recipe", "x")


def test_calibration_stores_thresholds_of_languages_with_enough_pairs(db, labelled: dict[str, str], monkeypatch):
    monkeypatch.setattr("retrieval.evaluation.calibration.MIN_PAIRS", 3)
    run("calibrate_guard", labelled, "--dry-run")
    assert SpanThreshold.objects.count() == 0
    printed = run("calibrate_guard", labelled)
    stored = get_thresholds(model_name="hashed-ngrams-3", dimensions=256).choose("en")
    assert f"hashed-ngrams-3 en {stored:.3f}" in printed


def test_precision_is_said_and_a_perfect_ranking_has_one(db, labelled: dict[str, str]):
    head, scores = (line.split() for line in run("evaluate", labelled).splitlines()[1:3])
    found = dict(zip(head[2:], map(float, scores[2:]), strict=True))
    assert (found["precision@r"], found["precision@5"]) == (1.0, 0.2)


def test_a_change_of_recipe_passes_the_gate_or_says_what_fell(
    db, labelled: dict[str, str], tmp_path: Path, settings, monkeypatch
):
    settings.UNDE_ACCEPTED_RECIPES = str(tmp_path / "own" / "accepted.json")
    monkeypatch.setattr(settings.UNDE_TUNING, "GATE_MIN_QUESTIONS", 4)
    baseline = tmp_path / "baseline.json"
    run("evaluate", labelled, "--write-baseline", str(baseline))
    assert "The gate is open" in run("evaluate", labelled, "--gate", str(baseline))
    assert "The gate is open" in run("evaluate", labelled, "--recipe", "rrf60", "--gate")
    settings.UNDE_RECIPE = "rrf60"
    assert [one.id for one in check_pipeline(None)] == ["retrieval.E005"]
    assert "is noted in" in run("evaluate", labelled, "--recipe", "rrf60", "--gate", "--accept")
    assert check_pipeline(None) == []
    higher = json.loads(baseline.read_text())
    higher["scores"]["ALL"]["precision@r"] = 1.02
    baseline.write_text(json.dumps(higher))
    with pytest.raises(CommandError, match=r"closed: precision@r of ALL: 1.020 > 1.000, which is more than 0.010 less"):
        run("evaluate", labelled, "--gate", str(baseline))
    assert "The gate is open" in run("evaluate", labelled, "--gate", str(baseline), "--allow", "0.02")
    Path(settings.UNDE_ACCEPTED_RECIPES).write_text("{")
    assert [one.id for one in check_pipeline(None)] == ["retrieval.E006"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--accept"], "go with --gate"),
        (["--gate", "--allow", "2"], "from 0 to 1"),
        (["--gate", "--accept", "--allow", "0.5"], "no more than"),
        (["--gate"], "cannot be held against itself"),
        (["--gate", "/no/such/file"], "no baseline"),
        (["--recipe", "rrf60", "--gate", "--accept"], "fewer than 30 questions"),
        (["--gate", "{other}"], "of another labelled set or embedder"),
    ],
)
def test_a_gate_that_proves_nothing_is_refused(db, labelled, tmp_path: Path, settings, more: list[str], said: str):
    settings.UNDE_ACCEPTED_RECIPES = str(tmp_path / "accepted.json")
    other = tmp_path / "other.json"
    run("evaluate", labelled, "--embedder", "none", "--write-baseline", str(other))
    with pytest.raises(CommandError, match=said):
        run("evaluate", labelled, *(each.format(other=other) for each in more))
    assert not (tmp_path / "accepted.json").exists()
