"""``scrapy seeds`` with candidates: added, looked at, promoted and dropped, against a real site."""

from __future__ import annotations

import asyncio
import json

import redis.asyncio

from articlebot.jobs.files import load
from articlebot.recrawl.record import Seed
from articlebot.recrawl.store import RedisPageStates
from articlebot.seeds.candidates import Offer
from articlebot.seeds.queue import RedisCandidates
from articlebot.urls import page_key
from tests.proxies.running import scrapy
from tests.proxies.serving import Quiet, serve

STORY = "It happened in the town on that day, and many people who were there told us at length about it. " * 8


class Growing(Quiet):
    """A list page that names two more stories at each look."""

    looks = 0

    def do_GET(self) -> None:
        if self.path == "/":
            type(self).looks += 1
            links = "".join(
                f'<li><h3><a href="/2026/11/{n}-what-happened.html">What happened in the town on day {n}</a></h3></li>'
                for n in range(6 + 2 * self.looks)
            )
            self.answer(200, f"<html><head><title>News</title></head><body><ul>{links}</ul></body></html>".encode())
        elif self.path.startswith("/2026/"):
            page = f"<html><head><title>{self.path}</title></head><body><h1>Day</h1><p>{STORY}</p></body></html>"
            self.answer(200, page.encode())
        else:
            self.answer(404)


def test_candidates_become_jobs_or_are_dropped(tmp_path, redis_url):
    variables = {
        "REDIS_URL": redis_url, "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01",
        "ARTICLEBOT_SEEDS_INTO": str(tmp_path / "jobs"),
    }  # fmt: skip

    at_once = {"articlebot.spiders.probation:LOOK_AGAIN_S": 0.0}

    def seeds(*arguments: str, code: int = 0):
        done = scrapy(tmp_path, "seeds", *arguments, "--json", seconds=300, constants=at_once, **variables)
        assert done.returncode == code, done.stdout + done.stderr
        return {row["key"]: row for row in json.loads(done.stdout)}

    async def offer_list(url: str) -> None:
        async with redis.asyncio.Redis.from_url(redis_url) as client:
            await RedisCandidates(client).offer([Offer(url, url, "a.example", 0.4, "list")], 1.0)

    async def visited(url: str) -> None:
        async with redis.asyncio.Redis.from_url(redis_url) as client:
            await RedisPageStates(client, "{articlebot}").add_seeds([Seed(page_key(url), url, "other")], 1.0)

    with serve(Growing, Quiet) as (site, silent):
        listed = f"http://{site.address}/"
        asyncio.run(offer_list(listed))
        seeds("add", silent.address)
        planned = seeds("mine", "--dry-run")
        assert list(planned) == [silent.address, listed]  # by priority
        assert planned[listed]["looks"] == 0
        first = seeds("mine")
        assert first[silent.address]["state"] == "dropped"
        assert "no list page, feed or sitemap (no_tls 1)" in first[silent.address]["reason"]
        assert (first[listed]["state"], first[listed]["articles"], first[listed]["new"]) == ("probation", 4, 0)
        asyncio.run(visited(f"http://{site.address}/2026/11/8-what-happened.html"))
        second = seeds("mine")
        assert (second[listed]["state"], second[listed]["new"]) == ("promoted", 1)  # the other is known to a job
    (job,) = load([tmp_path / "jobs"])
    assert job.list_pages == (listed,)
    seeds("mine", code=1)
    dropped = seeds("drop", listed, "--reason", "no more")
    assert dropped[listed]["reason"] == "no more"
    states = {row["state"] for row in seeds("candidates").values()}
    assert states == {"dropped"}


def test_bad_use_is_said(tmp_path, redis_url):
    bad = tmp_path / "bad.txt"
    bad.write_text("{not json\n")
    for arguments, said in [
        (("promote", "nobody.example"), "is no candidate"),
        (("add", "--file", str(bad)), "not_json"),
        (("mine", "--jobs", str(tmp_path / "missing.toml")), "file_missing"),
    ]:
        done = scrapy(tmp_path, "seeds", *arguments, seconds=300, REDIS_URL=redis_url)
        assert done.returncode == 2, done.stderr
        assert said in done.stderr
