"""Work over batches as a command does it: on the engine that was typed, with progress, continued where it stopped."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, Protocol, TypeVar

from articlebot.actions.output import Progress
from articlebot.batch import Journal, open_engine
from articlebot.config import Config

B = TypeVar("B")


class Run(Protocol):
    """Each batch with its result, in order; ``size`` is what a batch counts."""

    def __call__(
        self, function: Callable[[B], Any], batches: Iterable[B], size: int | Callable[[B], int], /
    ) -> Iterator[tuple[B, Any]]: ...


@contextmanager
def engaged(opts: argparse.Namespace, config: Config, name: str, progress: Progress) -> Iterator[Run]:
    """What runs functions over batches by ``--engine`` and ``--processes``.

    Args:
        name: of the work, for the file in the data folder by which it continues.

    Raises:
        ConfigError, StoreUnavailable, WorkersLost: see :class:`articlebot.batch.Engine`.
    """
    journal = Journal(config.general.data_dir / "batch" / f"{name}.jsonl")
    with closing(open_engine(opts.engine, opts.processes)) as engine, journal, progress:
        if engine.link:
            print(f"{name}: dashboard at {engine.link}", file=sys.stderr)

        def run(function: Callable[[B], Any], batches: Iterable[B], size: Any) -> Iterator[tuple[B, Any]]:
            for batch, result, known in journal.run(engine, function, batches):
                yield batch, result
                progress.step(size if isinstance(size, int) else size(batch), known=known)

        try:
            yield run
        except KeyboardInterrupt:
            print(f"{name}: what is done is kept, the same command goes on from there", file=sys.stderr)
            raise
