"""Whom the data in a page's scripts name as authors of an article."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from articlebot.extraction.fields.person_names import is_name, split_names
from articlebot.extraction.fields.script_objects import objects_of_article
from articlebot.page.page import Page

_KEYS = re.compile(
    r"(?:(?:article|news|post|story)_?)?(?:authors?|bylines?|creators?|writers?)(?:_?names?|list)?", re.I
)
_NAMES_THEM = re.compile(r"author|byline|creator|writer|credits", re.I)
_NAME_KEYS = "name fullname full_name displayname display_name nickname nick_name realname real_name".split()
# What stands about a person's name: Contentful's fields, Strapi's data and attributes, GraphQL's node.
_NAMED_IN = ("fields", "attributes", "data", "node", "nodes", "author", "person", "profile", "user")
_MOST, _MAX_NAME, _MOST_NESTED = 12, 200, 5


def authors_in_scripts(page: Page) -> tuple[str, ...]:
    """The authors that an object names which states the page's headline, too; empty without one."""
    return next((names for holder in objects_of_article(page, _NAMES_THEM) if (names := authors_in(holder))), ())


def authors_in(holder: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The persons whom an object names as its authors, in order."""
    held = dict(holder or {})
    credits_ = held.get("credits")
    said = [value for key, value in held.items() if _KEYS.fullmatch(str(key))]
    # The Arc Native Specification has them in a list under "credits".
    said += [credits_.get("by")] if isinstance(credits_, dict) else []
    names = [name for value in said for name in _names(value, 0)]
    persons = (person for name in names[:_MOST] for person in split_names(name))
    return tuple(dict.fromkeys(person for person in persons if is_name(person)))


def _names(value: Any, depth: int) -> Iterator[str]:
    """The names in what data say of authors: a text, an object with a name or with an object that has one, a list."""
    if isinstance(value, str):
        yield value[:_MAX_NAME]
    elif isinstance(value, list) and depth < _MOST_NESTED:
        for item in value[:_MOST]:
            yield from _names(item, depth + 1)
    elif isinstance(value, dict) and depth < _MOST_NESTED:
        named: dict[str, Any] = {str(key).lower(): inner for key, inner in value.items()}
        both = " ".join(str(named.get(key) or "") for key in ("firstname", "lastname")).strip()
        said = [*(named.get(key) for key in _NAME_KEYS), both]
        names = [text[:_MAX_NAME] for text in said if isinstance(text, str) and text][:1]
        yield from names
        for key in _NAMED_IN if not names else ():
            if isinstance(named.get(key), dict | list):
                yield from _names(named[key], depth + 1)
