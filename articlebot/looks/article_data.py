"""Where the text of articles comes from whose own pages are empty: told by their scripts, or seen in a browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from scrapy.http import Response

from articlebot.extraction.script_data import article_in_scripts
from articlebot.extraction.shells import needs_scripts
from articlebot.looks.alike import alike
from articlebot.looks.shown import show
from articlebot.looks.taken_scripts import taken
from articlebot.page import Page, page_of
from articlebot.sources.details import as_page, details, filled, with_hole
from articlebot.sources.fetches import own_scripts
from articlebot.urls import same_site

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook


async def details_of(look: SiteLook, shell: Page) -> None:
    """Tries what the scripts that were read say, with one article; then what a browser asks for to show it."""
    named = sorted(frozenset[str]().union(*(entry.articles for entry in look.found.api)))
    ways = [look.found.article_url] if look.found.article_url else alike(named)
    if not ways or not named:
        return
    answer = await look.fetching.get(named[0], kept=False)
    page = page_of(answer, look.runtime.now()) if answer is not None else None
    # An address that leads a reader to a part of the home page, "#!/news/12", need not be there.
    if page and (not needs_scripts(page) or article_in_scripts(page)):
        return
    async for template, made in _told(look, shell, page, ways):
        if await _has_text(look, template, made, named[0]):
            return
    for template, made in [] if answer is None else await _asked(look, answer, ways):
        # What one article is asked for with may be its own, as a signature is: another is asked for.
        if await _has_text(look, template, made, named[-1]):
            return


async def _told(look: SiteLook, shell: Page, page: Page | None, ways: Sequence[str]) -> AsyncIterator[tuple[str, str]]:
    """The addresses that scripts say, and how those of articles are made for them.

    The page of articles may be another than the home page, with its own scripts.
    """
    pages = [shell] if page is None or page.tree is None else [page, shell]
    for script in [*look.scripts, *(text for one in pages for text in own_scripts(one))]:
        for told in await asyncio.to_thread(_details, script, shell, ways):
            yield told
    for one in pages:
        async for script in taken(look, one, is_shell=True):
            for told in await asyncio.to_thread(_details, script, shell, ways):
                yield told


def _details(script: str, shell: Page, ways: Sequence[str]) -> list[tuple[str, str]]:
    return [(template, made) for made in ways for template in details(script, shell, made)]


async def _asked(look: SiteLook, answer: Response, ways: Sequence[str]) -> list[tuple[str, str]]:
    """The addresses that a browser asks for to show an article, where one brings its text."""
    shown = await show(look, answer)
    if shown is None:
        return []
    look.found.needs_browser = not needs_scripts(page_of(shown.page))
    root = urljoin(look.home, "/").rstrip("/")
    calls = [
        call.url.removeprefix(root)
        for call in shown.calls
        if call.method == "GET" and _holds_text(call.answer, answer.url)
    ]
    every = ((with_hole(call, made, answer.url), made) for call in calls for made in ways)
    return [(template, made) for template, made in every if template is not None]


async def _has_text(look: SiteLook, template: str, made: str, sample: str) -> bool:
    """Whether an article's text is where a template says; kept then."""
    url = filled(template, made, sample, look.home)
    answer = await look.fetching.get(url, sent="ajax") if url and same_site(url, look.home) else None
    if answer is None or not _holds_text(answer, sample):
        return False
    look.found.article_data, look.found.article_url, look.found.needs_browser = template, made, False
    return True


def _holds_text(answer: Response, url: str) -> bool:
    held = as_page(answer.body) if answer.status == 200 else None
    return held is not None and article_in_scripts(Page.parse(held, url)) is not None
