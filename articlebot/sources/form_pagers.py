"""Pagers that send a form: what is pressed stands in the address's query, under a name that no site uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.page import Page
from articlebot.page.forms import hidden_fields
from articlebot.page.json_values import loaded
from articlebot.sources.counting import START_KEYS
from articlebot.sources.pager_words import MORE, NEXT
from articlebot.urls import asking, canonical_or_none, same_site

MOST_FIELDS = 20  # of a form
TARGET, ARGUMENT = "__EVENTTARGET", "__EVENTARGUMENT"
# Of other forms: the field with the number of a page, and that.
POSTED = "__POSTED"
_CALLS = re.compile(
    r"\s{0,4}(?:javascript:)?\s{0,4}(?:return\s)?\s{0,4}[A-Za-z_$][\w$.]{0,40}\(\s{0,4}[\"']?(\d{1,5})[\"']?\s{0,4}[,)]",
    re.I,
)
_HEAD = 4000  # characters in which a whole page has its body
_OF_COMMENTS = re.compile(r"comment|repl(?:y|ies)|kommentar|comentario|评论|評論|коммент", re.I)
# What is longer holds the state of a server.
_LONGEST_KEPT = 100
_FIELD, _MOST_CALLED = re.compile(r"[\w.-]{1,40}"), 20_000
_NOWHERE = frozenset({"#", "javascript:;", "javascript:void(0)", "javascript:void(0);"})


def called(page: Page) -> str | None:
    """The next page of a list whose pager calls a function that sends its form: <a href="javascript:go(2)">2</a>.

    The form has a field for the page's number. Of one that is sent by POST the address has the field and the number in
    its query, under a name that no site uses.
    """
    form, field, number = next(_counting_forms(page), (None, "", 0))
    if form is None:
        return None
    calls = calls_of(page) | {int(one.get("value")) for one in form.iter("button", "input") if _sends(one, field)}
    if number + 1 not in calls or max(calls) > _MOST_CALLED:
        return None
    url = _action(page, form)
    if (form.get("method") or "get").lower() != "post":
        kept = dict(hidden_fields(form.iter("input"), MOST_FIELDS)) | {field: str(number + 1)}
        return canonical_or_none(f"{url.partition('?')[0]}?{urlencode(kept)}")
    return _posting(page, form, url, {field: str(number + 1)})


def _action(page: Page, form: Any) -> str:
    return page.resolve(form.get("action") or page.url)


def _posting(page: Page, form: Any, url: str, pressed: Mapping[str, str]) -> str | None:
    """The address of what a form posts: what is pressed, and what else it hides where the page is another than its own.

    What the form of the page itself keeps is told as it is answered (``middlewares.posts``).
    """
    bare, _ = pressed_in(url) or (url, {})
    here, before = pressed_in(page.url) or (page.url, {})
    kept = before if before else {} if bare == here else dict(hidden_fields(form.iter("input"), MOST_FIELDS))
    said = {
        name: value
        for name, value in kept.items()
        if len(value) <= _LONGEST_KEPT and _FIELD.fullmatch(name) and name not in (TARGET, ARGUMENT)
    }
    pairs = [(POSTED, f"{name}:{value}") for name, value in {**said, **pressed}.items()]
    return canonical_or_none(asking(bare, urlencode(pairs, safe=":")))


def sent_on(page: Page) -> str | None:
    """The next page that a form asks for by POST as it stands: <input type=hidden name=page value=2>, "Load more"."""
    for one in page.by_tag["form"]:
        form: Any = one
        url = _action(page, form)
        if (form.get("method") or "get").lower() != "post" or not same_site(url, page.url):
            continue
        fields = list(islice(form.iter("input", "select", "textarea"), MOST_FIELDS))
        buttons = [*form.iter("button"), *(field for field in fields if (field.get("type") or "").lower() == "submit")]
        kept = hidden_fields(fields, MOST_FIELDS)
        counted = [(name, value) for name, value in kept if _counts(name, value)]
        says = ("".join(button.itertext()) or button.get("value") or "" for button in buttons)
        typed = len(fields) - len(kept) - sum(field in buttons for field in fields)
        if len(counted) == 1 and not typed and any(map(_goes_on, says)):
            return _posting(page, form, url, dict(counted))
    return None


def behind_piece(page: Page) -> str | None:
    """What is asked for behind a piece of a list that was posted for, and has neither links of a pager nor a form."""
    bare, pressed = pressed_in(page.url) or ("", {})
    counted = {name: str(int(value) + 1) for name, value in pressed.items() if _counts(name, value)}
    if len(counted) != 1 or page.by_tag["form"] or "<body" in page.text[:_HEAD] or not page.by_tag["a"]:
        return None
    return _posting(page, None, bare, counted)


def _goes_on(label: str) -> bool:
    """Whether a button says that it leads to the rest of a list; of comments there is a rest, too."""
    text = " ".join(label.split())
    return bool(text) and not _OF_COMMENTS.search(text) and any(words.match(text) for words in (NEXT, MORE))


def posted_by(page: Page) -> str | None:
    """What a button posts for the rest of a list by itself: ``hx-post="/more" hx-vals='{"offset": 9}'`` (htmx)."""
    for element in reversed(page.elements) if "hx-post" in page.text else ():
        one: Any = element
        url = one.get("hx-post") or one.get("data-hx-post")
        said = loaded((one.get("hx-vals") or one.get("data-hx-vals") or "").encode()) if url else None
        values = (
            {name: str(value) for name, value in said.items() if type(value) in (str, int)}
            if isinstance(said, dict)
            else {}
        )
        counted = any(
            _counts(name, value) or (name.lower() in START_KEYS and value.isdecimal()) for name, value in values.items()
        )
        if url and counted and same_site(page.resolve(url), page.url):
            pairs = [(POSTED, f"{name}:{value}") for name, value in values.items() if _FIELD.fullmatch(name)]
            return canonical_or_none(asking(page.resolve(url), urlencode(pairs, safe=":")))
    return None


def _counts(name: str, value: str) -> bool:
    """Whether a field is the number of a page behind the first."""
    return (
        name.rpartition(".")[2].lower() in PAGE_KEYS
        and bool(_FIELD.fullmatch(name))
        and value.isdecimal()
        and 1 < int(value[:6]) <= _MOST_CALLED
    )


def calls_of(page: Page) -> set[int]:
    """The numbers with which a page's links call functions."""
    says = (
        one.get("onclick") if (one.get("href") or "#").lower() in _NOWHERE else one.get("href")
        for one in page.by_tag["a"]
    )
    return {int(match[1]) for said in says if said and (match := _CALLS.match(said))}


def _sends(element: Any, field: str) -> bool:
    """Whether an element of a form sends that for the number of a page: <button name="page" value="2">."""
    says = element.get("name") == field and re.fullmatch(r"\d{1,5}", element.get("value") or "")
    return bool(says and (element.tag == "button" or (element.get("type") or "").lower() == "submit"))


def _counting_forms(page: Page) -> Iterator[tuple[Any, str, int]]:
    """Forms of a page's own site with a field for the number of a page, its name, and the number that it has."""
    pressed = pressed_in(page.url)
    for one in (*page.by_tag["input"], *page.by_tag["button"]):
        name, form = one.get("name") or "", next(one.iterancestors("form"), None)
        if form is None or name.rpartition(".")[2].lower() not in PAGE_KEYS or not _FIELD.fullmatch(name):
            continue
        shown = pressed[1].get(name, "") if pressed else "" if _sends(one, name) else one.get("value") or ""
        if same_site(_action(page, form), page.url):
            yield form, name, max(1, int(shown)) if shown.isdecimal() else 1


def pressed_in(url: str) -> tuple[str, dict[str, str]] | None:
    """The address of a page whose form is sent by a script, and what was set in that; None for any other address."""
    if f"{TARGET}=" not in url and f"{POSTED}=" not in url:
        return None
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    rest = urlencode([pair for pair in pairs if pair[0] not in (TARGET, ARGUMENT, POSTED)])
    pressed = {name: value for name, value in pairs if name in (TARGET, ARGUMENT)}
    pressed |= {field: number for name, value in pairs if name == POSTED for field, _, number in [value.partition(":")]}
    return parts._replace(query=rest).geturl(), pressed
