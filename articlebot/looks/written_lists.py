"""Lists that a page's scripts write where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from articlebot.looks.seen import Seen
from articlebot.looks.taken_scripts import LIBRARY, MOST_SCRIPTS, script_at
from articlebot.page import Page
from articlebot.seeds.jobblock import Entry
from articlebot.urls import same_site

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook


def placed(page: Page) -> tuple[str, ...]:
    """The scripts that stand where something is to be shown: ``<td><script src="/js/news_1.js"></script></td>``."""
    every: list[Any] = [one for one in page.by_tag["script"] if one.get("src")]
    urls = dict.fromkeys(page.resolve(one.get("src")) for one in every if one.getparent().tag not in ("head", "body"))
    return tuple(url for url in urls if not LIBRARY.search(url))


async def written(look: SiteLook, page: Page) -> bool:
    """The lists that scripts write where they stand; one that writes none may fetch a list, as others do."""
    found, vain = False, 0
    for url in placed(page):
        if not same_site(url, look.home) or vain >= MOST_SCRIPTS:
            continue
        answer = await script_at(look, url)
        listing = None if answer is None else look.reading(answer)
        if answer is None or listing is None or listing.page is not None or not (named := look.named(listing)):
            vain += 1
            continue
        look.seen.append(Seen("list", answer, named))
        look.language.of_list("", listing.links)
        look.listings.append(listing)
        look.found.api.append(Entry(url, named, "a script writes it", bool(listing.next_url)))
        found = True
    return found
