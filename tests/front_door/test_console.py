"""A newcomer's way through the console's API: sites are added, crawled, read, and taken out again."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Reply, SmallSite, news


class Api:
    """Asks as a program that has a token."""

    def __init__(self, port: int, token: str) -> None:
        self.url, self.token = f"http://127.0.0.1:{port}", token
        self._port = port

    def __call__(self, method: str, path: str, sent: Any = None) -> tuple[int, Any]:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=200)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request(method, f"/api/v1{path}", None if sent is None else json.dumps(sent), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text) if "json" in str(answer.getheader("Content-Type")) else text


@contextmanager
def console(door: Door, role: str) -> Iterator[Api]:
    """The console as a user starts it, and a token of the role."""
    made = door.json("console", "tokens", "add", "me", "--role", role)
    serving = door.begin("console", "--port", "0", "--jobs", str(door.folder / "jobs"))
    try:
        assert serving.stdout is not None
        yield Api(urlsplit(serving.stdout.readline()).port or 0, made["token"])
    finally:
        serving.send_signal(signal.SIGINT)
        serving.communicate(timeout=300)


def test_sites_are_added_followed_read_and_taken_out_while_a_crawl_runs(door: Door) -> None:
    (door.folder / "jobs").mkdir()
    first, second = news(3), news(4, prefix="Other")
    with SmallSite(first) as one, SmallSite(second) as other, console(door, "edit") as api:
        assert api("GET", "/jobs") == (200, [])
        status, told = api("POST", "/look", {"site": f"{one.url}/"})
        assert (status, len(told["samples"]), told["lists"][0]["articles"]) == (200, 3, 3), told
        assert api("POST", "/look", {"site": "not a site"})[0] == 400
        status, added = api("POST", "/jobs", {"site": f"{one.url}/", "name": "one"})
        assert status == 200, added
        crawl = door.begin("crawl", "article", "-a", f"jobs={door.folder / 'jobs'}", "-a", "until=forever")
        try:
            wait_for(lambda: len(api("GET", "/articles")[1]["articles"]) == 3)
            # What is added while the crawl runs is followed without a restart.
            api("POST", "/jobs", {"site": f"{other.url}/", "name": "other"})
            wait_for(lambda: len(api("GET", "/articles?job=other")[1]["articles"]) == 4)
            assert api("GET", "/jobs/other")[1]["pages"] > 0
            assert api("GET", "/status")[1]["workers_alive"] == 1

            late = "/2026/11/21/late.html"
            one.pages[late] = Reply(str(first[next(path for path in first if path != "/")]).replace("Report", "Late"))
            assert api("POST", "/visit", {"urls": [f"{one.url}{late}"]})[0] == 200
            wait_for(lambda: len(api("GET", "/articles?q=Late")[1]["articles"]) == 1)
            (found,) = api("GET", "/articles?q=Late")[1]["articles"]
            assert api("GET", f"/articles/{found['page_key']}")[1]["body"]
            # It is in the archive a moment before its visit is over.
            wait_for(lambda: "Published" in api("GET", f"/explain?url={one.url}{late}")[1]["why"])

            api("PATCH", "/jobs/other", {"paused": True})
            wait_for(lambda: "other" in door.json("status")["paused"])
            assert api("DELETE", "/jobs/other")[0] == 200
            assert [path.name for path in (door.folder / "jobs").iterdir()] == ["one.toml"]
        finally:
            crawl.send_signal(signal.SIGINT)
            crawl.communicate(timeout=300)
        assert door.json("console", "tokens")[0]["role"] == "edit"
        assert door.type("console", "tokens", "revoke", "me").returncode == 0
        wait_for(lambda: api("GET", "/jobs")[0] == 401)
    assert door.type("console", "tokens", "revoke", "me").returncode == 2
    assert door.type("console", "tokens", "add").returncode == 2
