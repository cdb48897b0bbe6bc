"""What spiders are started with: arguments and settings that they cannot follow are refused, or said to do nothing."""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path

from scrapy import Spider
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from articlebot.config import meant
from articlebot.errors import ConfigError
from articlebot.frontier.scheduler import Scheduler

logger = logging.getLogger(__name__)
_FOLDER = Path(__file__).parents[2]
# Settings of Scrapy without effect on spiders of the frontier, and what is in their place.
_QUEUE = "the frontier orders what waits, by the key priority of jobs and first in, first out"
_ONE = "a host has one request in flight"
_LEARNED = "how a site answers sets its delays anyway"
_PLACES = {
    "AUTOTHROTTLE_ENABLED": _LEARNED,
    "CONCURRENT_REQUESTS_PER_DOMAIN": _ONE,
    "CONCURRENT_REQUESTS_PER_IP": f"{_ONE}; ARTICLEBOT_DELAYS_PER=address counts hosts of one address as one",
    "DEPTH_LIMIT": "the key depth of a job bounds how deep links are followed",
    "DEPTH_PRIORITY": _QUEUE,
    "DOWNLOAD_SLOTS": "the key delay of a job is the mean delay on its hosts",
    "DUPEFILTER_CLASS": "the frontier knows what was seen",
    "JOBDIR": "Redis keeps the queue, and each run goes on where the last one stopped",
    "SCHEDULER_DISK_QUEUE": _QUEUE,
    "SCHEDULER_MEMORY_QUEUE": _QUEUE,
    "SCHEDULER_PRIORITY_QUEUE": _QUEUE,
    "URLLENGTH_LIMIT": "addresses of more than 2,048 characters are left out",
}


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


def refuse_scheduler(spider: type[Spider], settings: BaseSettings) -> None:
    """Refuses another scheduler, with which nothing would ever be fetched, where a spider has none of its own.

    Raises:
        ConfigError: somebody has named another.
    """
    is_free = not spider.__module__.startswith("articlebot.") or "SCHEDULER" in (spider.custom_settings or {})
    ours = Scheduler.__module__
    if not is_free and settings.getpriority("SCHEDULER") and not str(settings["SCHEDULER"]).startswith(ours):
        raise ConfigError(f"SCHEDULER: the spider {spider.name} works with {ours}.{Scheduler.__qualname__} alone")


def tell_unused(spider: type[Spider], settings: BaseSettings) -> None:
    """Says of each setting that somebody has typed without effect what is in its place; and of an egg of articlebot."""
    for name, place in _PLACES.items():
        if (settings.getpriority(name) or 0) > SETTINGS_PRIORITIES["project"]:
            logger.warning("%s has no effect on the spider %s: %s", name, spider.name, place)
    if (egg := _hidden_egg()) is not None:
        logger.warning("%s has no effect: the articlebot in %s hides it: uninstall that", egg, _FOLDER)


def _hidden_egg() -> str | None:
    """What scrapyd has put on the path, where another articlebot runs; None elsewhere. It puts eggs last."""
    eggs = [path for path in sys.path if path.endswith(".egg") and PathFinder.find_spec("articlebot", [path])]
    return eggs[0] if eggs and str(_FOLDER) != eggs[0] else None
