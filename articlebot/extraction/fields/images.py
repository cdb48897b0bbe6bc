"""The images of an article with their captions and sizes."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, takewhile

from lxml import etree

from articlebot.extraction.fields.beside import Headline
from articlebot.extraction.fields.srcset import addresses, pixels
from articlebot.extraction.generic.captions import is_caption
from articlebot.extraction.generic.edges import in_italics
from articlebot.extraction.place import Region, common_ancestor
from articlebot.items import Image
from articlebot.page.blocks import Block, Picture
from articlebot.page.page import Page
from articlebot.page.tags import names_of
from articlebot.page.text import line_of, squash

MAX_IMAGES = 100
_FIGURES = frozenset({"figure", "picture"})
_MOST_BESIDE, _LEVELS = 4, 3  # last lines of a text, and elements from a picture up to what holds them
_WRAPPERS = frozenset({"picture", "source"})  # of an image, by themselves no box
# Words of a file's name that say it is no picture of an article.
_SIGNS = frozenset(
    "logo logos icon icons avatar avatars gravatar sprite sprites spacer placeholder qrcode erweima emoji favicon blank transparent".split()
)
# Words that say so where nothing but fillers is beside them; elsewhere a picture may be of a Pixel or a button.
_WEAK_SIGNS = frozenset(
    "pixel loading loader lazy btn button clear grey gray default leer empty dummy trans space vide no".split()
)
# And words of buttons and marks, of which a page's own picture may be.
_BUTTONS = frozenset(
    "arrow arrows chevron caret menu hamburger bullet dot close zoom print printer email mail share tools rss digg delicious reddit stumbleupon weibo wechat weixin qzone star stars rating byline".split()
)
_FILLERS = frozenset(
    "white black bright dark og fb facebook twitter social site main header image img thumb thumbnail small short big large square x w h in out up down left right plus play this link add".split()
)
_WORD_BREAKS = re.compile(r"[\W\d_]+")
_BUILD = re.compile(r"[.-](?=[a-f]{0,20}\d)[0-9a-f]{6,40}\Z")  # what a bundler adds to a file's name
_TRACKERS = re.compile(
    r"/(?:pixel|beacon|track(?:ing)?|collect|counter|1x1|emojis?|smil(?:ey|ies)|avatars?|icons?)(?:/|\Z)", re.I
)
# Of class names: pictures that stand for a person, a button or the site.
_NO_PICTURE = re.compile(
    r"(?:\A|[\s_-])(?:avatars?|author|byline|gravatar|logos?|icons?|emojis?|smil(?:ey|ies)|sprite|spacer|tracking|pixel|profile|qrcode|share|social)"
    r"(?:[\s_-]|\Z)"
)
_CAPTION = re.compile(r"caption|\bcap\b|legend|credit|tushuo|img-?desc|pic-?(?:desc|note)")
_CREDIT = re.compile(r"credit|copyright|attribution|photographer|image-?source|photo-?source|byline|agency|courtesy")
_CREDIT_PROPERTIES = frozenset({"copyrightholder", "credittext", "author", "creator", "copyrightnotice", "contributor"})
_CREDIT_LABEL = re.compile(
    r"^\W*(?:(?:photo|image|picture|foto|bild|crédits?|credit|fotograf)(?:\s+(?:credit|by))?\s*[:：]\s*)+", re.I
)
_SMALL = 60  # pixels: icons and pictures of people beside a text are smaller, pictures of an article are not
_PORTRAIT = 150  # pixels: small squares are faces of authors and teasers
_LARGE = 400  # pixels: half of a column of text, which no teaser's picture has
_SIZES = re.compile(
    r"[-_.@](?:\d{2,4}x\d{2,4}|\d{2,4}[wh]?|scaled|large|medium|small|thumb(?:nail)?)(?=[-_.]|\Z)", re.I
)
_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)\b", re.I)
_MOST_BEFORE = 60  # elements from an article's beginning to its headline
_NEAR = 4  # blocks above the text where a figure belongs to it, if the headline is not on the page
_CAPTION_CHARS = 600
_LINE_CHARS = 200


def image_of(page: Page, element: etree._Element) -> Image | None:
    """An ``img`` by its best address, with caption and size; None for decoration and inline data."""
    names = names_of(element)
    if _NO_PICTURE.search(names) or element.get("role") == "presentation" or element.get("aria-hidden") == "true":
        return None
    width, height = pixels(element.get("width")), pixels(element.get("height"))
    if any(size is not None and size < _SMALL for size in (width, height)) or (height and width == height < _PORTRAIT):
        return None
    for one in addresses(element):
        if not one.url or "{" in one.url or one.url.startswith(("data:", "about:", "javascript:", "blob:")):
            continue
        url = page.resolve(one.url)
        if url.startswith(("http://", "https://")):
            if is_decoration(url, drawn=_in_figure(element)):
                continue
            if one.width is not None:
                ratio = height / width if width and height else None
                width, height = one.width, round(one.width * ratio) if ratio else None
            caption, credit = caption_of(element)
            alt = " ".join((element.get("alt") or "").split())[:500]
            return Image(url=url, caption=caption, alt=alt, credit=credit, width=width, height=height)
    return None


def is_decoration(url: str, *, stated: bool = False, drawn: bool = False) -> bool:
    """Whether an address says that its picture is an icon, a placeholder or counts visits.

    Args:
        stated: the page names it as its picture: only a name that says nothing else is believed to be a sign.
        drawn: it stands in a figure, where an SVG may be a chart.
    """
    path = url.partition("?")[0]
    stem, _, ending = path.rpartition("/")[2].lower().rpartition(".")
    words = {word for word in _WORD_BREAKS.split(_BUILD.sub("", stem or ending)) if word}
    signs = _SIGNS | _WEAK_SIGNS if stated else _SIGNS | _WEAK_SIGNS | _BUTTONS
    if (words <= signs | _FILLERS and words & signs) or (stated and ending == "svg"):  # which nobody can share
        return True
    return not stated and (
        (ending == "svg" and not drawn) or not words.isdisjoint(_SIGNS) or _TRACKERS.search(path) is not None
    )


def images_between(page: Page, body: Sequence[Block], headline: Headline) -> list[tuple[int, Image]]:
    """The images of the article with these blocks, with their places: above its text, within it, in a figure behind it."""
    if not body:
        return []
    order = [block.index for block in body]
    first, last = order[0], order[-1]
    above = [*_above(page, body, headline)]
    among = above + [
        one for one in page.pictures
        if one not in above
        and (first < one.before <= last or (one.before == last + 1 and _is_of_text(one.element, body)))
    ]  # fmt: skip
    shown = [one for one in among if not one.node.hidden]
    return images_of(page, [(bisect_left(order, one.before), one) for one in shown])


def _is_of_text(element: etree._Element, body: Sequence[Block]) -> bool:
    """Whether a picture behind a text is in a figure, or between elements of the text: ``<p>…</p><p><img></p>``.

    What leads somewhere is a banner there, and a GIF a counter's.
    """
    if _in_figure(element):
        return True
    href = next((link.get("href") or "" for link in element.iterancestors("a")), None)
    if ".gif" in (element.get("src") or "").lower() or (href is not None and not _FILE.search(href)):
        return False
    holder = body[-1].element.getparent()
    beside = sum(1 for one in body[-_MOST_BESIDE:] if one.element.getparent() is holder)
    return beside > 1 and any(one is holder for one in islice(element.iterancestors(), _LEVELS))


def _below(page: Page, picture: Picture) -> str:
    """The line right below a picture where it is its caption, though no markup says so."""
    if picture.before >= len(page.blocks) or _in_figure(picture.element):
        return ""
    block = page.blocks[picture.before]
    is_one = len(block.text) <= _LINE_CHARS and (is_caption(block, picture) or in_italics(block))
    return block.text if is_one else ""


def _above(page: Page, body: Sequence[Block], headline: Headline) -> Iterator[Picture]:
    """Pictures between headline and text; and figures above the headline, or what bears it, in what holds both and not the whole page."""
    first = body[0].index
    index = headline()
    if index is None or index > first or first - index > 60:
        index = None
    holder = common_ancestor([body[0].element, *([page.blocks[index].element] if index is not None else [])])
    if holder is not None and holder.tag != "article":  # headline and text may have a box of their own within it
        holder = next(islice(holder.iterancestors("article"), 1), holder)
    outer = holder is None or holder.tag in {"body", "html"}
    title = squash(page.blocks[index].text) if index is not None else ""
    before = _before_region(page, holder) if index is not None and isinstance(page, Region) else ()
    for one in chain(before, page.pictures):
        if one.before > first:
            return
        if index is not None and one.before > index:
            yield one
        elif (
            _in_figure(one.element) or one.element.getparent() is holder or _is_large(one.element)
            or (title and title == squash(one.element.get("alt") or ""))
        ):  # fmt: skip
            near = one.before >= (first if index is None else index) - _NEAR
            if near and (
                index is None or (not outer and any(above is holder for above in one.element.iterancestors()))
            ):
                yield one


def _before_region(page: Region, holder: etree._Element | None) -> Iterator[Picture]:
    """Pictures of the article's element before the part of it of which a wrapper knows the blocks."""
    first = page.blocks[0]
    if holder is not None and holder.tag == "article":
        for element in islice(takewhile(lambda one: one is not first.element, holder.iter()), _MOST_BEFORE):
            if element.tag == "img":
                yield Picture(first.index, element, first.node)


def images_of(page: Page, pictures: Iterable[tuple[int, Picture]]) -> list[tuple[int, Image]]:
    """The images of an article, each once, with their places; decoration is left out.

    Args:
        pictures: each with its place, which is the number of the article's blocks before it.
    """
    found: dict[str, tuple[int, Image]] = {}
    for place, picture in pictures:
        element = picture.element
        image = image_of(page, element) if len(found) < MAX_IMAGES else None
        if image is not None and not _of_person(element) and not (_is_teaser(page, element) and not image.caption):
            if not image.caption and (below := _below(page, picture)):
                image = replace(image, caption=below)
            found.setdefault(_same(image.url), (place, image))
    return list(found.values())


def _of_person(element: etree._Element) -> bool:
    """Whether one of the nearest elements around an image is named after its author or an avatar."""
    for depth, above in enumerate(element.iterancestors()):
        if depth == 2 or above.tag in {"figure", "article", "main", "body"}:
            return False
        if _NO_PICTURE.search(names_of(above)):
            return True
    return False


def _is_teaser(page: Page, element: etree._Element) -> bool:
    """Whether an image leads to another page of the site: it is that page's, unless it leads to itself in large."""
    href = next((link.get("href") or "" for link in element.iterancestors("a")), "")
    if not href or _FILE.search(href) or "attachment" in href or _is_large(element):
        return False
    url = page.resolve(href).partition("#")[0]
    return (
        url.startswith(page.origin)
        and len(url) > len(page.origin) + 1
        and not url.startswith(page.url.partition("?")[0])
    )


def _is_large(element: etree._Element) -> bool:
    return (pixels(element.get("width")) or 0) >= _LARGE


def _in_figure(element: etree._Element) -> bool:
    return next(element.iterancestors(*_FIGURES), None) is not None


def _same(url: str) -> str:
    """What the addresses of one picture in several sizes have in common."""
    path, _, query = url.partition("?")
    folder, _, name = path.rpartition("/")
    plain = _SIZES.sub("", name)
    # A name of nothing but its size is no name, and a query may be all that tells two pictures.
    return f"{folder}/{plain}" if len(plain) > 12 else f"{path}?{query}"


def caption_of(element: etree._Element) -> tuple[str, str]:
    """The caption and the credit of an image: of its figure, or of the element next to it that is named one; "" without."""
    credit = ""
    boxes = (above for above in element.iterancestors() if above.tag not in _WRAPPERS)
    for depth, above in enumerate(boxes):
        if above.tag == "figure" or depth < 3:
            # <photo-figure><img><photo-caption>
            own = [child for child in above if "-" in str(child.tag)] if "-" in above.tag else []
            for candidate in chain(above.iter("figcaption", "div", "p", "span", "dd", "em"), own):
                names = candidate.tag if "-" in candidate.tag else candidate.get("class")
                if candidate.tag == "figcaption" or (names and _CAPTION.search(names.lower())):
                    text, named = _caption(candidate)
                    credit = credit or named
                    if 2 < len(text) <= _CAPTION_CHARS:
                        return text, credit
        if above.tag == "figure" or depth >= 3 or above.tag in {"body", "article", "main"}:
            break
    return "", credit


def _caption(element: etree._Element) -> tuple[str, str]:
    """A caption's text without its credit, and the credit, which the markup names."""
    whole = line_of(element)
    for one in element.iter("figcaption", "span", "small", "cite", "div", "p", "em", "i"):
        named = (one.get("itemprop") or "").lower() in _CREDIT_PROPERTIES
        if named or one.tag == "cite" or _CREDIT.search((one.get("class") or "").lower()):
            credit = line_of(one)
            return " ".join(whole.replace(credit, " ", 1).split()), _CREDIT_LABEL.sub("", credit)[:200]
    return whole, ""
