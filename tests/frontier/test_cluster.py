"""A frontier in shards on a real Redis Cluster, while masters die and slots move."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest

from articlebot.frontier.audit import audit
from articlebot.frontier.crawl_log import read_log
from articlebot.shards import shard_of, shard_tag
from benchmarks.loopback import Plan, Site, overlaps
from tests.frontier.test_scheduler import finish, paths, start
from tests.runtime.fleet import Cluster

SHARDS, HOSTS, PAGES = 6, 8, 15
SETTINGS = {
    "ARTICLEBOT_FRONTIER_SHARDS": SHARDS,
    "ARTICLEBOT_DELAYS_MEAN_S": 0.25,
    "ARTICLEBOT_FRONTIER_IDLE_WAIT_S": 20,
}
TAGS = [shard_tag("{articlebot}", "frontier", number, SHARDS) for number in range(SHARDS)]
pytestmark = pytest.mark.xdist_group("fleet")


def seeds(site: Site) -> list[str]:
    return [site.url(host, page) for host in range(HOSTS) for page in range(PAGES)]


def tag_of(site: Site, host: str = "127.0.1.1") -> str:
    """The tag of the shard of a host, whose port belongs to its name."""
    return TAGS[shard_of(site.url(0).split("/")[2].replace("127.0.1.1", host), SHARDS)]


def until_begun(site: Site) -> None:
    while len(paths(site)) < 2 * HOSTS:
        time.sleep(0.05)


def test_a_shard_whose_master_dies_waits_alone(tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster, Site(Plan((PAGES,) * HOSTS, links=3), tmp_path) as site:
        masters = [cluster.master_of(tag).port for tag in TAGS]
        assert sorted(masters.count(port) for port in set(masters)) == [2, 2, 2]
        process = start(cluster.url, tmp_path, seeds(site), SETTINGS)
        until_begun(site)
        down = cluster.master_of(tag_of(site))
        down.kill()
        stats = finish(process, quiet=False)
        visits = [(at, end, host, path) for at, end, host, path in site.visits() if path.startswith("/p/")]
        assert len(set(paths(site))) == HOSTS * PAGES
        # What is in hand when a shard has another master is fetched once more: what it led to may be lost. Two have,
        # and a machine at its limits loses some leases besides.
        assert len(visits) <= HOSTS * (PAGES + 4)
        assert overlaps(visits) == 0
        assert audit(read_log([tmp_path / "logs"]), parents=False).too_close == 0
        assert stats["finish_reason"] == "finished"
        assert stats["articlebot/frontier/redis_away"] >= 1
        lost = {host for _, _, host, _ in visits if masters[TAGS.index(tag_of(site, host))] == down.port}
        starts = sorted(at for at, _, host, _ in visits if host in lost)
        pause = max(pairwise(starts), key=lambda pair: pair[1] - pair[0])
        assert pause[1] - pause[0] > 1.0
        assert len([at for at, _, host, _ in visits if host not in lost and pause[0] < at < pause[1]]) >= 5


def test_a_shard_that_moves_to_another_master_goes_on_there(tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster") as cluster, Site(Plan((PAGES,) * HOSTS, links=3), tmp_path) as site:
        process = start(cluster.url, tmp_path, seeds(site), SETTINGS)
        until_begun(site)
        giver = cluster.master_of(tag_of(site))
        taker = next(node for node in cluster.nodes if node.is_master() and node is not giver)
        for tag in TAGS:
            if cluster.master_of(tag) is giver:
                cluster.move(tag, taker)
        stats = finish(process, quiet=False)
        visits = site.visits()
        assert {cluster.master_of(tag) is giver for tag in TAGS} == {False}
    found = [f"{host}{path}" for _, _, host, path in visits if path.startswith("/p/")]
    assert len(set(found)) == HOSTS * PAGES
    assert len(found) <= HOSTS * (PAGES + 4)  # as above
    assert overlaps(visits) == 0
    assert audit(read_log([tmp_path / "logs"]), parents=False).too_close == 0
    assert stats["finish_reason"] == "finished"
