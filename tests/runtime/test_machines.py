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


def test_what_a_database_that_stays_has_delivered_stays_too(tmp_path: Path, postgresql_url: str) -> None:
    door, pages = Door(tmp_path), news(4)
    file = door.folder / "b.tar.gz"
    env = {"ARTICLEBOT_DATABASE_URL": postgresql_url}
    with SmallSite({path: pages[path] for path in list(pages)[:3]}) as site:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/"]\n')
        crawl = ("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle")
        assert door.type(*crawl, env=env).returncode == 0
        assert door.type("backup", str(file), env=env).returncode == 0
        site.pages.update(pages)
        door.type("frontier", "visit", *(f"{site.url}{path}" for path in pages), env=env)
        assert door.type(*crawl, env=env).returncode == 0
        assert door.type("restore", str(file), "--replace", env=env).returncode == 0
        assert door.type(*crawl, env=env).returncode == 0
    published = (door.data / "published" / "articles.jsonl").read_text().splitlines()
    assert len(published) == len(set(published)) == len(door.type("export", "--json", env=env).stdout.splitlines()) == 4
