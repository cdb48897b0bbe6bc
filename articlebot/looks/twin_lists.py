"""Lists that show the articles of others at addresses of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from articlebot.page.text import units
from articlebot.seeds.jobblock import covers
from articlebot.sources import Listing
from articlebot.urls import same_site

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook

# Articles of a list that others show at other addresses, at least and as a share; units of a text that is a title.
_LEAST_TWINS, _MOSTLY, _LEAST_TITLE = 5, 0.8, 15


class TwinLists:
    """What lists showed: another may be the same below another folder, or at another host."""

    def __init__(self) -> None:
        self._titled: dict[str, str] = {}  # the article that a title was seen to lead to first

    def note(self, listing: Listing) -> None:
        """One more list was read."""
        self._titled |= {link.text: link.url for link in reversed(listing.links)} | self._titled

    def __contains__(self, listing: Listing) -> bool:
        titled = [link for link in listing.links if units(link.text) >= _LEAST_TITLE]
        twins = sum(_differ_in_a_folder(link.url, self._titled.get(link.text, "")) for link in titled)
        if twins < _LEAST_TWINS or twins < _MOSTLY * len(listing.links):
            return False
        # An edition shows articles of its own beside those that it shares; a mirror read a moment later may, too.
        hosts = {urlsplit(link.url).netloc for link in titled}
        mirrors = any(urlsplit(self._titled.get(link.text, link.url)).netloc not in hosts for link in titled)
        return mirrors or all(link.text in self._titled for link in titled)


def leave_spelled_anew(look: SiteLook) -> None:
    """Takes from a look what scripts hold that lists name, too: /posts/bridge beside /posts/bridge.html.

    A program names its pages without the ending that their files have; a host that takes both would be asked for each
    article twice.
    """
    listed = {_bare(url) for one in look.lists for url in one.articles}
    twins = [one for one in look.found.api if not one.goes_on and covers(listed, [*map(_bare, one.articles)])]
    look.found.api = [one for one in look.found.api if one not in twins]
    look.found.leave_out([one.url for one in twins], "lists name all it names")
    left = {one.url for one in twins}
    look.seen = [one for one in look.seen if one.response.url not in left]


def _bare(url: str) -> str:
    return url.removesuffix("/").removesuffix(".html").removesuffix("/index")


def _differ_in_a_folder(url: str, other: str) -> bool:
    """Whether two addresses of a site differ in the name of one folder alone, or in their host."""
    there, here = urlsplit(url), urlsplit(other)
    if there.netloc != here.netloc:
        return there[2:4] == here[2:4] and len(there.path) > 1 and same_site(url, other)
    pairs = [*zip(there.path.split("/"), here.path.split("/"), strict=False)]
    same = (there.netloc, there.query, there.path.count("/")) == (here.netloc, here.query, here.path.count("/"))
    return same and pairs[-1][0] == pairs[-1][1] and sum(a != b for a, b in pairs) == 1
