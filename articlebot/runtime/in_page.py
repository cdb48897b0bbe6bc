"""What the crawl does in a page in the browser: its lists go on, and what it shows then is taken."""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING

from articlebot.sources.pager_words import MORE, NEXT

if TYPE_CHECKING:
    from playwright.async_api import Page

    from articlebot.runtime.in_browser import InBrowser

logger = logging.getLogger(__name__)
# Handed to each script below: the page's own root and those of its components, as far as they are open.
_ROOTS = """const roots = [document];
for (const root of roots) for (const one of root.querySelectorAll("*")) if (one.shadowRoot) roots.push(one.shadowRoot);
const every = selector => roots.flatMap(root => [...root.querySelectorAll(selector)]);"""
# Remembers each link, and says how many there were: pagers and lists that hold what is in sight alone take some away.
_LINKS = f"""() => {{
    {_ROOTS}
    const links = window[Symbol.for("links")] ??= new Map();
    for (const one of every("a[href]")) if (!links.has(one.href)) links.set(one.href, one.cloneNode(true));
    return links.size;
}}"""
# What can be pressed and says little: buttons, and behind them other elements, which frameworks let be pressed as well.
_PRESSED = f"""() => {{
    {_ROOTS}
    const buttons = every("button, [role=button], a:not([href]), a[href^='#'], a[href^='javascript']");
    const plain = every("div, span, p, li").filter(one => !one.firstElementChild && !one.closest("a, button"));
    const said = one => (one.textContent.trim() || one.getAttribute("aria-label") || one.title || "").trim();
    const offered = [buttons, plain].map(some => some.filter(one => said(one).length <= 40 && !one.disabled));
    window[Symbol.for("offered")] = offered.flat();
    return offered.map(some => some.map(said));
}}"""
# Parts of a page that is shown one at a time, most of which ask for their lists only then.
_TABS = f"""most => {{
    {_ROOTS}
    const tabs = every("[role=tab]:not([aria-selected=true], [href]:not([href^='#']))").slice(0, most);
    return (window[Symbol.for("offered")] = tabs).length;
}}"""
_MOST_TABS = 8
# A notice that lies above is pressed in no one's place. Some answer when a mouse goes down.
_PRESS = """place => {
    const one = window[Symbol.for("offered")][place];
    for (const name of ["pointerdown", "mousedown", "pointerup", "mouseup"])
        one.dispatchEvent(new PointerEvent(name, {bubbles: true, cancelable: true, composed: true}));
    one.click();
}"""
# The page, and what within it has its list: by windows, as some lists hold what is in sight alone, then to the end.
_SCROLL = f"""async windows => {{
    {_ROOTS}
    const boxes = every("*").filter(one => one.scrollHeight > one.clientHeight && one.clientHeight > 0);
    const remember = {_LINKS};
    for (let n = 0, before = -1; n < windows && remember() > before; n++) {{
        before = remember();
        for (const one of boxes) one.scrollTop += one.clientHeight;
        await new Promise(drawn => setTimeout(drawn, 50));
    }}
    for (const one of boxes) one.scrollTop = one.scrollHeight;
    window.scrollTo(0, document.documentElement.scrollHeight);
}}"""
_MOST_WINDOWS = 30
# The page with what its components show where they stand, and at its end the links that it has taken away again.
_WHOLE = f"""() => {{
    {_ROOTS}
    const gone = new Map(window[Symbol.for("links")] ?? []);
    for (const one of every("a[href]")) gone.delete(one.href);
    if (roots.length === 1 && !gone.size) return "";
    const shown = document.documentElement, inert = document.implementation.createHTMLDocument("");
    const whole = inert.importNode(shown, false), open = [[shown, whole]];
    for (let pair; (pair = open.pop());) {{
        const [one, copy] = pair;
        const slotted = one.localName === "slot" ? one.assignedNodes() : [];
        for (const below of slotted.length ? slotted : (one.shadowRoot ?? one).childNodes) {{
            const its = copy.appendChild(inert.importNode(below, below.localName === "template"));
            if (below.localName !== "template") open.push([below, its]);
        }}
    }}
    const body = whole.querySelector("body");
    for (const [address, one] of body ? gone : [])
        body.appendChild(inert.createElement("p")).appendChild(inert.importNode(one, true)).href = address;
    return "<!doctype html>" + whole.outerHTML;
}}"""


async def go_on(page: Page, visit: InBrowser, end: float, times: int) -> bool:
    """Scrolls to a page's end and presses what is called more, so often at most, while it brings links; then its tabs.

    Returns:
        Whether the page's list has gone on.
    """
    begun = known = await page.evaluate(_LINKS) if times else 0
    for _ in range(times):
        await page.evaluate(_SCROLL, _MOST_WINDOWS)
        await visit.settle(page, end)
        if (pressed := _further(*await page.evaluate(_PRESSED))) is not None:
            await _press(page, visit, end, pressed)
        before, known = known, await page.evaluate(_LINKS)
        if known <= before or monotonic() >= end:
            break
    for tab in range(await page.evaluate(_TABS, _MOST_TABS) if times else 0):
        await _press(page, visit, end, tab)
        known = await page.evaluate(_LINKS)
    return bool(known > begun)


async def _press(page: Page, visit: InBrowser, end: float, place: int) -> None:
    await page.evaluate(_LINKS)
    await page.evaluate(_PRESS, place)
    await visit.settle(page, end)


async def whole(page: Page) -> str:
    """The HTML of a page as it is shown."""
    try:
        text = await page.evaluate(_WHOLE)
    except Exception as error:  # a page may have put its own in place of what a browser offers to scripts
        logger.debug("%s is taken without its components: %s", page.url, error)
        text = ""
    return str(text or await page.content())


def _further(buttons: list[str], plain: list[str]) -> int | None:
    """The place of what shows more: a button, else the only element of these words, else a button to the next page."""
    for place, text in enumerate(buttons):
        if MORE.match(text):
            return place
    others = [place for place, text in enumerate(plain, len(buttons)) if MORE.match(text)]
    if len(others) == 1:
        return others[0]
    return next((place for place, text in enumerate(buttons) if text[:2].isalpha() and NEXT.match(text)), None)
