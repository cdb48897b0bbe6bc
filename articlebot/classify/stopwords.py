"""Words that carry no topic, in Chinese and English."""

from __future__ import annotations

from importlib import resources

_LINES = resources.files("articlebot.classify").joinpath("stopwords.txt").read_text(encoding="utf-8").splitlines()

STOP_WORDS = frozenset(word for line in _LINES if not line.startswith("#") for word in line.split())
