"""The newsroom crawled by two workers on a cluster, and on a master that Sentinels watch, while masters are killed."""

from __future__ import annotations

import itertools
import os
import time
from pathlib import Path
from typing import Any

import pytest

from articlebot.config import Config
from articlebot_lab.soak import Soak, soak
from tests.lab.soak.test_soak import _tails
from tests.runtime.fleet import Cluster, Node, Watched, wait_for

pytestmark = pytest.mark.skipif("ARTICLEBOT_TEST_LONG" not in os.environ, reason="minutes: set ARTICLEBOT_TEST_LONG=1")


class StruckCluster:
    """Kills the master of one store after the other; it comes back as a replica."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._turns = itertools.cycle(("frontier", "recrawl", "nd"))

    @property
    def url(self) -> str:
        return self._cluster.url

    def strike(self, lasts: float) -> None:
        node = self._cluster.master_of(f"{{articlebot:{next(self._turns)}}}")
        node.kill()
        time.sleep(lasts + 4)  # until another has taken its place
        _back(node)


class StruckMaster:
    """Kills the master; it comes back as a replica."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched

    @property
    def url(self) -> str:
        return self._watched.url

    def strike(self, lasts: float) -> None:
        node = self._watched.master()
        node.kill()
        self._watched.master()  # another has taken its place
        _back(node)


def _back(node: Node) -> None:
    node.start()
    wait_for(lambda: node.ask("INFO", "replication").get("master_link_status") == "up")


def _held(report: dict[str, Any], folder: Path) -> None:
    failed = [f"{one['name']}: {one['figure']}" for one in report["checks"] if one["good"] is False]
    assert not failed, (report["missed"], _tails(folder))
    assert report["faults"]["redis"] >= 2


@pytest.mark.xdist_group("fleet")
@pytest.mark.parametrize("shards", [1, 6])
def test_a_crawl_on_a_cluster_outlives_its_masters(tmp_path: Path, shards: int) -> None:
    with Cluster(tmp_path / "cluster") as cluster:
        wanted = Soak(seconds=40, folder=tmp_path / "soak", sites=4, kinds=("redis",))
        config = Config.model_validate({"frontier": {"shards": shards}})
        _held(soak(wanted, config, StruckCluster(cluster)), tmp_path / "soak")


@pytest.mark.xdist_group("fleet")
def test_a_crawl_under_sentinels_outlives_its_masters(tmp_path: Path) -> None:
    with Watched(tmp_path / "watched", careful=True) as watched:
        wanted = Soak(seconds=40, folder=tmp_path / "soak", sites=3, kinds=("redis",))
        _held(soak(wanted, Config(), StruckMaster(watched)), tmp_path / "soak")
