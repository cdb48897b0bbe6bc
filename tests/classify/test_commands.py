from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.xdist_group("classify")
ROWS = [
    ("goal striker league", "sport"),
    ("stock bank bond", "finance"),
    ("进球 足球", "sport"),
    ("股市 央行", "finance"),
]


def scrapy(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(command, cwd=ROOT, input=stdin, capture_output=True, text=True, check=False, timeout=500)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    rows = [{"text": f"{text} {i}", "label": label} for i in range(10) for text, label in ROWS]
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run = scrapy("classify", "train", str(folder / "data.jsonl"), "--out", str(folder / "model"), "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["bytes"] == (folder / "model").stat().st_size
    assert report["held_out"]["accuracy"] == 1.0
    assert "round" in run.stderr
    return folder


def test_classify_scores_and_writes(folder: Path) -> None:
    out = folder / "out.jsonl"
    run = scrapy(
        "classify", "--model", str(folder / "model"), "--data", str(folder / "data.jsonl"), "--json", "--out", str(out)
    )
    figures = json.loads(run.stdout)
    assert figures["accuracy"] == figures["accuracy_at_90_coverage"] == 1.0
    assert figures["texts_per_s"] > 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 40
    assert all(row["likeliest"] == row["expected"][0] for row in rows)


def test_label_corrects_from_answers(folder: Path) -> None:
    texts, corrections = folder / "texts.jsonl", folder / "corrections.jsonl"
    texts.write_text('{"text": "chess opening"}\n{"text": "goal league"}\n', encoding="utf-8")
    run = scrapy(
        "classify", "label", str(folder / "model"), str(corrections), "--ask", str(texts),
        "--out", str(folder / "model2"), "--new-classes", "--json", stdin="chess\ns\n",
    )  # fmt: skip
    figures = json.loads(run.stdout)
    assert (figures["corrections"], figures["right_before"], figures["right_after"], figures["classes"]) == (1, 0, 1, 3)


@pytest.mark.parametrize("command", ["train", "", "label"])
def test_errors_are_exit_code_2_with_line_and_reason(folder: Path, command: str) -> None:
    bad = folder / "bad.jsonl"
    bad.write_text('{"text": "t", "label": "sport"}\n{"label": "sport"}\n', encoding="utf-8")
    arguments = {
        "train": [str(bad), "--out", str(folder / "never")],
        "": ["--data", str(bad)],
        "label": [str(folder / "model"), str(bad)],
    }[command]
    run = scrapy("classify", *filter(None, [command]), *arguments)
    assert run.returncode == 2
    assert f"{bad}:2: text: missing" in run.stdout + run.stderr
    assert not (folder / "never").exists()
