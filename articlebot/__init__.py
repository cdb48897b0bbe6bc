"""articlebot: follows article sites day and night and publishes each version of an article once."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simhash import Simhash

    from articlebot.addon import Addon
    from articlebot.extraction.model import Extracted
    from articlebot.extraction.wrapper.wrapper import Wrapper
    from articlebot.library import extract, learn, near_duplicates

__version__ = "0.1.0"
__all__ = ["Addon", "Extracted", "Simhash", "Wrapper", "__version__", "extract", "learn", "near_duplicates"]

_HOMES = {
    "Addon": "articlebot.addon",
    "Extracted": "articlebot.extraction.model",
    "Simhash": "simhash",
    "Wrapper": "articlebot.extraction.wrapper.wrapper",
    "extract": "articlebot.library",
    "learn": "articlebot.library",
    "near_duplicates": "articlebot.library",
}


def __getattr__(name: str) -> Any:
    # At first use: who wants the version or one function need not load the rest.
    if name in _HOMES:
        found = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    # Notebooks complete names by it, those that are not loaded yet too.
    return [*globals(), *__all__]
