"""A crawl through a pool whose proxies are killed under it: no page is lost, and the side spiders end in order."""

from __future__ import annotations

import threading
import time

import pytest

from tests.middlewares.test_proxies import ARTICLES, NewsSite, crawl
from tests.proxies.farm import Farm
from tests.proxies.running import scrapy
from tests.proxies.serving import serve


def test_no_page_is_lost_while_proxies_are_killed(tmp_path, redis_url):
    """Three of four proxies, each a process, are killed in the middle; the job never goes direct."""
    farms = [Farm(good=1) for _ in range(4)]
    try:
        with serve(NewsSite) as (site,):

            def kill() -> None:
                for number, farm in enumerate(farms[:3], 1):
                    deadline = time.monotonic() + 300
                    while len(site.seen) < 3 * number and time.monotonic() < deadline:
                        time.sleep(0.02)
                    farm.kill()

            killer = threading.Thread(target=kill)
            killer.start()
            stats, _ = crawl(
                tmp_path, site, [f"http://{farm.addresses['good'][0]}" for farm in farms], proxies='"required"',
                REDIS_URL=redis_url, ARTICLEBOT_DELAYS_MEAN_S="0.1",
            )  # fmt: skip
            killer.join()
    finally:
        for farm in farms:
            farm.kill()
    assert stats["articlebot/publish/new"] == ARTICLES
    assert stats["articlebot/proxies/proxy_fault"] >= 1
    assert "articlebot/proxies/direct" not in stats
    assert stats.get("log_count/ERROR", 0) == 0
    assert site.most == 1


@pytest.mark.parametrize(
    ("spider", "arguments", "said"),
    [
        ("proxy_lists", (), "no_lists"),
        ("proxy_check", (), "no_proxies"),
        ("metasearch", ("-a", "query=x"), "no_engines"),
    ],
)
def test_a_spider_with_nothing_to_do_ends_in_order(tmp_path, redis_url, spider, arguments, said):
    done = scrapy(tmp_path, "crawl", spider, *arguments, REDIS_URL=redis_url)
    assert done.returncode == 1
    assert f"({said})" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_list_that_is_not_there_or_holds_garbage_is_named(tmp_path, redis_url):
    (tmp_path / "good.txt").write_text("8.8.8.8:3128\nsocks5://8.8.4.4:1080\n10.0.0.1:80\n")
    (tmp_path / "garbage.bin").write_bytes(bytes(range(256)) * 100)
    lists = f"{tmp_path / 'missing.txt'},{tmp_path / 'garbage.bin'},http://127.0.0.1:1/x,{tmp_path / 'good.txt'}"
    done = scrapy(
        tmp_path, "crawl", "proxy_lists", "-a", f"lists={lists}", REDIS_URL=redis_url,
        ARTICLEBOT_PROXIES_ALLOW_PRIVATE="0",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "missing.txt: no proxies: FileNotFoundError" in done.stderr
    assert "garbage.bin: no proxies: empty" in done.stderr
    assert "http://127.0.0.1:1/x: no proxies: refused_connection" in done.stderr
    assert "1 proxies, 1 new, refused: proxy_private 1, proxy_socks 1" in done.stderr
