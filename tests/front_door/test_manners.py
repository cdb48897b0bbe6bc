"""A site that asks for this and that, and shows walls: what is published and told, and what may be used to train."""

from __future__ import annotations

import json
from typing import Any

from tests.front_door.door import Door
from tests.front_door.site import Page, Reply, SmallSite, article, front

TEXT, JSON = {"Content-Type": "text/plain"}, {"Content-Type": "application/json"}
ROBOTS = (
    "User-agent: GPTBot\nDisallow: /2026/ai\n\n"
    "User-agent: *\nDisallow: /2026/private\nContent-Usage: /2026/use train-ai=n\n"
)
RESERVED = '[{"location": "/2026/mined*", "tdm-reservation": 1, "tdm-policy": "https://a.test/policy.json"}]'
ZH = "海港市议会昨晚经过长时间辩论通过了新桥建设方案，几位议员表示造价仍不确定，工程预计明年春天开始，居民担心噪音。"
DE = (
    "Der Rat der Hafenstadt hat nach langer Debatte dem Bau einer neuen Brücke zugestimmt, die Arbeiten beginnen bald. "
)
ASK = "Melden Sie sich bitte an, um diesen Beitrag zu sehen. Ein Konto kostet nichts und ist schnell eingerichtet."


def shown(title: str, inner: str, head: str = "") -> str:
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>"
        f"<nav><a href='/'>Home</a></nav><article><h1>{title}</h1>{inner}</article></body></html>"
    )


def meta(name: str, content: str) -> str:
    return f'<meta name="{name}" content="{content}">'


def tagged(title: str, tag: str) -> Reply:
    return Reply(article(title), headers={"X-Robots-Tag": tag})


# Path to headline and page; what is published, with what is asked of its users, stands below.
STORIES: dict[str, tuple[str, Page]] = {
    name: (title, page(title) if callable(page) else page)
    for name, title, page in [
        ("plain", "The council agreed on the new bridge", article),
        ("other", "Another crawler may not index this", lambda t: tagged(t, "otherbot: noindex")),
        ("kept", "This one wants no copies and no training", lambda t: tagged(t, "noarchive, noai")),
        ("later", "This one is available for ten more years", lambda t: tagged(t, "unavailable_after: 2036-01-01")),
        ("box", "A long report with a box to subscribe", lambda t: Reply(article(t).replace(
            "</article>", "</article><div class=subscribe-box><h3>Subscribe now</h3><p>Only $1 a month</p></div>"),
            headers={"Content-Security-Policy": "img-src" + " https://images.example" * 4000})),
        ("ai-one", "Some agents may not come to this one", article),
        ("use-one", "The path of this one prefers no training", article),
        ("mined-one", "Mining of this one is reserved by its host", article),
        ("private-one", "The robots file forbids this one", article),
        ("noindex", "A meta forbids to index this one", lambda t: article(t, head=meta("robots", "noindex, follow"))),
        ("header", "A header forbids to index this one", lambda t: tagged(t, "noindex")),
        ("mine", "Our own name is told not to index this", lambda t: article(t, head=meta("ArticleBot", "none"))),
        ("expired", "This one was available until last year", lambda t: tagged(t, "unavailable_after: 2025-01-01")),
        ("zh", "海港市议会通过新桥方案并公布造价", lambda t: shown(
            t, f"<p>{ZH}</p><div><p>剩余80%内容，登录会员后阅读全文</p><a href=/in>立即登录</a></div>")),
        ("pay", "The harbour needs a second bridge soon", lambda t: shown(
            t, f"<p>{'The debate went on until late in the evening, members said. ' * 5}</p>"
            "<section><p>Subscribe to continue reading this story.</p><p>$4 a month</p></section>")),
        ("unfree", "Der Rat stimmt einer neuen Brücke zu", lambda t: shown(
            t, f"<p>{DE * 2}</p><form><p>9,90 € im Monat</p><input type=password></form>",
            '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": false}</script>')),
        ("age", "A drink that is not for everybody", lambda t: shown(
            "Welcome", "<p>You must be 18 years or older to enter this page.</p><form><button>Yes</button></form>")),
        ("region", "A story for those who live there", lambda t: shown(
            "Sorry", "<p>This content is not available in your country.</p>")),
        *((f"konto{n}", f"Die Geschichte mit der Nummer {n} aus dem Hafen",
           lambda t: Reply(shown("Hafenblatt", f"<p>{ASK}</p>"), wait_s=0.5)) for n in range(4)),
    ]
}  # fmt: skip
USAGE = {
    "plain": {}, "other": {}, "box": {},
    "kept": {"noarchive": "X-Robots-Tag", "noai": "X-Robots-Tag"},
    "later": {"unavailable_after": "2036-01-01T00:00:00+00:00"},
    "ai-one": {"ai-train": "robots.txt: gptbot"},
    "use-one": {"ai-train": "robots.txt"},
    "mined-one": {"tdm-reservation": "tdmrep.json", "tdm-policy": "https://a.test/policy.json"},
}  # fmt: skip
WHY = {
    "private-one": "Robots.txt of its host forbids it; set robots = false",
    "noindex": "It asks not to be indexed (noindex)",
    "expired": "It asks not to be indexed (noindex)", "zh": "It shows a wall (subscription) instead of an article",
    "unfree": "It shows a wall (login) instead of an article", "region": "It shows a wall (region)",
}  # fmt: skip


def test_what_a_site_asks_is_obeyed_kept_and_told_and_a_wall_is_no_article(door: Door) -> None:
    path = {name: f"/2026/{name}-11-20-story-of-the-day.html" for name in STORIES}
    pages: dict[str, Page] = {path[name]: page for name, (_, page) in STORIES.items()}
    pages["/"] = front({path[name]: title for name, (title, _) in STORIES.items()})
    pages |= {"/robots.txt": Reply(ROBOTS, headers=TEXT), "/.well-known/tdmrep.json": Reply(RESERVED, headers=JSON)}
    with SmallSite(pages) as site:
        crawl = ("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        done = door.type(*crawl)
        first = {row["url"].removeprefix(site.url): row for row in door.archived()}
        why = {name: door.type("explain", site.url + path[name]).stdout.splitlines()[1] for name in WHY}
        unseen = door.type("explain", f"{site.url}/2026/private-that-nothing-names.html").stdout
        train = door.type("export", "--json", "--for", "train")
        search = door.type("export", "--for", "search")
        state = door.json("status")
        told = door.type("status").stdout
        asked = [hit.path for hit in site.hits]
    assert done.returncode == 0, done.stderr[-3000:]
    there = {name: row["usage"] for name in STORIES if (row := first.get(path[name])) and not _gone(row)}
    assert there == USAGE, done.stderr[-3000:]
    # Before the third it could not be known that they are one wall; what was published of them was taken back then.
    assert 1 <= sum(_gone(row) for row in first.values()) <= 2
    assert path["private-one"] not in asked
    # Reservations are asked for when the first page comes that may be published, and not for lists.
    assert asked[:2] == ["/robots.txt", "/"]
    reserved = asked.index("/.well-known/tdmrep.json")
    assert set(path.values()) & set(asked) and not set(path.values()) & set(asked[:reserved])
    assert asked.count("/.well-known/tdmrep.json") == 1
    assert {name: why[name].startswith(said) for name, said in WHY.items()} == dict.fromkeys(WHY, True), why
    assert "has linked to it as to an article; robots.txt of its host forbids it; set robots = false" in unseen
    trained = {json.loads(line)["title"] for line in train.stdout.splitlines()}
    assert trained >= {STORIES[name][0] for name in ("plain", "other", "box", "later")}
    assert not trained & {STORIES[name][0] for name in ("kept", "ai-one", "use-one", "mined-one")}
    assert train.stderr.splitlines()[-1] == "4 left out: 2 ai-train, 1 noai, 1 tdm-reservation"
    assert search.stderr.splitlines()[-1] == "0 left out"
    (walls,) = state["walls"]
    assert walls["kinds"].pop("blocked") >= 2
    assert walls["kinds"] == {"subscription": 2, "login": 1, "age": 1, "region": 1}
    assert "walls    1 sites" in told


def test_a_header_beside_an_unchanged_page_is_obeyed(door: Door) -> None:
    title, path = "The council agreed on the new bridge", "/2026/11/20/bridge.html"
    page = Reply(article(title), headers={"ETag": '"a"'})
    with SmallSite({path: page, "/": front({path: title})}) as site:
        job = f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/"]\nallow_private = true\n'
        crawl = ("crawl", "article", "-a", f"jobs={door.file('jobs.toml', job)}", "-a", "until=idle")
        door.type(*crawl)
        (row,) = door.archived()
        assert not _gone(row)
        site.pages[path] = Reply(status=304, headers={"ETag": '"a"', "X-Robots-Tag": "noindex"})
        door.type("frontier", "visit", site.url + path)
        door.type(*crawl)
        (row,) = door.archived()
        why = door.type("explain", site.url + path).stdout
    assert _gone(row)
    assert "it asks not to be indexed (noindex)" in why


def test_a_robots_file_out_of_reach_forbids_all_until_it_answers(door: Door) -> None:
    pages: dict[str, Page] = {"/": front({"/2026/11/20/one.html": "The one story of the day is this"})}
    pages |= {"/2026/11/20/one.html": article("The one story of the day is this"), "/robots.txt": Reply("", 503)}
    with SmallSite(pages) as site:
        crawl = (
            "crawl",
            "article",
            "-a",
            f"url={site.url}/",
            "-a",
            "until=idle",
            "-s",
            f"LOG_FILE={door.folder / 'log'}",
        )
        away = door.type(*crawl)
        why = door.type("explain", f"{site.url}/").stdout
        state = door.json("status")
        before = {hit.path for hit in site.hits}
        site.pages["/robots.txt"] = Reply("User-agent: *\nDisallow: /\n", 404)
        back = door.type(*crawl)
    assert (away.returncode, before) == (3, {"/robots.txt"}), away.stderr
    assert [one["reason"] for one in state["findings"]] == ["robots_unreachable"]
    assert "robots.txt of its host could not be had" in why
    assert (back.returncode, len(door.archived())) == (0, 1), back.stderr


def _gone(row: dict[str, Any]) -> bool:
    return row["withdrawn_at"] is not None
