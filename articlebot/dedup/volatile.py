"""Lines that change at every request (counters, clocks, advertisements): telling them from an edit.

An extractor without a wrapper of the site takes some of them for text. Between two versions of one article they are
seen at once: the line is no sentence, and it differs in its digits only, or the same line (digits aside) has changed
before on the site.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

import redis.asyncio

from articlebot.text import normalise

_DIGITS = re.compile(r"\d+(?:[.,:：/-]\d+)*")
# How sentences end, also inside quotes or before a footnote mark.
_SENTENCE = re.compile(r"[.!?。！？…；;][\"'”’」』）)\]]*\s*(?:\Z|\[?\d)")
_COUNTER = re.compile(
    r"阅读|閱讀|浏览|瀏覽|点击|點擊|访问|評論|评论|跟贴|参与|点赞|收藏|转发|views?\b|reads?\b|comments?\b|visitors?\b|"
    r"shares?\b|likes?\b|hits?\b|\b\d{1,2}:\d{2}:\d{2}\b",
    re.I,
)
_LONG = 160
_KEPT_SHAPES = 2000
_KEPT_SECONDS = 60 * 86400


@dataclass(frozen=True, slots=True)
class Difference:
    """How two versions of a text differ.

    Attributes:
        edited: a sentence was added, taken away or changed, or lines changed places: no boilerplate does that.
        shapes: differing lines that may be boilerplate, digits masked.
        counters: those among them that name what they count, or show a clock; no second sight is needed.
    """

    edited: bool
    shapes: frozenset[str] = frozenset()
    counters: frozenset[str] = frozenset()


def compare(old: str, new: str) -> Difference:
    """The difference between two versions, line by line."""
    before, after = _lines(old), _lines(new)
    lost, gained = Counter(before) - Counter(after), Counter(after) - Counter(before)
    if not lost and not gained:
        return Difference(edited=before != after)
    if any(_is_sentence(line) for line in (*lost, *gained)):
        return Difference(edited=True)
    lost_shapes, gained_shapes = _shapes(lost), _shapes(gained)
    counters = {shape for shape in lost_shapes if lost_shapes[shape] == gained_shapes[shape] and _COUNTER.search(shape)}
    counters |= {_mask(line) for line in gained if _COUNTER.search(line) and _mask(line) in lost_shapes}
    return Difference(False, frozenset({*lost_shapes, *gained_shapes}), frozenset(counters))


def is_reread(old: str, new: str) -> bool:
    """Whether a text is the old one with lines left out, or with lines that are no sentences: another extractor's view.

    A sentence that was not there before is an edit, whoever read it.
    """
    before, after = Counter(_lines(old)), Counter(_lines(new))
    return bool(before and after) and not any(_is_sentence(line) for line in after - before)


def _lines(text: str) -> list[str]:
    return [line for raw in text.split("\n") if (line := normalise(raw))]


def _is_sentence(line: str) -> bool:
    return len(line) > _LONG or (bool(_SENTENCE.search(line)) and not _COUNTER.search(line))


def _mask(line: str) -> str:
    return _DIGITS.sub("#", line)


def _shapes(lines: Counter[str]) -> Counter[str]:
    out: Counter[str] = Counter()
    for line, count in lines.items():
        out[_mask(line)] += count
    return out


class RedisVolatileLines:
    """Which lines of a site have been seen to change, shared by all workers: 8 bytes a line, 2,000 a site at most.

    Args:
        client: ``redis.asyncio`` client that returns bytes.
        prefix: first part of every key.
    """

    def __init__(self, client: redis.asyncio.Redis, prefix: str) -> None:
        self._client = client
        self._prefix = f"{prefix}:volatile:"

    async def known(self, site: str, shapes: Iterable[str]) -> frozenset[str]:
        """Those of ``shapes`` that have changed before on the site; all of them are known from now on."""
        wanted = list(shapes)
        if not wanted:
            return frozenset()
        name = self._prefix + site
        ids = [blake2b(shape.encode(), digest_size=8).digest() for shape in wanted]
        async with self._client.pipeline(transaction=True) as pipe:
            pipe.smismember(name, ids)
            pipe.scard(name)
            seen, size = await pipe.execute()
            if size < _KEPT_SHAPES:
                pipe.sadd(name, *ids)
                pipe.expire(name, _KEPT_SECONDS)
                await pipe.execute()
        return frozenset(shape for shape, flag in zip(wanted, seen, strict=True) if flag)
