"""Search: the query language, the words of the index, and the same results from both databases."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articlebot.archive import Archive, Search
from articlebot.archive.engine import reading
from articlebot.archive.index import Hit, Narrow, index_of
from articlebot.archive.query import Query, Term, expand, index_words
from articlebot.archive.search import CANDIDATES, rank
from articlebot.archive.snippet import snippet
from articlebot.errors import RefusedError
from tests.archive.conftest import MakeArticle, make_article
from tests.withdrawing import withdraw

DAY = 86_400.0
NOW = 1000 * DAY


@pytest.fixture
def archive(database_url: str) -> Iterator[Archive]:
    with Archive(database_url) as opened:
        yield opened


def _urls(archive: Archive, words: str, **wanted: object) -> list[str]:
    results = archive.search(Search(words=words, **wanted), NOW)  # type: ignore[arg-type]
    return [found.article["url"].rsplit("/", 1)[1] for found in results.found]


def test_words_phrases_and_their_absence(archive: Archive, make: MakeArticle) -> None:
    archive.publish(
        [
            make("bridge", "The old bridge over the river was mended.", title="A bridge"),
            make("river", "The river rose over its banks; bridges were closed.", title="Flood"),
            make("vote", "The council voted on the budget.", title="Council"),
        ],
        NOW,
    )
    assert set(_urls(archive, "river")) == {"bridge", "river"}
    assert _urls(archive, "river bridge") == ["bridge", "river"]  # the title counts for more
    assert set(_urls(archive, "RIVERS")) == {"bridge", "river"}  # case and plural
    assert _urls(archive, '"old bridge"') == ["bridge"]
    assert _urls(archive, '"bridge old"') == []
    assert _urls(archive, "river -banks") == ["bridge"]
    assert set(_urls(archive, "banks OR council")) == {"river", "vote"}
    assert _urls(archive, "counc*") == ["vote"]
    assert _urls(archive, "nothing") == []


def test_chinese_by_words(archive: Archive, make: MakeArticle) -> None:
    archive.publish(
        [
            make("pku", "北京大学今天公布了招生计划。", title="招生", language="zh"),
            make("trad", "台灣的經濟成長超過預期。", title="經濟", language="zh"),
            make("name", "记者张三丰在上海报道。", title="报道", language="zh"),
            make("other", "张先生说三月丰收。", title="农业", language="zh"),
        ],
        NOW,
    )
    assert _urls(archive, "北京大学") == ["pku"]
    assert _urls(archive, "大学") == ["pku"]
    assert _urls(archive, "大学招生") == ["pku"]
    assert _urls(archive, "经济") == ["trad"]
    assert _urls(archive, "張三豐") == ["name"]
    assert _urls(archive, '"公布了招生"') == ["pku"]
    assert _urls(archive, "北京 -招生") == []


def test_narrowed_by_site_category_job_language_and_time(archive: Archive, make: MakeArticle) -> None:
    archive.publish(
        [
            make(
                "a",
                "apple one",
                site="x.org",
                category="体育",
                job="j1",
                language="en",
                published_at_epoch=NOW - 9 * DAY,
            ),
            make(
                "b",
                "apple two",
                site="y.org",
                category="政治",
                job="j1",
                language="zh",
                published_at_epoch=NOW - 2 * DAY,
            ),
            make("c", "apple three", site="y.org", job="j2"),
        ],
        NOW,
    )
    assert _urls(archive, "apple", site="x.org") == ["a"]
    assert _urls(archive, "apple", category="政治") == ["b"]
    assert set(_urls(archive, "apple", job="j1")) == {"a", "b"}
    assert _urls(archive, "apple", language="zh", site="y.org") == ["b"]
    assert set(_urls(archive, "apple", since=NOW - 3 * DAY)) == {"b", "c"}
    assert _urls(archive, "x.org") == []  # a facet is not a word
    assert _urls(archive, "") == ["c", "b", "a"]
    assert _urls(archive, "", site="y.org", limit=1, offset=1) == ["b"]


def test_lists_without_words_are_the_newest_of_all_that_is_given(archive: Archive, make: MakeArticle) -> None:
    archive.publish(
        [
            make(f"{site}{category}{language}{n}", site=f"{site}.example", category=category, language=language,
                 published_at_epoch=NOW - 1000 * n - len(category))
            for n in range(3) for site in "xy" for category in ("a", "bb") for language in ("en", "zh")
        ],
        NOW,
    )  # fmt: skip
    assert _urls(archive, "", site="x.example", category="bb", language="zh") == ["xbbzh0", "xbbzh1", "xbbzh2"]
    assert _urls(archive, "", site="x.example", category="bb", language="zh", limit=1, offset=1) == ["xbbzh1"]
    assert _urls(archive, "", language="zh", site="x.example", since=NOW - 1500) == [
        "xazh0",
        "xbbzh0",
        "xazh1",
        "xbbzh1",
    ]
    assert _urls(archive, "", language="fr") == []
    assert len(_urls(archive, "", language="en")) == 12


def test_only_the_newest_version_is_found(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "the minister denied everything")], NOW - 5)
    archive.publish([make("a", "a spokesman confirmed all of it")], NOW)
    assert _urls(archive, "denied") == []
    assert _urls(archive, "confirmed") == ["a"]
    withdraw(archive, make("a"), NOW)
    assert _urls(archive, "confirmed") == ["a"]


def test_articles_are_found_by_author_source_and_day(archive: Archive, make: MakeArticle) -> None:
    archive.publish(
        [
            make("one", "The bridge was closed.", title="Bridge", authors=("Jane O'Neil",), source="Bay News",
                 published_at="2026-11-22T23:30:00-05:00"),
            make("two", "大桥今天关闭。", title="大桥", authors=("王小明", "李雷"), source="新华社",
                 published_at="2026-11-05", language="zh"),
            make("three", "What Jane O'Neil wrote on 2026-11-22 of the bridge.", title="Review"),
        ],
        NOW,
    )  # fmt: skip
    assert set(_urls(archive, "o'neil")) == {"one", "three"}
    assert _urls(archive, "bay news bridge") == ["one"]
    assert _urls(archive, '"bridge jane"') == []  # a phrase does not run out of the title
    for words in ("王小明", "王小明 大桥", "新华社 -bridge", "2026年11月5日", "2026-11 大桥", "2026/11/05"):
        assert _urls(archive, words) == ["two"], words
    assert set(_urls(archive, "2026-11-22")) == {"one", "three"}
    for written in ("22 Nov 2026", "November 22, 2026", "nov. 22 2026", '"22 november 2026"'):
        assert _urls(archive, f"bridge {written}") == ["one"], written
    assert _urls(archive, "bridge -22 Nov 2026") == ["three"]  # which says it with figures
    assert set(_urls(archive, "Nov 2026")) == {"one", "two"}
    assert set(_urls(archive, "2026-11")) == {"one", "two", "three"}
    assert _urls(archive, "bridge -2026-11-22") == []
    assert _urls(archive, "2026-12") == []
    (found,) = archive.search(Search(words="王小明 大桥"), NOW).found
    assert found.snippet.marks


# On a Tuesday, the 24th.
SAID = {
    "today": "east now", "今天": "east now", "今日 bridge": "now", "yesterday": "d1", "昨天": "d1", "前天": "d2",
    "last 3 days": "d1 d2 d3 east now", "最近三天 bridge": "d1 d2 d3 now", "this week -today": "d1",
    "本周": "d1 east now", "last week": "d2 d3 d6", "上周 bridge": "d2 d3 d6", "上个月": "month",
    "past week": "d1 d2 d3 d6 east now", "Last 2 Weeks": "d1 d2 d3 d6 east now", "yesterday OR 前天": "d1 d2",
    "this month": "d1 d2 d3 d6 east now", '"yesterday"': "said", "last 400 days": "",
}  # fmt: skip


def test_days_are_said_from_today_on(archive: Archive, make: MakeArticle) -> None:
    now = datetime(2026, 11, 24, 12).timestamp()
    days = {
        "now": "2026-11-24", "east": "2026-11-25T01:00:00+14:00", "d1": "2026-11-23T23:59:00+00:00", "d2": "2026-11-22",
        "d3": "2026-11-21", "d6": "2026-11-18", "month": "2026-10-31", "said": "2026-09-01",
    }  # fmt: skip
    texts = {"said": "What was said yesterday.", "east": "A ferry."}
    archive.publish(
        [
            make(name, texts.get(name, "A bridge."), title="Bridge" if name == "d1" else "T", published_at=day)
            for name, day in days.items()
        ],
        now,
    )
    for words, urls in SAID.items():
        found = archive.search(Search(words=words, limit=99), now).found
        assert " ".join(sorted(one.article["url"].rsplit("/", 1)[1] for one in found)) == urls, words
    assert archive.search(Search(words="brigde last 3 days"), now).instead == "bridge last 3 days"
    assert [row["url"][-2:] for row in archive.latest(Search(words="昨天 OR 前天"), now)] == ["d2", "d1"]


def test_where_nothing_is_found_likely_words_are_named(archive: Archive, make: MakeArticle) -> None:
    archive.publish(
        [
            make("one", "The council met.", title="Bridges over the harbour"),
            make("two", "大桥今天关闭。", title="大桥", authors=("王小明",), site="other.org"),
        ],
        NOW,
    )

    def instead(words: str, **more: str) -> str | None:
        return archive.search(Search(words=words, **more), NOW).instead  # type: ignore[arg-type]

    assert instead("brigde") == "bridge"
    assert instead("habruor brigde last week") is None
    assert instead("habruor") == "harbour"
    assert instead("harbor council") == "harbour council"
    assert instead("王晓明") == "王小明"
    assert instead("bridge 大桥") is None  # each is known, no article has both
    assert instead("brigde", site="other.org") is None
    assert instead("zeppelin") is None
    assert instead("council") is None


def test_what_matches_and_came_after_a_version(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("bridge", "The old bridge."), make("river", "The river.")], NOW)
    first = archive.newest_version()
    archive.publish([make("bridge", "The old bridge, mended."), make("ferry", "A ferry to the bridge.")], NOW + 60)
    second = archive.newest_version()
    archive.publish([make("late", "A late bridge.")], NOW + 90)

    def found(above: int, upto: int, **wanted: str) -> list[str]:
        results = archive.newer(Search(**wanted), above, upto)  # type: ignore[arg-type]
        return [one.article["url"].rsplit("/", 1)[1] for one in results.found]

    assert found(first, second, words="bridge") == ["ferry", "bridge"]
    assert found(second, archive.newest_version(), words="bridge") == ["late"]
    assert found(first, second, words="bridge -ferry") == ["bridge"]
    assert found(first, second, job="example") == ["ferry", "bridge"]
    assert found(second, second, words="bridge") == []
    assert archive.newer(Search(words="bridge", limit=1), 0, second).total == 2


def test_newer_articles_come_first_where_they_match_alike(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make(f"d{age}", "apple pie", published_at_epoch=NOW - age * DAY) for age in (30, 1, 400)], NOW)
    assert _urls(archive, "apple") == ["d1", "d30", "d400"]
    assert _urls(archive, "apple", sort="newest") == ["d1", "d30", "d400"]
    assert _urls(archive, "apple", limit=1, offset=1) == ["d30"]


def test_of_many_days_the_newest_can_be_chosen(archive: Archive, make: MakeArticle) -> None:
    busy = [(f"{n}-{day}", f"2026-10-{day:02d}") for day in range(1, 15) for n in "ab"]
    archive.publish([make(name, "apple", published_at=day) for name, day in [*busy, ("quiet", "2026-11-02")]], NOW)
    days = archive.search(Search(words="apple", count=True), NOW).facets["day"]
    assert days[:2] == [("2026-11-02", 1), ("2026-10-14", 2)]


def test_of_very_many_matches_the_newest_are_ranked(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make(f"n{n}", f"apple {n}") for n in range(CANDIDATES + 5)], NOW)
    results = archive.search(Search(words="apple"), NOW)
    assert (results.total, results.more) == (CANDIDATES, True)


@pytest.mark.parametrize(
    "wanted",
    [
        {"words": "apple"},
        {"words": '"apple pie"', "site": "x.org"},
        {"words": "", "site": "x.org", "category": "a"},
        {"words": "", "category": "a"},
        {},
    ],
)
def test_going_on_behind_the_newest_gives_each_article_once(
    archive: Archive, make: MakeArticle, monkeypatch: pytest.MonkeyPatch, wanted: dict[str, str]
) -> None:
    monkeypatch.setattr("articlebot.archive.search.CANDIDATES", 7)
    archive.publish(
        [make(f"n{n}", "apple pie", site="x.org", category="a", published_at_epoch=NOW - n % 5) for n in range(40)], NOW
    )
    seen: list[str] = []
    after: str | None = None
    for _ in range(40):
        page = archive.search(Search(**wanted, limit=7, after=after), NOW)  # type: ignore[arg-type]
        seen += [found.article["url"] for found in page.found]
        after = page.rest
        if after is None:
            break
    assert after is None
    assert len(seen) == len(set(seen)) == 40


@pytest.mark.parametrize("sort", ["relevance", "newest"])
@pytest.mark.parametrize("wanted", [{"words": "apple"}, {"language": "en"}])
def test_pages_give_each_article_once_while_others_come(
    archive: Archive, make: MakeArticle, wanted: dict[str, str], sort: str
) -> None:
    def publish(*numbers: int) -> None:
        archive.publish(
            [make(f"n{n}", f"apple pie {n}", language="en", published_at_epoch=NOW + n) for n in numbers], NOW
        )

    publish(*range(20))
    seen: list[str] = []
    end: tuple[int, int | None] = (0, None)
    for late in range(100, 110):
        page = archive.search(Search(**wanted, sort=sort, limit=3, offset=end[0], behind=end[1]), NOW)  # type: ignore[arg-type]
        seen += [found.article["url"].rsplit("/", 1)[1] for found in page.found]
        if (end := page.end)[0] >= page.total:
            break
        publish(late)
    assert seen == [f"n{n}" for n in reversed(range(20))]


@pytest.mark.parametrize("after", ["", "v", "d1.5,", "v1,2", "x", "d" + "1" * 99, "d1e,5", "v²"])
@pytest.mark.parametrize("words", ["apple", ""])
def test_a_place_that_no_search_gave_is_refused(archive: Archive, words: str, after: str) -> None:
    with pytest.raises(RefusedError):
        archive.search(Search(words=words, after=after), NOW)


def test_the_newest_matches_are_found_block_by_block(
    postgresql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both databases give the same, where the blocks are small and many."""
    monkeypatch.setattr("articlebot.archive.index.tsvector._BLOCKS", (2, 4, 6))
    rng = random.Random(3)
    texts = ["apple pie"] * 9 + ["pie apple"] * 3 + ["apple", "pear tree", "plum"]
    articles = [
        make_article(str(rng.randrange(500)), f"{rng.choice(texts)} {n}", site=rng.choice(["x.org", "y.org"]))
        for n in range(600)
    ]
    with Archive(f"sqlite:///{tmp_path / 'a.db'}") as one, Archive(postgresql_url) as other:
        for archive in (one, other):
            for n in range(0, len(articles), 100):
                archive.publish(articles[n : n + 100], NOW + 3600 * n)
        for words in ("apple", '"apple pie"', "apple OR pear", "apple -pie", "pl*", "tree pear", "nothing"):
            for facets, since, below in itertools.product(
                ({}, {"site": "x.org"}), (None, NOW + 3600 * 350), (None, 77)
            ):
                narrow = Narrow(facets=facets, since=since, below=below)
                for limit in (5, 1000):
                    found = []
                    for archive in (one, other):
                        with reading(archive.engine) as connection:
                            hits = index_of(connection).find(connection, Query.parse(words), narrow, limit)
                        found.append([(hit.version_id, hit.article_id, hit.dated_at) for hit in hits])
                    assert found[0] == found[1], (words, narrow, limit)
                    assert found[0] == sorted(found[0], reverse=True)


@pytest.mark.parametrize("words", ["-apple", '""', "，。", "*", " ".join("abcdefghijklmnopqrstuvwxyz" * 2)])
def test_refused_queries(archive: Archive, words: str) -> None:
    with pytest.raises(RefusedError):
        archive.search(Search(words=words), NOW)


numbers = itertools.count()
HOSTILE = st.text(st.characters(exclude_categories=("Cs",)), max_size=40) | st.sampled_from(
    [
        "'; DROP TABLE articles; --",
        "a\\",
        "NEAR(a b)",
        "title:x",
        "^a",
        "{a} : b",
        "a & b | !c",
        "':*",
        "a:* <-> b",
        "a\x00b",
        "-",
    ]
)


@settings(deadline=None, max_examples=50)
@given(words=HOSTILE)
def test_no_query_breaks_a_database(shared: list[Archive], words: str) -> None:
    for archive in shared:
        try:
            archive.search(Search(words=f"{words} apple"), NOW)
        except RefusedError:
            continue


@settings(deadline=None, max_examples=50)
@given(title=HOSTILE, body=HOSTILE, site=HOSTILE)
def test_no_text_breaks_an_index(shared: list[Archive], title: str, body: str, site: str) -> None:
    for archive in shared:
        archive.publish(
            [make_article("x", f"{body} word {next(numbers)}", title=title, site=site or "x", category=title or None)],
            NOW,
        )
        found = archive.search(Search(words="word", site=(site or "x").replace("\x00", "\ufffd")), NOW).found
        assert [f.article["title"] for f in found] == [title.replace("\x00", "\ufffd")]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[list[Archive]]:
    opened = [Archive(f"sqlite:///{tmp_path_factory.mktemp('shared') / 'a.db'}")]
    with contextlib.suppress(pytest.skip.Exception):
        opened.append(Archive(request.getfixturevalue("postgresql_server")))
    yield opened
    for archive in opened:
        archive.close()


def test_rank_is_bounded_and_prefers_relevance_then_freshness() -> None:
    hits = [Hit(1, 2.0, NOW - 700 * DAY, 1), Hit(2, 2.0, NOW, 2), Hit(3, 0.5, NOW, 3), Hit(4, 0.0, NOW + DAY, 4)]
    ranked = rank(hits, Search(words="x"), NOW)
    assert [hit.article_id for hit, _ in ranked] == [2, 1, 3, 4]
    assert all(0 <= score <= 1 for _, score in ranked)
    assert rank([], Search(words="x"), NOW) == []


def test_index_words() -> None:
    assert index_words("The Ministries’ buses: 3 classes of U.S. cats") == (
        "the ministry buse 3 classe of u s cat".split()
    )
    assert expand("北京大学") == ("北京", "大学", "北京大学")
    assert set(index_words("北京大学")) >= {"大学"}


@settings(deadline=None, max_examples=50)
@given(st.text())
def test_index_words_are_single_tokens(text: str) -> None:
    for word in index_words(text):
        assert all(ch.isalnum() or not ch.isascii() for ch in word)
        assert 0 < len(word) <= 40


def test_query_language() -> None:
    assert Query.parse('a "b c" -d e*') == Query(
        ((Term(("a",)),), (Term(("b", "c")),), (Term(("e",), True),)), (Term(("d",)),)
    )
    assert Query.parse("OR a OR b") == Query(((Term(("a",)), Term(("b",))),))
    assert Query.parse("赵崭霆").wanted == ((Term(("赵", "崭", "霆")),),)


def test_snippets_show_where_the_words_are() -> None:
    body = "Nothing here. " * 40 + "At last the council mended the bridge. " + "More of nothing. " * 40
    piece = snippet(body, Query.parse("bridges council").pattern())
    assert piece.marked("[", "]").count("[") == 2
    assert "[council] mended the [bridge]" in piece.marked("[", "]")
    assert piece.text.startswith("…")
    assert piece.text.endswith("…")
    assert snippet("短文", Query.parse("没有").pattern()).text == "短文"
    assert "北京[大学]" in snippet("他" * 200 + "在北京大学读书", Query.parse("大学").pattern()).marked("[", "]")


@pytest.mark.parametrize("quote", ["", "‘Curly’ "])
def test_snippets_cut_between_words(quote: str) -> None:
    words = [f"word{n}" for n in range(200)]
    piece = snippet(quote + " ".join(words), Query.parse("word90").pattern())
    shown = piece.text.strip("…").split()
    assert "word90" in shown
    assert set(shown) <= set(words)
    assert 100 < len(piece.text) < 170


@pytest.mark.parametrize(
    ("words", "marked"),
    [
        ("bridge", "Two [Bridges], a [bridge] and a footbridge."),
        ("bridges", "Two [Bridges], a [bridge] and a footbridge."),
        ("bri*", "Two [Bri]dges, a [bri]dge and a footbridge."),
        ('"two bridges"', "[Two Bridges], a bridge and a footbridge."),
        ("two OR and", "[Two] Bridges, a bridge [and] a footbridge."),
        ("ministries", "Two Bridges, a bridge and a footbridge."),
    ],
)
def test_snippets_mark_words_and_plurals(words: str, marked: str) -> None:
    text = "Two Bridges, a bridge and a footbridge."
    assert snippet(text, Query.parse(words).pattern()).marked("[", "]") == marked


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=300), st.sampled_from(["a", "大学", "b c d", "x*"]))
def test_snippets_mark_within_their_text(body: str, words: str) -> None:
    piece = snippet(body, Query.parse(words).pattern())
    last = 0
    for start, end in piece.marks:
        assert last <= start < end <= len(piece.text)
        last = end
