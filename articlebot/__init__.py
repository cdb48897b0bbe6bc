"""articlebot: follows article sites day and night and publishes each version of an article once."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"
__all__ = ["Addon", "__version__"]


def __getattr__(name: str) -> Any:
    # At first use: setup.py and everything that wants the version only need not load the configuration.
    if name == "Addon":
        from articlebot.addon import Addon  # noqa: PLC0415

        return Addon
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
