"""Two machines with a data folder each, one Redis and one PostgreSQL: what one learns, the other goes by."""

from __future__ import annotations

import json
from pathlib import Path

from tests.front_door.door import Door
from tests.front_door.site import SmallSite, news


def test_a_wrapper_that_one_machine_learned_reads_the_pages_of_the_other(
    tmp_path: Path, redis_url: str, postgresql_url: str
) -> None:
    stores = {"REDIS_URL": redis_url, "ARTICLEBOT_DATABASE_URL": postgresql_url}
    first, second = Door(tmp_path / "first"), Door(tmp_path / "second")
    early, pages = news(12), news(16)
    shown = dict(early)
    with SmallSite(shown) as site:
        jobs = str(first.file("jobs.toml", f'[[site]]\nname = "harbour"\nlist_pages = ["{site.url}/"]\n'))
        assert first.type("crawl", "--jobs", jobs, env=stores).returncode == 0
        # From the pages that the other machine has kept; the crawl may have ended before it came to that.
        assert second.type("learn", site.url.removeprefix("http://"), env=stores).returncode == 0
        (learned,) = first.json("wrappers", "list", env=stores)
        shown.update(pages)
        visit = second.type("frontier", "visit", f"{site.url}/", env=stores)
        assert visit.returncode == 0, visit.stderr
        assert second.type("crawl", "--jobs", jobs, env=stores).returncode == 0
        out = second.type("export", "--json", env=stores).stdout
        rows = [json.loads(line) for line in out.splitlines()]
    assert not list(tmp_path.glob("*/data/wrappers"))
    read_by = {row["url"].removeprefix(site.url): row["extractor"] for row in rows}
    assert read_by.keys() == pages.keys() - {"/"}
    for path in pages.keys() - early.keys():
        assert read_by[path].startswith(f"wrapper:{learned['site']}/v")
    assert second.type("wrappers", "forget", learned["site"], env=stores).returncode == 0
    assert first.json("wrappers", "list", env=stores) == []
