"""The language and the zone of a site, as its pages, feeds and sitemaps tell them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from articlebot.items import Link
from articlebot.page import Page
from articlebot.page.text import units
from articlebot.text import language
from articlebot.text.zones import told_zone, zone_by_times

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook

# Characters of which a language is told, and the least units: a Chinese character counts two and a half.
_LANGUAGE_CHARS, _LEAST_CHARS, _TIMES_CHARS = 4000, 200, 100_000


class Language:
    """Fills in what a look found of the site's language and zone."""

    def __init__(self, look: SiteLook) -> None:
        self._look, self._found = look, look.found
        self._stated: set[str] = set()
        self._tag = ""  # what the home page says of its language
        self._times = ""  # feeds and sitemaps of news, whose times tell the zone
        self._listed = ""  # list pages, whose times tell it where those tell nothing

    def of_home(self, page: Page) -> None:
        """By the home page, where it has enough text; of a shell the titles of its list tell them."""
        tree: Any = page.tree
        self._tag = page.lang
        self.tell_by(" ".join(" ".join(map(str, tree.itertext())).split()) if tree is not None else "")

    def of_list(self, stated: str, links: Iterable[Link], body: bytes = b"") -> None:
        """By what a list page says of its language, what its links say, and the times it states."""
        self._listed += body[: 2 * _TIMES_CHARS - len(self._listed)].decode("latin-1")
        self._tag = self._tag or stated
        self.tell_by(" ".join(link.text for link in links))
        self._stated |= {stated.replace("_", "-").partition("-")[0].strip().lower()} - {""}

    def tell_by(self, text: str, times: bytes = b"") -> None:
        """By a text of the site, where it is long enough, and by the times it states."""
        self._times += times[:_TIMES_CHARS].decode("latin-1")
        if self._found.language is None and units(text[:_LANGUAGE_CHARS]) >= _LEAST_CHARS:
            told = language(text[:_LANGUAGE_CHARS])
            # Headlines of Chinese characters alone are Japanese, too.
            self._found.language = "ja" if told == "zh" and self._tag.lower().startswith("ja") else told
        usual = told_zone(urlsplit(self._look.home).hostname or "", self._found.language, self._tag)
        zone = zone_by_times(self._times, usual, self._found.language)
        zone = zone_by_times(self._listed, usual, self._found.language) if zone == usual else zone
        self._found.timezone = None if zone is None else zone.key

    def settle(self) -> None:
        """All has been read: of a site in several languages each article tells its own."""
        if len(self._stated) > 1:
            self._found.language = None
