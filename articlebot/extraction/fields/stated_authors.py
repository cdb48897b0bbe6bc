"""Who wrote an article, as its data and its markup say: JSON-LD, meta elements, ``rel=author``, cards."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any

from lxml import etree

from articlebot.extraction.fields.beside import OTHERS, is_of_another
from articlebot.extraction.fields.info_line import before_date
from articlebot.extraction.fields.person_names import turned
from articlebot.page.metadata import article_nodes, types_of
from articlebot.page.page import Page
from articlebot.page.tags import names_of
from articlebot.page.text import line_of

_META = tuple(
    "author article:author og:article:author byl dc.creator dcterms.creator parsely-author sailthru.author "
    "citation_author".split()
)
# Of libraries: a value of these is one person, the family's name first.
_INVERTED = frozenset(("dc.creator", "dcterms.creator", "citation_author"))
_DESKS = frozenset({"Organization", "NewsMediaOrganization", "Corporation"})
# Yoast's and others' two lines for cards: "Written by", "Ann Lee".
_WRITTEN = re.compile(
    r"(?:written|posted) by|author|verfasst von|geschrieben von|autor|"
    r"(?:écrit|rédigé) par|escrito por|scritto da|geschreven door|作者",
    re.I,
)
_OTHERS = re.compile(OTHERS)
_AROUND = 5  # elements above one that are asked for what they hold
_BESIDE = 3  # elements above one in which others of the same line stand
_MAX_MARKED, _MAX_INSIDE = 200, 20
_MARKED_TAGS = frozenset(("a", "span", "div", "p"))
_AUTHOR = re.compile("author")
_SAYS = re.compile("rel|itemprop", re.I)
_NAME_OF_AUTHOR = re.compile(r"author[-_]{1,2}name(?:\"|\Z)")  # an element within a block that is called the author's
_CARDS = "author vcard", "vcard author", "p-author"
_MAX_ATTRIBUTE, _MAX_USER, _MAX_TEXT = 60, 50, 80


def from_meta(page: Page) -> list[str]:
    """What a page's meta elements say, the first kind of them first."""
    meta = [turned(value) if key in _INVERTED else value for key in _META for value in page.meta.get(key, ())]
    for number in "12":
        if _WRITTEN.match(next(iter(page.meta.get(f"twitter:label{number}", ())), "")):
            meta += page.meta.get(f"twitter:data{number}", ())
    return list(dict.fromkeys(meta))


def from_jsonld(page: Page, *, desks: bool = False) -> list[str]:
    """Whom the first article in a page's JSON-LD that names somebody has as its authors.

    Args:
        desks: organisations are some, too.
    """
    known = {node["@id"]: node for node in page.jsonld if isinstance(node.get("@id"), str)}
    stated = (node.get("author") or node.get("creator") for node in article_nodes(page.jsonld))
    return next(filter(None, ([*_names(value, known, desks=desks)] for value in stated)), [])


def poster(page: Page) -> str:
    """Who began a discussion as its data state it: a user may be called anything, and posts quote others' bylines."""
    first = next(iter(article_nodes(page.jsonld)), {})
    author = first.get("author") if "DiscussionForumPosting" in types_of(first) else None
    name = author.get("name") if isinstance(author, dict) else None
    return " ".join(name.split())[:_MAX_USER] if isinstance(name, str) else ""


def _names(value: Any, known: dict[str, dict[str, Any]], *, desks: bool) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict) and (desks or not types_of(item) & _DESKS):
            name = item.get("name") or known.get(str(item.get("@id")), {}).get("name") or _of_parts(item)
            if isinstance(name, list):
                yield from map(str, name)
            # An empty name may have the paper's behind it.
            elif isinstance(name, str) and (desks or not name.lstrip().startswith(",")):
                yield name


def _of_parts(person: dict[str, Any]) -> str:
    """A name that data give in its parts."""
    return " ".join(part for key in ("givenName", "familyName") if isinstance(part := person.get(key), str))


def marked(page: Page, article: Collection[Any]) -> Iterator[str]:
    """Elements that the markup itself names as author (rel, itemprop, a class): the first and those beside it.

    Those of comments, of teasers and of other articles are named so, too.
    """
    if not _says_author(page.text):
        return
    beside: etree._Element | None = None
    tried = 0
    for element in page.elements:
        if element.tag == "time" and beside is not None:
            return  # behind a post's own stand those who wrote the next
        if element.tag not in _MARKED_TAGS or not _is_called_author(element):
            continue
        tried += 1
        if tried > _MAX_MARKED:
            return
        above = list(islice(element.iterancestors(), _AROUND))
        if any(_OTHERS.search(names_of(one)) for one in above) or is_of_another(element, article):
            continue
        text = _named_inside(element) or _first_line(map(str, element.itertext()))
        if 2 <= len(text) <= _MAX_TEXT and (beside is None or beside in above):
            beside = above[min(len(above), _BESIDE) - 1] if beside is None else beside
            yield before_date(text)


def _is_called_author(element: etree._Element) -> bool:
    rel = element.get("rel")
    says = (rel is not None and "author" in rel.split()) or element.get("itemprop") == "author"
    return says or _NAME_OF_AUTHOR.search(element.get("class") or "") is not None


def card(page: Page) -> list[str]:
    """The name on the only card of an author that a page has (hAtom, h-entry); readers who comment have such, too."""
    if not any(name in page.text for name in _CARDS):
        return []
    classes = ((one, (one.get("class") or "").split()) for one in page.elements if one.tag in _MARKED_TAGS)
    cards = (line_of(one) for one, names in classes if "p-author" in names or {"author", "vcard"} <= {*names})
    found = {text for text in islice(cards, _MAX_MARKED) if 0 < len(text) <= _MAX_USER}
    return [*found] if len(found) == 1 else []


def _named_inside(element: etree._Element) -> str:
    """What the markup inside of an author says is the name (itemprop), "" where it says nothing."""
    for inner in islice(element.iter("meta", "span", "a", "div", "p", "h2", "h3", "h4", "strong"), _MAX_INSIDE):
        if inner is not element and inner.get("itemprop") == "name":
            return " ".join((inner.get("content") or "".join(map(str, inner.itertext()))).split())
    return ""


def _first_line(texts: Iterable[str]) -> str:
    """The texts of an element's parts up to where what is below a name follows without a blank: ``Ann LeeEditor``."""
    whole = ""
    for text in texts:
        if whole[-1:].islower() and text[:1].isupper():
            break
        whole += text
    return " ".join(whole.split())


def _says_author(source: str) -> bool:
    """Whether an attribute may say so: to ask a page's elements costs ten times as much."""
    for found in _AUTHOR.finditer(source):
        at = found.start()
        if _NAME_OF_AUTHOR.match(source, at) or _SAYS.search(source, max(0, at - _MAX_ATTRIBUTE), at):
            return True
    return False
