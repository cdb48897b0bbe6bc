"""How much of each block is article text, judged from one page and from the site as a whole.

No labels are needed: what generic extraction takes, where the page's new prose stands together, and what the names of
elements say are put together to a probability. Each of them errs on single pages; what they say of a path over many
pages is what the wrapper learns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, reduce
from itertools import chain, takewhile
from typing import Any
from urllib.parse import urlsplit

from articlebot.extraction.wrapper.samples import Sample, squeeze
from articlebot.page.blocks import Block
from articlebot.page.page import Page
from articlebot.page.tags import HEADINGS
from articlebot.page.text import units

Witness = Callable[["Page"], str]

_SENTENCE = re.compile(r"[.!?。！？…;；][\"'”’」』）)\]]*(?:\s|\Z)")
_LEAVES = frozenset("p blockquote li pre dd".split())
_CHUNK = 30
_MAX_HEARD = 20  # pages that the witness is asked about; it takes ten times what all the rest of learning takes
# Names that sites give to what stands beside an article's text; the same words everywhere, hence known and not learned.
ASIDE = re.compile(
    r"comment|disqus|related|recommend|share|sharing|social|promo|sponsor|advert|newsletter|signup|subscri|"
    r"side-?bar|footer|"
    r"breadcrumb|toolbar|author-?(?:bio|box|info)|about-?author|copyright|[.#](?:post-|entry-)?tags?\b|read-?more|"
    r"more-?(?:on|from|stories)|"
    r"navigation|\bnav\b|pagination|\bpager\b|popular|trending|most-?(?:read|viewed)|outbrain|taboola|tweet|"
    r"instagram-media",
    re.I,
)
CAPTION = re.compile(
    r"caption|photo-?credit|image-?credit|[.#]credit\b|imgdesc|img-?title|pic-?(?:desc|txt)|photo-?text|photo-?desc",
    re.I,
)
_BYLINE = re.compile(
    r"byline|dateline|timestamp|pub-?(?:date|time)|post-?(?:meta|info|date)|article-?(?:meta|info)|[.#](?:meta|"
    r"author|source|date|time)\b",
    re.I,
)
_DATED = re.compile(
    r"(?:19|20)\d\d[-/.年년]\s?\d{1,2}[-/.月월]\s?\d{1,2}|\b\d{1,2}:\d\d\b.{0,30}\b(?:19|20)\d\d\b|"
    r"\b[A-Z][a-z]{2,8}\.? \d{1,2}, (?:19|20)\d\d"
)
_LONG_TITLE = 20  # characters without white space, from which a line that ends in it is no sentence of the text
ADDRESS = re.compile(r"https?://|www\.")


def label(samples: Sequence[Sample], witness: Witness) -> None:
    """Sets each sample's labels. The witness gives a page's article text by itself, such as generic extraction."""
    for number, sample in enumerate(samples):
        sample.weights = [weight_of(block) for block in sample.blocks]
        sample.linked = [is_linked(block, sample.page.url) for block in sample.blocks]
        heard = _heard(witness, sample.page) if number < _MAX_HEARD else ""
        spoken = squeeze(heard)
        home = prose_home(sample)
        inside = [home is not None and home in (b.element, *b.element.iterancestors()) for b in sample.blocks]
        paths = [path.split("/") for path in sample.paths]
        # The path that all blocks inside the home share: names on it say nothing against them.
        homes = [path for path, i in zip(paths, inside, strict=True) if i]
        above = reduce(_shared, homes) if homes else []
        below = ["/".join(path[len(_shared(path, above)) :]) for path in paths]
        sample.labels = [_probability(sample, i, path, inside[i], spoken) for i, path in enumerate(below)]


def _heard(witness: Witness, page: Page) -> str:
    try:
        return witness(page) or ""
    except MemoryError:
        raise
    except Exception:
        return ""


def _shared(path: list[str], other: list[str]) -> list[str]:
    """The first steps that two paths have in common."""
    return [mine for mine, _ in takewhile(lambda both: both[0] == both[1], zip(path, other, strict=False))]


def _probability(sample: Sample, i: int, path: str, inside: bool, spoken: str) -> float:
    block, lines = sample.blocks[i], sample.lines[i]
    if is_title(lines, sample.title):
        return 0.02
    said = share_in(lines, spoken) if spoken else float(inside)
    base = 0.5 * said + 0.5 * float(inside)
    fresh = sample.fresh[i]
    if block.tag in HEADINGS and block.units < 60 and block.link_share < 0.5:
        fresh = max(fresh, 0.6)  # sections of different articles share their headings
    elif block.units < 12:
        fresh = max(fresh, 0.5)  # and their tables the shortest cells
    base *= 0.05 + 0.95 * fresh
    if sample.linked[i]:
        base *= 0.4
    aside, caption, byline = _named(path)
    if aside or caption:
        return base * (0.35 if aside else 0.3)
    if block.units < 160 and (byline or (block.units < 100 and _DATED.search(block.text))):
        return base * 0.4
    return base


@lru_cache(maxsize=8192)
def _named(path: str) -> tuple[bool, bool, bool]:
    """Whether a path's names are those of what stands beside a text, of captions, of bylines."""
    return ASIDE.search(path) is not None, CAPTION.search(path) is not None, _BYLINE.search(path) is not None


def is_title(lines: Sequence[str], title: str) -> bool:
    """Whether lines are a page's title, its beginning, or the title behind a shorter line above it."""
    text = "".join(lines)
    if len(text) > len(title):
        return len(title) * 2 > len(text) and len(title) >= _LONG_TITLE and text.endswith(title)
    return len(text) >= 6 and len(text) * 2 > len(title) and title.startswith(text)


def share_in(lines: Sequence[str], text: str) -> float:
    """Share of lines (squeezed) that a text (squeezed) contains, by length; long lines are looked up in pieces."""
    total = found = 0
    for line in lines:
        if len(line) <= _CHUNK:
            total += len(line)
            found += len(line) if line in text else 0
            continue
        for start in range(0, len(line) - _CHUNK + 1, _CHUNK):
            total += _CHUNK
            found += _CHUNK if line[start : start + _CHUNK] in text else 0
    return found / total if total else 0.0


def prose_home(sample: Sample) -> Any:
    """The element in which the page's new prose stands together, None on a page without any.

    Each block of prose counts for its element's parent, by half for the grandparent and a quarter above, so that the
    smallest element that holds most of it wins. The body is one where it holds the paragraphs itself, as in pages
    made by hand.
    """
    scores: dict[Any, float] = {}
    for block, fresh in zip(sample.blocks, sample.fresh, strict=True):
        length = block.units
        if length < 40 or block.link_share > 0.4 or fresh < 0.5:
            continue
        weight = float(min(length, 800)) * (1.0 if _SENTENCE.search(block.text) else 0.4)
        node = block.element.getparent() if block.tag in _LEAVES else block.element
        for factor in (1.0, 0.6, 0.3):
            if node is None or node.tag == "html" or (node.tag == "body" and factor < 1.0):
                break
            scores[node] = scores.get(node, 0.0) + factor * weight
            node = node.getparent()
    return max(scores, key=lambda e: scores[e]) if scores else None


def is_linked(block: Block, url: str) -> bool:
    """Whether a block is one link to another page of the site: a pointer, unless the site taught otherwise."""
    return (
        block.link_share > 0.8
        and block.tag not in HEADINGS
        and not ADDRESS.search(block.text)
        and _is_inward(block.element, url)
    )


def _is_inward(element: Any, url: str) -> bool:
    anchor = next(chain(element.iter("a"), element.iterancestors("a")), None)
    href = (anchor.get("href") or "").strip() if anchor is not None else ""
    if not href.startswith(("http://", "https://", "//")):
        return not href.startswith(("mailto:", "javascript:", "#"))
    return _domain(href) == _domain(url) if url else True


@lru_cache(maxsize=1024)
def _domain(url: str) -> str:
    with suppress(ValueError):  # what is linked need not be an address
        return ".".join((urlsplit(url).hostname or "").rsplit(".", 2)[-2:])
    return ""


def weight_of(block: Block) -> float:
    """A block's weight among its page's text: its length in units, links by a third."""
    return float(units(block.text)) * (1.0 if block.link_share < 0.5 else 0.6)
