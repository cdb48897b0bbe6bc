"""Wrappers that a site teaches by its own pages: learning, applying, storing and doubting them."""

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
