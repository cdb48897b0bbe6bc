"""Pages out of templates: language, times, durations and the words of the interface."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from articlebot.archive import as_text
from articlebot.archive.snippet import Snippet
from articlebot.console.access import LANGUAGE_COOKIE, Sessions
from articlebot.console.acts import Acts
from articlebot.console.sources import Sources
from articlebot.console.verdicts import Verdicts
from articlebot.console.who import RedisReadMarks
from articlebot.diagnosis.advice import chinese as of_reasons
from articlebot.files import shipped
from articlebot.runtime.clauses import Clause
from articlebot.times import duration, iso
from articlebot.typed import as_typed

# Values that hold sentences; the others are addresses, names and numbers, in which nothing is translated.
_SENTENCES = frozenset({"said", "again", "seeds", "wall"})
# Longer ones hold what is no word of the crawl.
_MOST = 2000
_ONE_WORD = frozenset({"host", "url", "number", "status", "seconds", "read"})


@dataclass(frozen=True, slots=True)
class Console:
    """What every page needs: the stores, the sessions, the templates, and what was said of articles."""

    sources: Sources
    sessions: Sessions
    templates: Environment
    verdicts: Verdicts
    acts: Acts
    read_marks: RedisReadMarks

    @classmethod
    def of(cls, request: Request) -> Console:
        """The console that a request came to."""
        console: Console = request.app.state.console
        return console

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page of a template, in the reader's language."""
        language = language_of(request)
        text = self.templates.get_template(template).render(
            t=translator(language), language=language, path=request.url.path, form_token=self.sessions.form_token,
            other_language=_with_language(request, "en" if language == "zh" else "zh"), who=request.state.who,
            now=self.sources.runtime.now(), **values,
        )  # fmt: skip
        return HTMLResponse(text, status)

    def refusal(self, request: Request, error: Exception, back: str, kept: str = "") -> HTMLResponse:
        """The page that says why something cannot be done, with what was typed and where."""
        told = {"message": "This cannot be done.", "detail": str(error), "back": back, "kept": kept}
        return self.page(request, "message.html", 400, **told)

    def missing(self, request: Request, what: str) -> HTMLResponse:
        """The page for what is not there."""
        return self.page(request, "message.html", 404, message=what)


def environment() -> Environment:
    """The templates; read through the package's loader, so that they may lie in an egg."""
    templates = Environment(
        loader=PackageLoader("articlebot.console"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    templates.filters.update(
        when=when,
        duration=_duration,
        marked=marked,
        number=number,
        here=here,
        field=as_text,
        filled=filled,
        said=said,
        dated=dated,
        stated=stated,
        typed=as_typed,
    )
    return templates


def page_number(request: Request) -> int:
    """Which page of a list is asked for, from 1."""
    given = request.query_params.get("page", "")
    return max(1, int(given[:9])) if given.isdecimal() else 1


def translator(language: str) -> Callable[[str], str]:
    """Looks up a text of the interface."""
    return lambda text: as_typed(chinese().get(text, text) if language == "zh" else text)


@cache
def chinese() -> dict[str, str]:
    """The interface in Chinese; the English texts are the keys."""
    return tomllib.loads(shipped("articlebot.console", "chinese.toml"))


def language_of(request: Request) -> str:
    """``en`` or ``zh``: the reader's own choice, else the browser's first of the two."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in ("en", "zh"):
        return chosen
    wanted: list[tuple[float, str]] = []
    for part in request.headers.get("accept-language", "").split(","):
        name, _, rest = part.strip().partition(";")
        try:
            weight = float(rest.partition("q=")[2]) if "q=" in rest else 1.0
        except ValueError:
            weight = 0.0
        if name[:2].lower() in ("en", "zh"):
            wanted.append((-weight, name[:2].lower()))
    return min(wanted, key=lambda pair: pair[0])[1] if wanted else "en"


def when(at: float | None, *, seconds: bool = False) -> Markup:
    """A time, shown in UTC and rewritten by the script to the reader's zone; a dash for None."""
    text = iso(at)
    if text is None:
        return Markup("–")
    form = '<time datetime="{}" data-seconds>{} UTC</time>' if seconds else '<time datetime="{}">{} UTC</time>'
    told = Markup(form)  # noqa: S704 - one of two constants
    return told.format(text, text[: 19 if seconds else 16].replace("T", " "))


def stated(at: str) -> Markup:
    """A time as a page states it, in ISO 8601, for the script to show in the reader's zone."""
    return Markup('<time datetime="{}">{}</time>').format(at, at[:16].replace("T", " "))


def dated(row: Mapping[str, Any]) -> Markup:
    """When an article was published, else first archived; the day alone where its page states no more."""
    day = row.get("published_at") or ""
    if len(day) == len("2026-11-24"):
        return stated(day)
    return when(row["published_at_epoch"] or row.get("first_archived_at"))


@pass_context
def _duration(context: Context, seconds: float | None) -> str:
    return duration(seconds, context["t"])


def number(value: float | None) -> str:
    """With separators; a dash for None."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def marked(snippet: Snippet) -> Markup:
    """A snippet with its marks; the text is anybody's and escaped piece by piece."""
    out, end = [], 0
    for start, stop in snippet.marks:
        out += [escape(snippet.text[end:start]), Markup("<mark>{}</mark>").format(snippet.text[start:stop])]
        end = stop
    return Markup("").join([*out, escape(snippet.text[end:])])


def filled(clause: Clause, t: Callable[[str], str]) -> str:
    """A clause in the reader's language; of its values those that are words of the interface too."""
    values = {name: t(value) if name in ("event", "form") else value for name, value in clause.values.items()}
    return t(clause.text).format(**values)


@pass_context
def said(context: Context, text: str) -> Markup:
    """A sentence that the crawl has written down, in the reader's language where it is known in that."""
    shown = in_chinese(text) if context["language"] == "zh" else text
    told = as_typed(text if shown is None else shown)
    return Markup('<span lang="en">{}</span>').format(told) if shown is None else escape(told)


def here(path: str, target: str) -> bool:
    """Whether a page belongs to an entry of the navigation."""
    return path == target or (target != "/" and path.startswith(target + "/"))


def _with_language(request: Request, language: str) -> str:
    # A page that answered a form is gone to by its address, not by the form once more.
    values = [(name, value) for name, value in request.query_params.multi_items() if name != "lang"]
    return f"{request.url.path}?{urlencode([*values, ('lang', language)])}"


def in_chinese(text: str) -> str | None:
    """What a warning, a finding or a remark says, in Chinese; None where any of its sentences is not known."""
    if not text or len(text) > _MOST:
        return None if text else ""
    found = _sentence(text)
    if found is not None:
        return found
    # Sentences stand one behind the other, and any of them may have several parts.
    for mark, shown in ((". ", "。"), (", ", "，")):
        end = text.find(mark)
        while end >= 0:
            first = _sentence(text[:end])
            if first is not None:
                rest = in_chinese(text[end + len(mark) :])
                return None if rest is None else first + shown + rest
            end = text.find(mark, end + 1)
    return None


def _sentence(text: str) -> str | None:
    for parts, names, shown in _templates():
        values = _fitted(parts, names, text)
        if values is not None:
            told = {name: in_chinese(value) if name in _SENTENCES else value for name, value in values.items()}
            if None not in told.values():
                return shown.format_map(told)
    return None


@cache
def _templates() -> list[tuple[list[str], list[str], str]]:
    """The fixed parts of each sentence, the names of its values, and the sentence in Chinese; the longest first."""
    own = tomllib.loads(shipped("articlebot.console", "said.toml"))
    every = {**own, **of_reasons()}
    pieces = [(re.split(r"\{(\w+)\}", text), shown) for text, shown in every.items()]
    pieces.sort(key=lambda one: -sum(map(len, one[0][::2])))
    return [(split[::2], split[1::2], shown) for split, shown in pieces]


def _fitted(parts: list[str], names: list[str], text: str) -> dict[str, str] | None:
    """The values with which a sentence reads so; each ends where the next fixed part is first found."""
    if not names:
        return {} if text == parts[0] else None
    if not (text.startswith(parts[0]) and text.endswith(parts[-1])):
        return None
    values: dict[str, str] = {}
    begin, last = len(parts[0]), len(text) - len(parts[-1])
    for place, (name, part) in enumerate(zip(names, parts[1:], strict=True), 1):
        end = text.find(part, begin, last) if place < len(names) else last
        if end < begin:
            return None
        value = text[begin:end]
        if not value or (name in _ONE_WORD and " " in value) or values.get(name, value) != value:
            return None
        values[name], begin = value, end + len(part)
    return values
