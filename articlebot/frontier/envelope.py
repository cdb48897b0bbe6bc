"""What is stored of a request: a versioned JSON envelope, and what a page's link needs to become one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from articlebot.errors import StateError
from articlebot.urls import canonical_url, page_key, subdomain

VERSION = 1
_EMPTY: tuple[Any, ...] = (None, "", [], {}, 0, False)


@dataclass(frozen=True, slots=True)
class Envelope:
    """A request as the frontier queues it.

    Args:
        id: 8 bytes of the page key; 6 more for a request that is queued although its page is known.
        key: the page key that is checked against and added to the seen set, None for ``dont_filter``.
        host: the slot's host.
        parent: hash of the parent page, 0 for none.
        priority: higher comes first inside its slot; -65,536 to 65,535.
        record: the JSON text.
        turns: it waits for some only of those that have this priority or less, but more than its own; None: for all.
    """

    id: bytes
    key: int | None
    host: str
    parent: int
    priority: int
    record: str
    turns: int | None = None


@dataclass(slots=True)  # frozen, 140 of a page would take 0.1 ms more
class Candidate:
    """A link that may be queued.

    Args:
        url: absolute; canonical where ``key`` is given.
        priority: as in Envelope.
        delay: mean delay in seconds that its job wants, None for the configured one.
        meta: JSON-able; becomes part of ``request.meta["articlebot"]`` (kind, anchor, context, ...).
        stated_at: when the page that names it says that it was changed, epoch seconds; not queued.
        key: the page key; None: it and the canonical form are worked out if the link is new to this process.
    """

    url: str
    priority: int = 0
    delay: float | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    key: int | None = None
    stated_at: float | None = None

    def envelope(
        self, base: Mapping[str, Any], parent: int, callback: str | None, errback: str | None = None
    ) -> Envelope:
        """What is queued of it.

        Args:
            base: what the links of one page have in common of ``request.meta["articlebot"]``.
            parent: hash of the page, 0 where its links are no neighbours.
            callback, errback: names of the spider's methods.

        Raises:
            RefusedError: it cannot be the URL of a page.
        """
        url, key = self.url, self.key
        if key is None:
            url = canonical_url(url)
            key = page_key(url)
        meta = {**base, **self.meta}
        if self.delay is not None:
            meta["delay"] = self.delay
        record = dump({"u": url, "p": self.priority, "m": {"articlebot": meta}, "c": callback, "e": errback})
        netloc = url.split("/", 3)[2]  # of a canonical URL this is the subdomain, but for the brackets of IPv6
        host = subdomain(url) if "[" in netloc else netloc
        return Envelope(key.to_bytes(8, "big"), key, host, parent, self.priority, record)


class Stored(NamedTuple):
    """What lies in Redis of a request.

    Attributes:
        parent: 8 bytes of the parent page, empty for none.
        host: of its slot where slots are numbered, else empty.
        text: JSON; see ``load``.
    """

    parent: bytes
    host: bytes
    text: bytes

    @classmethod
    def of(cls, record: bytes) -> Stored:
        """The parts of a record; ``wire.admit_arguments`` puts them together.

        Raises:
            ValueError: it is none.
        """
        begin = 9 if record[:1] == b"+" else 1
        end = record.index(b"\n", begin)
        return cls(record[1:begin], record[begin:end], record[end + 1 :])


def split(member: bytes) -> tuple[bytes, bytes]:
    """The name of a request and 8 bytes of its parent, empty for none, of what stands in a queue."""
    return (member[:-8], member[-8:]) if len(member) in (16, 22) else (member, b"")


def dump(fields: Mapping[str, Any]) -> str:
    """The JSON text of a request's fields; absent and empty fields take no room.

    Raises:
        TypeError, ValueError: a value that JSON cannot carry.
    """
    kept = {
        "v": VERSION,
        **{name: value for name, value in fields.items() if value not in _EMPTY},
    }
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def mark(field: str, value: str) -> str:
    """The text by which the records with this value of a field are told from others, such as ``"job":"daily"``."""
    return f'"{field}":{json.dumps(value, ensure_ascii=False)}'


def load(record: str | bytes) -> dict[str, Any]:
    """The fields of a stored request.

    Raises:
        StateError: damaged, or of a version that this one does not know.
    """
    try:
        fields = json.loads(record)
    except ValueError as error:
        raise StateError(f"a stored request is not JSON: {error}") from None
    if not isinstance(fields, dict) or fields.get("v") != VERSION:
        raise StateError(f"a stored request has version {fields.get('v') if isinstance(fields, dict) else None!r}")
    return fields
