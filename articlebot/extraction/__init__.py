"""Articles out of pages: learned wrappers, generic rules, page kinds, walls and lists."""

from articlebot.extraction.cascade import extract
from articlebot.extraction.model import Extracted

__all__ = ["Extracted", "extract"]
