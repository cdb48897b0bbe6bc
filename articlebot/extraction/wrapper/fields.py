"""Title, author, date and source by learned paths.

A field's path is that of elements which on most pages carry what the metadata says, or look like the field.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from articlebot.extraction.fields.date_reader import Stamp, read_date
from articlebot.extraction.fields.dates import stated_date
from articlebot.extraction.fields.titles import titles_of
from articlebot.extraction.model import Extracted
from articlebot.extraction.place import Located
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
_DAY_S = 86400.0 * 1.01
_DAY_CHARS = len("2024-05-01")
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
        if title:
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
        texts = (fold("".join(element.itertext())) for element in named[self.rules.date])
        return next((stamp for text in texts if (stamp := _read(text, page, spoken))), None)


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
    """Keys of ``title``, ``author``, ``date`` and ``source``, the ``title_tail``, and how often the title was right."""
    title, right = _title_key(samples, projector)
    learned: dict[str, Any] = {"title": title, "titled": right, "title_tail": title_tail(samples)}
    for name in ("author", "source"):
        learned[name] = _field_key(name, samples, projector)
    learned["date"] = _date_key(samples, projector)
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


def _date_key(samples: Sequence[Sample], projector: Projector) -> str:
    """The key of the element whose date is the article's: on pages that state theirs, it says the same.

    Where none of the pages states one, dates that differ from page to page are believed: a page's own day does not.
    """
    days: dict[str, list[tuple[Stamp, Stamp | None]]] = {}
    for sample in samples:
        spoken = language_of(sample.page)
        told = stated_date(sample.page, spoken)
        first: set[str] = set()
        for element in _hinted(sample, _HINTS["date"]):
            key = key_of(element, projector.namer)
            stamp = None if key in first else _read(fold("".join(element.itertext())), sample.page, spoken)
            if stamp is not None:
                first.add(key)
                days.setdefault(key, []).append((stamp, told))
    floor = max(2.0, _SHARE * len(samples))
    trusted = {key: _trust(found) for key, found in days.items() if len(found) >= floor}
    best = max(trusted, key=lambda key: (trusted[key], len(days[key]), -len(key)), default="")
    return best if best and trusted[best] >= _RIGHT else ""


def _trust(found: Sequence[tuple[Stamp, Stamp | None]]) -> float:
    """How often dates are those that the pages state, 0 to 1; without any, how often they differ."""
    told = [abs(stamp.epoch - other.epoch) <= _DAY_S for stamp, other in found if other is not None]
    if len(told) >= 2:
        return sum(told) / len(told)
    return min(1.0, 2 * len({stamp.iso[:_DAY_CHARS] for stamp, _ in found}) / len(found)) if len(found) > 1 else 0.0


def _read(text: str, page: Page, spoken: str | None) -> Stamp | None:
    if len(text) > _MAX_DATE_CHARS or _CHANGED.match(text):
        return None
    return read_date(text, fetched_at=page.fetched_at, chinese=spoken == "zh")


def _field_key(name: str, samples: Sequence[Sample], projector: Projector) -> str:
    seen: Counter[str] = Counter()
    agrees: Counter[str] = Counter()
    for sample in samples:
        said = _said(name, sample.page)
        first: set[str] = set()
        for element in _hinted(sample, _HINTS[name]):
            text = fold("".join(element.itertext()))
            key = key_of(element, projector.namer)
            if key in first or not _LOOKS[name].match(text):
                continue
            first.add(key)
            seen[key] += 1
            squeezed = squeeze(text).lower()
            agrees[key] += bool(said) and any(s in squeezed for s in said)
    floor = max(2.0, _SHARE * len(samples))
    if name == "author":
        return max((k for k in agrees if agrees[k] >= floor), key=lambda k: (agrees[k], -len(k)), default="")
    return max((k for k in seen if seen[k] >= floor), key=lambda k: (agrees[k], seen[k], -len(k)), default="")


def _hinted(sample: Sample, hint: re.Pattern[str]) -> Iterator[Any]:
    tree: Any = sample.page.tree
    for element in tree.iter("span", "a", "p", "div", "time", "li", "address", "em", "strong", "i", "b"):
        names = " ".join([element.get(name) or "" for name in ("class", "id", "rel", "itemprop")])
        hinted = (len(names) > 3 and hint.search(names)) or element.tag == "time"
        if hinted and sum(len(t) for t in element.itertext()) <= 200:
            yield element


def _said(name: str, page: Page) -> list[str]:
    """What the metadata says of a field, squeezed and lower-case."""
    if name == "author":
        said = [*page.meta.get("author", []), *page.meta.get("article:author", []), *page.meta.get("byl", [])]
        for node in page.jsonld:
            authors = node.get("author")
            several = authors if isinstance(authors, list) else [authors]
            said.extend(a["name"] for a in several if isinstance(a, dict) and isinstance(a.get("name"), str))
        return [squeeze(n).lower() for text in said if "://" not in text for n in names_of(text)]
    return [squeeze(v).lower() for key in ("mediaid", "source", "og:site_name") for v in page.meta.get(key, [])]
