"""Every key of a job file in a crawl: the sites see it act, or the archive and the queue do."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.front_door.door import ROOT, Door, wait_for
from tests.front_door.site import Reply, SmallSite, article, front, news

# One worker of the test runner makes the crawls that all of these tests read.
pytestmark = pytest.mark.xdist_group("job_keys")

# What is asked once for a whole site.
# More than any page may have: the rules before it count all the same.
_LONG = f"# {'of no use ' * 9}\n" * 230_000
_ASIDE = ("/robots.txt", "/.well-known/tdmrep.json")
_ENV = {
    "ARTICLEBOT_ALLOW_PRIVATE": "", "ARTICLEBOT_DELAYS_SPREAD": "0", "ARTICLEBOT_RECRAWL_MIN_INTERVAL": "1",
    "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "3", "ARTICLEBOT_PROXIES_ALLOW_PRIVATE": "1",
    "ARTICLEBOT_PUBLISHING_SINKS": json.dumps({
        name: {"type": "jsonlines", "path": f"published/{name}.jsonl"} for name in ("first", "second")
    }),
}  # fmt: skip
_DEFAULTS = (
    '[defaults]\nallow_private = true\nrecrawl_articles = false\n[group.shelf]\ncategory = "harbours"\nlanguage = "de"'
)
_HUB = "/2026/11/20/all-of-bridges.html"
_CHINESE = "港口城市的市议会昨天晚上在长时间的讨论之后同意建造一座新的大桥, 但是有些议员认为费用仍然不能确定。"


def _closed(zone: str) -> tuple[str, float]:
    """Hours that are closed now and open once a day, and when they open next; on no account within the test."""
    here = datetime.now(ZoneInfo(zone))
    opens = here.replace(minute=0, second=0, microsecond=0, fold=0) + timedelta(hours=6)
    return f"{opens.hour}-{(opens.hour + 1) % 24 or 24}", opens.timestamp()


def _zoneless(title: str, text: str, language: str = "en") -> str:
    rows = "".join(f"<p>{text}{n}。{text}</p>" for n in range(5))
    return (
        f"<!doctype html><html lang={language}><head><title>{title}</title></head><body><article><h1>{title}</h1>"
        f"<p class=time>2026-11-20 09:30</p>{rows}</article></body></html>"
    )


class World:
    """A site of its own for each job, all followed by one crawl."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.door = Door(folder)
        self.stack, self.sites, self.blocks = stack, dict[str, SmallSite](), dict[str, str]()
        self.opens = dict[str, float]()

    def site(self, name: str, pages: dict[str, Any] | None = None) -> SmallSite:
        made = news(2, prefix=name.capitalize()) if pages is None else pages
        self.sites[name] = self.stack.enter_context(SmallSite(made))
        return self.sites[name]

    def job(self, name: str, keys: str = "", *, site: SmallSite | None = None, entry: str | None = None) -> SmallSite:
        """A job with some keys, on a site of its own unless one is named."""
        where = site or self.site(name)
        pages = entry if entry is not None else f'list_pages = ["{where.url}/"]'
        self.blocks[name] = f'[[site]]\nname = "{name}"\n{pages}\n{keys}\n'
        return where

    def crawl(self, *blocks: str, until: Callable[[], bool], **env: str) -> None:
        """A crawl that goes on until the sites have seen what is to be seen, however fast this machine is."""
        file = self.door.file("jobs.toml", "\n".join([_DEFAULTS, *blocks]))
        log = self.door.folder / "crawl.log"
        process = self.door.begin(
            "crawl", "article", "-a", f"jobs={file}", "-s", f"LOG_FILE={log}", env={**_ENV, **env}
        )
        with process:
            wait_for(lambda: until() or process.poll() is not None, 500)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=300)
        assert process.returncode in (0, 3), said[-3000:] + log.read_text()[-3000:]  # sites that give nothing are named

    def paths(self, name: str) -> list[str]:
        """What was asked of a site, without what says how it may be used."""
        return [hit.path for hit in self.sites[name].hits if hit.path not in _ASIDE]

    def gaps(self, name: str, path: str | None = None) -> list[float]:
        """Seconds between the requests of a site, or of one of its pages."""
        at = [hit.at for hit in self.sites[name].hits if path in (None, hit.path) and hit.path not in _ASIDE]
        return [b - a for a, b in pairwise(at)]

    def articles(self, name: str) -> list[dict[str, Any]]:
        return [row for row in self.archive if row["job"] == name]

    archive: list[dict[str, Any]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with ExitStack() as stack:
        world = World(stack, tmp_path_factory.mktemp("keys"))
        _follow(world)
        _address(world)
        _judge(world)
        _time(world)
        _ask(world)
        proxy = world.sites["proxy"]
        world.crawl(*world.blocks.values(), until=lambda: _all_seen(world), ARTICLEBOT_PROXIES_PAID=proxy.url)
        world.archive = world.door.archived()
        yield world


def _all_seen(world: World) -> bool:
    """Whether each page was asked for as often as the tests need, and one in time where that says something."""
    never = {"closed", "told", "private", "off", "hidden"}
    often = {("interval", "/"): 3, ("most", "/"): 4, ("again", "/2026/11/20/again-number-0.html"): 3}
    others = ("regions", "keywords", "topic")  # their front pages name other pages
    kept = {
        ("defies", "/robots.txt"), ("priority", "/"), ("pattern", "/odd/2"), ("paged", "/2026/11/20/long-story_3.html"),
        *(("shallow", page) for page in world.sites["shallow"].pages if "inner" in page),
        *(("obeys", page) for page in world.sites["obeys"].pages if "number" in page),
        *((name, page) for name in others for page in world.sites[name].pages if "number" in page),
    }  # fmt: skip
    asked = Counter((name, hit.path) for name, site in world.sites.items() for hit in site.hits)
    pages = {(name, page) for name, site in world.sites.items() for page in site.pages if name not in never}
    enough = all(asked[page] >= often.get(page, 1) for page in pages - kept)
    return enough and min(world.gaps("most", "/")) < 3.0


def _follow(world: World) -> None:
    """Jobs that differ in where they find their articles."""
    lists = world.site(
        "lists", {**news(1), "/more": front({"/2026/11/20/another-story-of-more.html": "Another story"})}
    )
    world.job("lists", site=lists, entry=f'list_pages = ["{lists.url}/", "{lists.url}/more"]')
    feeds = world.site("feeds", {"/2026/11/20/fed-story.html": article("A story that is fed", date="")})
    feeds.pages["/rss"] = Reply(
        f"<rss version='2.0'><channel><title>n</title><item><title>A story that is fed</title>"
        f"<link>{feeds.url}/2026/11/20/fed-story.html</link><pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate></item>"
        "</channel></rss>", headers={"Content-Type": "application/rss+xml"},
    )  # fmt: skip
    world.job("feeds", site=feeds, entry=f'feeds = ["{feeds.url}/rss"]')
    sitemaps = world.site("sitemaps", {"/2026/11/20/mapped-story.html": article("A story on the map")})
    sitemaps.pages["/map.xml"] = Reply(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url>"
        f"<loc>{sitemaps.url}/2026/11/20/mapped-story.html</loc><lastmod>2026-11-20</lastmod></url></urlset>",
        headers={"Content-Type": "application/xml"},
    )
    world.job("sitemaps", site=sitemaps, entry=f'sitemaps = ["{sitemaps.url}/map.xml"]')
    world.job("regions", 'regions = ["div.latest"]')
    world.sites["regions"].pages["/"] = (
        "<html><body><div class=latest><ul><li><a href='/2026/11/20/inside-the-region.html'>A story inside the "
        "region</a></li></ul></div><div class=old><ul><li><a href='/2026/11/20/outside-the-region.html'>A story "
        "outside the region</a></li></ul></div></body></html>"
    )
    odd = {f"/odd/{n}": f"An odd address number {n} with a story" for n in (1, 2)}
    pattern = world.site("pattern", {
        "/": front({**odd, "/2026/11/20/usual-story.html": "A story with the usual address"}),
        **{path: article(title) for path, title in odd.items()},
    })  # fmt: skip
    world.job("pattern", "article_pattern = '/odd/\\d$'\narticle_exclude = '/odd/2$'", site=pattern)
    partner = world.site("partner", {"/2026/11/20/a-story-of-partners.html": article("A story of the partner")})
    for name in ("domains", "alone"):
        link = {f"{partner.url}/2026/11/20/a-story-of-partners.html": "A story of the partner"}
        world.site(
            name, {"/": front(link if name == "domains" else {f"{partner.url}/2026/11/20/not-theirs.html": "No"})}
        )
    host = partner.url.removeprefix("http://")
    world.job("domains", f'allowed_domains = ["{host}"]', site=world.sites["domains"])
    world.job("alone", site=world.sites["alone"])
    for name, depth in (("deep", 2), ("shallow", 1)):
        inner = news(12, prefix="Inner")
        hub = world.site(name, {**inner, _HUB: inner["/"], "/": front({_HUB: "All that was said of bridges"})})
        world.job(name, f"depth = {depth}", site=hub)


def _address(world: World) -> None:
    """Jobs that say where to look, and what is older."""
    address = world.site("address", news(3, prefix="Address"))
    world.job("address", site=address, entry=f'site = "{address.url}/"')
    older = {"/2025/01/10/old-story.html": "An old story of the town", "/2025/01/09/older-story.html": "An older story"}
    archives = world.site("archives", {
        **news(1, prefix="Fresh"), "/old": front(older), **{path: article(title) for path, title in older.items()},
    })  # fmt: skip
    keys = f'archives = ["{archives.url}/old"]\nbackfill = "all"'
    world.job("archives", keys, site=archives)
    items = [{"id": 70 + n, "title": f"A story of data, number {n}", "date": "2026-11-20"} for n in range(3)]
    data = {"/api": Reply(json.dumps({"items": items}), headers={"Content-Type": "application/json"})}
    # The pages themselves are not there: all but one of the texts come as a page, one as data.
    read = {f"/text/{70 + n}": article(f"A story of data, number {n}") for n in range(3)}
    prose = "".join(re.findall("<p>.*?</p>", str(read["/text/72"])))
    held = {"data": {"title": "A story of data, number 2", "content": prose, "publishTime": "2026-11-20 08:30"}}
    read["/text/72"] = Reply(json.dumps(held), headers={"Content-Type": "application/json"})
    made = world.site("data", {**data, **read})
    keys = 'article_url = "/read/{id}"\narticle_data = "/text/{id}"'
    world.job("data", keys, site=made, entry=f'list_pages = ["{made.url}/api"]')
    chain = [f"/2026/11/{20 - n}/a-link-of-a-chain.html" for n in range(4)]
    linked = {
        path: article(f"A link of a chain, number {n}").replace(
            "</article>", f"</article><p><a href='{chain[min(n + 1, 3)]}'>← The one before</a></p>"
        )
        for n, path in enumerate(chain)
    }
    world.job("chain", "neighbours = true", site=world.site("chain", {"/": front({chain[0]: "A link"}), **linked}))
    parts = world.site("parts", {f"/2026/11/20/part-{n}.html": article(f"A story of part {n}") for n in (1, 2)})
    for n, older in ((1, "/rss2"), (2, "ftp://parts.test:99999/")):  # a feed's last part may name anything
        parts.pages[f"/rss{n}"] = Reply(
            f"<rss version='2.0'><channel><title>n</title><link rel='next' href='{older}'/><item>"
            f"<title>A story of part {n}</title><link>{parts.url}/2026/11/20/part-{n}.html</link></item></channel>"
            "</rss>", headers={"Content-Type": "application/rss+xml"},
        )  # fmt: skip
    world.job("parts", "neighbours = true", site=parts, entry=f'feeds = ["{parts.url}/rss1"]')
    lists = {
        "form": ("forms", "POST /list page=1"),
        "json": ("json_forms", 'POST /list {"page": 1}'),
        "script": ("ajax", "AJAX /list?page=1"),
    }
    for name, (key, asked) in lists.items():
        path, title = f"/2026/11/20/{name}-story.html", f"A story behind a list by {name}"
        posts = world.site(name, {asked: front({path: title}), path: article(title)})
        world.job(name, f'{key} = ["{posts.url}/list"]', site=posts, entry=f'list_pages = ["{posts.url}/list?page=1"]')


def _judge(world: World) -> None:
    """Jobs that differ in what is made of an article."""
    names = world.door.file("names.txt", "from the harbour 3 ns\n")
    world.job("labels", f'group = "shelf"\nlanguage = "fr"\ndictionary = "{names}"')
    paged = world.site("paged", {"/": front({"/2026/11/20/long-story.html": "A long story of three pages"})})
    for n, path in enumerate(("long-story", "long-story_2", "long-story_3"), 1):
        links = "".join(
            f"<a href='/2026/11/20/long-story{s}.html'>{k}</a> " for k, s in ((1, ""), (2, "_2"), (3, "_3")) if k != n
        )
        more = f"<a href='/2026/11/20/long-story_{n + 1}.html' rel=next>Next page</a>" if n < 3 else ""
        text = article("A long story of three pages").replace(
            "</article>", f"<p>Part {n} ends here.</p></article><div class=pages>{links}{more}</div>"
        )
        paged.pages[f"/2026/11/20/{path}.html"] = text
    world.job("paged", "max_pages = 2", site=paged)
    world.job("keywords", 'keywords = ["zeppelin", "airship"]')
    world.sites["keywords"].pages |= {
        "/": front({"/2026/11/20/on.html": "The zeppelin airship", "/2026/11/20/off.html": "A harbour bridge"}),
        "/2026/11/20/on.html": article("Zeppelin airship zeppelin airship"),
        "/2026/11/20/off.html": article("A harbour bridge of stone"),
    }
    topic = world.door.file("topic.toml", 'name = "airships"\nkeywords = ["zeppelin", "airship"]\n')
    world.job("topic", f'topic = "{topic}"', site=world.site("topic", dict(world.sites["keywords"].pages)))
    world.job("sinks", 'sinks = ["second"]')
    selected = world.job("selectors", '[site.selectors]\ntitle = "p.real"')
    for path in list(selected.pages):
        if path != "/":
            selected.pages[path] = article("Printed wrongly").replace("<h1>", "<p class=real>Chosen by hand</p><h1>")


def _time(world: World) -> None:
    """Jobs that differ in when their pages are visited."""
    world.job("interval", 'interval = "3s"')
    world.job("minute", 'interval = "90m"')
    world.job("least", 'min_interval = "3h"')
    world.job("most", 'max_interval = "2s"')
    world.job("budget", "budget = 1800")
    world.job("freshness", 'freshness = "2h"')
    world.job("again", "recrawl_articles = true")
    world.job("delay", 'delay = "2s"')
    zones = (("closed", "Asia/Tokyo", 'timezone = "Asia/Tokyo"'), ("told", "Asia/Shanghai", 'language = "zh"'))
    for name, zone, says in zones:
        hours, world.opens[name] = _closed(zone)
        world.job(name, f'windows = [{{hours = "{hours}"}}]\n{says}')
    now = datetime.now(ZoneInfo("UTC")).hour
    world.job("open", f'windows = [{{hours = "{now}-{(now + 3) % 24 or 24}"}}]\nrecrawl_articles = true')
    for name, keys in (("stated", 'timezone = "Asia/Tokyo"'), ("chinese", "")):
        pages = {"/": front({"/2026/11/20/bridge.html": "新的大桥今天开工建设"})}
        pages["/2026/11/20/bridge.html"] = _zoneless("新的大桥今天开工建设", _CHINESE, "zh")
        world.job(name, keys, site=world.site(name, pages))
    high, low = news(4, prefix="High"), news(16, prefix="Low")
    both = world.site("priority", {**high, **low, "/high": high["/"], "/low": low["/"]})
    world.job("low", 'delay = "0.4s"', site=both, entry=f'list_pages = ["{both.url}/low"]')
    world.job("high", 'priority = 100\ndelay = "0.4s"', site=both, entry=f'list_pages = ["{both.url}/high"]')


def _ask(world: World) -> None:
    """Jobs that differ in how they ask, and in whether they do."""
    world.job("browser", 'identity = "browser"')
    hidden = world.site("hidden")
    world.site("proxy", {f"{hidden.url}{path}": page for path, page in hidden.pages.items()})
    world.job("hidden", 'proxies = "required"', site=hidden)
    for name, obeys in (("obeys", "true"), ("defies", "false")):
        world.job(name, f"robots = {obeys}").pages["/robots.txt"] = Reply(
            f"User-agent: *\nDisallow: /2026/\n{_LONG}", headers={"Content-Type": "text/plain"}
        )
    private = world.site("private")
    # Another name of this machine: what one job allows is allowed for the host.
    name = private.url.replace("127.0.0.1", "localhost")
    world.job("private", "allow_private = false", site=private, entry=f'list_pages = ["{name}/"]')
    world.job("off", "enabled = false")


def test_name_list_pages_feeds_and_sitemaps(world: World) -> None:
    assert {row["title"] for row in world.articles("lists")} == {"Report number 0 from the harbour town"}
    assert "/2026/11/20/another-story-of-more.html" in world.paths("lists")
    (fed,), (mapped,) = world.articles("feeds"), world.articles("sitemaps")
    assert (fed["title"], mapped["title"]) == ("A story that is fed", "A story on the map")


def test_site_archives_backfill_and_article_url(world: World) -> None:
    assert len(world.articles("address")) == 3
    assert "/2025/01/09/older-story.html" in world.paths("archives")
    assert len(world.articles("archives")) == 3
    assert {row["url"].rpartition("/")[2] for row in world.articles("data")} == {"70", "71", "72"}
    assert not any(path.startswith("/read/") for path in world.paths("data"))


def test_neighbours(world: World) -> None:
    assert len(world.articles("chain")) == 4
    assert len(world.articles("parts")) == 2


def test_forms_json_forms_and_ajax(world: World) -> None:
    for name in ("form", "json", "script"):
        assert [row["title"] for row in world.articles(name)] == [f"A story behind a list by {name}"]


def test_regions_patterns_domains_and_depth(world: World) -> None:
    assert set(world.paths("regions")) == {"/", "/2026/11/20/inside-the-region.html"}
    assert set(world.paths("pattern")) == {"/", "/odd/1"}
    assert world.paths("partner") == ["/2026/11/20/a-story-of-partners.html"]
    assert len(world.articles("deep")) == 12
    assert set(world.paths("shallow")) == {"/", _HUB}


def test_category_language_max_pages_keywords_topic_sinks_and_selectors(world: World) -> None:
    assert {(row["category"], row["language"]) for row in world.articles("labels")} == {("harbours", "fr")}
    assert any("from the harbour" in row["keywords"] for row in world.articles("labels"))
    (paged,) = world.articles("paged")
    assert "Part 2 ends here" in paged["body"]
    assert not any("long-story_3" in path for path in world.paths("paged"))
    for name in ("keywords", "topic"):
        assert "/2026/11/20/off.html" in world.paths(name)
        assert [row["title"] for row in world.articles(name)] == ["Zeppelin airship zeppelin airship"]
    told = {name: (world.door.data / "published" / f"{name}.jsonl").read_text("utf-8") for name in ("first", "second")}
    assert ("Sinks number" in told["first"], "Sinks number" in told["second"]) == (False, True)
    assert "Labels number" in told["first"]
    assert {row["title"] for row in world.articles("selectors")} == {"Chosen by hand"}


def test_interval_and_its_bounds(world: World) -> None:
    # Never sooner, as the site sees it; how much later depends on the machine, so one that is in time is waited for.
    assert min(world.gaps("interval", "/")) >= 3.0
    assert 2.0 <= min(world.gaps("most", "/")) < 3.0
    for name, seconds in (("least", 10_800.0), ("minute", 5_400.0)):
        told = world.door.json("explain", f"{world.sites[name].url}/")
        assert told["interval_s"] == pytest.approx(seconds, abs=0.1)
        assert told["next_visit"] == pytest.approx(told["recrawl"]["last_at"] + seconds, abs=0.1)
    assert (world.gaps("least", "/"), world.gaps("minute", "/")) == ([], [])


def test_delay_budget_priority_and_recrawl_articles(world: World) -> None:
    # As the site sees them: what is late is caught up with, by a second in all, however long a request is on its way.
    # The delay that these jobs do not state is 0.03 s.
    for gaps in (world.gaps("delay"), world.gaps("budget")[1:]):
        assert min(gaps) > 0.9
        assert sum(gaps) > 2.0 * len(gaps) - 1.2
    # Articles of the other job go first while the more important list page is not read; one may be on its way then.
    told = [path for path in dict.fromkeys(world.paths("priority")) if "number" in path]
    high = [told.index(path) for path in told if "high" in path]
    assert max(high) - min(high) + 1 <= len(high) + 1, told
    assert "low" in told[-1], told
    article_of = "/2026/11/20/again-number-0.html"
    assert len(world.gaps("again", article_of)) >= 2
    assert world.paths("lists").count("/2026/11/20/report-number-0.html") == 1


def test_windows_and_timezone(world: World) -> None:
    for name, opens_at in world.opens.items():
        assert world.paths(name) == []
        told = world.door.json("explain", f"{world.sites[name].url}/")
        assert told["next_visit"] == pytest.approx(opens_at, abs=0.1)
    assert len(world.articles("open")) == 2
    (stated,), (chinese,) = world.articles("stated"), world.articles("chinese")
    assert stated["published_at"] == "2026-11-20T09:30:00+09:00"
    assert chinese["published_at"] == "2026-11-20T09:30:00+08:00"


def test_identity_proxies_robots_allow_private_and_enabled(world: World) -> None:
    agents = {
        name: {hit.headers["User-Agent"] for hit in world.sites[name].hits if hit.path not in _ASIDE}
        for name in ("browser", "lists")
    }
    assert all("Mozilla" in agent for agent in agents["browser"])
    assert all("articlebot" in agent.lower() for agent in agents["lists"])
    assert world.paths("hidden") == []
    assert len(world.articles("hidden")) == 2
    assert world.paths("obeys") == ["/"]
    assert len(world.articles("defies")) == 2
    assert world.sites["private"].hits == []
    assert world.sites["off"].hits == []


def test_freshness(world: World) -> None:
    state = world.door.json("status")
    assert [(row["job"], row["objective_s"]) for row in state["freshness"]] == [("freshness", 7200.0)]


def test_windows_hold_list_pages_only_and_the_learned_interval_is_the_first(world: World) -> None:
    hours, _ = _closed("UTC")
    before = len(world.sites["open"].hits)
    closed = re.sub(r'hours = "[^"]+"', f'hours = "{hours}"', world.blocks["open"])
    quiet = world.site("quiet")
    slow = f'[[site]]\nname = "quiet"\nlist_pages = ["{quiet.url}/"]\ninterval = "10m"\n'
    jobs = world.door.file("quiet.toml", slow)
    # Thirty visits of which none found anything: the base interval becomes half as long again.
    begun = datetime.now(ZoneInfo("UTC")).timestamp() - 20_000
    rounds = "".join(json.dumps([1, "quiet", begun + 600 * n, 1, 0, 0, 0]) + "\n" for n in range(30))
    world.door.file("data/history/rounds-1-other-1.jsonl", rounds)
    assert world.door.json("jobs", "intervals", str(jobs))[0]["now_s"] == 900.0
    world.crawl(closed, slow, until=lambda: len(world.paths("open")) > before + 2 and len(quiet.hits) > 2)
    since = [hit.path for hit in world.sites["open"].hits[before:] if hit.path not in _ASIDE]
    assert since
    assert "/" not in since
    assert world.door.json("explain", f"{quiet.url}/")["interval_s"] == pytest.approx(900.0, abs=0.1)


def test_every_key_of_the_docs_is_seen_here(world: World) -> None:
    docs = (ROOT / "docs" / "reference" / "jobs.md").read_text("utf-8").partition("\n## ")[0]
    keys = {key.strip() for row in re.findall(r"^\| ([a-z_, ]+) \|", docs, re.M) for key in row.split(",")} - {"key"}
    wrong = world.door.file("wrong.toml", '[[site]]\nno_such_key = 1\nname = "a"\nlist_pages = "http://a.example/"\n')
    refused = world.door.type("jobs", "check", str(wrong)).stdout
    assert keys == set(refused.partition("expected one of ")[2].strip().split(", "))
    consent = (ROOT / "tests" / "front_door" / "test_consent.py").read_text("utf-8")
    assert 'consent = "{consent}"' in consent
    browser = (ROOT / "tests" / "front_door" / "test_browser.py").read_text("utf-8")
    assert 'rendered = ["' in browser
    assert "browser = false" in browser
    followed = "\n".join([_DEFAULTS, "consent = ", "rendered = ", "browser = ", *world.blocks.values()])
    assert keys == set(re.findall(r"(?m)^(?:\[site\.)?([a-z_]+)(?: = |\])", followed)) - {"title"}
