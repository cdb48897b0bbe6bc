"""Refuses unknown spider arguments: a misspelt one would be ignored in silence, and the default used."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from scrapy import Spider

from articlebot.config import meant
from articlebot.errors import ConfigError


def refuse_unknown(spider: type[Spider], given: Iterable[str]) -> None:
    """Nothing; spiders of other projects may take what they like.

    Args:
        spider: whose ``__init__`` names its arguments.
        given: names of arguments; those that begin with ``_`` are scrapyd's own.

    Raises:
        ConfigError: it has none of such a name.
    """
    if not spider.__module__.startswith("articlebot."):
        return
    known = [name for name in inspect.signature(spider.__init__).parameters if name not in ("self", "kwargs")]
    for name in given:
        if name not in known and not name.startswith("_"):
            hint = meant(name, known) or f"it takes {', '.join(known)}"
            raise ConfigError(f"-a {name}: the spider {spider.name} has no such argument; {hint}")
