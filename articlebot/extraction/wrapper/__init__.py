"""Wrappers that a site teaches by its own pages: learning, applying, storing and doubting them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from articlebot.extraction.wrapper.book import WrapperBook, learn_site, teaches
    from articlebot.extraction.wrapper.drift import Drift, learning_due
    from articlebot.extraction.wrapper.shelf import FolderShelf, Shelf
    from articlebot.extraction.wrapper.store import PageStore, StoredPage, WrapperStore
    from articlebot.extraction.wrapper.turns import RedisTurns
    from articlebot.extraction.wrapper.wrapper import FITS, Wrapper, by_hand, choose, learn

__all__ = [
    "FITS",
    "Drift",
    "FolderShelf",
    "PageStore",
    "RedisTurns",
    "Shelf",
    "StoredPage",
    "Wrapper",
    "WrapperBook",
    "WrapperStore",
    "by_hand",
    "choose",
    "learn",
    "learn_site",
    "learning_due",
    "teaches",
]

_HOMES = {
    **dict.fromkeys(("WrapperBook", "learn_site", "teaches"), "book"),
    **dict.fromkeys(("Drift", "learning_due"), "drift"),
    **dict.fromkeys(("FolderShelf", "Shelf"), "shelf"),
    **dict.fromkeys(("PageStore", "StoredPage", "WrapperStore"), "store"),
    **dict.fromkeys(("RedisTurns",), "turns"),
    **dict.fromkeys(("FITS", "Wrapper", "by_hand", "choose", "learn"), "wrapper"),
}


def __getattr__(name: str) -> Any:
    # At first use: where wrappers lie is known without what learns and applies them.
    if name in _HOMES:
        found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
