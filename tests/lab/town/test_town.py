"""The town: each site says what it has, serves it, and can be found from its home page."""

from __future__ import annotations

import datetime as dt
import gzip
import html
import json
import re
from collections import deque
from urllib.parse import urlencode, urljoin, urlsplit

import pytest

from articlebot_lab.town.model import Request, Site, split_url
from articlebot_lab.town.score import f1, reached, score, total
from articlebot_lab.town.server import Hit, Town
from articlebot_lab.town.sites import SITES

NOW = dt.datetime(2026, 11, 20, 9, 0, tzinfo=dt.UTC)
MOST_PAGES = 1500
# What a browser would make of a page: its links, what its buttons load, what its scripts ask.
_LINKS = (
    re.compile(r"""(?:href|data-url)=(?:"([^"]+)"|'([^']+)'|([^\s>"']+))""", re.I),
    re.compile(r"<loc>([^<]+)</loc>"),
    re.compile(r"""\\?"((?:/article/|/story/|/detail/|/news/)[^"\\]+)\\?\""""),
)
_SCRIPTED = re.compile(r"createPageHTML\((\d+),")


def open_town(*names: str) -> Town:
    town = Town(*names, now=NOW)
    for site in town.sites.values():
        if hasattr(site, "gap_s"):
            site.gap_s = 0.0
    return town


def ask(site: Site, url: str) -> str:
    """The text of a page, asked with a consent cookie and again where the server says that it is busy."""
    for _ in range(2):
        bare, _, query = url.partition("?") if "/ajax/" in url else (url, "", "")
        if "&press=" in url:
            bare, _, number = url.partition("&press=")
            state = re.findall(r'VIEWSTATE" value="([^"]+)', ask(site, bare))[0]
            query = urlencode({"__VIEWSTATE": state, "__EVENTTARGET": "ctl00$Pager", "__EVENTARGUMENT": number})
        reply = site.reply(split_url(bare, {"cookie": "consent=yes"}, query))
        if reply.status == 302 and "/(S(" in reply.headers["Location"]:
            reply = site.reply(split_url(urljoin(bare, reply.headers["Location"]), {}, query))
        if reply.status == 200:
            break
    body = reply.body
    if isinstance(body, bytes):
        body = gzip.decompress(body).decode() if "gzip" in reply.type else body.decode("gbk")
    return body if reply.status == 200 else ""


def links(site: Site, url: str, text: str) -> set[str]:
    found = {next(filter(None, match)) for pattern in _LINKS[:1] for match in pattern.findall(text)}
    found |= {one for pattern in _LINKS[1:] for one in pattern.findall(text)}
    if pages := _SCRIPTED.search(text):
        found |= {f"index_{n}.html" for n in range(1, int(pages[1]))}
    if 'fetch("/api/v1/news' in text:
        found |= {f"/api/v1/news?channel=&page={n}" for n in range(1, 9)}
    if "/ajax" in text:
        found |= {f"/ajax/more.php?action=more&cat=&paged={n}" for n in range(1, 8)}
    if "__doPostBack" in text:
        found |= {f"{url.partition('&press')[0]}&press={n}" for n in re.findall(r"Pager','(\d)", text)}
    if "/_app/" in text:
        found |= {f"/api/posts?offset={n}&limit=10" for n in range(10, 50, 10)}
    found |= {f"/a/{one}" for one in re.findall(r'"slug": "([^"]+)"', text)}
    found |= {f"/wangqi.php?riqi={day}" for day in re.findall(r'<option value="([^"]+)"', text)}
    if "/graphql" in url:
        found.add(site.query(json.loads(text)["data"]["feed"]["pageInfo"]["endCursor"]))  # type: ignore[attr-defined]
    base = site.home if "<base " in text else url
    return {urljoin(base, html.unescape(one)).partition("#")[0] for one in found}


@pytest.mark.parametrize("name", SITES)
def test_every_story_can_be_found_from_the_home_page(name: str) -> None:
    site = open_town(name).sites[name]
    robots = site.robots()
    waiting = deque([site.home, *re.findall(r"Sitemap: (\S+)", robots)])
    seen, stories = set(waiting), set()
    while waiting and len(seen) < MOST_PAGES:
        url = waiting.popleft()
        if story := site.story_of(url):
            stories.add(story.number)
        for link in links(site, url, ask(site, url)):
            if "calendar.php" in link or "event.php" in link:
                continue  # without end
            plain = re.sub(r"[?&](PHPSESSID|from|ref|spm|sid|x)=[^&]*|/\(S\(\w+\)\)", "", link)
            if plain not in seen and site.is_mine(urlsplit(plain).hostname or ""):
                seen.add(plain)
                waiting.append(plain)
    missing = [site.url(s) for s in site.stories if s.number not in stories]
    assert missing == []


@pytest.mark.parametrize("name", SITES)
def test_pages_hold_what_the_truth_says(name: str) -> None:
    site = open_town(name).sites[name]
    assert len({site.url(story) for story in site.stories}) == site.size >= 30
    assert len({story.title for story in site.stories}) == site.size
    for story in site.stories:
        assert story.at.second == 0
        assert story.at <= NOW
        pages = [site.url(story), *(url for url in site.twins(story) if site.pages_of(story) > 1)]
        text = html.unescape(" ".join(ask(site, url) for url in pages))
        assert story.title in text
        if story.wanted == "yes":
            assert [part for part in story.paragraphs if part not in text] == []
        elif story.why.endswith(" wall"):
            assert story.paragraphs[-1] not in text


def test_the_same_seed_tells_the_same() -> None:
    first, again = (Town("hugo", "trs", now=NOW).truth() for _ in range(2))
    assert json.dumps(first) == json.dumps(again)
    assert Town("hugo", seed=8, now=NOW).truth() != Town("hugo", now=NOW).truth()


def test_an_unknown_site_is_named() -> None:
    with pytest.raises(ValueError, match="no site is called nowhere; there are wordpress, "):
        Town("nowhere")


def test_servers_do_what_they_are_for() -> None:
    town = Town("consent", "hasty", "overloaded", "lying", "manners", now=NOW)
    consent, hasty, overloaded, lying, manners = town.sites.values()
    gate = consent.reply(Request(consent.host, "/"))
    assert gate.status == 302
    assert "Set-Cookie" in consent.reply(split_url(urljoin(consent.home, gate.headers["Location"]), {})).headers
    assert [hasty.reply(Request(hasty.host, "/")).status for _ in range(2)] == [200, 429]
    assert [overloaded.reply(Request(overloaded.host, "/")).status for _ in range(10)].count(503) == 1
    story = lying.stories[0]
    before = lying.reply(split_url(lying.url(story), {}))
    edited = lying.edit(NOW + dt.timedelta(hours=1))
    after = lying.reply(split_url(lying.url(story), {"if-none-match": before.headers["ETag"]}))
    assert lying.url(story) in edited
    assert after.status == 304
    assert after.headers["ETag"] == before.headers["ETag"]
    assert after.headers["Last-Modified"] != before.headers["Last-Modified"]
    assert lying.correction in str(lying.reply(split_url(lying.url(story), {})).body)
    private = next(s for s in manners.stories if s.why == "disallowed")
    assert manners.is_disallowed(urlsplit(manners.url(private)).path)
    header = next(s for s in manners.stories if s.why.startswith("X-Robots"))
    assert manners.reply(split_url(manners.url(header), {})).headers["X-Robots-Tag"] == "noindex"


def row(site: Site, number: int, **other: str) -> dict[str, str]:
    story = site.stories[number]
    return {
        "url": site.url(story), "page_key": f"{number:016x}", "title": story.title, "body": story.body,
        "published_at": story.at.isoformat(), **other,
    }  # fmt: skip


def test_the_score_counts_each_fault() -> None:
    site = open_town("manners").sites["manners"]
    wanted = [s.number for s in site.stories if s.wanted == "yes"]
    rows = [row(site, number) for number in wanted]
    asked = ["/", *(urlsplit(site.url(s)).path for s in site.stories if s.why != "disallowed")]
    hits = [Hit(0.0, site.host, target, 200) for target in asked]
    good = score(site, rows, hits, {wanted[0]})
    assert (good["found"], good["away_found"], good["twice"], good["strangers"]) == (42, 41, 0, 0)
    assert (good["title"], good["body"], good["date"], good["disallowed"]) == (1.0, 1.0, 1.0, 0)
    assert good["requests"] == good["pages"] + 1
    assert reached(good)
    late = (site.stories[wanted[1]].at + dt.timedelta(minutes=1)).isoformat()
    unwanted = next(s for s in site.stories if s.why == "disallowed")
    bad_rows = [
        row(site, wanted[0], title="Another"), row(site, wanted[0], page_key="f" * 16),
        row(site, wanted[1], published_at=late), row(site, wanted[2], body="x" * 400), row(site, unwanted.number),
        {"url": site.home, "page_key": "e" * 16, "title": "", "body": "", "published_at": ""},
    ]  # fmt: skip
    bad = score(site, bad_rows, [Hit(0.0, site.host, "/news/private/x", 429)], set())
    assert (bad["found"], bad["twice"], bad["strangers"], bad["disallowed"], bad["refused"]) == (3, 1, 2, 1, {"429": 1})
    assert [round(bad[name] * 3) for name in ("title", "body", "date")] == [2, 2, 2]
    assert not reached(bad)
    both = total([good, bad])
    assert (both["articles"], both["found"], both["sites_reached"]) == (84, 45, 1)


def test_f1_of_texts() -> None:
    assert f1("a b c d e f", "abcdef") == 1.0
    assert f1("abcdef", "uvwxyz") == 0.0
    assert f1("abcdefgh", "abcd") == pytest.approx(2 / 6, abs=1e-9)
