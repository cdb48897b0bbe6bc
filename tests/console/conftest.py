"""A served console over a real archive, a real Redis and real files, spoken to over HTTP."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import redis.asyncio
from scrapy.settings import Settings

from articlebot.alerts.searches import RedisSearches, SavedSearch
from articlebot.archive import Archive, Kept, schema
from articlebot.archive.engine import writing
from articlebot.config import Config
from articlebot.console.serve import prepare
from articlebot.console.sources import Sources
from articlebot.console.who import RedisTokens
from articlebot.extraction.wrapper.shelf import FolderShelf
from articlebot.extraction.wrapper.store import PageStore, StoredPage
from articlebot.jobs.history import FolderRounds, RoundRecord
from articlebot.jobs.hours import Window
from articlebot.jobs.learned import Learned, LearnedJobs
from articlebot.proxies.wall_counts import RedisWalls
from articlebot.runtime import Runtime, clock
from articlebot.runtime.runs import RedisRuns, Run
from tests.archive.conftest import make_article

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
HOOK_SECRET = "not-to-be-shown"
SINKS = {
    "file": {"type": "jsonlines"},
    "desk": {
        "type": "webhook", "url": f"https://u:{HOOK_SECRET}@desk.example/", "secret": HOOK_SECRET,
        "headers": {"X-Key": HOOK_SECRET},
    },
}  # fmt: skip
JOBS = """
[[site]]
name = "example"
list_pages = ["https://news.example.com/"]
timezone = "Asia/Shanghai"
interval = "10m"
"""
HTML = (
    '<p onclick="x()">Safe <b>text</b><script>alert(3)</script><img src="https://elsewhere.example/pixel.png">'
    '<a href="javascript:alert(4)">bad</a> <a href="https://good.example/">good</a></p><style>body{display:none}</style>'
)


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str
    cookies: list[str] = field(default_factory=list)


@dataclass
class Client:
    """Speaks to the console; keeps the cookie."""

    host: str
    port: int
    token: str
    cookie: str = ""
    bearer: str = ""

    def ask(self, method: str, path: str, sent: object = None, **more: str) -> Answer:
        """As a program does."""
        headers = {"Authorization": f"Bearer {self.bearer or self.token}", "Content-Type": "application/json", **more}
        return self.send(method, f"/api/v1{path}", None if sent is None else json.dumps(sent), headers)

    def get(self, path: str, **headers: str) -> Answer:
        return self.send("GET", path, None, headers)

    def post(self, path: str, form: dict[str, str], **headers: str) -> Answer:
        headers = {"Content-Type": "application/x-www-form-urlencoded", **headers}
        return self.send("POST", path, urlencode(form), headers)

    def send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=200)
        if self.cookie:
            headers = {"Cookie": self.cookie, **headers}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return Answer(answer.status, dict(answer.getheaders()), text, answer.msg.get_all("Set-Cookie") or [])

    def log_in(self) -> Client:
        answer = self.get(f"/?token={self.token}")
        assert answer.status == 303, answer.text
        return Client(self.host, self.port, self.token, answer.cookies[0].partition(";")[0])

    def form_token(self, path: str) -> str:
        found = re.search(r'name="form_token" value="(\w+)"', self.get(path).text)
        assert found is not None
        return found[1]


def stored(number: int) -> str:
    """A page of example.com that tries what a page can, each with its own headline."""
    return (
        "<!doctype html><html lang=en><head><title>Example</title><base href='https://elsewhere.example/'>"
        "<meta http-equiv=refresh content='0;url=https://elsewhere.example/'>"
        "<link rel=stylesheet href='https://elsewhere.example/a.css'><style>@import 'https://elsewhere.example/b.css';"
        "body{background:url(https://elsewhere.example/c.png)}</style><script>document.title='ran'</script></head>"
        "<body onload=\"document.title='ran'\" style='background:url(https://elsewhere.example/d.png)'>"
        "<h1 class=section>Example news</h1>"
        f"<div class='story-title' onclick=\"document.title='ran'\">Bridge number {number}</div>"
        "<img src='https://elsewhere.example/e.png' onerror=\"document.title='ran'\"><iframe src='/jobs'></iframe>"
        "<form action='https://elsewhere.example/f' method=post><button>Send it</button><input autofocus></form>"
        "<svg onload=\"document.title='ran'\"><style><img src=x onerror=alert(1)></style></svg>"
        "<object data='https://elsewhere.example/g'></object><embed src='https://elsewhere.example/h'>"
        "<noscript><p title='</noscript><img src=x onerror=alert(2)>'></noscript>"
        "<template><script>alert(3)</script></template><p hidden>Not to be seen</p>"
        f"<div class=story><p>The old bridge number {number} was closed on Monday "
        "&lt;script&gt;alert(4)&lt;/script&gt; <a href='javascript:alert(5)' ping='https://elsewhere.example/i'>"
        f"and is open</a> again.</p><p>{'Words. ' * 60}</p></div></body></html>"
    )


def fill(folder: Path, now: float) -> None:
    """An archive with versions, a cluster and a hostile page; a crawl log; a round history; learned windows."""
    cluster = {"cluster": "c" * 16}
    with Archive(f"sqlite:///{folder / 'archive.db'}") as archive:
        first = make_article(
            "bridge", "The old bridge was closed on Monday.", title="Bridge closed", published_at_epoch=now - 900,
            category="society", keywords=("bridge", "<b>"), cluster_role="representative",
            media=("https://tv.example/bridge.m3u8",),
            **cluster,
        )  # fmt: skip
        archive.publish([first], now - 600, {first: Kept(html="<p>The old bridge was closed on Monday.</p>")})
        body = "The old bridge was opened on Tuesday."
        second = make_article("bridge", body, title="Bridge opened", published_at_epoch=now - 900,
                              cluster_role="representative", **cluster)  # fmt: skip
        others = [
            make_article("copy", "The old bridge was opened on Tuesday, we hear.", title="Bridge, again",
                         published_at_epoch=now - 700, cluster_role="member", **cluster),
            make_article("bad", HOSTILE, title=HOSTILE, relevance=0.4, published_at_epoch=now - 300),
            make_article("zh", "北京大学今天公布了招生计划。", title="北京大学招生", language="zh", site="pku.example",
                         published_at_epoch=now - 100),
        ]  # fmt: skip
        html = Kept(html=HTML)
        archive.publish([second, *others], now - 60, {second: html, others[1]: html})
        with writing(archive.engine) as connection:
            state = {"name": "desk", "failures": 1, "retry_at": now + 600, "error": "refused <b>"}
            connection.execute(schema.sinks.insert(), state)
    pages = PageStore(FolderShelf(folder))
    for number in range(5):
        url = f"https://news.example.com/{number or 'bridge'}"
        pages.put("example.com", StoredPage(url, stored(number).encode(), "text/html", now - 60 * number))
    history = FolderRounds(folder / "history", "worker")
    for i in range(300):
        history.write(RoundRecord("example", now - 3600 * (300 - i), new_items=i % 4, changed=i % 2))
    history.close()
    windows = (Window(days=("mon", "tue"), hours="8-20"),)
    LearnedJobs({"example": Learned(windows, 0.97, 1200.0, now)}).save(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a little of everything."""
    made = tmp_path_factory.mktemp("console")
    fill(made, clock.now())
    return made


def apart(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """The result of coroutines in a thread of their own: Playwright has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(work())).result()


async def _note_walls(url: str) -> None:
    async with redis.asyncio.from_url(url) as client:
        await client.flushall()  # the server is shared by all modules
        for kind in ("login", "captcha", "captcha"):
            await RedisWalls(client, "{articlebot}").note("walled.example", kind, 1_700_000_000.0)
        now = clock.now()
        search = SavedSearch(name="Bridges", words="bridge", category="society", alert=True, who="ann", at=now - 900)
        await RedisSearches(client, "{articlebot}").save(search, {})
        minutes = {int((now - 150) // 60): Counter(answered=2, not_modified=1, failed=2)}
        await RedisRuns(client).note(Run("gone", "article", now - 900, now - 800, {}), minutes)


@pytest.fixture(scope="module")
def server(folder: Path, redis_server: object) -> Iterator[Client]:
    """The console, served by this process in a thread; nobody has its cookie yet."""
    url = redis_server.url  # type: ignore[attr-defined]
    apart(lambda: _note_walls(url))
    settings = Settings(
        {
            "ARTICLEBOT_DATA_DIR": str(folder),
            "REDIS_URL": url,
            "ARTICLEBOT_PUBLISHING_SINKS": SINKS,
            "ARTICLEBOT_CONSOLE_IMAGES": True,
        }
    )
    (folder / "jobs").mkdir()
    (folder / "jobs" / "example.toml").write_text(JOBS, "utf-8")
    runtime = Runtime(Config.from_settings(settings))
    running, listener, link = prepare(Sources(runtime, [folder / "jobs"]), 0)
    found = re.fullmatch(r"http://([\d.]+):(\d+)/\?token=(\S+)", link)
    assert found is not None
    with listener:
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        yield Client(found[1], int(found[2]), found[3])
        running.should_exit = True
        thread.join(20)
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def client(server: Client) -> Client:
    """Somebody with the cookie."""
    return server.log_in()


@pytest.fixture(scope="module")
def reader(server: Client, redis_server: object) -> Client:
    """Somebody with the cookie of a named token that may read."""

    async def make() -> str:
        async with redis.asyncio.from_url(redis_server.url) as one:  # type: ignore[attr-defined]
            tokens = RedisTokens(one, "{articlebot}")
            await tokens.revoke("reader")
            return await tokens.add("reader", "read", clock.now())

    stranger = Client(server.host, server.port, "no token")
    assert stranger.ask("GET", "/searches").status == 401  # from here on the console knows which tokens there are
    return Client(server.host, server.port, apart(make)).log_in()
