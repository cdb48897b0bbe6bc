"""A page whose surroundings change at every request is no changed page."""

from __future__ import annotations

from articlebot.extraction.cascade import extract
from articlebot.page import Page
from articlebot.text import content_hash

SENTENCES = (
    "The ferry company said on Monday that its new boats will enter service before the end of the summer.",
    "Passengers had complained for years that the old ones were late whenever the wind came from the north.",
    "The first of the four was launched last week and is being tried between the mainland and the two islands.",
    "Fares will stay as they are until spring, when the contract with the province has to be renewed anyway.",
)


def _hash(request: int, sentences: tuple[str, ...] = SENTENCES) -> int:
    others = "".join(f"<li><a href='/s/{request * 31 + i}'>Story {request * 31 + i}</a></li>" for i in range(12))
    markup = (
        f"<html lang=en><head><title>Boats {request}</title><meta name=csrf content='{request * 7919}'></head>"
        f"<body data-request='{request}'><nav><ul>{others}</ul></nav><article><h1>New boats for the islands</h1>"
        + "".join(f"<p>{sentence}</p>" for sentence in sentences)
        + f"</article><aside><ul>{others}</ul></aside><footer>{request} readers now</footer></body></html>"
    )
    page = Page.parse(markup.encode(), "http://www.daily.test/a/1.html", fetched_at=1_720_000_000.0)
    return content_hash(extract(page).body)


def test_boilerplate_that_changes_at_every_request_is_no_change() -> None:
    assert len({_hash(request) for request in range(1, 9)}) == 1


def test_one_word_of_the_text_is_a_change() -> None:
    edited = (SENTENCES[0].replace("Monday", "Tuesday"), *SENTENCES[1:])
    assert _hash(1) != _hash(1, edited)
