from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from articlebot.config import Dedup
from articlebot.dedup import Arrival, Assignments, NearDuplicates, Placement
from articlebot.dedup.near_duplicates import _SPLIT_LIMIT
from articlebot.errors import StateError
from articlebot.runtime.private_redis import PrivateRedis
from articlebot.text import simhash
from tests.dedup.conftest import candidates

NOW = 1_700_000_000.0
Story = Callable[..., str]


@pytest.fixture
def index(client: redis.asyncio.Redis) -> NearDuplicates:
    return NearDuplicates(client, "test")


async def place(index: NearDuplicates, key: int, text: str, at: float = NOW, source: str = "") -> Placement:
    return await index.place(key, text, simhash.fingerprint(text), at, source)


def cut(text: str, start: int, stop: int) -> str:
    return " ".join(text.split()[start:stop])


async def test_a_reprint_joins_and_the_first_represents(index: NearDuplicates, story: Story) -> None:
    text = story(1)
    first = await place(index, 11, text, source="first.test")
    assert (first.role, first.representative, first.members) == ("single", 11, 1)
    second = await place(index, 12, "Another heading here " + text + " Editor: somebody", NOW + 60, "second.test")
    assert (second.cluster, second.role, second.representative) == (first.cluster, "member", 11)
    cluster = await index.cluster(first.cluster)
    assert cluster is not None
    assert (cluster.members, cluster.representative, cluster.keys) == (2, 11, (11, 12))


@pytest.mark.parametrize(
    ("start", "stop", "joins"),
    [(0, 300, True), (0, 120, True), (150, 300, True), (0, 20, False)],
    ids=["whole", "first part", "second part", "a sentence only"],
)
async def test_excerpts_join(index: NearDuplicates, story: Story, start: int, stop: int, joins: bool) -> None:
    first = await place(index, 1, story(1))
    second = await place(index, 2, cut(story(1), start, stop))
    assert (second.cluster == first.cluster) == joins


@pytest.mark.parametrize("quoted", [20, 40, 60])
async def test_a_quoting_text_stays_apart(index: NearDuplicates, story: Story, quoted: int) -> None:
    first = await place(index, 1, story(1))
    other = await place(index, 2, cut(story(2), 0, 150) + " " + cut(story(1), 50, 50 + quoted) + " " + story(3, 150))
    assert other.cluster != first.cluster


async def test_pages_of_one_site_must_agree_in_nearly_everything(index: NearDuplicates, story: Story) -> None:
    template = story(1)
    first = await place(index, 1, template + " " + story(2, 60), source="a.test")
    same_site = await place(index, 2, template + " " + story(3, 60), source="a.test")
    other_site = await place(index, 3, template + " " + story(4, 60), source="b.test")
    assert same_site.cluster != first.cluster
    assert other_site.cluster in {first.cluster, same_site.cluster}
    again = await place(index, 4, template + " " + story(2, 60), source="a.test")
    assert again.cluster == first.cluster


async def test_a_report_with_other_numbers_is_another_one(index: NearDuplicates, story: Story) -> None:
    words = story(1, 120).split()

    def issue(seed: int) -> str:
        rng = random.Random(seed)
        return " ".join(f"{word} {rng.randint(100, 999)}" if n % 6 == 0 else word for n, word in enumerate(words))

    first = await place(index, 1, issue(1))
    assert (await place(index, 2, issue(2))).cluster != first.cluster
    assert (await place(index, 3, issue(1) + " " + story(2, 20))).cluster == first.cluster
    assert (await place(index, 4, cut(issue(1), 0, 70))).cluster == first.cluster


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 0, 1, 2), (1, 3, 2, 0)])
async def test_a_digest_does_not_connect_the_stories_in_it(
    index: NearDuplicates, story: Story, order: tuple[int, ...]
) -> None:
    texts = [*map(story, (1, 2, 3)), " ".join(map(story, (1, 2, 3)))]
    placed = Assignments()
    for number in order:
        placed.note(number + 1, await place(index, number + 1, texts[number]))
    assert len({placed.cluster(key) for key in (1, 2, 3)}) == 3


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
async def test_an_edited_version_joins_versions_that_do_not_match(
    index: NearDuplicates, story: Story, order: tuple[int, ...]
) -> None:
    def version(at: int) -> str:
        words = zip(story(1).split(), story(at + 2).split(), strict=True)
        return " ".join(new if n % 4 == at else word for n, (word, new) in enumerate(words))

    texts = [story(1), version(0), version(2)]
    placed = Assignments()
    for number in order:
        placed.note(number + 1, await place(index, number + 1, texts[number]))
    assert placed.cluster(1) == placed.cluster(2) == placed.cluster(3)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("10月10日天琪早盘分析摘要", "10月25日天琪早盘分析摘要", False),
        ("Denver 124, Golden State 120", "Denver 98, Golden State 101", False),
        ("Magellan(R) Comes Out in Force at CES 2008", "Magellan(R) Comes Out in Force at CES 教程", True),
        ("E3游戏展ShowGirl大跳Lady GAGA舞", "E3裘德洛展ShowGirl大跳Lady GAGA舞", True),
        ("Denver Zoo Monkey Dies of Plague", "Denver Zoo assets Dies of Plague", True),
        ("Denver Zoo Monkey Dies of Plague", "Chicago Zoo Opens New House for Monkeys", False),
        ("大宗商品牛市并未终结", "快讯：大宗商品牛市并未终结(图)", True),
    ],
)
async def test_titles(index: NearDuplicates, one: str, other: str, same: bool) -> None:
    placed = [await place(index, key, title) for key, title in enumerate((one, other), 1)]
    assert (placed[0].cluster == placed[1].cluster) == same


async def test_short_texts_by_their_characters(index: NearDuplicates) -> None:
    titles = ["同步A股首秀：港股缩量回调", "同步A股首秀:港股缩量回调(图)", "60年铁树开花形状似玉米芯"]
    first, second, third = [await place(index, n, title) for n, title in enumerate(titles, 1)]
    assert second.cluster == first.cluster != third.cluster


@pytest.mark.parametrize(
    "text", ["", " \n\u200b", "😀😀😀", "word", "的", "!!!", "of the and " * 200, "首页 分享 订阅 " * 200]
)
async def test_texts_with_little_in_them(index: NearDuplicates, text: str) -> None:
    first, second = [await place(index, key, text) for key in (1, 2)]
    assert (second.cluster == first.cluster) == bool(text.strip(" \n\u200b"))
    other = await place(index, 3, "something else altogether")
    assert other.role == "single"


async def test_mixed_languages_join_their_like(index: NearDuplicates, story: Story) -> None:
    mixed = story(1, 80) + "国家统计局昨天公布数据，居民收入增长，物价平稳。" * 3 + story(2, 40)
    first = await place(index, 1, mixed)
    assert (await place(index, 2, "转载：" + mixed)).cluster == first.cluster


async def test_a_new_version_stays_where_it_was(index: NearDuplicates, story: Story) -> None:
    first = await place(index, 1, story(1))
    await place(index, 2, story(1))
    edited = await place(index, 1, story(1) + " one more line at the end", NOW + 5)
    assert (edited.cluster, edited.role, edited.members) == (first.cluster, "representative", 2)
    for n in range(20):
        edited = await place(index, 1, story(1) + f" version {n}", NOW + 10 + n)
    assert (edited.cluster, edited.members) == (first.cluster, 2)


async def test_an_article_alone_keeps_its_cluster_through_its_versions(index: NearDuplicates, story: Story) -> None:
    names = {(await place(index, 1, story(1) + f" update {n}", NOW + n)).cluster for n in range(5)}
    assert len(names) == 1
    later = await place(index, 2, story(1), NOW + 9)
    assert later.cluster in names
    assert (later.role, later.representative, later.members) == ("member", 1, 2)


async def test_a_rewritten_article_leaves_and_the_next_represents(index: NearDuplicates, story: Story) -> None:
    first = await place(index, 1, story(1))
    for key in (2, 3):
        await place(index, key, story(1) + f" reprint {key}")
    left = await place(index, 1, story(2), NOW + 5)
    assert (left.cluster != first.cluster, left.role, left.members) == (True, "single", 1)
    cluster = await index.cluster(first.cluster)
    assert cluster is not None
    assert (cluster.members, cluster.representative, cluster.keys) == (2, 2, (2, 3))
    assert (await place(index, 4, story(1))).cluster == first.cluster
    assert (await place(index, 5, story(2))).cluster == left.cluster


async def test_a_text_that_matches_two_clusters_joins_them_and_leaving_splits_them(
    index: NearDuplicates, story: Story
) -> None:
    one, two = cut(story(1), 0, 150), cut(story(1), 150, 300)
    assignments = Assignments()
    placed = {}
    for key, text in ((1, one), (2, one), (3, two), (4, two)):
        placed[key] = await place(index, key, text)
        assignments.note(key, placed[key])
    assert placed[1].cluster != placed[3].cluster
    bridge = await place(index, 5, story(1))
    assignments.note(5, bridge)
    assert (bridge.cluster, bridge.merged, bridge.members) == (placed[1].cluster, (placed[3].cluster,), 5)
    assert {assignments.cluster(key) for key in range(1, 6)} == {bridge.cluster}
    assert (await index.cluster(placed[3].cluster)) == await index.cluster(placed[1].cluster)
    gone = await place(index, 5, story(9), NOW + 5)
    assignments.note(5, gone)
    assert set(gone.moved) == {3, 4}
    assert gone.role == "single"
    assert assignments.cluster(1) == assignments.cluster(2) == placed[1].cluster
    assert assignments.cluster(3) == assignments.cluster(4) != assignments.cluster(1)
    halves = [await index.cluster(assignments.cluster(key)) for key in (1, 3)]
    assert [half and half.keys for half in halves] == [(1, 2), (3, 4)]
    again = await place(index, 5, story(1), NOW + 6)
    assert again.members == 5


async def test_forgotten_articles_leave(index: NearDuplicates, story: Story) -> None:
    first = await place(index, 1, story(1))
    await place(index, 2, story(1) + " and more")
    assert await index.forget(1)
    assert not await index.forget(1)
    assert not await index.forget(77)
    cluster = await index.cluster(first.cluster)
    assert cluster is not None
    assert (cluster.members, cluster.representative) == (1, 2)
    assert await index.forget(2)
    assert (await place(index, 3, story(1))).role == "single"


async def test_twins_at_the_same_moment_on_two_workers_meet(redis_url: str, story: Story) -> None:
    async with redis.asyncio.Redis.from_url(redis_url) as a, redis.asyncio.Redis.from_url(redis_url) as b:
        workers = [NearDuplicates(a, "test"), NearDuplicates(b, "test")]
        for seed in range(30):
            text = story(seed)
            pair = await asyncio.gather(*(place(w, 2 * seed + n, text) for n, w in enumerate(workers, 1)))
            assert pair[0].cluster == pair[1].cluster
            assert sorted(p.members for p in pair) == [1, 2]


async def test_a_crowd_of_twins_at_once(redis_url: str, story: Story) -> None:
    clients = [redis.asyncio.Redis.from_url(redis_url) for _ in range(8)]
    workers = [NearDuplicates(client, "test") for client in clients]
    texts = [story(n % 4) + f" note {n}" for n in range(64)]
    placed = await asyncio.gather(*(place(workers[n % 8], n + 1, text) for n, text in enumerate(texts)))
    assert len({p.cluster for p in placed}) == 4
    assert max(p.members for p in placed) == 16
    for client in clients:
        await client.aclose()


async def test_looks_go_on_after_a_restart(index: NearDuplicates, client: redis.asyncio.Redis, story: Story) -> None:
    await place(index, 1, story(1))
    await client.script_flush()
    assert (await place(index, 2, story(1))).members == 2
    await client.client_kill_filter(_type="normal", skipme=True)
    assert (await place(index, 3, story(1))).members == 3
    asked = index.sketch(story(1), 0)
    looks = [asyncio.create_task(candidates(index, asked)) for _ in range(4)]
    for _ in range(3):
        await asyncio.sleep(0)
    looks[0].cancel()  # its reply may be still to come, and must not be taken for another's
    found = await asyncio.gather(*looks[1:], candidates(index, index.sketch(story(2), 0)))
    assert found == [[1], [1], [1], []]
    assert await candidates(index, asked) == [1]


async def test_a_server_that_stood_still_answers_each_question_with_its_own(tmp_path: Path, story: Story) -> None:
    with PrivateRedis(tmp_path) as server:
        once = Retry(NoBackoff(), 0)
        async with redis.asyncio.Redis.from_url(server.url, socket_timeout=5.0, retry=once) as client:
            index = NearDuplicates(client, "test")
            placed = [await place(index, key, story(key)) for key in (1, 2)]
            pid = server.pid
            assert pid is not None
            os.kill(pid, signal.SIGSTOP)
            try:
                with pytest.raises(redis.RedisError):
                    await place(index, 3, story(3))
            finally:
                os.kill(pid, signal.SIGCONT)
            # The machine may be slow to wake it.
            client.connection_pool.connection_kwargs["socket_timeout"] = 30
            await client.connection_pool.disconnect()
            again = [await place(index, key + 10, story(key)) for key in (1, 2)]
            assert [one.cluster for one in again] == [one.cluster for one in placed]
            assert [one.role for one in again] == ["member", "member"]


async def test_identical_articles_fill_no_bucket(client: redis.asyncio.Redis, story: Story) -> None:
    index = NearDuplicates(client, "test")
    text = story(1)
    sketch = index.sketch(text, 0)
    for key in range(1, 1_101):
        placement = (await index.place_many([Arrival(key, sketch, NOW)]))[0]
    assert placement.members == 1_100
    sizes = {key: await client.strlen(key) for key in await client.keys("test:*:[bm]*")}
    assert max(size for key, size in sizes.items() if b":b" in key) < 40
    assert max(size for key, size in sizes.items() if b":m" in key) == 4 * 1_024
    cluster = await index.cluster(placement.cluster)
    assert cluster is not None
    assert (cluster.members, len(cluster.keys)) == (1_100, 1_024)


async def test_many_at_once_are_placed_as_one_after_the_other(client: redis.asyncio.Redis, story: Story) -> None:
    texts = [story(n % 9) + f" note {n}" * (n % 3) for n in range(60)] + [
        "",
        "a title of some words",
        "a title of some words, photos",
    ]
    names = []
    for prefix, step in (("one", 1), ("many", 7), ("all", 63)):
        index, assignments = NearDuplicates(client, prefix), Assignments()
        arrivals = [Arrival(n + 1, index.sketch(text, 0), NOW + n, f"s{n % 2}") for n, text in enumerate(texts)]
        for start in range(0, len(arrivals), step):
            batch = arrivals[start : start + step]
            for arrival, placement in zip(batch, await index.place_many(batch), strict=True):
                assignments.note(arrival.key, placement)
        groups: dict[str, list[int]] = {}
        for arrival in arrivals:
            groups.setdefault(assignments.cluster(arrival.key), []).append(arrival.key)
        names.append(sorted(groups.values()))
    assert names[0] == names[1] == names[2]
    assert len(names[0]) == 11


async def test_workers_that_place_many_at_once_meet(redis_url: str, story: Story) -> None:
    clients = [redis.asyncio.Redis.from_url(redis_url) for _ in range(3)]
    workers = [NearDuplicates(client, "test") for client in clients]
    # Each worker has each story four times: some of them match one of their own call that is refused.
    calls = [
        [Arrival(60 * w + n + 1, worker.sketch(story(n % 15) + f" note {w} {n}", 0), NOW) for n in range(60)]
        for w, worker in enumerate(workers)
    ]
    placed = await asyncio.gather(*(worker.place_many(call) for worker, call in zip(workers, calls, strict=True)))
    of_story = [{found[n].cluster for found in placed for n in range(seed, 60, 15)} for seed in range(15)]
    assert all(len(names) == 1 for names in of_story)
    assert len(set.union(*of_story)) == 15
    assert sorted(p.members for found in placed for p in found) == sorted([*range(1, 13)] * 15)
    for client in clients:
        await client.aclose()


async def test_versions_in_one_call_follow_one_another(index: NearDuplicates, story: Story) -> None:
    first = await place(index, 1, story(1))
    texts = [(1, story(1) + " more"), (2, story(1)), (2, story(2)), (1, story(2)), (3, story(1))]
    placed = await index.place_many([Arrival(key, index.sketch(text, 0), NOW + 1) for key, text in texts])
    assert placed[0].cluster == placed[1].cluster == first.cluster
    assert placed[2].cluster == placed[3].cluster != first.cluster
    assert [p.members for p in placed] == [1, 2, 1, 2, 1]
    assert placed[4].role == "single"


async def test_a_template_fills_no_bucket_either(client: redis.asyncio.Redis, story: Story) -> None:
    class Strict(Dedup):
        containment: ClassVar[float] = 0.99

    index = NearDuplicates(client, "test", Strict())
    template = story(1, 200)
    for key in range(400):
        await place(index, key + 1, template + " " + story(key + 10, 40))
    buckets = [await client.strlen(key) for key in await client.keys("test:*:b*")]
    assert max(buckets) < 6 * 200


async def test_nothing_is_found_outside_the_window(index: NearDuplicates, story: Story) -> None:
    window = index.params.window
    first = await place(index, 1, story(1))
    inside = await place(index, 2, story(1), NOW + window - 10)
    outside = await place(index, 3, story(1), NOW + 2 * window + 10)
    assert inside.cluster == first.cluster != outside.cluster


async def test_a_long_chain_of_twins_stays_one_cluster(index: NearDuplicates, story: Story) -> None:
    step = index.params.window / 3
    names = {(await place(index, n + 1, story(1), NOW + n * step)).cluster for n in range(12)}
    assert len(names) == 1


async def test_old_records_and_entries_are_freed(client: redis.asyncio.Redis, story: Story) -> None:
    index = NearDuplicates(client, "test", Dedup(window=3600))
    sizes = []
    sketches = [index.sketch(story(seed, 60), 0) for seed in range(100)]
    for n in range(1_000):
        await index.place_many([Arrival(n + 1, sketches[n % 100], NOW + n * 200)])
        if n % 500 == 499:
            sizes.append(sum([await client.strlen(k) for k in await client.keys("test:*:[brk]*")]))
    assert sizes[1] < 1.5 * sizes[0]
    assert len(await client.keys("test:*:r*")) <= 3


async def test_numbers_that_are_used_up_are_an_error(client: redis.asyncio.Redis, story: Story) -> None:
    index = NearDuplicates(client, "test")
    await place(index, 1, story(1))
    (name,) = await client.keys("test:*:n")
    await client.set(name, 2**32 - 2)
    with pytest.raises(StateError, match="numbers"):
        await place(index, 2, story(2))


@pytest.mark.parametrize(("method", "k"), [("simhash3", 3), ("simhash5", 5)])
async def test_simhash_finds_all_within_k_and_nothing_else(client: redis.asyncio.Redis, method: Any, k: int) -> None:
    index = NearDuplicates(client, "test", Dedup(method=method))
    rng = random.Random(7)
    base = rng.getrandbits(64)
    prints = {}
    for key in range(1, 301):
        value = base
        for bit in rng.sample(range(64), rng.randint(1, 9)):
            value ^= 1 << bit
        if value in prints.values():
            continue
        prints[key] = value
        await index.place(key, "", value, NOW)
    found = await candidates(index, index.sketch("", base))
    keys = (await index._store.rows(np.array(found)))["key"].tolist()
    assert sorted(keys) == [key for key, value in prints.items() if simhash.distance(value, base) <= k]
    distances = [simhash.distance(prints[key], base) for key in keys]
    assert distances == sorted(distances)


async def test_simhash_clusters_by_distance_alone(client: redis.asyncio.Redis) -> None:
    index = NearDuplicates(client, "test", Dedup(method="simhash3"))
    placed = [await index.place(key, "", value, NOW) for key, value in ((1, 0xFF00), (2, 0xFF07), (3, 0xFF7F), (4, 0))]
    assert [p.cluster == placed[0].cluster for p in placed] == [True, True, False, False]
    empty = [await index.place(key, "", 0, NOW) for key in (5, 6)]
    assert empty[0].cluster != empty[1].cluster


async def test_clusters_stay_consistent_through_any_history(client: redis.asyncio.Redis, story: Story) -> None:
    index, rng, assignments = NearDuplicates(client, "test"), random.Random(3), Assignments()
    texts = [cut(story(seed), start, start + 150) for seed in range(4) for start in (0, 75, 150)]
    texts += [story(seed) for seed in range(4)]
    alive: dict[int, str] = {}
    for step in range(400):
        key = rng.randint(1, 25)
        if rng.random() < 0.15:
            assert await index.forget(key) == (key in alive)
            alive.pop(key, None)
            continue
        alive[key] = rng.choice(texts)
        placement = await place(index, key, alive[key], NOW + step)
        assignments.note(key, placement)
        assert placement.representative in alive
        assert placement.members <= min(len(alive), _SPLIT_LIMIT)
    for key in alive:
        cluster = await index.cluster(assignments.cluster(key))
        if cluster is not None:
            assert cluster.members == len(cluster.keys) == len(set(cluster.keys))
            assert set(cluster.keys) <= set(alive)
            assert cluster.representative in cluster.keys
