"""Why an entry page gave no links, and a page no article: in the words of ``diagnosis``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from articlebot.errors import RefusedError
from articlebot.extraction.kinds import kind
from articlebot.extraction.shells import needs_scripts
from articlebot.extraction.walls import asks_consent, wall_of
from articlebot.items import Link
from articlebot.page.anchors import anchors_of
from articlebot.page.feeds import parse_feed
from articlebot.page.page import Page
from articlebot.page.sitemaps import parse_sitemap
from articlebot.urls import canonical_url, subdomain

if TYPE_CHECKING:
    from articlebot.jobs import Job
    from articlebot.page.page import Page
    from articlebot.runtime.reader import Fetched

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
        return _not_taken(job, links)
    if form == "feed":
        return "feed_without_entries", ""
    sitemap = parse_sitemap(fetched.body, fetched.url)
    if form == "sitemap":
        # An index leads to sitemaps, which become entry pages themselves.
        name = "index" if sitemap.children else "no_links" if sitemap.entries else "sitemap_without_entries"
        return name, str(len(sitemap.entries))
    if parse_feed(fetched.body, fetched.url):
        return "is_feed", ""
    if sitemap.entries or sitemap.children:
        return "is_sitemap", ""
    if fetched.page.refused:
        return fetched.page.refused, ""
    return _of_page(job, fetched.page)


def why_unread(reason: str, fetched: Fetched) -> str:
    """The reason why a page is no article: what looks like none may be an empty shell."""
    return "needs_javascript" if reason in _EMPTY and needs_scripts(fetched.page) else reason


def _of_page(job: Job, page: Page) -> tuple[str, str]:
    if kind(page).name == "wall":
        return f"wall_{wall_of(page)}", ""
    if asks_consent(page):
        return "wall_consent", ""
    if needs_scripts(page):
        return "needs_javascript", ""
    if job.regions and not anchors_of(page, job.regions):
        return "regions", ""
    return "article_pattern" if job.article_pattern else "no_links", str(len(anchors_of(page)))


def _not_taken(job: Job, links: Sequence[Link]) -> tuple[str, str]:
    """Of links that look like articles: they are on other sites, or the job excludes them."""
    elsewhere: dict[str, None] = {}
    for link in links:
        try:
            url = canonical_url(link.url)
        except RefusedError:
            continue
        if job.owns(url):
            return "article_exclude" if job.article_exclude else "no_links", str(len(links))
        elsewhere[subdomain(url)] = None
    return "other_sites", ", ".join(list(elsewhere)[:_MOST_SITES])
