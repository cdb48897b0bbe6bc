from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from articlebot.errors import StateError
from articlebot.extraction.cascade import extract
from articlebot.extraction.wrapper.book import WrapperBook, learn_site
from articlebot.extraction.wrapper.drift import Drift
from articlebot.extraction.wrapper.model import Rules
from articlebot.extraction.wrapper.shelf import FolderShelf
from articlebot.extraction.wrapper.store import PageStore, StoredPage, WrapperStore
from articlebot.extraction.wrapper.wrapper import Wrapper
from articlebot.page.page import Page
from tests.extraction.wrapper.pages import article, sentence


def wrapper(confidence: float = 0.9) -> Wrapper:
    return Wrapper(
        Rules(
            site="s", pages=10, confidence=confidence, learned_at=7.0, body=("div.story-text",), names=(".story-text",)
        )
    )


def test_versions_stay_and_one_can_be_pinned(tmp_path: Path) -> None:
    store = WrapperStore(FolderShelf(tmp_path))
    assert store.load("s") == []
    assert [store.save("s", [wrapper(c)]) for c in (0.5, 0.9)] == [1, 2]
    assert store.load("s")[0].rules.version == 2
    store.pin("s", 1)
    assert store.load("s")[0].rules.confidence == 0.5
    assert [(v.number, v.pinned, v.current) for v in store.history("s")] == [(1, True, True), (2, False, False)]
    store.pin("s", None)
    assert store.current("s") == 2
    with pytest.raises(StateError, match="no version 9"):
        store.pin("s", 9)
    assert store.forget("s") and not store.forget("s")
    assert store.sites() == []


def test_hand_written_files_win(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    store = WrapperStore(FolderShelf(tmp_path / "data"), own)
    store.save("s", [wrapper()])
    (own / "s.json").write_text(json.dumps({"overrides": {"title": "h2"}}), encoding="utf-8")
    assert store.load("s")[0].rules.overrides.title == "h2"
    assert store.load("s")[0].rules.body == ("div.story-text",)
    (own / "s.json").write_text(json.dumps({"overrides": {"body": "#text"}}), encoding="utf-8")
    assert store.load("s")[0].rules.body == ()
    (own / "s.json").write_text("{", encoding="utf-8")
    with pytest.raises(StateError, match=r"s\.json"):
        store.load("s")


def test_a_damaged_version_names_its_file(tmp_path: Path) -> None:
    store = WrapperStore(FolderShelf(tmp_path))
    store.save("s", [wrapper()])
    (tmp_path / "wrappers" / "s" / "v1.json").write_text("{}", encoding="utf-8")
    with pytest.raises(StateError, match=r"v1\.json"):
        store.load("s")


@pytest.mark.parametrize("site", ["../../etc", "a/b", ".hidden", "中文.example", ""])
def test_names_of_sites_cannot_leave_the_folder(tmp_path: Path, site: str) -> None:
    store = WrapperStore(FolderShelf(tmp_path / "data"))
    store.save(site, [wrapper()])
    assert len(store.load(site)) == 1
    assert {p.name for p in tmp_path.iterdir()} == {"data"}
    assert {p.name for p in (tmp_path / "data").iterdir()} == {"wrappers"}


def test_pages_are_bounded_and_come_back(tmp_path: Path) -> None:
    store = PageStore(FolderShelf(tmp_path), per_site=3)
    for i in range(5):
        store.put("s", StoredPage(f"http://s/{i}", b"<p>%d" % i, "text/html", 1.5))
    store.put("s", StoredPage("http://s/4", b"<p>new", None, None))
    kept = list(store.pages("s"))
    assert len(kept) == store.count("s") == 3
    assert kept[0] == StoredPage("http://s/4", b"<p>new", None, None)
    next((tmp_path / "pages" / "s").glob("*.gz")).write_bytes(b"\x1f\x8bdamaged")
    assert len(list(store.pages("s"))) == 2
    store.forget("s")
    assert store.count("s") == 0


@pytest.fixture
def pages(tmp_path: Path) -> PageStore:
    return PageStore(FolderShelf(tmp_path))


@pytest.fixture
def book(tmp_path: Path, pages: PageStore) -> WrapperBook:
    return WrapperBook(WrapperStore(FolderShelf(tmp_path)), pages, min_pages=5)


def noted(book: WrapperBook, pages: PageStore, stored: StoredPage, page: Page, now: float) -> list[str]:
    notes: list[str] = list(book.note("s.test", page, now))
    return [*notes, "learn"] if book.wants("s.test") and book.kept("s.test", pages.put("s.test", stored)) else notes


def learned(book: WrapperBook, pages: PageStore) -> int:
    number = book.adopt("s.test", learn_site(pages, "s.test", 200.0))
    book.drop("s.test")
    return number


def test_a_site_is_learned_while_crawling_and_doubted_when_it_changes(
    tmp_path: Path, book: WrapperBook, pages: PageStore
) -> None:
    def visit(number: int, body_class: str = "story-text") -> tuple[list[str], Page]:
        stored = StoredPage(f"https://s.test/{number}", article(number, body_class=body_class)[0], None, None)
        page = stored.parse()
        return noted(book, pages, stored, page, 100.0 + number), page

    notes = [visit(n)[0] for n in range(1, 6)]
    assert notes == [[], [], [], [], ["learn"]]
    assert visit(6)[0] == []  # learning is under way
    assert learned(book, pages) == 1
    _, page = visit(7)
    assert book.choose("s.test", page) is not None
    events = [e for n in range(20, 40) for e in visit(n, "new-layout")[0]]
    assert events[0] == "doubted"
    assert "learn" in events
    assert "save" in events
    assert book.choose("s.test", page) is None
    assert learned(book, pages) == 2
    _, page = visit(50, "new-layout")
    assert book.choose("s.test", page) is not None
    assert [v.number for v in WrapperStore(FolderShelf(tmp_path)).history("s.test")] == [1, 2]


def test_once_a_wrapper_is_settled_one_in_eight_pages_that_fit_is_kept(tmp_path: Path) -> None:
    pages = PageStore(FolderShelf(tmp_path), per_site=12)
    book = WrapperBook(WrapperStore(FolderShelf(tmp_path)), pages, min_pages=5)
    kept: list[int] = []

    def visit(number: int, body_class: str = "story-text") -> None:
        stored = StoredPage(f"https://s.test/{number}", article(number, body_class=body_class)[0], None, None)
        book.note("s.test", stored.parse(), 100.0 + number)
        if book.wants("s.test"):
            kept.append(number)
            if book.kept("s.test", pages.put("s.test", stored)):
                learned(book, pages)

    for number in range(22):
        visit(number)
    assert kept == list(range(22))  # the wrapper of ten pages, and twelve since
    for number in range(22, 60):
        visit(number)
    assert kept[22:] == [25, 33, 41, 49, 57]
    for number in range(60, 78):
        visit(number, "new-layout")
    assert kept[27:] == list(range(60, 78))  # doubted by the third, learned from the sixth on
    visit(78, "new-layout")
    assert kept[-1] == 77


def test_pages_that_teach_nothing_are_no_reason_to_learn_again_and_again(book: WrapperBook, pages: PageStore) -> None:
    for number in range(20):
        note = f"<html><title>Note {number}</title><p>Note {number}: the office is closed.</p></html>".encode()
        pages.put("s.test", StoredPage(f"https://s.test/note/{number}", note, None, None))
    lessons = []
    for number in range(12):
        stored = StoredPage(f"https://s.test/{number}", article(number)[0], None, None)
        if number == 8 or (number > 8 and "learn" in noted(book, pages, stored, stored.parse(), 100.0)):
            lessons.append(learned(book, pages))
        pages.put("s.test", stored)
    assert lessons == [1]


def test_what_another_worker_has_written_stays_unless_something_has_happened(book: WrapperBook) -> None:
    mine, theirs = Drift(history=(1.0,) * 3), Drift(history=(0.0,), doubted_at=5.0)
    book.take("s.test", book.read("s.test"))
    assert book.save("s.test", mine, Drift()) == mine
    assert book.save("s.test", theirs, None) == theirs
    stands = book.save("s.test", Drift(history=(1.0,) * 8), mine)
    assert stands == theirs
    book.saved("s.test", mine, stands)
    assert book.of("s.test").drift == book.read("s.test").drift == theirs


def test_a_container_that_holds_something_else_is_noticed(book: WrapperBook, pages: PageStore) -> None:
    def moved(number: int) -> StoredPage:
        box = " ".join(sentence(random.Random(f"box {number}")) for _ in range(4))
        page = article(number, body_class="new-layout")[0].decode()
        page = page.replace('<div class="side">', f'<div class="side"><div class="story-text"><p>{box}</p></div>')
        return StoredPage(f"https://s.test/{number}", page.encode(), None, None)

    for number in range(1, 9):
        pages.put("s.test", StoredPage(f"https://s.test/{number}", article(number)[0], None, None))
    learned(book, pages)
    page = moved(30).parse()
    assert book.choose("s.test", page) is None
    notes = [note for n in range(30, 50) for note in book.note("s.test", moved(n).parse(), 300.0 + n)]
    assert "doubted" in notes
    assert book.choose("s.test", page) is None
    assert set(article(30)[1]) <= set(extract(page).body.split("\n"))
