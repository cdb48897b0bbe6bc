"""Words that carry no topic, in Chinese and English."""

from __future__ import annotations

from articlebot.files import shipped

_LINES = shipped("articlebot.classify", "stopwords.txt").splitlines()

STOP_WORDS = frozenset(word for line in _LINES if not line.startswith("#") for word in line.split())
