"""Why an entry page gave no links, and a page no article: in the words of ``diagnosis``."""

from __future__ import annotations

from collections.abc import Sequence

from articlebot.extraction.kinds import kind
from articlebot.extraction.shells import lacks_text, needs_scripts
from articlebot.extraction.walls import wall_in
from articlebot.items import Link
from articlebot.jobs import Job
from articlebot.page.anchors import anchors_of
from articlebot.page.feeds import parse_feed
from articlebot.page.page import Page
from articlebot.page.sitemaps import parse_sitemap
from articlebot.runtime.fetched import Fetched
from articlebot.urls import canonical_or_none, is_front, subdomain

_MOST_SITES = 3
_EMPTY = ("no_text", "not_an_article_other")


def why_barren(job: Job, form: str, fetched: Fetched, links: Sequence[Link]) -> tuple[str, str]:
    """The reason, one of ``diagnosis.advice``, and what else there is to say of it.

    Args:
        job: whose entry page it is.
        form: list, feed or sitemap.
        fetched: the page.
        links: that look like articles, of which the job takes none.
    """
    if not job.owns(fetched.url):
        return "redirected_away", fetched.url
    if links:
        return _not_taken(job, [link.url for link in links])
    if form == "feed":
        return "feed_without_entries", ""
    sitemap = parse_sitemap(fetched.body, fetched.url)
    if form == "sitemap":
        # An index leads to sitemaps, which become entry pages themselves; some of them are of pages, authors and tags.
        if sitemap.children:
            return "index", ""
        if not sitemap.entries:
            return "sitemap_without_entries", ""
        return "no_links" if fetched.url in job.sitemaps else "sitemap_of_others", str(len(sitemap.entries))
    if entries := parse_feed(fetched.body, fetched.url):
        reason, sites = _not_taken(job, [entry.url for entry in entries])
        return ("feed_elsewhere", sites) if reason == "other_sites" else ("is_feed", "")
    if sitemap.entries or sitemap.children:
        return "is_sitemap", ""
    return _of_job(job, *why_listless(fetched.page), fetched.page)


def why_unread(reason: str, fetched: Fetched) -> str:
    """The reason why a page is no article: what looks like none may be an empty shell, or an article's frame."""
    is_shell = reason in _EMPTY and needs_scripts(fetched.page)
    is_frame = reason.startswith("not_an_article_") and lacks_text(fetched.page)
    return "needs_javascript" if is_shell or is_frame else reason


def _of_job(job: Job, reason: str, detail: str, page: Page) -> tuple[str, str]:
    """The reason of a page, or what the job asks of its links where it has some."""
    if reason not in ("no_links", "is_article"):
        return reason, detail
    if job.regions and not anchors_of(page, job.regions):
        return "regions", ""
    return ("article_pattern", str(len(anchors_of(page)))) if job.article_pattern else (reason, detail)


def why_listless(page: Page) -> tuple[str, str]:
    """What a page is that lists no article, whoever asks: the reason, and what else there is to say of it."""
    if page.refused:
        return page.refused, ""
    told = kind(page).name
    if wall := wall_in(page, told):
        return f"wall_{wall}", ""
    if needs_scripts(page):
        return "needs_javascript", ""
    links = anchors_of(page)
    if not links:
        return "without_links", f"{_chars(page):,}"
    if told == "article" and not is_front(page.url):
        return "is_article", ""
    return "no_links", str(len(links))


def why_home(page: Page, body: bytes) -> tuple[str, str]:
    """Why the address that a look begins with lists no article, and what else there is to say of it."""
    if parse_feed(body, page.url):
        return "is_feed", ""
    sitemap = parse_sitemap(body, page.url)
    if sitemap.entries or sitemap.children:
        return "is_sitemap", ""
    return ("not_html", "") if body.lstrip()[:1] in (b"{", b"[") else why_listless(page)


def _chars(page: Page) -> int:
    """Characters that a reader of the page sees."""
    return sum(len(block.text) for block in page.blocks)


def _not_taken(job: Job, links: Sequence[str]) -> tuple[str, str]:
    """Of links that look like articles: they are on other sites, or the job excludes them."""
    elsewhere: dict[str, None] = {}
    for link in links:
        url = canonical_or_none(link)
        if url is None:
            continue
        if job.owns(url):
            return "article_exclude" if job.article_exclude else "no_links", str(len(links))
        elsewhere[subdomain(url)] = None
    return "other_sites", ", ".join(list(elsewhere)[:_MOST_SITES])
