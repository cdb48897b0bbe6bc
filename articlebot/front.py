"""What a site's front page says of the site: its articles' pages repeat it, though it is of none of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Front:
    """What was seen of a front page.

    Attributes:
        title: what it is called, "" where that was not seen.
        pictures: addresses of those that it states for the site.
        keywords: those in its meta elements, case-folded.
        dated: whether its site's articles tell their days by themselves, as a list that tells them, too, has shown.
    """

    title: str = ""
    pictures: frozenset[str] = frozenset()
    keywords: frozenset[str] = frozenset()
    dated: bool = False
