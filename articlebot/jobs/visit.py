"""What a request is for: the part of its meta that travels with it through the frontier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

META_KEY = "articlebot"
# Kinds of visits that are made for links: nothing of such a page is published.
ENTRIES = ("list", "feed", "sitemap")
# What is allowed for a request without a job, as the key ``consent`` of one.
CONSENT = "articlebot_consent"
# What the query of an address is sent as instead, "form" or "json": of lists that are asked for by POST; behind a "?"
# the parameters with which it begins and that stay in the address. "ajax": the address is asked for as it is, with what
# a script says of itself.
SENT = "articlebot_sent"
# Where the data of an article are asked for instead, whose page is an empty shell.
DATA = "articlebot_data"
# A page is shown in a browser where it is empty without; what the scripts of a page ask for, which is shown in one.
SHOWN, OF_BROWSER = "articlebot_shown", "articlebot_of_browser"
# A first look fetches it: a link to it that the crawl comes to is answered by what came.
LOOKED = "articlebot_looked"
# What the page stated at the visit before, as a list; the download is stopped where the answer repeats it.
UNLESS = "articlebot_unless"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One planned fetch of one page.

    Attributes:
        job: name of the job.
        kind: what the page is to be treated as: list, feed, sitemap, article, document or auto.
        key: page key of the URL asked for (redirects do not change it).
        depth: links followed from an entry page; 0 for entry pages.
        parent: page key of the page the link stood on, 0 for entry pages and recrawls.
        parent_url, anchor, context: where the link stood, its text and the text around it.
        title, published_at, changed_at: what a feed or sitemap said of the article; ``changed_at`` of one of whose
            publication it said nothing.
        delay: the job's own smallest delay between two fetches of a host in seconds, None for the default.
        part, first_key: number of this page of an article of several pages, and the first one's key.
        further: pages that may still follow without anything new on a list that is gone through; 0: one that is turned
            only where it has overflowed.
        patience: what ``further`` is set to again by a page with something new; 0: the usual.
        ahead: date archives to visit after this page, the newest first.
        empty: calendars in a row of which no day listed anything.
        candidate: a list of which is to be seen whether it names what no entry page does; then it becomes one.
        backfill: it is for what was published before, and comes after all that is fresh.
    """

    job: str
    kind: str
    key: int
    depth: int = 0
    parent: int = 0
    parent_url: str | None = None
    anchor: str = ""
    context: str = ""
    title: str = ""
    published_at: float | None = None
    changed_at: float | None = None
    delay: float | None = None
    part: int = 1
    first_key: int = 0
    further: int = 0
    patience: int = 0
    ahead: Sequence[str] = ()
    empty: int = 0
    backfill: bool = False
    candidate: bool = False

    def meta(self) -> dict[str, Any]:
        """The JSON-able dict under ``request.meta["articlebot"]``; what has its default value is left out."""
        return {name: value for name, value in asdict(self).items() if value != _DEFAULTS.get(name, _REQUIRED)}

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> Visit:
        """The visit kept in a request's or response's meta; fields of other features are left aside."""
        kept = meta[META_KEY]
        return cls(**{name: kept[name] for name in cls.__dataclass_fields__ if name in kept})


_REQUIRED = object()
_DEFAULTS = {name: field.default for name, field in Visit.__dataclass_fields__.items()}
