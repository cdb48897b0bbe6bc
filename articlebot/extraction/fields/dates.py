"""When an article was published and changed: every place that says it, and how far each can be trusted."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import urlsplit

from lxml import etree

from articlebot.extraction.fields.date_reader import UPDATED, DateReader, Stamp, day_first_in
from articlebot.extraction.fields.elapsed import lengths_ago
from articlebot.extraction.fields.info_line import without_date
from articlebot.extraction.fields.script_times import time_in_scripts, times_in_scripts
from articlebot.page.blocks import Block
from articlebot.page.metadata import article_nodes, types_of
from articlebot.page.page import Page
from articlebot.text.zones import told_zone

Headline = Callable[[], "int | None"]

_PUBLISHED_META = (
    "article:published_time", "datepublished", "og:published_time", "pubdate", "publishdate", "publish_date", "article.published",
    "dc.date.issued", "dcterms.created", "dc.date", "dcterms.date", "date", "parsely-pub-date", "sailthru.date", "publication_date",
    "og:pubdate", "article:create_at", "bt:pubdate", "cxenseparse:recs:publishtime", "originalpublicationdate", "weibo: article:create_at",
    "weibo:article:create_at", "firstpublished", "publish-date", "article_date_original", "rnews:datepublished", "dc.date.created",
    "_pubtime", "release_date", "published_time", "og:release_date", "displaydate", "created",
    "citation_publication_date", "citation_online_date", "citation_date",
)  # fmt: skip
# Names that content systems make up for the same: "published", "w-published-date", "govuk:first-published-at".
_PUBLISHED_NAME = re.compile(
    r"(?:[a-z]{1,12}[-_.:])?(?:first[-_.]?)?(?:published|publish(?:ed)?[-_.]?(?:date|time|at|on)|publication[-_.]?(?:date|time))"
)
_BY_MACHINES = frozenset({"jsonld", "meta"})
_STATED = _BY_MACHINES | {"time"}
_MODIFIED_META = (
    "article:modified_time", "og:updated_time", "datemodified", "dcterms.modified", "lastmod", "last-modified",
    "article:update_at", "weibo:article:update_at",
)  # fmt: skip
_URL_DATE = re.compile(
    # /2026/11/18-questions-asked and /202611/18.html are filed by month: a headline that begins with a number, a number.
    r"/((?:19|20)\d{2})(?![-_/]?\d\d/\d\d[-_.][a-z])[-/_]?(0[1-9]|1[0-2]|[1-9](?=/))[-/_]?(0[1-9]|[12]\d|3[01]|[1-9](?=/))(?!\d)"
    r"|/(20\d{2})-(\d{1,2})/(\d{1,2})/"
    r"|/((?:19|20)\d{2})/(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*/(\d{1,2})(?!\d)",
    re.I,
)
# A number that begins with a day, as sites build them: A2026012914320005196, t20240501_123.
_URL_NUMBER = re.compile(r"[/_=-][A-Za-z]{0,4}(20[012]\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:\d{4,}|[_.-]|\Z)")
# The zone of a stated time; UTC is how machines write, whatever the hours are that readers see.
_OFFSET = re.compile(r"\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s*([+-])(0\d|1[0-4]):?([0-5]\d)\b")
# Countries that write the month first, and country domains that anybody registers.
_MONTH_FIRST = frozenset({"us", "ph", "pw", "fm", "mh", "as", "gu", "pr", "vi"})
_NO_COUNTRIES = frozenset("ai am cc co fm gg io is ly me nu sh so st to tv ws la eu ag bz im vc".split())
# News is mostly fetched within weeks of its day; and from any hour of a day to its beginning in any zone, 24 h and 14 h.
_RECENT_S, _AN_HOUR, _A_DAY, _A_DAY_AND_ZONES = 45 * 86_400.0, 3600, 86_400.0, 38 * 3600.0
_DATED_CHARS, _ORDER_CHARS, _MAX_TIMES = 200, 20_000, 2000
_MAX_NEAR = 10
_BELOW = 0.6  # of a block below the headline is where a dateline stands most often
_PROSE = 80  # characters of a line that is one of the text
_STOPS = ("。", "！", "？", "。”", "！”", "？”", "。」")
_BESIDE = 4  # lines around the headline one of which may be a day alone
_ONLY_DAY = re.compile(r"\W*+(?:published|posted)?\W*+(?:on)?\W*+", re.I)
_ABOVE = 8  # blocks above the headline that may say when
_BEHIND = 6  # and those below the text that may
_NEAR_BODY = 60  # blocks from a text within which its headline is looked for
_FAR = 10_000
_DAY_CHARS = len("2024-05-01")
# Behind the day and other words: "Posted Sunday 22 November 2026 by Ann Lee, 2.05pm GMT".
_CLOCK_BEHIND = re.compile(r"(?<![\d.:])(?P<clock>\d{1,2}[.:]\d\d\s?[ap]\.?m\b\.?(?:\s[A-Z]{2,4}\b)?)", re.I)
_MOMENT = re.compile(
    r"[^\d]{0,8}(?:19|20)\d\d\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,2}\s?(?:日\s?|T)?\s?\d{1,2}[:：]\d\d"
)
# A time that stands apart from its day, in its line or below it: 日期：[2026-11-20] 点击数：12 时间：15:05, "Posted by Ann Lee
# at 3:05 PM" under the day's heading, as Movable Type, Blogger and Serendipity write it; 香港時間17時05分;
# "Issued at HKT 15:05".
_CLOCK_APART = re.compile(
    r"(?:(?:时间|時間)\s?[:：]|(?:香港|北京|[台臺]北|[当當]地)[时時][间間](?=\d)|\b(?:posted|published|issued|filed|geschrieben|veröffentlicht|erstellt|publié|publicado|pubblicato|geplaatst)\b"
    r"[^:：]{0,80}?\b(?:at|um|à|a las|alle|om|@)(?:\s(?P<zone>(?-i:[A-Z]{3,4}))(?=\s\d))?)\s?(?P<clock>\d{1,2}[:：时時]\d\d(?![\d:：])(?:\s?[ap]\.?m\b\.?)?)(?P<behind>\s[A-Z]{2,4}\b)?",
    re.I,
)
# A day without its year, which Chinese pages leave out: 11-20 09:30, 11月20日 9:30.
_CLOCK_OF_DAY = re.compile(
    r"(?<![\d/.:-])(0?[1-9]|1[0-2])(?:[-/]|月)(0?[1-9]|[12]\d|3[01])日?\s{0,3}(\d{1,2}[:：]\d\d(?:[:：]\d\d)?)(?![\d:：])"
)
# Of a sentence, never of a dateline: "was sold 13 months ago".
_LONG_AGO = re.compile(r"\b\d{1,3} (?:weeks?|months?|years?) ago\b|\d{1,3}\s?(?:个?月|個?月|年|周|週)(?:以)?前", re.I)
_FIRST = re.compile(r"(?:first|originally) (?:published|posted)|erstmals|(?:首次)?发布(?:于|时间)", re.I)
# Below a text, a line that says so is the article's; any other date there may be a comment's.
_LABELLED = re.compile(
    r"\W{0,2}(?:[发發][布佈]|发表|發表|刊登|公[布佈]|[张張][贴貼]|上稿|掲載|公開|등록|게시|입력|published|posted)(?:日期|时间|時間|日|일자?)?\s?[:：]|\W{0,2}posted\s(?:on|@)\s?(?=(?:19|20)\d\d-\d)",
    re.I,
)
_ZONE, _ZONE_CHARS = re.compile(r"\(?[A-Z]{2,4}\)?"), 6
_EASTERN = frozenset({"zh", "ja", "ko"})
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# Words of a date and its time, "Sat, 28 November 2026" or "28. November 2026 14:05", and characters of the longest.
_BESIDE, _LONGEST_WORD = 4, 20


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
    reader = _reader(page, language)
    modified = next((stamp for text in _modified(page) if (stamp := reader.read(text))), None)
    future = False
    for rule, confidence, texts in _sources(page, body, reader, headline):
        reader.future = False
        for text in texts:
            stamp = reader.read(text)
            if stamp is not None:
                if rule in _BY_MACHINES and (day := _day_before(stamp, page, body, reader, headline)) is not None:
                    return Dates(day, modified, "dateline", 0.85)
                shown = _as_shown(stamp, page, body, reader, headline)
                page.told_orders += [] if reader.told is None else [reader.told]
                return Dates(shown, modified, rule, confidence, future)
        future = future or (reader.future and rule in _STATED)
    return Dates(None, modified, "none", 0.0, future)


def _day_before(
    stamp: Stamp, page: Page, body: Sequence[Block], reader: DateReader, headline: Headline | None
) -> Stamp | None:
    """The day of the line beside the headline that says nothing else, where it is well before what data state.

    These have the day of a move or of an edit then. Of 873 annotated pages four are so: all four show the right day.
    """
    index = headline() if headline is not None else None
    if index is None:
        return None
    end = min([index + _BESIDE, *(one.index for one in body[:1])])
    near = [one for one in page.blocks[max(0, index - _BESIDE) : end + 1] if len(one.text) < _PROSE]
    lines = [one for one in near if _ONLY_DAY.fullmatch(without_date(one.text))]
    lines.sort(key=lambda one: abs(one.index - index - _BELOW))
    day = next((day for one in lines if (day := reader.read(one.text)) is not None), None)
    return day if day is not None and stamp.epoch - day.epoch > _A_DAY_AND_ZONES + _A_DAY else None


def _reader(page: Page, language: str | None) -> DateReader:
    # To ask for the order of day and month means to walk over the page, which a wrapper spares.
    order, local = DayOrder(page, language), zone_of(page, language)
    return DateReader(
        page.fetched_at, chinese=language == "zh", day_first=order, local=local, listed=page.listed_at,
        eastern=language in _EASTERN,
    )  # fmt: skip


def read_shown(text: str, page: Page, language: str | None) -> Stamp | None:
    """The date of a text that a page shows; a time without a zone is not in the site's yet (see ``in_zone``)."""
    order, eastern = DayOrder(page, language), language in _EASTERN
    return DateReader(page.fetched_at, chinese=language == "zh", day_first=order, eastern=eastern).read(text)


def read_beside(around: str, link: str, page: Page, language: str | None) -> Stamp | None:
    """The date in the text around a link that led to a page: beside the link, or where that text begins or ends.

    Other dates are those of its teaser, and among several years none is surely the link's own.
    """
    if len(_YEAR.findall(around)) != 1:
        return None
    parts = [around.split()[:_BESIDE]]
    if link and link in around:
        before, _, after = around.partition(link)
        parts = [after.split()[:_BESIDE], before.split()[-_BESIDE:], *parts]
    if not around.endswith((".", "。", "…", "!", "?")):
        parts.append(around.split()[-_BESIDE:])
    reader = _reader(page, language)
    # Where words are not parted, a long one is a sentence.
    found = (reader.read(" ".join(one for one in words if len(one) <= _LONGEST_WORD)) for words in parts)
    return next(filter(None, found), None)


class DayOrder:
    """Whether 5/12 is in December: asked with both readings of such a day.

    As the page's other dates say, those of its site's other pages, when a feed or sitemap has it; the page's stated
    country, its domain, its language. Where none tells, as in English without a country, the reading that lies some
    weeks back is likelier than one that lies months back.
    """

    def __init__(self, page: Page, language: str | None) -> None:
        self._page, self._language = page, language

    def __call__(self, day_first: Stamp, month_first: Stamp) -> bool:
        known = self._shown if self._shown is not None else self._page.day_first
        if known is not None:
            return known
        if (listed := self._page.listed_at or self._page.changed_at) is not None:
            near = [abs(one.epoch - listed) < _A_DAY_AND_ZONES for one in (day_first, month_first)]
            if near[0] != near[1]:
                self._page.told_orders.append(near[0])
                return near[0]
        country = _country(self._page)
        if country or self._language not in {None, "en"}:
            return country not in _MONTH_FIRST or (country == "us" and self._language not in {None, "en"})
        now = self._page.fetched_at
        recent = [now is not None and now - one.epoch < _RECENT_S for one in (day_first, month_first)]
        return recent == [True, False]

    @cached_property
    def _shown(self) -> bool | None:
        blocks = self._page.blocks
        shown = " ".join(block.text for block in blocks if len(block.text) <= _DATED_CHARS and "/" in block.text)
        return day_first_in(shown[:_ORDER_CHARS])


def _country(page: Page) -> str:
    """The country, in lower case, that the page states with its language, else that of its domain; "" without one."""
    for stated in (page.lang, *page.meta.get("og:locale", ())[:1]):
        _, _, region = stated.replace("_", "-").partition("-")
        if len(region) == 2 and region.isalpha():
            return str(region).lower()
    suffix = _host(page.url).rpartition(".")[2]
    return suffix if len(suffix) == 2 and suffix not in _NO_COUNTRIES else ""


def zone_of(page: Page, language: str | None) -> dt.tzinfo:
    """The zone of the times that a page states without one: the one known for its site, else told by the page.

    Told by another time that it states with a zone, by the country of its domain, by its language; UTC where none tells.
    """
    if page.zone is not None:
        return page.zone
    stated = [text for _, texts in _statements(page) for text in texts]
    shown = [value for element in page.by_tag["time"][:_MAX_NEAR] if (value := element.get("datetime"))]
    for text in (*stated, *_modified(page), *shown):
        if (match := _OFFSET.search(text)) and (minutes := int(match[2]) * 60 + int(match[3])):
            return dt.timezone(dt.timedelta(minutes=-minutes if match[1] == "-" else minutes))
    return told_zone(_host(page.url), language, page.lang) or dt.UTC


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def in_zone(published: str, zone: dt.tzinfo) -> float | None:
    """Epoch seconds of an ISO 8601 time without a zone, None of one that has a zone and of a day alone."""
    if "T" not in published or (at := dt.datetime.fromisoformat(published)).tzinfo is not None:
        return None
    return at.replace(tzinfo=zone).timestamp()


def _statements(page: Page) -> Iterator[tuple[str, list[str]]]:
    nodes = article_nodes(page.jsonld)
    keys = ("datePublished", "dateCreated")
    yield "jsonld", [value for node in nodes for key in keys if isinstance(value := node.get(key), str)]
    known = [value for key in _PUBLISHED_META for value in page.meta.get(key, ())]
    named = (key for key in page.meta if "publi" in key and _PUBLISHED_NAME.fullmatch(key))
    yield "meta", known or [value for key in named for value in page.meta[key]]


def _sources(
    page: Page, body: Sequence[Block], reader: DateReader, headline: Headline | None
) -> Iterator[tuple[str, float, Iterable[str]]]:
    for (rule, texts), confidence in zip(_statements(page), (0.97, 0.95), strict=True):
        yield rule, confidence, texts
    own, others = _time_elements(page, body, headline)
    yield "time", 0.9, own
    # An address that is filed by day cannot mean another day that the text speaks of.
    yield "url", 0.85, [_from_url(_URL_DATE, page.url)]
    said, looser = _datelines(page, body, headline, others)
    yield "dateline", 0.85, _dated(said, reader, today=False)
    yield "url", 0.8, [_from_url(_URL_NUMBER, page.url)]
    yield "script_data", 0.7, times_in_scripts(page)
    yield "time", 0.65, _times_below(page, body, others)
    yield "dateline", 0.65, chain(_dated(said, reader, today=True), _not_today(looser, reader))
    yield "time", 0.6, [text for _, text in others]
    on_page = [one.get("datePublished") for one in page.jsonld if "WebPage" in types_of(one)]
    yield "jsonld", 0.6, [text for text in on_page if isinstance(text, str)]
    short = [block.text for block in page.blocks if len(block.text) < _PROSE][:400]
    yield "text", 0.5, _not_today(short, reader)
    yield "meta", 0.4, page.meta.get("last-modified", []) + page.meta.get("article:modified_time", [])


def _dated(lines: Sequence[str], reader: DateReader, *, today: bool) -> Iterator[str]:
    """The lines with a date: those of the day of fetching without a time or "12 hours ago", or all others."""
    nows = () if reader.now is None else (reader.now, reader.now.astimezone(reader.local))
    days = {now.date().isoformat() for now in nows}
    for line in lines:
        stamp = reader.read(line)
        rounded = stamp is not None and min((size for _, size in lengths_ago(line)), default=0) >= _AN_HOUR
        if stamp is not None and (rounded or stamp.iso in days) == today:
            yield line


def _not_today(lines: Sequence[str], reader: DateReader) -> Iterator[str]:
    """The lines with a date, those last that may only show the day of fetching."""
    return chain(_dated(lines, reader, today=False), _dated(lines, reader, today=True))


def _modified(page: Page) -> Iterator[str]:
    for node in article_nodes(page.jsonld):
        if isinstance(value := node.get("dateModified"), str):
            yield value
    for key in _MODIFIED_META:
        yield from page.meta.get(key, ())


def _time_elements(
    page: Page, body: Sequence[Block], headline: Headline | None
) -> tuple[list[str], list[tuple[int, str]]]:
    """Values of time elements and of what is marked as date of publication: of the article, and of lines around it.

    The article's are those marked so, then those from its headline, or its first lines, to its end, the nearest to the
    headline first. A list of what is new, and comments, have times, too.
    """
    marked: list[str] = []
    found: list[tuple[etree._Element, str]] = []
    for element, names in islice(_stamped(page.tree), _MAX_TIMES) if page.tree is not None else ():
        published = "published" in names or "entry-date" in names or element.get("pubdate") is not None
        if "modif" in names or ("updat" in names and not published):
            continue
        text = (
            element.get("datetime")
            or element.get("content")
            or element.get("title")
            or " ".join("".join(map(str, element.itertext())).split())
        )
        if published or "publish" in names:
            marked.append(text)
        elif element.tag == "time" or _MOMENT.match(text):
            found.append((element, text))
    own, others = _placed(page, body, headline, found)
    return marked + own, others


def _stamped(tree: etree._Element) -> Iterator[tuple[etree._Element, str]]:
    """Time elements and those marked as a date, with the names of their property and classes in lower case."""
    for element in tree.iter("time", "abbr", "span", "meta"):
        prop, names, title = element.get("itemprop"), element.get("class"), element.get("title")
        is_time = element.tag == "time" or element.get("data-timestamp")  # as Hugo's themes have it
        if is_time or prop or names or title:
            prop, marked = (prop or "").lower(), f"{prop or ''} {names or ''}".lower()
            if is_time or "published" in marked or "date" in prop or (title and _MOMENT.match(title)):
                yield element, marked


def _placed(
    page: Page, body: Sequence[Block], headline: Headline | None, found: list[tuple[etree._Element, str]]
) -> tuple[list[str], list[tuple[int, str]]]:
    """The texts of these elements within the article, those nearest to its headline first, and of the others by line."""
    anchor = headline() if headline is not None else None
    if anchor is None and body:
        anchor = body[0].index
    if anchor is None or not found:
        return [text for _, text in found[:_MAX_NEAR]], []
    places = {block.node.element: block.index for block in reversed(page.blocks[: anchor + 200])}
    start = min(_anchor(body, anchor), body[0].index) if body else anchor
    end = body[-1].index if body else anchor + _FAR
    own: list[tuple[int, str]] = []
    others: list[tuple[int, str]] = []
    for element, text in found:
        line = next((places[above] for above in (element, *element.iterancestors()) if above in places), _FAR)
        (own if start <= line <= end else others).append((line, text))
    for some in (own, others):
        some.sort(key=lambda item: abs(item[0] - anchor - _BELOW))
    return [text for _, text in own[:_MAX_NEAR]], others[:_MAX_NEAR]


def _times_below(page: Page, body: Sequence[Block], others: Sequence[tuple[int, str]]) -> list[str]:
    """The first of these times that stands right below the text, as WordPress' block themes have it, in no comment."""
    last = body[-1].index if body else _FAR
    line, text = min((one for one in others if last < one[0] <= last + _BEHIND), default=(_FAR, ""))
    said = line == _FAR or any("comment" in node.names for node in page.blocks[line].node.ancestors())
    return [] if said else [text]


def _anchor(body: Sequence[Block], title_index: int | None) -> int:
    """The block that the article's dates are looked for around: its headline, where that is near its text."""
    first = body[0].index if body else title_index or 0
    return title_index if title_index is not None and abs(title_index - first) < _NEAR_BODY else first


def _datelines(
    page: Page, body: Sequence[Block], headline: Headline | None, times: Sequence[tuple[int, str]] = ()
) -> tuple[list[str], list[str]]:
    """Short lines around the headline, the nearest to it first; then what says less of when an article was published.

    That is what says of a change, the headline itself, the text's own first lines and what stands below it.

    Args:
        times: values of time elements with the indexes of the lines in which they stand; better than those lines.
    """
    title_index = headline() if headline is not None else None
    if not body and title_index is None:
        return [], []
    anchor = _anchor(body, title_index)
    first, last = (body[0].index, body[-1].index) if body else (anchor, anchor)
    lines = [
        block
        for block in page.blocks[max(0, min(anchor, first) - _ABOVE) : first + 3]
        if len(block.text) < 200 or block.index >= first
    ]

    def looseness(block: Block) -> tuple[bool, bool, bool]:
        return (
            # days that the text speaks of
            block.index >= first and (len(block.text) >= _PROSE or block.text.endswith(_STOPS)),
            block.index == title_index and len(block.pieces) == 1,  # and those of a headline: "The fire of 24 January"
            UPDATED.search(block.text[:40]) is not None,
        )

    lines.sort(
        key=lambda block: (looseness(block), _FIRST.match(block.text) is None, abs(block.index - anchor - _BELOW))
    )
    said = [block for block in lines if not any(looseness(block))]
    below = [block for block in page.blocks[last : last + _BEHIND] if len(block.text) < 120]
    looser = lines[len(said) :] + below
    said += [block for block in below if _LABELLED.match(block.text) and block not in lines]
    marked: dict[int, list[str]] = {}
    for line, text in times:
        marked.setdefault(line, []).append(text)
    read = [
        [text for block in some for text in (*marked.get(block.index, ()), *_readings(block, page.blocks))]
        for some in (said, looser)
    ]
    return read[0], read[1]


def _readings(block: Block, blocks: Sequence[Block]) -> list[str]:
    """A line as it is, with blanks between its elements, and with a zone that stands behind it by itself.

    Where it has several elements, they are read apart first: ``Ann LeeMay 5, 2024 2 shares``, ``10:00 amCST``.
    """
    whole = block.text[:160] if len(block.text) < _PROSE else _LONG_AGO.sub(" ", block.text[:160])
    zone = blocks[block.index + 1].text if block.index + 1 < len(blocks) else ""
    if len(zone) <= _ZONE_CHARS and _ZONE.fullmatch(zone):
        return [f"{whole} {zone}", whole]
    return [" ".join(raw for raw, _, _ in block.pieces[:20])[:200], whole] if len(block.pieces) > 1 else [whole]


def _from_url(pattern: re.Pattern[str], url: str) -> str:
    match = pattern.search(url)
    if match is None:
        return ""
    year, month, day = (part for part in match.groups() if part)
    return f"{day} {month} {year}" if month.isalpha() else f"{year}-{month}-{day}"


def _as_shown(stamp: Stamp, page: Page, body: Sequence[Block], reader: DateReader, headline: Headline | None) -> Stamp:
    """The stamp as the page's readers see it.

    A day alone gets the time of a visible dateline of the same day, else one that a script has beside the headline. A
    time in UTC is given in the publisher's zone, where a dateline shows the same minute at another hour.
    """
    if len(stamp.iso) > _DAY_CHARS and not (stamp.iso.endswith("+00:00") and _shows_minute(page, stamp.iso[14:16])):
        return stamp
    marked = _time_elements(page, body, headline)[0]
    for text in chain(marked, *_datelines(page, body, headline)):
        other = reader.read(text)
        match = _CLOCK_OF_DAY.search(text) if other is None else None
        if match and stamp.iso[5:_DAY_CHARS] == f"{int(match[1]):02}-{int(match[2]):02}":
            other = reader.read(f"{stamp.iso[:_DAY_CHARS]} {match[3]}")
        is_same = other is not None and other.iso == stamp.iso
        if (other is None and (clock := _CLOCK_APART.search(text))) or (
            is_same and (clock := _CLOCK_APART.search(text) or _CLOCK_BEHIND.search(text))
        ):
            said = clock.groupdict()
            zone = said.get("zone") or said.get("behind") or ""
            other = reader.read(f"{stamp.iso} {clock['clock']} {zone}")
        if other is None or len(other.iso) <= _DAY_CHARS:
            continue
        if len(stamp.iso) == _DAY_CHARS:
            there = dt.datetime.fromtimestamp(other.epoch, reader.local).date().isoformat()
            if stamp.iso in (other.iso[:_DAY_CHARS], there):
                return other
        elif local := in_zone_of(stamp, other):
            return local
    return (time_in_scripts(page, stamp, reader) or stamp) if len(stamp.iso) == _DAY_CHARS else stamp


def _shows_minute(page: Page, minute: str) -> bool:
    """Whether a time of that minute stands anywhere: looking for datelines means to walk over the page."""
    return re.search(rf":{minute}(?::\d\d)?(?![:\d])", page.text) is not None


def in_zone_of(stamp: Stamp, shown: Stamp) -> Stamp | None:
    """A time in UTC in the zone in which it is also shown; None where both cannot be the same minute.

    Zones are whole quarters of an hour between -12 and +14 hours. Another minute that has its own is of a change.
    """
    utc, there = (dt.datetime.fromisoformat(one.iso).replace(second=0) for one in (stamp, shown))
    minutes = round((there.replace(tzinfo=dt.UTC) - utc).total_seconds() / 60)
    other = there.tzinfo is not None and there != utc
    if other or minutes % 15 or not -12 * 60 <= minutes <= 14 * 60 or not minutes:
        return None
    zone = dt.timezone(dt.timedelta(minutes=minutes))
    return Stamp(dt.datetime.fromisoformat(stamp.iso).astimezone(zone).isoformat(timespec="seconds"), stamp.epoch)
