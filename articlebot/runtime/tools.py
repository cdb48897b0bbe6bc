"""Scrapy's commands that look at a page or try a spider: what they do must not touch what the crawl has stored."""

from __future__ import annotations

from pathlib import Path

from articlebot.config import Config
from articlebot.typed import typed

# Commands of Scrapy that run an engine and are no crawl of the project.
_TOOLS = frozenset({"bench", "check", "fetch", "parse", "runspider", "shell", "view"})


def tool_in_use() -> str | None:
    """The name of the tool that was typed; None for a crawl, a command of articlebot, or another program.

    Read from the process' own arguments, since a component is not told which command it runs under.
    """
    command = typed()[1]
    return command if command in _TOOLS else None


def apart(config: Config, tool: str, folder: Path) -> Config:
    """The configuration for a tool: stores of its own in a folder, no sinks, no ports, nobody told.

    ``bench`` crawls a server on this machine for its speed, so it may go there, without pauses.
    """
    general = {"data_dir": folder, "redis_url": None, "database_url": None, "progress_s": 0.0}
    nothing_listens = {"port": None}
    changes = {
        "general": general | ({"allow_private": True} if tool == "bench" else {}),
        "publishing": {"sinks": {}},
        "metrics": nothing_listens,
        "websub": nothing_listens,
        "alerts": {"url": None},
    }
    if tool == "bench":
        changes["delays"] = {"click_interval_s": 0.0, "mean_s": 0.0, "spread": 0.0}
    return config.model_copy(
        update={name: getattr(config, name).model_copy(update=values) for name, values in changes.items()}
    )
