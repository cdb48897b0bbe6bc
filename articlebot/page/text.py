"""Texts of a page: folded, squashed, and how long they are."""

from __future__ import annotations

import re

_WIDTHLESS = re.compile(r"[\u200b\ufeff]+")
_NO_LETTER = re.compile(r"[\W_]+")


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
