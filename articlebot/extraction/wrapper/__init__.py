"""Wrappers that a site teaches by its own pages: learning, applying, storing and doubting them."""

from articlebot.extraction.wrapper.wrapper import FITS, Wrapper, choose, learn

__all__ = ["FITS", "Wrapper", "choose", "learn"]
