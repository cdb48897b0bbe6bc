"""A user who knows nothing of a site but its address: what is found, what is said of it, and how far back it goes."""

from __future__ import annotations

import json
import tomllib
from datetime import UTC, datetime, timedelta

import pytest

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Page, Reply, SmallSite, article, front, news
from tests.front_door.test_says import AT_ONCE, LOGIN

SECTIONS = ("sport", "culture")
# A machine with more to do than it can needs longer than people are kept waiting.
PATIENT = {"articlebot.actions.doctor:_SECONDS": 200.0, "articlebot.spiders.site_seeds:_SAMPLE_S": 60.0}


def _title(section: str, n: int) -> str:
    return f"{section.title()} report number {n} from the harbour town and its {n} bridges"


def _paged() -> tuple[dict[str, Page], set[str]]:
    """Two sections of 18 articles on three pages, of which the home page shows the first four; much else besides."""
    pages: dict[str, Page] = {}
    shown: dict[str, str] = {}
    nav = "".join(f"<a href='/{one}/'>{one.title()}</a>" for one in SECTIONS)
    nav += "<a href='/about'>About us</a><a href='/search?q=bridge'>Bridges</a><a href='/tag/bridge'>Tag</a>"
    nav += "<a href='/live'>Live</a>"  # an article, which the look takes for a section
    nav = f"<nav>{nav}</nav>"
    for section in SECTIONS:
        rows = {f"/{section}/story-{n}.html": _title(section, n) for n in range(18)}
        pages |= {path: article(title) for path, title in rows.items()}
        shown |= dict(list(rows.items())[:4])
        for number in (1, 2, 3):
            some = dict(list(rows.items())[6 * number - 6 : 6 * number])
            more = f"<a href='/{section}/?page={number + 1}'>Next</a>" if number < 3 else ""
            path = f"/{section}/" if number == 1 else f"/{section}/?page={number}"
            pages[path] = front(some).replace("<body>", f"<body>{nav}").replace("</body>", f"{more}</body>")
    pages["/live"] = article(_title("live", 1))
    pages["/"] = front({"/live": _title("live", 1), **shown}).replace("<body>", f"<body>{nav}")
    pages["/about"] = pages["/tag/bridge"] = pages["/search?q=bridge"] = front(shown)
    return pages, {path for path in pages if path.endswith(".html")} | {"/live"}


def _behind_scripts() -> tuple[dict[str, Page], set[str]]:
    """An empty page with data of four articles, whose script of its own fetches JSON of the others, ten a page."""
    script = (
        "let page = 1; fetch(`/api/news?page=${page}`).then(r => r.json()).then(d => d.items.forEach("
        'a => list.innerHTML += `<a href="/read/${a.id}">${a.title}</a>`))'
    )
    first = [{"id": 200 + n, "title": _title("coast", n), "date": "2026-11-21"} for n in range(4)]
    data = json.dumps({"first": first})
    pages: dict[str, Page] = {
        "/": "<!doctype html><html lang=en><head><title>News</title></head><body><div id=app></div>"
        f"<script type=application/json>{data}</script><script src=/app.js></script></body></html>",
        "/app.js": Reply(script, headers={"Content-Type": "text/javascript"}),
        **{f"/read/{one['id']}": article(str(one["title"])) for one in first},
    }
    for number in (1, 2, 3):
        items = [
            {"id": 100 + n, "title": _title("town", n), "date": "2026-11-20"}
            for n in range(10 * number - 10, 10 * number)
        ]
        text = json.dumps({"items": items, "page": number, "pages": 3})
        pages[f"/api/news?page={number}"] = Reply(text, headers={"Content-Type": "application/json"})
        pages |= {f"/read/{one['id']}": article(str(one["title"])) for one in items}
    return pages, {path for path in pages if path.startswith("/read/")}


def _in_a_program() -> tuple[dict[str, Page], set[str]]:
    """A list that shows eight articles; the program that pages through it has all twenty, as static front ends do."""
    rows = [{"title": _title("pier", n), "url": f"/posts/{n}", "date": f"2026-11-{20 - n:02}"} for n in range(20)]
    shown = {str(one["url"]): str(one["title"]) for one in rows[:8]}
    pages: dict[str, Page] = {str(one["url"]): article(str(one["title"])) for one in rows}
    head = "<head><link rel=modulepreload href=/assets/chunks/theme.Vi1gHGEo.js>"
    pages["/"] = front(shown).replace("<head>", head).replace("</body>", "<button>2</button><button>3</button></body>")
    program = f"const n=JSON.parse(`{json.dumps(rows)}`);export{{n as p}};"
    pages["/assets/chunks/theme.Vi1gHGEo.js"] = Reply(program, headers={"Content-Type": "text/javascript"})
    return pages, {path for path in pages if path.startswith("/posts/")}


def test_a_list_in_a_program_is_read_once_and_followed_by_its_page(door: Door) -> None:
    pages, articles = _in_a_program()
    with SmallSite(pages) as site:
        crawl = ("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        done = door.type(*crawl)
        assert done.returncode == 0, done.stderr[-2000:]
        assert {row["url"].removeprefix(site.url) for row in door.archived()} == articles
        (job,) = tomllib.loads(door.type("jobs", "show", "127.0.0.1").stdout)["site"]
        assert job["list_pages"] == [f"{site.url}/"]


def _crawled(door: Door, site: SmallSite, path: str = "/") -> set[str]:
    """The paths of what a crawl of an address archives."""
    done = door.type("crawl", "article", "-a", f"url={site.url}{path}", "-a", "until=idle")
    assert done.returncode == 0, done.stderr[-2000:]
    return {row["url"].removeprefix(site.url) for row in door.archived()}


def test_an_address_is_enough_and_what_was_chosen_is_told_and_kept(door: Door) -> None:
    pages, articles = _paged()
    with SmallSite(pages) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        assert {row["url"].removeprefix(site.url) for row in door.archived()} == articles
        asked = [hit.path for hit in site.hits]
        assert len(asked) <= 1.4 * len(articles)
        assert len(asked) == len(set(asked))  # what the look has fetched, the crawl does not fetch again
        assert not {"/search?q=bridge", "/tag/bridge", "/about"} & set(asked)
        assert "in the navigation" in done.stderr
        assert "37 new addresses named (lists 37), 37 of them articles (100%)" in done.stderr

        shown = door.type("jobs", "show", "127.0.0.1")
        assert shown.returncode == 0, shown.stderr
        (job,) = tomllib.loads(shown.stdout)["site"]
        assert job["list_pages"] == [f"{site.url}/", *(f"{site.url}/{one}/" for one in SECTIONS)]
        assert job["language"] == "en"
        again = len(site.hits)
        door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        assert len(site.hits) - again <= 4  # the site is known: nothing is looked for once more
        assert door.type("jobs", "show", "127.0.0.2").returncode == 2


def test_frames_entries_without_headlines_and_days_of_a_form_that_is_posted(door: Door) -> None:
    days = [f"2026-11-{day}" for day in (20, 19, 18, 17)]
    options = "".join(f"<option value={day}>{day}</option>" for day in days)
    form = (
        f"<form method=post action=/past.html><input type=hidden name=key value=a1><select name=day>{options}</select>"
    )
    parts = "<frame src=menu.html><frame src=main.html>"
    pages: dict[str, Page] = {
        "/": f"<html><head><title>News</title></head><frameset>{parts}</frameset></html>",
        "/menu.html": "<html><body><a href=main.html>Front</a><a href=past.html>Past days</a></body></html>",
        "/main.html": "<html><body><iframe src=/inc/new.html></iframe></body></html>",
    }
    for number, day in enumerate(days):
        shown = {f"/show.php?id=4{number}{n}7": _title(f"day{number}", n) for n in range(4)}
        pages |= {path: article(title, date=f"{day}T09:30:00+00:00") for path, title in shown.items()}
        entries = "".join(
            f"<div><p>{title}, and what was said of it.</p><a href='{path}'>Texto</a></div>"
            for path, title in shown.items()
        )
        pages[f"POST /past.html key=a1&day={day}"] = f"<html><body>{form}</form>{entries}</body></html>"
        if number == 0:
            pages |= {
                "/past.html": pages[f"POST /past.html key=a1&day={day}"],
                "/inc/new.html": f"<html><body>{entries}</body></html>",
            }
    with SmallSite(pages) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        found = {row["url"].removeprefix(site.url): row["title"] for row in door.archived()}
    assert found.keys() == {path for path in pages if path.startswith("/show")}
    assert found["/show.php?id=4317"] == _title("day3", 1)


def test_where_months_alone_name_articles_no_feed_is_guessed(door: Door) -> None:
    months = ("2026/11", "2026/10")
    shown = {f"/story/{month[-2:]}{n}88": _title(month[-2:], n) for month in months for n in range(4)}
    links = "".join(f"<li><a href='/list/{month}/'>{month}</a>" for month in months)
    pages: dict[str, Page] = {"/": f"<html><body><h1>Archives</h1><ul>{links}</ul></body></html>"}
    pages |= {path: article(title) for path, title in shown.items()}
    for month in months:
        pages[f"/list/{month}/"] = front({path: shown[path] for path in shown if f"/{month[-2:]}" in path})
    with SmallSite(pages) as site:
        assert _crawled(door, site) == shown.keys()
        asked = {hit.path for hit in site.hits} - pages.keys()
    assert asked <= {"/robots.txt", "/sitemap.xml", "/.well-known/tdmrep.json"}


def test_an_article_beside_which_months_stand_to_choose_from_is_no_list(door: Door) -> None:
    months = ("2026/11", "2026/10", "2026/09")
    options = "".join(f"<option value='/date/{month}'>{month}</option>" for month in months)
    aside = f"<aside><h3>Archive</h3><select>{options}</select></aside></body>"
    shown = {f"/{month[-2:]}{n}.html": _title(month[-2:], n) for month in months for n in range(5)} | {
        "/119.html": "Ferry"
    }
    pages: dict[str, Page] = {path: article(title).replace("</body>", aside) for path, title in shown.items()}
    for month in months:
        pages[f"/date/{month}"] = front({path: shown[path] for path in shown if path.startswith(f"/{month[-2:]}")})
    newest = {path: title for path, title in shown.items() if path.startswith("/11")}
    pages["/"] = front(newest).replace("</body>", aside)
    related = "".join(f"<li><a href='{path}'>{shown[path]}</a>" for path in list(shown)[6:10])
    pages["/119.html"] = str(pages["/119.html"]).replace("</body>", f"<h3>You may like</h3><ul>{related}</ul></body>")
    with SmallSite(pages) as site:
        assert _crawled(door, site) == shown.keys()
        (job,) = tomllib.loads(door.type("jobs", "show", "127.0.0.1").stdout)["site"]
        assert f"{site.url}/119.html" not in job.get("archives", []) + job["list_pages"]


@pytest.mark.parametrize("cut", ["its seconds", "a kill"])
def test_a_look_that_was_cut_short_is_made_again_by_the_next_crawl(door: Door, cut: str) -> None:
    pages, articles = _paged()
    slowly = {path: page if path in articles else Reply(str(page), wait_s=1) for path, page in pages.items()}
    with SmallSite(slowly) as site:
        # A sitemap of the newest alone: what the lists have beyond it is gone through to its end.
        newest = "".join(f"<url><loc>{site.url}/{one}/story-{n}.html</loc></url>" for one in SECTIONS for n in range(6))
        slowly["/sitemap.xml"] = Reply(
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{newest}</urlset>',
            headers={"Content-Type": "application/xml"},
        )
        crawl = ("crawl", "article", "-a", f"url={site.url}/", "-a")
        # So long the claim of a worker that was killed stands in the way; it did for ten minutes.
        claimed = {"articlebot.jobs.looks:_LOOKING_S": 5.0}
        begun = door.begin(*crawl, "seconds=2" if cut == "its seconds" else "until=idle", constants=claimed)
        wait_for(lambda: len(site.hits) >= 3 or begun.poll() is not None)
        if cut == "a kill":
            begun.kill()
        begun.communicate()
        assert len(door.archived()) < len(articles)
        done = door.type(*crawl, "until=idle", constants=claimed)
        assert done.returncode == 0, done.stderr[-2000:]
        assert {row["url"].removeprefix(site.url) for row in door.archived()} == articles
    (job,) = door.json("jobs", "show", "127.0.0.1")
    assert len(job["list_pages"]) == 1 + len(SECTIONS)


FEED = Reply(
    "<rss><channel>"
    + "".join(f"<item><title>Story {n}</title><link>http://other.example/2026/{n}.html</link></item>" for n in range(9))
    + "</channel></rss>",
    headers={"Content-Type": "application/rss+xml"},
)


def test_a_look_with_settings_that_the_stored_state_does_not_fit_is_refused_before_it_begins(door: Door) -> None:
    with SmallSite(news(3)) as site:
        assert door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle").returncode == 0
        asked = len(site.hits)
        for words in (("doctor",), ("seeds", "discover")):
            done = door.type(*words, f"{site.url}/", "--json", env={"ARTICLEBOT_FRONTIER_SHARDS": "4"})
            assert done.returncode == 2, done.stdout
            assert "ARTICLEBOT_FRONTIER_SHARDS is 4, and the crawl lies in 1: set that" in done.stderr
        assert len(site.hits) == asked


def test_doctor_says_what_an_address_is_that_lists_nothing_and_marks_the_walls_among_its_samples(door: Door) -> None:
    titles = list(news(6))
    walled, hasty = news(6), iter([Reply("slow", 429, {"Retry-After": "1"})])
    whole = walled["/"]
    walled |= dict.fromkeys(titles[2::2], LOGIN) | {"/": lambda: next(hasty, whole)}
    png = Reply(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0", headers={"Content-Type": "image/png"})
    lone = {"/2026/11/20/story.html": article("A lone story of the harbour town")}
    cases: tuple[tuple[dict[str, Page], str, str], ...] = (
        ({"/": "<html><body><p>hi</p></body></html>"}, "/", "has no links, and 2 characters of text"),
        (
            {"/": "<html><body><div id=root></div><script>run()</script></body></html>"},
            "/",
            "needs_javascript (http://",
        ),
        ({"/": png}, "/", "is no HTML page"),
        ({**lone}, "/2026/11/20/story.html", "is an article itself"),
        ({"/feed": FEED}, "/feed", "is a feed of articles on other sites: other.example. Follow these sites"),
    )
    quick = {"ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.05"}
    for pages, path, meant in cases:
        with SmallSite(pages) as site:
            done = door.type("doctor", f"{site.url}{path}", env=quick, constants=PATIENT)
        assert done.returncode == 1, done.stderr
        assert meant in done.stdout
        # What it guessed itself is no problem of the site.
        assert "404" not in done.stdout.replace(site.url, "")
    shell = "<html><body><div id=root></div><script src=/app.js></script></body></html>"
    with SmallSite({"/": whole} | dict.fromkeys(titles[1:], shell)) as site:
        told = door.json("doctor", f"{site.url}/", env=quick, constants=PATIENT)
    assert told["needs_browser"], told["samples"]
    with SmallSite(walled) as site:
        plain = door.type("doctor", site.url.partition("://")[2], env=quick, constants=PATIENT)
        told = door.json("doctor", f"{site.url}/", env=quick, constants=PATIENT)
    assert "does not speak TLS" in plain.stdout
    assert "1 no_tls (https://" in plain.stdout
    assert f"{site.url}/" in plain.stdout
    refused = {one["url"].removeprefix(site.url): one["refused"] for one in told["samples"]}
    assert {path for path, why in refused.items() if why == "wall_login"} == set(titles[2::2])
    assert sum(not why for why in refused.values()) == 3
    assert [one["wall"] for one in told["walls"]] == ["login"] * 3
    assert not told["reaches_back"]
    assert told["problems"] == {"http_429": 1}


def _epaper(days: int) -> tuple[dict[str, Page], set[str]]:
    """An e-paper of two sections a day; its address leads to the newest day, and a day to the one before."""
    pages: dict[str, Page] = {}
    for day in range(1, days + 1):
        before = f"<p><a href='../{day - 1:02}/node_1.htm'>The day before</a></p>" if day > 1 else ""
        for section in (1, 2):
            rows = {f"content_{day}{section}{n}00.htm": _title(f"day {day} part {section}", n) for n in range(5)}
            nodes = "<a href='node_1.htm'>A01</a> <a href='node_2.htm'>A02</a>"
            place = f"/html/2026-11/{day:02}/"
            pages[f"{place}node_{section}.htm"] = front(rows).replace("</ul>", f"</ul>{nodes}{before}")
            pages |= {place + path: article(title) for path, title in rows.items()}
    newest = f"html/2026-11/{days:02}/node_1.htm"
    pages["/"] = f"<html><head><meta http-equiv=refresh content='0; url={newest}'></head><body></body></html>"
    return pages, {path for path in pages if "content_" in path}


def test_an_e_paper_is_read_section_by_section_and_followed_from_day_to_day(door: Door) -> None:
    pages, articles = _epaper(3)
    with SmallSite(pages) as site:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "paper"\nsite = "{site.url}/"\n{AT_ONCE}')
        crawl = ("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle")
        for days in (3, 5):
            site.pages, articles = _epaper(days)
            asked = len(site.hits)
            done = door.type(*crawl)
            assert done.returncode == 0, done.stderr[-2000:]
            assert {row["url"].removeprefix(site.url) for row in door.archived()} == articles
        later = [hit.path for hit in site.hits[asked:]]
        assert len([path for path in later if "content_5" in path or "content_4" in path]) == 20
        assert len([path for path in later if "node_" in path]) <= 6


def _issues(folder: str, said: str) -> tuple[dict[str, Page], set[str]]:
    """A magazine whose home page shows one article; an index names its ten issues, which name three articles each."""
    nav = "<nav><a href='/issues'>Back issues</a><a href='/submit'>Submissions</a></nav>"
    pages: dict[str, Page] = {"/submit": "<p>Send us your essays, one at a time, between March and June.</p>"}
    for issue in range(32, 42):
        rows = {f"{folder % issue}/essay-{n}": _title(f"issue {issue}", n) for n in range(3)}
        pages |= {path: article(title) for path, title in rows.items()}
        pages[folder % issue] = front(rows).replace("<body>", f"<body>{nav}")
    covers = "".join(
        f"<div><a href='{folder % issue}'><img src=/c.jpg alt=''>{said % issue}</a></div>"
        for issue in range(41, 31, -1)
    )
    pages["/issues"] = f"<html><body>{nav}{covers}</body></html>"
    pages["/"] = front({f"{folder % 41}/essay-0": _title("issue 41", 0)}).replace("<body>", f"<body>{nav}")
    return pages, {path for path in pages if "essay" in path}


# What is an issue by its link's word alone may be an article: it is asked for as one, too.
@pytest.mark.parametrize(
    ("folder", "said", "most"), [("/issues/no-%d", "No. %d", 18), ("/qikan/2026/%d", "2026年第%d期", 28)]
)
def test_a_magazine_is_read_issue_by_issue(door: Door, folder: str, said: str, most: int) -> None:
    pages, articles = _issues(folder, said)
    with SmallSite(pages) as site:
        assert _crawled(door, site) == articles
        assert len(site.hits) <= len(articles) + most


def _part() -> tuple[dict[str, Page], set[str]]:
    """The columns of a portal: a folder whose page shows each writer's newest, and leads to what each has written."""
    nav = "<nav><a href='/'>Portal</a><a href='/news/'>News</a><a href='/jobs'>Jobs</a></nav>"
    news = {f"/news/fire-{n}.html": _title("news", n) for n in range(6)}
    pages: dict[str, Page] = {path: article(title) for path, title in news.items()}
    pages["/"] = pages["/news/"] = front(news).replace("<body>", f"<body>{nav}")
    shown, writers = dict[str, str](), ("ann-lee", "bo-li", "cy-ray")
    for writer in writers:
        rows = {f"/opinion/{writer}/column-{n}.html": _title(writer, n) for n in range(8)}
        pages |= {path: article(title) for path, title in rows.items()}
        pages[f"/opinion/{writer}/"] = front(rows).replace("<body>", f"<body>{nav}")
        shown |= dict([*rows.items()][:2])
    beside = "".join(f"<li><a href='/opinion/{one}/'>{one.title()}</a>" for one in writers)
    beside += "".join(f"<li><a href='{path}'>{title}</a>" for path, title in [*news.items()][:2])
    pages["/opinion/"] = front(shown).replace("<body>", f"<body>{nav}").replace("</body>", f"<ul>{beside}</ul></body>")
    return pages, {path for path in pages if "column" in path}


def test_a_folder_below_which_its_articles_lie_is_followed_as_a_site_is_and_nothing_beside_it(door: Door) -> None:
    pages, articles = _part()
    with SmallSite(pages) as site:
        assert _crawled(door, site, "/opinion/") == articles
        assert not [hit.path for hit in site.hits if hit.path.startswith(("/news", "/jobs"))]


def test_a_folder_whose_articles_lie_elsewhere_is_one_list(door: Door) -> None:
    shown = {f"/2026/11/{n}-story.html": _title("sport", n) for n in range(8)}
    pages: dict[str, Page] = {path: article(title) for path, title in shown.items()}
    nav = "<nav><a href='/'>Portal</a><a href='/culture/'>Culture</a></nav>"
    pages |= {"/sport/": front(shown).replace("<body>", f"<body>{nav}")}
    with SmallSite(pages) as site:
        assert _crawled(door, site, "/sport/") == set(shown)
        assert not [hit.path for hit in site.hits if hit.path in ("/", "/culture/", "/sitemap.xml")]


def test_behind_an_entrance_stands_a_page_that_lists_nothing_and_days_stand_in_the_list_alone(door: Door) -> None:
    nav = "<nav><a href='/journal'>Journal</a><a href='/visits'>Visits</a><a href='/rooms'>Rooms</a></nav>"
    rows = {f"/journal/story-{n}": _title("journal", n) for n in range(8)}
    pages: dict[str, Page] = {path: article(title, date="") for path, title in rows.items()}
    days = {path: f"2023-11-{10 + n}" for n, path in enumerate(rows)}
    entries = "".join(
        f"<article><time datetime={days[path]}>{days[path][8:]}.11.23</time><a href='{path}'>{title}</a></article>"
        for path, title in rows.items()
    )
    pages["/"] = "<html lang=en><body><a href='/welcome'><img src=/logo.png alt=Enter></a></body></html>"
    pages["/welcome"] = f"<html lang=en><body>{nav}<h1>Welcome</h1><p>Open from Tuesday to Saturday.</p></body></html>"
    pages["/journal"] = f"<html lang=en><body>{nav}{entries}</body></html>"
    with SmallSite(pages) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        found = {row["url"].removeprefix(site.url): row["published_at"] for row in door.archived()}
        assert found == days


def test_a_list_of_what_are_no_articles_is_left_after_three_and_one_of_articles_is_not(door: Door) -> None:
    nav = "<nav><a href='/news/'>News</a><a href='/firms/'>Firms</a><a href='/essays/'>Essays</a></nav>"
    pages: dict[str, Page] = {}
    for folder in ("news", "firms", "essays"):
        rows = {f"/{folder}/entry-{n}.html": _title(folder, n) for n in range(12)}
        firm = "<html><body><h1>Firm</h1><p>Harbour street 3, open from 6 to 18.</p></body></html>"
        pages |= {path: firm if folder == "firms" else article(title) for path, title in rows.items()}
        pages[f"/{folder}/"] = front(rows).replace("<body>", f"<body>{nav}")
        if folder == "news":
            pages["/"] = front(dict([*rows.items()][:6])).replace("<body>", f"<body>{nav}")
    with SmallSite(pages) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        asked = [hit.path for hit in site.hits if hit.path.endswith(".html")]
        assert {row["url"].removeprefix(site.url) for row in door.archived()} == {
            path for path in pages if path.endswith(".html") and "firms" not in path
        }
        assert len(asked) == len(set(asked)) == 24 + 3


def _endless() -> tuple[dict[str, Page], set[str]]:
    """Two sections and a home page that end; a script that all take from an address of its own fetches what follows."""
    rows = {f"/story/{900 - n}": _title(SECTIONS[n % 2], n) for n in range(36)}
    head = "<script src='/jquery.min.js'></script><script src='/app.js?v=3'></script>"
    nav = "".join(f"<a href='/{one}/'>{one.title()}</a> " for one in SECTIONS)

    def some(start: int, part: int | None = None) -> dict[str, str]:
        found = {
            path: title for path, title in rows.items() if part is None or title.startswith(SECTIONS[part].title())
        }
        return dict(list(found.items())[start : start + 6])

    def entries(shown: dict[str, str]) -> str:
        return "".join(f"<p data-id={path[7:]}><a href='{path}'>{title}</a></p>" for path, title in shown.items())

    def document(part: int | None) -> str:
        return (
            f"<html lang=en><head>{head}</head><body><nav>{nav}</nav><div>{entries(some(0, part))}</div></body></html>"
        )

    pages: dict[str, Page] = {path: article(title) for path, title in rows.items()}
    pages |= {"/": document(None), **{f"/{one}/": document(part) for part, one in enumerate(SECTIONS)}}
    pages["/app.js?v=3"] = (
        "var id = list.lastChild.getAttribute('data-id'); fetch('/ajax/stream?before=' + id).then(show)"
    )
    pages |= {f"/ajax/stream?before={900 - n}": entries(some(n + 1)) for n in range(5, 36, 6)}
    return pages, set(rows)


def test_what_follows_a_list_by_a_script_of_another_address_is_found(door: Door) -> None:
    pages, articles = _endless()
    with SmallSite(pages) as site:
        assert _crawled(door, site) == articles
        asked = [hit.path for hit in site.hits]
        assert asked.count("/app.js?v=3") == 1
        assert "/jquery.min.js" not in asked


def test_a_list_that_two_pages_begin_is_gone_through_once(door: Door) -> None:
    rows = {f"/story/{900 - n}": _title("town", n) for n in range(30)}
    pages: dict[str, Page] = {path: article(title) for path, title in rows.items()}
    pages["/app.js"] = "function more(n) { fetch('/api/list?offset=' + n + '&limit=6').then(show) }"
    for path, shown in (("/", 5), ("/latest", 8)):
        top = "<body><nav><a href=/latest>Latest</a></nav><script src=/app.js></script>"
        pages[path] = front(dict(list(rows.items())[:shown])).replace("<body>", top)
    for start in range(31):
        items = [{"url": path, "title": title} for path, title in list(rows.items())[start : start + 6]]
        pages[f"/api/list?offset={start}&limit=6"] = Reply(json.dumps(items))
    with SmallSite(pages) as site:
        assert _crawled(door, site) == set(rows)
        # Five that follow the first page, an empty one, and once the beginning: boxes of headlines are no first page.
        assert len([hit for hit in site.hits if hit.path.startswith("/api/")]) <= 7


def test_sections_that_go_on_by_scripts_of_their_own_pages_are_each_gone_through(door: Door) -> None:
    pages: dict[str, Page] = {}
    newest: dict[str, str] = {}
    nav = "<nav>" + "".join(f"<a href='/{one}/'>{one.title()}</a>" for one in SECTIONS) + "</nav>"
    for section in SECTIONS:
        rows = {f"/{section}/story-{n}.html": _title(section, n) for n in range(15)}
        pages |= {path: article(title, date="") for path, title in rows.items()}
        newest |= dict(list(rows.items())[:5])
        for number in (1, 2, 3):
            some = list(rows.items())[5 * number - 5 : 5 * number]
            shown = "".join(
                f"<dt>{20 - n} November 2026</dt><dd><a href='{path}'>{title}</a></dd>"
                for n, (path, title) in enumerate(some, 5 * number - 5)
            )
            more = json.dumps({"html": f"<dl>{shown}</dl>"})
            pages[f"/{section}/?ajax=1&page={number}"] = Reply(more, headers={"Content-Type": "application/json"})
            if number == 1:
                script = (
                    f"var page = 1; function more() {{ page++; fetch('/{section}/?ajax=1&page=' + page).then(show) }}"
                )
                body = f"<body>{nav}<dl>{shown}</dl><button>More</button><script>{script}</script></body>"
                pages[f"/{section}/"] = f"<html lang=en>{body}</html>"
    pages["/"] = front(newest).replace("<body>", f"<body>{nav}")
    with SmallSite(pages) as site:
        crawled = _crawled(door, site)
        assert crawled == {path for path in pages if path.endswith(".html")}, [hit.path for hit in site.hits]
        assert len([hit for hit in site.hits if "?ajax=1&page=" in hit.path]) <= 6
        # The pages tell no day: those of the lists, which stand before each entry, are theirs.
        days = {row["url"].removeprefix(site.url): row["published_at"] for row in door.archived()}
        assert days["/sport/story-9.html"] == days["/culture/story-9.html"] == "2026-11-11"


def _frames() -> tuple[dict[str, Page], set[str]]:
    """A set of frames: a menu and the newest; rows of its lists are opened by a function of the page."""
    rows = {f"/show_{900 - n}.htm": _title("town", n) for n in range(24)}
    script = "<script>function show(id) { window.open('/show_' + id + '.htm'); }</script>"

    def some(shown: dict[str, str]) -> str:
        entries = "".join(
            f"<li><a href='javascript:show({path[6:9]})'>{title}</a></li>" for path, title in shown.items()
        )
        return f"<html lang=en><head>{script}</head><body><ul>{entries}</ul></body></html>"

    pages: dict[str, Page] = {path: article(title) for path, title in rows.items()}
    pages["/"] = "<html><frameset rows='80,*'><frame src='/top.htm'><frame src='/main.htm' name=main></frameset></html>"
    pages["/top.htm"] = "<html><body><a href='/main.htm'>Home</a> <a href='/list_1.htm'>Town hall</a></body></html>"
    pages |= {"/main.htm": some(dict(list(rows.items())[:8])), "/list_1.htm": some(rows)}
    return pages, set(rows)


def test_a_home_page_and_a_section_that_fail_once_are_asked_once_more(door: Door) -> None:
    pages, told = news(4), news(5, prefix="Story")
    home, section = (
        str(pages["/"]).replace("<body>", "<body><nav><a href=/town/>Town</a><a href=/away/>Coast</a></nav>"),
        told.pop("/"),
    )
    pages |= told
    hidden = "/2026/11/19/the-old-report-of-the-harbour-town.html"
    pages[hidden] = article("The old report of the harbour town and its bridges")
    refused = Reply("too many", 429, {"Retry-After": "1"})
    failing = {"/": iter([Reply("bad gateway", 502)]), "/town/": iter([refused, Reply("out of order", 500)])}
    pages["/"] = lambda: next(failing["/"], home)
    pages["/town/"] = lambda: next(failing["/town/"], section)
    pages["/away/"] = Reply("down for maintenance", 502, {"Retry-After": "3600"})  # is not waited for
    with SmallSite(pages) as site:
        pages["/robots.txt"] = Reply(f"Sitemap: {site.url}/map.xml\n", headers={"Content-Type": "text/plain"})
        pages["/map.xml"] = Reply(f"<urlset><url><loc>{site.url}{hidden}</loc></url></urlset>")
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        assert len(site.hits_of(hidden)) == 1
    assert len(door.archived()) == 10


def test_an_article_behind_a_counter_is_no_list_of_what_is_related_to_it(door: Door) -> None:
    """A headline of few words looks like a section, and what it leads to has an address that no list names."""
    titles = ["Federer forced to dig deep", *(f"Report number {n} from the harbour town" for n in range(15))]
    teasers = [f"<article><h2><a href='/go?id={n}'>{title}</a></h2></article>" for n, title in enumerate(titles)]
    pages: dict[str, Page] = {
        "/": f"<html lang=en><body><nav><a href=/all/>Reports</a></nav>{''.join(teasers[:10])}</body></html>",
        "/all/": f"<html lang=en><body>{''.join(teasers[:10])}<a href='/all/?page=2'>Next</a></body></html>",
        "/all/?page=2": f"<html lang=en><body>{''.join(teasers[10:])}<a href='/all/'>Previous</a></body></html>",
    }
    for n, title in enumerate(titles):
        pages[f"/go?id={n}"] = Reply("", 302, {"Location": f"/202611/t{70000 + n}.html"})
        further = f"<a href='t{70000 + n}_2.html'>Next page</a>" if n == 0 else ""
        related = f"<aside>{''.join(teasers[m] for m in range(11, 15) if m != n)}</aside>"
        pages[f"/202611/t{70000 + n}.html"] = article(title).replace("</body>", f"{further}{related}</body>")
    articles = {path for path in pages if path.endswith(".html")}
    pages["/202611/t70000_2.html"] = article(titles[0], paragraphs=2)
    with SmallSite(pages) as site:
        assert _crawled(door, site) == articles


def test_frames_are_one_home_page(door: Door) -> None:
    pages, articles = _frames()
    with SmallSite(pages) as site:
        assert _crawled(door, site) == articles


def test_a_list_behind_a_script_is_found_told_by_doctor_and_followed_by_a_job_with_nothing_but_its_site(
    door: Door,
) -> None:
    pages, articles = _behind_scripts()
    with SmallSite(pages) as site:
        told = door.json("doctor", f"{site.url}/", constants=PATIENT)
        assert {
            "feeds",
            "sitemaps",
            "lists",
            "api",
            "language",
            "timezone",
            "needs_browser",
            "walls",
            "samples",
        } <= told.keys()
        assert [one["url"] for one in told["api"]] == [f"{site.url}/api/news?page=1"]
        assert told["article_url"] == "/read/{id}"
        assert not told["needs_browser"]
        assert told["reaches_back"]
        assert told["language"] == "en"
        assert len(told["samples"]) == 3
        assert all(" report number" in one["title"] for one in told["samples"])
        assert len(site.hits) <= 40

        jobs = door.file("jobs.toml", f'[[site]]\nname = "app"\nsite = "{site.url}/"\n')
        done = door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        assert {row["url"].removeprefix(site.url) for row in door.archived()} == articles


_SHORT = {"ARTICLEBOT_FRONTIER_LEASE_S": "15"}


def test_a_backfill_goes_behind_the_first_visit_and_is_told_in_status(door: Door) -> None:
    pages, articles = _paged()
    articles.remove("/live")  # no list of the job names it
    with SmallSite(pages) as site:
        file = f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/sport/", "{site.url}/culture/"]\nbackfill = "%s"\n'
        jobs = door.file("jobs.toml", file % "12")
        done = door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        assert 12 <= len(door.archived()) <= 30  # a page of each list, and what is left of a page when it is enough
        (told,) = door.json("status")["backfills"]
        assert (told["job"], told["wanted"]) == ("town", "12")
        assert told["admitted"] == told["done"] >= 12

        # What the job asks for now is begun, killed in the middle, and taken up again.
        door.file("jobs.toml", file % "all")
        before = len([hit for hit in site.hits if hit.path in articles])
        killed = door.begin("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", env=_SHORT)
        wait_for(lambda: len([hit for hit in site.hits if hit.path in articles]) >= before + 4)
        killed.kill()
        killed.communicate()
        assert len(door.archived()) < len(articles)
        door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", env=_SHORT)
        rows = [row["url"].removeprefix(site.url) for row in door.archived()]
        assert sorted(rows) == sorted(articles)
        twice = [path for path in articles if len(site.hits_of(path)) > 1]
        assert len(twice) <= 8, twice  # what was in flight, or fetched and not archived yet
        assert "backfill town (all)" in door.type("status").stdout
        wrong = door.file("wrong.toml", file % "many")
        said = door.type("jobs", "check", str(wrong))
        assert said.returncode == 1
        assert '"30d"' in said.stdout


def test_days_bound_the_first_visit_and_stated_archives_are_read_beside_a_site(door: Door) -> None:
    now = datetime.now(UTC)
    times = {f"/read/{n}00-of-the-harbour-town.html": now - timedelta(days=5 * n) for n in range(8)}
    pages: dict[str, Page] = {
        path: article(f"Report {n} of the harbour town and its bridges", date=at.isoformat())
        for n, (path, at) in enumerate(times.items())
    }
    entries = "".join(
        f"<url><loc>{{0}}{path}</loc><lastmod>{at.isoformat()}</lastmod></url>" for path, at in times.items()
    )
    kept = "/old/kept-story-of-the-harbour-town.html"
    with SmallSite(pages) as site:
        pages["/robots.txt"] = Reply(f"Sitemap: {site.url}/sitemap.xml\n", headers={"Content-Type": "text/plain"})
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries.format(site.url)}</urlset>'
        pages["/sitemap.xml"] = Reply(sitemap, headers={"Content-Type": "application/xml"})
        pages["/"] = front({next(iter(times)): "Report 0 of the harbour town and its bridges"})
        pages["/attic/"] = front({kept: "A kept story of the harbour town and its attic"})
        pages[kept] = article("A kept story of the harbour town and its attic", date=now.isoformat())
        file = f'[[site]]\nname = "town"\nsite = "{site.url}/"\nbackfill = "12d"\narchives = "{site.url}/attic/"\n'
        jobs = door.file("jobs.toml", file)
        done = door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        fetched = {hit.path for hit in site.hits if hit.path.endswith(".html")}
    assert fetched == {*list(times)[:3], kept}  # of today, five and ten days ago
