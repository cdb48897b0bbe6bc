"""Storms: moments in which a site hangs, cuts connections, or answers 429, 503 or garbage."""

from __future__ import annotations

import asyncio
from typing import Literal, get_args

from articlebot_lab.newsroom.answers import Answer, text_answer
from articlebot_lab.newsroom.world import World, rng_for

Mood = Literal["hang", "reset", "busy", "unavailable", "garbage"]
_MOODS: tuple[Mood, ...] = get_args(Mood)
LENGTH_S = 3.0
_SHARE = 0.12
_GARBAGE = b"\x00\x01\x02 HTTP/nonsense\r\n\xff\xfe\r\n\r\n"


def mood(world: World, host: str, now: float) -> Mood | None:
    """What a host suffers from at a time, None for nothing: 12% of its stretches of 3 s, until the run is over."""
    stretch = int((now - world.started_at) // LENGTH_S)
    rng = rng_for(world.seed, "storm", host, stretch)
    if now >= world.ends_at - LENGTH_S or rng.random() >= _SHARE:
        return None
    return rng.choice(_MOODS)


async def suffer(writer: asyncio.StreamWriter, mood: Mood) -> Answer | None:
    """The answer in a storm; None where there is none and the connection is at its end."""
    if mood == "busy":
        refusal = text_answer(429, "Too many requests.\n")
        return Answer(429, refusal.body, (*refusal.headers, ("Retry-After", "1")))
    if mood == "unavailable":
        return text_answer(503, "Back soon.\n")
    if mood == "hang":
        await asyncio.sleep(10 * LENGTH_S)
    elif mood == "garbage":
        writer.write(_GARBAGE)
        await writer.drain()
    writer.transport.abort()
    return None
