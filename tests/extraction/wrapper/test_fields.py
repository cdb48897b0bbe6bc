"""Titles by learned paths, believed where other pages of the site bear them out, and the other fields beside them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from articlebot.extraction.cascade import extract
from articlebot.extraction.fields.tags import tags_of
from articlebot.extraction.place import Located, Region
from articlebot.extraction.wrapper.wrapper import Wrapper, learn
from articlebot.page.page import Page
from articlebot.page.walk import walked
from tests.extraction.wrapper.pages import article

Change = Callable[[str, int], str]
FETCHED_AT = 1_720_000_000.0


def page_of(number: int, change: Change) -> Page:
    markup = change(article(number)[0].decode(), number)
    return Page.parse(markup.encode(), f"https://daily.test/news/{number}.html", fetched_at=FETCHED_AT)


def learned(change: Change) -> Wrapper:
    (wrapper,) = learn([page_of(number, change) for number in range(1, 8)], site="daily.test")
    return wrapper


def stating(markup: str, number: int) -> str:
    """Most pages state their day in the head, as they do in the line below the headline."""
    if number % 3 == 0:
        return markup
    return markup.replace("<head>", f'<head><meta name="pubdate" content="2024-05-{number % 27 + 1:02d}">')


def silent(markup: str, number: int) -> str:
    return markup


def clocked(markup: str, number: int) -> str:
    """The only marked date is the page's own day."""
    head, _, rest = markup.partition('<span class="pub-date">')
    return (head + rest.partition("</span>")[2]).replace("<h1", '<div class="date">July 3, 2024</div><h1')


def busy(markup: str, number: int) -> str:
    """The article's date is not marked; that of a story beside it, of the same day, is."""
    other = f'<div class="side"><span class="date">2024-05-{number % 27 + 1:02d} 08:{(number * 7 + 3) % 60:02d}</span>'
    return markup.replace(' class="pub-date"', "").replace('<div class="side">', other)


@pytest.mark.parametrize("change", [stating, silent])
def test_the_date_is_read_where_the_page_states_none(change: Change) -> None:
    found = extract(page_of(33, change), wrapper=learned(change))
    assert found.published == "2024-05-07T10:33:00"


def test_what_the_page_states_goes_first() -> None:
    found = extract(page_of(31, stating), wrapper=learned(stating))
    assert (found.published, found.origin["published"]) == ("2024-05-05T10:31:00", "meta")


def searched(markup: str, number: int) -> str:
    """What is named an author on all pages, above the byline, is the label of a list of authors."""
    return markup.replace("<h1", '<div class="author-search"><a href="/authors/">Search</a></div><h1', 1)


def above(markup: str, number: int) -> str:
    """The day stands in a box of its own above what holds headline and text, and those of other stories below these."""
    plain = re.sub(r'<div class="meta">.*?</div>|<p>Published on.*?</p>', "", markup, flags=re.S)
    day = f'<div class="info"><div>2024-05-{number % 27 + 1:02d} 10:{number % 60:02d}</div><div>World</div></div>'
    newest = "".join(f"<div><a href=/n/{day}>Story of {day}</a> <i>06-{day:02d}</i></div>" for day in (2, 3, 4))
    return plain.replace('<div class="story-text-page">', f'{day}<div class="story-text-page">') + newest


def around(markup: str, number: int) -> str:
    """The writer stands in a box of its own above what holds headline and text, the day in one below it."""
    plain = re.sub(r'<div class="meta">.*?</div>|<p>Published on.*?</p>', "", markup, flags=re.S)
    writer = f"<div class=info>By {('Mary Bell', 'John Ford', 'Rosa Diaz')[number % 3]}</div>"
    day = f"<div class=info>Posted on May {number % 27 + 1}, 2024</div>"
    whole = plain.replace('<div class="story-text-page">', f'{writer}<div class="story-text-page">')
    return whole.replace('<div class="side">', f'{day}<div class="side">')


def planned(markup: str, number: int) -> str:
    """The day stands above what holds headline and text, and the first lines of the text tell of another."""
    plan = f"<p>2019-{number % 12 + 1:02d}-07 16:30 to 00:50 (+1)</p>"
    whole = above(markup, number).replace("<div>World</div>", "").replace("</h1>", "</h1><h2>All on one day</h2>")
    return whole.replace("</p><p>", f"</p>{plan}<p>", 1)


def far_below(markup: str, number: int) -> str:
    """The day stands at the page's end, below a list of other stories."""
    plain = re.sub(r'<div class="meta">.*?</div>|<p>Published on.*?</p>', "", markup, flags=re.S)
    return plain.replace('<div id="footer">', f'<div>Published May {number % 27 + 1}, 2024</div><div id="footer">')


@pytest.mark.parametrize("change", [silent, stating, clocked, searched, busy, above, around, planned, far_below])
def test_dates_and_authors_are_those_of_a_first_page(change: Change) -> None:
    wrapper = learned(change)
    found, first = extract(page_of(33, change), wrapper=wrapper), extract(page_of(33, change))
    assert (found.published, found.authors, found.source) == (first.published, first.authors, first.source)


def test_writers_are_looked_for_outside_only_where_the_site_has_them_there() -> None:
    assert learned(around).rules.signed_outside
    assert not learned(silent).rules.signed_outside


def test_a_heading_that_all_pages_share_is_no_title() -> None:
    def sectioned(markup: str, number: int) -> str:
        title = markup.partition('<h1 class="headline">')[2].partition("</h1>")[0]
        plain = markup.replace(f"<title>{title} - The Daily Test</title>", "<title>World news</title>")
        return plain.replace(f'<h1 class="headline">{title}</h1>', f"<h1>World news</h1><div class=hd>{title}</div>")

    wrapper = learned(sectioned)
    assert wrapper.rules.title
    page = page_of(33, sectioned)
    title = page.text.partition("<div class=hd>")[2].partition("</div>")[0]
    assert extract(page, wrapper=wrapper).title == title


def headed(markup: str, number: int) -> str:
    """The headline stands inside the body's container."""
    title = markup.partition('<h1 class="headline">')[2].partition("</h1>")[0]
    heading = f'<h1 class="headline">{title}</h1>'
    return markup.replace(heading, "").replace('<div class="story-text">', f'<div class="story-text">{heading}')


@pytest.mark.parametrize("change", [lambda markup, _: markup, headed])
def test_the_body_is_looked_at_and_little_else(change: Change) -> None:
    page = page_of(33, change)
    around = learned(change).region(page)
    assert around is not None
    texts = [block.text for block in around.blocks]
    lines = article(33)[1]
    assert set(lines) <= set(texts)
    assert len(texts) < len(page.blocks) - 3


def test_tags_are_read_below_a_text_that_ends_with_short_cells() -> None:
    cells = "".join(f"<tr><td>{n}</td><td>{n} %</td></tr>" for n in range(9))
    tags = '<p>Tags: <a href="/tag/bridges">bridges</a>, <a href="/tag/rivers">rivers</a></p>'
    text = "<p>The council voted on Tuesday to close the old bridge until autumn.</p>"
    page = Page.parse(
        f"<body><div>{text}<table>{cells}</table></div>{tags}</body>".encode(), "https://daily.test/1.html"
    )
    walk = walked(page.by_tag["div"][0])
    region = Region(page, walk, walk.blocks)
    assert tags_of(region, region.kept, lambda: None) == ("bridges", "rivers")


def test_lines_of_a_script_with_many_marks_are_found_again() -> None:
    lines = [
        "रहीमाबाद गांव निवासी मोहम्मद तबरेज सितंबर को घर पर नहीं थे, इसी दौरान उनके घर में घुसकर चोरी की।",
        "छापेमारी टीम में थाना अध्यक्ष मनीषा कुमारी के अलावा अपर थाना अध्यक्ष प्रीति कुमारी, दरोगा राम सिंह आदि साथ में थे।",
    ]
    page = Page.parse("".join(f"<p>{line}</p>" for line in lines).encode(), "https://daily.test/1.html")
    assert [block.text for block in Located(page, "\n".join(lines))] == lines


def test_a_table_around_headline_and_text_is_none_of_the_texts() -> None:
    def in_cell(markup: str, number: int) -> str:
        plain = re.sub(r"<p>(.*?)</p>", r"\1<br><br>", markup).replace('<div class="story-text">', "")
        cell = plain.replace('<div class="story-text-page">', '<table><tr><td class="story-text-page">')
        return cell.replace('</div></div>\n    <div class="side">', '</td></tr></table><div class="side">')

    found = extract(page_of(33, in_cell), wrapper=learned(in_cell))  # numpy warned of an empty mean
    assert found.origin["body"].startswith("wrapper")
