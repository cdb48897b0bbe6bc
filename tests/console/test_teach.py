"""Pointing at fields on a stored page: who may, what is shown of a hostile page, what is refused, what is kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scrapy.settings import Settings

from articlebot.actions.teaching import Teaching
from articlebot.archive import Archive, Kept
from articlebot.batch.teaching import FIELDS
from articlebot.config import Config
from articlebot.console.shown import Shown
from articlebot.console.view import chinese
from articlebot.extraction.wrapper.shelf import FolderShelf
from articlebot.extraction.wrapper.store import PageStore, StoredPage
from articlebot.jobs.model import Job
from articlebot.page import Page
from tests.archive.conftest import make_article
from tests.console.conftest import JOBS, Client, stored
from tests.console.test_pages import BRIDGE, Outline

TEACH = "/teach?site=example.com&job=example&url=https://news.example.com/bridge"
FRAME = TEACH.replace("/teach?", "/teach/page?")


def _form(client: Client) -> dict[str, str]:
    """What the form sends beside field and element."""
    return _hidden(client.get(TEACH).text, "try")


def _hidden(page: str, act: str) -> dict[str, str]:
    """The hidden fields of the page's form that does this."""
    form = next(one for one in page.split("<form")[1:] if f'value="{act}"' in one).partition("</form>")[0]
    fields = Outline(form).all("input")
    return {str(one["name"]): str(one["value"]) for one in fields if one.get("type") == "hidden"}


def _number(client: Client, text: str) -> str:
    """The element whose text begins so, as the list has it."""
    found = re.search(rf'<option value="(\d+)"[^>]*>[^<]*{text}', client.get(TEACH).text)
    assert found is not None
    return found[1]


def test_of_a_hostile_page_text_alone_is_shown(client: Client) -> None:
    answer = client.get(FRAME)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "sandbox allow-same-origin" in policy
    outline = Outline(answer.text)
    assert {tag for tag, _ in outline.tags} == {"html", "head", "meta", "title", "link", "body", "div", "span"}
    assert [one["href"] for one in outline.all("link")] == ["/static/frame.css"]
    names = {name for tag, attrs in outline.tags if tag in ("div", "span") for name in attrs}
    assert names == {"data-n", "class"}
    assert "elsewhere" not in answer.text
    assert "&lt;script&gt;alert(4)" in answer.text
    assert "Not to be seen" not in answer.text
    assert "Bridge number 0" in answer.text
    # Only the page that has the frame may have one.
    assert "frame-src 'self'" in client.get(TEACH).headers["content-security-policy"]
    assert "frame-src" not in client.get("/").headers["content-security-policy"]


def test_numbers_are_those_of_the_page_that_is_read() -> None:
    page = Page.parse(stored(3).encode(), "https://a.test/")
    shown = Shown.of(page)
    for number, text in re.findall(r'data-n="(\d+)"[^>]*>([^<]+)<', shown.html):
        assert (page.elements[int(number)].text or "").strip() == text.replace("&lt;", "<").replace("&gt;", ">").strip()
    assert [one.text for one in shown.choices][:2] == ["Example news", "Bridge number 3"]
    assert any(one.box and one.tag == "div" for one in shown.choices)
    assert Shown.of(Page.parse(b"", "")) == Shown("", ())


@pytest.mark.parametrize(
    "html",
    [b"<div>" * 3000 + b"deep", b"<p>a<!--b-->c" * 30_000, b"<body>&#1;&#xfffe;<p>x&#11;&#xd800;<svg></svg>&#2;y"],
)
def test_any_page_is_shown(html: bytes) -> None:
    shown = Shown.of(Page.parse(html, "https://a.test/"))
    assert shown.html.startswith("<div")


def test_what_is_pointed_at_is_tried_kept_and_undone(client: Client, folder: Path) -> None:
    path = folder / "jobs" / "example.toml"
    form = _form(client) | {"field": "title", "n": _number(client, "Bridge number 0")}
    tried = client.post("/teach", form)
    assert (tried.status, "found on 5 of 5 stored pages" in tried.text) == (200, True), tried.text
    assert "<code>div.story-title</code>" in tried.text
    assert path.read_text() == JOBS  # nothing is changed by trying
    keep = _hidden(tried.text, "keep")
    assert keep["selector"] == "div.story-title"
    assert client.post("/teach", keep | {"selector": "h1"}).status == 400
    assert client.post("/teach", keep | {"digest": "0"}).status == 400
    path.write_text(JOBS.replace('"10m"', '"9m"'))  # by another editor
    late = client.post("/teach", keep)
    assert (late.status, "was changed since" in late.text) == (400, True)
    path.write_text(JOBS)
    assert client.post("/teach", keep).headers["location"] == "/jobs/example"
    assert path.read_text() == JOBS.rstrip() + '\n\n[site.selectors]\ntitle = "div.story-title"\n'
    changes = client.get("/changes").text
    assert "<code>div.story-title</code>" in changes
    identity = changes.partition('name="id" value="')[2].partition('"')[0]
    client.post("/changes", {"form_token": form["form_token"], "id": identity})
    assert path.read_text() == JOBS


def test_archived_articles_get_the_date_that_was_taught(tmp_path: Path) -> None:
    config = Config.from_settings(Settings({
        "ARTICLEBOT_DATA_DIR": str(tmp_path), "ARTICLEBOT_PUBLISHING_SINKS": '{"file": {"type": "jsonlines"}}',
    }))  # fmt: skip
    shelf, url, now = FolderShelf(tmp_path), "https://news.example.com/{}", 1.7955e9
    page = "<html><body><h1>Bridge {0}</h1><p>Seen 2026-10-01</p>{1}<b class=d>{0} November 2026</b></body></html>"
    with Archive(f"sqlite:///{tmp_path / 'archive.db'}") as archive:
        wrong = [make_article(f"{day}", "Text.", published_at="2026-10-01", job="example") for day in (11, 12, 13)]
        right = make_article("14", "Text.", published_at="2026-11-14T10:00:00+00:00", job="example")
        archive.publish([*wrong, right], now)
        for day in (11, 12, 14):  # the page of 13 is not kept
            body = page.format(day, "<p>The bridge was closed, and is open again. </p>" * 9).encode()
            PageStore(shelf).put("example.com", StoredPage(url.format(day), body, "text/html", now))
        job = Job.model_validate({
            "name": "example", "list_pages": ["https://news.example.com/"], "selectors": {"date": "b.d"},
        })  # fmt: skip
        teaching = Teaching(config, shelf, archive)
        assert [teaching.correct(job, "example.com", now + 9), teaching.correct(job, "example.com", now + 99)] == [2, 0]
        rows = {row["url"].rsplit("/", 1)[1]: (row["published_at"], row["version"]) for row in archive.articles()}
        assert rows == {
            "11": ("2026-11-11", 2), "12": ("2026-11-12", 2), "13": ("2026-10-01", 1),
            "14": ("2026-11-14T10:00:00+00:00", 1),
        }  # fmt: skip
        # That of 13 is read at its next visit, which finds the same text.
        again = make_article("13", "Text.", published_at="2026-11-13", job="example", fetched_at=now + 9, title="Else")
        for kept in (Kept(), Kept(by_hand=frozenset({"published"})), Kept(by_hand=frozenset({"published"}))):
            published = archive.publish([again], now + 9, {again: kept})
        assert published[0].already
        [edit] = [edit for edit in archive.edits(limit=1) if edit.row["url"].endswith("13")]
        assert (edit.row["version"], set(edit.changed)) == (2, {"published_at"})
        # So it is where both come within one commit.
        both = [make_article("15", "Text.", published_at=f"2026-11-{day}", job="example") for day in (14, 15)]
        done = archive.publish(both, now + 9, {both[1]: Kept(by_hand=frozenset({"published"}))})
        assert [(one.version, one.event, one.already) for one in done] == [(1, "new", False), (2, "corrected", False)]
        sent = archive.engine.connect().exec_driver_sql("SELECT count(*) FROM outbox WHERE sink = 'file'")
        assert sent.scalar_one() == 2
    shelf.close()


def test_what_says_nothing_of_an_article_is_refused(client: Client) -> None:
    form = _form(client)

    def refused(**pointed: str) -> str:
        answer = client.post("/teach", form | pointed)
        assert 'value="keep"' not in answer.text
        return answer.text

    assert "the same text stands on all 5 pages" in refused(field="title", n=_number(client, "Example news"))
    assert "no date can be read there" in refused(field="date", n=_number(client, "Bridge number 0"))
    assert "the page has no such element" in refused(field="title", n="99999")
    for pointed in ({"field": "colour", "n": "1"}, {"field": "title", "n": "x"}, {"field": "title"}, {}):
        assert client.post("/teach", form | pointed).status == 400
    pointed = {"field": "title", "n": _number(client, "Bridge number 0")}
    assert client.post("/teach", form | pointed | {"job": "nobody"}).status == 400
    assert client.post("/teach", form | pointed | {"site": "nobody.example"}).status == 400


def test_what_is_not_kept_is_said(client: Client) -> None:
    assert "No page of this site is kept" in client.get("/teach?site=nobody.example&job=example").text
    assert "The page of this article is not kept" in client.get(TEACH + "2").text
    assert "The page of this article is not kept" not in client.get(TEACH).text


def test_who_may_only_read_cannot_teach(client: Client, reader: Client) -> None:
    form = _form(client) | {"field": "title", "n": "9"}
    assert "/teach?" in client.get(f"/articles/{BRIDGE}").text
    assert "/teach?" in client.get("/sites/example.com").text
    assert "/teach?" not in reader.get(f"/articles/{BRIDGE}").text + reader.get("/sites/example.com").text
    assert [reader.get(TEACH).status, reader.get(FRAME).status, reader.post("/teach", form).status] == [403, 403, 403]


def test_what_is_said_of_a_correction_has_its_chinese() -> None:
    source = (Path(__file__).parents[2] / "articlebot" / "batch" / "teaching.py").read_text("utf-8")
    clauses = [*re.findall(r'Clause\(\s*"([^"]+)"', source), "no date can be read there", "nothing can be read there"]
    assert len(clauses) > 5
    assert not {*clauses, *FIELDS, "teach", "undo teach"} - set(chinese())
