"""Pages that need JavaScript, told from those that only have some."""

from __future__ import annotations

from time import process_time

import pytest

from articlebot.extraction.shells import lacks_list, lacks_text, needs_scripts
from articlebot.page import Page

SCRIPT = "<script src='/main.js'></script>"
TEXT = "<p>" + "Some words that a reader sees. " * 10 + "</p>"
LINKS = "".join(f"<a href='/{n}'>Section number {n}</a>" for n in range(8))


@pytest.mark.parametrize(
    ("body", "shell"),
    [
        (f"<div id='root'></div>{SCRIPT}", True),
        ("<div id='root'></div>", False),  # nothing would fill it
        (f"<p>Loading</p>{SCRIPT}", True),
        (f"<nav>{LINKS}</nav>{TEXT}<div id='app'></div>{SCRIPT}", True),
        (f"<nav>{LINKS}</nav>{TEXT}<div id='app'>Rendered before</div>{SCRIPT}", False),
        (f"<nav>{LINKS}</nav>{TEXT}<noscript>Please enable JavaScript</noscript>{SCRIPT}", True),
        (f"<nav>{LINKS}</nav>{TEXT}<noscript><img src='/pixel'></noscript>{SCRIPT}", False),
        (f"<div id='root'></div>{TEXT * 4}{SCRIPT}", False),
        (f"<div id='root'></div>{LINKS * 1}{''.join(f'<a href=/n/{n}>x</a>' for n in range(9))}{SCRIPT}", False),
        (f"<a href='http://['>no address</a>{SCRIPT}", True),
        ("", False),
    ],
)
def test_shells(body, shell):
    page = Page.parse(f"<html><head><title>t</title></head><body>{body}</body></html>".encode(), "http://a.test/")
    assert needs_scripts(page) == shell


@pytest.mark.parametrize(
    ("body", "lacks"),
    [
        (f"<h1>Head</h1><div id='story-body'></div>{SCRIPT}", True),
        (f"<h1>Head</h1><div class='article_content'><p class='bar'></p><p></p></div>{TEXT}{SCRIPT}", True),
        (f"<h1>Head</h1><section itemprop='articleBody'> </section>{SCRIPT}", True),
        (f"<h1>Head</h1><div class='story-text'></div><div>{TEXT}</div>", False),  # nothing would fill it
        (f"<div class='content'></div><h1>Head</h1>{TEXT}{SCRIPT}", False),
        (f"<h1>Head</h1><div class='content'>{TEXT}</div>{SCRIPT}", False),
        (f"<h1>Head</h1><div class='content'><img src='/a.jpg'></div>{SCRIPT}", False),
        (
            f"<h1>Head</h1><div id='ad-top'></div><div class='comments'></div><div class='contents'></div>{SCRIPT}",
            False,
        ),
        (f"<div class='content'></div>{SCRIPT}", False),
    ],
)
def test_frames_of_articles(body, lacks):
    page = Page.parse(f"<html><head><title>t</title></head><body>{body}</body></html>".encode(), "http://a.test/")
    assert lacks_text(page) == lacks


@pytest.mark.parametrize(
    ("body", "lacks"),
    [
        (f"<nav>{LINKS}</nav><ul id='rows'></ul>{SCRIPT}", True),
        (f"{TEXT}<table><tbody></tbody></table>{SCRIPT}", True),
        (f"<nav>{LINKS}</nav><div class='news-box'> </div>{SCRIPT}", True),
        (f"<nav>{LINKS}</nav><ul id='rows'></ul>", False),  # nothing would fill it
        (f"<nav>{LINKS}</nav><ul><li>A line</li></ul><div id='ad-top'></div><div class='listen'></div>{SCRIPT}", False),
    ],
)
def test_frames_of_lists(body, lacks):
    page = Page.parse(f"<html><head><title>t</title></head><body>{body}</body></html>".encode(), "http://a.test/")
    assert lacks_list(page) == lacks


def test_a_frame_of_many_places_in_one_another_costs_linear_time():
    deep = "<div class='content'>" * 200
    whole = f"<html><body><h1>Head</h1>{(deep + '<p></p>' * 50 + '</div>' * 200) * 50}{SCRIPT}</body></html>"
    page = Page.parse(whole.encode(), "http://a.test/")
    begun = process_time()
    assert not lacks_text(page)
    assert process_time() - begun < 5.0
