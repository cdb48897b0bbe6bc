"""Pages that need JavaScript, told from those that only have some."""

from __future__ import annotations

import pytest

from articlebot.extraction.shells import needs_scripts
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
