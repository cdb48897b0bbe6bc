"""Whether a simulated run is one of the model: each script that ran is a step of it, and both come out the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from articlebot_lab.model.rules import BUSY, DONE, LEASED, QUARANTINED, QUEUED, RESTS, UNSEEN, Rules, Server
from articlebot_lab.simulation import Outcome, Plan, Servers, run
from articlebot_lab.simulation.rules import Stored
from articlebot_lab.simulation.servers import Written

_RUN = 1e15
# Times are written with six digits.
_ROUNDING_S = 2e-6


class Point(NamedTuple):
    """Where the model is.

    Attributes:
        heard_at: when Redis last heard of each worker that it knows, in its own time.
        compared: the number of its last comparison.
    """

    server: Server
    heard_at: dict[int, float]
    compared: dict[int, int]


class Refused(Exception):
    """A step that the model does not have."""


def follow(plan: Plan, servers: Servers) -> Outcome:
    """Plays a schedule; what is not as the model has it counts as wrong."""
    return run(plan, servers, Follower(plan, servers).look)


class Follower:
    """The model beside a run."""

    def __init__(self, plan: Plan, servers: Servers) -> None:
        self._servers, self._adjacency = servers, plan.adjacency
        self._pages: dict[bytes, int] = {}  # members, and their places in the model
        self._keys: dict[bytes, int] = {}
        self._workers: dict[bytes, int] = {}
        self._keys_of: list[tuple[int, ...]] = []
        self._rules = Rules(self._keys_of)
        self._checked: list[Written] = []
        # After each command; a restart goes back to one of them.
        self._points = [Point(Server("", "", (), ()), {}, {})]
        self._stored = Stored.of({})

    @property
    def steps(self) -> int:
        """Commands that were followed, those that a restart forgot not counted."""
        return len(self._checked)

    def look(self, stored: Stored) -> list[str]:
        """Follows the commands since the last look, to what is stored now."""
        log, self._stored = self._servers.log, stored
        while self._checked and (len(self._checked) > len(log) or log[len(self._checked) - 1] is not self._checked[-1]):
            self._checked.pop()
            self._points.pop()
        try:
            for entry in log[len(self._checked) :]:
                self._points.append(self._step(self._points[-1], entry))
                self._checked.append(entry)
            self._compare(self._points[-1].server)
        except Refused as error:
            last = self._checked[-1].words[0].decode() if self._checked else "nothing"
            return [f"not a step of the model, command {len(log)}, after {last}: {error}"]
        return []

    def _step(self, point: Point, entry: Written) -> Point:
        name, words = entry.words[0], entry.words
        if name == b"admit":
            return point._replace(server=self._admit(point.server, words, entry.reply))
        if name in (b"HDEL", b"ZREM"):
            return self._retire(point, words)
        if name not in (b"take", b"settle", b"reconcile", b"reap"):
            return point
        server, worker = self._grown(point.server, words[3]), self._workers[words[3]]
        point = Point(server, dict(point.heard_at), dict(point.compared))
        if name == b"settle":
            return point._replace(server=self._settle(server, worker, worker in point.heard_at, words))
        is_known, point.heard_at[worker] = worker in point.heard_at, entry.at
        if name == b"take":
            return point._replace(server=self._take(server, worker, entry.reply[7]))
        if name == b"reap":
            return point._replace(server=self._reap(point, entry))
        number = int(words[5] or b"0")
        if is_known and number and number <= point.compared.get(worker, 0):
            return point
        point.compared[worker] = number
        return point._replace(server=self._reconcile(server, worker, words))

    def _retire(self, point: Point, words: Sequence[bytes]) -> Point:
        """A worker has ended in order, and its name is forgotten."""
        server, worker = self._grown(point.server, words[2]), self._workers[words[2]]
        if words[1].endswith(b":said"):
            server = server.hear(worker, 0)
        heard_at = {one: at for one, at in point.heard_at.items() if one != worker}
        return Point(server, heard_at, {one: last for one, last in point.compared.items() if one != worker})

    def _grown(self, server: Server, name: bytes) -> Server:
        """With this worker in it."""
        self._workers.setdefault(name, len(self._workers))
        more = len(self._workers) - len(server.leases)
        return server._replace(leases=server.leases + ((),) * more, heard=server.heard + (0,) * more)

    # -- scripts ------------------------------------------------------------------------------------------------------

    def _admit(self, server: Server, words: Sequence[bytes], reply: Sequence[int]) -> Server:
        """What is queued now, and was not seen: as many as the script says, out of those that it was given."""
        given, fresh = {word[:8] for word in words[4::7]}, 0
        for slot, queue in self._stored.queues.items():
            for member in sorted(queue):
                place = self._pages.get(member)
                if place is None or server.pages[place : place + 1] in (UNSEEN, ""):
                    server = self._met(server, member, slot)
                    if member[:8] not in given:
                        raise Refused(f"{member.hex()} was queued, and not admitted")
                    server, fresh = self._rules.admit(server, self._pages[member]), fresh + 1
        if fresh != reply[0]:
            raise Refused(f"{reply[0]} pages were admitted, {fresh} are queued")
        return server

    def _met(self, server: Server, member: bytes, slot: str) -> Server:
        keys = [b"h" + slot.encode()]
        if self._adjacency == "keys" and len(member) in (16, 22):
            keys.append(b"p" + member[-8:])
        places = tuple(self._keys.setdefault(key, len(self._keys)) for key in keys)
        if member not in self._pages:
            self._pages[member] = len(self._pages)
            self._keys_of.append(places)
        self._keys_of[self._pages[member]] = places
        more, keys_more = len(self._pages) - len(server.pages), len(self._keys) - len(server.keys)
        return server._replace(pages=server.pages + UNSEEN * more, keys=server.keys + RESTS * keys_more)

    def _page(self, member: bytes) -> int:
        if member not in self._pages:
            raise Refused(f"{member.hex()} was never admitted")
        return self._pages[member]

    def _take(self, server: Server, worker: int, rows: Sequence[Sequence[bytes]]) -> Server:
        for row in rows:
            page = self._page(row[0])
            if page >= len(server.pages) or not self._rules.may_take(server, page):
                raise Refused(f"{row[0].hex()} is leased, in the model it may not be: {server.pages}, {server.keys}")
            server = self._rules.take(server, worker, page)
        return server

    def _settle(self, server: Server, worker: int, is_known: bool, words: Sequence[bytes]) -> Server:
        number = int(words[7] or b"0")
        before = server.heard[worker]
        if number and is_known and number <= before:
            return server
        # A restart made the script take what is done for what comes back, and so did failures end in quarantine: the
        # model has both, and the run says which it was.
        for operation, member in zip(words[8::4], words[9::4], strict=True):
            word = operation.decode()
            if word in ("mute", "heard"):
                word = "release" if word == "mute" else ""
            if word and member in self._pages:
                page = self._pages[member]
                if word == "ack" and words[6] and self._is_restarted(words[6]):
                    word = "back"
                server = self._rules.tell(server.hear(worker, 0), worker, 1, [(word, page)], self._end(member))
        return server.hear(worker, number if number and is_known else before)

    def _is_restarted(self, known: bytes) -> bool:
        return known != self._servers.run_id

    def _end(self, member: bytes) -> str:
        return QUARANTINED if _id(member) in self._stored.dead else QUEUED

    def _reconcile(self, server: Server, worker: int, words: Sequence[bytes]) -> Server:
        said = zip(words[7::3], words[8::3], words[9::3], strict=True)
        pages = {member: self._pages.get(member, len(server.pages)) for member in words[7::3]}
        known = [(pages[one], host, stays) for one, host, stays in said if pages[one] < len(server.pages)]
        held = [page for page, _, _ in known]
        wanted = [page for page, host, _ in known if host or self._adjacency == "slot"]
        inside = [page for page, _, stays in known if stays == b"1"]
        return self._rules.compare(server, worker, held, wanted, int(words[6] or b"0"), inside=inside)

    def _reap(self, point: Point, entry: Written) -> Server:
        server, words = point.server, entry.words
        for name in entry.reply[1]:
            server = self._grown(server, name)
            worker = self._workers[name]
            silent_s = entry.at - point.heard_at.get(worker, -math.inf)
            if name not in words[8:] and silent_s < float(words[5]) - _ROUNDING_S:
                raise Refused(f"{name.decode()} is taken for dead after {silent_s:.3f} s")
            members = {page: member for member, page in self._pages.items()}
            ends = [page for page, _ in server.leases[worker] if self._end(members[page]) == QUARANTINED]
            server = self._rules.bury(server, worker, ends)
            point.heard_at.pop(worker, None)
            point.compared.pop(worker, None)
        return server

    # -- what is stored -----------------------------------------------------------------------------------------------

    def _compare(self, server: Server) -> None:
        for member, page in self._pages.items():
            here = server.pages[page : page + 1]
            found = self._letter(member)
            if here and found != here and (found or here not in (UNSEEN, DONE)):
                raise Refused(f"{member.hex()} is {found or 'gone'!r}, in the model {server.pages[page]!r}")
        for name, worker in self._workers.items():
            found_leases = {
                self._page(one): not two[0] for one, two in self._stored.leases.get(name.decode(), {}).items()
            }
            if worker < len(server.leases) and found_leases != dict(server.leases[worker]):
                raise Refused(f"{name.decode()} holds {found_leases}, in the model {dict(server.leases[worker])}")
        for key, place in self._keys.items():
            if place < len(server.keys) and (self._stored.until.get(key, 0.0) >= _RUN) != (server.keys[place] == BUSY):
                raise Refused(
                    f"{key!r} is free until {self._stored.until.get(key)}, in the model {server.keys[place]!r}"
                )

    def _letter(self, member: bytes) -> str:
        if any(member in queue for queue in self._stored.queues.values()):
            return QUEUED
        if any(member in held for held in self._stored.leases.values()):
            return LEASED
        return QUARANTINED if _id(member) in self._stored.dead else ""


def _id(member: bytes) -> bytes:
    return member[:-8] if len(member) in (16, 22) else member
