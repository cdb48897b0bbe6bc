"""Redis beyond one server, on loopback: a cluster of three masters with replicas, and a master that Sentinels watch."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from articlebot.runtime.redis_binary import find_server

SLOTS = 16384
NEVER = Retry(NoBackoff(), 0)


def port_pair() -> tuple[int, list[socket.socket]]:
    """A free loopback port of which the one 10,000 above, a cluster's bus, is free too; and what keeps them.

    Both stay bound without being listened at: a server may listen there all the same, and nobody else gets them.
    """
    while True:
        port, kept = random.randint(12000, 30000), [socket.socket(), socket.socket()]
        try:
            for place, one in enumerate(kept):
                one.bind(("127.0.0.1", port + 10_000 * place))
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        except OSError:
            for one in kept:
                one.close()
        else:
            return port, kept


def wait_for(what: Callable[[], Any], seconds: float = 300.0) -> Any:
    """The first true answer; errors of Redis count as false."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(redis.RedisError):
            if answer := what():
                return answer
        time.sleep(0.05)
    raise AssertionError("did not come true in time")


class Node:
    """One process of ``redis-server``."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.port, self._kept = port_pair()
        self.folder = folder
        self._arguments = arguments
        folder.mkdir(parents=True)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [find_server(), *self._arguments[:1], "--port", str(self.port), "--bind", "127.0.0.1",
                   "--dir", str(self.folder), "--logfile", str(self.folder / "log"), *self._arguments[1:]]  # fmt: skip
        self.process = subprocess.Popen([part for part in command if part], stdout=subprocess.DEVNULL)
        wait_for(lambda: self.ask("PING"))

    def kill(self) -> None:
        """kill -9."""
        if self.process is not None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def close(self) -> None:
        """Ends it for good, and gives its ports back."""
        self.kill()
        for one in self._kept:
            one.close()

    def in_step(self) -> bool:
        """Whether a replica has all that this master has: what is not there is lost when it is killed."""
        told = self.ask("INFO", "replication")
        offsets = [told[f"slave{number}"]["offset"] for number in range(told["connected_slaves"])]
        return told["master_repl_offset"] in offsets

    def ask(self, *command: Any) -> Any:
        with redis.Redis(port=self.port, socket_timeout=5, retry=NEVER, decode_responses=True) as client:
            return client.execute_command(*command)

    def is_master(self) -> bool:
        return bool(self.ask("ROLE")[0] == "master")


class _Fleet:
    nodes: list[Node]

    def __exit__(self, *error: object) -> None:
        for node in self.nodes:
            node.close()


class Cluster(_Fleet):
    """Masters, each with a replica if so; the slots of the others are served while one is away."""

    def __init__(self, folder: Path, masters: int = 3, replicas: bool = True) -> None:
        self._masters = masters
        self.nodes = [
            Node(folder / str(number), "", "--cluster-enabled", "yes", "--cluster-node-timeout", "1500", "--save", "",
                 "--appendonly", "yes", "--repl-diskless-sync-delay", "0", "--cluster-replica-validity-factor", "0",
                 "--cluster-require-full-coverage", "no")
            for number in range(masters * (1 + replicas))
        ]  # fmt: skip

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes[: self._masters])

    def __enter__(self) -> Cluster:
        for number, node in enumerate(self.nodes):
            node.start()
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            if number < self._masters:
                first, end = (place * SLOTS // self._masters for place in (number, number + 1))
                node.ask("CLUSTER", "ADDSLOTS", *range(first, end))
            self.nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", node.port)
        names = [node.ask("CLUSTER", "MYID") for node in self.nodes]
        for node in self.nodes:
            wait_for(lambda node=node: _handshaken(node) == len(self.nodes))  # type: ignore[misc]
        for node, name in zip(self.nodes[self._masters :], names, strict=False):
            node.ask("CLUSTER", "REPLICATE", name)
        for node in self.nodes[self._masters :]:
            wait_for(lambda node=node: node.ask("INFO", "replication")["master_link_status"] == "up")  # type: ignore[misc]
        for node in self.nodes:
            wait_for(lambda node=node: node.ask("CLUSTER INFO")["cluster_state"] == "ok")  # type: ignore[misc]
        return self

    def master_of(self, key: str) -> Node:
        """The node that has a key."""
        living = [node for node in self.nodes if node.process]
        slot = living[0].ask("CLUSTER", "KEYSLOT", key)
        return next(node for node in living if node.is_master() and any(a <= slot <= b for a, b in _own_ranges(node)))

    def move(self, key: str, to: Node) -> None:
        """Gives the slot of a key, and all that is in it, to another master, as ``redis-cli --cluster`` does."""
        giver, slot = self.master_of(key), self.nodes[0].ask("CLUSTER", "KEYSLOT", key)
        names = {node: node.ask("CLUSTER", "MYID") for node in (giver, to)}
        to.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", names[giver])
        giver.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", names[to])
        with redis.Redis(port=giver.port) as client:
            while keys := client.execute_command("CLUSTER GETKEYSINSLOT", slot, 100):
                client.execute_command("MIGRATE", "127.0.0.1", to.port, "", 0, 5000, "KEYS", *keys)
        for node in (to, giver):
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", names[to])


class Watched(_Fleet):
    """A master with a replica and three Sentinels; a careful one takes no changes without a replica."""

    def __init__(self, folder: Path, *, careful: bool = False) -> None:
        plain: tuple[str, ...] = ("", "--save", "", "--appendonly", "yes", "--repl-diskless-sync-delay", "0")
        if careful:
            plain += ("--min-replicas-to-write", "1", "--min-replicas-max-lag", "3")
        self.servers = [Node(folder / "a", *plain), Node(folder / "b", *plain)]
        self.sentinels = []
        for number in range(3):
            file = folder / f"s{number}.conf"
            folder.mkdir(exist_ok=True)
            file.write_text(
                f"sentinel monitor news 127.0.0.1 {self.servers[0].port} 2\n"
                "sentinel down-after-milliseconds news 3000\nsentinel failover-timeout news 10000\n"
            )
            self.sentinels.append(Node(folder / f"s{number}", str(file), "--sentinel"))
        self.nodes = [*self.servers, *self.sentinels]

    @property
    def url(self) -> str:
        return "redis+sentinel://" + ",".join(f"127.0.0.1:{node.port}" for node in self.sentinels) + "/news/0"

    def __enter__(self) -> Watched:
        for node in self.servers:
            node.start()
        self.servers[1].ask("REPLICAOF", "127.0.0.1", self.servers[0].port)
        wait_for(lambda: self.servers[1].ask("INFO", "replication")["master_link_status"] == "up")
        for node in self.sentinels:
            node.start()
        for node in self.sentinels:
            wait_for(lambda node=node: _seen(node) == (1, 2))  # type: ignore[misc]
        return self

    def master(self) -> Node:
        found: Node = wait_for(lambda: next((node for node in self.servers if node.process and node.is_master()), None))
        return found


def _seen(node: Node) -> tuple[int, int]:
    """Replicas and other Sentinels that a Sentinel knows."""
    with redis.Redis(port=node.port, retry=NEVER) as client:
        state = client.sentinel_master("news")
        return state["num-slaves"], state["num-other-sentinels"]


def _handshaken(node: Node) -> int:
    answer = node.ask("CLUSTER NODES")
    return sum("handshake" not in state["flags"] for state in answer.values())


def _own_ranges(node: Node) -> list[tuple[int, int]]:
    for state in node.ask("CLUSTER NODES").values():
        if "myself" in state["flags"]:
            return [(int(part[0]), int(part[-1])) for part in state["slots"]]
    return []
