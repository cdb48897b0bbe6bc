"""Which URLs of a job are articles, learned without a pattern.

A URL's shape keeps what a site repeats (folders, extensions, parameter names) and replaces what differs between
articles (numbers, dates, slugs). Every page whose kind was observed counts for its shape; a new URL is judged by its
own shape, backed off to the same shape without folder names, and at last to what article URLs look like anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from articlebot.extraction.url_words import ID_KEYS, asks_aside, is_about_wiki, prints

_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_DATE8 = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-3]\d)?\Z")
_DATE_DASHED = re.compile(r"(?:19|20)\d\d-\d{1,2}(?:-\d{1,2})?\Z")
_ID_RUN = re.compile(r"\d+")
_HEX = re.compile(r"[0-9a-f-]{16,}\Z", re.I)
# Shorter ones, which no word with a number is: 4b64cacd, Xk92bQ7d.
_SHORT_HEX, _NAME, _LEAST_TURNS = (
    re.compile(r"(?=\D*\d\D*\d)[0-9a-f]{8,15}\Z", re.I),
    re.compile(r"[0-9A-Za-z]{8,24}\Z"),
    3,
)
# Some generators leave out the zeros at its front: of names of eight every sixteenth has seven, as 7ceb62d. What has a
# number behind letters alone, or before them, is a word: feb2026.
_SHORTER_HEX, _LEAST_HEX_TURNS = re.compile(r"(?=\D*\d\D*\d)[0-9a-f]{6,7}\Z", re.I), 2
_TURN, _COUNTED = re.compile(r"(?<=\d)(?=[A-Za-z])|(?<=[A-Za-z])(?=\d)"), re.compile(r"\d{4}")
_MADE_UP = re.compile(r"<hex>(?:\.\w{1,5})?\Z")
_PLAIN_PAGE = re.compile(r"\.s?html?\Z")
_WORDS = re.compile(r"[^\W\d_]+")
_LIST_WORDS = frozenset(
    "tag tags category categories cat author authors topic topics section sections channel channels index list "
    "page search "
    "archive archives about contact login register user users special zt video videos photo photos gallery live "
    "feed rss "
    "subscribe help privacy terms account profile jobs advertise newsletter newsletters sitemap".split()
)
# Lists by their number: /channel_25950, /list-6-2.html, /tag12345.
_NUMBERED_LIST = re.compile(
    r"(?:tag|cat|category|channel|list|section|author|column)s?[_-]?\d+(?:[_-]\d+)*(?:\.\w{2,5})?\Z"
)
# Whose folders have a page for each who writes, called by a name of two or three words.
_WRITERS = frozenset(
    "contributor contributors columnist columnists writer writers reporter reporters byline bylines".split()
)
_MOST_NAMES = 3
# Programs that list, whatever they are asked for: /bbs/list.php?id=free.
_LISTING = frozenset("list lists search category channel tag".split())
# What a parameter's value says of the page: ?view=category&id=8, ?a=list&cid=3.
_LIST_VALUES = frozenset("category categories list lists section archive archives tag tags index author".split())
# What says that a program shows one thing by its number: ?m=content&c=index&a=show&catid=6&id=12.
_SHOWS = re.compile(r"(?:\A|&)(?:a|act|action|do|op|view)=(?:show|detail|details|read|view|article)(?:&|\Z)", re.I)
# What WordPress calls a post at its front page until it is told to write names: /?p=1373, /index.php?p=1373.
_AT_FRONT, _FRONT = "p", re.compile(r"/(?:index\.\w{3,5})?\Z")
_NOT_PAGES = re.compile(
    r"\.(?:jpe?g|png|gif|webp|svg|ico|css|js|mp[34]|m4[av]|avi|mov|zip|gz|rar|exe|apk|dmg|xml|rss|json)\Z", re.I
)
_MANY = 4


@lru_cache(maxsize=8192)
def shape(url: str) -> str:
    """The shape of a URL, such as ``www.example.com/news/<Y>/<M>/<slug>.html?id=<n>``.

    Numbers become ``<n>`` (runs of one or two digits, such as page numbers, ``<d>``), dates ``<Y>``, ``<M>``,
    ``<date>``, hyphenated or long words ``<slug>``, hexadecimal names ``<hex>``; short words stay.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return "<invalid>"
    segments = [s for s in unquote(parts.path).split("/") if s]
    shaped: list[str] = []
    for i, segment in enumerate(segments):
        previous = shaped[-1] if shaped else ""
        shaped.append(_segment(segment, previous, last=i == len(segments) - 1))
    path = "/" + "/".join(shaped) + ("/" if parts.path.endswith("/") and shaped else "")
    asked = parse_qsl(parts.query, keep_blank_values=True)[:6]
    # A name without a value may be the page's, as SPIP has them: spip.php?article1373 beside spip.php?auteur5.
    query = sorted({f"{k}={_segment(v, '', last=True)}" if v else _segment(k, "", last=True) for k, v in asked})
    return (parts.hostname or "").lower() + path + ("?" + "&".join(query) if query else "")


def _segment(segment: str, previous: str, *, last: bool) -> str:
    if _YEAR.match(segment):
        return "<Y>"
    if _DATE8.match(segment) or _DATE_DASHED.match(segment):
        return "<date>"
    if previous in ("<Y>", "<M>") and segment.isdigit() and len(segment) <= 2:
        return "<M>" if previous == "<Y>" else "<D>"
    stem, dot, extension = segment.rpartition(".")
    if not dot or not extension.isalnum() or len(extension) > 5 or extension.isdigit():
        stem, dot, extension = segment, "", ""
    return _stem(stem, last=last) + dot + extension.lower()


def _stem(stem: str, *, last: bool) -> str:
    if stem.isdigit():
        return "<d>" if len(stem) <= 2 else "<n>"
    if (_HEX.match(stem) and any(c.isdigit() for c in stem)) or _SHORT_HEX.match(stem) or _is_made_up(stem):
        return "<hex>"
    words = _WORDS.findall(stem)
    numbers = _ID_RUN.findall(stem)
    if len(words) >= 4 or (last and (len(words) == 3 or len(stem) >= 24)) or any(ord(c) > 0x2E80 for c in stem):
        return "<slug>"
    if numbers:
        return _ID_RUN.sub(lambda m: "<d>" if len(m[0]) <= 2 else "<n>", stem.lower())
    return stem.lower()


def _is_made_up(stem: str) -> bool:
    """Whether letters and digits follow each other as in a name that a machine draws."""
    turns = len(_TURN.findall(stem))
    if _SHORTER_HEX.match(stem):
        return turns >= _LEAST_HEX_TURNS
    return bool(_NAME.match(stem)) and not _COUNTED.search(stem) and turns >= _LEAST_TURNS


@lru_cache(maxsize=8192)
def looks_like_article(url: str) -> float:
    """How much a URL of a site never seen looks like an article's: 0 (a section) to 1 (dated, numbered, a slug)."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return 0.0
    is_page = parts.scheme in ("http", "https") and not _NOT_PAGES.search(parts.path)
    if not is_page or prints(parts.query) or is_about_wiki(url):
        return 0.0
    # Of Chinese in UTF-8 the escapes look like words and numbers; what is no UTF-8 stays as it is.
    spelled = unquote(parts.path) if "%" in parts.path else parts.path
    path, asked = parts.path if "\ufffd" in spelled else spelled, _Asked()
    if parts.query.startswith("/"):  # some systems put the path behind the question mark
        path = path.rpartition("/")[0] + parts.query.partition("&")[0]
    elif parts.query:
        asked = _asked(parts.query, path)
    segments = [s for s in path.lower().split("/") if s]
    if not segments and not parts.query:
        return 0.02
    score = 0.25 + 0.08 * min(len(segments), 4)
    if asked.name and (segments or asked.at_front) and "".join(segments[-1:]).partition(".")[0] not in _LISTING:
        # an identity in the query stands for the name: /index.jsp?storyID=331739, /article.cfm?id=new-bridge-opens
        segments[-1:] = [asked.name.lower()]
        score += 0.15
    last = segments[-1] if segments else ""
    words = _words_in(last.rpartition(".")[0] or last)
    number = max((len(n) for n in _ID_RUN.findall(path + "?" + parts.query)), default=0)
    score += _for_its_name(last, shape(url).partition("/")[2], words, number)
    score -= _for_its_words(segments, asked, words, number)
    numbered = last.isdigit() and len(last) > 2 and not _YEAR.match(last)
    if path.endswith("/") and words < 3 and number < 5 and not numbered:
        score -= 0.2
    if len(segments) <= 1 and words < 3 and number < 4 and not asked.name:
        score -= 0.25
    return min(1.0, max(0.02, score))


class _Asked(NamedTuple):
    """What a query says: the name of one article, or "", the values that name none, and whether it asks for a list."""

    name: str = ""
    at_front: bool = False
    values: frozenset[str] = frozenset()
    aside: bool = False


def _asked(query: str, path: str) -> _Asked:
    pairs = parse_qsl(query)[:6]
    keys = ID_KEYS | {_AT_FRONT} if len(pairs) == 1 and _FRONT.match(path) else ID_KEYS
    shows = _SHOWS.search(query) is not None
    name = next((v for k, v in pairs if k.lower() in keys and (len(v) > 2 or shows)), "")
    values = frozenset[str]() if shows and name else frozenset(v.lower() for _, v in pairs)
    return _Asked(name, bool(pairs) and pairs[0][0] == _AT_FRONT, values, asks_aside(pairs))


def _for_its_name(last: str, shaped: str, words: int, number: int) -> float:
    """What a date, a number of so many digits and a headline of so many words in an address count for an article."""
    score = 0.25 if "<Y>" in shaped or "<date>" in shaped else 0.0
    score += 0.2 if number >= 5 or _MADE_UP.search(shaped) else 0.1 if number >= 3 else 0.0
    score += 0.3 if words >= 4 else 0.15 if words == 3 else 0.0
    return score + (0.1 if _PLAIN_PAGE.search(last) and number >= 3 else 0.0)


def _for_its_words(segments: list[str], asked: _Asked, words: int, number: int) -> float:
    """What folders, names and values that are those of lists count against an article."""
    last = segments[-1] if segments else ""
    folders = set(segments[:-1] if number >= 5 or words >= 3 else segments)
    is_list = folders & _LIST_WORDS or asked.values & _LIST_VALUES or last.partition(".")[0] in _LIST_WORDS
    is_of_writer = words <= _MOST_NAMES and number < 5 and not _WRITERS.isdisjoint(segments[-2:])
    return 0.35 * (bool(is_list) + bool(asked.aside or _NUMBERED_LIST.match(last)) + is_of_writer)


def is_one_of_many(url: str, others: Iterable[str]) -> bool:
    """Whether at least four other addresses are of the same shape, which has a number, a date or a headline."""
    own = of_any_number(shape(url))
    alike = (other for other in others if other != url and of_any_number(shape(other)) == own)
    return "<" in own and len([*islice(alike, _MANY)]) == _MANY


def _words_in(name: str) -> int:
    """The words of a name; of Chinese two characters are one."""
    return max(len(_WORDS.findall(name)), sum(ch >= "\u2e80" for ch in name) // 2)


def of_any_number(shaped: str) -> str:
    """A shape in which short numbers are as long ones: the article behind /archives/99 is /archives/100."""
    return shaped.replace("<d>", "<n>")


def general_shape(url: str) -> str:
    """The shape of an address without the names of its folders."""
    return generalised(shape(url))


def generalised(shaped: str) -> str:
    """A shape without the names of its folders, so that a section never seen shares what its sisters taught."""
    host, _, rest = shaped.partition("/")
    path, _, query = rest.partition("?")
    *folders, last = path.split("/")
    kept = ["*" if f and "<" not in f else f for f in folders]
    return host + "/" + "/".join([*kept, last]) + ("?" + query if query else "")
