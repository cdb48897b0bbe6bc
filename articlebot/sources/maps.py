"""Which addresses of a sitemap are articles, and which of an index's children are worth a look."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from urllib.parse import urlsplit

from articlebot.extraction.url_words import is_about_site, is_offer
from articlebot.extraction.urlshape import general_shape, of_any_number
from articlebot.page.sitemaps import SitemapEntry
from articlebot.sources.dated import dated

# An address like that many others of the map is an article's, whatever it looks like: nothing else is so numerous.
_MANY, _SHARE = 5, 0.25
# The same of what lies in one folder beside articles, of which so many at least look like it: short names.
_BESIDE = 1 / 3
_LIKELY = 0.5
_OTHER_CHILD = re.compile(
    r"(?:\A|[/_.-])(?:post_tag|tags?|categor(?:y|ies)|authors?|users?|images?|attachments?|products?|taxonom(?:y|ies)|"
    r"terms?|sections|channels|topics|static)(?:[_.-]?sitemap)?[\d_-]*\.(?:xml|txt)|"
    r"/pages?[_-]sitemap\d*\.xml|sitemap[_-]pages\.xml|sitemap-posts-page-\d+\.xml|"
    r"[?&]sitemap=(?:taxonomies|users)\b|[?&]sitemap-subtype=page\b",
    re.I,
)
# A word with a number behind it may be of what section an article is: /news/tech-1001, /news/sport-1002.
_NUMBERED = re.compile(r"/[a-z]{1,20}(?=[-_]<n>/?\Z)", re.I)
# The parts of a site that list or serve rather than tell; WordPress has its articles at /archives/315, too.
_OTHER_PATH = re.compile(
    r"/(?:tags?|categor(?:y|ies)|authors?|users?|labels?|keywords?|search|page|about\w*|contact\w*|privacy\w*|terms\w*|"
    r"login|register|account|archives?(?!/\d{1,9}(?:[/.]|\Z)))(?:/|\Z|\.)",
    re.I,
)


def article_entries(
    entries: Sequence[SitemapEntry], judge: Callable[[str], float], stated: Callable[[str], bool | None]
) -> list[SitemapEntry]:
    """The entries that are articles, in the map's order.

    Args:
        entries: of one map.
        judge: how likely an address is an article's, 0 to 1.
        stated: whether the job's own pattern says so, None where it has none.
    """
    told = [general_shape(entry.url) for entry in entries]
    alike = {one: _NUMBERED.sub("/*", of_any_number(one)) for one in set(told)}
    kinds = [alike[one] for one in told]
    shapes = Counter(kinds)
    least = max(_MANY, _SHARE * len(entries))
    full = cache(lambda: _full([entry.url for entry in entries], judge, least))
    found, doubtful = list[SitemapEntry](), list[SitemapEntry]()
    for entry, kind in zip(entries, kinds, strict=True):
        said, is_doubtful = stated(entry.url), False
        if said is None:
            path = urlsplit(entry.url).path
            many = shapes[kind] >= least or (_folder(path) in full() and _is_named(path))
            said = bool(entry.title) or (
                path not in ("", "/") and dated(entry.url) is None and not is_offer(entry.url)
                and not (_OTHER_PATH.search(path) and not many)
                and (many or judge(entry.url) >= _LIKELY) and not _OTHER_PATH.match(path)
            )  # fmt: skip
            is_doubtful = said and is_about_site(entry.url)
        if said:
            (doubtful if is_doubtful else found).append(entry)
    return found or doubtful


def _full(urls: Sequence[str], judge: Callable[[str], float], least: float) -> frozenset[str]:
    """The folders in which many addresses lie and enough of them look like articles; the site's top is none."""
    held, likely = Counter[str](), Counter[str]()
    for url in urls:
        path = urlsplit(url).path
        if folder := _folder(path):
            held[folder] += 1
            likely[folder] += not _OTHER_PATH.search(path) and judge(url) >= _LIKELY
    return frozenset(folder for folder, n in held.items() if n >= least and likely[folder] >= max(_MANY, _BESIDE * n))


def _folder(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0]


def _is_named(path: str) -> bool:
    """Whether a path ends in a name; a list's further page is called by its number."""
    return not path.rstrip("/").rpartition("/")[2].partition(".")[0].isdecimal()


def children(entries: Sequence[SitemapEntry]) -> list[SitemapEntry]:
    """The children of an index that may name articles, the newest first; all where none looks like it."""
    kept = [entry for entry in entries if not _OTHER_CHILD.search(entry.url.partition("://")[2])]
    return sorted(kept or entries, key=lambda child: -(child.modified_at or 0.0))
