"""Lists that no menu names: another list leads there, or the page behind the one before the site."""

from __future__ import annotations

import pytest

from tests.front_door.door import Door
from tests.front_door.site import Page, Reply, SmallSite, article

_TOPICS = ("town", "people", "arts", "river")


def _topics(*, declared: bool) -> tuple[dict[str, Page], set[str]]:
    """Topics that each show two articles and lead to a category elsewhere, which has twelve on two pages.

    Args:
        declared: a feed names the two newest; without one, the home page shows them.
    """
    nav = "<nav>" + "".join(f"<a href='/topics/{one}'>{one.title()}</a>" for one in _TOPICS) + "</nav>"
    pages: dict[str, Page] = {}
    articles, newest = set(), []
    for topic in _TOPICS:
        titles = {
            f"/stories/{topic}-report-{n}": f"{topic.title()} report {n} from the harbour town" for n in range(12)
        }
        pages |= {path: article(title) for path, title in titles.items()}
        articles |= titles.keys()
        rows = [f"<li><a href='{path}'>{title}</a></li>" for path, title in titles.items()]
        newest += list(titles.items())[:2]
        head = f"<html lang=en><title>{topic}</title>{nav}<h1>{topic.title()}</h1>"
        shown = f"<ul>{''.join(rows[:2])}</ul><p><a href='/category/{topic}/'>{topic.title()} archive</a></p>"
        pages[f"/topics/{topic}"] = head + shown
        on = f"<a href='/category/{topic}/?page=2'>Next</a>"
        pages |= {
            f"/category/{topic}/": f"{head}<ul>{''.join(rows[:8])}</ul>{on}",
            f"/category/{topic}/?page=2": f"{head}<ul>{''.join(rows[8:])}</ul>",
        }
    items = "".join(f"<item><title>{title}</title><link>{path}</link></item>" for path, title in newest)
    shown = "".join(f"<li><a href='{path}'>{title}</a></li>" for path, title in newest)
    link = "<link rel=alternate type=application/rss+xml href=/rss.php>"
    if declared:
        pages["/rss.php"] = Reply(f"<rss><channel>{items}</channel></rss>", headers={"Content-Type": "text/xml"})
        pages["/"] = f"<html lang=en><head><title>Harbour</title>{link}</head>{nav}<p>Welcome to the town.</p>"
    else:
        pages["/"] = f"<html lang=en><title>Harbour</title>{nav}<ul>{shown}</ul>"
    return pages, articles


def _crawled(door: Door, site: SmallSite) -> set[str]:
    done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
    assert done.returncode == 0, done.stderr[-2000:]
    return {row["url"].removeprefix(site.url) for row in door.archived()}


@pytest.mark.parametrize("declared", [True, False], ids=["feed", "home"])
def test_topics_lead_to_categories_that_no_menu_names(door: Door, declared: bool) -> None:
    pages, articles = _topics(declared=declared)
    with SmallSite(pages) as site:
        assert _crawled(door, site) == articles
        assert len(site.hits) <= len(articles) + 3 * len(_TOPICS) + 6


def test_a_page_before_the_site_hides_what_the_one_behind_it_offers(door: Door) -> None:
    pages, articles = _topics(declared=True)
    pages["/en/"] = pages["/"]
    pages["/"] = "<html><title>Harbour</title><p><a href='/en/'>English</a> <a href='/xx/'>Other</a></p></html>"
    with SmallSite(pages) as site:
        assert _crawled(door, site) == articles
        assert "/rss.php" in {hit.path for hit in site.hits}


@pytest.mark.parametrize("folder", ["", "news"], ids=["regions", "departments"])
def test_what_stands_beside_others_that_have_lists_of_their_own_has_one_too(door: Door, folder: str) -> None:
    """A page that lists nothing leads to departments with news each, or to a paper's regions."""
    names = ("maths", "history", "law", "rivers", "music")
    nav = "<nav><a href=/study>Study</a> <a href=/parts>Departments</a></nav>"
    head = f"<html lang=en><title>Campus</title>{nav}"
    pages: dict[str, Page] = {"/study": f"{head}<p>All about study.</p>"}
    articles = set()
    for name in names:
        titles = {f"/{name}/news/{n}": f"The {name} department has measured the river {n} times" for n in range(6)}
        pages |= {path: article(title) for path, title in titles.items()}
        articles |= titles.keys()
        rows = "".join(f"<li><a href='{path}'>{title}</a></li>" for path, title in titles.items())
        pages[f"/{name}/{folder}"] = f"{head}<h1>News</h1><ul>{rows}</ul>"
        if folder:
            pages[f"/{name}/"] = f"{head}<a href=/{name}/news>News</a><p>We teach {name}.</p>"
    pages["/parts"] = head + "".join(f"<li><a href=/{one}/>{one.title()}</a></li>" for one in names)
    newest = "".join(f"<li><a href=/{one}/news/0>The {one} department has measured it</a></li>" for one in names[:2])
    pages["/"] = f"{head}<ul>{newest}</ul>"
    with SmallSite(pages) as site:
        assert _crawled(door, site) == articles


@pytest.mark.parametrize("folder", ["products", "events"])
def test_what_a_home_page_sells_or_holds_is_not_asked_for_where_news_have_a_list(door: Door, folder: str) -> None:
    titles = {f"/news/{n}-report": f"The river authority has measured report {n} of the year" for n in range(8)}
    offers = {f"/{folder}/item-{n}/": f"Item {n} for difficult waters and for long winters" for n in range(6)}
    nav = f"<html lang=en><title>Pumps</title><nav><a href=/{folder}/>{folder}</a> <a href=/news/>News</a></nav>"
    pages: dict[str, Page] = {path: article(title) for path, title in titles.items()}
    pages |= {path: f"{nav}<h1>{title}</h1><p>12 euros.</p>" for path, title in offers.items()}
    for path, some in (("/", offers), (f"/{folder}/", offers), ("/news/", titles)):
        pages[path] = nav + "".join(f"<div><h3><a href='{to}'>{title}</a></h3></div>" for to, title in some.items())
    with SmallSite(pages) as site:
        assert _crawled(door, site) == titles.keys()
        assert not {hit.path for hit in site.hits} & offers.keys()


@pytest.mark.parametrize("mapped", [True, False], ids=["sitemap", "lists"])
def test_what_a_site_says_of_itself_is_no_article_where_it_has_news(door: Door, mapped: bool) -> None:
    titles = {f"/news/{n}-report-of-the-river": f"The river authority has measured report {n}" for n in range(9)}
    asides = {
        f"/{folder}/{one}-of-the-tide-tables/": f"{one.title()} of the tide tables"
        for folder in ("docs", "careers", "legal") for one in ("reading", "keeping", "selling", "printing")
    }  # fmt: skip
    menu = "".join(f"<a href=/{folder}/>{folder}</a> " for folder in ("news", "docs", "careers", "legal"))
    nav = f"<html lang=en><title>Tides</title><nav>{menu}</nav>"
    pages: dict[str, Page] = {path: article(title) for path, title in titles.items()}
    pages |= {path: article(title, date="") for path, title in asides.items()}
    for path in ("/", "/news/", "/docs/", "/careers/", "/legal/"):
        some = titles if path in ("/", "/news/") else {to: said for to, said in asides.items() if to.startswith(path)}
        pages[path] = nav + "".join(f"<div><h3><a href='{to}'>{title}</a></h3></div>" for to, title in some.items())
    with SmallSite(pages) as site:
        if mapped:
            named = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in pages)
            site.pages["/sitemap.xml"] = Reply(f"<urlset>{named}</urlset>", headers={"Content-Type": "text/xml"})
        assert _crawled(door, site) == titles.keys()
