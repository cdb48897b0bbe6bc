"""Nothing that the score asks for is out of a polite crawler's reach."""

from __future__ import annotations

import functools
import html
import random
import re
from dataclasses import replace

import pytest

from articlebot_lab.newsroom import World, build
from articlebot_lab.newsroom.answers import Request, Sites
from articlebot_lab.newsroom.sites import SITES
from articlebot_lab.newsroom.truth import DELAY, INTERVAL, MAX_INTERVAL, feeds, list_pages, sitemaps

from .conftest import START


@functools.cache
def calm_world(seed: int) -> World:
    """A world whose sites are never unavailable."""
    world = build(seed=seed, seconds=60, sites=12, rate=1, started_at=START)
    return replace(world, sites=tuple(replace(site, unavailable=0.0) for site in world.sites))


def visit(sites: Sites, url: str, now: float, validator: str | None = None) -> tuple[str, str | None]:
    host, _, path = url.removeprefix("http://").partition("/")
    headers = {} if validator is None else {"if-none-match": validator}
    answer = sites.answer(Request("GET", host, f"/{path}", headers), now)
    site = sites.world.site_of(host)
    assert site is not None
    return answer.body.decode(site.encoding if site.encoding != "utf-8" else "utf-8"), dict(answer.headers).get("ETag")


def linked(world: World, key: str, *, trusting: bool) -> set[str]:
    """The ids of the stories whose link a crawler sees that visits a site's entry pages at the job's interval."""
    site = next(site for site in world.sites if site.key == key)
    sites = Sites(world, random.Random(1))
    seen: set[str] = set()
    for url in [*list_pages(site), *feeds(site), *sitemaps(site)]:
        validator, at = None, world.started_at + 1.0
        while at < world.ends_at:
            text, tag = visit(sites, url, at, validator)
            for link in re.findall(r"""href=["']([^"']+)|<loc>([^<]+)|<link>([^<]+)""", text):
                address = html.unescape("".join(link)).removeprefix(f"http://{site.hosts[0]}")
                host = site.hosts[0] if address.startswith("/") and url.startswith(f"http://{site.hosts[0]}") else None
                if address.startswith("http://"):
                    host, _, rest = address.removeprefix("http://").partition("/")
                    address = f"/{rest}"
                host = host or url.split("/")[2]
                found = world.at_address(host, re.split(r"[?&](?:utm|spm)", address)[0])
                if found:
                    seen.add(found[0].id)
            validator = tag if trusting else None
            at += INTERVAL
    return seen


@pytest.mark.parametrize("key", [site.key for site in SITES])
@pytest.mark.parametrize("seed", [7, 8])
def test_every_article_is_linked_from_an_entry_page_while_it_is_there(key: str, seed: int) -> None:
    calm = calm_world(seed)
    site = next(site for site in calm.sites if site.key == key)
    wanted = {s.id for s in calm.stories_of(site) if s.deleted_at is None or s.deleted_at - s.visible_at > MAX_INTERVAL}
    assert wanted <= linked(calm, key, trusting=False)


def test_who_trusts_the_lying_site_finds_nothing_new(world: World) -> None:
    """Its list page answers 304 for ever; an honest site's does not."""
    new = {story.id for story in world.stories if story.visible_at > START + 1}
    lying = {story.id for story in world.stories if story.site.key == "beihai"}
    assert not linked(world, "beihai", trusting=True) & new
    assert len(lying & new) > 5
    honest = {s.id for s in world.stories if s.site.key == "huadong" and not s.deleted_at}
    assert honest <= linked(world, "huadong", trusting=True)


@pytest.mark.parametrize("seconds", [30, 120])
def test_there_is_time_for_every_page_of_every_host(seconds: float) -> None:
    """Each page three times and the entry pages as often as the job asks take less than the run, host by host."""
    world = build(seed=7, seconds=seconds, sites=12, rate=1, started_at=START)
    for site in world.sites:
        pause = max(DELAY, site.crawl_delay or 0.0) + site.latency
        for host in site.hosts:
            pages = sum(story.pages for story in world.stories_of(site) if story.host == host)
            visits = pages * (1 if site.crawl_delay else 3) + seconds / MAX_INTERVAL
            assert visits * pause < seconds, host
