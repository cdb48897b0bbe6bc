from __future__ import annotations

import pytest
import redis.asyncio

from articlebot.dedup.volatile import RedisVolatileLines, compare, is_reread

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


def test_another_extractor_leaves_lines_out() -> None:
    assert is_reread("阅读 20334\n" + BODY, BODY)
    assert is_reread(BODY, BODY + "\nMore on this story")
    assert not is_reread(BODY, BODY + "\nThe vote was repeated on Friday.")
    assert not is_reread(BODY, BODY.replace("Tuesday", "Monday"))
    assert not is_reread("", BODY)


async def test_a_line_is_known_after_it_has_changed_once_on_the_site(redis_url: str) -> None:
    client = redis.asyncio.Redis.from_url(redis_url)
    lines = RedisVolatileLines(client, "test")
    assert await lines.known("a.example", ["offer #", "other"]) == frozenset()
    assert await lines.known("a.example", ["offer #"]) == {"offer #"}
    assert await lines.known("b.example", ["offer #"]) == frozenset()
    assert await lines.known("a.example", []) == frozenset()
    await client.aclose()
