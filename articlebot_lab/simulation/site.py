"""The sites of a schedule: pages that link to each other, and how they answer."""

from __future__ import annotations

import random
from dataclasses import dataclass

from articlebot_lab.simulation.plan import Plan


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its address, whether it is a list, the job that follows it, and the pages that it links to."""

    url: str
    host: str
    job: str
    is_list: bool
    links: tuple[int, ...]


class Site:
    """All pages, and which hosts do not answer well at the moment.

    Attributes:
        seeds: numbers of the pages that the workers begin with.
        silent, refusing, slow: hosts, with the time until which they are so.
    """

    def __init__(self, plan: Plan) -> None:
        rng = random.Random(f"site {plan.seed}")
        count = plan.pages
        self.seeds = range(min(2, count))
        links: list[set[int]] = [set() for _ in range(count)]
        for page in range(len(self.seeds), count):
            links[rng.randrange(page)].add(page)  # each is found from one of those before it
        for _ in range(count // 2):
            links[rng.randrange(count)].add(rng.randrange(count))
        self.pages = [
            Page(f"http://{host}/{n}", host, f"job{rng.randrange(2)}", n in self.seeds, tuple(sorted(of)))
            for n, of in enumerate(links)
            for host in [f"h{rng.randrange(plan.hosts)}.test"]
        ]  # fmt: skip
        self.by_url = {page.url: page for page in self.pages}
        self._rng = random.Random(f"answers {plan.seed}")
        self.silent: dict[str, float] = {}
        self.refusing: dict[str, float] = {}
        self.slow: dict[str, float] = {}

    def answer(self, host: str, now: float) -> tuple[float, int]:
        """Seconds until a download ends by itself, and its status; 0 for a refused connection."""
        took = self._rng.choice([0.02, 0.1, 0.6]) * self._rng.random()
        if now < self.slow.get(host, 0.0):
            took += 20 * self._rng.random()
        if now < self.silent.get(host, 0.0):
            return (took, 0) if self._rng.random() < 0.5 else (1e9, 200)
        if now < self.refusing.get(host, 0.0):
            return took, self._rng.choice([429, 503])
        return took, 500 if self._rng.random() < 0.03 else 200
