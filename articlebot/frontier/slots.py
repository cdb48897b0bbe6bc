"""Design C's slots: which host and parent a page belongs to, by which two pages are adjacent.

The scheduler and the downloader middleware both ask here, so a page is never queued for one slot and downloaded in
another. Three readings of "adjacent pages are fetched one after the other" exist (``docs/explanation/frontier.md``):

``keys``
    a page starts when its host is free and its parent is free; the default, full adherence.
``slot``
    the literal reading: a page joins the numbered slot of an adjacent page that is running or queued, else opens one.
``host``
    only pages of one host are adjacent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from articlebot.urls import subdomain

Adjacency = Literal["keys", "slot", "host"]


@dataclass(frozen=True, slots=True)
class SlotKeys:
    """What decides a page's adjacency.

    Args:
        host: the subdomain, with a port that is not the scheme's own.
        parent: hash of the page the link was found on; 0 for seeds, and for links of list pages where these are no
            parents (``ARTICLEBOT_FRONTIER_LIST_PARENTS``).
    """

    host: str
    parent: int = 0


def slot_for(url: str, parent: int = 0) -> SlotKeys:
    """The keys of a page; ``host`` also names the slot in Scrapy's downloader.

    Raises:
        RefusedError: the URL is not http(s) or has no host.
    """
    return SlotKeys(subdomain(url), parent)
