"""Texts of a page: folded, squashed, and how long they are.

Rules measure a length in :func:`units`. :func:`word_count` is what the trained classifiers count.
"""

from __future__ import annotations

import re

_WIDTHLESS = re.compile(r"[\u200b\ufeff]+")
_NO_LETTER = re.compile(r"[\W_]+")
_WORD = re.compile(r"\w+")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def fold(text: str) -> str:
    """A text with runs of white space folded to one blank and without characters that have no width."""
    if not text.isascii() and ("\u200b" in text or "\ufeff" in text):
        text = _WIDTHLESS.sub("", text)
    return " ".join(text.split())


def squash(text: str) -> str:
    """Letters and digits only, lower-case: for containment tests that white space and punctuation cannot spoil."""
    return _NO_LETTER.sub("", text.lower())


def units(text: str) -> int:
    """Length of a text in Latin characters; a Chinese, Japanese or Korean one counts two and a half.

    So many carry about equal information in both scripts.
    """
    # in UTF-8 such a character takes two bytes more than it counts as characters; an accent counts a little, too
    return len(text) if text.isascii() else len(text) + (len(text.encode("utf-8", "replace")) - len(text)) * 3 // 4


def tokens(text: str) -> list[str]:
    """Words, and each Chinese or Japanese character by itself."""
    return _WORD.findall(text if text.isascii() else _HAN.sub(r" \g<0> ", text))


def word_count(text: str) -> float:
    """How many words a text whose white space is folded has; a Chinese or Japanese character is 0.6 of one."""
    words = text.count(" ") + 1.0
    return words if text.isascii() else words + 0.6 * len(_HAN.findall(text))
