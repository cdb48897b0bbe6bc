"""The links of a page or of its regions, each address once, with what tells news from a menu: text, path and place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from weakref import WeakKeyDictionary

from lxml import cssselect, etree

from articlebot.page.link_texts import headline_in, shown, text_of
from articlebot.page.menus import Step, place_of
from articlebot.page.openers import code_of, held_by, held_in, opened_by, openers_in
from articlebot.page.page import Page
from articlebot.page.tags import is_hidden
from articlebot.page.text import fold, units
from articlebot.urls import canonical_or_none, same_site, without_session

MAX_LINKS = 5000
# Anchors that are looked at: an address that stands there half a million times takes the time of each.
MAX_ANCHORS = 20_000
# A text without a letter, or on so many links, of at most so many characters, says nothing of any; levels of an entry
# above its link; characters of its text, and units that are more than a menu's word.
_SAYS, _SHOWN = re.compile(r"[^\W\d_]"), "descendant::text()[not(ancestor::script or ancestor::style)]"
_LEAST_REPEATED, _MOST_REPEATED, _ENTRY_LEVELS, _MOST_TOLD, _LEAST_TOLD = 3, 30, 5, 200, 10
_NO_PAGES = ("#", "javascript:", "mailto:", "tel:", "data:")
# In a template, what a script is yet to put there: <a href="{{url}}">.
_UNFILLED = "{{"
# What a script says that leads to another page; none is run. The last is of SharePoint's lists.
_LEADS = re.compile(
    r"(?:RefreshPageTo\(event,|location(?:\.href)?\s{0,4}=|location\.(?:assign|replace)\(|window\.open\()\s{0,4}[\"']([^\"'<>\s]{1,500})[\"']"
)
_MAX_SCRIPT = 1000
# Values of menus that are addresses; those of most forms are none: text/html, 1.10.
_WHOLE, _FILE = re.compile(r"(?:https?:/)?/[^\s<>]|\?\w"), re.compile(r"[\w./-]{1,200}\.(?:[sp]?html?|php|aspx?|jsp)")
_REDIRECT = re.compile(r"/(?:out|go|goto|redir(?:ect)?|jump|away|link|click|exit|leave|url|r)(?:\.\w{2,5})?/?\Z", re.I)
# What points forward and back in place of a word, or beside it: for use within brackets of an expression.
FORWARD, BACKWARD = ">»›→⟩⟫❯▶►▸➔➜➡⇒⟶〉》", "<«‹←⟨⟪❮◀◄◂⬅⇐⟵〈《"
# What a link says that only goes on from a headline.
MORE = re.compile(
    r"\s*+(?:\[?(?:(?:read|see|view|show|load)?\s*+(?:more|all|the full story|full article)|(?:read|see)\s++on)"
    r"\b.{0,12}|"
    r"continue reading(?s:.*)|comments?|"
    r"\d++\s*+(?:comments?|responses?|replies|reply)|leave a comment(?s:.*)|reply|share|print|next|previous|prev|"
    r"更多|\[?详细\]?|\[?全文\]?|查看全文|阅读全文|閱讀全文|评论|評論|\d++\s*+条?评论|分享|上一页|下一页|下一頁|"
    rf"末页|首页|首頁)[\s{FORWARD}…\.\]]*\Z",
    re.I,
)


@dataclass(slots=True)
class Anchor:
    """One address on the page with the best of its anchors.

    Attributes:
        path: names of the elements around it, at most 12.
        menu, heading: it stands in a part that leads about the site; it is or stands in a headline.
        in_menu: one of the page's anchors with this address stands in such a part.
        score: how likely it is news, for those who judge it.
        entry: where the text says nothing of the address, the text of the entry that the link ends.
    """

    url: str
    text: str
    element: Any
    path: str
    menu: bool
    heading: bool
    rel: str = ""
    score: float = 0.0
    entry: str = ""
    in_menu: bool = False


def region_roots(tree: Any, regions: Sequence[str]) -> list[Any]:
    """The elements that selectors choose: an XPath where it starts with ``/``, ``.`` or ``(``, else CSS.

    Raises:
        ValueError: a selector that cannot be read.
    """
    roots: list[Any] = []
    for selector in regions:
        try:
            if selector.lstrip()[:1] in ("/", "(") or selector.startswith("./"):
                found = tree.xpath(selector)
            else:
                found = cssselect.CSSSelector(selector, translator="html")(tree)
        except (etree.XPathError, cssselect.SelectorError) as error:
            raise ValueError(f"{selector!r}: {error}") from None
        roots.extend(e for e in found if isinstance(getattr(e, "tag", None), str))
    return roots


# A list, what kind of page it is and where it goes on ask for the same links.
_OF_PAGES: WeakKeyDictionary[Page, tuple[Anchor, ...]] = WeakKeyDictionary()


def anchors_of(page: Page, regions: Sequence[str] = ()) -> tuple[Anchor, ...]:
    """Every http(s) address that the page (or its regions) links to, once, in order, with its longest anchor text."""
    if page.tree is None:
        return ()
    if regions:
        return _read(page, regions)
    found = _OF_PAGES.get(page)
    if found is None:
        found = _OF_PAGES[page] = _read(page, ())
    return found


def _read(page: Page, regions: Sequence[str]) -> tuple[Anchor, ...]:
    roots = region_roots(page.tree, regions) if regions else [page.tree]
    found: dict[str, Anchor] = {}
    places: dict[Any, Step] = {}
    own = canonical_or_none(page.url)
    openers = cache(lambda: openers_in(page))
    clicked = any(mark in page.text for mark in ("onclick", "data-href", "data-link", "<option", "<OPTION"))
    held = held_in(page)
    for element in islice(_anchor_elements(roots, clicked=clicked, held=held), MAX_ANCHORS):
        href = target_of(element) or (held_by(element, held) if held else "")
        if not href and (element.tag == "option" or element.get("href") or element.get("onclick")):
            href = opened_by(element, openers)
        url = unwrapped(page.resolve(href)) if href else ""
        if not url.startswith(("http://", "https://")):
            continue
        url = without_session(url)  # which makes a section look like an article
        key = canonical_or_none(url)
        if key is None or key == own or is_hidden(element):
            continue
        _keep_better(found, key, url, element, places)
        if len(found) >= MAX_LINKS:
            break
    _tell_by_entries([one for one in found.values() if same_site(one.url, page.url)])
    return tuple(found.values())


def _tell_by_entries(anchors: Sequence[Anchor]) -> None:
    """Gives links that say the same of several addresses, as "Read more" does, the text of the entries they end.

    An entry is the largest part of the page with few links, none of which says anything, and each in its own words.
    """
    said = [anchor.text if _SAYS.search(anchor.text) else "" for anchor in anchors]
    often = {
        text for text, number in Counter(said).items() if number >= _LEAST_REPEATED and len(text) <= _MOST_REPEATED
    }
    if not often:
        return
    others, texts = Counter[Any](), Counter[tuple[Any, str]]()
    for anchor, text in zip(anchors, said, strict=True):
        for above in islice(anchor.element.iterancestors(), _ENTRY_LEVELS):
            others[above] += 1 if text in often else _LEAST_REPEATED
            texts[above, text] += 1
    told = set[Any]()
    for anchor, text in zip(anchors, said, strict=True):
        within = islice(anchor.element.iterancestors(), _ENTRY_LEVELS if text in often else 0)
        entry = None
        for above in within:
            if others[above] > _LEAST_REPEATED or texts[above, text] > 1 or above.tag == "body":
                break
            entry = above
        whole = fold("".join(entry.xpath(_SHOWN))) if entry is not None and entry not in told else ""
        told.add(entry)
        least = units(anchor.text) + (_LEAST_TOLD if anchor.text else 0)  # a picture says nothing
        anchor.entry = whole[:_MOST_TOLD] if units(whole) > least else ""


def unwrapped(url: str) -> str:
    """The address that one of a site's own redirects names, as /out?u=… does; else the address itself."""
    if "?" not in url or _REDIRECT.search(url.partition("?")[0]) is None:
        return url
    named = (value for _, value in parse_qsl(urlsplit(url).query) if value.startswith(("http://", "https://")))
    return next((target for target in named if same_site(target, url)), url)


def target_of(element: Any) -> str:
    """What a click on an element leads to, as written: its ``href``, else what its script says; "" for nothing.

    Of ``data-href`` or ``data-link``, which a script makes a link of, it is that, and of a drawing's link
    ``xlink:href``. Of an entry of a menu it is its value, where that is a whole address, or one below the page in a
    menu with a script, or what the menu's script makes of it.
    """
    if element.tag == "option":
        value, menu = (element.get("value") or "").strip(), next(element.iterancestors("select"), None)
        leads = _WHOLE.match(value) or (_FILE.fullmatch(value) and menu is not None and menu.get("onchange"))
        return str(value) if leads else _led_by(code_of(element))
    href = (
        element.get("href") or element.get("data-href") or _linked(element) or element.get("xlink:href") or ""
    ).strip()
    if href and not href.startswith(_NO_PAGES):
        return "" if _UNFILLED in href else str(href)
    return _led_by(f"{element.get('onclick') or ''} {href}")


def _led_by(code: str) -> str:
    """The address that a piece of script leads to as it stands there, "" for none."""
    found = _LEADS.search(code[:_MAX_SCRIPT])
    return "" if found is None else found[1].replace("\\u0026", "&")


def _linked(element: Any) -> str:
    """What ``data-link`` says, where it is a whole address; it may as well be a word of the script's."""
    said = (element.get("data-link") or "").strip()
    return said if said.startswith(("http://", "https://")) else ""


def _anchor_elements(roots: Iterable[Any], *, clicked: bool, held: Iterable[str]) -> Iterable[Any]:
    """The anchors below some elements and, where there may be any, what leads on by a script and holds no other."""
    for root in roots:
        if not clicked and not held:
            yield from root.iter("a", "area")
            continue
        named = " or ".join(f"@{name}" for name in ("onclick", "data-href", "data-link", *held))
        for element in root.xpath(f"descendant-or-self::*[self::a or self::area or self::option or {named}]"):
            if element.tag in ("a", "area") or next(element.iter("a"), None) is None:
                yield element


def _keep_better(found: dict[str, Anchor], key: str, url: str, element: Any, places: dict[Any, Step]) -> None:
    text, over = text_of(element)
    path, menu, heading = place_of(element, places)
    heading = heading or over is not None or any(True for _ in element.iter("h1", "h2", "h3", "h4"))
    if heading and len(text) > 200:
        text = headline_in(element) or text
    known = found.get(key)
    if known is None:
        rel = element.get("rel") or ""
        # A session's id makes every address look like an article's.
        shown_at = key if "?" in url or "/(" in url else url
        found[key] = Anchor(shown_at, text, element, path, menu, heading, rel, in_menu=menu)
        return
    known.in_menu |= menu
    # the headline's anchor tells more than the picture's or "read more"; a menu's anchor tells least
    # What is laid over a card may be called by the page's own headline: a longer text of another link is the card's.
    longer = known.heading and units(text[:200]) > units(known.text) and not "".join(known.element.itertext()).strip()
    better = (not menu, heading or longer, not MORE.match(text), *shown(element, text))
    own = (not known.menu, known.heading, not MORE.match(known.text), *shown(known.element, known.text))
    if better > own:
        known.text, known.element, known.path, known.menu, known.heading = text, element, path, menu, heading
