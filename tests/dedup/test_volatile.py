from __future__ import annotations

import pytest
import redis.asyncio

from articlebot.dedup.volatile import Difference, RedisVolatileLines, compare

BODY = "The council voted on Tuesday.\nNobody objected, the minutes say."


@pytest.mark.parametrize(
    ("old", "new", "edited"),
    [
        (BODY, BODY.replace("Tuesday", "Monday"), True),
        (BODY, BODY + "\nThe vote was repeated on Friday.", True),
        (BODY, "\n".join(reversed(BODY.split("\n"))), True),
        (BODY + "\nRead by 1024", BODY + "\nRead by 2048", False),
        ("阅读 20334\n" + BODY, "阅读 6676\n" + BODY, False),
        ("Learn Italian in ten days\n" + BODY, "Compare broadband now\n" + BODY, False),
    ],
)
def test_sentences_are_edits_and_other_lines_may_not_be(old: str, new: str, edited: bool) -> None:
    assert compare(old, new).edited is edited


def test_equal_texts_do_not_differ() -> None:
    difference = compare(BODY, BODY)
    assert not difference.edited
    assert not difference.shapes


@pytest.mark.parametrize(
    "line", ["阅读 {}", "Views: {}", "You are visitor number {}", "{} comments", "2026-01-02 10:11:{} Weather"]
)
def test_counters_and_clocks_are_known_at_first_sight(line: str) -> None:
    difference = compare(f"{BODY}\n{line.format(13)}", f"{BODY}\n{line.format(57)}")
    assert difference.shapes
    assert difference.shapes == difference.counters


def test_a_result_is_no_counter() -> None:
    difference = compare(f"{BODY}\nArsenal 2 Chelsea 1", f"{BODY}\nArsenal 2 Chelsea 3")
    assert difference.shapes == {"Arsenal # Chelsea #"}
    assert not difference.counters


@pytest.mark.parametrize(
    "line",
    [
        "Correction: an earlier version misstated how many comments the council had received.",
        "更正：此前报道中有关总统访问法国的日期有误。",
    ],
)
def test_a_sentence_that_names_what_counters_count_is_an_edit(line: str) -> None:
    assert compare(BODY, f"{BODY}\n{line}").edited


async def test_a_line_moves_that_has_come_and_gone_on_the_site(redis_url: str) -> None:
    client = redis.asyncio.Redis.from_url(redis_url)
    lines = RedisVolatileLines(client, "test")
    offer, other = frozenset({"Learn Italian"}), frozenset({"Compare broadband"})
    assert await lines.moving("a.example", 1, Difference(False, lost=offer, gained=other)) == frozenset()
    assert await lines.moving("a.example", 2, Difference(False, lost=other, gained=offer)) == offer | other
    assert await lines.moving("b.example", 3, Difference(False, lost=other, gained=offer)) == frozenset()
    assert await lines.moving("a.example", 1, Difference(False)) == frozenset()
    await client.aclose()


async def test_a_note_that_several_articles_gain_is_an_edit_of_each(redis_url: str) -> None:
    client = redis.asyncio.Redis.from_url(redis_url)
    lines = RedisVolatileLines(client, "notes")
    note = Difference(False, gained=frozenset({"Corrected on May #"}))
    assert [await lines.moving("a.example", page, note) for page in range(1, 8)] == [frozenset()] * 7
    await client.aclose()


async def test_figures_move_by_themselves_where_several_pages_have_them(redis_url: str) -> None:
    client = redis.asyncio.Redis.from_url(redis_url)
    lines = RedisVolatileLines(client, "figures")
    score = frozenset({"Arsenal # Chelsea #"})
    result = Difference(False, lost=score, gained=score)
    assert [await lines.moving("a.example", page, result) for page in (1, 1, 2)] == [frozenset(), frozenset(), score]
    await client.aclose()
