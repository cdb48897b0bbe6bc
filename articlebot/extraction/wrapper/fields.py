"""Title, author, date and source by learned paths.

A field's path is that of elements which on most pages carry what the metadata says, or look like the field.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from articlebot.extraction.cascade import extract
from articlebot.extraction.fields.date_reader import Stamp, read_date
from articlebot.extraction.fields.dates import stated_date
from articlebot.extraction.fields.titles import titles_of
from articlebot.extraction.model import Extracted
from articlebot.extraction.place import Located
from articlebot.extraction.wrapper.labels import MAX_HEARD
from articlebot.extraction.wrapper.model import Rules
from articlebot.extraction.wrapper.paths import Projector, key_of
from articlebot.extraction.wrapper.samples import Sample, squeeze
from articlebot.page.metadata import language_of
from articlebot.page.text import fold

if TYPE_CHECKING:
    from articlebot.page.page import Page

_SHARE = 0.6  # of the pages that a field's path must be right on
_RIGHT = 0.8  # of the pages on which an element's date must be the article's
_RANKED = 6
_DAY_CHARS = len("2024-05-01")
_MINUTE_CHARS = len("2024-05-01T10:00")
_MAX_DATE_CHARS = 160
_CHANGED = re.compile(r"\W*(?:last\s+)?(?:updat|modif|更新|修改|aktualis)", re.I)
_TAIL = re.compile(r"(?:(?<!\s)\s+)?[-_|–—·:：»«<>/•]+\s*")
_HINTS = {
    "author": re.compile(r"author|byline|writer|reporter|zuozhe|记者|editor", re.I),
    "date": re.compile(r"date|time|publish|posted|pubtime|shijian", re.I),
    "source": re.compile(r"source|laiyuan|media-?name|origin", re.I),
}
_LOOKS = {
    "author": re.compile(r"(?:by|von|par|作者|记者|文)?\s*+[:：/|]?\s*+[^\d|<>]{2,60}\Z", re.I),
    "source": re.compile(r"(?:(?:文章|稿件|新闻)?(?:来源|來源|source)\s*+[:：]?\s*+)?\S.{1,40}\Z", re.I),
}  # fmt: skip
_BEFORE_NAME = re.compile(
    r"^\s*(?:by\b|written by\b|von\b|par\b|作者|记者|記者|文|撰文|编辑|来源|來源|source\b)\s*[:：/|]?\s*", re.I
)
_NAMES = re.compile(r"(?:(?<!\s)\s+)?(?:,|;|、|，|；|&|\||/|\band\b|\bund\b|\bet\b)\s*")
_SOURCE = re.compile(r"(?:来源|來源|source)\s*[:：]\s*(?!https?:)([^\s|｜　]{2,30})", re.I)


class Fields:
    """Reads the learned fields of one wrapper."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def read(self, page: Page, named: Mapping[str, Sequence[Any]]) -> Extracted:
        """The fields found; the others empty.

        Args:
            named: the page's elements of each key of the rules.
        """
        origin: dict[str, str] = {}
        confidence: dict[str, float] = {}
        values: dict[str, Any] = {}
        name = f"wrapper:{self.rules.site}/v{self.rules.version}.{self.rules.template}"
        title = _text(named, self.rules.title)
        if title and (self.rules.typical.stated < _RIGHT or _is_stated(squeeze(title), page)):
            values["title"] = title
            confidence["title"] = round(0.5 + 0.5 * self.rules.typical.titled, 3)
        authors = names_of(_text(named, self.rules.author))
        if authors:
            values["authors"], confidence["authors"] = authors, 0.8
        stamp = self._date(page, named)
        if stamp is not None:
            values["published"], values["published_at"] = stamp
            confidence["published"] = 0.9
        source = source_of(_text(named, self.rules.source))
        if source:
            values["source"], confidence["source"] = source, 0.8
        origin = dict.fromkeys((key for key in values if key != "published_at"), name)
        return Extracted(**values, origin=origin, confidence=confidence)

    def _date(self, page: Page, named: Mapping[str, Sequence[Any]]) -> Stamp | None:
        """What the learned element says, where the page states no date in JSON-LD or meta elements; those know more."""
        spoken = language_of(page)
        if not self.rules.date or stated_date(page, spoken) is not None:
            return None
        found = (stamp_of(element, page, spoken) for element in named[self.rules.date])
        return next((stamp for stamp in found if stamp is not None), None)


def _is_stated(title: str, page: Page) -> bool:
    """Whether a headline (squeezed) is one that the page's head states, or the head states none."""
    stated = [squeeze(text) for text in (*page.meta.get("og:title", ()), page.title) if text]
    return not stated or any(title in text or text in title for text in stated)


def stamp_of(element: Any, page: Page, spoken: str | None) -> Stamp | None:
    """The date of an element: what it or its only ``time`` states for machines, else its text."""
    times = [element] if element.tag == "time" else element.findall(".//time")
    stated = times[0].get("datetime") if len(times) == 1 else None
    stamp = _read(stated.strip(), page, spoken) if stated else None
    return stamp if stamp is not None else _read(fold("".join(element.itertext())), page, spoken)


def _text(named: Mapping[str, Sequence[Any]], key: str) -> str:
    found = named.get(key)
    return fold("".join(found[0].itertext()))[:500] if found else ""


def names_of(text: str) -> tuple[str, ...]:
    """The names in a byline; what is no name (longer than 60 characters, digits) is left out."""
    text = _BEFORE_NAME.sub("", text)
    names = (n.strip(" .:：·•-") for n in _NAMES.split(text[:200]))
    return tuple(dict.fromkeys(n for n in names if 2 <= len(n) <= 60 and not any(c.isdigit() for c in n)))


def source_of(text: str) -> str:
    """The name behind 来源 or "Source", or the text itself where it is short."""
    match = _SOURCE.search(text)
    if match:
        return match[1].strip("：:）)】]")
    return text if 2 <= len(text) <= 30 and "://" not in text else ""


def learn_fields(samples: Sequence[Sample], projector: Projector) -> dict[str, Any]:
    """Keys of ``title``, ``author``, ``date`` and ``source``, the ``title_tail``, and how often titles were right.

    A key is believed where it says what the generic rules read on the same pages.
    """
    title, right = _title_key(samples, projector)
    learned: dict[str, Any] = {"title": title, "titled": right, "title_tail": title_tail(samples)}
    learned["stated"] = _stated_share(title, samples, projector)
    read = [(sample, extract(sample.page, sure_from=0.0)) for sample in samples[:MAX_HEARD]]
    learned["author"] = _author_key(read, projector)
    learned["source"] = _source_key(read, projector)
    learned["date"] = _date_key(read, projector)
    return learned


def headlines(samples: Sequence[Sample]) -> list[str]:
    """Each page's likeliest headline that no other page has, squeezed: what stands on several is a section's name."""
    ranked = []
    for sample in samples:
        body = (b.text for b, label in zip(sample.blocks, sample.labels, strict=True) if label > _SHARE)
        ranked.append(
            [squeeze(t.text) for t in titles_of(sample.page, Located(sample.page, "\n".join(body)))[:_RANKED]]
        )
    pages = Counter(text for texts in ranked for text in set(texts))
    return [next((text for text in texts if pages[text] == 1), "") for texts in ranked]


def _title_key(samples: Sequence[Sample], projector: Projector) -> tuple[str, float]:
    right: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for sample, headline in zip(samples, headlines(samples), strict=True):
        first: set[str] = set()
        for block, lines in zip(sample.blocks, sample.lines, strict=True):
            text = "".join(lines)
            if not 4 <= len(text) <= 250:
                continue
            key = key_of(block.element, projector.namer)
            if key in first:
                continue
            first.add(key)
            seen[key] += 1
            right[key] += text == headline
    floor = _SHARE * len(samples)
    good = [k for k in right if right[k] >= max(2.0, floor) and right[k] >= 0.8 * seen[k]]
    if not good:
        return "", 0.0
    best = max(good, key=lambda k: (right[k] + 0.1 * k.rpartition("/")[2].startswith("h1"), -len(k)))
    return best, round(right[best] / max(1, len(samples)), 3)


def _stated_share(title: str, samples: Sequence[Sample], projector: Projector) -> float:
    """On how many of the pages that have a title by its key the head states the same."""
    agreed = [
        _is_stated("".join(lines), sample.page)
        for sample in samples
        for block, lines in zip(sample.blocks, sample.lines, strict=True)
        if title and key_of(block.element, projector.namer) == title
    ]
    return round(sum(agreed) / len(agreed), 3) if agreed else 0.0


def title_tail(samples: Sequence[Sample]) -> str:
    """What most pages' ``<title>`` ends in, from its separator on; "" where nothing is shared."""
    tails: Counter[str] = Counter()
    for sample in samples:
        tree: Any = sample.page.tree
        element = next(tree.iter("title"), None)
        text = fold("".join(element.itertext())) if element is not None else ""
        tails.update({text[m.start() :] for m in _TAIL.finditer(text) if m.start() > 0})
    shared = [t for t, n in tails.items() if n >= max(2.0, _SHARE * len(samples))]
    return max(shared, key=len, default="")


def _date_key(read: Sequence[tuple[Sample, Extracted]], projector: Projector) -> str:
    """The key of the element whose date is the article's: on nearly all pages that of the generic rules, or later.

    These know what the page states and what stands beside its headline. An element with the same day on pages of
    which the rules know different ones is a page's own clock; one that differs from them is another article's.
    """
    same: Counter[str] = Counter()
    other: Counter[str] = Counter()
    days: defaultdict[str, set[str]] = defaultdict(set)
    for sample, found in read:
        if found.published is None:
            continue
        said = found.published
        spoken = language_of(sample.page)
        first: set[str] = set()
        for element in _hinted(sample, _HINTS["date"]):
            key = key_of(element, projector.namer)
            if key in first or (stamp := stamp_of(element, sample.page, spoken)) is None:
                continue
            first.add(key)
            days[key].add(stamp.iso[:_DAY_CHARS])
            # a day without its hour is no match for a time
            right = stamp.iso[:_DAY_CHARS] == said[:_DAY_CHARS] and len(stamp.iso) >= len(said[:_MINUTE_CHARS])
            (same if right else other)[key] += 1
    floor = max(2.0, _SHARE * len(read))
    good = [
        key
        for key, pages in same.items()
        if pages >= floor and pages >= _RIGHT * (pages + other[key]) and len(days[key]) > 1
    ]
    return max(good, key=lambda key: (same[key], -len(key)), default="")


def _read(text: str, page: Page, spoken: str | None) -> Stamp | None:
    if len(text) > _MAX_DATE_CHARS or _CHANGED.match(text):
        return None
    return read_date(text, fetched_at=page.fetched_at, chinese=spoken == "zh")


def _author_key(read: Sequence[tuple[Sample, Extracted]], projector: Projector) -> str:
    """The key of the element that names those whom the generic rules name."""
    same: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for sample, found in read:
        first: set[str] = set()
        for element in _hinted(sample, _HINTS["author"]):
            text = fold("".join(element.itertext()))
            key = key_of(element, projector.namer)
            if key not in first and _LOOKS["author"].match(text):
                first.add(key)
                (same if found.authors and names_of(text) == found.authors else other)[key] += 1
    floor = max(2.0, _SHARE * len(read))
    good = [key for key, pages in same.items() if pages >= floor and pages >= _RIGHT * (pages + other[key])]
    return max(good, key=lambda key: (same[key], -len(key)), default="")


def _source_key(read: Sequence[tuple[Sample, Extracted]], projector: Projector) -> str:
    """The key of the element that names the source: by its label, or as the metadata do; a date names none."""
    agrees: Counter[str] = Counter()
    for sample, _ in read:
        said = [squeeze(v).lower() for key in ("mediaid", "source") for v in sample.page.meta.get(key, [])]
        first: set[str] = set()
        for element in _hinted(sample, _HINTS["source"]):
            text = fold("".join(element.itertext()))
            key = key_of(element, projector.namer)
            if key in first or not _LOOKS["source"].match(text) or _read(text, sample.page, None) is not None:
                continue
            first.add(key)
            squeezed = squeeze(text).lower()
            agrees[key] += _SOURCE.search(text) is not None or any(s and s in squeezed for s in said)
    floor = max(2.0, _SHARE * len(read))
    return max((k for k in agrees if agrees[k] >= floor), key=lambda k: (agrees[k], -len(k)), default="")


def _hinted(sample: Sample, hint: re.Pattern[str]) -> Iterator[Any]:
    tree: Any = sample.page.tree
    for element in tree.iter("span", "a", "p", "div", "time", "li", "address", "em", "strong", "i", "b"):
        names = " ".join([element.get(name) or "" for name in ("class", "id", "rel", "itemprop")])
        hinted = (len(names) > 3 and hint.search(names)) or element.tag == "time"
        if hinted and sum(len(t) for t in element.itertext()) <= 200:
            yield element
