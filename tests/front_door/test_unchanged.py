"""What a site states of its pages decides whether they are downloaded, where it has proved true."""

from __future__ import annotations

import json
from itertools import count

from tests.front_door.door import Door
from tests.front_door.site import Page, Reply, SmallSite, article, news

_STATED = {"Last-Modified": "Fri, 20 Nov 2026 10:00:00 GMT"}


def test_downloads_are_stopped_where_headers_tell_of_no_change_and_sites_do_not_lie(door: Door) -> None:
    turns = count(100)

    def lie() -> Reply:
        return Reply(article(f"Report with edition {next(turns)} of the town", paragraphs=90), headers=_STATED)

    honest: dict[str, Page] = {}
    for path, page in news(4).items():
        long = article(f"Long report from {path}", paragraphs=90)
        honest[path] = page if path == "/" else Reply(long, headers=_STATED)  # never a 304
    lying: dict[str, Page] = {path: page if path == "/" else lie for path, page in news(2).items()}
    with SmallSite(honest) as true, SmallSite(lying) as false:
        elsewhere = false.url.replace("127.0.0.1", "localhost")
        every = "interval = 1\nmin_interval = 1\nmax_interval = 2\n"
        jobs = "".join(
            f'[[site]]\nname = "{name}"\nlist_pages = ["{url}/"]\n{every}'
            for name, url in (("honest", true.url), ("lying", elsewhere))
        )
        crawl = ("crawl", "article", "-a", f"jobs={door.file('jobs.toml', jobs)}", "-a", "seconds=20")
        often = {
            "ARTICLEBOT_RECRAWL_MIN_INTERVAL": "0.3", "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "1",
            "ARTICLEBOT_FRONTIER_LIST_PARENTS": "1",
        }  # fmt: skip
        assert door.type(*crawl, env=often).returncode == 0
        revisits = sum(len(true.hits_of(path)) - 1 for path in honest if path != "/")
    stats = json.loads((door.data / "last-run.json").read_text())["stats"]
    saved = door.json("status")["last_run"]["saved"]
    # The first six and then some are downloaded to see whether it is true; no lie was believed.
    assert 0.2 * revisits <= stats["articlebot/recrawl/stopped"] == saved["downloads"] < revisits
    assert saved["bytes"] >= saved["downloads"] * 20_000
    # Each list page is the parent of what it named.
    logged = [json.loads(line) for path in (door.data / "logs").glob("*") for line in path.read_text().splitlines()]
    assert len({row["p"] for row in logged if "p" in row}) == 2
    versions = [row["version"] for row in door.archived() if "localhost" in row["url"]]
    assert min(versions) > 3, versions
