"""A Redis that becomes a replica under a running crawl, as after a fail-over."""

from __future__ import annotations

import time
from pathlib import Path

from tests.front_door.door import Door, wait_for
from tests.front_door.server import redis_server
from tests.front_door.site import SmallSite, news

_COUNT = 60


def test_a_crawl_waits_while_its_redis_only_reads_and_says_once_what_to_name(tmp_path: Path) -> None:
    door = Door(tmp_path)
    url = f"unix://{tmp_path}/own.sock"
    with redis_server(tmp_path) as client, SmallSite(news(_COUNT)) as site:
        begun = ("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        with door.begin(*begun, env={"REDIS_URL": url}) as crawl:
            wait_for(lambda: len(site.hits) > _COUNT // 2 or crawl.poll() is not None)
            client.execute_command("REPLICAOF", "127.0.0.1", "1")
            asked = len(site.hits)
            time.sleep(3)
            assert len(site.hits) - asked <= 1
            done = door.type("frontier", "requeue", "--all", env={"REDIS_URL": url})
            assert (done.returncode, "is a replica for now" in done.stderr) == (75, True), done.stderr
            client.execute_command("REPLICAOF", "NO", "ONE")
            said = crawl.communicate(timeout=300)[1]
        assert crawl.returncode == 0, said[-3000:]
        waits = [line for line in said.splitlines() if "the crawl waits" in line]
        assert len(waits) == 1, said[-3000:]
        assert "is a replica for now, and only reads; name its master" in waits[0]
        assert len(door.archived()) == _COUNT
        # What was in hand may be fetched once more.
        assert max(len(site.hits_of(path)) for path in site.pages) <= 2
