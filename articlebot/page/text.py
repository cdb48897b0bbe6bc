"""Texts of a page: folded, squashed, and how long they are.

Rules measure a length in :func:`units`. :func:`word_count` is what the trained classifiers count.
"""

from __future__ import annotations

import re
from typing import Any

_WIDTHLESS = re.compile(r"[\u200b\ufeff]+")
_NO_LETTER = re.compile(r"[\W_]+")
_HAN_RANGES = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HAN = re.compile(f"[{_HAN_RANGES}]")
_TOKEN = re.compile(rf"[^\W{_HAN_RANGES}]++|\w")
# Most texts are plain ASCII, and tables over their bytes take a quarter of the time of an expression over characters.
_ASCII = bytes(range(128))
_SMALL = _ASCII.lower() + bytes(range(128, 256))
_NO_LETTERS = bytes([code for code in _ASCII if not chr(code).isalnum()])
_BETWEEN_WORDS = bytes([code if chr(code).isalnum() or chr(code) == "_" else 32 for code in range(256)])


def fold(text: str) -> str:
    """A text with runs of white space folded to one blank and without characters that have no width."""
    if not text.isascii() and ("\u200b" in text or "\ufeff" in text):
        text = _WIDTHLESS.sub("", text)
    return " ".join(text.split())


def line_of(element: Any) -> str:
    """The text of an element in one line."""
    return " ".join("".join(element.itertext()).split())


def squash(text: str) -> str:
    """Letters and digits only, lower-case: for containment tests that white space and punctuation cannot spoil."""
    if text.isascii():
        return text.encode().translate(_SMALL, _NO_LETTERS).decode()
    return _NO_LETTER.sub("", text.lower())


def units(text: str) -> int:
    """Length of a text in Latin characters; a Chinese, Japanese or Korean one counts two and a half.

    So many carry about equal information in both scripts. A letter of Thai or of India's alphabets is one.
    """
    if text.isascii():
        return len(text)
    # in UTF-8 such a character takes two bytes more than it counts as characters; an accent counts a little, too
    encoded = text.encode("utf-8", "replace")
    # U+0800 to U+0FFF are alphabets, and all that begins with this byte
    return len(text) + (len(encoded) - len(text) - 2 * encoded.count(b"\xe0")) * 3 // 4


def tokens(text: str) -> list[str]:
    """Words, and each Chinese or Japanese character by itself."""
    if text.isascii():
        return text.encode().translate(_BETWEEN_WORDS).decode().split()
    return _TOKEN.findall(text)


def word_count(text: str) -> float:
    """How many words a text whose white space is folded has; a Chinese or Japanese character is 0.6 of one."""
    words = text.count(" ") + 1.0
    return words if text.isascii() else words + 0.6 * len(_HAN.findall(text))
