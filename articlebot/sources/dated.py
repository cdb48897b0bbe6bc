"""Addresses of date archives: pages that list what a site published in a year, a month, a day or an issue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from articlebot.extraction.fields.date_words import MONTHS, unaccented
from articlebot.extraction.urlshape import shape

# The date is what the address ends in, but for a file that stands for the folder, or a section of an e-paper. A date
# at the end of other words is an article's.
# A section of an e-paper's day: node_2.htm, node_A03.html, nbs.D110000renmrb_02.htm, A04.htm; A04/default.htm. The list
# of a day may stand beside a folder of its articles: /202611/24c.htm.
_SECTION = r"(?:(?:node|layout|nbs\.\w{1,20})_[A-Z]?\d{1,4}|[A-D]\d\d)"
_PATH = re.compile(
    r"(?:/|/(?:(?:news-)?(?P<word>index|list|archives?|date|day)[_-]?|news[_-]))(?P<y>(?:19|20)\d\d)(?:(?:[/_-](?P<m>0?[1-9]|1[0-2])(?:[/_-](?P<d>0?[1-9]|[12]\d|3[01]))?)|/(?P<mo>0[1-9]|1[0-2])(?P<da>0[1-9]|[12]\d|3[01])|"
    rf"(?P<mm>0[1-9]|1[0-2])(?:(?P<dd>0[1-9]|[12]\d|3[01])|/(?P<below>0[1-9]|[12]\d|3[01])(?:(?=/{_SECTION})|[a-z](?=\.s?html?\Z)))?)?"
    rf"(?:/|/(?:(?:(?P<layout>[A-D]\d\d)/)?(?:index|default)|list|archive|all|news|roll|date|maillist|(?P<section>{_SECTION}))(?:\.\w{{2,5}})?|"
    r"(?:-[01])?\.(?:s?html?|php|aspx?|jsp))?\Z"
)
# An issue of a magazine: /issues/no-41, /issue/12, /magazine/vol-3/no-2, /issues/march-2024, /issue/winter-2023,
# /edicao/214, /numer/7, /utgave-12, /v48/n22, and /CN/Y2026/V45/I11 of Magtech, which many Chinese journals have.
_ISSUE = re.compile(
    r"/(?:Y(?P<of>(?:19|20)\d\d)(?:/V\d{1,3})?/I(?P<no>\d{1,3})|(?:v(?:ol(?:ume)?)?[._-]?(?P<volume>\d{1,3})/(?:issue|num|no?|nr)|"
    r"(?:(?:back[_-])?issues?|[eé]ditions?|ausgaben?|hefte?|n[uú]m[eé]ros?|edici(?:ones|[oó]n)|edi[cç](?:[aã]o|[oõ]es)|edizion[ei]|"
    r"fascicol[io]|uitgaven?|numm?er(?:s|y)?|utgav(?:a|e|or|er)|udgave[r]?|wydani[ae]|vyd[aá]n[ií]|[cč][ií]slo|szam|sayi)[/_-]?(?:no|nr|num|issue|edition)?)"
    r"[._-]?(?P<number>\d{1,4})|"
    r"(?:(?:back[_-])?issues?|editions?|archives?)/(?P<season>[a-z]{3,9})[_-](?P<year>(?:19|20)\d\d))"
    r"(?:/|/index\.\w{2,5}|\.(?:s?html?|php|aspx?))?\Z",
    re.I,
)
_ISSUE_QUERY = re.compile(
    r"(?:(?:vol(?:ume)?|year|nian)=(?P<volume>\d{1,4})&)?(?:issue|edition|ausgabe|heft|numero|qishu|qi|qici)(?:_?(?:no|nr|id|number))?=(?P<number>\d{1,5})",
    re.I,
)
# A month by its name in any language: /archives/01-novembre-2026.html, /archiv/maerz-2026, /2026/nov/03, and as
# archives of mailing lists have it: /2026-November/date.html.
_NAMED = re.compile(
    r"/(?:(?:(?P<d>\d{1,2})[_-])?(?P<name>[a-z]{3,10})[_-](?P<y>20\d\d)|"
    r"(?P<yy>20\d\d)(?:/|-(?=[a-z]{3,10}/date\b))(?P<below>[a-z]{3,10})(?:/(?P<dd>\d{1,2}))?)(?:/|/all|(?:/date)?\.(?:s?html?|php|aspx?))?\Z"
)
SEASONS = {"winter": 1, "spring": 4, "summer": 7, "autumn": 10, "fall": 10} | {
    name: number + 1
    for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())
}  # fmt: skip
_QUERY = re.compile(
    r"(?:\A|&)(?:\w{0,20}(?:date|day|datum|fecha|jour|month|archive)|d|m|ym|my|period|yue|yuefen|riqi|rq|data|dia|mes|mese|mois|monat|maand|m[aå]nad|m[aå]ned|miesiac|mesic)=(?P<y>(?:19|20)\d\d)[-/]?(?P<m>0[1-9]|1[0-2])(?:[-/]?(?P<d>[0-3]\d))?"
    r"(?:&|\Z)"
)
# A day by itself is one under any name but of what a list goes on from; so are a year and a month.
_ASKED_DAY = re.compile(
    r"(?!(?:to|from|before|after|since|until|max\w*|start|end)=)\w{1,20}=(?P<y>20\d\d)[-/](?P<m>0?[1-9]|1[0-2])[-/](?P<d>0?[1-9]|[12]\d|3[01])"
)
_ASKED_MONTH = re.compile(
    r"(?:[^&=]{1,20}=[^&=]{0,20}&){0,3}(?:y|year|nian|jahr|anno|annee|ano|anio|rok|jaar|ar|aar)=(?P<y>20\d\d)&"
    r"(?:m|month|yue|monat|mes|mois|mese|maand|miesiac|manad|maned)=(?P<m>0?[1-9]|1[0-2])"
    r"(?:&(?:d|day|ri|tag|dia|jour|giorno|dag|dzien)=(?P<d>0?[1-9]|[12]\d|3[01]))?"
    r"(?:&[^&=]{1,20}=[A-Za-z]{1,20})?", re.I,
)  # fmt: skip
_ASKED_MONTH_FIRST = re.compile(
    r"(?:(?:d|day|tag|dia|jour)=(?P<d>0?[1-9]|[12]\d|3[01])&)?(?:m|month|monat|mes|mois|mese)=(?P<m>0?[1-9]|1[0-2])&"
    r"(?:y|year|jahr|anno|annee|ano)=(?P<y>20\d\d)", re.I,
)  # fmt: skip
_ASKED_YEAR = re.compile(r"(?:y|year|jahr|anno|annee|ano|rok)=(?P<y>20\d\d)", re.I)
# What a form is sent with by POST (``pagers.pressed_in``).
_OF_FORM = re.compile(r"__POSTED=([\w.-]{1,40}):")
# A bare year or six digits are as often a number: believed at the top, below such a word, or six digits behind one.
# Below a year nothing is: /2026/11/13/2019.htm is the article 2019 of a day.
_TOP = re.compile(
    r"(?:/(?:archiv(?:es?|os?|io)?|archief|hemeroteca|past|history|date|dates|days|list|index|site-?map))?", re.I
)
# So is a year below a folder of what public bodies and firms tell: /presse/communiques-de-presse/2026.
_PRESS = re.compile(
    r"/(?=[^/]*(?:press|prensa|stampa|imprensa|communiqu|comunicad|comunicat|mitteilung|meldung|release|aktuell|actualit|"
    r"announce|bulletin|newsletter))[^/]{1,60}\Z", re.I
)  # fmt: skip
_SIX_DIGITS = re.compile(r"/(\d{6})(?:/|\.\w{2,5})?\Z")
_FOUR_DIGITS = re.compile(r"/20\d\d/(\d{4})\.\w{2,5}\Z")
_BARE = re.compile(r"/(?:(?:19|20)\d\d|\d{6})(?:/|\Z)")
_YEAR = re.compile(r"/(?:19|20)\d\d(?:[/_-]|\Z)")
# A year anywhere else is one where the page links to what lies in a month: /news/2026/ beside /news/2026/nov/28/fire.
_SOME_YEAR = re.compile(r"/(20\d\d)/?\Z")
_IN_MONTH = re.compile(r"/20\d\d/(?:0[1-9]|1[0-2]|(?P<name>[a-z]{3,9}))(?=/|\Z)", re.I)
# The list of a day; where they have several letters they are its articles: /202611/24a.html, /202611/24b.html.
_LETTERED = re.compile(r"/\d{6}/\d\d([a-z])\.s?html?\Z")
_LAST_YEAR, _LAST_DAY, _LEAST_MONTHS = 2100, 31, 3
_ISSUES = (1, 3, 7)  # days between the issues of a paper
_NEWEST = 2  # archives of which lists may show all


class Dated(NamedTuple):
    """A date archive: month and day are 0 where it is of a whole year or month, the year where an issue has a number.

    ``rank`` orders those of one time: an issue's number; below zero, the sections of a day's e-paper.
    """

    year: int
    month: int
    day: int
    url: str
    rank: int = 0

    @property
    def ends(self) -> tuple[int, int, int]:
        """The last day it may speak of; what is newer sorts higher."""
        return self.year, self.month or 13, self.day or 32

    @property
    def order(self) -> tuple[tuple[int, int, int], int]:
        """What is newer sorts higher, and the first section of a day before the others."""
        return self.ends, self.rank

    def holds(self, other: Dated) -> bool:
        """Whether another archive is of a part of its time."""
        return (
            self.year > 0
            and self.year == other.year
            and (not self.month or (self.month == other.month and not self.day))
        )


def dated(url: str) -> Dated | None:
    """The archive that an address names, None where it names none (an article's address goes on after the date)."""
    parts = urlsplit(url)
    if query := _OF_FORM.sub(r"\1=", unquote(parts.query)):
        # Before what is chosen in a form stands what it hides.
        chosen = query.rpartition("&")[2] if _OF_FORM.match(parts.query) else query
        asked = _ASKED_DAY.fullmatch(chosen) or _ASKED_MONTH.fullmatch(query) or _ASKED_MONTH_FIRST.fullmatch(query)
        asked = asked or _ASKED_YEAR.fullmatch(query)
        match = _QUERY.search(query) or asked
    else:
        match = _PATH.search(parts.path)
    if match is None:
        return _named(parts.path, url) or _issue(parts.path, url) if not parts.query else _asked_issue(parts.query, url)
    groups = match.groupdict()
    month = int(groups.get("m") or groups.get("mm") or groups.get("mo") or 0)
    day = int(groups.get("d") or groups.get("dd") or groups.get("below") or groups.get("da") or 0)
    above = parts.path[: match.start()] if not parts.query else ""
    if int(groups["y"]) >= _LAST_YEAR or _YEAR.search(above):
        return None
    is_bare = (not month and not parts.query) or (groups.get("mm") and not day and not groups.get("word"))
    if (
        is_bare
        and not (_TOP.fullmatch(above) and _BARE.match(parts.path, match.start()))
        and (month or not _PRESS.search(above))
    ):
        return None
    section = re.search(r"([A-Z]?)(\d{1,4})\Z", groups.get("section") or groups.get("layout") or "")
    rank = 0 if section is None else -(100 * (ord(section[1] or "@") - 64) + int(section[2])) - 1
    return Dated(int(groups["y"]), month, day, url, rank)


def _named(path: str, url: str) -> Dated | None:
    """The archive of a month that a path calls by its name, or of a day in it."""
    match = _NAMED.search(unaccented(unquote(path)).lower())
    month = MONTHS.get(match["name"] or match["below"]) if match else None
    above = match.string[: match.start()] if match else ""
    if match is None or not month or not (match["yy"] or match["d"] or _TOP.fullmatch(above) or _is_of_year(match)):
        return None
    day = int(match["d"] or match["dd"] or 0)
    return Dated(int(match["y"] or match["yy"]), month, day, url) if day <= _LAST_DAY else None


def _is_of_year(match: re.Match[str]) -> bool:
    """Whether a month stands below the year that it names: /2026/november-2026."""
    return match["y"] is not None and match.string[: match.start()].endswith("/" + match["y"])


def _issue(path: str, url: str) -> Dated | None:
    """The issue of a magazine that a path names."""
    match = _ISSUE.search(unquote(path))
    if match is None:
        return None
    if number := match["no"] or match["number"]:
        return Dated(0, 0, 0, url, 10_000 * int(match["of"] or match["volume"] or 0) + int(number))
    season = match["season"].lower()
    month = SEASONS.get(season) or SEASONS.get(season[:3])
    return Dated(int(match["year"]), month, 0, url) if month else None


def _asked_issue(query: str, url: str) -> Dated | None:
    """The issue of a magazine that a query asks for, and nothing else."""
    match = _ISSUE_QUERY.fullmatch(query)
    return Dated(0, 0, 0, url, 10_000 * int(match["volume"] or 0) + int(match["number"])) if match else None


def days_before(url: str) -> list[str]:
    """The same section of an e-paper's earlier issues, by its address: of yesterday, Friday, last week."""
    own = dated(url)
    if own is None or not (own.day and own.rank < 0):
        return []
    now = datetime(own.year, own.month, own.day, tzinfo=UTC)
    form = next((f"%Y{a}%m{b}%d" for a, b in product(("", "-", "/"), repeat=2) if f"{now:%Y{a}%m{b}%d}" in url), None)
    before = [now - timedelta(days=days) for days in _ISSUES]
    return [url.replace(f"{now:{form}}", f"{day:{form}}") for day in before] if form else []


def is_like(url: str, other: str) -> bool:
    """Whether two archives are of one sort: the same page, asked for other days, or the same folder."""
    return shape(url) == shape(other)


_ADDRESS = re.compile(r"[/_-]((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])(?:[/_-]?(0[1-9]|[12]\d|3[01]))?(?=[/_.-])")


def time_in(url: str) -> float | None:
    """The date in an article's address, its end in epoch seconds and UTC; None where it names none."""
    match = _ADDRESS.search(urlsplit(url).path)
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[2]), match[3]
    ends = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    try:
        return (datetime(year, month, int(day), 23, 59, tzinfo=UTC) if day else ends).timestamp()
    except ValueError:
        return ends.timestamp()


def archives(urls: Iterable[str], at: float | None = None) -> list[Dated]:
    """The archives among some addresses, the newest first, each once.

    Where six digits beside them are no month, all are numbers: /archives/201410 beside /archives/202274. So are four
    below a year that are no day: /news/2026/1102.html beside /news/2026/1334.html. Anywhere else
    they are months where three or more stand in a row with the newest: /news/202611.html, /news/202610.html.

    Args:
        at: when the page that names them was fetched, epoch seconds.
    """
    urls = list(urls)
    lettered = {url: match[1] for url in urls if (match := _LETTERED.search(url))}
    urls = [url for url in urls if url not in lettered] if len({*lettered.values()}) > 1 else urls
    months = {url: match for url in urls if (match := _SIX_DIGITS.search(url))}
    years = _years(urls, at)
    numbered = {url[: match.start(1)] for url, match in months.items() if dated(url) is None}
    below = {url: match.start(1) for url in urls if (match := _FOUR_DIGITS.search(url))}
    no_days = {url[:start] for url, start in below.items() if dated(url) is None}
    urls = [url for url in urls if url not in below or url[: below[url]] not in no_days]
    found = {
        url: one for url in urls
        if (url not in months or url[: months[url].start(1)] not in numbered) and (one := dated(url)) is not None
    }  # fmt: skip
    newest = {f"{datetime.fromtimestamp(at - days * 86_400, UTC):%Y%m}" for days in (0, 31)} if at else set()
    for stem in numbered if newest else ():
        told = {url: match[1] for url, match in months.items() if url[: match.start(1)] == stem}
        if (
            len(told) >= _LEAST_MONTHS
            and max(told.values()) in newest
            and all("01" <= n[4:] < "13" for n in told.values())
        ):
            found |= {url: by_number(url) for url in told}
    return sorted((years | found).values(), key=lambda one: one.order, reverse=True)


def told_before(urls: Iterable[str]) -> list[Dated]:
    """Archives that were told where they were named, the newest first: what stood beside them need not be here."""
    return sorted((dated(url) or by_number(url) for url in urls), key=lambda one: one.order, reverse=True)


def by_number(url: str) -> Dated:
    """What an address is of that is one by what stands beside it: /news/2026/, /news/202611.html, /qikan/2026/22/."""
    if match := _SIX_DIGITS.search(url) or _SOME_YEAR.search(url):
        return Dated(int(match[1][:4]), int(match[1][4:] or 0), 0, url)
    return Dated(0, 0, 0, url, int("0" + "".join(n[-6:].zfill(6) for n in re.findall(r"\d+", url)[-2:])))


def _years(urls: Sequence[str], at: float | None) -> dict[str, Dated]:
    """The archives of years in folders where addresses are filed by year and month; none where a year lies ahead."""
    told = {url: match for url in urls if (match := _SOME_YEAR.search(url))}
    months = ((url, match) for url in urls for match in _IN_MONTH.finditer(url)) if told else ()
    filed = {url[: match.start()] for url, match in months if not match["name"] or match["name"].lower() in MONTHS}
    newest = datetime.fromtimestamp(at, UTC).year if at else _LAST_YEAR
    filed -= {url[: match.start()] for url, match in told.items() if int(match[1]) > newest}
    return {
        url: by_number(url) for url, match in told.items() if url[: match.start()] in filed
    }  # fmt: skip


def telling(days: Iterable[Dated]) -> list[Dated]:
    """The archives that tell best whether archives lead further back, which are asked in this order.

    Lists of the newest may name all that the newest days do, and the oldest may be empty: one between them is not. Of
    those that sections have for the same day, one.
    """
    ordered = sorted(days, key=lambda one: one.order)
    times = [*{(one.ends, max(one.rank, 0)): one for one in ordered}.values()][::-1]
    return [*dict.fromkeys((*times[:_NEWEST], *times[-1:], *times[len(times) // 2 :][:1]))]


def is_index(url: str, found: Sequence[Dated]) -> bool:
    """Whether a page leads to archives by its own address: a folder to its years, /list.htm to /list-2026-11-23.htm."""
    stem, _, form = url.rpartition(".")
    if "/" not in form:
        return any(one.url.startswith(stem) for one in found)
    folder = url.rstrip("/") + "/"
    return any(one.url.startswith(folder) and not one.day for one in found)
