"""``scrapy settings``: the values of articlebot's settings that are in force."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scrapy.settings import Settings

from articlebot.config import Config, refuse_unknown, setting_names


def in_force(settings: Settings, names: Iterable[str]) -> dict[str, Any]:
    """The values of some settings, as the configuration has read them.

    Raises:
        ConfigError: a setting is wrong, or there is none of a name.
    """
    refuse_unknown((name for name in names if name.startswith("ARTICLEBOT_")), ())
    config = Config.from_settings(settings).model_dump(mode="json")
    return {name: config[section][field] for section, field, name in setting_names() if name in names}
