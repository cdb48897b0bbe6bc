"""Signals of the changes of a trace: of each true one a part, and as many false ones as the precision asks for."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import NamedTuple

from articlebot_lab.recrawl.traces import Trace


class Signal(NamedTuple):
    """That a page of a trace, by its number, may have changed at an epoch time."""

    at: float
    page: int


class Quality(NamedTuple):
    """How good signals are: the share of true ones among them, and of changes that have one; above 0, up to 1."""

    precision: float
    recall: float


def made(trace: Trace, quality: Quality, seed: int) -> tuple[Signal, ...]:
    """The signals of a trace, by time.

    False ones come at any time on any page of the site whose true ones they join, the longer a page is there the more.
    """
    rng, found = random.Random(f"signals {seed}"), []
    sites: dict[str, list[int]] = {}
    for index, page in enumerate(trace.pages):
        sites.setdefault(page.site, []).append(index)
    for pages in sites.values():
        true = [
            Signal(at, index)
            for index in pages
            for at in trace.pages[index].changes
            if rng.random() < quality.recall
        ]  # fmt: skip
        wanted = len(true) * (1.0 - quality.precision) / quality.precision
        false = int(wanted) + (rng.random() < wanted % 1.0)
        lives = [trace.pages[index].end - trace.pages[index].birth for index in pages]
        found += true
        found += [
            Signal(rng.uniform(trace.pages[index].birth, trace.pages[index].end), index)
            for index in rng.choices(pages, lives, k=false)
        ]
    return tuple(sorted(found))


def at_random(trace: Trace, a_page_day: float, seed: int) -> tuple[Signal, ...]:
    """Signals that have nothing to do with the changes, so many for each page and day, by time."""
    rng, found = random.Random(f"noise {seed}"), []
    for index, page in enumerate(trace.pages):
        at = page.birth
        while (at := at + rng.expovariate(a_page_day / 86400.0)) < page.end:
            found.append(Signal(at, index))
    return tuple(sorted(found))


def counted(trace: Trace, signals: Iterable[Signal]) -> tuple[int, int]:
    """How many signals came at a change of their page, and how many at none."""
    changes = [frozenset(page.changes) for page in trace.pages]
    true = [signal.at in changes[signal.page] for signal in signals]
    return sum(true), len(true) - sum(true)
