"""The hostile host does the harm it promises, and still serves its good articles."""

from __future__ import annotations

import asyncio
import json
import zlib

import pytest

from articlebot_lab.newsroom import hostile

from .conftest import Room

AT = f"http://{hostile.HOST}"


async def test_good_articles_are_served_as_the_truth_says(room: Room) -> None:
    truth = json.loads((await room.get("http://newsroom.test/truth.json")).body)["hostile"]
    index = (await room.get(f"{AT}/")).text()
    for article in truth["good"]:
        assert article["url"] in index
        assert article["title"] in (await room.get(article["url"])).text().replace("&amp;", "&")
    assert len(truth["traps"]) > 20
    assert all(url in index for url in truth["traps"])
    assert len({url.split("/")[2] for url in truth["traps"]}) == len(truth["traps"]), "each on a host of its own"


def test_the_bomb_is_small_and_unpacks_without_end() -> None:
    packed = hostile.bomb()
    assert len(packed) < 1 << 20
    unpacker = zlib.decompressobj(31)
    unpacked = unpacker.decompress(packed, 8 << 20)
    assert unpacked == b" " * (8 << 20)
    assert len(unpacker.unconsumed_tail) > 0.9 * len(packed)
    assert 500 * len(packed) < hostile.BOMB_BYTES


async def test_large_is_as_large_as_it_says(room: Room) -> None:
    reply = await room.get(f"{AT}/large")
    assert len(reply.body) == int(reply.headers["content-length"]) == hostile.LARGE_BYTES


async def test_redirects_without_end(room: Room) -> None:
    url = "/redirect-loop"
    for _ in range(6):
        url = (await room.get(f"{AT}{url}")).headers["location"]
    assert url == "/redirect-loop"
    assert (await room.get(f"{AT}/redirect-chain/41")).headers["location"] == "/redirect-chain/42"


async def test_truncated_and_reset(room: Room) -> None:
    reply = await room.get(f"{AT}/truncated")
    assert len(reply.body) < int(reply.headers["content-length"])
    with pytest.raises(ConnectionResetError):
        await room.get(f"{AT}/reset")


@pytest.mark.parametrize("path", ["/slow", "/silent"])
async def test_what_does_not_end(room: Room, path: str) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(room.get(f"{AT}{path}"), 0.7)
    assert (await room.get(f"{AT}/good/1")).status == 200


async def test_deep_and_broken_pages(room: Room) -> None:
    assert (await room.get(f"{AT}/deep")).body.count(b"<div>") == hostile.DEPTH
    with pytest.raises(UnicodeDecodeError):
        (await room.get(f"{AT}/broken-text")).text()
    assert (await room.get(f"{AT}/empty")).body == b""
