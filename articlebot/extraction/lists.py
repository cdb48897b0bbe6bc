"""Which links of a list page are its news.

Links are grouped by where they stand (path of tags and classes), because a list repeats one structure for each of its
entries. A group is judged as a whole by the length of its anchor texts, by what its URLs look like and by the part of
the page it stands in; navigation has short texts, section URLs or stands in a menu.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from lxml import cssselect, etree

from articlebot.errors import RefusedError
from articlebot.extraction.urlshape import looks_like_article, shape
from articlebot.items import Link
from articlebot.page.tags import is_hidden, step
from articlebot.page.text import fold, units
from articlebot.urls import canonical_url

if TYPE_CHECKING:
    from articlebot.page.page import Page

MAX_LINKS = 5000
_ACCEPTED = 0.5
_MIN_LIST = 4  # entries
_MIN_UNITS = 4
_MAX_STEPS = 12
Judge = Callable[[str], float]

_NO_PAGES = ("#", "javascript:", "mailto:", "tel:", "data:")
_AWAY = frozenset("nav footer".split())
_HEADINGS = frozenset("h1 h2 h3 h4 h5".split())
_MENU = re.compile(
    r"\b(?:nav|navbar|navigation|menu|submenu|breadcrumbs?|crumbs?|footer|foot|copyright|pagination|pager|paging|"
    r"page-?numbers?|"
    r"share|social|login|toolbar|tag-?cloud|tags|friend-?links?|friendlink|sitemap|skip|cookie|lang)\b",
    re.I,
)
_SPLIT = re.compile(r"[_\s]+|(?<=[a-z])(?=[A-Z])")
_MORE = re.compile(
    r"\s*(?:\[?(?:read|see|view|show|load)?\s*(?:more|all|the full story|full article|on)\b.{0,12}|"
    r"continue reading.*|comments?|"
    r"\d+\s*comments?|leave a comment.*|reply|share|print|next|previous|prev|"
    r"更多|\[?详细\]?|\[?全文\]?|查看全文|阅读全文|閱讀全文|评论|評論|\d+\s*条?评论|分享|上一页|下一页|下一頁|"
    r"末页|首页|首頁)[\s>»›…\.\]]*\Z",
    re.I,
)
_ADVERT = re.compile(r"\b(?:sponsored|nofollow sponsored|advert\w*)\b", re.I)


@dataclass(slots=True)
class _Anchor:
    """One address on the page with the best of its anchors."""

    url: str
    text: str
    element: Any
    path: str
    menu: bool
    heading: bool
    order: int
    rel: str = ""
    score: float = 0.0


class _Step(NamedTuple):
    """What is asked of an element above a link: its name, whether it is a menu, whether it is a heading."""

    name: str
    menu: bool
    heading: bool


def article_links(
    page: Page, pattern: str | None = None, regions: Sequence[str] = (), *, judge: Judge | None = None
) -> list[Link]:
    """The links of a list page that lead to its articles, in the page's order, one per address.

    Args:
        pattern: a regular expression; where given it alone decides (searched in the absolute URL).
        regions: CSS selectors or XPaths of the parts that carry the news; empty means the page as a whole.
        judge: how likely a URL is an article, such as `Shapes.judge` of the job; `looks_like_article` by default.

    Raises:
        ValueError: a pattern, selector or XPath that cannot be read.
    """
    anchors = anchors_of(page, regions)
    if pattern is not None:
        matcher = re.compile(pattern)
        return [_link(a) for a in anchors if matcher.search(a.url)]
    _score(anchors, urlsplit(page.url).hostname or "", judge or looks_like_article, chosen=bool(regions))
    return [_link(a) for a in anchors if a.score >= _ACCEPTED]


def scored(
    links: Sequence[Link], host: str, judge: Judge, pattern: str | None = None, *, headings: Collection[str] = (),
    chosen: bool = False,
) -> list[Link]:  # fmt: skip
    """Those of some links that lead to articles, judged as those of a page: what stands in one region is a list.

    Args:
        host: of the page.
        pattern: as for ``article_links``.
        headings: addresses of links that stand out as a page's headlines do.
        chosen: the links were made to be a list.
    """
    if pattern is not None:
        return [link for link in links if re.search(pattern, link.url)]
    anchors = [
        _Anchor(link.url, link.text, None, link.region, menu=False, heading=link.url in headings, order=order)
        for order, link in enumerate(links)
    ]
    _score(anchors, host, judge, chosen=chosen)
    return [link for link, anchor in zip(links, anchors, strict=True) if anchor.score >= _ACCEPTED]


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


def anchors_of(page: Page, regions: Sequence[str] = ()) -> list[_Anchor]:
    """Every http(s) address that the page (or its regions) links to, once, in order, with its longest anchor text."""
    if page.tree is None:
        return []
    roots = region_roots(page.tree, regions) if regions else [page.tree]
    found: dict[str, _Anchor] = {}
    places: dict[Any, _Step] = {}
    own = _canonical(page.url)
    for element in _anchor_elements(roots):
        href = (element.get("href") or "").strip()
        url = "" if not href or href.startswith(_NO_PAGES) else page.resolve(href)
        if not url.startswith(("http://", "https://")):
            continue
        key = _canonical(url)
        if key is None or key == own or is_hidden(element):
            continue
        _keep_better(found, key, url, element, places)
        if len(found) >= MAX_LINKS:
            break
    return list(found.values())


def _anchor_elements(roots: Iterable[Any]) -> Iterable[Any]:
    for root in roots:
        yield from root.iter("a", "area")


def _keep_better(found: dict[str, _Anchor], key: str, url: str, element: Any, places: dict[Any, _Step]) -> None:
    text = fold("".join(element.itertext())) or fold(element.get("title") or "") or _image_text(element)
    path, menu, heading = _place(element, places)
    heading = heading or any(True for _ in element.iter("h1", "h2", "h3", "h4"))
    if heading and len(text) > 200:
        inner = next(element.iter("h1", "h2", "h3", "h4"), None)
        text = fold("".join(inner.itertext())) if inner is not None else text
    known = found.get(key)
    if known is None:
        rel = element.get("rel") or ""
        found[key] = _Anchor(url, text, element, path, menu, heading, len(found), rel)
        return
    # the headline's anchor tells more than the picture's or "read more"; a menu's anchor tells least
    better = (not menu, heading, not _MORE.match(text), units(text[:200]))
    if better > (not known.menu, known.heading, not _MORE.match(known.text), units(known.text[:200])):
        known.text, known.element, known.path, known.menu, known.heading = text, element, path, menu, heading


def _image_text(element: Any) -> str:
    image = next(element.iter("img"), None)
    return fold(image.get("alt") or "") if image is not None else ""


def _place(element: Any, steps: dict[Any, _Step]) -> tuple[str, bool, bool]:
    """(path, inside a menu, inside a heading) of an element's parent; steps are kept, as links share most."""
    above: list[_Step] = []
    node = element.getparent()
    while node is not None and len(above) < _MAX_STEPS:
        one = steps.get(node)
        if one is None:
            if not isinstance(node.tag, str) or node.tag in ("body", "html"):
                break
            one = steps[node] = _Step(step(node), _is_menu(node), node.tag in _HEADINGS)
        above.append(one)
        node = node.getparent()
    path = "/".join([one.name for one in reversed(above)])
    return path, any(one.menu for one in above), any(one.heading for one in above)


def _is_menu(node: Any) -> bool:
    if node.tag in _AWAY or node.get("role") in ("navigation", "menu", "menubar", "contentinfo", "banner"):
        return True
    if node.tag in ("main", "article") or node.tag == "li":
        return False
    names = f"{node.get('id') or ''} {node.get('class') or ''}"
    return len(names) > 1 and _MENU.search(_SPLIT.sub(" ", names[:300]).replace("-", " ")) is not None


def _score(anchors: list[_Anchor], host: str, judge: Judge, *, chosen: bool) -> None:
    groups: dict[tuple[str, bool], list[_Anchor]] = {}
    shapes: dict[str, int] = {}
    for anchor in anchors:
        groups.setdefault((anchor.path, _same_site(anchor.url, host)), []).append(anchor)
        shapes[shape(anchor.url)] = shapes.get(shape(anchor.url), 0) + 1
    for (_, own), members in groups.items():
        lengths = sorted(units(a.text) for a in members)
        typical = lengths[len(lengths) // 2]
        judged = [judge(a.url) for a in members]
        mean_judged = sum(judged) / len(judged)
        for anchor, one in zip(members, judged, strict=True):
            anchor.score = _one(
                anchor, typical, 0.7 * one + 0.3 * mean_judged, own=own, many=len(members), chosen=chosen
            )
            if one == 0.0:
                anchor.score = 0.0
        _with_siblings(members)
    if not chosen and not any(anchor.score >= _ACCEPTED for anchor in anchors):
        _only_list(list(groups.values()))


def _with_siblings(members: list[_Anchor]) -> None:
    """Short entries of a list go with the others: the same place, an address of the same shape."""
    accepted = {shape(a.url) for a in members if a.score >= _ACCEPTED}
    if len(members) < _MIN_LIST or sum(a.score >= _ACCEPTED for a in members) * 2 < len(members):
        return
    for anchor in members:
        if 0.0 < anchor.score < _ACCEPTED and not anchor.menu and shape(anchor.url) in accepted:
            anchor.score = _ACCEPTED


def _only_list(groups: list[list[_Anchor]]) -> None:
    """Where no link looks like news, the one list outside of menus, if there is one, is what the page is for."""
    outside = [g for g in groups if not g[0].menu]
    largest = max(outside, key=len, default=[])
    if len(largest) < _MIN_LIST or len(largest) * 10 < 6 * sum(map(len, outside)):
        return
    names = [urlsplit(a.url).path.rstrip("/").rpartition("/")[2] for a in largest]
    if sum(any(c.isdigit() for c in name) or "." in name for name in names) * 10 < 8 * len(names):
        return
    for anchor in largest:
        if units(anchor.text) >= _MIN_UNITS and not _MORE.match(anchor.text) and not _ADVERT.search(anchor.rel):
            anchor.score = _ACCEPTED


def _one(anchor: _Anchor, typical: int, url_score: float, *, own: bool, many: int, chosen: bool) -> float:
    length = units(anchor.text)
    if length < _MIN_UNITS or _MORE.match(anchor.text) or _ADVERT.search(anchor.rel):
        return 0.0
    text_score = min(1.0, max(0.0, (0.6 * typical + 0.4 * length - 9.0) / 26.0))
    score = 0.42 * text_score + 0.58 * url_score
    score += 0.14 if anchor.heading else 0.0
    score += 0.05 if many >= 4 else 0.0
    score += 0.1 if chosen else 0.0
    score -= 0.3 if anchor.menu and not anchor.heading else 0.0
    score -= 0.0 if own else 0.12
    return score


def _same_site(url: str, host: str) -> bool:
    other = urlsplit(url).hostname or ""
    a, b = other.split(".")[-3:], host.split(".")[-3:]
    return other == host or (a[-2:] == b[-2:] and (len(a[-2]) > 3 if len(a) > 1 else False)) or a == b


def _link(anchor: _Anchor) -> Link:
    return Link(
        url=anchor.url, text=anchor.text[:500], context=context_of(anchor.element), rel=anchor.rel, region=anchor.path
    )


def context_of(element: Any, limit: int = 300) -> str:
    """The text around an anchor, at most `limit` characters: of the nearest ancestor that holds more than it."""
    own = units("".join(element.itertext()))
    node = element.getparent()
    for _ in range(4):
        if node is None or node.tag in ("body", "html"):
            break
        text = fold("".join(node.itertext()))
        if units(text) > own + 12:
            return text[:limit]
        node = node.getparent()
    return ""


def _canonical(url: str) -> str | None:
    try:
        return canonical_url(url)
    except RefusedError:
        return None
