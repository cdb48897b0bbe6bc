"""The configuration: every ``ARTICLEBOT_*`` setting and environment variable, read once.

One frozen section per part of the system. A field ``threshold`` of the section ``change`` is the setting
``ARTICLEBOT_CHANGE_THRESHOLD``; the environment variable of the same name overrides ``settings.py`` and is itself
overridden by ``-s`` on the command line. Nothing outside this package reads settings or the environment.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from articlebot.config.articles import (
    Archive,
    Change,
    Classify,
    Dedup,
    Extraction,
    Publishing,
    Relevance,
    Video,
    Wrappers,
)
from articlebot.config.crawl import Delays, Frontier, Proxies, Recrawl
from articlebot.config.retired import RETIRED
from articlebot.config.sites import Browser, Manners, Seeds, WebSub
from articlebot.config.stores import Addon, Alerts, Console, General, Metrics, Operations
from articlebot.errors import ConfigError

__all__ = [
    "Archive", "Browser", "Change", "Config", "Dedup", "General", "Manners", "Proxies", "Publishing", "Recrawl",
    "Wrappers", "meant", "refuse_unknown", "setting_names",
]  # fmt: skip

logger = logging.getLogger(__name__)
_COMMAND_LINE_PRIORITY = 40
# Environment variables that are no settings: the tests' and the Makefile's own.
_OTHERS = ("ARTICLEBOT_TEST_", "ARTICLEBOT_CORPUS", "ARTICLEBOT_FUZZ")


class Settings(Protocol):
    """What is needed of Scrapy's ``BaseSettings``."""

    def get(self, name: str, default: Any = None) -> Any: ...
    def getpriority(self, name: str) -> int | None: ...
    def __iter__(self) -> Iterator[Any]: ...


class Config(BaseModel):
    """All sections. ``general`` has no section part in its settings' names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    general: General = General()
    change: Change = Change()
    dedup: Dedup = Dedup()
    archive: Archive = Archive()
    publishing: Publishing = Publishing()
    frontier: Frontier = Frontier()
    delays: Delays = Delays()
    classify: Classify = Classify()
    relevance: Relevance = Relevance()
    extraction: Extraction = Extraction()
    video: Video = Video()
    wrappers: Wrappers = Wrappers()
    recrawl: Recrawl = Recrawl()
    proxies: Proxies = Proxies()
    seeds: Seeds = Seeds()
    browser: Browser = Browser()
    websub: WebSub = WebSub()
    console: Console = Console()
    manners: Manners = Manners()
    operations: Operations = Operations()
    metrics: Metrics = Metrics()
    alerts: Alerts = Alerts()
    addon: Addon = Addon()

    @classmethod
    def from_settings(cls, settings: Settings, environ: Mapping[str, str] | None = None) -> Config:
        """The configuration of a crawler or command.

        Raises:
            ConfigError: a value of the wrong type or out of range, or a setting that there is not; names the setting
                and what is expected. In the environment only a name that is nearly a setting's is refused.
        """
        environ = os.environ if environ is None else environ
        refuse_unknown((str(name) for name in settings), environ)
        sections: dict[str, dict[str, Any]] = {}
        for section, field, name in setting_names():
            value = _look_up(settings, environ, name)
            if value is not None:
                sections.setdefault(section, {})[field] = value
        sections["delays"] = sections.get("delays", {}) | _download_delay(settings)
        try:
            return cls.model_validate(sections)
        except ValidationError as error:
            raise ConfigError("; ".join(_explain(e) for e in error.errors())) from None


def _download_delay(settings: Settings) -> dict[str, Any]:
    """Scrapy's DOWNLOAD_DELAY, where it is set, in place of the delays: their mean, from half of it on."""
    try:
        delay = float(settings.get("DOWNLOAD_DELAY") or 0)
    except (TypeError, ValueError):
        raise ConfigError(f"DOWNLOAD_DELAY: expected seconds (got {settings.get('DOWNLOAD_DELAY')!r})") from None
    if delay <= 0:
        return {}
    jitter = str(settings.get("DOWNLOAD_DELAY_JITTER", 0.5))  # since Scrapy 2.19 in place of the other
    if str(settings.get("RANDOMIZE_DOWNLOAD_DELAY", True)).lower() in ("0", "false") or jitter in ("0", "0.0"):
        return {"mean_s": delay, "click_interval_s": delay, "spread": 0.0}
    return {"mean_s": delay, "click_interval_s": delay / 2}


def setting_names() -> list[tuple[str, str, str]]:
    """(section, field, setting name) of every setting, in the order of the documentation."""
    return [
        (section, field, _setting_name(section, field)) for section, fields in _SECTIONS.items() for field in fields
    ]


_SECTIONS: dict[str, dict[str, FieldInfo]] = {
    name: type(one.default).model_fields for name, one in Config.model_fields.items()
}


def meant(name: str, known: Iterable[str]) -> str:
    """The question whether another name was meant; "" where none of them is like it."""
    # Without what they all begin with, which would make every name like every other.
    bare = {one.removeprefix("ARTICLEBOT_"): one for one in known}
    said = name.removeprefix("ARTICLEBOT_")
    # A setting without its section: ARTICLEBOT_SINKS.
    whole = [one for one in bare if one.endswith(f"_{said}") and said != name]
    close = whole or get_close_matches(said, list(bare), 1, 0.8)
    return f"did you mean {bare[close[0]]}?" if close else ""


def refuse_unknown(settings: Iterable[str], environ: Iterable[str]) -> None:
    """Refuses names that are no settings; of the environment, those that are nearly one.

    Raises:
        ConfigError: names it, and what was meant or took its place.
    """
    known = {name for _, _, name in setting_names()}
    for name in settings:
        if name.startswith("ARTICLEBOT_") and name not in known:
            raise ConfigError(f"{name}: {_no_setting(name, known)}")
    for name in environ:
        if not name.startswith("ARTICLEBOT_") or name in known or name.startswith(_OTHERS):
            continue
        if name in RETIRED or meant(name, known):
            raise ConfigError(f"{name} in the environment: {_no_setting(name, known)}")
        _warn_of(name)


def _no_setting(name: str, known: Iterable[str]) -> str:
    if name in RETIRED:
        return f"it is a setting no longer: {RETIRED[name]}. Remove it"
    return f"there is no such setting; {meant(name, known) or 'docs/reference/settings.md has all'}"


@cache
def _warn_of(name: str) -> None:
    """Says it once in a process: what is like no setting may be somebody else's."""
    logger.warning("%s in the environment is no setting and does nothing; docs/reference/settings.md has all", name)


def _setting_name(section: str, field: str) -> str:
    if field == "redis_url" and section == "general":
        return "REDIS_URL"  # the name scrapy-redis and its users know
    return f"ARTICLEBOT_{field}".upper() if section == "general" else f"ARTICLEBOT_{section}_{field}".upper()


def _look_up(settings: Settings, environ: Mapping[str, str], name: str) -> Any:
    priority = settings.getpriority(name)
    if priority is not None and priority >= _COMMAND_LINE_PRIORITY:
        return settings.get(name)
    if environ.get(name):
        return environ[name]
    return settings.get(name)


def _explain(error: Any) -> str:
    section, *rest = error["loc"]
    name = _setting_name(str(section), str(rest[0])) if rest else str(section)
    given = repr(error["input"])
    # An address may hold a password, and so may an object of JSON; a secret is one, however short.
    hidden = "://" in given or "{" in given or name.endswith("_URL") or name in _secrets()
    return f"{name}: {str(error['msg']).removeprefix('Value error, ')}" + ("" if hidden else f" (got {given})")


@cache
def _secrets() -> frozenset[str]:
    return frozenset(
        name for section, field, name in setting_names() if "SecretStr" in str(_SECTIONS[section][field].annotation)
    )
