"""Small forms of the faults of ``benchmarks/faults.py``: real processes, real kills."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SMALL = "--pages 40 --hosts 5 --delay 0.4 --kills 2 --pause 0.8 --timeout 300 --lease-s 2 --log-level CRITICAL --json"


@pytest.mark.parametrize(
    ("fault", "shards"), [("worker_kills", "1"), ("worker_kills", "4"), ("redis_kills", "4"), ("frozen_worker", "1")]
)
def test_a_crawl_survives(fault, shards):
    command = [sys.executable, "-m", "benchmarks.faults", "--faults", fault, "--shards", shards, *SMALL.split()]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)[fault]
    assert result["ended"]
    assert result["fetched"] == result["published"] == result["pages_expected"] == 40
    assert result["published_twice"] == 0
    assert result["overlaps"] == 0
