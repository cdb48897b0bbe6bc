"""Reading what was fetched: from bytes to an article, a refusal, or the links of a list page."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from redis.exceptions import RedisError

from articlebot.errors import RefusedError
from articlebot.extraction.cascade import extract
from articlebot.extraction.fields.lead import front_of
from articlebot.extraction.gates import gate_of
from articlebot.extraction.generic.body import REFUSE_BELOW
from articlebot.extraction.lists import article_links, places_of
from articlebot.extraction.model import Extracted
from articlebot.extraction.paging import first_page, next_pages
from articlebot.extraction.shapes import Shapes
from articlebot.extraction.video import Registry
from articlebot.extraction.walls import Wall, asks_consent
from articlebot.extraction.wrapper.book import teaches
from articlebot.front import Front
from articlebot.items import Article, Link
from articlebot.jobs import Job
from articlebot.jobs.book import is_article
from articlebot.jobs.visit import Visit
from articlebot.page import Page
from articlebot.page.text import units
from articlebot.runtime.aside import Aside
from articlebot.runtime.beside import BesideItems
from articlebot.runtime.day_orders import DayOrders
from articlebot.runtime.fetched import Fetched, article_of, document
from articlebot.runtime.learning import Learning
from articlebot.runtime.usage import Usage
from articlebot.seeds.mining import Miner
from articlebot.sources import Listing, read_listing
from articlebot.times import iso
from articlebot.urls import is_front, site

_NOT_ARTICLES = frozenset({"list", "topic", "ad", "other"})
# Marks an item whose hash is of its bytes, so that no text is compared.
DOCUMENT_VERSION = -1
_ANY_VIDEO = Registry()
# Latin characters' worth: a sentence in Chinese, which news in brief consist of, has more in twenty characters.
_MIN_BODY = 40
_SHORT_BODY = 600
# Characters: twenty times the longest article of the corpus; a book, a log or an attack.
_MOST_BODY = 1_000_000
_MAX_JOBS_IN_MEMORY = 20_000
# Kinds of lists that a site has: its home page, sections, archives.
_MOST_PLACES = 20


class Refusal(RefusedError):
    """A page that yields no article.

    Args:
        links: its news links, where it turned out to be a list.
        wall: which wall it is, where the text told it.
    """

    def __init__(
        self, reason: str, detail: str = "", links: tuple[Link, ...] = (), *, wall: Wall | None = None
    ) -> None:
        super().__init__(reason, detail)
        self.links, self.wall = links, wall


class Reader:
    """Extraction with what was learned of each site's pages and each job's URLs.

    Args:
        learning: the sites' wrappers.
        refuse_below: ``ARTICLEBOT_EXTRACTION_REFUSE_BELOW``.
        beside: takes what is kept of an article and not published.
        usage: what sites ask of those who use their pages.
        videos: parsers of play pages.
        miner: takes each page that is read; None where nobody wants them.
        aside: guards mining and what is learned of addresses.
        count: takes the names of what was odd about a page, such as ``date_in_future``.
        orders: in which order sites write day and month.
    """

    def __init__(
        self, learning: Learning, beside: BesideItems, usage: Usage, orders: DayOrders, *,
        refuse_below: float = REFUSE_BELOW, videos: Registry = _ANY_VIDEO, miner: Miner | None = None,
        count: Callable[[str], None] = lambda note: None, aside: Aside | None = None,
    ) -> None:  # fmt: skip
        self._learning, self._beside = learning, beside
        self._read = partial(extract, refuse_below=refuse_below)
        self._usage, self._videos, self._miner, self._count = usage, videos, miner, count
        self._aside, self._orders = aside or Aside(), orders
        self._shapes: OrderedDict[str, Shapes] = OrderedDict()
        self._places: dict[str, frozenset[str]] = {}
        self._fronts: dict[str, Front] = {}

    def shapes(self, job: str) -> Shapes:
        """What is known of a job's URLs; the jobs asked for least recently are forgotten beyond 20,000."""
        known = self._shapes.get(job)
        if known is None:
            known = self._shapes[job] = Shapes()
            if len(self._shapes) > _MAX_JOBS_IN_MEMORY:
                oldest = self._shapes.popitem(last=False)[0]
                self._places.pop(oldest, None)
                self._fronts.pop(oldest, None)
        self._shapes.move_to_end(job)
        return known

    @property
    def fresh_shapes(self) -> list[str]:
        """The jobs of whose URLs something was learned that other workers do not know."""
        return [job for job, known in self._shapes.items() if known.fresh]

    def listing(self, fetched: Fetched, job: Job) -> Listing:
        """What an entry page lists, and how it goes on."""
        self._mine(fetched.page)
        self._orders.see(site(fetched.url), fetched.page)
        if job.name not in self._fronts and (is_front(fetched.url) or fetched.url == job.site):
            self.know_front(job.name, front_of(fetched.page))
        if self.is_nofollow(fetched):
            return Listing(fetched.url, (), {}, None)
        places = self._places.get(job.name, frozenset())
        found = read_listing(
            fetched.page, fetched.body, pattern=_pattern(job), regions=job.regions,
            judge=self.shapes(job.name).judge, template=job.article_url, places=places, home=job.site,
        )  # fmt: skip
        if found.page is not None and not _pattern(job) and len(places) < _MOST_PLACES:
            self._places[job.name] = places_of(found.page, found.links, places)
        return found

    def know_front(self, job: str, front: Front) -> None:
        """Goes by what a job's front page says of the site."""
        if len(self._fronts) < _MAX_JOBS_IN_MEMORY:
            self._fronts[job] = front

    def asked(self, fetched: Fetched) -> dict[str, str]:
        """What the site asks of those who use a page."""
        return self._usage.read(fetched.url, fetched.headers, fetched.page.meta)

    def forbidden(self, fetched: Fetched) -> str | None:
        """Why a page may not be published, as a 304 has it whose body did not come; None where it may."""
        return self._usage.refusal(self.asked(fetched), fetched.at)

    def is_nofollow(self, fetched: Fetched) -> bool:
        """Whether a page asks that its links are not taken, and that is obeyed."""
        return self._usage.obeys("nofollow", self.asked(fetched))

    def _mine(self, page: Page, *told: str, **more: Any) -> None:
        if self._miner is not None:
            with self._aside("mining"):
                self._miner.page(page, *told, **more)

    def _links(self, page: Page, job: Job) -> list[Link]:
        return article_links(page, _pattern(job), judge=self.shapes(job.name).judge)

    async def prepare(self, fetched: Fetched) -> None:
        """Has what was learned of a page's site at hand, for ``read``."""
        name = site(fetched.url)
        await self._learning.open(name)
        with suppress(RedisError, OSError):  # without it, the page alone tells
            await self._orders.open(name, fetched.page.lang)

    def read(self, fetched: Fetched, job: Job, visit: Visit) -> tuple[Article, list[str]]:
        """The article on a page and the addresses of its further pages.

        Raises:
            Refusal: it is none; says why.
        """
        page = fetched.page
        if page.refused == "not_html":
            if "json" in (fetched.content_type or "").lower():
                raise Refusal("data", fetched.url)  # what a script fetches is no address for readers
            file = document(fetched, job, visit)
            self._ask(file, fetched)
            self._keep(file, fetched, job, fingerprint_version=DOCUMENT_VERSION)
            return file, []
        if page.refused:
            raise Refusal(f"page_{page.refused}", fetched.url)
        if visit.part == 1 and (first := first_page(page)) is not None and not is_article(job, fetched.url):
            raise Refusal("part_of_article", fetched.url, (Link(url=first, text=visit.anchor),))
        name, page.listed_at, page.changed_at = site(fetched.url), visit.published_at, visit.changed_at
        page.day_first = self._orders.of(name)
        page.front = self._fronts.get(job.name, Front())
        extracted = self._extract(page, fetched, job, visit)
        for order in page.told_orders[:1]:
            self._orders.note(name, order)
        article = article_of(extracted, fetched, job, visit)
        self._ask(article, fetched)
        if visit.part == 1:
            self._teach(fetched, extracted)
        reread = partial(self._reread, article.title, fetched, job)  # which must not hold the article itself
        by_hand = frozenset(name for name in ("authors", "published") if extracted.origin.get(name) == "hand")
        self._keep(article, fetched, job, html=extracted.html, reread=reread, by_hand=by_hand)
        further = extracted.next_pages if visit.part == 1 else next_pages(page, visit.part)
        return article, list(further)[: job.max_pages - 1]

    def _ask(self, article: Article, fetched: Fetched) -> None:
        """Notes what the site asks of those who use an article.

        Raises:
            Refusal: not to publish it.
        """
        article.usage = self.asked(fetched)
        if reason := self._usage.refusal(article.usage, fetched.at):
            raise Refusal(reason, fetched.url)

    def _keep(self, article: Article, fetched: Fetched, job: Job, html: str = "", **more: Any) -> None:
        dropped = self._usage.obeys("noarchive", article.usage)
        kept = {"raw": b"", "html": ""} if dropped else {"raw": fetched.body, "html": html}
        self._beside.note(article, raw_type=fetched.content_type, sinks=job.sinks, **kept, **more)

    def _teach(self, fetched: Fetched, extracted: Extracted) -> None:
        """Lets a site's wrapper take notice of a page that it can be learned from."""
        if teaches(extracted):
            self._learning.note(site(fetched.url), fetched.body, fetched.content_type, fetched.page)

    def _reread(self, title: str, fetched: Fetched, job: Job, extractor: str) -> tuple[str, str] | None:
        wrapper = self._learning.earlier(extractor, job.selectors)
        found = self._read(fetched.page, wrapper=wrapper)
        if _family(found.origin.get("body", "")) != _family(extractor):
            return None
        return found.title or title, found.body

    def _extract(self, page: Page, fetched: Fetched, job: Job, visit: Visit) -> Extracted:
        wrapper = self._learning.choose(site(fetched.url), page, job.selectors)
        extracted = self._read(page, wrapper=wrapper)
        if extracted.refused not in (None, "no_text", "unsure"):
            raise Refusal(f"page_{extracted.refused}", fetched.url)
        if visit.part > 1:
            return extracted
        extracted = self._with_video(page, extracted)
        kind = extracted.kind or "other"
        with self._aside("shapes"):
            self.shapes(job.name).observe(fetched.url, kind)
        if kind == "wall" or (len(extracted.body) < _SHORT_BODY and asks_consent(page)):
            raise Refusal("wall", fetched.url)
        if kind in _NOT_ARTICLES and not is_article(job, fetched.url):
            takes = kind in ("list", "topic") and not self.is_nofollow(fetched)
            links = tuple(self._links(page, job)) if takes else ()
            self._mine(page, list_links=len(links), text=visit.anchor)
            if not self.forbidden(fetched):
                self._teach(fetched, extracted)
            raise Refusal(f"not_an_article_{kind}", fetched.url, links)
        if len(extracted.body) > _MOST_BODY:
            raise Refusal("text_too_long", fetched.url)
        if units(extracted.body) < _MIN_BODY and not extracted.media:
            raise Refusal("no_text", fetched.url)
        around = wrapper.region(page) if wrapper is not None else None
        if kind != "video" and (gate := gate_of(around or page, extracted.body)):
            raise Refusal("wall", fetched.url, wall=gate)
        if extracted.refused == "unsure" and kind != "video":
            if kind == "article":  # the site's other pages may tell what belongs to it
                self._learning.note(site(fetched.url), fetched.body, fetched.content_type, page)
            raise Refusal("page_unsure", fetched.url)
        self._mine(page, extracted.title, extracted.body)
        for note in extracted.notes:
            self._count(note)
        return extracted

    def _with_video(self, page: Page, extracted: Extracted) -> Extracted:
        """With the real addresses of a play page; what looks like one and plays nothing is read as an article.

        Raises:
            Refusal: its domain is not allowed, or no parser has it.
        """
        if extracted.kind != "video" and not self._videos.claims(page.url):
            return extracted
        try:
            found = self._videos.find(page, looks_like_one=extracted.kind == "video")
        except RefusedError as refused:
            if extracted.kind != "video":
                return extracted
            if refused.reason != "no_media":
                raise Refusal(refused.reason, refused.detail) from None
            self._count("video_without_media")
            return replace(extracted, kind="article")
        return replace(
            extracted, kind="video", media=found.addresses, title=extracted.title or found.title,
            body=extracted.body or found.description,
            published_at=extracted.published_at if extracted.published_at is not None else found.published_at,
            published=extracted.published or iso(found.published_at),
            origin={"body": "video:" + found.parser, **extracted.origin, "media": "video:" + found.parser},
        )  # fmt: skip


def _family(extractor: str) -> str:
    """What reads alike: each wrapper by itself, all generic rules together."""
    return extractor if extractor.startswith("wrapper:") or extractor in ("", "hand") else "generic"


def _pattern(job: Job) -> str | None:
    return "|".join(f"(?:{one})" for one in job.article_pattern) or None
