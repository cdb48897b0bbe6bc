from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from articlebot.config import Wrappers
from articlebot.extraction.wrapper import Wrapper, WrapperStore
from articlebot.extraction.wrapper.model import Rules
from articlebot.jobs import Job
from articlebot.jobs.model import Selectors
from articlebot.jobs.visit import Visit
from articlebot.runtime.beside import BesideItems
from articlebot.runtime.learning import Learning
from articlebot.runtime.reader import DOCUMENT_VERSION, Fetched, Reader, Refusal

URL = "http://daily.example.com/2026/storm.html"
PARAGRAPHS = [f"Sentence number {n} says what happened in the harbour during the storm of last week." for n in range(6)]
PAGE = (
    "<html><head><title>Storm in the harbour - Daily</title></head><body><h1>Storm in the harbour</h1>"
    "<p class=when>2026-03-01 10:00</p><div id=a>" + "".join(f"<p>{p}</p>" for p in PARAGRAPHS) + "</div>"
    "<div id=b><p>Chosen by hand, this paragraph is the only one that a person wants to see here today.</p></div>"
    "</body></html>"
).encode()


@pytest.fixture
def beside() -> BesideItems:
    return BesideItems()


@pytest.fixture
def reader(tmp_path: Path, beside: BesideItems) -> Reader:
    return Reader(Learning(Wrappers(processes=0), tmp_path, lambda: 1e9, lambda *_: None), 0.97, beside)


def job(**fields: object) -> Job:
    return Job.model_validate({"name": "daily", "list_pages": ["http://daily.example.com/"], **fields})


def fetched(body: bytes, kind: str = "text/html") -> Fetched:
    return Fetched(URL, body, kind, 1_772_500_000.0)


VISIT = Visit(job="daily", kind="auto", key=1, anchor="Storm")


def test_an_article_is_read_with_a_time_in_the_jobs_zone(reader: Reader) -> None:
    of_shanghai = job(timezone="Asia/Shanghai", article_pattern="/2026/")
    article, further = reader.read(replace(fetched(PAGE), zone=of_shanghai.stated_zone), of_shanghai, VISIT)
    assert article.title == "Storm in the harbour"
    assert PARAGRAPHS[0] in article.body
    assert article.published_at == "2026-03-01T10:00:00+08:00"
    assert further == []


def test_a_jobs_selectors_win(reader: Reader) -> None:
    chosen = job(article_pattern="/2026/", selectors=Selectors(body="#b"))
    article, _ = reader.read(fetched(PAGE), chosen, VISIT)
    assert article.body.startswith("Chosen by hand")
    assert PARAGRAPHS[0] not in article.body


def test_a_page_is_read_again_as_the_extractor_of_the_visit_before_reads_it(
    tmp_path: Path, reader: Reader, beside: BesideItems
) -> None:
    rules = Rules(site="example.com", body=("div#a",), names=("#a",))
    WrapperStore(tmp_path).save("example.com", [Wrapper(rules)])
    generic, _ = reader.read(fetched(PAGE), job(article_pattern="/2026/"), VISIT)
    reread = beside.of(generic).reread
    assert reread is not None
    assert reread("wrapper:example.com/v1.0") == (generic.title, "\n".join(PARAGRAPHS))
    assert reread("blocks") == reread("blocks+trafilatura") == (generic.title, generic.body)
    assert [reread(name) for name in ("wrapper:example.com/v2.0", "wrapper:other/v1.0", "hand", "")] == [None] * 4


def test_other_files_are_documents(reader: Reader, beside: BesideItems) -> None:
    article, _ = reader.read(fetched(b"%PDF-1.7 ...", "application/pdf"), job(), VISIT)
    assert article.kind == "document"
    kept = beside.of(article)
    assert (kept.raw, kept.raw_type, kept.fingerprint_version) == (b"%PDF-1.7 ...", "application/pdf", DOCUMENT_VERSION)
    assert article.content_hash
    assert article.title == "Storm"


@pytest.mark.parametrize("body", [b"", b"   \n", b"<html><body></body></html>"])
def test_what_holds_no_text_is_refused(reader: Reader, body: bytes) -> None:
    with pytest.raises(Refusal):
        reader.read(fetched(body), job(), VISIT)


def test_a_list_page_is_refused_with_its_links(reader: Reader) -> None:
    items = "".join(
        f'<li><a href="/2026/{n}/a-story-of-the-day-{n}.html">A headline of story {n}</a></li>' for n in range(30)
    )
    with pytest.raises(Refusal) as caught:
        reader.read(fetched(f"<html><body><ul>{items}</ul></body></html>".encode()), job(), VISIT)
    assert caught.value.reason.startswith("not_an_article")


def test_a_play_page_without_text_is_a_video_with_its_addresses(reader: Reader) -> None:
    data = '{"@type": "VideoObject", "name": "Crane", "contentUrl": "/crane.mp4", "embedUrl": "http://p.test/1"}'
    page = (
        f'<html><head><title>Crane</title><script type="application/ld+json">{data}</script></head>'
        '<body><h1>Crane</h1><video src="/crane.mp4"></video></body></html>'
    )
    article, _ = reader.read(fetched(page.encode()), job(article_pattern="/2026/"), VISIT)
    assert (article.kind, article.title, article.body) == ("video", "Crane", "")
    assert article.media == ("http://daily.example.com/crane.mp4",)
