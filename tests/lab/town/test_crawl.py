"""What a user finds who names nothing but a site's address."""

from __future__ import annotations

from pathlib import Path

import pytest

from articlebot_lab.town.server import Town
from benchmarks.town import crawl

# Of what was measured (docs/benchmarks.md); they only rise.
FOUND = {"twins": 6, "members": 5}


@pytest.mark.parametrize("name", FOUND)
def test_a_site_by_its_address_alone(name: str, tmp_path: Path) -> None:
    with Town(name) as town:
        told = crawl(town, name, 120.0, tmp_path)
    assert told["exit_code"] == 0, told["said"]
    assert told["found"] >= FOUND[name], told
    assert (told["twice"], told["disallowed"]) == (0, 0), told
    assert (told["title"], told["body"], told["date"]) == (1.0, 1.0, 1.0), told
