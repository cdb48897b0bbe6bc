"""Articles out of pages: decoding, parsing, learned wrappers, generic rules, metadata and links."""

from articlebot.extraction.cascade import extract
from articlebot.extraction.links import links
from articlebot.extraction.model import Extracted
from articlebot.extraction.page import Page

__all__ = ["Extracted", "Page", "extract", "links"]
