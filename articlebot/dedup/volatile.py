"""Lines that change at every request (counters, clocks, advertisements): telling them from an edit.

An extractor without a wrapper of the site takes some of them for text. What an editor writes ends as sentences do; what
moves by itself comes and goes again, or differs in its digits only, on several pages of the site.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from articlebot.connect import RedisStore
from articlebot.text import normalise

_DIGITS = re.compile(r"\d+(?:[.,:：/-]\d+)*")
# How sentences end, also inside quotes or before a footnote mark.
_SENTENCE = re.compile(r"[.!?。！？…；;][\"'”’」』）)\]]*\s*(?:\Z|\[?\d)")
# A number beside the name of what is counted, or a clock with seconds.
_COUNTED = (
    r"(?:阅读|閱讀|浏览|瀏覽|点击|點擊|访问|評論|评论|跟贴|参与|点赞|收藏|转发|"
    r"\b(?:views?|reads?|comments?|visitors?|shares?|likes?|hits?)\b)"
)
_COUNTER = re.compile(rf"{_COUNTED}\D{{0,10}}\d|\d\s?\w?\s?{_COUNTED}|\b\d{{1,2}}:\d{{2}}:\d{{2}}\b", re.I)
_LONG = 160  # characters: no line that moves by itself is longer
_SHORT = 30  # characters up to which a line that counts is none of the text, though it ends as a sentence does
_KEPT_SHAPES = 2000
_KEPT_SECONDS = 60 * 86400


@dataclass(frozen=True, slots=True)
class Difference:
    """How two versions of a text differ.

    Attributes:
        edited: a sentence was added, taken away or changed, or lines changed places: nothing does that by itself.
        lost, gained: lines that are in one version only and may have moved by themselves, digits masked.
        counters: those among them that name what they count, or show a clock; no second sight is needed.
    """

    edited: bool
    lost: frozenset[str] = frozenset()
    gained: frozenset[str] = frozenset()
    counters: frozenset[str] = frozenset()

    @property
    def shapes(self) -> frozenset[str]:
        """All of the lines."""
        return self.lost | self.gained


def compare(old: str, new: str) -> Difference:
    """The difference between two versions, line by line."""
    before, after = _lines(old), _lines(new)
    lost, gained = Counter(before) - Counter(after), Counter(after) - Counter(before)
    if not lost and not gained:
        return Difference(edited=before != after)
    if any(_is_sentence(line) for line in (*lost, *gained)):
        return Difference(edited=True)
    lost_shapes, gained_shapes = frozenset(map(_mask, lost)), frozenset(map(_mask, gained))
    counting = {_mask(line) for line in gained if _COUNTER.search(line)}
    return Difference(False, lost_shapes, gained_shapes, frozenset(counting & lost_shapes))


def _lines(text: str) -> list[str]:
    return [line for raw in text.split("\n") if (line := normalise(raw))]


def _is_sentence(line: str) -> bool:
    if len(line) > _LONG:
        return True
    return _SENTENCE.search(line) is not None and (len(line) > _SHORT or not _COUNTER.search(line))


def _mask(line: str) -> str:
    return _DIGITS.sub("#", line)


class RedisVolatileLines(RedisStore):
    """How lines of a site have been seen to change, shared by all workers: 2,000 sights a site at most."""

    below = "lines"

    async def moving(self, site: str, page: int, difference: Difference) -> frozenset[str]:
        """The lines of a difference that move by themselves; how they have changed now is kept for the next time.

        A line that comes has gone before, one that goes has come before, on any page of the site; one of which only
        the digits differ has done so on another page. So a line that several articles gain, such as a note on a
        correction, is an edit of each.

        Args:
            page: key of the page of both versions.
        """
        stays = difference.lost & difference.gained
        gained, lost = difference.gained - stays, difference.lost - stays
        asked = _signed(stays, lost, gained)
        if not asked:
            return frozenset()
        name, mine = f"{self._key}:{site}", page.to_bytes(8, "big")
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.hmget(name, [_sight(*one) for one in asked])
            pipe.hlen(name)
            seen, size = await pipe.execute()
            if size < _KEPT_SHAPES:
                for one in _signed(stays, gained, lost):
                    pipe.hsetnx(name, _sight(*one), mine)
                pipe.expire(name, _KEPT_SECONDS)
                await pipe.execute()
        known = zip(asked, seen, strict=True)
        return frozenset(shape for (sign, shape), at in known if at is not None and (sign != "=" or at != mine))


def _signed(same: Iterable[str], plus: Iterable[str], minus: Iterable[str]) -> list[tuple[str, str]]:
    return [("=", shape) for shape in same] + [("+", shape) for shape in plus] + [("-", shape) for shape in minus]


def _sight(sign: str, shape: str) -> bytes:
    return blake2b((sign + shape).encode("utf-8", "replace"), digest_size=8).digest()
