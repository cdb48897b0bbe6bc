"""The outbox: versions written together with the archive, delivered to each sink at least once and in order."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, bindparam, delete, exists, func, not_, select, update

from articlebot import config
from articlebot.archive import Archive, read, schema
from articlebot.archive.engine import insert_into, reading, writing
from articlebot.errors import StoreUnavailable
from articlebot.publishing.sink import Event, Interrupted, Refusal, Sink
from articlebot.worker_names import ended, worker_name

logger = logging.getLogger(__name__)

_box, _sinks = schema.outbox, schema.sinks

# What is due later than the longest wait and the clocks of two machines allow was written before a clock was set back.
_CLOCKS_S = 3600.0
# At once for a sink: of some 10 kB each, a megabyte for a webhook.
MOST_EVENTS = 100
# A slow sink gets fewer at once, so that a call takes so long: what a process delivered and did not come to note is
# delivered again by the next, and the end of a crawl waits for the call.
_FIRST_EVENTS, _CALL_S = 10, 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """When what failed is tried again.

    Attributes:
        first_s: seconds to the second attempt; doubled at each.
        cap_s: longest wait in seconds: with 8 attempts a version waits some minutes before it is a dead letter.
        attempts: refusals of one event after which it is a dead letter. An unreachable sink makes no dead letters.
    """

    first_s: float = 2.0
    cap_s: float = 600.0
    attempts: int = 8

    def wait(self, failures: int) -> float:
        """Seconds to wait after so many failures, at least 1."""
        return min(self.cap_s, self.first_s * 2.0 ** min(failures - 1, 30))


@dataclass(slots=True)
class Counts:
    """What a pass of deliveries did. ``more``: batches behind which more may be due."""

    delivered: int = 0
    refused: int = 0
    dead: int = 0
    failed_sinks: int = 0
    more: int = field(default=0, compare=False)

    def __iadd__(self, other: Counts) -> Counts:
        for name in Counts.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self


class Outbox:
    """Delivers what the archive has enqueued.

    A sink is served by one process at a time, which holds a lease on it; so a file is never written by two and the
    versions of an article arrive in order. It prolongs the lease for as long as the sink works. What a killed process
    held is delivered by the next: at once on the same machine, elsewhere when the lease ends.

    Args:
        batch: most events a call of a sink; a slow one has fewer.
        lease_s: seconds after which a silent process on another machine is taken for dead, by the database's clock.
        wall: this machine's clock, whose distance from the database's is looked at; None for one that they share.
    """

    def __init__(
        self, engine: Engine, *, batch: int = MOST_EVENTS, retry: Retry | None = None, lease_s: float = 120.0,
        wall: Callable[[], float] | None = None,
    ) -> None:  # fmt: skip
        self._engine, self._batch, self._lease_s, self._wall = engine, batch, lease_s, wall
        self._retry = retry or Retry()
        self._sizes: dict[str, int] = {}
        self._ahead_s = 0.0  # the database's clock, of this machine's: leases go by that one, which all share
        self._owner = worker_name(int.from_bytes(os.urandom(3)))

    def deliver(self, sinks: Mapping[str, Sink], now: float) -> Counts:
        """One batch for each sink that is due. Call again while there is ``more``, and something was delivered.

        Raises:
            StoreUnavailable: the archive's database is away; nothing is lost, some may be delivered again.
        """
        counts = Counts()
        for name, sink in sinks.items():
            rows, more = self._take(name, now)
            if rows:
                counts += self._deliver(name, sink, rows, now)
                counts.more += more
        return counts

    def _take(self, name: str, now: float) -> tuple[list[Any], bool]:
        """The batch under a fresh lease, and whether more may be due.

        Empty, without a lease, where there is nothing or another has the lease.
        """
        with reading(self._engine) as connection:
            if not connection.execute(self._pending(name, now).limit(1)).first():
                return [], False
        with writing(self._engine, alone=False) as connection:
            if not self._lease(connection, name, now):
                return [], False
            most = self._sizes.setdefault(name, min(_FIRST_EVENTS, self._batch))
            rows = connection.execute(self._pending(name, now).limit(most)).all()
        first = {row.article_id: row for row in reversed(rows)}
        return [row for row in rows if first[row.article_id] is row], len(rows) == most or len(first) < len(rows)

    def _pending(self, name: str, now: float) -> Any:
        earlier = _box.alias("earlier")
        waits = exists().where(
            earlier.c.sink == name, earlier.c.article_id == _box.c.article_id, earlier.c.id < _box.c.id,
            earlier.c.state == "pending", self._later(earlier.c.next_at, now),
        )  # fmt: skip
        return (
            select(_box.c.id, _box.c.article_id, _box.c.version_id, _box.c.attempts)
            .where(_box.c.sink == name, _box.c.state == "pending", not_(self._later(_box.c.next_at, now)), ~waits)
            .order_by(_box.c.id)
        )

    def _later(self, at: Any, now: float) -> Any:
        """Whether a time, a number or a column, lies ahead as far as a wait may."""
        return (at > now) & (at <= now + self._retry.cap_s + self._lease_s + _CLOCKS_S)

    def _lease(self, connection: Connection, name: str, now: float) -> bool:
        query = select(_sinks).where(_sinks.c.name == name).with_for_update()
        row = connection.execute(query).first()
        if row is None:
            # Another process may make it in this moment: then this one waits for it, and finds its lease.
            connection.execute(insert_into(connection, _sinks).values(name=name).on_conflict_do_nothing())
            row = connection.execute(query).one()
        if self._wall is not None and connection.dialect.name == "postgresql":  # a file's clock is this machine's
            at = connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one()
            self._ahead_s = float(at) - self._wall()
        is_held = self._later(row.lease_until, now + self._ahead_s) and not self._has_ended(row.owner)
        if self._later(row.retry_at, now) or (row.owner != self._owner and is_held):
            return False
        values = {"owner": self._owner, "lease_until": now + self._ahead_s + self._lease_s}
        connection.execute(update(_sinks).where(_sinks.c.name == name).values(values))
        return True

    def _has_ended(self, owner: str | None) -> bool:
        return owner is not None and bool(ended([owner], self._owner, of_one_machine=False))

    @contextmanager
    def _prolonged(self, name: str, now: float) -> Iterator[None]:
        """Keeps the lease while a slow sink works, so that no other machine delivers the same meanwhile."""
        begun, done = time.monotonic(), threading.Event()

        def prolong() -> None:
            while not done.wait(self._lease_s / 3):
                until = now + self._ahead_s + time.monotonic() - begun + self._lease_s
                with suppress(StoreUnavailable), writing(self._engine, alone=False) as connection:
                    connection.execute(self._mine(name).values(lease_until=until))

        thread = threading.Thread(target=prolong, name=f"articlebot-lease-{name}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _mine(self, name: str) -> Any:
        """Changes a sink's row as long as this process has its lease."""
        return update(_sinks).where(_sinks.c.name == name, _sinks.c.owner == self._owner)

    def _deliver(self, name: str, sink: Sink, rows: Sequence[Any], now: float) -> Counts:
        with reading(self._engine) as connection:
            articles = read.by_version_id(connection, (row.version_id for row in rows))
        events = {row.id: Event.of(articles[row.version_id]) for row in rows if row.version_id in articles}
        failure: Exception | None = None
        begun = time.monotonic()
        try:
            with self._prolonged(name, now):
                refusals: Iterable[Refusal] = _offer(name, sink, list(events.values()))
        except Interrupted as error:
            failure, refusals = error, error.refusals
            rows = [row for row in rows if row.id not in events or events[row.id].key in error.taken]
        except (StoreUnavailable, OSError) as error:
            failure, refusals, rows = error, (), []
        if events:
            self._fit(name, len(events), time.monotonic() - begun)
        by_key = {refusal.key: refusal for refusal in refusals}
        keys = {row.id: events[row.id].key for row in rows if row.id in events}
        refused = {number: by_key[key] for number, key in keys.items() if key in by_key}
        counts = self._settle(name, rows, refused, now)
        if failure is not None:
            counts.failed_sinks = 1
            self._failed(name, failure, now)
        return counts

    def _fit(self, name: str, events: int, seconds: float) -> None:
        fitting = int(events * _CALL_S / max(seconds, 1e-3))
        self._sizes[name] = max(1, min(self._batch, 2 * self._sizes[name], fitting))

    def _settle(self, name: str, rows: Sequence[Any], refused: Mapping[int, Refusal], now: float) -> Counts:
        counts = Counts(delivered=len(rows) - len(refused))
        changes = []
        for row in rows:
            if (refusal := refused.get(row.id)) is None:
                continue
            dead = refusal.final or row.attempts + 1 >= self._retry.attempts
            counts.dead += dead
            counts.refused += not dead
            changes.append(
                {"b_id": row.id, "state": "dead" if dead else "pending", "attempts": row.attempts + 1,
                 "next_at": now + self._retry.wait(row.attempts + 1), "error": refusal.reason[:500]}
            )  # fmt: skip
        values: dict[str, Any] = {key: bindparam(key) for key in ("state", "attempts", "next_at", "error")}
        with writing(self._engine, alone=False) as connection:
            gone = [row.id for row in rows if row.id not in refused]
            connection.execute(delete(_box).where(_box.c.id.in_(gone)))
            if changes:
                connection.execute(update(_box).where(_box.c.id == bindparam("b_id")).values(values), changes)
            state: dict[str, Any] = {"lease_until": 0}
            if rows:
                state |= {"retry_at": 0, "failures": 0, "error": None}
            if counts.delivered:
                state |= {"delivered": _sinks.c.delivered + counts.delivered, "delivered_at": now}
            connection.execute(self._mine(name).values(state))
        if counts.dead:
            logger.warning("Sink %s refused %d versions for good; see scrapy outbox show", name, counts.dead)
        return counts

    def _failed(self, name: str, error: Exception, now: float) -> None:
        with writing(self._engine, alone=False) as connection:
            failures = 1 + connection.execute(select(_sinks.c.failures).where(_sinks.c.name == name)).scalar_one()
            wait = max(self._retry.wait(failures), min(getattr(error, "asks_s", 0.0), _CLOCKS_S))
            values = {"lease_until": 0, "failures": failures, "retry_at": now + wait, "error": str(error)[:500]}
            connection.execute(self._mine(name).values(values))
        logger.warning("Sink %s cannot deliver (%s); again in %.0f s", name, error, wait)


def _offer(name: str, sink: Sink, events: Sequence[Event]) -> Iterable[Refusal]:
    """The sink's refusals. Where it stumbles over one event, each is offered alone: one must not hold up all."""
    try:
        return list(sink.deliver(events)) if events else []
    except (StoreUnavailable, OSError):
        raise
    except Exception:
        logger.warning("Sink %s failed on a batch of %d; offering each alone", name, len(events), exc_info=True)
    refusals: list[Refusal] = []
    for number, event in enumerate(events):
        try:
            refusals.extend(sink.deliver([event]))
        except (StoreUnavailable, OSError) as error:
            raise Interrupted(str(error), [earlier.key for earlier in events[:number]], refusals) from error
        except Exception as error:  # a sink may be anybody's code; its error is the reason kept
            refusals.append(Refusal(event.key, f"{type(error).__name__}: {error}"))
    return refusals


def open_outbox(archive: Archive, publishing: config.Publishing, wall: Callable[[], float]) -> Outbox:
    """The outbox of an archive, as the configuration asks for it; ``wall``: this machine's clock."""
    return Outbox(archive.engine, retry=Retry(attempts=publishing.attempts), wall=wall)
