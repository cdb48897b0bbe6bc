"""What a site's pages teach of an article's fields beside its text.

The title by a learned path, that of the element which on most pages carries what the general rules read there; pictures
that are the site's; and whether writers stand outside of the region that is looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from articlebot.extraction.fields.authors import authors_of
from articlebot.extraction.fields.images import images_between
from articlebot.extraction.fields.lead import stated_leads
from articlebot.extraction.fields.titles import headline, titles_of
from articlebot.extraction.place import Headline, Located, Region
from articlebot.extraction.wrapper.model import MIN_PAGES, Rules
from articlebot.extraction.wrapper.paths import Projector, key_of
from articlebot.extraction.wrapper.reading import Reading
from articlebot.extraction.wrapper.samples import Sample, page_title, squeeze
from articlebot.page.blocks import Block
from articlebot.page.page import Page
from articlebot.page.text import fold

_SHARE = 0.6  # of the pages that a field's path must be right on
_RIGHT = 0.8  # of the pages on which an element must be the title, or whose head states the same one
_RANKED = 6
_MOST_PICTURES = 100
_SOME = 1 / 3  # of the pages that a picture of the site is on
# Pages asked for their writers, and those with one outside of the region from which the site's are read there.
_ASKED, _SIGNED_ON = 12, 2


def read_title(rules: Rules, page: Page, named: Mapping[str, Sequence[Any]]) -> tuple[str, float]:
    """The title by its learned path, and how sure it is; "" where there is none, or the page's head states another.

    Args:
        named: the page's elements of each key of the rules.
    """
    texts = (fold("".join(element.itertext()))[:500] for element in named.get(rules.title, ()))
    title = headline(next((text for text in texts if _may_be_title(squeeze(text))), ""), page)
    if rules.typical.stated >= _RIGHT and not _is_stated(squeeze(title), page):
        title = ""
    return title, round(0.5 + 0.5 * rules.typical.titled, 3)


def _is_stated(title: str, page: Page) -> bool:
    """Whether a headline (squeezed) is one that the page's head states, or the head states none.

    One with more than that may have a button beside it.
    """
    stated = [squeeze(text) for text in (*page.meta.get("og:title", ()), page.title) if text]
    return not stated or any(title in text for text in stated)


def _may_be_title(squeezed: str) -> bool:
    """Whether a text is neither as short as a section's name nor as long as a paragraph."""
    return 4 <= len(squeezed) <= 250


def learn_title(samples: Sequence[Sample], projector: Projector) -> tuple[str, float, float]:
    """The key of the title, on how many pages it was right, and on how many of them the head states the same."""
    title, right = _title_key(samples, projector)
    return title, right, _stated_share(title, samples, projector)


def headlines(samples: Sequence[Sample]) -> list[str]:
    """Each page's likeliest headline that no other page has, squeezed: what stands on several is a section's name."""
    ranked = []
    for sample in samples:
        body = (b.text for b, label in zip(sample.blocks, sample.labels, strict=True) if label > _SHARE)
        titles = titles_of(sample.page, Located(sample.page, "\n".join(body)))
        ranked.append([squeeze(title.text) for title in islice(titles, _RANKED)])
    pages = Counter(text for texts in ranked for text in set(texts))
    return [next((text for text in texts if pages[text] == 1), "") for texts in ranked]


def _title_key(samples: Sequence[Sample], projector: Projector) -> tuple[str, float]:
    right: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for sample, likeliest in zip(samples, headlines(samples), strict=True):
        first: set[str] = set()
        for block, lines in zip(sample.blocks, sample.lines, strict=True):
            text = "".join(lines)
            if not _may_be_title(text):
                continue
            key = key_of(block.element, projector.namer)
            if key in first:
                continue
            first.add(key)
            seen[key] += 1
            right[key] += text == likeliest
    floor = _SHARE * len(samples)
    good = [k for k in right if right[k] >= max(2.0, floor) and right[k] >= _RIGHT * seen[k]]
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


class Found(NamedTuple):
    """A page's region, the headline in it, and its text."""

    region: Region
    heading: Headline
    kept: Sequence[Block]


def found_on(rules: Rules, page: Page, reading: Reading) -> Found:
    """The region that was read of a page."""
    region = Region(page, reading.walk, reading.kept)
    title = read_title(rules, page, reading.named)[0] or page_title(page)
    return Found(region, Headline(region, title, reading.kept), reading.kept)


def pictures(found: Sequence[Found]) -> tuple[str, ...]:
    """The addresses of pictures that many of the pages would have in their articles, or state for them."""
    pages: Counter[str] = Counter()
    for region, heading, kept in found:
        shown = images_between(region, kept, heading)
        pages.update({image.url for _, image in shown} | {lead.image.url for lead in stated_leads(region.whole)})
    least = max(MIN_PAGES, _SOME * len(found))
    return tuple(url for url, count in pages.most_common(_MOST_PICTURES) if count >= least)


def signed_outside(found: Sequence[Found]) -> bool:
    """Whether the site has its writers outside of the region, as in a box above what holds headline and text."""
    outside = filter(_is_signed_outside, found[:_ASKED])
    return len([*islice(outside, _SIGNED_ON)]) == _SIGNED_ON


def _is_signed_outside(one: Found) -> bool:
    if authors_of(one.region, one.region.kept, one.heading).names:
        return False
    text = "\n".join(block.text for block in one.kept)
    return bool(authors_of(*one.region.on_whole(one.heading.title, text)).names)
