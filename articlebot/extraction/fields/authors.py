"""Who wrote an article: what its data, its markup and the lines near its text say, weighed against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from articlebot.extraction.fields.beside import Headline, around
from articlebot.extraction.fields.bylines import labelled_line, lines_of, name_alone, named_line, readings, user_name
from articlebot.extraction.fields.eastern import eastern, editors_in, is_eastern
from articlebot.extraction.fields.info_line import MAX_CHARS, is_person, spaced
from articlebot.extraction.fields.person_names import is_desk, is_name, split_names, without_houses
from articlebot.extraction.fields.portraits import portrayed
from articlebot.extraction.fields.stated_authors import card, from_jsonld, from_meta, marked, poster
from articlebot.page.blocks import Block
from articlebot.page.metadata import publishers
from articlebot.page.page import Page
from articlebot.page.text import squash

_MAX_AUTHORS = 12
_DESK = 0.5  # confidence in an organisation as author
_Place = tuple[Page, Sequence[Block], Headline]  # a page, the article's body on it and where its headline is


class Authors(NamedTuple):
    """Names in page order and the rule that gave them."""

    names: tuple[str, ...]
    rule: str
    confidence: float


def authors_of(page: Page, body: Sequence[Block], headline: Headline) -> Authors:
    """The authors of the article whose body are these blocks; of a discussion, who began it.

    Metadata often has but the first of several: where a byline has the same names and more, it is the byline's.
    """
    if posted := poster(page):
        return Authors((posted,), "jsonld", 0.95)
    place, desk = (page, body, headline), None
    refused = {squash(value) for value in (*page.meta.get("og:site_name", ()), *publishers(page))}
    for rule, confidence, raw in _sources(*place):
        names = _persons(raw, refused, shown=rule == "byline")
        if rule == "meta":
            names = _without_editors(names, page, body)
        if not names:
            continue
        found = Authors(tuple(names), rule, confidence)
        if rule in ("jsonld", "meta") and (better := _shown_instead(place, found, partial(_persons, refused=refused))):
            return Authors(tuple(better), "byline", confidence)
        if not all(_is_desk(name, page) for name in names):
            return found
        desk = desk or found
    return _unsigned(place, desk, refused)


def _sources(page: Page, body: Sequence[Block], headline: Headline) -> Iterator[tuple[str, float, list[str]]]:
    """What names the authors, the surest first: the rule, the confidence in it and what it says."""
    yield "jsonld", 0.95, from_jsonld(page)
    yield "marked", 0.85, list(marked(page, around(body)))
    yield "meta", 0.85, from_meta(page)
    yield "byline", 0.75, lines_of(page, body, headline)


def _persons(raw: Iterable[str], refused: set[str], *, shown: bool = True) -> list[str]:
    """The names in some texts, in order; a site's own name is none, nor a paper's beside those of persons."""
    names = (name for text in raw for name in split_names(text, shown=shown) if squash(name) not in refused)
    found = list(dict.fromkeys(names))
    return (without_houses(found) if any(map(is_person, found)) else found)[:_MAX_AUTHORS]


def _unsigned(place: _Place, desk: Authors | None, refused: set[str]) -> Authors:
    """Who wrote where no source names a person: whom JSON-LD calls the author, a name without a label, a desk."""
    page = place[0]
    desks = (name.strip(" ,") for name in from_jsonld(page, desks=True))
    named = tuple(dict.fromkeys(name for name in desks if is_name(name)))[:_MAX_AUTHORS]
    # Beside a desk that the data name, a name alone is that of a picture's agency; a site that names itself names none.
    nobody = desk is None and all(squash(name) in refused for name in named)
    alone = _persons(name_alone(*place) or portrayed(*place), refused) if nobody else []
    if named and not alone:
        return Authors(named, "jsonld", _DESK)
    if alone := alone or _persons(user_name(*place) or card(page), refused):
        return Authors(tuple(alone), "byline", _DESK)
    return desk or _owner(place, refused)


def _owner(place: _Place, refused: set[str]) -> Authors:
    """A site's own name as the author: a person's site bears that name, and a paper may say that it wrote itself."""
    said = (*place[0].meta.get("author", ()), *lines_of(*place))
    if owner := next((value for value in said if squash(value) in refused and is_person(value)), None):
        return Authors((owner,), "meta", _DESK)
    own = tuple(name for text in labelled_line(*place) for name in split_names(text))
    return Authors(own, "byline", _DESK) if own else Authors((), "none", 0.0)


def _is_desk(name: str, page: Page) -> bool:
    """Whether a name is a paper's, a team's, or what the document's title has behind the headline."""
    key, title = squash(name), squash(page.title)
    return is_desk(name) or (len(key) < len(title) and title.endswith(key) and not is_person(name))


def _shown_instead(place: _Place, data: Authors, persons: Callable[[Iterable[str]], list[str]]) -> list[str]:
    """The names of a byline that knows more than the data; none where no line does.

    Meta elements may have whose the site is on all of its pages.
    """
    names = data.names
    lines = readings(*place, firm=True)
    if any(is_person(name) for name in names):
        shown = persons(next(lines, ()))
        if not _holds(shown, names):
            said = labelled_line(*place)
            shown = persons(said or (named_line(*place) if data.rule == "meta" else ()))
        return shown if shown and _is_better(shown, names) else []
    # Where the data name a paper or a team, any line that names persons knows more.
    return next((shown for line in lines if (shown := persons(line)) and _is_better(shown, names)), [])


def _without_editors(names: list[str], page: Page, body: Sequence[Block]) -> list[str]:
    """The names but those that the page's lines give as editors: content systems state who put the text in."""
    if not body or not any(map(is_eastern, names)):
        return names
    first, last = body[0].index, body[-1].index
    lines = [*page.blocks[max(0, first - 8) : first + 2], *page.blocks[max(first, last - 2) : last + 5]]
    editors = {name for block in lines if len(block.text) <= MAX_CHARS for name in editors_in(spaced(block))}
    wrote = {name for block in lines if len(block.text) <= MAX_CHARS for name in eastern(spaced(block))}
    return [name for name in names if name not in editors or name in wrote]


def _is_better(shown: Sequence[str], stated: Sequence[str]) -> bool:
    """Whether a byline knows more than the data: all of their names and more, or full names but none of theirs.

    Content systems state who put the text in; readers see who wrote it.
    """
    if not all(is_person(name) for name in set(shown) - set(stated)):
        return False
    return _holds(shown, stated) or not any(
        squash(one) in squash(other) or squash(other) in squash(one) for one in shown for other in stated
    )


def _holds(shown: Sequence[str], stated: Sequence[str]) -> bool:
    """Whether a byline has all of the metadata's names and more; it may have a title before them: ``Dr Ann Lee``."""
    lines = [squash(name) for name in shown]
    return len(shown) > len(stated) and all(any(squash(name) in line for line in lines) for name in stated)
