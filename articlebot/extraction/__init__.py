"""Articles out of pages: learned wrappers, generic rules, page kinds, walls and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from articlebot.lazy import lazily

if TYPE_CHECKING:
    from articlebot.extraction.cascade import extract
    from articlebot.extraction.model import Extracted

__all__ = ["Extracted", "extract"]

# Who asks which wrapper a site has reads no page.
__getattr__ = lazily(__name__, {"Extracted": ".model", "extract": ".cascade"})
