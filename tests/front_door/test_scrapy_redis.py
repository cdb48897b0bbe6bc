"""The habits of people who come from scrapy-redis."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.front_door.door import Door, wait_for
from tests.front_door.server import redis_server
from tests.front_door.site import SmallSite, article, news

SETTINGS = """
from articlebot.settings import *

STATS_CLASS = "articlebot.extensions.shared_stats.SharedStatsCollector"
ITEM_PIPELINES = {**ITEM_PIPELINES, "articlebot.pipelines.redis_items.RedisItemsPipeline": 950}
"""


def test_a_running_spider_is_fed_and_items_and_statistics_are_shared(tmp_path: Path) -> None:
    door = Door(tmp_path, cwd=tmp_path)
    door.file("scrapy.cfg", "[settings]\ndefault = my_settings\n")
    door.file("my_settings.py", SETTINGS)
    fed = ["/fed/one.html", "/fed/two.html"]
    pages = {**news(3), **{path: article(f"Fed to the spider as {path[5:8]}") for path in fed}}
    with SmallSite(pages) as site, redis_server(tmp_path) as store:
        # The user that docs/how-to/operations.md names.
        rights = ("on", ">secret", "~{articlebot*", "~article:*", "+@all", "-@admin", "-@dangerous", "+info")
        store.execute_command("ACL", "SETUSER", "articlebot", *rights)
        env = {"REDIS_URL": f"unix://articlebot:secret@{tmp_path}/own.sock"}
        crawl = door.begin("crawl", "article", "-a", f"url={site.url}/", "-s", "LOG_FILE=crawl.log", env=env)
        try:
            wait_for(lambda: store.llen("article:items") == 3)
            store.lpush("article:start_urls", site.url + fed[0], "http://elsewhere.test/", "no address", '{"uri": "x"}')
            store.lpush("article:start_urls", json.dumps({"url": site.url + fed[1], "meta": {"mine": 1}}))
            wait_for(lambda: store.llen("article:items") == 5)
            wait_for(lambda: not store.exists("article:start_urls"))
        finally:
            crawl.send_signal(signal.SIGINT)
            crawl.communicate(timeout=300)
        rows = [json.loads(row) for row in store.lrange("article:items", 0, -1)]
        store.execute_command("ACL", "SETUSER", "articlebot", "-zrem")
        refused = door.type("crawl", "article", "-a", f"url={site.url}/", env=env)
        assert refused.returncode == 2
        assert "REDIS_URL: Redis lets its user do too little: ACL SETUSER articlebot +zrem" in refused.stderr
        shared = {name.decode(): float(value) for name, value in store.hgetall("article:stats").items()}
    assert {f"Fed to the spider as {name}" for name in ("one", "two")} <= {row["title"] for row in rows}
    assert shared["articlebot/publish/new"] == 5
    said = (tmp_path / "crawl.log").read_text()
    assert "no job follows http://elsewhere.test/" in said
    assert "Refused b'no address' from article:start_urls" in said
    assert """Refused b'{"uri": "x"}' from article:start_urls: expected the key "url" in it""" in said
    assert "\x1b" not in said
    assert "ERROR" not in said
    assert "Disabled " not in said
