"""Wrappers out of a site's own pages, without labels."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from articlebot.extraction.wrapper.fields import found_on, learn_title, pictures, signed_outside
from articlebot.extraction.wrapper.labels import Witness, label
from articlebot.extraction.wrapper.model import MIN_PAGES, Amounts, Rules, Typical
from articlebot.extraction.wrapper.paths import (
    LINKED,
    Place,
    Projector,
    is_aside,
    library,
    names_in,
    places,
    relative,
    rules,
    vocabulary,
)
from articlebot.extraction.wrapper.reading import Line, Reader, Reading
from articlebot.extraction.wrapper.samples import (
    Sample,
    gather,
    line_key,
    page_counts,
    repeats,
    squeeze,
    tells_when,
    varies,
)
from articlebot.extraction.wrapper.surroundings import Beside, beside, contradicted, elsewhere
from articlebot.page.page import Page
from articlebot.page.tags import all_stable_names
from articlebot.page.text import units

MAX_TEMPLATES = 4
MAX_REPEATED = 400
_CANDIDATES = 25
_MOST_REFUTED = 3  # containers that do not hold what they promised
_PROVED_ON = 6  # pages
_NAMES = 1000
# Pages that have a place, and the mean chance of its lines from which it has text: with .3 the line below a video had.
_SEEN_ON, _LIKELY = 2, 0.5
# Of lines that repeat and have a mean chance of .9 or more, 66 of 66 are in the annotated texts (the corpus' sites of
# five pages and more); from .7 to .9 it is 31 of 63. Those stand between other lines: headings, items, cells.
# Outside of the containers none below .2 is ever kept.
_FEW, _POSSIBLE, _NEVER = 1 / 2, 0.2, 2.0
# Of the mean chance: between the lines of one page alone, behind them, before them. Short ones of most pages with .75
# and more between the lines are as often the site's: "(Story continues below)", an agency's byline.
_OF_FEW, _VARIED, _DATED = (0.6, 0.9, 0.9), (0.6, 0.7, 0.7), (0.6, 0.5, _NEVER)
_DIGITS = re.compile(r"\d+")


@dataclass(slots=True)
class _Template:
    """A container key with the pages that have it, and what its rules cost."""

    key: str
    found: list[tuple[Sample, Place]]
    paths: dict[str, bool]
    cost: float


def learn_rules(pages: Iterable[Page], site: str, witness: Witness) -> list[Rules]:
    """The rules of a site's templates, most frequent first; empty where fewer than three pages agree on anything.

    Args:
        pages: of the site, at most 60 are read. Lists and pages of other kinds may be among them: they fit no template.
        witness: gives the article text of one page by itself, such as generic extraction.
    """
    samples = gather(pages)
    if len(samples) < MIN_PAGES:
        return []
    label(samples, witness)
    samples = [s for s in samples if _has_article(s)]
    learned: list[Rules] = []
    left = samples
    refuted: set[str] = set()
    while len(left) >= (MIN_PAGES if not learned else 2) and len(learned) < MAX_TEMPLATES:
        projector = Projector(vocabulary(left))
        template = _best_template(left, projector, refuted)
        if template is None:
            break
        made = _make(template, samples, projector, site, len(learned))
        if made is None and len(refuted) < _MOST_REFUTED:
            refuted.add(template.key)
            continue
        if made is not None:
            learned.append(made)
        covered = {id(sample) for sample, _ in template.found}
        left = [s for s in left if id(s) not in covered]
    return learned


def _is_proved(readings: Sequence[Reading], samples: Sequence[Sample]) -> bool:
    """Whether what was learned takes, on most of its pages, what the generic rules take of the whole page."""
    asked = list(zip(readings, samples, strict=True))[:_PROVED_ON]
    refuted = [contradicted(s.page, "\n".join(line.text for line in r.kept)) for r, s in asked]
    return 2 * sum(refuted) < len(refuted)


def _has_article(sample: Sample) -> bool:
    return sample.article_weight >= 60.0


def _best_template(samples: Sequence[Sample], projector: Projector, refuted: Collection[str]) -> _Template | None:
    """The container that says most cheaply where the article text stands."""
    found = [places(s, projector.namer) for s in samples]
    promise: dict[str, float] = defaultdict(float)
    for on_page in found:
        for key, place in on_page.items():
            if place.good > 0.2 and key not in refuted:
                promise[key] += max(0.0, place.good - 0.3 * min(3.0, place.bad))
    best: _Template | None = None
    for key in sorted(promise, key=lambda k: -promise[k])[:_CANDIDATES]:
        have = [(s, on_page[key]) for s, on_page in zip(samples, found, strict=True) if _good(on_page.get(key))]
        if len(have) < 2:
            continue
        cost = sum(max(0.0, 1.0 - place.good) for _, place in have)
        # a wide container reads new pages worse than those it was learned from; what it lacks may be another template
        cost += (0.25 if not key.startswith("body") else 0.7) * sum(min(2.0, place.bad) for _, place in have)
        cost += 0.5 * (len(samples) - len(have)) + 0.002 * key.count("/")
        if best is not None and cost >= best.cost:
            continue  # whatever its rules, which take the time
        paths, ruled = rules(library(have, projector))
        if best is None or cost + ruled < best.cost:
            best = _Template(key, have, paths, cost + ruled)
    return best


def _good(place: Place | None) -> bool:
    return place is not None and place.good > 0.4


def _make(template: _Template, samples: Sequence[Sample], projector: Projector, site: str, number: int) -> Rules | None:
    mine = [s for s, _ in template.found]
    title, titled, stated = learn_title(mine, projector)
    names = tuple(sorted({*_names_used(template, projector), *(names_in(title) & projector.names)}))
    draft = Rules(
        site=site,
        template=number,
        pages=len(mine),
        body=(template.key,),
        names=names,
        paths=template.paths,
        title=title,  # where the headline stands decides on the region looked at
        layout=_layout(mine),
    )
    reader = Reader(draft)
    regions = [reader.read(s.page) for s in mine]
    typical = _usual([beside(region.walk, s.page) for region, s in zip(regions, mine, strict=True)])
    found = [found_on(draft, s.page, region) for region, s in zip(regions, mine, strict=True)]
    draft = replace(
        draft, typical=typical, repeated=_repeated(regions, samples), pictures=pictures(found),
        signed_outside=signed_outside(found),
    )  # fmt: skip
    reader = Reader(draft)
    readings = [reader.read(s.page) for s in mine]
    likely = _likely(r.lines for r in readings)
    # Links in a box beside the text look like headings of it.
    boxed = {path for path in likely if path.endswith(LINKED) and _is_beside(path.rpartition("/")[0])}
    draft = replace(draft, likely=tuple(sorted(likely - boxed)[:_NAMES]))
    # Of what does not repeat, what it looks like on the whole says more than the labels; boxes are cut as a whole.
    new = [[line for line in r.lines if not reader.is_repeated(line.block.text)] for r in readings]
    cut = ((line for line in lines if line.rule.startswith("path ")) for lines in new)
    wrongly = [path for path in _likely(cut) if not (draft.paths.get(path, True) or _is_beside(path))]
    if wrongly:
        draft = replace(draft, paths=draft.paths | dict.fromkeys(wrongly, True))
        readings = [Reader(draft).read(s.page) for s in mine]
    lengths = sorted(r.units for r in readings if r.units > 0)
    if len(lengths) < 2 or not _is_proved(readings, mine):
        return None
    most = max(elsewhere(r.walk, s.page, r.units) for r, s in zip(readings, mine, strict=True) if r.units)
    typical = replace(
        typical, elsewhere=round(most, 3), median=statistics.median(lengths), low=lengths[0], high=lengths[-1],
        titled=titled, stated=stated,
    )  # fmt: skip
    error = template.cost / max(1, len(samples))
    support = 1.0 - 1.0 / (1.0 + len(mine))
    confidence = round(max(0.0, min(1.0, support * (1.0 - error / 2))), 3)
    return replace(draft, typical=typical, confidence=confidence)


def _usual(around: Sequence[Beside]) -> Typical:
    """The means of what stands beside the regions of some pages."""
    sums = [round(statistics.fmean(numbers), 1) for numbers in zip(*(one.sums for one in around), strict=True)]
    outer: list[Amounts] = []
    for depth in reversed(range(max(len(one.outer) for one in around))):
        on_pages = [one.outer[depth] for one in around if len(one.outer) > depth]
        blocks, chars, linked, words = (round(statistics.fmean(amounts), 1) for amounts in zip(*on_pages, strict=True))
        inner = outer[-1] if outer else (0.0, 0.0, 0.0, 0.0)  # of fewer pages; what holds it has no less
        outer.append((max(blocks, inner[0]), max(chars, inner[1]), max(linked, inner[2]), max(words, inner[3])))
    return Typical(
        blocks_before=sums[0], blocks_behind=sums[1], words_before=sums[2], words_behind=sums[3],
        elements_before=sums[4], elements_behind=sums[5], outer=tuple(reversed(outer)),
    )  # fmt: skip


def _layout(samples: Sequence[Sample]) -> tuple[str, ...]:
    """The names that at least seven of eight pages have."""
    counts = Counter(name for s in samples for name in all_stable_names(s.page.elements))
    return tuple(sorted(name for name, count in counts.items() if count >= len(samples) - len(samples) // 8))[:_NAMES]


def _likely(pages: Iterable[Iterable[Line]]) -> set[str]:
    """The paths below the containers that at least two pages have and whose lines are mostly text."""
    seen: defaultdict[str, list[float]] = defaultdict(list)
    for lines in pages:
        sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for line in lines:
            if line.path is not None:
                sums[line.path][0] += line.block.units * line.chance
                sums[line.path][1] += line.block.units
        for path, (weight, whole) in sums.items():
            seen[path].append(weight / max(1.0, whole))
    return {path for path, means in seen.items() if len(means) >= _SEEN_ON and statistics.fmean(means) >= _LIKELY}


def _is_beside(path: str) -> bool:
    """Whether elements of a path are named as ones beside a text."""
    return any(map(is_aside, path.split("/")))


def _names_used(template: _Template, projector: Projector) -> set[str]:
    """The names that occur inside the containers or in their key: all that a reader needs."""
    used = set(names_in(template.key))
    for sample, place in template.found:
        memo: dict[Any, str | None] = dict.fromkeys(place.elements, "")
        for block in sample.blocks:
            path = relative(block.element, projector.namer, memo)
            if path:
                used |= names_in(path)
        for element in place.elements:
            for node in (element, *element.iterancestors()):
                used |= names_in(projector.namer(node))
    return used


def _repeated(regions: Sequence[Reading], samples: Sequence[Sample]) -> tuple[str, ...]:
    """Lines of the pages' regions that the site put there, those on most pages first.

    A line that few articles share, or that has other numbers in each, is no such line where it is surely text: what
    happened before, an item of a list, a notice's number.
    """
    counts, pages = page_counts(samples), len(samples)
    seen: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
    forms: defaultdict[str, set[str]] = defaultdict(set)
    for region in regions:
        keys = [_DIGITS.sub("0", squeeze(line.block.text)) for line in region.lines]
        again = [repeats(counts[key], pages, units(key) + 1) for key in keys]
        own = [at for at, line in enumerate(region.lines) if line.kept and not again[at]]
        for at, line in enumerate(region.lines):
            if keys[at] and again[at] and (line.path is not None or line.chance >= _POSSIBLE):
                place = -1 if not own or at < own[0] else int(at > own[-1])
                seen[keys[at]].append((line.chance, place))
                forms[keys[at]].add(squeeze(line.block.text))
    chosen = [text for text, places in seen.items() if not _is_shared(text, forms[text], places, len(regions))]
    return tuple(line_key(text) for text in sorted(chosen, key=lambda text: -counts[text])[:MAX_REPEATED])


def _is_shared(key: str, forms: Collection[str], places: Sequence[tuple[float, int]], pages: int) -> bool:
    """Whether a line that repeats is the articles' own.

    Args:
        key: the line, squeezed, digits made equal.
        forms: as which it stands on the pages that have it, squeezed.
        places: its chance on each, and where it stands: before the page's own lines (-1), between or behind them.
        pages: of the template.
    """
    varied = varies(forms, len(places))
    if not key.strip("0.,:/") or not (varied or len(places) < _FEW * pages):  # the numbers beside code; most pages'
        return False
    least = _OF_FEW if not varied else _DATED if tells_when(key, forms) else _VARIED
    where = {place for _, place in places}
    mean = statistics.fmean(chance for chance, _ in places)
    return mean >= max(least[place] for place in where)
