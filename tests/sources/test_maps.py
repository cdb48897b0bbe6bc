"""Which addresses of a sitemap are articles, and which maps of an index are looked at."""

from __future__ import annotations

import pytest

from articlebot.extraction.urlshape import looks_like_article
from articlebot.page.sitemaps import SitemapEntry
from articlebot.sources.maps import article_entries, children

HOST = "http://paper.test"


def entries(*paths: str) -> list[SitemapEntry]:
    return [SitemapEntry(url=HOST + path) for path in paths]


def articles(*paths: str) -> list[str]:
    found = article_entries(entries(*paths), looks_like_article, lambda url: None)
    return [entry.url.removeprefix(HOST) for entry in found]


def test_what_is_numerous_is_an_article_whatever_it_looks_like() -> None:
    short = [f"/n/{n}" for n in range(8)]
    assert articles("/", "/about", "/sport/", *short, "/tag/bridge", "/2026/11/") == short
    assert articles("/", "/about", "/n/1") == []


@pytest.mark.parametrize("end", ["", ".html"])
def test_short_names_beside_articles_are_articles(end: str) -> None:
    long = [f"/posts/how-the-town-came-to-bridge-{n}{end}" for n in "abcdefg"]
    short = [f"/posts/{name}{end}" for name in ("redis", "vue3", "git-usage", "rust", "nas", "docker", "my-desk")]
    others = ["/", f"/posts{end}", f"/about{end}", f"/tags/vue{end}", f"/tags/rust{end}", f"/posts/2{end}"]
    assert articles(*others, *long, *short) == [*long, *short]
    assert articles(*others, *long[:2], *short) == long[:2]
    # Names at the site's top may be those of any page.
    top = [path.replace("/posts", "") for path in (*long, *short)]
    assert articles(*others, *top) == top[: len(long)]


def test_numbers_behind_the_names_of_sections_are_as_numerous_as_all_of_them() -> None:
    posts = [f"/news/{section}-{1000 + n}/" for n, section in enumerate(["tech", "town", "sport", "trade", "arts"] * 3)]
    assert articles("/", "/news/", "/about/", *posts) == posts
    assert articles("/", "/news/tech-1/", "/about/") == []


def test_numbers_in_the_archives_of_wordpress_are_articles() -> None:
    posts = [f"/archives/{n}.html" for n in range(300, 308)]
    assert articles("/", "/archives/2026/", *posts) == posts


def test_lists_are_no_articles_however_numerous() -> None:
    tags = [f"/tag/word-{n}" for n in range(20)]
    news = [f"/news/2026/11/the-town-has-a-new-bridge-{n}.html" for n in range(3)]
    assert articles(*tags, *news, *(f"/author/jane-{n}" for n in range(20))) == news


def test_goods_and_events_are_no_articles() -> None:
    news = [f"/news/a-bridge-{n}" for n in range(12)]
    others = [f"/{folder}-{n}" for folder in ("agenda/workshop", "produits/lampe") for n in range(9)]
    assert articles(*news, *others) == news


def test_the_jobs_own_pattern_decides() -> None:
    found = article_entries(entries("/a", "/b"), looks_like_article, lambda url: url.endswith("/b"))
    assert [entry.url for entry in found] == [f"{HOST}/b"]


def test_children_of_tags_and_authors_are_left_out_and_the_newest_come_first() -> None:
    index = [
        SitemapEntry(url=f"{HOST}/{name}", modified_at=at)
        for name, at in (
            ("post-sitemap1.xml", 1.0), ("post-sitemap2.xml", 3.0), ("post_tag-sitemap.xml", 9.0),
            ("author-sitemap.xml", 9.0),
            ("page-sitemap.xml", 9.0), ("sitemap-page-2.xml", 2.0),
            ("wp-sitemap-posts-page-1.xml", 9.0), ("?sitemap=posts&sitemap-subtype=page&paged=1", 9.0),
            ("?sitemap=users&paged=1", 9.0), ("?sitemap=posts&sitemap-subtype=post&paged=1", 0.5),
        )
    ]  # fmt: skip
    assert [one.url.removeprefix(f"{HOST}/") for one in children(index)] == [
        "post-sitemap2.xml", "sitemap-page-2.xml", "post-sitemap1.xml", "?sitemap=posts&sitemap-subtype=post&paged=1",
    ]  # fmt: skip
    assert len(children(index[2:4])) == 2  # where nothing else is, they are better than nothing
