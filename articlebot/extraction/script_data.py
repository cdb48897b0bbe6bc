"""Articles that are only in a page's scripts: state for a front end, JSON-LD, escaped HTML.

Some sites send the article as data and let the browser build the page. The data are JSON of any shape (what Next.js,
Nuxt, Apollo or a content system of one's own write), so no path is known: what is looked for is the longest prose under
one key or in one list, beside the page's own headline where several have prose. All work is bounded.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from articlebot.extraction.fields.date_reader import DateReader, Stamp
from articlebot.extraction.fields.reckoning import zone_of
from articlebot.extraction.fields.sources import source_in
from articlebot.extraction.place import Region
from articlebot.extraction.script_authors import authors_in
from articlebot.page.blocks import Block
from articlebot.page.metadata import article_nodes
from articlebot.page.page import Page
from articlebot.page.script_values import MAX_VALUES, MIN_CHARS, literals, loaded, referred, scripts, values_of
from articlebot.page.source import parse
from articlebot.page.tags import MARKUP
from articlebot.page.text import squash, tokens, word_count
from articlebot.page.walk import walked
from articlebot.text import language

MIN_WORDS = 60.0
DATA_CONFIDENCE = 0.7  # of a body that scripts hold: on pages with both, it is the article on four of five or more
_NOTHING = 40.0  # words of a document's body up to which prose on the page's topic is enough
_SHORT = 200.0  # words of a document's body above which nobody looks into its scripts
_MAX_DEPTH = 60
_MIN_LEAF = 20
_ON_TOPIC = 0.3  # share of the words of the page's title that its article has
_MAX_BODY_CHARS = 1_000_000
_TOLD_BY = 2000  # characters by which a language is told
_SAME_TITLE = 3.0  # how much longer prose must be to win against prose that stands beside the page's headline

_BLOCK_TAG = re.compile(r"<(?:p|div|br|h[1-6]|li|ul|section|article|blockquote|figure|table)\b", re.I)
_STOP = re.compile(r"[.!?](?=[\s\"'”’)<]|$)|[。！？]")
_CODE = re.compile(r"[{}=;\\]|\":|\bfunction\b|https?://")
_TITLE_KEYS = ("headline", "title", "newstitle", "articletitle", "subject", "heading")
_BODY_KEYS = re.compile(r"body|content|html|text|story|article|paragraph|blocks|detail|markdown", re.I)
_LEAD_KEYS = re.compile(
    r"descr|summary|abstract|excerpt|comment|repl(?:y|ies)|bio\b|related|recommend|disclaim|terms|polic|cookie", re.I
)
_DATE_KEYS = re.compile(
    r"(?:first_?)?(?:publi[sc]h|pub)\w*|date_?published|(?:p(?:ub)?_?)?(?:date)?_?time\Z|(?:issue|show|display|news)?_?date\Z|"
    r"created?(?:_?(?:at|time|date|on))?\Z",
    re.I,
)
_LEAF_KEYS = frozenset(
    "text innerhtml bodyhtml contenthtml bodytext rendered value html content "
    "data body children paragraph markdown sentence heading caption quote items props".split()
)
# What an item of a body is that is no text of it, as its type says.
_NO_TEXT = re.compile(
    r"(?!.{0,60}text)(?=.{0,60}(?:image|photo|picture|gallery|slideshow|video|embed|advert|\bads?\b|newsletter|related|promo))",
    re.I,
)
_SILENT_KEYS = frozenset(
    "type url href src id slug key name class classname style alt lang locale role typename".split()
)


class ScriptArticle(NamedTuple):
    """An article from a page's data.

    Attributes:
        page: the real page, but with the blocks of the article's HTML.
        title: what the data have as its headline, "" where they have none beside it.
        published: when the data say it was published, None where they do not.
        authors: whom the data name as authors.
        source: where the data say that it comes from, "" where they do not.
        rule: ``jsonld`` or ``script_data``.
    """

    page: Page
    title: str
    published: Stamp | None
    authors: tuple[str, ...]
    source: str
    rule: str


class _Prose(NamedTuple):
    """Prose found in the data: HTML, its length, and the object that holds it."""

    markup: str
    size: float
    holder: dict[str, Any] | None
    rule: str


def article_in_scripts(page: Page, *, longer_than: float = 0.0, titled: bool = False) -> ScriptArticle | None:
    """The article in a page's scripts, None where none is long enough: 60 words, and longer than the given length.

    Beside the page's headline and a date 20 words are.

    Args:
        longer_than: words (a Chinese character is 0.6 of one) of what the document itself has for a body.
        titled: only what stands beside the page's headline.
    """
    titles = _titles(page)
    best: tuple[float, _Prose] | None = None
    words = _words(" ".join(titles))
    for prose in _found(page):
        beside = bool(_title_of(prose.holder, titles))
        if prose.size <= longer_than or (prose.size < MIN_WORDS and not (beside and _dates(prose.holder))):
            continue
        score = prose.size * (_SAME_TITLE if beside else 1.0)
        if (best is None or score > best[0]) and (beside or (not titled and _is_on_topic(prose, words))):
            best = (score, prose)
    if best is None:
        return None
    prose = best[1]
    tree = parse(f"<html><body>{prose.markup}</body></html>").tree
    if tree is None:
        return None
    inner = Region(page, walked(tree))
    title = _title_of(prose.holder, titles) or _any_title(prose.holder)
    if not inner.blocks:
        return None
    at = _published(prose.holder, inner)
    return ScriptArticle(inner, title, at, authors_in(prose.holder), source_in(prose.holder), prose.rule)


def instead_of(page: Page, body: Sequence[Block]) -> ScriptArticle | None:
    """The article in a page's scripts where the document's own body is short and not half as long; None elsewhere."""
    own = sum(word_count(block.text) for block in body)
    if own > _SHORT or "<script" not in page.text:
        return None
    return article_in_scripts(page, longer_than=2 * own, titled=own > _NOTHING)


def _found(page: Page) -> Iterator[_Prose]:
    for node in article_nodes(page.jsonld):
        if isinstance(text := node.get("articleBody"), str) and (prose := _of_text(text, node, "jsonld")):
            yield prose
    budget = iter(range(MAX_VALUES - 1))  # of the data, how many values are looked at
    for text, kind in scripts(page):
        yield from _in_script(text, kind, budget)


def _in_script(text: str, kind: str, budget: Iterator[int]) -> Iterator[_Prose]:
    if "html" in kind or "template" in kind:
        values: list[Any] = [text]
    else:
        values = list(values_of(text)) or list(literals(text))
    for value in values:
        yield from _walk(value, value if isinstance(value, dict) else {}, budget)


def _walk(value: Any, root: dict[str, Any], budget: Iterator[int]) -> Iterator[_Prose]:
    """Prose anywhere in a value, objects first visited first; what is a comment or summary is passed over."""
    stack: list[tuple[Any, dict[str, Any] | None, str, int]] = [(value, None, "", 0)]
    while stack and next(budget, None) is not None:
        one, holder, key, depth = stack.pop()
        if isinstance(one, str):
            if one[:1] in ("{", "[") and isinstance(inner := loaded(one), dict | list) and inner != [one]:
                stack.append((inner, holder, key, depth + 1))
            elif prose := _of_text(one, holder):
                yield prose
        elif isinstance(one, dict):
            if isinstance(target := root.get(str(one.get("__ref"))), dict) and depth < _MAX_DEPTH:
                one = target
            # What is below an article's body has the article's headline: fields.title, fields.body.content.
            above = holder is not None and _BODY_KEYS.search(key) and not _any_title(one) and _any_title(holder)
            own = holder if above else referred(one, root)
            stack.extend((v, own, str(k), depth + 1) for k, v in one.items() if _may_hold(str(k), v, depth))
        elif isinstance(one, list) and one:
            # What a key calls a body is one body; other lists may be lists of articles.
            whole = len(one) > 1 and (_BODY_KEYS.search(key) or all(isinstance(item, str) for item in one))
            if whole and (prose := _of_list(one, holder, root, budget)):
                yield prose
            inner_key = "" if isinstance(one[0], dict) else key
            stack.extend((item, holder, inner_key, depth + 1) for item in one if _may_hold("", item, depth))


def _may_hold(key: str, value: Any, depth: int) -> bool:
    if depth > _MAX_DEPTH or (key and _LEAD_KEYS.search(key)):
        return False
    return isinstance(value, dict | list) or (isinstance(value, str) and len(value) >= MIN_CHARS)


def _of_text(text: str, holder: dict[str, Any] | None, rule: str = "script_data") -> _Prose | None:
    """A string as prose; None where it is none."""
    if len(text) < MIN_CHARS:
        return None
    text = text[:_MAX_BODY_CHARS]
    if "&lt;" in text and "<" not in text:
        text = html.unescape(text)
    prose = _prose(text, holder, rule)
    if prose is None or _BLOCK_TAG.search(text):
        return prose
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    inline = "<" in text and MARKUP.search(text) is not None
    markup = "".join(f"<p>{line if inline else html.escape(html.unescape(line))}</p>" for line in lines)
    return prose._replace(markup=markup)


def _prose(markup: str, holder: dict[str, Any] | None, rule: str) -> _Prose | None:
    """The markup as prose; None where its text is none."""
    plain = MARKUP.sub(" ", markup)
    length, stops = word_count(" ".join(plain.split())), len(_STOP.findall(plain))
    if length < MIN_WORDS / 3 or not stops or length >= 80 * stops or len(_CODE.findall(plain)) >= 0.02 * len(plain):
        return None
    return _Prose(markup, length, holder, rule)


def _of_list(
    items: list[Any], holder: dict[str, Any] | None, root: dict[str, Any], budget: Iterator[int]
) -> _Prose | None:
    """A list whose items are an article's paragraphs, as prose; None where it is none."""
    paragraphs = []
    for item in items[:2000]:
        if isinstance(item, dict) and _NO_TEXT.match(str(item.get("type") or item.get("__typename") or "")[:60]):
            continue
        pieces = list(_leaves(item, root, budget, 0))
        text = "".join(pieces) if not any(_BLOCK_TAG.search(piece) for piece in pieces) else "\n".join(pieces)
        if text := text.strip():
            line = text if MARKUP.search(text) else html.escape(html.unescape(text))
            paragraphs.append(text if _BLOCK_TAG.search(text) else f"<p>{line}</p>")
    return _prose("\n".join(paragraphs)[:_MAX_BODY_CHARS], holder, "script_data") if len(paragraphs) > 1 else None


def _leaves(value: Any, root: dict[str, Any], budget: Iterator[int], depth: int) -> Iterator[str]:
    """The texts of one paragraph, in order."""
    if depth > _MAX_DEPTH // 2 or next(budget, None) is None:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            if not isinstance(item, str) or depth == 0 or len(value) == 1 or " " in item:
                yield from _leaves(item, root, budget, depth + 1)
    elif isinstance(value, dict):
        if isinstance(target := root.get(str(value.get("__ref"))), dict):
            value = target
        named = {str(key).lower(): inner for key, inner in value.items()}
        texts = [inner for key, inner in named.items() if isinstance(inner, str) and key in _LEAF_KEYS]
        yield from texts
        # What is below the text of an object is mostly the same text with its marks.
        if sum(map(len, texts)) < _MIN_LEAF:
            for key, inner in named.items():
                if isinstance(inner, dict | list) and key not in _SILENT_KEYS and not _LEAD_KEYS.search(key):
                    yield from _leaves(inner, root, budget, depth + 1)


def _is_on_topic(prose: _Prose, words: set[str]) -> bool:
    """Whether prose speaks of what the page's title does: scripts hold notices, too, and other articles."""
    if not words:
        return _any_title(prose.holder) != ""
    return len(words & _words(MARKUP.sub(" ", prose.markup))) >= _ON_TOPIC * len(words)


def _words(text: str) -> set[str]:
    return {word for word in tokens(text.lower()) if len(word) > 3 or word > "\u3000"}


def _titles(page: Page) -> list[str]:
    said = [*page.meta.get("og:title", ())[:1], *page.meta.get("twitter:title", ())[:1], page.title]
    return [text for text in dict.fromkeys(said) if len(text) > 4]


def _title_of(holder: dict[str, Any] | None, titles: list[str]) -> str:
    """The title beside prose where the page states it, too; "" where it does not."""
    text = _any_title(holder)
    key = squash(text)
    others = [squash(title) for title in titles]
    return text if len(key) > 4 and any(other and (key in other or other in key) for other in others) else ""


def _published(holder: dict[str, Any] | None, page: Region) -> Stamp | None:
    """The date of publication beside prose; what is named a date of change or of anything else is none."""
    dates = _dates(holder)
    # Seconds of the epoch have no zone: they are told in the site's.
    counted = any(map(str.isdecimal, dates))
    local = zone_of(page, language(" ".join(block.text for block in page.blocks)[:_TOLD_BY])) if counted else None
    stamps = (DateReader(page.fetched_at, local=local if one.isdecimal() else None).read(one) for one in dates)
    return next(filter(None, stamps), None)


def _dates(holder: dict[str, Any] | None) -> list[str]:
    return [str(v) for key, v in (holder or {}).items() if _DATE_KEYS.match(str(key)) and isinstance(v, str | int)]


def _any_title(holder: dict[str, Any] | None) -> str:
    named = {str(key).lower(): value for key, value in (holder or {}).items()}
    for key in _TITLE_KEYS:
        value = named.get(key)
        value = next((v for v in value.values() if isinstance(v, str)), "") if isinstance(value, dict) else value
        if isinstance(value, str) and 1 < len(value) <= 300:
            return " ".join(html.unescape(MARKUP.sub("", value)).split())
    return ""
