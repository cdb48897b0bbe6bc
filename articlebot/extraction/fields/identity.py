"""Which page an article is, when it can be reached under several URLs."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from articlebot.urls import canonical_or_none, canonical_url, site

_DIGITS = re.compile(r"\d{4,}")
_WORD = re.compile(r"[^\W_]+")
_HEADLINE_WORDS = 5


def identity(fetched_url: str, stated: str | None) -> str:
    """The canonical URL under which an article is kept.

    A page's ``rel=canonical`` is believed only where it is on the same site and visibly speaks of the same page:
    the same path without its query, the same last path segment, or the same longest number. Some sites state one
    address (their home page, the section) on every page, and believing it would fold all articles into one.

    Args:
        fetched_url: the address that answered, after redirects.
        stated: the absolute ``rel=canonical`` or ``og:url`` of the page, None where there is none.
    """
    fetched = canonical_url(fetched_url)
    claimed = canonical_or_none(stated)
    return claimed if claimed and claimed != fetched and _same_page(fetched, claimed) else fetched


def _same_page(fetched: str, claimed: str) -> bool:
    if site(fetched) != site(claimed):
        return False
    a, b = urlsplit(fetched), urlsplit(claimed)
    if b.path.rstrip("/") == "":
        return False
    if a.path.rstrip("/") == b.path.rstrip("/"):
        # Where the query names the article, only the same query is the same page.
        return not a.query or a.query == b.query or _number(a.path) is not None or _says_headline(a.path)
    if _last(a.path) == _last(b.path) and _says_headline(b.path):
        return True  # whatever numbers the rest has: a session's, in path or query
    number = _number(a.path + "?" + a.query)
    if number is not None:
        return number == _number(b.path + "?" + b.query)
    return _last(a.path) == _last(b.path) and len(_last(b.path)) >= 8


def _number(text: str) -> str | None:
    found = _DIGITS.findall(text)
    return max(found, key=len) if found else None


def _says_headline(path: str) -> bool:
    """Whether the last segment is a headline: words enough that none of them is a script's name."""
    return len(_WORD.findall(_last(path))) >= _HEADLINE_WORDS


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2].partition(".")[0]
