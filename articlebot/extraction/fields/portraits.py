"""Who wrote an article, as a picture of its writer says that stands beside the name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from articlebot.extraction.fields.beside import Headline
from articlebot.extraction.fields.bylines import AUTHOR_NAMES, EASTERN_NAME
from articlebot.extraction.fields.info_line import is_person
from articlebot.page.blocks import Block, Picture
from articlebot.page.page import Page
from articlebot.page.tags import names_of

_ABOVE: Final = 12  # lines above the headline among which a column beside the article says whose that is
_LEVELS: Final = 5  # elements above a name that are asked for whose it is
_FIGURES: Final = frozenset({"figure", "figcaption"})


def portrayed(page: Page, body: Sequence[Block], headline: Headline) -> list[str]:
    """The full names beside a picture that says the same: between headline and text, or in what is named an author's.

    A writer's picture has the name as its text for those who do not see it. A caption that repeats its picture's text
    is seldom a name, or stands in a figure.
    """
    index = headline()
    if not body or index is None:
        return []
    return list(dict.fromkeys(_names(page, index, body[0].index)))


def _names(page: Page, index: int, first: int) -> Iterator[str]:
    for picture in page.pictures:
        if picture.before >= first:
            return
        if picture.before < index - _ABOVE:
            continue
        block, name = page.blocks[picture.before], " ".join((picture.element.get("alt") or "").split())
        is_name = is_person(name) or (" " in name and EASTERN_NAME.fullmatch(name) is not None)
        if (
            is_name
            and name == block.text
            and not block.links
            and (index < block.index or _is_named(block))
            and not _is_figure(picture)
        ):
            yield name


def _is_named(block: Block) -> bool:
    return any(AUTHOR_NAMES.search(names_of(one)) for one in islice(block.element.iterancestors(), _LEVELS))


def _is_figure(picture: Picture) -> bool:
    return any(one.tag in _FIGURES for one in islice(picture.element.iterancestors(), _LEVELS))
