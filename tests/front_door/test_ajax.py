"""Sites that answer a script with the list and a reader with a page, as Django REST, Rails, Laravel and ThinkPHP do."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable

import pytest

from tests.front_door.door import Door
from tests.front_door.site import Page, Reply, SmallSite, article, front

_JSON = {"Content-Type": "application/json"}
_STORIES = {200 - n: f"Report number {n} from the harbour town and its {n} bridges" for n in range(24)}


def _shell(script: str) -> str:
    return (
        "<!doctype html><html lang=en><head><title>The Harbour Post</title></head><body><div id=app></div>"
        f"<script>{script}</script></body></html>"
    )


def _some(number: int, each: int = 8) -> list[tuple[int, str]]:
    return list(_STORIES.items())[each * (number - 1) : each * number]


def _browsable(answer: str) -> str:
    """Django REST's page around an answer, for readers."""
    return (
        "<!doctype html><html><head><title>Article List – Django REST framework</title></head><body><h1>List</h1>"
        f"<pre class=prettyprint>{answer}</pre></body></html>"
    )


def _rest() -> dict[str, Page]:
    """An application whose lists and articles come from one API, a page for readers at each of its addresses."""
    script = (
        "let page = 1; fetch(`/api/articles/?page=${page}`).then(r => r.json()).then(d => d.results.forEach(a => "
        "list.innerHTML += `<a href='/articles/${a.id}'>${a.title}</a>`));"
        "function show(id) { fetch(`/api/articles/${id}/`).then(r => r.json()).then(render) }"
    )
    pages: dict[str, Page] = {"/": _shell(script)}
    for number in (1, 2, 3):
        path = f"/api/articles/?page={number}"
        items = [{"id": key, "title": title, "published": "2026-11-20T08:30:00Z"} for key, title in _some(number)]
        then = f"/api/articles/?page={number + 1}" if number < 3 else None
        answer = json.dumps({"count": len(_STORIES), "next": then, "results": items})
        pages |= {path: _browsable(answer), f"AJAX {path}": Reply(answer, headers=_JSON)}
    for key, title in _STORIES.items():
        body = f"{title}. " + "The council has agreed on a bridge after a debate until the evening. " * 12
        answer = json.dumps({"id": key, "title": title, "content": body, "published": "2026-11-20T08:30:00Z"})
        pages |= {f"/articles/{key}": _shell(script), f"/api/articles/{key}/": _browsable(answer)}
        pages[f"AJAX /api/articles/{key}/"] = Reply(answer, headers=_JSON)
    return pages


def _more(answers_readers: bool) -> dict[str, Page]:
    """A list that goes on by jQuery: readers get nothing there, or the list's first page once more."""
    first = front({f"/read/{key}": title for key, title in _some(1)}).replace(
        "</body>",
        "<a id=more>More</a><script>var page = 1; $('#more').click(function () { page++; "
        "$.getJSON('/news?page=' + page, function (d) { show(d.list) }) })</script></body>",
    )
    pages: dict[str, Page] = {"/": first}
    for number in (2, 3, 4):
        items = [{"url": f"/read/{key}", "title": title} for key, title in _some(number)]
        pages[f"AJAX /news?page={number}"] = Reply(json.dumps({"code": 0, "list": items}), headers=_JSON)
        if answers_readers:
            pages[f"/news?page={number}"] = first
    return pages | {f"/read/{key}": article(title) for key, title in _STORIES.items()}


@pytest.mark.parametrize(
    "pages", [_rest, lambda: _more(True), lambda: _more(False)], ids=["rest", "first page again", "nothing"]
)
def test_a_list_that_only_scripts_are_given_is_found_and_followed(
    door: Door, pages: Callable[[], dict[str, Page]]
) -> None:
    with SmallSite(pages()) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        assert {row["title"] for row in door.archived()} == set(_STORIES.values())
        (job,) = tomllib.loads(door.type("jobs", "show", "127.0.0.1").stdout)["site"]
        assert len(job["ajax"]) == 1
        assert len(site.hits) <= 1.5 * len(_STORIES)
