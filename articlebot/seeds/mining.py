"""Mining: which sites and list pages the pages of a crawl link to, collected once per page and told once per source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from articlebot.bounded import Bounded
from articlebot.errors import RefusedError
from articlebot.page.page import Page
from articlebot.page.tags import names_of
from articlebot.page.text import line_of
from articlebot.relevance import Judge
from articlebot.seeds.candidates import Offer
from articlebot.urls import canonical_or_none, canonical_url, is_address, origin_of, site

_MOST_LINKS = 100
_MOST_REMEMBERED = 50_000
_MOST_PENDING = 5000
_MOST_TEXT = 200
_LEAST_LIST_LINKS = 8
_FRAME_TAGS = frozenset(("nav", "footer", "aside", "header"))
_FRAME = re.compile(r"foot|nav|menu|side|share|social|banner|advert|sponsor|copyright|breadcrumb", re.I)
_NO_VOTE = re.compile(r"nofollow|sponsored|ugc", re.I)
# Without a topic each site that names another speaks for it alike; a link of the page's frame says little.
_PLAIN, _PLAIN_FRAME, _PLAIN_LIST = 0.3, 0.1, 0.2


@dataclass(frozen=True, slots=True)
class Foreign:
    """A link to another site.

    Attributes:
        frame: it stands in navigation, footer or the like, not in what the page says.
    """

    url: str
    site: str
    text: str
    frame: bool


def foreign_links(page: Page) -> list[Foreign]:
    """The links of a page to other sites, one for each site, at most 100; none that ask not to be counted."""
    tree: Any = page.tree
    if tree is None:
        return []
    try:
        here = site(page.url)
    except RefusedError:
        return []
    found: dict[str, Foreign] = {}
    own_host = urlsplit(page.url).netloc
    for anchor in tree.iter("a"):
        href = (anchor.get("href") or "").strip()
        if not href.startswith(("http://", "https://", "//")):
            continue
        host = href.split("/", 3)[2]
        other = here if host == own_host else _site_of_host(host)
        # An address of this site inside another's is "share this page", not a reference.
        if other in ("", here) or own_host in href[len(host) + 8 :] or _NO_VOTE.search(anchor.get("rel") or ""):
            continue
        before = found.get(other)
        if before is not None and not before.frame:
            continue
        url = canonical_or_none(href if not href.startswith("//") else f"http:{href}")
        if url is None:
            continue
        frame = _in_frame(anchor)
        if before is None or not frame:
            text = line_of(anchor)[:_MOST_TEXT]
            found[other] = Foreign(f"{origin_of(url)}/", other, text, frame)
        if len(found) >= _MOST_LINKS:
            break
    return list(found.values())


@lru_cache(maxsize=65536)
def _site_of_host(host: str) -> str:
    try:
        url = canonical_url(f"http://{host}/")
        return "" if is_address(urlsplit(url).hostname or "") else site(url)
    except RefusedError:
        return ""


def _in_frame(anchor: Any) -> bool:
    for element in anchor.iterancestors():
        if element.tag in _FRAME_TAGS:
            return True
        if element.tag == "body":
            return False
        if _FRAME.search(names_of(element)):
            return True
    return False


class Miner:
    """Collects offers out of pages until they are sent.

    Args:
        judge: relevance to the topic; None where there is none, then only who links counts.
    """

    def __init__(self, judge: Judge | None) -> None:
        self._judge = judge
        self._owned: frozenset[str] = frozenset()
        self._pages: Bounded[str, None] = Bounded(_MOST_REMEMBERED)
        self._told: Bounded[tuple[str, str], float] = Bounded(_MOST_REMEMBERED)
        self._pending: dict[tuple[str, str], Offer] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def leave_out(self, sites: frozenset[str]) -> None:
        """From now on these sites, which are followed already, are no candidates; others are."""
        self._owned = sites

    def page(self, page: Page, title: str = "", body: str = "", *, list_links: int = 0, text: str = "") -> None:
        """Notes what a page links to; a page that was noted before costs nothing.

        Args:
            title, body: of an article, for its relevance.
            list_links: articles that it links to where it is a list page that no job visits.
            text: of the link that led here.
        """
        if page.url in self._pages:
            return
        self._pages[page.url] = None
        links = [link for link in foreign_links(page) if link.site not in self._owned]
        about = self._share(title, body) if body and any(not link.frame for link in links) else 0.0
        try:
            here = site(page.url)
        except RefusedError:
            return
        for link in links:
            self._note(Offer(link.site, link.url, here, self._weight(link, about), "site", page.url, link.text))
        if list_links >= _LEAST_LIST_LINKS:
            weight = _PLAIN_LIST if self._judge is None else 0.05 + 0.4 * self._anchor(text)
            self._note(Offer(page.url, page.url, here, weight, "list", page.url, text[:_MOST_TEXT]))

    def take(self) -> list[Offer]:
        """What is to be sent."""
        offers = list(self._pending.values())
        self._pending = {}
        return offers

    def put_back(self, offers: list[Offer]) -> None:
        """What could not be sent, for the next time."""
        for one in offers:
            if len(self._pending) < _MOST_PENDING:
                self._pending.setdefault((one.key, one.source), one)

    def _note(self, offer: Offer) -> None:
        name = (offer.key, offer.source)
        if offer.weight <= self._told.get(name, 0.0) or len(self._pending) >= _MOST_PENDING:
            return
        self._told[name] = offer.weight
        self._pending[name] = offer

    def _weight(self, link: Foreign, about: float) -> float:
        if self._judge is None:
            return _PLAIN_FRAME if link.frame else _PLAIN
        said = self._anchor(link.text)
        return 0.02 + 0.2 * said if link.frame else 0.05 + 0.55 * max(said, 0.7 * about)

    def _share(self, title: str, body: str) -> float:
        return self._judge.share(self._judge.relevance(title, body)) if self._judge is not None else 0.0

    def _anchor(self, text: str) -> float:
        return self._judge.share(self._judge.of_text(text)) if self._judge is not None and text else 0.0
