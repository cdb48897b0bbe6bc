"""What pointing at an element comes to on the stored pages of a site."""

from __future__ import annotations

import pytest

from articlebot.batch.pages import PageAgain, PageBatch
from articlebot.batch.teaching import Field, Lesson, teach
from articlebot.page import Page
from tests.extraction.wrapper.pages import article


def _batch(*bodies: bytes) -> PageBatch:
    return PageBatch(
        tuple(PageAgain(f"https://a.test/{n}", body, None, 1.8e9, "a.test") for n, body in enumerate(bodies))
    )


def _taught(bodies: list[bytes], field: Field, path: str) -> Lesson:
    page = Page.parse(bodies[0], "https://a.test/0")
    (element,) = page.tree.xpath(path)
    return teach(_batch(*bodies), field, page.elements.index(element))


def _pages(count: int, old: str = "", new: str = "") -> list[bytes]:
    return [article(n)[0].replace(old.encode(), new.replace("{n}", str(n)).encode()) for n in range(count)]


def test_what_is_read_before_and_after_is_shown_of_every_page() -> None:
    pages = _pages(4, '<span class="author">By Ann Lee</span>', '<i class="desk">Ed Roe</i>')
    lesson = _taught(pages, "author", "//i")
    assert (lesson.selector, lesson.refused) == ("i.desk", None)
    assert [(one.found, one.after) for one in lesson.tried] == [(True, "Ed Roe")] * 4
    assert str(lesson.said) == "found on 4 of 4 stored pages"


def test_a_date_and_a_body_are_read_where_they_are_pointed_at() -> None:
    pages = _pages(3)
    date = _taught(pages, "date", "//span[@class='pub-date']")
    assert [one.after[:10] for one in date.tried] == ["2024-05-01", "2024-05-02", "2024-05-03"]
    body = _taught(pages, "body", "//div[@class='story-text']/p[2]")
    assert body.selector == "div.story-text"
    assert all(article(n)[1][0] in one.after for n, one in enumerate(body.tried))


@pytest.mark.parametrize(
    ("field", "path", "why"),
    [
        ("date", "//span[@class='author']", "no date can be read there"),
        ("title", "//i", "nothing can be read there"),
        ("title", "//figure/img", "nothing can be read there"),
        ("title", "//b", "found on {found} of {pages} pages; {least} at least are needed"),
        ("title", "//div[@id='nav']", "the same text stands on all {found} pages: it is the site's, no article's"),
    ],
)
def test_what_says_nothing_of_the_article_is_refused(field: Field, path: str, why: str) -> None:
    pages = _pages(4)
    pages[0] = pages[0].replace(b"</body>", b"<i class=empty> </i><b class=once>Only here</b></body>")
    lesson = _taught(pages, field, path)
    assert lesson.refused is not None
    assert lesson.refused.text == why


def test_one_author_may_have_written_all() -> None:
    assert _taught(_pages(6), "author", "//span[@class='author']").refused is None


def test_one_page_is_enough_and_a_damaged_one_beside_it_no_fault() -> None:
    (page,) = _pages(1)
    assert _taught([page], "title", "//h1").refused is None
    mixed = [page, page.replace(b"Lee", b"Low"), b"%PDF-1.7"]
    assert _taught(mixed, "author", "//span[@class='author']").refused is None
    assert teach(_batch(), "title", 0).refused is not None
    assert teach(_batch(b""), "title", 0).refused is not None
