"""A backup of a crawl, and the crawl that goes on from it."""

from __future__ import annotations

import shutil
import signal
import tarfile
from pathlib import Path

from tests.front_door.door import Door, wait_for
from tests.front_door.site import SmallSite, article, front, news
from tests.runtime.fleet import Cluster


def test_a_crawl_goes_on_from_its_backup_and_loses_and_doubles_nothing(door: Door) -> None:
    pages = news(12)
    file = door.folder / "kept" / "crawl.tar.gz"
    with SmallSite(pages) as site:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/"]\n')
        crawl = ("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle")
        assert door.type(*crawl).returncode == 0
        told = door.json("backup", str(file))
        assert told["keys"] > 10
        assert told["left_out"] == {}
        assert door.type("backup", str(file)).returncode == 2
        # A crawl between: three new articles, which the backup does not know.
        late = {f"/2026/11/21/late-{n}.html": f"Late report number {n} from the harbour town" for n in range(3)}
        pages |= {path: article(title) for path, title in late.items()}
        pages["/"] = front({**dict.fromkeys(list(pages)[1:13], "An older report of the town"), **late})
        site.pages.update(pages)
        door.type("frontier", "visit", f"{site.url}/")
        assert door.type(*crawl).returncode == 0
        assert len(door.archived()) == 15

        refused = door.type("restore", str(file))
        assert (refused.returncode, "--replace" in refused.stderr) == (2, True)
        within = shutil.copy(file, door.data / "own.tar.gz")
        done = door.type("restore", str(within), "--replace")
        assert (done.returncode, within.exists()) == (0, True), done.stderr
        assert len(door.archived()) == 12
        asked = len(site.hits)
        # On another machine, so to speak: an empty folder, and a Redis that knows nothing.
        shutil.rmtree(door.data)
        assert door.type("restore", str(file)).returncode == 0
        door.type("frontier", "visit", f"{site.url}/")
        assert door.type(*crawl).returncode == 0
        rows = [row["url"].removeprefix(site.url) for row in door.archived()]
        assert sorted(rows) == sorted(path for path in pages if path != "/")
        assert {hit.path for hit in site.hits[asked:]} - {"/robots.txt", "/.well-known/tdmrep.json"} == {"/", *late}


def test_a_cluster_is_left_out_and_left_alone_and_no_other_store_is_taken_for_it(door: Door, tmp_path: Path) -> None:
    file, whole = door.folder / "files.tar.gz", door.folder / "whole.tar.gz"
    with SmallSite(news(2)) as site, Cluster(tmp_path / "cluster") as cluster:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/"]\n')
        crawl = ("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle")
        shared = {"REDIS_URL": cluster.url}
        assert door.type(*crawl, env=shared).returncode == 0
        done = door.type("backup", str(file), env=shared)
        assert (done.returncode, "left out: redis" in done.stdout) == (0, True), done.stderr
        known = door.json("status", env=shared)["pages"]["known"]
        assert door.type("restore", str(file), "--replace", env=shared).returncode == 0
        assert door.json("status", env=shared)["pages"]["known"] == known > 0
        assert len(door.archived()) == 2

        assert door.type(*crawl).returncode == 0
        assert door.type("backup", str(whole)).returncode == 0
        refused = door.type("restore", str(whole), "--replace", env=shared)
        assert (refused.returncode, "Redis Cluster" in refused.stderr) == (2, True)
        other = {"ARTICLEBOT_DATABASE_URL": "postgresql+psycopg://nobody@127.0.0.1:9/none"}
        refused = door.type("restore", str(whole), "--replace", env=other)
        assert (refused.returncode, "another database" in refused.stderr) == (2, True)
        assert len(door.archived()) == 2


def test_what_is_no_backup_is_refused_and_nobody_at_work_is_disturbed(door: Door) -> None:
    wrong = door.file("wrong.tar.gz", "not a file of this kind")
    with tarfile.open(door.folder / "evil.tar.gz", "w:gz") as tar:
        tar.add(wrong, "data/../../escaped")
    nothing = door.type("backup", str(door.folder / "nothing.tar.gz"))
    assert (nothing.returncode, "hold no crawl: ARTICLEBOT_DATA_DIR" in nothing.stderr) == (2, True), nothing.stderr
    assert not (door.folder / "nothing.tar.gz").exists()
    cases = ((wrong, "no backup"), (door.folder / "none", "no such file"), (door.folder / "evil.tar.gz", "no backup"))
    for path, said in cases:
        done = door.type("restore", str(path))
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    with SmallSite(news(3)) as site:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/"]\n')
        running = door.begin("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=forever")
        try:
            wait_for(lambda: len(site.hits) >= 4)
            # While it works everything can be kept, and nothing put back.
            assert door.type("backup", str(door.folder / "b.tar.gz")).returncode == 0
            within = door.data / "own.tar.gz"
            assert door.type("backup", str(within)).returncode == 0
            with tarfile.open(within) as tar:
                assert not [name for name in tar.getnames() if within.name in name or "redis.bin" in name[5:]]
            done = door.type("restore", str(door.folder / "b.tar.gz"), "--replace")
            assert (done.returncode, "is at work" in done.stderr) == (2, True), done.stderr
        finally:
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=300)
