"""The numbers of pages in addresses: which address is another one's further page."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from urllib.parse import parse_qsl, urlsplit

# Before a slash, a word for "page" is one only where it is a segment: /a-mishap/2, /the-last-page/2.
_TRAILING = re.compile(
    r"(?:/(?:page|p|pg|pagina|seite|pag|index|part|trang|sida?e?|strana|sayfa|stranica)?[_\-/=]?|[_\-.,](?:page|p|pg|pagina|seite|pag|index|part)?[_\-=]?|"
    r"(?:page|pagina|seite|(?<![a-z])pg?)[_\-]?)(\d{1,2})\Z",
    re.I,
)
# What an article's address has: a number that is no day, or a headline of three words.
_LONG_NUMBER = re.compile(r"(?<!\d)(?!(?:19|20)\d{6}(?!\d))\d{5}")
_JOINTS, _SLUG_JOINTS = re.compile(r"[^\W\d_][-_]"), 2
_SEGMENT = re.compile(r"/\d{1,2}\Z")
# What ends an address whose headline there was before: a number behind a hyphen, "part 2" of a series.
_SAME_SLUG = re.compile(r"-(?:part[_\-=]?)?\d{1,2}\Z", re.I)
# Of most lists no address has it: to take each apart would cost ten times as much.
_MAY_COUNT = re.compile(r"(?<!\d)\d{1,2}(?:/index)?(?:\.\w{2,5})?/?(?:\?|\Z)|[?&][A-Za-z_.]{1,20}=\d{1,2}(?:&|\Z)")
# What addresses call the number of a page, of an article's and of a list's.
PAGE_KEYS = frozenset(
    "page pager p pg pn pageno page_no pagenum page_num pagenumber page_number paged pageindex page_index pageidx "
    "curpage currentpage current_page current pagina seite pag side sida sivu strana strona stranka oldal sayfa".split()
)
_PAGE_KEYS = PAGE_KEYS | {"pageno.", "part", "start"}
EXTENSION = re.compile(r"\.(?:s?html?|aspx?|php|jsp|do)\Z", re.I)
_ONE = re.compile(r"[/_-]1(?:\.\w{2,5})?/?\Z")

_WORDS_OF_HOME = ("page", "index", "pagina", "seite")

Stem = tuple[str, str, tuple[tuple[str, str], ...]]


def is_numbered(url: str) -> bool:
    """Whether an address may be that of a further page."""
    return split(url)[1] > 1


def later_pages(urls: Collection[str]) -> set[str]:
    """Those of the addresses that are a further page of another one of them, as sitemaps name each page.

    ``/a-headline-2`` is no page of ``/a-headline``: content management systems number articles of one headline so.
    """
    if not any(split(url)[1] > 1 for url in urls if _MAY_COUNT.search(url)):
        return set()
    parted = {url: split(url) for url in urls}
    firsts = {stem for stem, number in parted.values() if number == 1}
    return {
        url for url, (stem, number) in parted.items()
        if number > 1 and stem in firsts and ((in_query(url) and names_any(stem)) or names_article(url, stem))
    }  # fmt: skip


def names_any(stem: Stem) -> bool:
    """Whether an address names anything but a number: ``/?p=7`` is an article of its own, as its site calls it."""
    return bool(stem[1] or stem[2])


def is_first_of_folder(url: str, stem: Stem) -> bool:
    """Whether an address is a folder's number one, ``/news/1``, and not the first page of an article."""
    last = stem[1].rpartition("/")[2]
    return not (_LONG_NUMBER.search(last) or _is_slug(last)) and base_stem(urlsplit(url).path).endswith("/1")


def names_article(url: str, stem: Stem) -> bool:
    """Whether what is left of an address without the page's number is an article's, and the number is a page's."""
    last, path = stem[1].rpartition("/")[2], base_stem(urlsplit(url).path)
    if _LONG_NUMBER.search(last):
        return not _SEGMENT.search(path)  # /20261124/2.html and /77123/2 are as often the day's or topic's second
    return _is_slug(last) and not _SAME_SLUG.search(path)


def _is_slug(last: str) -> bool:
    return len(_JOINTS.findall(last)) >= _SLUG_JOINTS


def precedes(url: str, other: str) -> bool:
    """Whether one address is the other but for the page number, and the other's is the next."""
    (stem, number), (there, next_number) = split(url), split(other)
    if next_number != number + 1:
        return False
    # What stands behind the number of a path may say where the reader came from: /town/?ref=menu, /Town/2?ref=pager.
    keys, there_keys = ({key for key, _ in one[2]} for one in (stem, there))
    in_path = next_number != 1 and not in_query(other)
    return stem == there or (
        in_path and keys == there_keys and (stem[0], stem[1].lower()) == (there[0], there[1].lower())
    )


def in_query(url: str) -> bool:
    """Whether an address has the page's number among its parameters."""
    return any(key.lower() in _PAGE_KEYS for key, _ in parse_qsl(urlsplit(url).query))


def first_pages(urls: Sequence[str], own: str, named: Collection[str] = ()) -> list[str]:
    """The addresses but those that are another's but for a page number, or the page's own, as ?page=0 is.

    Args:
        named: addresses that have names. Where /list/1 has one, /list/2 is another section.
    """
    parted = {url: split(url) for url in urls}
    here = split(own)[0]
    sections = {parted[url][0] for url in urls if url in named and _ONE.search(url) and parted[url][1] == 1}
    firsts = {stem for stem, number in parted.values() if number == 1} - sections
    pages = firsts | ({here} - sections)
    return [url for url, (stem, number) in parted.items() if stem not in pages or (number == 1 and stem != here)]


def split(url: str) -> tuple[Stem, int]:
    """(what all pages of an article share, page number); 1 where the address names no page."""
    parts = urlsplit(url)
    asked = parse_qsl(parts.query, keep_blank_values=True)
    may = [one for one in asked if one[0].lower() in _PAGE_KEYS and one[1].isdigit() and len(one[1]) <= 2]
    # ?p=9&page=2: the letter is the article's
    counts = next((one for one in reversed(may) if len(one[0]) > 1), may[-1] if may else None)
    number = int(counts[1]) if counts else 0
    query = [one for one in asked if one != counts]
    path = base_stem(parts.path)
    if not number:
        match = _TRAILING.search(path)
        # Below the root a word has to say it: /page/2 and /index2.html, and no /2.
        if match and (match.start() > 1 or match[0][1:].lower().startswith(_WORDS_OF_HOME)):
            number, path = int(match[1]), path[: match.start()]
    host = (parts.hostname or "").lower()
    return (host, path.rstrip("/"), tuple(sorted(query))), number or 1


def asked_of(url: str) -> tuple[tuple[str, str], ...]:
    """All that an address asks for."""
    return tuple(sorted(parse_qsl(urlsplit(url).query, keep_blank_values=True)))


def base_stem(path: str) -> str:
    """A path without its ending, and without the name of a folder's own page."""
    stem = EXTENSION.sub("", path.rstrip("/"))
    return stem[: -len("/index")] if stem.endswith("/index") else stem
