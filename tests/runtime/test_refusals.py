"""A Redis that refuses for good ends the crawl; one that is away for now does not."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
import redis
from redis.exceptions import AuthenticationError, BusyLoadingError, NoPermissionError, OutOfMemoryError, ResponseError

from articlebot.actions.base import BAD_USE, TRY_LATER, code_of, said_of
from articlebot.errors import StoreUnavailable
from articlebot.frontier.scripts import outages, passes
from articlebot.runtime.refusals import REFUSES, Refusals

WRONG = ResponseError("@user_script:331: WRONGTYPE Operation against a key holding the wrong kind of value")


def test_a_minute_of_refusals_ends_the_crawl(caplog: pytest.LogCaptureFixture) -> None:
    now, ends = [0.0], list[str]()
    refusals = Refusals(lambda: bool(ends), ends.append, lambda: now[0])
    with caplog.at_level(logging.ERROR):
        for now[0] in (1.0, 100.0, 120.0, 145.0):
            refusals.note(WRONG)
        assert not ends
        for now[0] in (160.0, 161.0):
            refusals.note(WRONG)
    assert ends == [REFUSES]
    assert len(caplog.records) == 2


@pytest.mark.parametrize(
    ("error", "for_now"),
    [
        (WRONG, False),
        (NoPermissionError("this user has no permissions to run the 'evalsha' command"), False),
        (ResponseError("unknown command `EVALSHA`, with args beginning with: "), False),
        (OutOfMemoryError("command not allowed when used memory > 'maxmemory'."), True),
        (ResponseError("MISCONF Errors writing to the AOF file: No space left on device"), True),
        (StoreUnavailable("Redis is away"), True),
    ],
)
def test_what_passes_is_tried_later(error: Exception, for_now: bool) -> None:
    assert passes(error) is for_now
    assert code_of(error) == (TRY_LATER if for_now else BAD_USE)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (AuthenticationError("Authentication required."), BAD_USE, "refuses this user or password: Authentication"),
        (OutOfMemoryError("command not allowed when used memory > 'maxmemory'."), TRY_LATER, "refuses for now: comm"),
        (
            OutOfMemoryError(
                "Command # 1 (ZADD k 1 a) of pipeline caused error: command not allowed when used memory > 'maxmemory'."
            ),
            TRY_LATER,
            "refuses for now: comm",
        ),
        (ResponseError("DB index is out of range"), BAD_USE, "refuses: DB index is out of range"),
        (BusyLoadingError("Redis is loading the dataset in memory"), TRY_LATER, "does not answer: Redis is loading"),
    ],
)
def test_a_store_and_a_question_say_the_same_of_a_server_that_does_not_serve(
    error: Exception, code: int, said: str
) -> None:
    with pytest.raises((StoreUnavailable, type(error))) as met, outages():
        raise error
    for one in (error, met.value):
        assert code_of(one) == code
        assert (said_of(one) or "").startswith(f"REDIS_URL: Redis {said}")


@pytest.mark.parametrize("key", ["{articlebot:recrawl}:meta", "{articlebot:recrawl}:due"])
def test_a_damaged_key_met_at_the_start_is_told_and_waited_for(redis_url: str, tmp_path: Path, key: str) -> None:
    jobs = tmp_path / "jobs.toml"
    jobs.write_text('[[site]]\nname = "a"\nlist_pages = ["http://127.0.0.1:1/"]\nallow_private = true\n')
    with redis.Redis.from_url(redis_url) as client:
        client.rpush(key, "what another program keeps there")
    command = [sys.executable, "-m", "scrapy", "crawl", "article", "-a", f"jobs={jobs}", "-a", "seconds=2"]
    environment = {**os.environ, "REDIS_URL": redis_url, "ARTICLEBOT_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert "articlebot: article finished with errors (seconds)" in done.stderr
    assert "Redis refuses what the crawl asks" in done.stderr
    assert "WRONGTYPE" in done.stderr
    assert "Traceback" not in done.stderr
