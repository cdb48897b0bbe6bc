"""The wrapper of one template of one site: what to take from its pages and what to cut, as JSON a person can edit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from articlebot.errors import StateError

FORMAT = 1
MIN_PAGES = 3  # of one layout from which its rules are learned
_KNOWN_KEYS = ConfigDict(extra="forbid")
Amounts = tuple[float, float, float, float]


def _kept(value: object) -> bool:
    if value not in ("keep", "cut"):
        raise ValueError(f"must be 'keep' or 'cut', not {value!r}")
    return value == "keep"


@dataclass(frozen=True, slots=True, kw_only=True)
class Typical:
    """How the pages looked that a wrapper was learned from.

    Attributes:
        median, low, high: of body lengths in units (a CJK character counts 2.5).
        titled: share of the pages on which the title's path was right.
        stated: share of the pages whose head states the title that stands there.
        blocks_before, blocks_behind, words_before, words_behind, elements_before, elements_behind: means of what stands
            beside the region looked at.
        outer: of the body and the elements in it down to the one that the region fills, means of what they have
            besides: blocks, characters, characters in links, words.
        elsewhere: the most text in paragraphs outside of that region, as a part of the body's length.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _KNOWN_KEYS
    median: float = 0.0
    low: float = 0.0
    high: float = 0.0
    titled: float = 0.0
    stated: float = 0.0
    blocks_before: float = 0.0
    blocks_behind: float = 0.0
    words_before: float = 0.0
    words_behind: float = 0.0
    elements_before: float = 0.0
    elements_behind: float = 0.0
    outer: tuple[Amounts, ...] = ()
    elsewhere: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """Hand-written selectors: CSS, or XPath where it starts with ``/``, ``(`` or ``./``. Each wins over the learned."""

    __pydantic_config__: ClassVar[ConfigDict] = _KNOWN_KEYS
    title: str = ""
    body: str = ""
    author: str = ""
    date: str = ""
    source: str = ""
    cut: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any((self.title, self.body, self.author, self.date, self.source, self.cut))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """A wrapper's content.

    Attributes:
        site: the site's name; template: 0 for its most frequent one.
        version: counts the wrappers learned for the site; the same for all templates learned together.
        pages, confidence: on how many pages it rests, and how well they agreed, 0 to 1.
        stored: pages of the site that there were to learn from, those among them that fit no template.
        body: container keys: steps ``tag#id.class`` from the nearest named element down, in page order.
        names: the names that count in steps; others are made for single pages.
        paths: relative path in a container to True (kept from there down) or False (cut). ``@linked`` ends the path of
            blocks that are one link.
        likely: relative paths that had text of the article on several of these pages, by the block classifier.
        repeated: hashes of lines that the site puts into its articles' region.
        pictures: addresses of pictures that many of these pages have, such as the site's sign.
        title: key of the element that carries it, "" where none was learned.
        signed_outside: some of these pages have their writer outside of the region looked at.
        layout: the names that nearly all pages have which it was learned from, wherever on the page.
        by_hand: a person answers for it: it keeps and cuts whatever the page looks like.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _KNOWN_KEYS
    site: str
    template: int = 0
    version: int = 1
    pages: int = 0
    stored: int = 0
    confidence: float = 0.0
    learned_at: float | None = None
    body: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    paths: dict[str, Annotated[bool, BeforeValidator(_kept)]] = field(default_factory=dict)
    likely: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    title: str = ""
    signed_outside: bool = False
    layout: tuple[str, ...] = ()
    typical: Typical = Typical()
    overrides: Overrides = Overrides()
    by_hand: bool = False


# Keys of wrappers that earlier releases stored.
_FORMER = frozenset({"title_tail", "author", "date", "source", "passed", "patterns"})


def dump(rules: Rules) -> dict[str, Any]:
    """JSON-able form, with the format's number."""
    data = asdict(rules)
    data["paths"] = {path: "keep" if kept else "cut" for path, kept in sorted(rules.paths.items())}
    return {"format": FORMAT, **data}


def load(data: Any) -> Rules:
    """The rules of what `dump` wrote or a person edited.

    Raises:
        StateError: another format, an unknown key or a value of the wrong type; names the key.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise StateError(
            f"wrapper of format {data.get('format') if isinstance(data, dict) else data!r}, expected {FORMAT}"
        )
    try:
        return _read()({key: value for key, value in data.items() if key != "format" and key not in _FORMER})
    except ValidationError as error:
        first = error.errors()[0]
        raise StateError(f"wrapper: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


@cache
def _read() -> Callable[[Any], Rules]:
    return TypeAdapter(Rules).validate_python


def to_json(rules: Rules) -> str:
    """Indented JSON, as stored and as shown."""
    return json.dumps(dump(rules), ensure_ascii=False, indent=1)


def from_json(text: str) -> Rules:
    """The rules of a JSON text.

    Raises:
        StateError: no JSON, or not a wrapper.
    """
    try:
        return load(json.loads(text))
    except ValueError as error:
        raise StateError(f"wrapper: no JSON: {error}") from None
