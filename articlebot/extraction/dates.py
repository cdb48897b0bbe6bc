"""When an article was published and changed: every form a page states it in, and how far each can be trusted."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from lxml import etree

from articlebot.extraction.generic.blocks import Block
from articlebot.extraction.metadata import article_nodes
from articlebot.extraction.page import Page

Headline = Callable[[], "int | None"]

_EARLIEST_YEAR = 1990
_FUTURE_SLACK_S = 36 * 3600.0  # zones differ by up to a day, clocks by a little
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan januar janvier enero gennaio january januari janeiro",
            "feb februar février fevrier febrero febbraio february februari fevereiro fév",
            "mar märz maerz mars marzo march maart março mär",
            "apr april avril abril aprile avr abr",
            "may mai mayo maggio mei maio",
            "jun juni juin junio giugno june junho",
            "jul juli juillet julio luglio july julho",
            "aug august août aout agosto augustus ago",
            "sep sept september septembre septiembre settembre setembro",
            "oct october oktober octobre octubre ottobre outubro okt",
            "nov november novembre noviembre novembro",
            "dec december dezember décembre diciembre dicembre dezembro dez déc dic",
        ),
        1,
    )
    for name in names.split()
}
_ZONES = {
    "utc": 0, "gmt": 0, "z": 0, "bst": 60, "cet": 60, "mez": 60, "cest": 120, "mesz": 120, "est": -300, "et": -300, "edt": -240,
    "cst": -360, "ct": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pt": -480, "pdt": -420, "ist": 330, "jst": 540,
    "kst": 540, "hkt": 480, "sgt": 480, "aest": 600, "aedt": 660, "msk": 180, "北京时间": 480,
}  # fmt: skip
_CHINA_MINUTES = 480

_CLOCK = (
    r"(?:[T,，]?[\s|·–—-]*(?:at|um|à|kl\.?|o'clock|星期.|周.|\([^)]{1,6}\))*[\s|·–—-]*(?P<half>上午|下午|晚上|中午|凌晨|早上)?\s*"
    r"(?P<hour>\d{1,2})\s*(?:[:：.时時点點h](?!\d{3})|(?=\s*(?i:[ap]\.?m)))\s*(?P<minute>\d{2})?(?:\s*[:：分]\s*(?P<second>\d{2})(?:\.\d{1,9})?)?\s*[分秒]?"
    r"\s*(?P<ampm>(?i:[ap]\.?\s?m\b\.?))?\s*(?P<zone>[+-]\d{2}:?\d{2}\b|Z\b|\(?(?:UTC|GMT)?[+-]\d{1,2}\b|\(?[A-Z]{2,4}\b|北京时间)?)?"
)
_NAME = r"(?P<month>[A-Za-zûéäç]{3,10})\.?"
_YMD = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})\s*(?P<sep>[-/.年])\s*(?P<month>\d{1,2})\s*[-/.月]\s*(?P<day>\d{1,2})(?!\d)\s*[日号號]?"
    + _CLOCK
)
_COMPACT = re.compile(
    r"(?<!\d)(?P<year>20\d{2})(?P<month>[01]\d)(?P<day>[0-3]\d)(?:T?(?P<hour>[0-2]\d)(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?)?(?!\d)"
)
_MDY = re.compile(rf"\b{_NAME}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s+(?P<year>(?:19|20)\d{{2}})\b" + _CLOCK)
_DMY = re.compile(
    rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?[\s-]+(?:de\s+|of\s+)?{_NAME}[\s,-]+(?:de\s+)?(?P<year>(?:19|20)\d{{2}})\b"
    + _CLOCK
)
_NUMERIC = re.compile(
    r"(?<![\d/.])(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<year>(?:19|20)\d{2})(?!\d)" + _CLOCK
)
_MONTH_DAY = re.compile(r"(?<!\d)(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号號]?" + _CLOCK)
_AGO = re.compile(
    r"(?P<count>\d{1,3}|an?|one)\s*(?P<unit>秒|分钟|分鐘|小时|小時|个小时|天|日|周|个月|sec(?:ond)?s?|min(?:ute)?s?|hrs?|hours?|days?|weeks?|months?)\s*(?:之?前|ago)",
    re.I,
)
_DAY_WORD = re.compile(r"(?P<word>今天|今日|昨天|昨日|前天|\btoday\b|\byesterday\b)" + _CLOCK, re.I)
_JUST_NOW = re.compile(r"刚刚|剛剛|just now", re.I)
_UNITS = {
    "秒": 1,
    "s": 1,
    "分": 60,
    "m": 60,
    "小": 3600,
    "个": 3600,
    "h": 3600,
    "天": 86400,
    "日": 86400,
    "d": 86400,
    "周": 604800,
    "w": 604800,
}

_PUBLISHED_META = (
    "article:published_time", "datepublished", "og:published_time", "pubdate", "publishdate", "publish_date", "article.published",
    "dc.date.issued", "dcterms.created", "dc.date", "dcterms.date", "date", "parsely-pub-date", "sailthru.date", "publication_date",
    "og:pubdate", "article:create_at", "bt:pubdate", "cxenseparse:recs:publishtime", "originalpublicationdate", "weibo: article:create_at",
    "weibo:article:create_at", "firstpublished", "publish-date", "article_date_original", "rnews:datepublished", "dc.date.created",
    "_pubtime", "release_date", "published_time", "og:release_date", "displaydate", "created", "last-modified",
)  # fmt: skip
_STATED = frozenset({"jsonld", "meta", "time"})
_MODIFIED_META = (
    "article:modified_time",
    "og:updated_time",
    "datemodified",
    "dcterms.modified",
    "lastmod",
    "last-modified",
    "article:update_at",
    "weibo:article:update_at",
)
_URL_DATE = re.compile(
    r"/((?:19|20)\d{2})[-/_]?(0[1-9]|1[0-2]|[1-9](?=/))[-/_]?(0[1-9]|[12]\d|3[01]|[1-9](?=/))(?!\d)|/(20\d{2})-(\d{1,2})/(\d{1,2})/"
)
# A number that begins with a day, as sites build them: A2026012914320005196, t20240501_123.
_URL_NUMBER = re.compile(r"[/_=-][A-Za-z]{0,4}(20[012]\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:\d{4,}|[_.-]|\Z)")
_TIMES: Any = etree.XPath(
    "descendant::*[self::time or ((self::abbr or self::span or self::meta) and "
    "(@data-timestamp or contains(@itemprop,'ate') or contains(@itemprop,'ATE') or contains(@class,'published')))]"
)
_MAX_TIMES = 2000
_TIME_NAMES = re.compile(r"date|time|publish|posted|meta|info|byline|timestamp|source|laiyuan|riqi|shijian")
_UPDATED = re.compile(r"updat|modif|更新|修改|aktualis|mis à jour|last", re.I)


class Stamp(NamedTuple):
    """A point in time as a page states it: ISO 8601 (with a zone where stated; a day alone without time) and epoch seconds."""

    iso: str
    epoch: float


class Dates(NamedTuple):
    """What is known of an article's times, with the rule that gave the first.

    Attributes:
        future: what the page states for its publication lies after its fetching and was refused.
    """

    published: Stamp | None
    modified: Stamp | None
    rule: str
    confidence: float
    future: bool = False


def dates_of(page: Page, body: Sequence[Block], language: str | None, headline: Headline | None = None) -> Dates:
    """The times of the article whose body are these blocks. A date after ``page.fetched_at`` is refused.

    Args:
        headline: gives the index of the headline's block, None where unknown; the line below it is the likeliest dateline.
    """
    reader = _Reader(page.fetched_at, chinese=language == "zh", day_first=language not in {None, "en"})
    modified = next((stamp for text in _modified(page) if (stamp := reader.read(text))), None)
    future = False
    for rule, confidence, texts in _sources(page, body, headline):
        reader.future = False
        for text in texts:
            stamp = reader.read(text)
            if stamp is not None:
                whole = _with_time(stamp, page, body, reader, headline)
                return Dates(whole, modified, rule, confidence, future)
        future = future or (reader.future and rule in _STATED)
    return Dates(None, modified, "none", 0.0, future)


def _sources(page: Page, body: Sequence[Block], headline: Headline | None) -> Iterator[tuple[str, float, list[str]]]:
    yield (
        "jsonld",
        0.97,
        [
            value
            for node in article_nodes(page.jsonld)
            for key in ("datePublished", "dateCreated")
            if isinstance(value := node.get(key), str)
        ],
    )
    found = _PUBLISHED_META[:-1]
    yield "meta", 0.95, [value for key in found for value in page.meta.get(key, ())]
    yield "time", 0.9, list(_time_elements(page))
    yield "dateline", 0.85, _datelines(page, body, headline)
    yield "url", 0.8, [_from_url(page.url)]
    yield "text", 0.5, [block.text[:200] for block in page.blocks if len(block.text) < 80][:400]
    yield "meta", 0.4, page.meta.get("last-modified", []) + page.meta.get("article:modified_time", [])


def _modified(page: Page) -> Iterator[str]:
    for node in article_nodes(page.jsonld):
        if isinstance(value := node.get("dateModified"), str):
            yield value
    for key in _MODIFIED_META:
        yield from page.meta.get(key, ())


def _time_elements(page: Page) -> Iterator[str]:
    """Values of time elements and of what is marked as date of publication, those of the article first."""
    if page.tree is None:
        return
    later: list[str] = []
    for element in _TIMES(page.tree)[:_MAX_TIMES]:
        prop = (element.get("itemprop") or "").lower()
        if (
            element.tag != "time"
            and "date" not in prop
            and not element.get("data-timestamp")
            and "published" not in (element.get("class") or "")
        ):
            continue
        text = (
            element.get("datetime")
            or element.get("content")
            or element.get("title")
            or " ".join("".join(map(str, element.itertext())).split())
        )
        marked = f"{prop} {element.get('class') or ''}".lower()
        if "modif" in marked or "updat" in marked:
            continue
        if (
            "datepublished" in prop
            or element.get("pubdate") is not None
            or "publish" in marked
            or "entry-date" in marked
        ):
            yield text
        elif element.tag == "time":
            later.append(text)
    yield from later[:10]


def _datelines(page: Page, body: Sequence[Block], headline: Headline | None) -> list[str]:
    """Short lines around the headline and the ends of the body, nearest to the headline first."""
    title_index = headline() if headline is not None else None
    if not body and title_index is None:
        return []
    first = body[0].index if body else title_index or 0
    anchor = title_index if title_index is not None and abs(title_index - first) < 60 else first
    last = body[-1].index if body else first
    lines = [
        block
        for block in page.blocks[max(0, min(anchor, first) - 8) : first + 3]
        if len(block.text) < 200 or block.index >= first
    ]
    lines.sort(key=lambda block: (_UPDATED.search(block.text[:40]) is not None, abs(block.index - anchor - 0.6)))
    return [block.text[:160] for block in lines] + [
        block.text[:160] for block in page.blocks[last : last + 4] if len(block.text) < 120
    ]


def _from_url(url: str) -> str:
    match = _URL_DATE.search(url) or _URL_NUMBER.search(url)
    return "-".join(part for part in match.groups() if part) if match else ""


def _with_time(stamp: Stamp, page: Page, body: Sequence[Block], reader: _Reader, headline: Headline | None) -> Stamp:
    """The stamp, or where it is a day alone a visible one of the same day that has the time."""
    if len(stamp.iso) > 10:
        return stamp
    for text in _datelines(page, body, headline):
        other = reader.read(text)
        if other is not None and len(other.iso) > 10 and other.iso[:10] == stamp.iso:
            return other
    return stamp


def read_date(text: str, *, fetched_at: float | None = None, chinese: bool = False) -> Stamp | None:
    """The first date in a text, None where there is none that can be.

    Args:
        fetched_at: epoch seconds; relative forms ("3小时前", "yesterday") need it, later dates are refused.
        chinese: a time without a zone is Chinese time when turned into epoch seconds.
    """
    return _Reader(fetched_at, chinese=chinese).read(text)


class _Reader:
    """Reads dates in one page's frame: its time of fetching, and its language's zone."""

    def __init__(self, fetched_at: float | None, *, chinese: bool, day_first: bool = False) -> None:
        self.day_first = day_first
        self.now = dt.datetime.fromtimestamp(fetched_at, dt.UTC) if fetched_at is not None else None
        self.local = dt.timezone(dt.timedelta(minutes=_CHINA_MINUTES)) if chinese else dt.UTC
        self.chinese = chinese
        self.future = False

    def read(self, text: str) -> Stamp | None:
        text = text.strip()[:400]
        if not text or not any(char.isdigit() or char in "今昨前刚剛jtyo" for char in text.lower()):
            return None
        if text.isdigit() and len(text) in {10, 13}:
            return self._checked(dt.datetime.fromtimestamp(int(text[:10]), dt.UTC), stated=True, timed=True)
        for pattern in (_YMD, _MDY, _DMY, _NUMERIC, _COMPACT):
            for match in pattern.finditer(text):
                stamp = self._absolute(match)
                if stamp is not None:
                    return stamp
        return self._relative(text) if self.now is not None else None

    def _absolute(self, match: re.Match[str]) -> Stamp | None:
        parts = match.groupdict()
        year = int(parts["year"])
        if "a" in parts:
            day, month = int(parts["a"]), int(parts["b"])
            if parts["sep"] == "/" and day <= 12 and (not self.day_first or month > 12):
                day, month = month, day
        else:
            name = parts["month"].lower()
            number = int(name) if name.isdigit() else _MONTHS.get(name) or _MONTHS.get(name[:3], 0)
            day, month = int(parts["day"]), number
        try:
            return self._at(dt.datetime(year, month, day), parts)  # noqa: DTZ001  the zone is added below where it is known
        except (ValueError, OverflowError):
            return None

    def _at(self, day: dt.datetime, parts: dict[str, str | None]) -> Stamp | None:
        hour_text = parts.get("hour")
        if hour_text is None or (parts.get("minute") is None and not parts.get("ampm") and not self.chinese):
            return self._checked(day, stated=False, timed=False)
        hour = int(hour_text)
        late = (parts.get("ampm") or "").lower().startswith("p") or parts.get("half") in {"下午", "晚上"}
        if late and hour < 12:
            hour += 12
        elif (parts.get("ampm") or "").lower().startswith("a") and hour == 12:
            hour = 0
        minute, second = int(parts.get("minute") or 0), int(parts.get("second") or 0)
        if hour > 23 or minute > 59 or second > 59:
            return self._checked(day, stated=False, timed=False)
        moment = day.replace(hour=hour, minute=minute, second=second)
        zone = self._zone(parts.get("zone"))
        return self._checked(moment.replace(tzinfo=zone), stated=zone is not None, timed=True)

    def _zone(self, name: str | None) -> dt.timezone | None:
        if not name:
            return None
        name = name.strip("() ").lower()
        if name == "cst" and self.chinese:
            return dt.timezone(dt.timedelta(minutes=_CHINA_MINUTES))
        digits = re.fullmatch(r"(?:utc|gmt)?([+-])(\d{1,2}):?(\d{2})?", name)
        if digits:
            minutes = int(digits[2]) * 60 + int(digits[3] or 0)
            return (
                dt.timezone(dt.timedelta(minutes=-minutes if digits[1] == "-" else minutes))
                if minutes < 15 * 60
                else None
            )
        return dt.timezone(dt.timedelta(minutes=_ZONES[name])) if name in _ZONES else None

    def _relative(self, text: str) -> Stamp | None:
        assert self.now is not None
        here = self.now.astimezone(self.local)
        if match := _AGO.search(text):
            count = int(match["count"]) if match["count"].isdigit() else 1
            unit = match["unit"].lower()
            months = unit.startswith(("month", "个月"))
            seconds = count * (2_592_000 if months else _UNITS[unit[0]])
            return self._checked(here - dt.timedelta(seconds=seconds), stated=True, timed=seconds < 86400)
        if match := _DAY_WORD.search(text):
            back = {"今": 0, "t": 0, "昨": 1, "y": 1, "前": 2}[match["word"][0].lower()]
            day = (here - dt.timedelta(days=back)).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
            return self._at(day, match.groupdict())
        if match := _MONTH_DAY.search(text):
            for year in (here.year, here.year - 1):
                try:
                    day = dt.datetime(year, int(match["month"]), int(match["day"]))  # noqa: DTZ001
                except ValueError:
                    return None
                stamp = self._at(day, match.groupdict())
                if stamp is not None:
                    return stamp
        return self._checked(here, stated=True, timed=True) if _JUST_NOW.search(text) else None

    def _checked(self, moment: dt.datetime, *, stated: bool, timed: bool) -> Stamp | None:
        if moment.year < _EARLIEST_YEAR:
            return None
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=self.local if timed else dt.UTC)
        if self.now is not None and aware.timestamp() > self.now.timestamp() + _FUTURE_SLACK_S:
            self.future = True
            return None
        shown = moment if stated else moment.replace(tzinfo=None)
        return Stamp(shown.isoformat(timespec="seconds") if timed else shown.date().isoformat(), aware.timestamp())
