"""Each command that prints figures of the docs, on little: it still runs, and what it prints is JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Not here: what other tests run (faults, focused, recrawl_signals, replay, taxonomy, town), what needs the extra
# `bench` (train_*, readings beside peers), and what takes long (neardup*, pipeline, recrawl*, redesigns).
ALONE = (
    "adjacency --hosts 30 --urls 600 --due 200 --delays 3 --pages 20",
    "archive --articles 100 --seconds 0.05",
    "console --articles 200 --requests 1 --seconds 0.1",
    "memory --urls 2000",
    "neardup_index --sizes 300 --lookups 20",
    "pace --pages 2 --runs 1 --mean 0.1",
    "proxies --proxies 12 --sites 4",
    "queue --pages 100 --hosts 5 --systems articlebot",
    "shards --hosts 8 --pages 4 --polite-hosts 8 --seconds 1 --marks 1000",
    "slots --sites 6 --largest 6 --systems articlebot",
)
OF_THE_CORPUS = (
    "batch --pages 10 --texts 200 --compared 50",
    "extraction --sample 1 --peers articlebot",
    "fields --sets big9 --sample 60",
    "fingerprint --texts 10 --rounds 1",
    "wrappers --sets big9 --sites 1 --no-peers",
)


def run(line: str, **environment: str) -> None:
    name, *options = line.split()
    command = [sys.executable, "-m", f"benchmarks.{name}", *options, *([] if name == "proxies" else ["--json"])]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, timeout=1200, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout)


@pytest.mark.parametrize("line", ALONE, ids=lambda line: line.split()[0])
def test_runs(line: str) -> None:
    run(line)


@pytest.mark.parametrize("line", OF_THE_CORPUS, ids=lambda line: line.split()[0])
def test_runs_on_the_corpus(corpus: Path, line: str) -> None:
    run(line, ARTICLEBOT_CORPUS=str(corpus))
