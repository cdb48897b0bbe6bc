from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def judge(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scrapy", "classify", "judge", str(folder / "topic.toml"), *arguments]
    environment = {**os.environ, "ARTICLEBOT_DATA_DIR": str(folder)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=500)


def test_answers_from_a_file_move_the_threshold(tmp_path: Path) -> None:
    (tmp_path / "topic.toml").write_text('name = "cup"\nkeywords = ["goal"]\n', encoding="utf-8")
    rows = [{"text": "x", "relevance": r, "relevant": r > 0.3} for r in (0.1, 0.2, 0.4, 0.5)]
    labels = tmp_path / "labels.jsonl"
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    figures = json.loads(judge(tmp_path, "--labels", str(labels), "--json").stdout)
    assert (figures["judged"], figures["relevant"], figures["threshold"]) == (4, 2, 0.3)
    figures = json.loads(judge(tmp_path, "--labels", str(labels), "--json", "--rule", "design").stdout)
    assert (figures["threshold_before"], figures["threshold"], figures["rounds"]) == (0.3, 0.27, 2)
    labels.write_text('{"text": "x"}\n', encoding="utf-8")
    wrong = judge(tmp_path, "--labels", str(labels))
    assert wrong.returncode == 2
    assert "row 1: relevant: expected true or false" in wrong.stdout + wrong.stderr
