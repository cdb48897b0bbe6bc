"""The whole extraction: real pages, wrappers in front, hostile input."""

# ruff: noqa: E501  markup reads best unbroken

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articlebot.actions.extract_rows import rows as rows_of
from articlebot.extraction import cascade
from articlebot.extraction.cascade import extract
from articlebot.extraction.filling import without_heading
from articlebot.extraction.model import Extracted
from articlebot.page import Page
from tests.extraction.wrapper.pages import article

SENTENCES = [
    "The council voted on Tuesday to close the old bridge for repairs, which will take until the autumn of next year.",
    "Residents on both banks had asked for a ferry, but the harbour office said that the current is too strong in winter.",
    "Engineers found cracks in four of the nine piers last month, and lorries have been turned away since then.",
    "The work is expected to cost eleven million, of which the region pays two thirds and the town the rest.",
]
NAVIGATION = "".join(f"<li><a href='/s/{i}'>Section {i}</a></li>" for i in range(15))
ARTICLE = (
    "<html lang=en><head><title>Bridge to close for a year - Daily Test</title>"
    "<meta property='article:published_time' content='2024-01-02T03:04:05+01:00'></head><body>"
    f"<nav><ul>{NAVIGATION}</ul></nav><article><h1>Bridge to close for a year</h1><p class=byline>By Ann Lee</p>"
    + "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
    + f"</article><aside><h3>Related</h3><ul>{NAVIGATION}</ul></aside><footer>© 2024 Daily Test. All rights reserved.</footer></body></html>"
)


def page_of(markup: str) -> Page:
    return Page.parse(markup.encode(), "http://www.daily.test/a/1.html", fetched_at=1_720_000_000.0)


def test_an_article_in_all_its_fields() -> None:
    found = extract(page_of(ARTICLE))
    assert found.title == "Bridge to close for a year"
    assert found.body == "\n".join(SENTENCES)
    assert found.html.count("<p>") == 4
    assert found.authors == ("Ann Lee",)
    assert (found.published, found.published_at) == ("2024-01-02T03:04:05+01:00", 1704161045.0)
    assert found.language == "en"
    assert found.canonical_url == "http://www.daily.test/a/1.html"
    assert found.refused is None
    assert found.origin["title"] == "h1"
    assert found.origin["published"] == "meta"
    assert 0.5 < found.confidence["body"] <= 1


def test_a_body_is_refused_where_less_is_expected_of_it_than_asked() -> None:
    found = extract(page_of(ARTICLE), refuse_below=1.0)
    assert (found.refused, found.body) == ("unsure", "\n".join(SENTENCES))
    sure = _Wrapper(Extracted(body=SENTENCES[0], origin={"body": "wrapper:1"}, confidence={"body": 0.1}))
    assert extract(page_of(ARTICLE), wrapper=sure, refuse_below=1.0).refused is None


class _Wrapper:
    def __init__(self, found: Extracted | None) -> None:
        self.found = found

    def apply(self, page: Page) -> Extracted | None:
        return self.found

    def region(self, page: Page) -> None:
        return None


@pytest.mark.parametrize("headline", ["市议会周二投票决定关闭老桥进行维修", "东港老桥将关闭"])
def test_a_flash_of_one_sentence(headline: str) -> None:
    others = "".join(
        f"<p><i>09:{n}</i><a href=/{n}.html>东港市今日公布第{n}批道路维修名单</a></p>" for n in range(10, 15)
    )
    page = page_of(
        f"<title>{headline}_快讯</title><div><a href=/>首页</a><a href=/vip>会员</a></div><div><h1>{headline}</h1><p>2026年11月24日 "
        f"10:15:20</p><div>市议会周二投票决定关闭老桥进行维修。</div><div><span>利好 0</span><span>利空 0</span></div></div><h3>更多快讯</h3>"
        f"{others}<footer><p>声明：登载此文出于传递更多信息之目的，不构成投资建议。</p></footer>"
    )
    found = extract(page)
    assert (found.refused, found.title, found.body) == (None, headline, "市议会周二投票决定关闭老桥进行维修。")


def test_a_wrapper_wins_and_the_rules_fill_the_rest() -> None:
    known = Extracted(
        body=SENTENCES[1], html=f"<p>{SENTENCES[1]}</p>", origin={"body": "wrapper:1"}, confidence={"body": 0.9}
    )
    found = extract(page_of(ARTICLE), wrapper=_Wrapper(known))
    assert (found.body, found.html) == (known.body, known.html)
    assert found.origin["body"] == "wrapper:1"
    assert found.title == "Bridge to close for a year"
    assert found.authors == ("Ann Lee",)


def test_a_wrapper_that_does_not_fit_is_as_none() -> None:
    assert extract(page_of(ARTICLE), wrapper=_Wrapper(None)) == extract(page_of(ARTICLE))


def test_a_wrapper_that_breaks_leaves_the_page_to_the_rules() -> None:
    class Broken:
        def apply(self, page: Page) -> Extracted | None:
            raise ValueError("broken")

    assert extract(page_of(ARTICLE), wrapper=Broken()) == extract(page_of(ARTICLE))


@pytest.mark.parametrize(
    ("part", "lost"),
    [
        ("instead_of", ()),
        ("fill_times", ("published", "published_at")),
        ("fill_authors", ("authors",)),
        ("fill_source", ()),
        ("fill_lead", ()),
        ("fill_about", ("canonical_url", "kind")),
    ],
)
def test_a_part_of_a_reading_that_fails_leaves_the_text(
    part: str, lost: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    whole, nothing = extract(page_of(ARTICLE)), Extracted()

    def broken(*given: Any) -> None:
        raise IndexError("what nobody thought of")

    monkeypatch.setattr(cascade, part, broken)
    found = extract(page_of(ARTICLE))
    assert found.refused is None
    assert found == replace(
        whole, origin=found.origin, confidence=found.confidence, **{name: getattr(nothing, name) for name in lost}
    )
    assert "the rest of the article stands" in caplog.text


def test_explain_says_what_was_cut() -> None:
    markup = ARTICLE.replace(SENTENCES[2] + "</p>", SENTENCES[2] + "</p><div class=ad>Advertisement</div>")
    assert ("blocks", "Advertisement") in extract(page_of(markup), explain=True).cut


@pytest.mark.parametrize(
    ("body", "reason"),
    [(b"", "empty"), (b"%PDF-1.4", "not_html"), (b"<html><body><img src=x></body></html>", "no_text")],
)
def test_refused_with_a_reason(body: bytes, reason: str) -> None:
    assert extract(Page.parse(body, "http://a.test/")).refused == reason


def test_hidden_text_is_no_article() -> None:
    hidden = "".join(
        f"<p>Buy cheap pills number {i} now, they are the best pills of all, says everybody here.</p>"
        for i in range(10)
    )
    found = extract(page_of(ARTICLE.replace("<footer>", f"<div style='display:none'>{hidden}</div><footer>")))
    assert "pills" not in found.body
    assert SENTENCES[0] in found.body


def test_a_page_that_hides_nearly_all_of_its_text_is_shown_by_a_script() -> None:
    text = "".join(f"<section>{sentence}</section>" for sentence in SENTENCES)
    hidden = f"<h1>Bridge to close</h1><div style='visibility:hidden'>{text}</div>"
    assert not any(block.node.hidden for block in page_of(hidden).blocks)
    beside = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES[:2])
    assert sum(block.node.hidden for block in page_of(hidden + beside).blocks) == len(SENTENCES)


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 5000 + ARTICLE,
        "<p>x</p>" * 30_000,
        "<table>" + "<tr><td>" * 3000,
        ARTICLE[: len(ARTICLE) // 2],
        ARTICLE.replace("<p>", "<p id=same class=same>"),
        "<a href=/x>link</a> " * 20_000,
        "<p>" + "word " * 400_000,
    ],
    ids=["deep", "many", "rows", "truncated", "ids", "links", "long"],
)
def test_odd_pages_cost_bounded_time(markup: str) -> None:
    started = time.process_time()
    found = extract(page_of(markup))
    assert time.process_time() - started < 20
    assert found.refused != "failed"


TAGS = st.sampled_from("p div li td h1 span a b table tr ul time figure img br pre script style title article".split())
MARKUP = st.lists(
    st.one_of(
        st.builds("<{}>".format, TAGS),
        st.builds("</{}>".format, TAGS),
        st.text(max_size=40),
        st.sampled_from(["<time datetime='2024-99-99T'>", "<a rel=author href='http://[x'>", "来源：", "By Ann", "2024年13月", "<meta name=author>",
                         '<script type="application/ld+json">{"@type": ["NewsArticle"], "author": [1, {"name": [2]}], "headline": {}}</script>',
                         "<img srcset=', ,' src='http://['>", "<base href='::'>", "<h1>Title</h1>"]),
    ),
    max_size=40,
).map("".join)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(MARKUP | st.binary(max_size=500).map(lambda raw: raw.decode("latin-1")))
def test_never_raises_and_never_fails(markup: str) -> None:
    found = extract(page_of(markup))
    assert found.refused != "failed"
    assert (found.body == "") == (found.refused not in (None, "unsure"))


def test_quality_floor_on_a_sample_of_the_corpus(corpus: Path) -> None:
    sys.path.insert(0, str(corpus))
    try:
        import evaluate  # type: ignore[import-not-found]  # noqa: PLC0415
    finally:
        sys.path.remove(str(corpus))
    scores: dict[str, list[float]] = {}
    for name in ("atf", "big9", "blogs", "daniel", "fundus", "l3s"):
        folder = corpus / "pages" / name
        rows = [json.loads(line) for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()][::30]
        for row in rows:
            found = extract(Page.parse((folder / row["html_path"]).read_bytes(), row.get("url") or ""))
            gold = evaluate.toks(evaluate.strip_title(row["body"], row.get("title")))
            mine = evaluate.toks(evaluate.strip_title(found.body, row.get("title")))
            scores.setdefault(name, []).append(evaluate.prf(gold, mine)[2])
    means = {name: statistics.mean(values) for name, values in scores.items()}
    assert statistics.mean(means.values()) > 0.94, means


def scrapy(*arguments: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[2]
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *arguments], cwd=root, capture_output=True, text=True, timeout=500, check=False
    )


def test_the_command_extracts_files(tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    file.write_text(ARTICLE, encoding="utf-8")
    done = scrapy("extract", str(file), "--json", "--url", "http://www.daily.test/a/1.html")
    assert done.returncode == 0, done.stderr
    (article,) = json.loads(done.stdout)
    assert article["title"] == "Bridge to close for a year"
    assert article["body"].startswith(SENTENCES[0])


def test_the_command_shows_a_time_in_the_zone_in_which_it_was_read(tmp_path: Path) -> None:
    file, text = tmp_path / "a.html", "这座大桥经过多年修建，今天上午正式通车，市民纷纷前来参观。" * 6
    page = f"<html><body><h1>大桥今天通车</h1><p>时间：2026-11-20 17:49</p><p>{text}</p><p>{text}</p></body></html>"
    file.write_text(page, encoding="utf-8")
    done = scrapy("extract", str(file))
    assert "published: 2026-11-20T17:49:00+08:00" in done.stdout, done.stdout


def test_the_command_reads_the_rows_of_a_file(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for number in range(8):
        html = article(number)[0].decode()
        (tmp_path / f"{number}.html").write_text(html, encoding="utf-8")
        row = {"id": str(number), "site": "daily.test", "url": f"http://daily.test/{number}"}
        rows.append({**row, "html": html} if number == 1 else {**row, "html_path": f"{number}.html"})
    pages, others, out = tmp_path / "pages.jsonl", tmp_path / "others.jsonl", tmp_path / "out.jsonl"
    bad = ['{"id": "gone", "url": "http://daily.test/9", "html_path": "9.html"}', '{"id": "none", "url": null}', "{"]
    lines = [json.dumps(row) for row in rows]
    redesigned = [
        {
            **row,
            "id": f"new {n}",
            "url": f"http://daily.test/new/{n}",
            "html": article(n, body_class="new-layout")[0].decode(),
        }
        for n in range(20, 28)
    ]
    after = [json.dumps(one) for one in redesigned]
    pages.write_text("\n".join([lines[0], *bad, lines[1], *after]), encoding="utf-8")
    others.write_text("\n".join([*lines[2:], "{"]), encoding="utf-8")
    done = scrapy("extract", "--pages", str(pages), "--out", str(out), "--learn-from", str(others), "--cpu", "--live")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    summary = json.loads(done.stdout.strip().splitlines()[-1])
    shown = {name: summary[name] for name in ("pages", "refused", "pages_with_wrapper", "breaks")}
    # the third page of a new layout tells the break; three pages later it is learned
    breaks = [{"site": "daily.test", "id": "new 22"}]
    assert shown == {"pages": 13, "refused": 4, "pages_with_wrapper": 4, "breaks": breaks}
    assert summary["cpu_ms_per_page"] > 0
    first, *refused, last = (json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()[:5])
    new = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()[5:]]
    assert [row["extractor"].startswith("wrapper:daily.test/v2.") for row in new] == [False] * 6 + [True] * 2
    assert all(set(article(n)[1]) <= set(row["body"].split("\n")) for n, row in enumerate(new, 20))
    for number, found in enumerate((first, last)):
        assert found["id"] == str(number)
        assert found["body"].split("\n") == article(number)[1]
        assert found["authors"] == ["Ann Lee"]
        assert (found["source"], found["language"]) == ("", "en")
        assert found["extractor"] == found["origin"]["body"] == "wrapper:daily.test/v1.0"
        assert found["refused"] is None
        assert 0 < found["confidence"]["body"] <= 1
    assert [row["id"] for row in refused] == ["gone", "none", None]
    assert [row["body"] for row in refused] == ["", "", ""]
    assert "9.html" in refused[0]["refused"]
    assert "no url" in refused[1]["refused"]
    assert "no JSON object" in refused[2]["refused"]


@pytest.mark.parametrize("url", ["not a url", "http://[::1", "http://a.test/\\ud800", "mailto:a@b.test", ""])
def test_a_row_whose_address_is_none_is_a_page_of_an_unknown_address(tmp_path: Path, url: str) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text(f'{{"id": 1, "url": "{url}", "html": "<p>Text"}}\n{{"site": "a.test", "url": "{url}", "html": ""}}')
    one, two = rows_of(str(file))
    assert (one.url, one.site, one.body, one.refused) == ("", "", b"<p>Text", "")
    assert (two.url, two.site) == ("", "a.test")


@pytest.mark.parametrize("arguments", [(), ("--pages", "x"), ("no-such-file.html",), ("--live", "a.html")])
def test_wrong_use_is_said(arguments: tuple[str, ...]) -> None:
    assert scrapy("extract", *arguments).returncode == 2


def test_a_date_after_fetching_is_named() -> None:
    body = "".join(f"<p>{'The council met again on Tuesday to talk about the bridge. ' * 4}</p>" for _ in range(4))
    meta = '<meta property="article:published_time" content="2031-05-02T10:00:00Z">'
    page = Page.parse(
        f"<html><head>{meta}</head><body><h1>The bridge</h1>{body}".encode(), "http://x.test/a", None, 1.7e9
    )
    found = extract(page)
    assert found.published is None
    assert found.origin["published"] == "future_refused"
    assert found.notes == ("date_in_future",)


TEXT = (
    "<p>清晨六点，雾气还没有散去，云岭村的茶山上已经有了人影，茶农们挎着竹篓采摘头茬春茶，一上午能采下四斤多鲜叶。</p>"
    * 4
)


@pytest.mark.parametrize(
    ("head", "above", "title", "authors", "published"),
    [
        # what is before a headline: a thread's kind, who wrote an essay
        ("", "<h1><a href=/t>[公告]</a> <span>城市动物园的第三次搬家</span></h1><p>2024-05-02 10:00", "城市动物园的第三次搬家", (), "2024-05-02T10:00:00"),
        ("", "<h1>何晓东：城市动物园搬家</h1><p>作者：何晓东 2024-05-02", "城市动物园搬家", ("何晓东",), "2024-05-02"),
        ("", "<h1>何晓东：城市动物园搬家</h1><p>2024-05-02", "何晓东：城市动物园搬家", (), "2024-05-02"),
        # a list of authors as the Arc Native Specification has it, in a script alone
        (
            '<title>The old bridge is to close</title><script>window.F={"headlines":{"basic":"The old bridge is to close"},"credits":'
            '{"by":[{"type":"author","name":"Ann Lee"},{"type":"author","name":"Bo Li"}]},"more":"' + "x" * 100 + '"};</script>',
            "<h1>The old bridge is to close</h1><p>2024-05-02", "The old bridge is to close", ("Ann Lee", "Bo Li"), "2024-05-02",
        ),
        # a zone by itself, a first publication
        ("", "<h1>The old bridge</h1><div>May 2, 2024 10:22 AM</div><div>CST</div>", "The old bridge", (), "2024-05-02T10:22:00+08:00"),
        ("", "<h1>The old bridge</h1><p>2 May 2024 14.02 CEST<p>First published on 2 May 2024 13.09 CEST", "The old bridge", (), "2024-05-02T13:09:00+02:00"),
    ],
)  # fmt: skip
def test_fields_around_a_text(head: str, above: str, title: str, authors: tuple[str, ...], published: str) -> None:
    page = Page.parse(f"<html><head>{head}</head><body>{above}{TEXT}</body></html>".encode(), "http://d.test/1")
    found = extract(page)
    assert (found.title, found.authors, found.published) == (title, authors, published)


@pytest.mark.parametrize(
    ("above", "kept"),
    [
        ('<nav class="tags"><span>harbour</span> <span>council</span></nav>', False),
        ('<div><a href="/c/news/">harbour</a><a href="/tags/b/">council</a></div>', False),
        ("<p>The council of the town has decided on Tuesday that the bridge will stay.</p>", True),
    ],
)
def test_tags_above_the_headline_are_no_text_though_a_bar_on_top_has_the_headline_too(above: str, kept: bool) -> None:
    bar, text = "<header><div>The old bridge</div></header>", "<p>The council spoke of the bridge for hours.</p>"
    html = f"<html lang=en>{bar}<main>{above}<h1>The old bridge</h1>{text}<h2>The old bridge</h2>{text}</main></html>"
    page = Page.parse(html.encode(), "http://d.test/1")
    blocks = page.blocks[1:]
    without = [blocks[1], *([] if kept else blocks[:1])]
    assert without_heading(page, blocks, 0) == [one for one in blocks if one not in without]


def test_comments_are_what_readers_say() -> None:
    said = "今年的茶确实香，就是价格太贵了，等降价再买两斤。"
    comments = (
        f"<div id=comments><h3>最新评论</h3><dl><dt>山里人家<span>2024-4-3 10:02</span></dt><dd>{said}</dd></dl></div>"
    )
    assert extract(Page.parse(f"<html><body><h1>茶园</h1>{TEXT}{comments}".encode(), "http://d.test/1")).comments == (
        said,
    )
