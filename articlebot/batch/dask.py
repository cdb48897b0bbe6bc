"""A dask.distributed cluster as an engine."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from distributed import Client, KilledWorker

from articlebot.batch.engine import AHEAD, TRIES
from articlebot.errors import ConfigError, StoreUnavailable, WorkersLost

B = TypeVar("B")
R = TypeVar("R")

_CONNECT_S = 10.0


class Dask:
    """Workers of a cluster. They need articlebot in the same version, and no folder of this machine.

    Args:
        address: host and port of the scheduler.

    Raises:
        ConfigError: the address is none.
        StoreUnavailable: nobody answers there.
    """

    def __init__(self, address: str) -> None:
        try:
            self._client: Any = Client(f"tcp://{address}", timeout=_CONNECT_S, set_as_default=False)  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise ConfigError(f"--engine dask://{address}: {error}") from None
        except OSError:
            raise StoreUnavailable(f"no scheduler answers at dask://{address}") from None

    @property
    def link(self) -> str:
        """The cluster's dashboard."""
        return str(self._client.dashboard_link)

    def run(self, function: Callable[[B], R], batches: Iterable[B]) -> Iterator[tuple[B, R]]:
        unread = iter(batches)
        waiting: deque[tuple[B, Any]] = deque()
        while True:
            # Workers may come and go while it runs.
            ahead = AHEAD * max(1, sum(self._client.nthreads().values())) - len(waiting)
            for batch in islice(unread, max(0, ahead)):
                # Not pure: dask would hash each batch to find out whether it has been asked before.
                waiting.append((batch, self._client.submit(function, batch, pure=False, retries=TRIES)))
            if not waiting:
                return
            batch, asked = waiting[0]
            try:
                result = asked.result()
            except KilledWorker as error:
                raise WorkersLost(f"workers of the cluster keep dying over a batch: {error}") from None
            except (OSError, asyncio.CancelledError) as error:
                raise StoreUnavailable(f"the dask cluster has gone: {error}") from None
            waiting.popleft()
            yield batch, result

    def close(self) -> None:
        """Leaves the cluster; what it was asked for is forgotten there."""
        self._client.close()
