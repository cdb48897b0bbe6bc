"""What a look has fetched and a crawl need not fetch again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scrapy.http import Response

Form = Literal["list", "feed", "sitemap"]


@dataclass(frozen=True, slots=True)
class Seen:
    """An entry page that answered during the look: a crawl need not ask for it again."""

    form: Form
    response: Response
    articles: frozenset[str]
