"""The configuration: every ``ARTICLEBOT_*`` setting and environment variable, read once.

One frozen section per part of the system. A field ``threshold`` of the section ``change`` is the setting
``ARTICLEBOT_CHANGE_THRESHOLD``; the environment variable of the same name overrides ``settings.py`` and is itself
overridden by ``-s`` on the command line. Nothing outside this module reads settings or the environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from articlebot.errors import ConfigError

_COMMAND_LINE_PRIORITY = 40


class Settings(Protocol):
    """What is needed of Scrapy's ``BaseSettings``."""

    def get(self, name: str, default: Any = None) -> Any: ...
    def getpriority(self, name: str) -> int | None: ...


class Section(BaseModel):
    """Base of the sections: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class General(Section):
    """Where things are kept."""

    data_dir: Path = Field(Path("data"), description="Folder for everything that articlebot writes.")
    redis_url: str | None = Field(
        None, description="Shared Redis, such as redis://host:6379/0. Absent: a private server in the data folder."
    )
    database_url: str | None = Field(
        None, description="SQLAlchemy URL of the archive. Absent: SQLite in the data folder."
    )
    key_prefix: str = Field("articlebot", pattern=r"^[\w.-]{1,40}$", description="First part of every Redis key.")


class Change(Section):
    """What counts as a change of an article."""

    rule: Literal["exact", "simhash"] = Field(
        "exact",
        description="exact: another hash of the normalised main text. simhash: a distance above the threshold.",
    )
    threshold: int = Field(5, ge=0, le=64, description="Bits of SimHash distance above which `simhash` sees a change.")
    fingerprint: Literal["words", "package"] = Field(
        "words",
        description="words: SimHash of weighted words without the commonest. package: the simhash package over all "
        "words, as in the source designs. Under rule `simhash`, changing it makes each article look changed once.",
    )


class Classify(Section):
    """Classes, summaries and keywords."""

    model: Path | None = Field(
        None, description="Model made by `scrapy train`, or a keyword taxonomy (.toml). Absent: the shipped keywords."
    )
    threshold: float | None = Field(
        None, ge=0, le=1, description="Probability under which a class is left open. Absent: the model's own."
    )
    summary_chars: int = Field(
        200, ge=0, le=5000, description="Longest summary, characters, where the page has none; 0: none is made."
    )
    keywords: int = Field(
        8, ge=0, le=50, description="Keywords per article where the page names none, count; 0: none are made."
    )


class Config(BaseModel):
    """All sections. ``general`` has no section part in its settings' names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    general: General = General()
    change: Change = Change()
    classify: Classify = Classify()

    @classmethod
    def from_settings(cls, settings: Settings, environ: Mapping[str, str] | None = None) -> Config:
        """The configuration of a crawler or command.

        Raises:
            ConfigError: a value of the wrong type or out of range; names the setting and what is expected.
        """
        environ = os.environ if environ is None else environ
        sections: dict[str, dict[str, Any]] = {}
        for section, field, name in setting_names():
            value = _look_up(settings, environ, name)
            if value is not None:
                sections.setdefault(section, {})[field] = value
        try:
            return cls.model_validate(sections)
        except ValidationError as error:
            raise ConfigError("; ".join(_explain(e) for e in error.errors())) from None


def setting_names() -> list[tuple[str, str, str]]:
    """(section, field, setting name) of every setting, in the order of the documentation."""
    return [
        (section, field, _setting_name(section, field))
        for section, info in Config.model_fields.items()
        if isinstance(info.annotation, type) and issubclass(info.annotation, Section)
        for field in info.annotation.model_fields
    ]


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
    return f"{name}: {error['msg']} (got {error['input']!r})"
