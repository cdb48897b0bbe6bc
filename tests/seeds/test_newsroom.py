"""The newsroom's sites, found from one query and from one home page, looked at and made jobs, in real processes."""

from __future__ import annotations

import json
import re
import time
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from articlebot.jobs.files import load
from articlebot_lab.newsroom.process import Newsroom
from tests.proxies.running import scrapy
from tests.proxies.serving import Quiet, serve

QUERY = "test"
command = partial(scrapy, seconds=500)
# Looks follow one another at once here, most of them in vain: a quiet site is to be waited for.
PATIENT = {
    "articlebot.spiders.probation:LOOK_AGAIN_S": 0.0, "articlebot.seeds.candidates:BUDGET": 500,
    "articlebot.seeds.candidates:LEAST_YIELD": 0.02,
}  # fmt: skip
_LINK = re.compile(r'<a href="([^"]+)"[^>]*>([^<]{8,})</a>')


class Engine(Quiet):
    """A search engine that has read the front pages: words of a title against those of the query, three of a host."""

    def do_GET(self) -> None:
        if not self.path.startswith("/search"):
            self.answer(404)
            return
        wanted = set(parse_qs(urlsplit(self.path).query)["q"][0].split())
        rows, hosts = [], {}
        for url, title, text in sorted(self.server.index, key=lambda row: -sum(word in row[2] for word in wanted)):
            host = urlsplit(url).netloc
            hosts[host] = hosts.get(host, 0) + 1
            if hosts[host] <= 3 and any(word in text for word in wanted):
                rows.append({"url": url, "title": title, "content": text[:80]})
        self.answer(200, json.dumps({"results": rows}, ensure_ascii=False).encode(), "application/json")


def hosts_of(room: Newsroom) -> set[str]:
    """The hosts that the newsroom's own home page names."""
    home = room.get("http://newsroom.test/")[2].decode()
    return set(re.findall(r"http://([\w.-]+\.test)/", home)) - {"newsroom.test"}


def read_front_pages(room: Newsroom) -> list[tuple[str, str, str]]:
    """(address, title, words) of what the sites' front pages link to."""
    index = []
    for host in sorted(hosts_of(room)):
        body = room.get(f"http://{host}/")[2]
        text = body.decode("gb18030" if b"gbk" in body[:2000].lower() else "utf-8", "replace")
        words = f"{host} {re.sub(r'<[^>]+>', ' ', text)}".lower()
        links = [(f"http://{host}{url}" if url.startswith("/") else url, title) for url, title in _LINK.findall(text)]
        index += [(url, title, words) for url, title in [(f"http://{host}/", host), *links] if url.startswith("http")]
    return index


@pytest.mark.slow
def test_sites_are_found_from_one_query_and_one_home_page(tmp_path, redis_url):
    with Newsroom(seconds=900, grace=3600, sites=12, rate=1.5) as room, serve(Engine) as (engine,):
        engine.index = read_front_pages(room)
        keys = {host.split(".")[-2] for host in hosts_of(room)}
        own = {"name": "own", "type": "searxng", "url": f"http://{engine.address}/search?q={{query}}", "robots": False}
        variables = {
            "http_proxy": room.proxy, "no_proxy": "127.0.0.1", "REDIS_URL": redis_url,
            "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01", "ARTICLEBOT_DELAYS_MEAN_S": "0.02",
            "ARTICLEBOT_PROGRESS_S": "0",
            "ARTICLEBOT_SEEDS_ENGINES": json.dumps([own]),
        }  # fmt: skip
        found = tmp_path / "found.jsonl"
        asked = command(tmp_path, "crawl", "metasearch", "-a", f"query={QUERY}", "-O", str(found), **variables)
        assert asked.returncode == 0, asked.stderr
        added = command(tmp_path, "seeds", "add", "--file", str(found), **variables)
        assert added.returncode == 0, added.stderr
        assert _keys(_candidates(tmp_path, variables)) == keys

        promoted: set[str] = set()
        deadline = time.monotonic() + 1500
        while promoted != keys and time.monotonic() < deadline:
            mined = command(
                tmp_path, "seeds", "mine", "--into", str(tmp_path / "jobs"), "--json", constants=PATIENT, **variables
            )
            assert mined.returncode in (0, 1), mined.stderr
            rows = json.loads(mined.stdout)
            assert not [row["reason"] for row in rows if row["state"] == "dropped"], mined.stderr
            promoted |= _keys([row for row in rows if row["state"] == "promoted"])
        assert promoted == keys
        checked = command(tmp_path, "jobs", "check", str(tmp_path / "jobs"), **variables)
        assert checked.returncode == 0, checked.stdout
        assert {urlsplit(job.entry_urls[0][0]).netloc.split(".")[-2] for job in load([tmp_path / "jobs"])} == keys

        variables["ARTICLEBOT_KEY_PREFIX"] = "home"
        crawled = command(
            tmp_path, "crawl", "article", "-a", "url=http://newsroom.test/", "-a", "until=idle", **variables
        )
        assert crawled.returncode == 3, crawled.stderr  # the page of all sites has no article of its own
        assert _keys(_candidates(tmp_path, variables)) == keys


def _keys(rows: list[dict[str, str]]) -> set[str]:
    return {row["key"].split(".")[-2] for row in rows}


def _candidates(folder: Path, variables: dict[str, str]) -> list[dict[str, str]]:
    shown = command(folder, "seeds", "candidates", "--most", "100", "--json", **variables)
    assert shown.returncode == 0, shown.stderr
    rows: list[dict[str, str]] = json.loads(shown.stdout)
    return rows
