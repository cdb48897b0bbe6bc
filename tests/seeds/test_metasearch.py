from __future__ import annotations

import json

import pytest

from articlebot.errors import ConfigError, RefusedError
from articlebot.seeds.engines import Engine, engines
from articlebot.seeds.fusion import fuse
from tests.proxies.running import scrapy
from tests.proxies.serving import Quiet, serve


@pytest.mark.parametrize(
    ("row", "where"),
    [
        ({"name": "a", "type": "searxng", "url": "http://a/"}, "{query}"),
        ({"name": "a", "type": "html", "url": "http://a/?q={query}"}, "result"),
        ({"name": "a", "type": "html", "url": "http://a/?q={query}", "result": "//["}, "result"),
        ({"name": "a", "type": "other", "url": "http://a/?q={query}"}, "type"),
    ],
)
def test_wrong_engines_are_named(row, where):
    with pytest.raises(ConfigError, match="ARTICLEBOT_SEEDS_ENGINES") as caught:
        engines((row,))
    assert where in str(caught.value)


def test_html_where_json_was_expected_is_named():
    engine = Engine(name="a", type="searxng", url="http://a.example/?q={query}")
    assert engine.ask("a b&c") == "http://a.example/?q=a%20b%26c&format=json"
    with pytest.raises(RefusedError, match="not_json"):
        engine.read(b"<html>Too many requests</html>", "http://a.example/")


@pytest.mark.parametrize(
    ("kind", "body", "reason"),
    [
        ("searxng", b"", "not_json"),
        ("searxng", b"[1, 2]", "not_json"),
        ("searxng", b'{"results": {"url": "x"}}', "not_json"),
        ("searxng", b"[" * 100_000, "not_json"),
        ("rss", b"<html><body>Too many requests</body></html>", "not_feed"),
        ("rss", b"\x00\xff\xfe", "not_feed"),
        ("rss", b'{"results": []}', "not_feed"),
        ("html", b"\x89PNG\r\n\x1a\n" + bytes(400), "not_html"),
    ],
)
def test_answers_of_another_kind_are_named(kind, body, reason):
    engine = Engine(name="a", type=kind, url="http://a.example/?q={query}", result="div")
    with pytest.raises(RefusedError) as caught:
        engine.read(body, "http://a.example/", None)
    assert caught.value.reason == reason


def test_rows_that_are_none_are_left_out_and_many_are_bounded():
    engine = Engine(name="a", type="searxng", url="http://a.example/?q={query}")
    rows = [None, 3, {}, {"url": None}, {"url": ["x"]}, *({"url": f"http://s{n}.example/"} for n in range(5000))]
    found = fuse({"a": engine.read(json.dumps({"results": rows}).encode(), "http://a.example/")})
    assert 0 < len(found) <= 200
    assert all(one.url.startswith("http://s") for one in found)


class Engines(Quiet):
    """Four engines of three types; one is broken."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        rows = [{"url": f"http://site{n}.example/", "title": f"Site {n}", "content": "…"} for n in (1, 2, 3)]
        if path == "/json":
            self.answer(200, json.dumps({"results": rows}).encode(), "application/json")
        elif path == "/rss":
            items = "".join(f"<item><title>S{n}</title><link>http://site{n}.example/</link></item>" for n in (2, 4))
            self.answer(200, f"<rss><channel>{items}</channel></rss>".encode(), "application/rss+xml")
        elif path == "/html":
            results = "".join(
                f'<div class="r"><a href="http://site{n}.example/"><h3>S{n}</h3></a></div>' for n in (2, 1)
            )
            self.answer(200, f"<html><body>{results}</body></html>".encode())
        else:
            self.answer(404 if path == "/robots.txt" else 500)


def test_engines_are_asked_and_their_ranks_merged(tmp_path):
    with serve(Engines) as (server,):
        base = f"http://{server.address}"
        rows = [
            {"name": "sx", "type": "searxng", "url": f"{base}/json?q={{query}}"},
            {"name": "os", "type": "rss", "url": f"{base}/rss?q={{query}}"},
            {"name": "page", "type": "html", "url": f"{base}/html?q={{query}}", "result": "div.r", "title": "h3"},
            {"name": "down", "type": "searxng", "url": f"{base}/down?q={{query}}"},
            {"name": "wrong", "type": "searxng", "url": f"{base}/html?q={{query}}"},
        ]
        out = tmp_path / "found.jsonl"
        done = scrapy(
            tmp_path, "crawl", "metasearch", "-a", "query=port strike", "-O", str(out),
            ARTICLEBOT_SEEDS_ENGINES=json.dumps(rows),
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["url"] for row in found] == [f"http://site{n}.example/" for n in (2, 1, 4, 3)]
    assert found[0]["ranks"] == {"sx": 2, "os": 1, "page": 1}
    assert "down gave no results: http_500" in done.stderr
    assert "wrong gave no results: not_json" in done.stderr
    assert " ERROR " not in done.stderr
