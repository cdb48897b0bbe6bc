"""What the driver knows by itself: which downloads ran when, which pages were read, what Redis was told and kept."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from articlebot.shards import shard_of
from articlebot.urls import subdomain
from articlebot_lab.simulation.servers import Written

# Times are sent with six digits.
_ROUNDING_S = 2e-6
# The share of its lease that a worker keeps clear of (``contact.py``): what Redis may forget without harm.
_SPARE = 0.04


@dataclass(eq=False, slots=True)
class Download:
    """One request on the wire.

    Args:
        worker: that sent it.
        url, host: of the page; under adjacency `slot` the slot stands for the host.
        parent: hash of its parent, 0 for none.
        begun_at: when, in virtual time.
        answered: is done when the site has answered.
        status: of the answer; 0 for a refused connection.
        excused: what Redis has forgotten, or its clock, may have given the host to another worker.
    """

    worker: Any
    url: str
    host: str
    parent: int
    begun_at: float
    answered: asyncio.Future[None]
    status: int = 200
    excused: bool = False


@dataclass(slots=True)
class _Lasts:
    at: float
    worker: str


@dataclass(slots=True)
class Book:
    """The books of a schedule.

    Args:
        lease_s, least_s: of its settings: the workers' lease, and the shortest delay.
        shared: first parts of the keys of each shard.
        parents: whether pages of one parent keep apart.

    Attributes:
        wrong: what was found to be so.
        active: downloads that the sites have not answered.
        heard: when each shard last heard of each worker.
        read: how often the callback of a page ended well; ``given_up``: those that were faulty the last time.
        begun: how many downloads there were of each page.
        acked: requests by id, with the place in the log where Redis was told that they are done.
    """

    lease_s: float
    least_s: float
    shared: Sequence[str]
    parents: bool
    wrong: list[str] = field(default_factory=list)
    active: list[Download] = field(default_factory=list)
    heard: dict[tuple[str, str], float] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    given_up: set[str] = field(default_factory=set)
    begun: dict[str, int] = field(default_factory=dict)
    acked: dict[bytes, int] = field(default_factory=dict)
    _jumped_until: float = 0.0
    _said: dict[bytes, int] = field(default_factory=dict)
    _starts: dict[str, _Lasts] = field(default_factory=dict)
    _forgotten: set[tuple[str, str]] = field(default_factory=set)
    _shaken: dict[str, float] = field(default_factory=dict)
    _hosts: dict[bytes, str] = field(default_factory=dict)

    # -- downloads ----------------------------------------------------------------------------------------------------

    def begins(self, download: Download, now: float) -> None:
        """A worker asks a site."""
        # Redis does not know of this lease any more, and may give its host to another before they have compared.
        if (download.worker.name, download.url) in self._forgotten:
            self._shaken[download.host] = now + self.lease_s
        # What is said of the forgotten lease may act on the next one of the same page.
        download.excused = now < self._shaken.get(download.host, 0.0)
        for other in self.active:
            shared = "host" if other.host == download.host else "parent"
            if shared == "parent" and not (
                self.parents and other.parent == download.parent != 0 and self._shard(other) == self._shard(download)
            ):
                continue
            if not (other.excused or download.excused) and not self._is_beyond_its_lease(other, now):
                self.wrong.append(
                    f"two at one {shared}: {download.worker.name} begins {download.url} while {other.worker.name} "
                    f"has {other.url}"
                )
        last = self._starts.get(download.host)
        if (
            last is not None
            and not download.excused
            and now > self._jumped_until
            and download.begun_at < last.at + self.least_s - _ROUNDING_S
        ):
            self.wrong.append(
                f"too soon: {download.worker.name} begins {download.url} {now - last.at:.3f} s after {last.worker}"
            )
        if download.excused:
            self._starts.pop(download.host, None)
        else:
            self._starts[download.host] = _Lasts(now, download.worker.name)
        self.begun[download.url] = self.begun.get(download.url, 0) + 1
        self.active.append(download)

    def _is_beyond_its_lease(self, download: Download, now: float) -> bool:
        """A process that stands still cannot end its download; others may come when its lease is over."""
        heard = self.heard[download.worker.name, self._shard(download)]
        return bool(download.worker.frozen_until > now >= heard + self.lease_s)

    def _shard(self, download: Download) -> str:
        return self.shared[shard_of(subdomain(download.url), len(self.shared))]

    def ends(self, download: Download) -> None:
        """It was answered, or its worker gave up or died."""
        if download in self.active:
            self.active.remove(download)

    def dies(self, worker: Any) -> None:
        """A worker's connections are gone."""
        self.active = [one for one in self.active if one.worker is not worker]

    def clock_jumps(self, now: float) -> None:
        """Delays and leases of what goes on now are measured by another clock, until all workers have heard of it."""
        self._jumped_until = now + self.lease_s
        self._starts.clear()
        for one in self.active:
            one.excused = True

    # -- what Redis is told -------------------------------------------------------------------------------------------

    def told(self, entry: Written, place: int, now: float) -> None:
        """A command was executed; ``place`` in the log."""
        name, words = entry.words[0], entry.words
        if name in (b"take", b"reap", b"reconcile"):
            self.heard[words[3].decode(), entry.shared] = now
        if name == b"take":
            for row in entry.reply[7]:
                self._forgotten.discard((words[3].decode(), url_of(row[1])))
                slot = row[6].decode()
                number = int(slot[1:]) * len(self.shared) + self.shared.index(entry.shared) if slot[:1] == "#" else 0
                self._hosts[row[0]] = f"slot {number}" if number else slot
        elif name == b"settle":
            unknown = list(entry.reply[1])
            for i in range(8, len(words), 4) if entry.reply[0] else ():
                operation, member = words[i], words[i + 1]
                if member in unknown:
                    unknown.remove(member)
                elif operation == b"ack":
                    self._said[_id(member)] = place

    def kept(self, records: Collection[bytes]) -> None:
        """What Redis still has after it was told, because a restart put it in doubt; it is done with the rest."""
        for identity, place in self._said.items():
            if identity not in records:
                if len(identity) == 8 and identity in self.acked:
                    self.wrong.append(f"acknowledged twice: {identity.hex()}")
                self.acked[identity] = place
        self._said.clear()

    def forgotten(self, lost: Sequence[Written], keep: int, seconds: float) -> None:
        """Redis came back without these commands."""
        self.acked = {identity: place for identity, place in self.acked.items() if place < keep}
        touched: set[bytes] = set()
        everything = seconds > _SPARE * self.lease_s
        for entry in lost:
            if entry.words[0] == b"take":
                touched |= {row[0] for row in entry.reply[7]}
                self._forgotten |= {(entry.words[3].decode(), url_of(row[1])) for row in entry.reply[7]}
            elif entry.words[0] == b"settle":
                touched |= set(entry.words[9::4])
            elif entry.words[0] in (b"reap", b"reconcile"):
                everything = everything or bool(entry.reply and entry.reply[0])
        hosts = {self._hosts.get(member, "") for member in touched}
        for host in [one for one in self._starts if everything or one in hosts]:
            del self._starts[host]
        for one in self.active:
            one.excused = one.excused or everything or one.host in hosts


def url_of(record: bytes) -> str:
    """The address in a stored request."""
    return record.partition(b'"u":"')[2].partition(b'"')[0].decode()


def _id(member: bytes) -> bytes:
    return member[:-8] if len(member) in (16, 22) else member
