"""Drawing a world: when each site publishes what, edits it and takes it back."""

from __future__ import annotations

import itertools
import math
import random
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from articlebot_lab.newsroom.grammar import Teller
from articlebot_lab.newsroom.sites import Site, choose
from articlebot_lab.newsroom.world import EditKind, Kind, Story, Version, World, address, rng_for

# Parts of the run: nothing is published or deleted after SETTLED, nothing edited after EDITED.
SETTLED = 0.85
EDITED = 0.75
_STOCK = 8  # stories of a site at the start
_LIVE_PER_SECOND = 0.3  # stories a site adds, at pace 1 and rate 1
_EDITED_SHARE = 0.3
_DELETED_SHARE = 0.05
_MIN_GAP = 4.0  # seconds between publication and edits: a crawler with intervals of seconds can see each
_MIN_LIFE = 8.0
_RECENT = 30  # reprints and quotes are of one of the latest stories
_EDITS: tuple[EditKind, ...] = ("small", "small", "added", "added", "rewrite", "title")
_FIRST_NUMBER = 104729


@dataclass(frozen=True, slots=True)
class _Slot:
    """A story to be written: what is known before its text."""

    site: Site
    number: int
    kind: Kind
    visible_at: float
    published_at: float
    rng: random.Random


class _Run:
    """What all stories of a run share: its time, and titles that are handed out once."""

    def __init__(self, started_at: float, seconds: float) -> None:
        self.started_at, self.seconds = started_at, seconds
        self._taken: set[str] = set()

    def until(self, share: float) -> float:
        """The time when ``share`` (0..1) of the run is over."""
        return self.started_at + share * self.seconds

    def unique(self, teller: Teller, rule: str = "title") -> str:
        for _ in range(50):
            title = teller.title(rule)
            if self.take(title):
                return title
        title = f"{teller.title(rule)} ({len(self._taken)})"
        self.take(title)
        return title

    def take(self, title: str) -> bool:
        fresh = title.lower() not in self._taken
        self._taken.add(title.lower())
        return fresh


def build(*, seed: int, seconds: float, sites: int, rate: float, started_at: float) -> World:
    """The world of a run.

    Args:
        seed: the same seed, start and other arguments give the same world.
        seconds: length of the run, 5 or more.
        sites: how many sites, 1 to 500.
        rate: multiplies the number of stories.
        started_at: epoch seconds.

    Raises:
        ValueError: an argument out of range.
    """
    if seconds < 5 or not math.isfinite(seconds) or not 0 < rate <= 100:
        raise ValueError(f"seconds must be at least 5 and rate above 0 to 100, not {seconds} and {rate}")
    chosen = choose(sites)
    run = _Run(started_at, seconds)
    slots = [slot for site in chosen for slot in _slots(site, seed, seconds, rate, started_at)]
    stories = [_write(slot, run) for slot in slots if slot.kind not in ("reprint", "quote")]
    derived = sorted((slot for slot in slots if slot.kind in ("reprint", "quote")), key=lambda slot: slot.visible_at)
    sources = sorted(
        (story for story in stories if story.kind == "article" and not story.disallowed),
        key=lambda story: story.visible_at,
    )
    used: set[tuple[str, str]] = set()
    stories += [_derive(slot, sources, used, run) for slot in derived]
    return World(chosen, tuple(stories), started_at, seconds, seed, rate)


def expected_stories(*, seconds: float, sites: int, rate: float) -> int:
    """About how many stories `build` will write; each takes a millisecond or two of one core."""
    pace = sum(site.pace for site in choose(sites))
    return round(pace * rate * (_STOCK + SETTLED * seconds * _LIVE_PER_SECOND))


def _slots(site: Site, seed: int, seconds: float, rate: float, started_at: float) -> Iterable[_Slot]:
    rng = rng_for(seed, site.key, "slots")
    stock = max(2, round(_STOCK * min(1.0, site.pace) * min(rate, 3.0)))
    ages = sorted((60.0 + rng.expovariate(1 / 18000) for _ in range(stock)), reverse=True)
    live = _live_times(rng, seconds, _LIVE_PER_SECOND * site.pace * rate)
    times = [(started_at, started_at - age) for age in ages] + [(started_at + at, started_at + at) for at in live]
    for index, (visible_at, published_at) in enumerate(times):
        number = _FIRST_NUMBER + index * 7 + rng.randrange(7)
        yield _Slot(site, number, _kind(site, rng), visible_at, published_at, rng_for(seed, site.key, number))
    for index in range(site.documents):
        at = started_at + (0.0 if index % 2 == 0 else rng.uniform(0.1, SETTLED - 0.15) * seconds)
        number = _FIRST_NUMBER + (len(times) + 1 + index) * 7
        yield _Slot(site, number, "document", at, at, rng_for(seed, site.key, number))


def _kind(site: Site, rng: random.Random) -> Kind:
    at = rng.random()
    shares: tuple[tuple[Kind, float], ...] = (
        ("reprint", site.reprints),
        ("quote", site.quotes),
        ("video", site.videos),
        ("report", 0.25 if site.reports else 0.0),
    )
    for kind, share in shares:
        if at < share:
            return kind
        at -= share
    return "article"


def _live_times(rng: random.Random, seconds: float, per_second: float) -> list[float]:
    """Offsets of publications: an uneven day with a quiet night and two peaks, and now and then a burst."""
    horizon = SETTLED * seconds
    wanted = horizon * per_second
    times: list[float] = []
    while len(times) < wanted:
        at = rng.uniform(0.5, horizon)
        day = at / horizon
        weight = 0.15 if 0.4 < day < 0.52 else 0.55 + 0.45 * math.sin(2 * math.pi * (2 * day - 0.1))
        if rng.random() > weight:
            continue
        burst = rng.randint(2, 4) if rng.random() < 0.08 else 1
        times += [min(horizon, at + extra * rng.uniform(0.05, 0.4)) for extra in range(burst)]
    return sorted(times)


def _write(slot: _Slot, run: _Run) -> Story:
    site, rng = slot.site, slot.rng
    topic = rng.choice(site.topics)
    teller = Teller(site.language, topic, rng)
    pages = 1
    if slot.kind == "report":
        topic, title, paragraphs = _report(slot, run)
    elif slot.kind == "video":
        title, paragraphs = run.unique(teller), teller.body(rng.randint(2, 3))
    else:
        if slot.kind == "article" and rng.random() < site.multipage:
            pages = rng.randint(2, 5)
        title, paragraphs = run.unique(teller), teller.body(rng.randint(5, 15) + 2 * pages)
    first = Version(slot.visible_at, "first", title, tuple(paragraphs))
    return _story(slot, teller, topic, first, run=run, pages=pages)


def _report(slot: _Slot, run: _Run) -> tuple[str, str, list[str]]:
    kind = slot.rng.choice(slot.site.reports)
    topic = "weather" if kind == "weather" else "economy"
    teller = Teller(slot.site.language, topic, slot.rng)
    return topic, run.unique(teller, f"report_{kind}_title"), teller.report(kind)


def _story(
    slot: _Slot,
    teller: Teller,
    topic: str,
    first: Version,
    *,
    run: _Run,
    pages: int = 1,
    reprint_of: Story | None = None,
    quote_of: Story | None = None,
) -> Story:
    site, rng = slot.site, slot.rng
    section = topic if topic in site.topics else site.topics[0]
    path = address(site, slot.number, first.title, section, slot.published_at)
    disallowed = site.disallow is not None and slot.kind == "article" and rng.random() < 0.12
    if disallowed:
        path = f"{site.disallow}{slot.number}.html"
    if slot.kind == "document":
        path = f"/papers/{slot.number}.{'pdf' if slot.number % 2 else 'txt'}"
    editable = slot.kind in ("article", "report") and not site.crawl_delay
    versions = _edits(first, teller, rng, run) if editable else (first,)
    deleted_at = None
    if editable and rng.random() < _DELETED_SHARE:
        at = max(versions[-1].at, slot.visible_at) + _MIN_LIFE + rng.expovariate(10 / run.seconds)
        deleted_at = at if at <= run.until(SETTLED) else None
    return Story(
        id=f"{site.key}-{slot.number}", number=slot.number, site=site, host=site.host_of(section), path=path,
        kind=slot.kind, category=topic,
        section=section, author=teller.author(), published_at=slot.published_at,
        visible_at=slot.visible_at, versions=versions, deleted_at=deleted_at, pages=pages,
        reprint_of=reprint_of.id if reprint_of else None, quote_of=quote_of.id if quote_of else None,
        source=(reprint_of.site.name if reprint_of else None),
        caption=teller.title("caption") if rng.random() < 0.5 else None, disallowed=disallowed,
        noise=rng.randrange(1 << 30),
    )  # fmt: skip


def _edits(first: Version, teller: Teller, rng: random.Random, run: _Run) -> tuple[Version, ...]:
    versions = [first]
    if rng.random() >= _EDITED_SHARE:
        return (first,)
    last_edit = run.until(EDITED)
    for _ in range(1 if rng.random() < 0.75 else 2):
        at = versions[-1].at + _MIN_GAP + rng.expovariate(10 / run.seconds)
        if at > last_edit:
            break
        versions.append(_edit(versions[-1], rng.choice(_EDITS), at, teller, run))
    return tuple(versions)


def _edit(before: Version, kind: EditKind, at: float, teller: Teller, run: _Run) -> Version:
    rng, title, paragraphs = teller.rng, before.title, list(before.paragraphs)
    where = rng.randrange(len(paragraphs))
    if kind == "small":
        paragraphs[where] = f"{paragraphs[where]}{_gap(teller)}{teller.sentence('correction')}"
    elif kind == "added":
        paragraphs.insert(max(1, where), teller.paragraph(rng.randint(2, 4)))
    elif kind == "rewrite":
        kept = rng.sample(range(len(paragraphs)), max(1, len(paragraphs) // 3))
        paragraphs = [text if i in kept else teller.paragraph(rng.randint(2, 4)) for i, text in enumerate(paragraphs)]
    else:
        title = run.unique(teller)
        paragraphs[0] = teller.sentence("lead") + _gap(teller) + teller.sentence()
    return Version(at, kind, title, tuple(paragraphs))


def _gap(teller: Teller) -> str:
    return "" if teller.language == "zh" else " "


def _derive(
    slot: _Slot,
    sources: Sequence[Story],
    used: set[tuple[str, str]],
    run: _Run,
) -> Story:
    """A reprint of, or an article quoting, a story that another site has shown for at least a second."""
    last = bisect_right(sources, max(run.started_at, slot.visible_at - 1), key=lambda story: story.visible_at)
    usable = list(
        itertools.islice(
            (
                story
                for story in (sources[index] for index in range(last - 1, -1, -1))
                if story.site.language == slot.site.language
                and story.site is not slot.site
                and story.published_at < slot.published_at
                and not story.gone_at(slot.visible_at)
                and (story.id, slot.site.key) not in used
            ),
            _RECENT,
        )
    )
    if not usable:
        plain = _Slot(slot.site, slot.number, "article", slot.visible_at, slot.published_at, slot.rng)
        return _write(plain, run)
    original = slot.rng.choice(usable)
    used.add((original.id, slot.site.key))
    if slot.kind == "reprint":
        return _reprint(slot, original, run)
    return _quote(slot, original, run)


def _reprint(slot: _Slot, original: Story, run: _Run) -> Story:
    rng, source = slot.rng, original.version_at(slot.visible_at)
    topic = original.category
    teller = Teller(slot.site.language, topic, rng)
    paragraphs = list(source.paragraphs)
    if len(paragraphs) > 5 and rng.random() < 0.5:
        del paragraphs[-rng.randint(1, max(1, len(paragraphs) // 5)) :]
    if rng.random() < 0.3:
        paragraphs[rng.randrange(len(paragraphs))] += _gap(teller) + teller.sentence()
    name = original.site.name
    if slot.site.language == "zh":
        head, tail = f"据{name}报道，本文转载时略有删节。", f"（来源：{name}，编辑：{teller.author()}）"
        title = f"{rng.choice(('转载', '关注', '速览', '聚焦'))}：{source.title}"
    else:
        head, tail = f"This report first appeared in {name}.", f"Source: {name}. Edited by {teller.author()}."
        title = (
            f"{rng.choice(('Reported elsewhere', 'From the papers', 'Syndicated', 'Worth reading'))}: {source.title}"
        )
    if rng.random() < 0.7:
        paragraphs.insert(0, head)
    if rng.random() < 0.7:
        paragraphs.append(tail)
    if not run.take(title):
        title = run.unique(teller)
    first = Version(slot.visible_at, "first", title, tuple(paragraphs))
    return _story(slot, teller, topic, first, run=run, reprint_of=original)


def _quote(slot: _Slot, original: Story, run: _Run) -> Story:
    rng = slot.rng
    topic = original.category if original.category in slot.site.topics else slot.site.topics[0]
    teller = Teller(slot.site.language, topic, rng)
    quoted = rng.choice(original.version_at(slot.visible_at).paragraphs)
    name = original.site.name
    intro = f"{name}写道：“{quoted}”" if slot.site.language == "zh" else f"{name} wrote: “{quoted}”"
    paragraphs = teller.body(rng.randint(6, 14))
    paragraphs.insert(rng.randrange(1, len(paragraphs)), intro)
    first = Version(slot.visible_at, "first", run.unique(teller), tuple(paragraphs))
    return _story(slot, teller, topic, first, run=run, quote_of=original)
