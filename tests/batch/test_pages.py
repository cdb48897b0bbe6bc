from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import get_type_hints

from articlebot.batch.pages import PageAgain, PageBatch, found_in, read_again
from articlebot.extraction.cascade import extract
from articlebot.extraction.model import Extracted
from articlebot.page import Page
from tests.front_door.site import article

URL = "https://news.example.com/2026/11/20/one.html"
PICTURE = "<figure><img src=/a.jpg alt=Bridge width=640 height=480></figure><p>"
HTML = article("One report", head="<meta name=keywords content='bridge, council'>").replace("<p>", PICTURE)


def test_a_page_is_read_as_a_crawl_reads_it() -> None:
    body = HTML.encode()
    pages = (PageAgain(URL, body, "text/html", 1.8e9, "example.com"), PageAgain(URL, b"", None, None, "example.com"))
    found = [found_in(row) for row in json.loads(json.dumps(read_again(PageBatch(pages))))]
    assert found[0] == replace(extract(Page.parse(body, URL, "text/html", 1.8e9)), cut=())
    assert found[0].images and found[0].keywords and found[0].authors == ()
    assert found[1].refused == "empty"


def test_a_job_s_selectors_and_zone_go_along() -> None:
    body = HTML.replace("<p>", "<time datetime='2026-11-20T08:00'></time><p id=lead>", 1).replace(
        "article:published_time", "other"
    )
    one = PageAgain(
        URL, body.encode(), "text/html", 1.8e9, "example.com", "Asia/Shanghai", {"body": "#lead", "title": ""}
    )
    (row,) = read_again(PageBatch((one,)))
    assert row["body"].count("One report:") == 1
    assert row["published_at"] == datetime(2026, 11, 20, 0, tzinfo=UTC).timestamp()


def test_every_field_of_an_article_can_go_through_json() -> None:
    """Tuples, texts, numbers and dicts come back as they were; a field of another kind would need a word here."""
    kinds = {str(get_type_hints(Extracted)[one.name]).split("[")[0] for one in fields(Extracted)}
    assert kinds <= {"<class 'str'>", "str | None", "float | None", "tuple", "dict", "typing.Optional",
                     "typing.Union", "typing.Literal"}  # fmt: skip
