"""What was typed to start this process: the program's name, its command, and words as they were meant."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

# As ``scrapy shell``, ``python -m scrapy shell`` or ``articlebot shell``.
_PROGRAMS = ("scrapy", "articlebot")
_NAMED = re.compile(r"\bscrapy (?=[a-z])")


def typed(argv: Sequence[str] = sys.orig_argv) -> tuple[str, str]:
    """The program and its command; empty where another program runs."""
    arguments = iter(argv)
    for name in arguments:
        if (program := Path(name).stem) in _PROGRAMS:
            return program, next((one for one in arguments if not one.startswith("-")), "")
    return "", ""


def as_typed(text: str) -> str:
    """A message that names commands by ``scrapy``, for who typed ``articlebot``.

    Outside the project's folder ``scrapy`` does not know them.
    """
    return _NAMED.sub("articlebot ", text) if typed()[0] == "articlebot" else text


def as_text(words: str) -> str:
    """Words of an argument, which Python has left as bytes (PEP 383) where they are UTF-8 and the locale is none."""
    try:
        return words.encode("utf-8", "surrogateescape").decode()
    except UnicodeError:
        return words
