"""Storms over a served world, and requests that overlap on a host."""

from __future__ import annotations

import asyncio

from articlebot_lab.newsroom import Server, build
from articlebot_lab.newsroom.storms import LENGTH_S, mood

START = 1_795_255_200.0


def test_storms_come_to_each_host_and_end_with_the_run():
    world = build(seed=7, seconds=600, sites=3, rate=0.1, started_at=START)
    host = world.sites[0].hosts[0]
    moods = [mood(world, host, START + second) for second in range(0, 600, int(LENGTH_S))]
    assert 5 < sum(one is not None for one in moods) < 60
    assert {"hang", "reset", "busy", "unavailable", "garbage"} >= {one for one in moods if one} != set()
    assert moods == [mood(world, host, START + second) for second in range(0, 600, int(LENGTH_S))]
    assert mood(world, host, world.ends_at) is None


async def answer(port: int, host: str, *, leave: bool = False) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    await writer.drain()
    try:
        return b"" if leave else await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def test_every_mood_is_answered_as_it_says():
    world = build(seed=7, seconds=600, sites=3, rate=0.1, started_at=START)
    host = world.sites[0].hosts[0]
    at = {mood(world, host, START + second): START + second for second in range(0, 590)}
    clock = {"now": START}
    server = Server(world, lambda: clock["now"], storms=True)
    port = await server.start()
    try:
        for name, beginning in (("busy", b"HTTP/1.1 429"), ("unavailable", b"HTTP/1.1 503"), ("garbage", b"\x00"),
                                ("reset", b""), (None, b"HTTP/1.1 200")):  # fmt: skip
            if name in at:
                clock["now"] = at[name]
                assert (await answer(port, host)).startswith(beginning), name
    finally:
        await server.stop()


async def test_two_requests_at_once_are_counted_but_not_after_a_client_that_is_gone():
    world = build(seed=7, seconds=600, sites=12, rate=0.1, started_at=START)
    slow = next(host for site in world.sites for host in site.hosts if "meridian" in host)
    server = Server(world, lambda: START)
    port = await server.start()
    try:
        await answer(port, slow)
        await answer(port, slow)
        assert server.overlaps == 0
        await answer(port, slow, leave=True)
        for _ in range(20):  # turns of the loop, in which the server sees that the client is gone
            await asyncio.sleep(0.005)
        await answer(port, slow)
        assert server.overlaps == 0
        await asyncio.gather(answer(port, slow), answer(port, slow))
        assert server.overlaps == 1
    finally:
        await server.stop()
