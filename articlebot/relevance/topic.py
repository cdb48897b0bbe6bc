"""What a user cares about: keywords, example texts and addresses."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from articlebot.errors import ConfigError, RefusedError
from articlebot.relevance.vectors import terms
from articlebot.text import Names
from articlebot.urls import canonical_url

_KEYS = frozenset({"name", "keywords", "texts", "examples", "seeds", "threshold"})
_KEYWORD_COUNT = 3.0  # a keyword counts as a word that an example uses three times


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic file.

    Attributes:
        keywords: words or phrases.
        texts: example texts, any length.
        examples: addresses of pages that are examples; fetched first.
        seeds: addresses where a crawl begins.
        threshold: relevance in [0, 1] from which a page belongs to the topic; None: from the examples.
    """

    name: str
    keywords: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    threshold: float | None = None

    @property
    def job_name(self) -> str:
        """The name of the topic's job: what its focused crawls put on their articles."""
        return re.sub(r"[^\w.-]", "-", f"focused-{self.name}")[:64]

    def counts(self, names: Names | None = None) -> list[Counter[str]]:
        """The counted words of each example, the keywords as one of them."""
        found = [terms(text, names) for text in self.texts]
        if self.keywords:
            counted = terms("\n".join(self.keywords), names)
            found.append(Counter({word: int(_KEYWORD_COUNT * count) for word, count in counted.items()}))
        return [counted for counted in found if counted]


def load_topic(path: Path) -> Topic:
    """The topic in a TOML file: ``name``, ``keywords``, ``texts``, ``examples``, ``seeds``, ``threshold``.

    Raises:
        ConfigError: the file cannot be read, or a key is unknown or of the wrong type; names file and key.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if unknown := sorted(set(table) - _KEYS):
        raise ConfigError(f"{path}: {unknown[0]}: unknown key; known are {', '.join(sorted(_KEYS))}")
    topic = Topic(
        name=_name(table.get("name", path.stem), path),
        keywords=_texts(table, "keywords", path),
        texts=_texts(table, "texts", path),
        examples=_urls(table, "examples", path),
        seeds=_urls(table, "seeds", path),
        threshold=_threshold(table.get("threshold"), path),
    )
    if not (topic.counts() or topic.examples):
        raise ConfigError(f"{path}: keywords: expected keywords, texts or examples with words in them")
    return topic


def _name(value: Any, path: Path) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > 64 or not value.isprintable():
        raise ConfigError(f"{path}: name: expected a name of at most 64 characters")
    return value.strip()


def _texts(table: dict[str, Any], key: str, path: Path) -> tuple[str, ...]:
    value = table.get(key, [])
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ConfigError(f"{path}: {key}: expected a list of texts")
    return tuple(text for text in value if text.strip())


def _urls(table: dict[str, Any], key: str, path: Path) -> tuple[str, ...]:
    found = []
    for url in _texts(table, key, path):
        try:
            found.append(canonical_url(url))
        except RefusedError as error:
            raise ConfigError(f"{path}: {key}: {url!r} is not an http or https URL ({error.reason})") from None
    return tuple(dict.fromkeys(found))


def _threshold(value: Any, path: Path) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ConfigError(f"{path}: threshold: expected a number from 0 to 1")
    return float(value)
