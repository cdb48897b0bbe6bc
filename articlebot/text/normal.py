"""The one form of a text: what is compared, hashed and segmented."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b
from importlib.resources import files

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.uint32]

# Control and format characters (zero width, direction marks, soft hyphen, byte order mark), variation selectors, tags,
# unpaired surrogates and private use: nothing of these is seen by a reader. White space among them is folded instead.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\ue000-\uf8ff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_PLANE = 0x10000
_BETWEEN = "\ufdd0"  # no character, by definition: not in any text


def normalise(text: str) -> str:
    """The text in Unicode form NFKC, runs of white space as one space, invisible characters removed.

    Idempotent. Case, punctuation and traditional characters stay: who reads the text must still recognise it.
    """
    if text.isascii():
        return " ".join(_INVISIBLE.sub("", text).split())
    # unicodedata takes .25 ms for a Chinese page of 5 kB, because full-width punctuation is in every line; mapping what
    # is one character for one by a table first takes a tenth of it and leaves little to do.
    codes = _codes(text)
    text = _map(codes, _compatible())
    if codes.max() < _PLANE and not unicodedata.is_normalized("NFKC", text):
        # Mostly an ellipsis: its form in place of each of these takes a fifth of normalising the text.
        for character in _several().keys() & set(text):
            text = text.replace(character, _several()[character])
    if codes.max() >= _PLANE or not unicodedata.is_normalized("NFKC", text):
        # Twice: some compatibility forms decompose into invisible characters, and removing one lets others compose.
        for _ in range(2):
            text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
        text = _INVISIBLE.sub("", text)
    return " ".join(text.split())


def fold(text: str) -> str:
    """The text for comparison: normalised, lower case, traditional Chinese characters as simplified ones.

    Two articles that differ only in script or case fold to the same text. The character pairs are those of OpenCC's
    TSCharacters (Apache-2.0), one for one: frozen with ``simhash.VERSION``.
    """
    folded = normalise(text).lower()
    return folded if folded.isascii() else _map(_codes(folded), _simplified())


def fold_each(texts: Sequence[str]) -> list[str]:
    """Each text folded; together, because folding a title alone costs four times its share."""
    joined = _BETWEEN.join(text.replace(_BETWEEN, " ") for text in texts)
    return [text.strip() for text in fold(joined).split(_BETWEEN)][: len(texts)]


def shown(text: str) -> str:
    """The text as a reader is to see it: like ``normalise``, but characters keep their width and form (Unicode NFC)."""
    return " ".join(_INVISIBLE.sub("", unicodedata.normalize("NFC", text)).split())


def fold_in_place(text: str) -> str:
    """The text folded character by character, so that places in it are places in the text.

    Against ``fold`` it leaves those characters as they are that fold to none or to several. No NUL may be in the text.
    """
    return _map(_codes(text), _folded())


def content_hash(text: str) -> int:
    """64-bit hash of the normalised text: equal for texts that a reader cannot tell apart. 0 only for an empty text."""
    normal = normalise(text)
    if not normal:
        return 0
    return int.from_bytes(blake2b(normal.encode(), digest_size=8).digest(), "big") or 1


def _codes(text: str) -> Table:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _map(codes: Table, table: Table) -> str:
    """The characters as the table has them, a null there removes one; beyond the first plane nothing changes."""
    high = codes >= _PLANE
    mapped = table[codes & (_PLANE - 1)]
    if high.any():
        mapped = np.where(high, codes, mapped)
    kept: Table = mapped[mapped != 0]
    return kept.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@functools.cache
def _compatible() -> Table:
    table = np.arange(_PLANE, dtype=np.uint32)
    for code in range(0x80, _PLANE):
        character = chr(code)
        form = unicodedata.normalize("NFKC", character)
        if len(form) == 1:
            table[code] = ord(form)
    for code in range(_PLANE):
        if _INVISIBLE.match(chr(int(table[code]))) or _INVISIBLE.match(chr(code)):
            table[code] = 0
    return table


@functools.cache
def _several() -> dict[str, str]:
    """The visible characters that become several others."""
    forms = {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in range(0x80, _PLANE)}
    return {one: form for one, form in forms.items() if len(form) > 1 and not _INVISIBLE.search(one + form)}


@functools.cache
def _folded() -> Table:
    every, lower = np.arange(_PLANE, dtype=np.uint32), np.arange(_PLANE, dtype=np.uint32)
    for code in range(_PLANE):
        form = chr(code).lower()
        if len(form) == 1:
            lower[code] = ord(form)
    compatible = np.where(_compatible() == 0, every, _compatible())
    inside = compatible < _PLANE
    compatible[inside] = _simplified()[lower[compatible[inside]]]
    return compatible


@functools.cache
def _simplified() -> Table:
    table = np.arange(_PLANE, dtype=np.uint32)
    for line in (files("articlebot.text") / "data" / "traditional.txt").read_text(encoding="utf-8").splitlines():
        for traditional, simplified in zip(*line.split(), strict=True):
            if max(ord(traditional), ord(simplified)) < _PLANE:
                table[ord(traditional)] = ord(simplified)
    return table
