"""When an article was published and changed, as its page states it for machines: JSON-LD and meta elements."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from collections.abc import Iterator

from articlebot.page.metadata import article_nodes
from articlebot.page.page import Page

_PUBLISHED_META = (
    "article:published_time", "datepublished", "og:published_time", "pubdate", "publishdate", "publish_date", "article.published",
    "dc.date.issued", "dcterms.created", "dc.date", "dcterms.date", "date", "parsely-pub-date", "sailthru.date", "publication_date",
    "og:pubdate", "article:create_at", "bt:pubdate", "cxenseparse:recs:publishtime", "originalpublicationdate", "weibo: article:create_at",
    "weibo:article:create_at", "firstpublished", "publish-date", "article_date_original", "rnews:datepublished", "dc.date.created",
    "_pubtime", "release_date", "published_time", "og:release_date", "displaydate", "created",
    "citation_publication_date", "citation_online_date", "citation_date",
)  # fmt: skip
# Names that content systems make up for the same: "published", "w-published-date", "govuk:first-published-at".
_PUBLISHED_NAME = re.compile(
    r"(?:[a-z]{1,12}[-_.:])?(?:first[-_.]?)?(?:published|publish(?:ed)?[-_.]?(?:date|time|at|on)|publication[-_.]?(?:date|time))"
)
_MODIFIED_META = (
    "article:modified_time", "og:updated_time", "datemodified", "dcterms.modified", "lastmod", "last-modified",
    "article:update_at", "weibo:article:update_at",
)  # fmt: skip


def statements(page: Page) -> Iterator[tuple[str, list[str]]]:
    """The texts that state the publication, by what states them: ``jsonld``, then ``meta``."""
    nodes = article_nodes(page.jsonld)
    keys = ("datePublished", "dateCreated")
    # Vocabularies of search engines have no types: {"@context": ".../cambrian.jsonld", "pubDate": "2026-11-20T09:30:00"}.
    untyped = [node.get("pubDate") for node in page.jsonld if not node.get("@type")]
    stated = [*(node.get(key) for node in nodes for key in keys), *untyped]
    yield "jsonld", [value for value in stated if isinstance(value, str)]
    known = [value for key in _PUBLISHED_META for value in page.meta.get(key, ())]
    named = (key for key in page.meta if "publi" in key and _PUBLISHED_NAME.fullmatch(key))
    yield "meta", known or [value for key in named for value in page.meta[key]]


def modified(page: Page) -> Iterator[str]:
    """The texts that state the last change."""
    for node in article_nodes(page.jsonld):
        if isinstance(value := node.get("dateModified"), str):
            yield value
    yield from (value for node in page.jsonld if not node.get("@type") and isinstance(value := node.get("upDate"), str))
    for key in _MODIFIED_META:
        yield from page.meta.get(key, ())
