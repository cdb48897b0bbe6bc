"""Wrappers learned, a site at a time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from articlebot.extraction.wrapper.store import StoredPage
from articlebot.extraction.wrapper.wrapper import learn


@dataclass(frozen=True, slots=True)
class SiteBatch:
    """The pages of a site to learn from."""

    site: str
    pages: tuple[StoredPage, ...]


def learned(batch: SiteBatch) -> dict[str, Any]:
    """The site's wrappers as JSON texts, most frequent template first, and the processor seconds that it took."""
    begun = time.process_time()
    wrappers = learn((page.parse() for page in batch.pages), site=batch.site)
    return {"wrappers": [one.to_json() for one in wrappers], "seconds": round(time.process_time() - begun, 2)}
