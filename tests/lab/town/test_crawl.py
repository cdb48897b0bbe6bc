"""What a user finds who names nothing but a site's address."""

from __future__ import annotations

from pathlib import Path

import pytest

from articlebot_lab.town.score import TARGETS
from articlebot_lab.town.server import Town
from benchmarks.town import crawl


@pytest.mark.parametrize("name", ["twins", "trs", "posted"])
def test_a_site_by_its_address_alone(name: str, tmp_path: Path) -> None:
    with Town(name) as town:
        told = crawl(town, name, 240.0, tmp_path)
    assert told["exit_code"] == 0, told["said"]
    assert told["found"] >= TARGETS["found"] * told["articles"], told
    assert (told["twice"], told["strangers"], told["disallowed"]) == (0, 0, 0), told
    assert (told["title"], told["body"], told["date"]) == (1.0, 1.0, 1.0), told
