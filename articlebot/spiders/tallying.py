"""Counting what visits led to: whether an entry page gave links and a page an article, and if not, why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from articlebot.errors import RefusedError
from articlebot.extraction.kinds import kind
from articlebot.extraction.lists import anchors_of
from articlebot.extraction.shells import needs_scripts
from articlebot.extraction.walls import asks_consent, wall_of
from articlebot.items import Link
from articlebot.page.feeds import parse_feed
from articlebot.page.page import Page
from articlebot.page.sitemaps import parse_sitemap
from articlebot.urls import canonical_url, subdomain

if TYPE_CHECKING:
    from articlebot.diagnosis import Tally
    from articlebot.jobs import Job
    from articlebot.jobs.visit import Visit
    from articlebot.runtime.reader import Fetched
    from articlebot.spiders.answer import Answer

_MOST_SITES = 3
_EMPTY = ("no_text", "not_an_article_other")
_ENTRIES = ("list", "feed", "sitemap")


def note_entry(tally: Tally, page: Answer, links: Sequence[Link], found: int) -> None:
    """An entry page was read, and ``found`` of its links may be followed."""
    job, url = page.job, page.fetched.url
    if found:
        tally.links(job.name, page.visit.key, found, url)
    else:
        reason, detail = why_barren(job, page.visit.kind, page.fetched, links)
        tally.entry(job.name, reason, page.record.url if reason == "redirected_away" else url, detail)


def note_settled(tally: Tally, page: Answer, status: int) -> None:
    """An entry page was answered with a status that says it all: 304, 404 or 410."""
    tally.entry(page.job.name, "not_modified" if status == 304 else f"http_{status}", page.fetched.url)


def note_page(tally: Tally, page: Answer, outcome: str) -> None:
    """A page turned out to be ``article``, or none for this reason."""
    if page.visit.kind == "auto":
        tally.page(page.job.name, outcome, page.fetched.url)
    else:
        tally.again += 1


def note_missed(tally: Tally, visit: Visit, reason: str, url: str) -> None:
    """A visit brought no answer that can be read."""
    if visit.kind in _ENTRIES and visit.part == 1:
        tally.entry(visit.job, reason, url)
    elif visit.kind == "auto":
        tally.page(visit.job, reason, url)


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
    page = Page.parse(fetched.body, fetched.url, fetched.content_type, fetched.at)
    if parse_feed(fetched.body, fetched.url):
        return "is_feed", ""
    if sitemap.entries or sitemap.children:
        return "is_sitemap", ""
    if page.refused:
        return page.refused, ""
    return _of_page(job, page)


def why_unread(reason: str, fetched: Fetched) -> str:
    """The reason why a page is no article: what looks like none may be an empty shell."""
    if reason not in _EMPTY:
        return reason
    page = Page.parse(fetched.body, fetched.url, fetched.content_type, fetched.at)
    return "needs_javascript" if needs_scripts(page) else reason


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
