"""The picture that stands for an article: what its page states for those who share it, else its first image."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from articlebot.extraction.fields.images import is_decoration
from articlebot.extraction.fields.srcset import pixels
from articlebot.front import Front
from articlebot.items import Image
from articlebot.page.metadata import article_nodes, keywords_in_meta, text_of, types_of
from articlebot.page.page import Page

Json = Mapping[str, object]

_MOST = 20
_OF_PAGE = frozenset({"og", "twitter", "link"})
_THUMBNAIL = 200  # pixels: Open Graph's least width of a picture that is shared
# Sizes that a file's name ends in: photo-300x200.jpg, 571_87x84.jpg.
_NAMED_SIZE = re.compile(r"[-_.](\d{2,4})x(\d{2,4})(?:[-_.][a-z]{1,9})?\.[a-z]{3,4}\Z", re.I)


class Lead(NamedTuple):
    """The picture that stands for an article, and the rule that gave it."""

    image: Image
    rule: str


def lead_of(page: Page, images: Sequence[Image], signs: Collection[str] = ()) -> Lead | None:
    """The picture that stands for the article; None where there is none.

    What the page states for those who share it, unless that is a thumbnail and a larger one is known, or the site's own
    sign; else the first image of the article.

    Args:
        images: of the article, in page order.
        signs: addresses of pictures that the site states for many of its articles, and are none of theirs.
    """
    stated = (
        lead for lead in stated_leads(page)
        if lead.image.url not in signs and not is_decoration(lead.image.url, stated=True)
    )  # fmt: skip
    own = (Lead(image, "first") for image in images)
    first = next(stated, None)
    if first is not None and _width(first.image) < _THUMBNAIL:
        return next((one for one in chain(stated, own) if _width(one.image) >= _THUMBNAIL), first)
    return first if first is not None else next(own, None)


def _width(image: Image) -> int:
    """The width that is known of an image; of one of which none is, enough."""
    if image.width is not None:
        return image.width
    named = _NAMED_SIZE.search(image.url.partition("?")[0])
    return int(named[1]) if named else _THUMBNAIL


def stated_leads(page: Page) -> Iterator[Lead]:
    """What Open Graph, Twitter cards, JSON-LD and link elements name as the page's picture, in this order."""
    meta = page.meta
    size = (next(iter(meta.get(f"og:image:{name}", ())), None) for name in ("width", "height"))
    width, height = map(pixels, size)
    alt = next(iter(meta.get("og:image:alt", ())), "")
    for number, value in enumerate(_first(meta, ("og:image", "og:image:url", "og:image:secure_url"))):
        yield from _lead(
            page, Image(url=value, alt=alt, width=width, height=height) if not number else Image(url=value), "og"
        )
    for value in _first(meta, ("twitter:image", "twitter:image:src")):
        yield from _lead(page, Image(url=value), "twitter")
    for image in jsonld_images(page):
        yield from _lead(page, image, "jsonld")
    for link in page.by_tag["link"]:
        if "image_src" in (link.get("rel") or "").lower().split():
            yield from _lead(page, Image(url=link.get("href") or ""), "link")
    for value in _first(meta, ("image", "thumbnailurl", "thumbnail", "sailthru.image.full", "parsely-image-url")):
        yield from _lead(page, Image(url=value), "meta")


def pictures_of_list(page: Page) -> set[str]:
    """The addresses of the pictures that a list states for itself or its site, and not for the articles in it."""
    # JSON-LD has those of a blog's posts, and meta elements within entries (microdata, RDFa) theirs.
    rules = _OF_PAGE if article_nodes(page.jsonld) else _OF_PAGE | {"jsonld"}
    return {lead.image.url for lead in stated_leads(page) if lead.rule in rules}


def front_of(page: Page) -> Front:
    """What a front page says of its site."""
    keywords = frozenset(word.casefold() for word in keywords_in_meta(page))
    return Front(page.title, frozenset(pictures_of_list(page)), keywords)


def _first(meta: Mapping[str, Sequence[str]], names: Iterable[str]) -> Sequence[str]:
    return next((meta[name] for name in names if name in meta), ())


def _lead(page: Page, image: Image, rule: str) -> Iterator[Lead]:
    url = page.resolve(image.url.replace("&amp;", "&")) if image.url and "{" not in image.url else ""
    if url.startswith(("http://", "https://")) and url.rstrip("/").count("/") > 2:
        yield Lead(replace(image, url=url), rule)


def jsonld_images(page: Page) -> Iterator[Image]:
    """The images that JSON-LD has of the article, in order: addresses, objects, lists and references to either."""
    known = {node["@id"]: node for node in page.jsonld if isinstance(node.get("@id"), str)}
    nodes = article_nodes(page.jsonld) or [node for node in page.jsonld if "WebPage" in types_of(node)]
    for node in nodes:
        for key in ("image", "primaryImageOfPage", "thumbnailUrl"):
            value = node.get(key)
            for one in value[:_MOST] if isinstance(value, list) else [value]:
                if isinstance(one, str):
                    yield Image(url=one)
                elif isinstance(one, dict):
                    yield from _object(known.get(str(one.get("@id")), {}) | one)


def _object(node: Json) -> Iterator[Image]:
    for key in ("url", "contentUrl", "@id"):
        value = node.get(key)
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str) and value.strip():
            width, height = (_number(node.get(name)) for name in ("width", "height"))
            caption = text_of(node.get("caption")) or text_of(node.get("description"))
            credit = text_of(node.get("creditText")) or text_of(node.get("copyrightHolder"))
            yield Image(url=value, caption=caption[:600], credit=credit[:200], width=width, height=height)
            return


def _number(value: object) -> int | None:
    if isinstance(value, dict):
        value = value.get("value") or value.get("name")
    return pixels(str(value)) if isinstance(value, str | int | float) else None
