"""Near-duplicates in shards: the clusters of one piece, with as many round trips, on a cluster of three masters too."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from articlebot.config import Dedup
from articlebot.connect import tagged
from articlebot.dedup import Arrival, Assignments, NearDuplicates, moving
from articlebot.shards import shard_tag
from articlebot.text import simhash
from articlebot.together import Together
from tests.runtime.fleet import Cluster

NOW = 1_700_000_000.0
PREFIX = "{test}"
Story = Callable[..., str]
Togethers = Callable[..., Together]


@pytest.fixture
async def togethers(redis_url: str) -> AsyncIterator[Togethers]:
    """Makes what workers talk through."""
    made: list[Together] = []

    def make(url: str = redis_url, **options: float) -> Together:
        made.append(Together(url, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        await one.close()


def index(together: Together, shards: int, prefix: str = PREFIX, params: Dedup | None = None) -> NearDuplicates:
    clients = [together.of(shard_tag(prefix, "nd", number, shards)) for number in range(shards)]
    return NearDuplicates(together.of(tagged(prefix, "nd")), prefix, params, clients if shards > 1 else [])


def arrival(near: NearDuplicates, key: int, text: str, at: float) -> Arrival:
    return Arrival(key, near.sketch(text, simhash.fingerprint(text)), at, f"s{key % 5}.test")


class Crawl:
    """Workers in turn, and which articles are together in the end."""

    def __init__(self, workers: list[NearDuplicates]) -> None:
        self.workers, self.assignments, self.keys = workers, Assignments(), set[int]()

    async def run(self, story: Story, seed: int, steps: int) -> list[list[int]]:
        """New articles, reprints, versions and withdrawals, one or some at a time."""
        rng = random.Random(seed)
        for step in range(steps):
            near = self.workers[step % len(self.workers)]
            if rng.random() < 0.1 and self.keys:
                gone = rng.choice(sorted(self.keys))
                assert await near.forget(gone)
                self.keys.discard(gone)
                continue
            keys = [rng.randint(1, 90) for _ in range(rng.choice((1, 1, 1, 4, 30)))]
            some = [arrival(near, key, f"{story(rng.randint(0, 25), 60)} note {key % 3}", NOW + step) for key in keys]
            for key, placed in zip(keys, await near.place_many(some), strict=True):
                self.assignments.note(key, placed)
            self.keys |= set(keys)
        return self.groups()

    def groups(self) -> list[list[int]]:
        found: dict[str, list[int]] = {}
        for key in sorted(self.keys):
            found.setdefault(self.assignments.cluster(key), []).append(key)
        return sorted(found.values())


@pytest.mark.parametrize(("method", "shards"), [("shingles", 16), ("simhash5", 5)])
async def test_clusters_are_those_of_one_piece(togethers: Togethers, story: Story, method: str, shards: int) -> None:
    params, found = Dedup.model_validate({"method": method}), []
    for number, workers in ((1, 1), (shards, 2)):
        each = [togethers() for _ in range(workers)]
        crawl = Crawl([index(one, number, f"{{test{number}}}", params) for one in each])
        found.append(await crawl.run(story, seed=3, steps=45))
    assert found[0] == found[1]
    assert max(map(len, found[0])) > 2


async def test_twins_at_the_same_moment_on_two_workers_meet(togethers: Togethers, story: Story) -> None:
    each = [togethers() for _ in range(2)]
    workers = [index(one, 7) for one in each]
    for first in range(0, 90, 6):  # past what is written at once
        work: list[Awaitable[list]] = []  # type: ignore[type-arg]
        for n, near in enumerate(workers):
            work += [
                near.place_many([arrival(near, 2 * seed + n + 1, story(seed), NOW)]) for seed in range(first, first + 6)
            ]
        placed = [one for some in await asyncio.gather(*work) for one in some]
        assert [one.cluster for one in placed[:6]] == [one.cluster for one in placed[6:]]
        assert sorted(one.members for one in placed) == [1] * 6 + [2] * 6


async def test_a_placement_takes_three_round_trips(
    togethers: Togethers, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    trips = 0
    deliver = Together._deliver

    async def counted(*arguments: object) -> None:
        nonlocal trips
        trips += 1
        await deliver(*arguments)  # type: ignore[arg-type]

    together = togethers()
    near = index(together, 16)
    texts = [story(n % 60) for n in range(140)]
    monkeypatch.setattr(Together, "_deliver", counted)
    for key, text in enumerate(texts):
        before = trips
        await near.place_many([Arrival(key + 1, near.sketch(text, 0), NOW)])
        if key > 70:  # each script has been loaded
            assert trips - before <= 3


async def test_a_home_that_has_lost_its_last_moments_goes_on(togethers: Togethers, story: Story) -> None:
    together = togethers()
    near = index(together, 4)
    home = together.of(PREFIX)
    for key in range(1, 81):
        await near.place_many([arrival(near, key, story(key), NOW)])
    (name,) = [key async for key in home.scan_iter(match="*:n") if key.startswith(b"{test:nd}")]
    base = name[:-1].decode()
    await home.mset({f"{base}n": 60, f"{base}t": 50})
    await home.delete(f"{base}l")
    for first, worker in ((500, near), (600, index(together, 4))):
        placed = await worker.place_many([arrival(worker, first + n, story(70), NOW) for n in range(3)])
        assert len({one.cluster for one in placed}) == 1
    assert placed[-1].members == 6


async def test_an_index_in_one_piece_serves_until_it_is_moved(togethers: Togethers, story: Story) -> None:
    together = togethers()
    whole = index(together, 1)
    first = (await whole.place_many([arrival(whole, 1, story(1), NOW)]))[0]
    other = index(together, 4)
    assert (await other.place_many([arrival(other, 2, story(1), NOW)]))[0].cluster == first.cluster
    assert await moving.move(together, PREFIX, "shingles", 4, lambda number: None) == 2
    cut = index(together, 4)
    assert (await cut.place_many([arrival(cut, 3, story(1), NOW)]))[0].cluster == first.cluster
    assert len([key async for key in together.of(PREFIX).scan_iter(match="{test:nd}*:[br]*")]) == 0


async def test_a_move_keeps_all_and_may_be_killed(togethers: Togethers, story: Story) -> None:
    together, method = togethers(), "simhash3"  # its keys have other widths in one piece
    params = Dedup.model_validate({"method": method})
    other = Crawl([index(together, 1, "{other}", params)])
    await other.run(story, seed=5, steps=15)
    crawl = Crawl([index(together, 1, PREFIX, params)])
    await crawl.run(story, seed=5, steps=15)
    for number, after in enumerate((4, 6, 1)):
        for pieces in (1, 3, 7):
            left = pieces

            def told(number: int) -> None:
                nonlocal left
                left -= 1
                if not left:
                    raise KeyboardInterrupt

            try:
                await moving.move(together, PREFIX, method, after, told)
            except KeyboardInterrupt:
                continue
        await moving.move(together, PREFIX, method, after, lambda number: None)
        assert await moving.lies_in(together, PREFIX, method) == after
        crawl.workers = [index(together, after, PREFIX, params)]
        assert await crawl.run(story, seed=number, steps=12) == await other.run(story, seed=number, steps=12)
        keys = [key.decode() async for key in together.of(PREFIX).scan_iter()]
        assert not [key for key in keys if "{test:nd:" in key and f"{{test:nd:{after}." not in key]
    assert not [key for key in keys if key.startswith("{test:nd:")]


@pytest.mark.xdist_group("fleet")
async def test_a_cluster_of_three_masters_shares_it(tmp_path: Path, togethers: Togethers, story: Story) -> None:
    shards = 6
    with Cluster(tmp_path, replicas=False) as cluster:
        each = [togethers(cluster.url, patience_s=60) for _ in range(2)]
        crawl = Crawl([index(one, shards) for one in each])
        await crawl.run(story, seed=7, steps=12)
        tags = [shard_tag(PREFIX, "nd", number, shards) for number in range(shards)]
        masters = [cluster.master_of(tag) for tag in tags]
        assert sorted(masters.count(node) for node in cluster.nodes) == [2, 2, 2]
        assert min(node.ask("DBSIZE") for node in cluster.nodes) > 30
        cluster.move(tags[0], next(node for node in cluster.nodes if node is not masters[0]))
        found = await crawl.run(story, seed=8, steps=12)
        assert await moving.move(each[0], PREFIX, "shingles", 4, lambda number: None) > 60
        crawl.workers = [index(one, 4) for one in each]
        again = await crawl.run(story, seed=9, steps=6)
    together = togethers()
    alone = Crawl([index(together, 1)])
    await alone.run(story, seed=7, steps=12)
    assert await alone.run(story, seed=8, steps=12) == found
    assert await alone.run(story, seed=9, steps=6) == again
