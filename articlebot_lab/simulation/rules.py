"""What must be true of the stored frontier after every step: read from all keys, not by the frontier's own code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

S = "{articlebot:frontier}"
_RUN = 1e15
_BUCKETS = 3  # of 400 marks, for a seen set of 1,000 pages


@dataclass(slots=True)
class Stored:
    """The keys of a frontier, or of one of its shards, sorted by kind."""

    queues: dict[str, dict[bytes, float]]
    leases: dict[str, dict[bytes, tuple[bool, str]]]
    records: dict[bytes, bytes]
    dead: Mapping[bytes, bytes]
    until: Mapping[bytes, float]
    rest: Mapping[str, Any]
    shared: str = S

    @classmethod
    def of(cls, keys: Mapping[str, Any], shared: str = S) -> Stored:
        """What lies below ``shared``, the first part of the keys."""
        spider = f"{shared}:article"
        queues, leases, records = {}, {}, {}
        for key, value in keys.items():
            if key.startswith(f"{spider}:q:"):
                queues[key[len(spider) + 3 :]] = value
            elif key.startswith(f"{spider}:w:"):
                leases[key[len(spider) + 3 :]] = {member: _lease(text) for member, text in value.items()}
            elif key.startswith(f"{spider}:r:"):
                records.update(value)
        until = {**keys.get(f"{shared}:until", {}), **keys.get(f"{spider}:until", {})}
        return cls(queues, leases, records, keys.get(f"{spider}:dead", {}), until, keys, shared)

    @classmethod
    def together(cls, shards: Sequence[Stored]) -> Stored:
        """All shards, for the question what there is; a worker's leases are named once."""
        if len(shards) == 1:
            return shards[0]
        queues, leases, records, dead = (
            dict(chain.from_iterable(getattr(one, name).items() for one in shards))
            for name in ("queues", "leases", "records", "dead")
        )
        return cls(queues, leases, records, dead, {}, {})

    @property
    def is_empty(self) -> bool:
        """Whether nothing is queued or leased."""
        return not self.queues and not self.leases

    def part(self, name: str) -> Any:
        return self.rest.get(f"{self.shared}:article:{name}", {})


def broken(stored: Stored, adjacency: str, acked: Collection[bytes]) -> list[str]:
    """What is not as it must be."""
    queued = Counter(member for queue in stored.queues.values() for member in queue)
    leased = Counter(member for held in stored.leases.values() for member in held)
    wrong = [
        f"{member.hex()} is queued or leased {number} times"
        for member, number in (queued + leased).items()
        if number > 1
    ]
    names = {_id(member) for member in queued + leased}
    wrong += [f"{_id(member).hex()} has no record" for member in queued + leased if _id(member) not in stored.records]
    wrong += [f"the record of {name.hex()} is nowhere queued" for name in stored.records if name not in names]
    counts = {name.decode(): int(value) for name, value in stored.part("n").items()}
    for what, number in (("queued", queued.total()), ("leased", leased.total())):
        if counts.get(what, 0) != number:
            wrong.append(f"{number} requests are {what}, the frontier counts {counts.get(what, 0)}")
    heard = stored.part("workers")
    wrong += [
        f"nobody would find out that {worker} is dead" for worker in stored.leases if worker.encode() not in heard
    ]
    return wrong + _slots(stored, adjacency) + _marks(stored, acked) + _neighbours(stored, adjacency)


def _slots(stored: Stored, adjacency: str) -> list[str]:
    """Whether what is in flight, what rests and what may start are told apart."""
    open_ = [
        (member, slot) for held in stored.leases.values() for member, (released, slot) in held.items() if not released
    ]
    holders = Counter(b"h" + slot.encode() for _, slot in open_)
    holders.update(b"h" + slot for slot in stored.rest.get(f"{stored.shared}:held", {}))
    if adjacency == "keys":
        holders.update(b"p" + member[-8:] for member, _ in open_ if len(member) in (16, 22))
    wrong = [f"{number} hold {key!r}" for key, number in holders.items() if number > 1]
    running = {key for key, at in stored.until.items() if at >= _RUN}
    wrong += [f"{key!r} is taken and nobody holds it" for key in running - set(holders)]
    wrong += [f"{key!r} is held and counts as free" for key in set(holders) - running]
    ready, passed = stored.part("ready"), stored.part("passed")
    for slot in stored.queues:
        name = slot.encode()
        waits = any(name in stored.part(f"wait:{key[1:].decode('latin-1')}") for key in running if key[:1] == b"p")
        if name not in ready and name not in passed and b"h" + name not in running and not waits:
            wrong.append(f"the queue of {slot} is never looked at again")
    return wrong


def _marks(stored: Stored, acked: Collection[bytes]) -> list[str]:
    """Whether seen set and queue agree."""
    seen = set()
    for bucket in range(_BUCKETS):
        for mark in stored.part(f"seen:{bucket:x}"):
            seen.add((int(mark) & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "big"))
    known = {name[:8] for name in (*stored.records, *stored.dead)}
    done = {name[:8] for name in acked}
    wrong = [
        f"{page.hex()} is seen, and neither queued, leased, in quarantine nor done" for page in seen - known - done
    ]
    # What is queued although its page is known, such as a retry, says nothing of the mark, which may be lost.
    plain = {name for name in (*stored.records, *stored.dead) if len(name) == 8}
    return wrong + [f"{page.hex()} is queued, and not seen" for page in plain - seen]


def _neighbours(stored: Stored, adjacency: str) -> list[str]:
    """Whether the literal reading's slots know how many pages are in them."""
    if adjacency != "slot":
        return []
    sizes: Counter[bytes] = Counter()
    for name, record in stored.records.items():
        parent = record[1:9] if record[:1] == b"+" else b""
        sizes[b"h" + record[9 if parent else 1 :].partition(b"\n")[0]] += 1
        if parent:
            sizes[b"p" + parent] += 1
        del name
    kept = {key: int(number) for key, number in stored.part("size").items()}
    return [] if kept == dict(sizes) else [f"slots count {kept}, there are {dict(sizes)}"]


def _lease(text: bytes) -> tuple[bool, str]:
    released, _, slot = text.split(b" ", 2)
    return released == b"1", slot.decode()


def _id(member: bytes) -> bytes:
    return member[:-8] if len(member) in (16, 22) else member
