from __future__ import annotations

import importlib.util
import json
import random
import statistics
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import StateError
from articlebot.extraction.cascade import extract
from articlebot.extraction.wrapper import rules as learning
from articlebot.extraction.wrapper.fields import read_title
from articlebot.extraction.wrapper.model import Overrides, Rules
from articlebot.extraction.wrapper.reading import AGAIN, OUTSIDE, UNKNOWN, Line, Reader, Reading, decide
from articlebot.extraction.wrapper.surroundings import judged
from articlebot.extraction.wrapper.wrapper import Wrapper, choose, learn
from articlebot.page.blocks import Walked
from articlebot.page.page import Page
from tests.extraction.wrapper.pages import article, pages, sentence


@pytest.fixture(scope="module")
def learned() -> list[Wrapper]:
    return learn(pages(range(1, 13)), site="daily.test")


def read(wrappers: list[Wrapper], number: int, **options: str) -> list[str]:
    page = Page.parse(article(number, **options)[0], f"https://daily.test/news/{number}.html")  # type: ignore[arg-type]
    wrapper = choose(wrappers, page)
    found = wrapper.apply(page) if wrapper else None
    return found.body.split("\n") if found else []


def test_the_body_is_learned_without_labels(learned: list[Wrapper]) -> None:
    assert [w.rules.pages for w in learned] == [12]
    assert learned[0].rules.body == ("div.story-text",)
    assert 0.5 < learned[0].rules.confidence <= 1.0
    for number in (50, 51, 52):
        assert read(learned, number) == article(number)[1]


def test_fields_images_and_html(learned: list[Wrapper]) -> None:
    body, lines = article(60)
    event = learned[0].apply(Page.parse(body, "https://daily.test/events/60.html"))
    assert event is not None
    assert event.kind is None  # whoever asks what kind of page it is looks at it
    found = learned[0].apply(Page.parse(body, "https://daily.test/news/60.html"))
    assert found is not None
    assert found.title and not found.title.endswith("Test")
    assert [(i.url, i.caption[:10]) for i in found.images] == [("https://daily.test/img/60.jpg", "Picture 60")]
    assert found.html.count("<p>") == len(lines)
    assert f"<blockquote><p>{lines[4]}</p>" in found.html
    assert "<figcaption>Picture 60" in found.html
    assert found.origin["body"] == "wrapper:daily.test/v1.0"
    assert {rule.split()[0] for rule, _ in found.cut} >= {"path", "repeated"}


def test_what_differs_by_its_numbers_alone_is_no_boilerplate_of_a_report() -> None:
    def report(number: int) -> tuple[Page, list[str]]:
        lines = [
            f"The index closed at {7000 + 37 * number} points, {number * 3 % 80} points above the day before.",
            f"Gold was traded at {1900 + 11 * number} dollars an ounce, {number * 7 % 60} dollars more than yesterday.",
            f"Of {100 + number} shares on the main market, {number} rose and {99 - number} fell during the day.",
            f"The jackpot stands at {number * 13} million.",
        ]
        shown = "".join(f"<p>{line}</p>" for line in lines)
        markup = (
            f"<title>Market close at {7000 + 37 * number} points</title><body><div class=menu><a href=/>Home</a></div>"
            f"<h1>Market close at {7000 + 37 * number} points</h1><div class=story><p>{number * 911} views</p>{shown}"
            "<p>Sign up for our newsletter to read the best of the week.</p></div>"
        )
        return Page.parse(markup.encode(), f"https://market.test/reports/{number}.html"), lines

    learned = learn([report(number)[0] for number in range(11, 17)], site="market.test")
    page, lines = report(20)
    wrapper = choose(learned, page)
    assert wrapper is not None
    found = wrapper.apply(page)
    assert found is not None
    assert found.body.split("\n") == lines


def test_a_reading_goes_with_its_page(learned: list[Wrapper]) -> None:
    page = Page.parse(article(61)[0], "https://daily.test/news/61.html")
    line = page.by_tag["blockquote"][0]
    assert learned[0].apply(page) is not None
    del page
    assert sys.getrefcount(line) == 2  # its name here, and the call: else a site keeps the tree of its last page


def test_a_source_that_the_head_states_is_read_as_on_a_first_page(learned: list[Wrapper]) -> None:
    stated = article(62)[0].replace(b"<head>", b'<head><meta name="source" content="Harbour News">')
    page = Page.parse(stated, "https://daily.test/news/62.html")
    assert b"Harbour News" in stated
    assert [extract(page, wrapper=one).source for one in (None, learned[0])] == ["Harbour News", "Harbour News"]


def test_a_rare_tag_inside_the_body_is_kept_and_an_unknown_box_is_not(learned: list[Wrapper]) -> None:
    extra = "<ol><li>A list that no page before had, with words of its own in it.</li></ol>"
    assert read(learned, 70, extra=extra)[-1].startswith("A list that no page before had")
    box = '<div class="gallery-of-one-page"><p>Something else to look at while you are here, friend.</p></div>'
    assert read(learned, 71, extra=box) == article(71)[1]


def changed(number: int, old: str, new: str) -> Page:
    body = article(number)[0].decode()
    assert old in body
    return Page.parse(body.replace(old, new).encode(), f"https://daily.test/news/{number}.html")


def test_what_two_articles_share_is_text_and_what_the_site_says_on_all_is_none() -> None:
    before = "The river had flooded the old market three times since the bridge was built, and nobody had been asked."
    shared = {n: f"</blockquote><p>{before}</p>" if n in (3, 9) else "</blockquote>" for n in range(1, 13)}
    wrappers = learn([changed(n, "</blockquote>", end) for n, end in shared.items()], site="daily.test")
    page = changed(50, "</blockquote>", shared[3])
    found = extract(page, wrapper=choose(wrappers, page)).body.split("\n")
    assert before in found
    assert not any(line.startswith("Sign up") for line in found)


def test_items_that_few_articles_have_in_common_are_text() -> None:
    things = "flour salt butter eggs sugar milk yeast honey oil rice".split()

    def recipe(number: int) -> Page:
        items = "".join(f"<p>a heaped spoon or two of {things[(number + n) % 10]}</p>" for n in range(4))
        return changed(number, "<blockquote>", f"{items}<blockquote>")

    wrapper = learn([recipe(number) for number in range(1, 11)], site="daily.test")[0]
    assert extract(recipe(50), wrapper=wrapper).body.count("a heaped spoon or two") == 4


def test_a_heading_above_a_list_is_text_though_all_pages_have_it() -> None:
    def recipe(number: int) -> Page:
        items = "".join(f"<li>{sentence(random.Random(number * 9 + n))[:24]}</li>" for n in range(4))
        return changed(number, "<blockquote>", f"<p class=part>What you need</p><ul>{items}</ul><blockquote>")

    wrapper = learn([recipe(number) for number in range(1, 9)], site="daily.test")[0]
    found = extract(recipe(50), wrapper=wrapper).body.split("\n")
    assert "What you need" in found
    assert not any(line.startswith("Sign up") for line in found)


def test_items_that_all_pages_have_are_the_site_s_though_other_items_stand_below_them() -> None:
    offers = ("Read the articles of all the towns with one account.", "Enjoy more articles and puzzles in each month.")
    items = f"<ul>{''.join(f'<li>{offer}</li>' for offer in (*offers, 'Keep what you have read for later days.'))}</ul>"
    pages = [Page.parse(article(n, extra=items)[0], f"https://daily.test/news/{n}.html") for n in range(1, 9)]
    reading = learn(pages, site="daily.test")[0]._read(Page.parse(article(50, extra=items)[0], "https://daily.test/5"))
    told = [line for line in reading.lines if line.block.text in offers]
    assert [line.rule.partition(" ")[0] in ("repeated", AGAIN) for line in told] == [True, True]


def test_a_number_that_each_notice_has_of_its_own_is_text_and_when_it_was_published_is_none() -> None:
    text = '<div class="story-text">'
    pages = [changed(n, text, f"{text}<p>Public notice No. {n * 37} of the council</p>") for n in range(1, 9)]
    wrapper = learn(pages, site="daily.test")[0]
    page = changed(50, text, f"{text}<p>Public notice No. 417 of the council</p>")
    found = extract(page, wrapper=wrapper).body.split("\n")
    assert found[0] == "Public notice No. 417 of the council"
    assert not any("by our own desk" in line for line in found)


@pytest.mark.parametrize(("chance", "place", "shared"), [(0.6, 1, True), (0.4, 1, False), (0.9, -1, False)])
def test_a_day_that_each_notice_is_signed_with_is_text_unless_it_stands_above(
    chance: float, place: int, shared: bool
) -> None:
    days = {f"{n}May2024" for n in range(1, 6)}
    assert learning._is_shared("0May0", days, [(chance, place)] * 5, 5) is shared


def test_a_path_stays_cut_where_lines_that_all_pages_have_look_like_text() -> None:
    items = "".join(
        f"<li>{kind}</li>" for kind in "Broccoli,Cabbage,Cauliflower,Avocados,Peaches,Brussels sprouts".split(",")
    )
    kinds = f'<ul class="kinds">{items}</ul><blockquote>'
    wrapper = learn([changed(number, "<blockquote>", kinds) for number in range(1, 9)], site="daily.test")[0]
    assert wrapper.rules.paths["ul.kinds/li"] is False


def test_a_path_is_not_cut_where_new_lines_there_look_like_text_on_most_pages() -> None:
    def guide(number: int) -> Page:
        rng = random.Random(number)
        texts = [" ".join(sentence(rng) for _ in range(3)) for _ in range(9)]
        steps = "".join(f"<li>{text}</li>" for text in texts[3:])
        above, beside, below = (f'<div class="said"><p>{text}</p></div>' for text in texts[:3])
        page = f"<h1>{sentence(rng)}</h1>{above}{beside}<ol>{steps}</ol>{below}"
        return Page.parse(f'<div class="story">{page}</div>'.encode(), f"https://daily.test/{number}.html")

    assert learn(map(guide, range(1, 7)), site="daily.test")[0].rules.paths["div.said/p"] is True


def test_what_stands_outside_of_the_text_on_all_pages_is_none() -> None:
    offer = "Our readers have had the whole of this story in their letters since the morning it was told to us."
    deck = f'<p class="deck">{offer}</p><div class="meta">'
    wrappers = learn([changed(n, '<div class="meta">', deck) for n in range(1, 13)], site="daily.test")
    reading = wrappers[0]._read(changed(50, '<div class="meta">', deck))
    assert [line.rule for line in reading.lines if line.block.text == offer] == ["repeated"]


def test_the_title_behind_a_kicker_is_no_line_of_the_text(learned: list[Wrapper]) -> None:
    text, lines = '<div class="story-text">', article(51)[1]
    title = extract(Page.parse(article(51)[0], ""), wrapper=learned[0]).title
    page = changed(51, text, f"{text}<h2>Vote on the harbour – {title}</h2>")
    assert extract(page, wrapper=learned[0]).body.split("\n") == lines


def test_a_name_alone_is_read_where_the_data_name_the_site_itself(learned: list[Wrapper]) -> None:
    own = (
        '<head><meta property="og:site_name" content="The Daily Test"><script type="application/ld+json">'
        '{"@type": "NewsArticle", "author": {"@type": "Person", "name": "The Daily Test"}}</script>'
    )
    body = article(52)[0].decode().replace("<head>", own).replace(" by our own desk", "")
    body = body.replace('<span class="author">By Ann Lee</span>', "<div>Rachel Stone</div>")
    page = Page.parse(body.encode(), "https://daily.test/news/52.html")
    assert [extract(page, wrapper=one).authors for one in (None, learned[0])] == [("Rachel Stone",)] * 2


def test_a_learned_title_is_cleaned_as_that_of_a_first_page(learned: list[Wrapper]) -> None:
    body = article(53)[0].decode()
    title = extract(Page.parse(body.encode(), "")).title
    broken = title[:4] + "\u00ad" + title[4:]
    page = Page.parse(body.replace(title, broken).encode(), "https://daily.test/news/53.html")
    beside = Page.parse(body.replace("</h1>", " <button>Back to video</button></h1>").encode(), page.url)
    assert [extract(one, wrapper=learned[0]).title for one in (page, beside)] == [title, title]


def test_a_byline_is_read_where_the_head_names_the_house_alone(learned: list[Wrapper]) -> None:
    head = '<head><meta name="author" content="dailytest">'
    body = article(54)[0].decode().replace("<head>", head).replace("By Ann Lee", "By Rachel Stone")
    page = Page.parse(body.encode(), "https://daily.test/news/54.html")
    assert [extract(page, wrapper=one).authors for one in (None, learned[0])] == [("Rachel Stone",)] * 2


def test_a_picture_between_headline_and_text_is_the_articles(learned: list[Wrapper]) -> None:
    text = '<div class="story-text">'
    page = changed(55, text, f'<img src="/img/lead.jpg" width="800" alt="The bridge">{text}')
    shown = [[image.url[-8:] for image in extract(page, wrapper=one).images] for one in (None, learned[0])]
    assert shown == [["lead.jpg", "g/55.jpg"]] * 2
    assert extract(page, wrapper=learned[0]).lead_image == "https://daily.test/img/lead.jpg"


def test_a_picture_above_the_box_of_headline_and_text_is_the_articles() -> None:
    def with_hero(number: int) -> Page:
        hero = f'<article><div><img src="/img/hero{number}.jpg" width="1020" alt=""></div><div class="story-text-page">'
        html, _ = article(number)
        changed = html.replace(b'<div class="story-text-page">', hero.encode()).replace(
            b"<div class=side", b"</article>"
        )
        return Page.parse(changed, f"https://daily.test/news/{number}.html")

    [wrapper] = learn([with_hero(number) for number in range(8)])
    found = extract(with_hero(70), wrapper=wrapper)
    assert found.origin["body"].startswith("wrapper")
    assert [image.url[-11:] for image in found.images] == ["/hero70.jpg", "/img/70.jpg"]


def test_a_picture_that_the_site_has_on_many_articles_is_none_of_theirs() -> None:
    head, text = "<head>", '<div class="story-text">'
    sign = '<head><meta property="og:image" content="https://daily.test/share/standard.jpg">'

    def shared(number: int) -> Page:
        body = article(number)[0].decode().replace(head, sign).replace(text, f'<img src="/like-us.jpg">{text}')
        return Page.parse(body.encode(), f"https://daily.test/news/{number}.html")

    wrapper = learn([shared(number) for number in range(1, 8)], site="daily.test")[0]
    assert set(wrapper.rules.pictures) == {"https://daily.test/share/standard.jpg", "https://daily.test/like-us.jpg"}
    found = extract(shared(56), wrapper=wrapper)
    assert [image.url for image in found.images] == [found.lead_image] == ["https://daily.test/img/56.jpg"]
    own = changed(57, head, sign.replace("standard", "57"))
    assert extract(own, wrapper=wrapper).lead_image == "https://daily.test/share/57.jpg"


def test_a_byline_in_the_text_of_one_page_is_no_line_of_it(learned: list[Wrapper]) -> None:
    body, lines = article(91)
    signed = body.replace(b'<div class="story-text">', b'<div class="story-text"><p>By Bo Stone, Staff Writer</p>')
    found = learned[0].apply(Page.parse(signed, "https://daily.test/news/91.html"))
    assert found is not None
    assert found.body.split("\n") == lines


@pytest.mark.parametrize(
    ("rule", "chance", "above", "kept"),
    [
        # a teaser below a short text, and a deck above it
        (OUTSIDE, 0.43, False, False),
        # a path that is cut, unless it is likely by itself
        ("path p.note", 0.6, False, False),
        ("path p.note", 0.95, False, True),
        # a box whose names no other page has, which are no reason to cut it surely; one that stands beside the text
        ("path figure~", 0.95, False, True),
        ("path figure~", 0.6, False, False),
        ("path figcaption~", 0.95, False, False),
        # what repeats there besides
        (f"{AGAIN} p.note", 0.95, False, False),
        (f"{AGAIN} p.note", 0.99, False, True),
        (OUTSIDE, 0.8, False, True),
        (OUTSIDE, 0.43, True, True),
        # a box that no other page of the site has is the classifier's business, a line of the containers is taught
        (UNKNOWN, 0.35, False, False),
        (UNKNOWN, 0.8, False, True),
        ("", 0.35, False, True),
    ],
)
def test_in_doubt_the_site_speaks_only_of_what_it_has_taught(rule: str, chance: float, above: bool, kept: bool) -> None:
    text, other = article(80, paragraphs=2)[1]
    page = Page.parse(f"<html><body><p>{text}</p><p>{other}</p></body></html>".encode(), "https://daily.test/1.html")
    asked = Line(page.blocks[1], rule, chance)
    lines = [Line(page.blocks[0], "", 0.98), asked]
    decide(Reading({}, [], Walked([], []), lines[::-1] if above else lines), by_rules_alone=False)
    assert [line.kept for line in lines] == [True, kept]


def test_in_doubt_a_line_between_two_containers_stands_not_below_them() -> None:
    texts = article(80, paragraphs=3)[1]
    page = Page.parse(f"<body>{''.join(f'<p>{text}</p>' for text in texts)}".encode(), "https://daily.test/1.html")
    for rules, kept in (("", OUTSIDE, ""), [True] * 3), (("", "", OUTSIDE), [True, True, False]):
        lines = [
            Line(block, rule, 0.5 if rule else 0.95, container=None if rule else number)
            for number, (block, rule) in enumerate(zip(page.blocks, rules, strict=True))
        ]
        decide(Reading({}, [], Walked([], []), lines), by_rules_alone=False)
        assert [line.kept for line in lines] == kept


@pytest.mark.parametrize(("before", "kept"), [("<table><tr><td>", True), ("</div><p>", False)])
def test_in_doubt_what_stands_beside_containers_of_a_paragraph_each_is_not_below_them(before: str, kept: bool) -> None:
    *texts, table = article(80, paragraphs=3)[1]
    text = "".join(f"<div><p>{text}</p></div>" for text in texts)
    page = Page.parse(f"<body><div>{text}{before}{table}".encode(), "https://daily.test/1.html")
    lines = [Line(block, "", 0.95, container=block.element.getparent()) for block in page.blocks[:2]]
    lines.append(Line(page.blocks[2], OUTSIDE, 0.5))
    decide(Reading({}, [], Walked([], []), lines), by_rules_alone=False)
    assert [line.kept for line in lines] == [True, True, kept]


@pytest.mark.parametrize(
    ("tag", "rule", "links", "chance", "kept"),
    [
        ("p", UNKNOWN, "1", 0.6, False),
        ("p", UNKNOWN, "1", 0.8, True),
        ("p", UNKNOWN, "12", 0.6, False),
        ("li", UNKNOWN, "12", 0.6, True),
        ("li", UNKNOWN, "1", 0.6, False),
        ("p", "path p/@linked", "1", 0.6, False),
        ("p", "path p/@linked", "1", 0.8, True),
        ("p", "path p", "1", 0.6, True),
    ],
)
def test_links_between_lines_need_more_than_a_list_of_references(
    tag: str, rule: str, links: str, chance: float, kept: bool
) -> None:
    markup = "".join(f"<{tag}>{text}</{tag}>" for text in article(80, paragraphs=16)[1])
    page = Page.parse(f"<body>{markup}".encode(), "https://daily.test/1.html")
    lines = [Line(block, "", 0.99, path="p") for block in page.blocks]
    for at in map(int, links):
        lines[at] = Line(page.blocks[at], rule, chance, path=rule.partition(" ")[2] or "p/@linked")
    decide(Reading({}, [], Walked([], []), lines), by_rules_alone=False)
    assert [lines[at].kept for at in map(int, links)] == [kept] * len(links)


def test_a_container_with_nothing_likely_in_it_teaches_nothing() -> None:
    text, other = article(80, paragraphs=2)[1]
    page = Page.parse(f"<html><body><p>{text}</p><p>{other}</p></body></html>".encode(), "https://daily.test/1.html")
    for same in (True, False):
        lines = [
            Line(page.blocks[0], "", 0.98, container=1),
            Line(page.blocks[1], "", 0.35, container=1 if same else 2),
        ]
        decide(Reading({}, [], Walked([], []), lines), by_rules_alone=False)
        assert [line.kept for line in lines] == [True, same]


def test_a_link_below_a_label_that_the_site_repeats_leads_on() -> None:
    def told(number: int, label: str) -> str:
        rng = random.Random(number)
        link = f'<a href="/reports/{number}.html">{sentence(rng)} {sentence(rng)}</a>'
        return f"<p>{label}</p><p>{link}</p><p>{sentence(rng)} {sentence(rng)}</p>"

    label = "Related articles"
    known = [article(n, extra=told(n, label if n % 2 else ""))[0] for n in range(1, 13)]
    learned = learn([Page.parse(one, f"https://daily.test/news/{n}.html") for n, one in enumerate(known)], site="daily")
    bare = read(learned, 60, extra=told(60, ""))
    assert read(learned, 60, extra=told(60, label)) == [*bare[:-2], bare[-1]]


def test_code_between_lines_that_are_containers_each_is_text() -> None:
    def page(number: int, between: str = "") -> Page:
        rng = random.Random(number)
        head = sentence(rng).rstrip(".")
        lines = [f'<div class="line">{sentence(rng)} {sentence(rng)} {sentence(rng)}</div>' for _ in range(8)]
        text = "".join([*lines[:4], between, *lines[4:]])
        menu = '<div class="menu"><a href="/">Home</a> <a href="/w">World</a></div>'
        markup = f"<title>{head}</title><body>{menu}<div id=s{number}><h1>{head}</h1>{text}</div><p>The Daily Test</p>"
        return Page.parse(markup.encode(), f"https://daily.test/news/{number}.html")

    learned = learn([page(number) for number in range(1, 13)], site="daily.test")
    cells = "".join(f"<tr><td>{area}</td><td>{boats}</td></tr>" for area, boats in (("North", 4512), ("East", "24%")))
    code = "<pre>def step(x):\n    return x * 4\n\nprint(step(4))</pre>"
    found = learned[0].apply(page(60, f"<table>{cells}</table>{code}<h2>Why it matters</h2>"))
    assert learned[0].rules.body == ("div.line",)
    assert found is not None
    assert "print(step(4))" in found.body.split("\n")


def test_what_readers_say_below_a_heading_is_no_text_of_the_page(learned: list[Wrapper]) -> None:
    said = "I have lived beside the bridge all my life, and nobody ever asked me what I thought of it, said one."
    found = f"<div><h3>Comments</h3>{''.join(f'<p>{said} {n}</p>' for n in range(3))}</div>"
    page = changed(50, '<div class="side">', f'{found}<div class="side">')
    inside = Page.parse(article(50, extra=found)[0], "https://daily.test/news/50.html")
    for one in (page, inside):
        chances = judged(one.blocks, one, learned[0].rules.typical)
        assert all(chances[block.index] < 0.1 for block in one.blocks if block.text.startswith(said))


def test_a_question_in_bold_may_stand_in_several_articles() -> None:
    asked = "<p><b>What has changed for you in this year?</b></p><p>{} more boats came to the harbour than before.</p>"
    seen = [Page.parse(article(n, extra=asked.format(n))[0], f"https://daily.test/news/{n}.html") for n in range(1, 13)]
    assert "What has changed for you in this year?" in read(learn(seen, site="daily.test"), 70, extra=asked.format(70))


def test_a_line_in_bold_between_line_breaks_may_stand_in_several_articles() -> None:
    asked = "<div>The harbour had {} boats.<br><br><b>Ingredients</b><br><br>There were {} more than before.</div>"
    extra = [asked.format(n, 3 * n) for n in range(80)]
    seen = [Page.parse(article(n, extra=extra[n])[0], f"https://daily.test/news/{n}.html") for n in range(1, 13)]
    assert "Ingredients" in read(learn(seen, site="daily.test"), 70, extra=extra[70])


def test_the_names_of_those_who_speak_in_turn_are_of_the_text_though_other_pages_have_them() -> None:
    def spoken(number: int) -> Page:
        names = ("Ann Lee", "Harriet Voss")
        turns = [(names[at % 2], line) for at, line in enumerate(article(number)[1])]
        markup = "".join(f"<div class=turn><div>{name}</div><div>{line}</div></div>" for name, line in turns)
        head = f"<title>Bridge {number}</title><h1>Bridge {number}</h1><div>Ann Lee</div>"
        return Page.parse(f"{head}<div class=text>{markup}</div>".encode(), f"https://daily.test/news/{number}.html")

    wrapper, page = learn([spoken(n) for n in range(1, 9)], site="daily.test")[0], spoken(50)
    cut = [text for _, text in wrapper._read(page).cut]
    assert "Ann Lee" not in cut
    assert "Harriet Voss" not in cut


def test_the_title_s_path_may_be_that_of_a_short_label_above_it() -> None:
    label = '<h1 class="headline">Art</h1><h1 class="headline">'
    wrappers = learn([changed(n, '<h1 class="headline">', label) for n in range(1, 13)], site="daily.test")
    page = changed(50, '<h1 class="headline">', label)
    title = read_title(wrappers[0].rules, page, wrappers[0]._read(page).named)[0]
    assert f"{title} - The Daily Test" == page.title


def test_a_line_that_leads_to_code_is_not_cut_for_being_on_other_pages_too() -> None:
    code = "<p>The output is as follows:</p><pre>{} lines of the council's ledger</pre>"
    seen = [Page.parse(article(n, extra=code.format(n))[0], f"https://daily.test/news/{n}.html") for n in range(1, 13)]
    wrappers = learn(seen, site="daily.test")
    assert "The output is as follows:" in read(wrappers, 70, extra=code.format(70))


def test_of_a_place_that_had_no_text_on_the_sites_pages_nothing_is_taught(learned: list[Wrapper]) -> None:
    assert learned[0].rules.likely == ("blockquote/p", "p")
    body = article(70, extra="<h4>Top news</h4>")[0]
    lines = learned[0]._read(Page.parse(body, "https://daily.test/news/70.html")).lines
    assert [line.rule for line in lines if line.block.text == "Top news"] == [UNKNOWN]


def test_a_text_that_stands_in_the_body_itself_is_learned_from_pages_that_no_witness_has_heard() -> None:
    def bare(number: int) -> Page:
        rng = random.Random(number)
        title, paragraphs = sentence(rng), [" ".join(sentence(rng) for _ in range(3)) for _ in range(6)]
        text = "".join(f"<p>{line}</p>" for line in paragraphs)
        head = f"<html><head><title>{title}</title></head><body><a href=/>The Daily Test</a><h1>{title}</h1>"
        return Page.parse(f"{head}{text}<hr><small>Printed in Dorrow.</small>".encode(), f"http://b.test/{number}")

    (wrapper,) = learn([bare(number) for number in range(40)], site="b.test")
    assert wrapper.rules.pages == 40
    assert wrapper.rules.confidence > 0.5


def test_a_list_that_no_page_had_is_judged_by_itself_where_the_site_has_its_text(learned: list[Wrapper]) -> None:
    taught = {"body": ("body",), "likely": ("div/div/p",)}
    rules = replace(learned[0].rules, paths={"div": False, "div/div/p": True}, **taught)  # type: ignore[arg-type]
    markup = "<div><h3>More</h3><ul><li>{0}</ul></div><div><div><p>{0}</p><p>{0}</p><ul><li>{0}</ul></div></div>"
    page = Page.parse(f"<body>{markup.format('The council voted on Tuesday.')}".encode(), "https://daily.test/1.html")
    told = {line.path: line.rule for line in Reader(rules).read(page).lines}
    assert told == {"div/h3": "path div/h3", "div/ul/li": "path div/ul/li", "div/div/p": "", "div/div/ul/li": UNKNOWN}


@pytest.mark.parametrize("more", [0, 15])
def test_what_holds_the_region_is_as_large_as_on_the_whole_page(learned: list[Wrapper], more: int) -> None:
    beside = more * b'<p><a href="/elsewhere/">Something else on this site</a></p>'
    body = article(80)[0].replace(b'<div class="side">', b'<div class="side">' + beside)
    page = Page.parse(body, "https://daily.test/news/80.html")
    region = learned[0].region(page)
    assert region is not None and len(region.blocks) == 14
    *_, outermost = region.blocks[0].node.ancestors()
    assert outermost.tag == "body"
    assert outermost.blocks == pytest.approx(len(page.blocks), abs=1)
    assert len(page.blocks) == 29 + more


def test_the_region_is_measured_where_the_headline_was_learned() -> None:
    bold = b'<div class="headline">'
    made = [article(n)[0].replace(b'<h1 class="headline">', bold).replace(b"</h1>", b"</div>") for n in range(1, 13)]
    learned = learn([Page.parse(one, "https://daily.test/n.html") for one in made], site="daily.test")
    assert learned[0].rules.title.endswith("div.headline")
    assert learned[0].rules.typical.blocks_behind == 14.0  # without an h1 the whole page would be the region


def test_other_templates_and_kinds_do_not_fit(learned: list[Wrapper]) -> None:
    assert read(learned, 80, body_class="other-layout") == []
    links = "".join(f'<li><a href="/news/{i}.html">A headline of the day number {i}</a></li>' for i in range(50))
    front = Page.parse(f"<html><body><ul>{links}</ul></body></html>".encode(), "https://daily.test/")
    assert choose(learned, front) is None


def test_a_list_of_headlines_and_summaries_in_the_articles_template_is_none(learned: list[Wrapper]) -> None:
    teasers = "".join(
        f'<h1><a href="/news/{n}.html">{article(n)[1][0][:60]}</a></h1><p>{article(n)[1][1][:70]}</p>'
        for n in range(20)
    )
    page = (
        f'<div class="story-text-page"><h1 class="headline">Bridges</h1><div class="story-text">{teasers}</div></div>'
    )
    read_as_list = Page.parse(f"<html><body>{page}</body></html>".encode(), "https://daily.test/on/bridges.html")
    assert extract(read_as_list, wrapper=choose(learned, read_as_list)).kind == "list"


def test_the_next_article_is_not_learned_for_the_page_s_own() -> None:
    def scrolled(number: int) -> Page:
        own, other = (article(n, paragraphs=count)[1] for n, count in ((number, 2), (number + 500, 6)))
        mine, next_one = (
            "".join(f"<p class=para{kind}>{line}</p>" for line in lines) for kind, lines in ((1, own), (2, other))
        )
        markup = f"""<title>Bridge {number} of the village</title><main class=wrapper>
        <article class=art><h1>Bridge {number} of the village</h1><div class=text>{mine}</div></article>
        <article class=art><h2><a href=/{number + 1}>Museum {number} of it</a></h2>{next_one}</article></main>"""
        return Page.parse(markup.encode(), f"https://daily.test/news/{number}.html")

    page = scrolled(50)
    wrapper = choose(learn([scrolled(n) for n in range(1, 9)], site="daily.test"), page)
    assert wrapper is not None
    found = wrapper.apply(page)
    assert found is not None
    assert found.body.split("\n") == article(50, paragraphs=2)[1]


def test_two_templates_are_told_apart() -> None:
    both = [*pages(range(1, 9)), *pages(range(20, 26), body_class="feature-body")]
    wrappers = learn(both, site="daily.test")
    assert [w.rules.body for w in wrappers] == [("div.story-text",), ("div.feature-body",)]
    assert read(wrappers, 30, body_class="feature-body") == article(30)[1]


def test_a_poisoned_page_does_not_spoil_a_wrapper_that_rests_on_many() -> None:
    spam = "<p>Buy now from the best shop of all the shops there ever were.</p>" * 200
    hostile = [
        Page.parse(
            f'<html><body><div class="side">{spam}</div><div class="story-text"></div></body></html>'.encode(), ""
        ),
        Page.parse(article(99, extra=f'<div class="story-text"><p>{"evil words " * 3000}</p></div>')[0], ""),
        Page.parse(b"<html><body>" + b"<div>" * 3000 + b"deep", ""),
        Page.parse(b"", ""),
    ]
    wrappers = learn([*hostile, *pages(range(1, 13))], site="daily.test")
    assert wrappers[0].rules.body == ("div.story-text",)
    assert read(wrappers, 50) == article(50)[1]


def test_a_few_wrong_pages_among_the_samples_change_nothing() -> None:
    wrong = [
        Page.parse(
            article(n, body_class="promo", extra='<div class="story-text"><p>Win a car today, dear reader.</p></div>')[
                0
            ],
            f"https://daily.test/promo/{n}.html",
        )
        for n in range(60, 63)
    ]
    wrappers = learn([*wrong, *pages(range(1, 13))], site="daily.test")
    assert wrappers[0].rules.body == ("div.story-text",)
    for number in (50, 51):
        assert read(wrappers, number) == article(number)[1]


def test_a_template_that_was_never_seen_is_left_to_generic_extraction(learned: list[Wrapper]) -> None:
    page = Page.parse(article(40, body_class="feature-body")[0], "https://daily.test/news/40.html")
    found = extract(page, wrapper=choose(learned, page))
    assert not found.origin["body"].startswith("wrapper:")
    assert set(article(40)[1]) <= set(found.body.split("\n"))


@pytest.mark.parametrize("given_pages", [[], pages(range(1, 3)), [Page.parse(b"<p>x</p>", "")] * 5])
def test_too_little_to_learn_from(given_pages: list[Page]) -> None:
    assert learn(given_pages) == []


def test_json_round_trip_is_readable_and_editable(learned: list[Wrapper]) -> None:
    data = json.loads(learned[0].to_json())
    assert data["format"] == 1
    assert set(data["paths"].values()) <= {"keep", "cut"}
    again = Wrapper.from_json(learned[0].to_json())
    assert again.rules == learned[0].rules
    data["paths"]["blockquote"] = "cut"
    edited = Wrapper.from_json(json.dumps({**data, "by_hand": True}))
    assert read([edited], 50) == [line for i, line in enumerate(article(50)[1]) if i != 4]


@pytest.mark.parametrize(
    "change",
    [{"format": 9}, {"paths": {"p": "maybe"}}, {"bodies": []}, {"body": "div"}, {"overrides": {"body": "div[["}},
     {"overrides": {"nothing": "x"}}],
)  # fmt: skip
def test_a_damaged_wrapper_is_refused(learned: list[Wrapper], change: dict[str, object]) -> None:
    with pytest.raises(StateError):
        Wrapper.from_json(json.dumps({**json.loads(learned[0].to_json()), **change}))
    with pytest.raises(StateError):
        Wrapper.from_json("{")


def test_a_persons_selectors_win() -> None:
    hand = Wrapper(
        Rules(site="x", overrides=Overrides(body="//div[@class='mine']", title="h2", author=".who", cut=(".no",)))
    )
    page = Page.parse(
        b"<html><body><h1>Not this</h1><h2>The title</h2><b class=who>By Ann Lee and Bo Li</b>"
        b"<div class=mine><p>One.</p><p class=no>Two.</p><p>Three.</p></div></body></html>", ""
    )  # fmt: skip
    found = hand.apply(page)
    assert found is not None
    assert (found.body, found.title, found.authors) == ("One.\nThree.", "The title", ("Ann Lee", "Bo Li"))
    assert found.origin["title"] == found.origin["body"] == "hand"
    assert hand.apply(Page.parse(b"<html><body><p>Nothing of it</p></body></html>", "")) is None
    partly = hand.apply(Page.parse(b"<html><body><h2>The title alone</h2><p>And more</p></body></html>", ""))
    assert partly is not None
    assert (partly.title, partly.body, partly.origin) == ("The title alone", "", {"title": "hand"})


@pytest.mark.parametrize(
    ("line", "authors"),
    [
        ("By Ann Lee Nov 29, 2026, 4:43 PM", ("Ann Lee",)),
        ("By Ann Lee and Bo Li 2026-11-29T16:43:25Z", ("Ann Lee", "Bo Li")),
        ("By 王小明 2026-11-28 03:43", ("王小明",)),
        ("kitten42", ("kitten42",)),  # what is no name as names go is what the person has chosen
    ],
)
def test_a_persons_selector_of_the_names_may_hold_the_date_behind_them(line: str, authors: tuple[str, ...]) -> None:
    hand = Wrapper(Rules(site="x", overrides=Overrides(author=".who", body=".mine")))
    html = f"<html><body><p class=who>{line}</p><div class=mine><p>One.</p></div></body></html>"
    found = hand.apply(Page.parse(html.encode(), ""))
    assert found is not None
    assert found.authors == authors


@given(st.text(max_size=300))
def test_any_page_is_data(text: str) -> None:
    wrapper = Wrapper(Rules(site="x", body=("div.a", "p"), names=(".a",), paths={"p": False}))
    page = Page.parse(f'<div class="a">{text}</div><p>{text}'.encode("utf-8", "replace"), "http://x.test/")
    assert 0.0 <= wrapper.fits(page) <= 1.0
    wrapper.apply(page)


def test_learned_wrappers_beat_a_floor_on_the_corpus(corpus: Path) -> None:
    spec = importlib.util.spec_from_file_location("corpus_evaluate", corpus / "evaluate.py")
    assert spec is not None and spec.loader is not None
    evaluate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(evaluate)
    folder = corpus / "pages" / "big9"
    by_site = defaultdict(list)
    for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        by_site[row["site"]].append((row, Page.parse((folder / row["html_path"]).read_bytes(), row["url"])))
    scores = []
    for site in sorted(by_site)[::3]:
        wrappers = learn([page for _, page in by_site[site][::2]], site=site)
        for row, page in by_site[site][1::2]:
            wrapper = choose(wrappers, page)
            found = wrapper.apply(page) if wrapper else None
            if found is not None:
                scores.append(evaluate.score([row], {row["id"]: {"body": found.body}})[0]["f1page"])
    assert len(scores) >= 15
    assert statistics.mean(scores) >= 0.95


@pytest.mark.parametrize(
    ("headline", "text", "kind"),
    [
        ("Request blocked", "Your request was blocked by the security policy. Please try again later.", "wall"),
        ("Page introuvable", "La page que vous cherchez n’existe pas ou a été déplacée, revenez à l’accueil.", "other"),
        ("Ferry late", "The ferry was not seen at noon; the harbour master said that fog had kept it away.", "article"),
    ],
)
def test_a_notice_in_the_sites_template_is_no_article(
    learned: list[Wrapper], headline: str, text: str, kind: str
) -> None:
    page = (
        '<title>The Daily Test</title><div id="nav"><a href="/">Home</a></div><div class="story-text-page">'
        f'<h1 class="headline">{headline}</h1><div class="story-text"><p>{text}</p></div></div>'
    )
    found = learned[0].apply(Page.parse(page.encode(), "https://daily.test/news/7.html"))
    assert found is not None
    assert found.kind == kind
