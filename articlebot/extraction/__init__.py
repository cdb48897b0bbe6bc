"""Articles out of pages: learned wrappers, generic rules, page kinds, walls and lists."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from articlebot.extraction.cascade import extract
    from articlebot.extraction.model import Extracted

__all__ = ["Extracted", "extract"]

_HOMES = {"Extracted": "model", "extract": "cascade"}


def __getattr__(name: str) -> Any:
    # At first use: who asks which wrapper a site has reads no page.
    if name in _HOMES:
        found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
