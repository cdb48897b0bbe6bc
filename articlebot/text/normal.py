"""The one form of a text: what is compared, hashed and segmented."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from hashlib import blake2b

from articlebot.files import shipped

# Control and format characters (zero width, direction marks, soft hyphen, byte order mark), variation selectors, tags,
# unpaired surrogates and private use: nothing of these is seen by a reader. White space among them is folded instead.
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\ue000-\uf8ff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
# What XML 1.0 has no way to write, whichever encoding (production 2, Char).
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLANE = 0x10000
_BETWEEN = "\ufdd0"  # no character, by definition: not in any text


# What is known of an article is computed from one text by several parts of a crawl, which each normalise and fold it.
@lru_cache(maxsize=8)
def normalise(text: str) -> str:
    """The text in Unicode form NFKC, runs of white space as one space, invisible characters removed.

    Idempotent. Case, punctuation and traditional characters stay: who reads the text must still recognise it.
    """
    if text.isascii():
        return " ".join(INVISIBLE.sub("", text).split())
    # unicodedata takes .25 ms for a Chinese page of 5 kB, because full-width punctuation is in every line; character by
    # character takes a third of it and leaves little to do.
    return " ".join(unicodedata.normalize("NFKC", text.translate(_COMPATIBLE)).split())


@lru_cache(maxsize=8)
def fold(text: str) -> str:
    """The text for comparison: normalised, lower case, traditional Chinese characters as simplified ones.

    Two articles that differ only in script or case fold to the same text. The character pairs are those of OpenCC's
    TSCharacters (Apache-2.0), one for one: frozen with ``simhash.VERSION``.
    """
    folded = normalise(text).lower()
    return folded if folded.isascii() else folded.translate(_SIMPLE)


def fold_each(texts: Sequence[str]) -> list[str]:
    """Each text folded; together, because folding a title alone costs four times its share."""
    joined = _BETWEEN.join(text.replace(_BETWEEN, " ") for text in texts)
    return [text.strip() for text in fold(joined).split(_BETWEEN)][: len(texts)]


def shown(text: str) -> str:
    """The text as a reader is to see it: like ``normalise``, but characters keep their width and form (Unicode NFC)."""
    return " ".join(INVISIBLE.sub("", unicodedata.normalize("NFC", text)).split())


def fold_in_place(text: str) -> str:
    """The text folded character by character, so that places in it are places in the text.

    Against ``fold`` it leaves those characters as they are that fold to none or to several.
    """
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def content_hash(text: str) -> int:
    """64-bit hash of the normalised text: equal for texts that a reader cannot tell apart. 0 only for an empty text."""
    normal = normalise(text)
    if not normal:
        return 0
    return int.from_bytes(blake2b(normal.encode(), digest_size=8).digest(), "big") or 1


class _Table(dict[int, str]):
    """What characters become, each found when it is first met; those of the first plane are kept."""

    def __init__(self, form: Callable[[str], str]) -> None:
        super().__init__()
        self._form = form

    def __missing__(self, code: int) -> str:
        form = self._form(chr(code))
        if code < _PLANE:
            self[code] = form
        return form


def _form(character: str) -> str:
    """Its form in NFKC, none where nobody sees it."""
    return "" if INVISIBLE.match(character) else unicodedata.normalize("NFKC", character)


def _simple(character: str) -> str:
    return _simplified().get(character, character)


def _folded(character: str) -> str:
    """Lower case, simplified and compatible, of what is one character then too."""
    form = _form(character)
    one = form if len(form) == 1 else character
    lower = one.lower()
    return _simple(lower if len(lower) == 1 else one)


@cache
def _simplified() -> dict[str, str]:
    """Traditional Chinese characters and the simplified ones for them, both of the first plane."""
    lines = shipped("articlebot.text", "data/traditional.txt").splitlines()
    pairs = (pair for line in lines for pair in zip(*line.split(), strict=True))
    return {old: new for old, new in pairs if ord(max(old, new)) < _PLANE}


_COMPATIBLE, _SIMPLE, _FOLDED = _Table(_form), _Table(_simple), _Table(_folded)
