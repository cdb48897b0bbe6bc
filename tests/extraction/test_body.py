"""Which blocks of a page are its article, from what the classifier says of them."""

from __future__ import annotations

import numpy as np
import pytest

from articlebot.extraction.generic.body import body_of, without_comments
from articlebot.extraction.generic.followers import followers, said_below
from articlebot.extraction.generic.gaps import with_gaps
from articlebot.extraction.generic.layers import without_layers
from articlebot.extraction.generic.leads import linked, summaries
from articlebot.page import Page


@pytest.mark.parametrize(
    ("lengths", "are_text"),
    [
        ((100, 100), False),  # an article and its comments
        ((250, 5000), False),  # however many there are
        ((100, 5000), True),  # a thread, whose first post is but a part of it
    ],
)
def test_comments_are_text_where_there_is_little_else(lengths: tuple[float, float], are_text: bool) -> None:
    chances = np.array([0.9, 0.9], dtype=np.float32)
    said = np.array([False, True])
    left = without_comments(chances, np.array(lengths, dtype=np.float32), said)
    assert (left[1] > 0.5) == are_text


@pytest.mark.parametrize("head", ["Comments (30)", "Leserkommentare", "التعليقات (30)"])
def test_one_paragraph_is_the_article_above_a_long_thread(head: str) -> None:
    text = "The council presented the budget for the coming year on Monday, and the response in the old town was mixed."
    said = "".join(
        f"<div><b>user{n}</b> <span>5 May 2024</span><p>I walked past the hall number {n} that evening, and many "
        f"were waiting outside for an hour. Nobody asked the {n} families who live there.</p></div>"
        for n in range(30)
    )
    markup = f"<title>Budget presented</title><body><div><h1>Budget presented</h1><div><p>{text}</p></div></div>"
    page = Page.parse(f"{markup}<h3>{head}</h3><div>{said}</div>".encode(), "http://d.test/1")
    assert [block.text for block in body_of(page).kept] == [text]


@pytest.mark.parametrize(
    ("stated", "are_text"),
    [
        ('<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>', True),
        ('<div itemscope itemtype="https://schema.org/DiscussionForumPosting"></div>', True),
        ("<div itemscope itemtype='http://schema.org/QAPage'></div>", True),
        (
            '<script type="application/ld+json">{"@type": "NewsArticle", "comment": "DiscussionForumPosting"}</script>',
            False,
        ),
        ("", False),
    ],
)
def test_of_what_states_that_it_is_a_thread_all_posts_are_text(stated: str, are_text: bool) -> None:
    opening = (
        "The council voted on Tuesday to close the old bridge for repairs, which will take until autumn {}, it said."
    )
    said = [" ".join(opening.format(n) for n in range(5)), *(f"No. {n} of us did not know." for n in range(4))]
    posts = "".join(
        f'<article id=p{n}><a href="/members/{n}">user{n}</a><div class="comment m-{n}"><div class=text>{text}</div>'
        f"<aside><div class=text><a href=/rules>Read the rules of house {n}</a></div></aside></div></article>"
        for n, text in enumerate(said)
    )
    page = Page.parse(
        f"<title>Bridge</title><body><h1>Bridge</h1>{stated}<main>{posts}</main>".encode(), "http://d.test/1"
    )
    body = body_of(page)
    assert [block.text for block in body.kept] == (said if are_text else said[:1])
    assert not are_text or body.confidence > 0.8


@pytest.mark.parametrize(
    ("head", "byline", "last", "is_text"),
    [
        ("<meta name=author content='Ann Lee'>", "", "<p>Ann Lee writes about bridges and other works.</p>", False),
        ("", "<p>By Ann Lee</p>", "<div><p>Ann Lee</p><p>Ann Lee covers the harbour for us.</p></div>", False),
        ("", "<p>记者：王小明</p>", "<p>王小明，长期关注城市与交通，现居海边，养有两只狗。</p>", False),
        ("", "<p>By Bo Li</p>", "<p>Ann Lee writes about bridges and lives by the sea.</p>", True),
        ("", "<p>By Ann Lee</p>", "<p>Ann Lee: Thank you for the talk about the bridge.</p>", True),
        ("", "<p>By Ann Lee</p>", "<p>Ann Lee, its treasurer, said so. “It is old,” conceded Bo Li.</p>", True),
    ],
)
def test_a_last_line_about_the_writer_is_no_text(head: str, byline: str, last: str, is_text: bool) -> None:
    line = "The council voted on Tuesday to close the old bridge for repairs, which will take until autumn {}, it said."
    text = "".join(f"<p>{line.format(n)}</p>" for n in range(9))
    markup = f"<title>Bridge</title>{head}<body><article><h1>Bridge</h1>{byline}{text}{last}</article>"
    kept = body_of(Page.parse(markup.encode(), "http://d.test/1")).kept
    assert len([block for block in kept if "council" not in block.text]) == is_text


@pytest.mark.parametrize("comments", [9, 20, 40])
def test_a_flash_above_a_long_thread_is_read_as_if_there_were_no_thread(comments: int) -> None:
    text = ["Jane White called the decision a mistake, while others were relieved.", "The vote is due on Thursday."]
    said = "".join(
        f"<div><div><b>user{n}</b> <span>18.08.26</span></div><p>According to a report from the spring, parts for bus "
        f"{n} were simply missing. Nobody asks the {n} people who live here.</p><a href='#r'>Reply</a></div>"
        for n in range(comments)
    )
    shown = "".join(f"<p>{line}</p>" for line in text)
    more = "".join(f"<li><a href='/{n}'>How the harbour town fights for bridge number {n}</a></li>" for n in range(5))
    markup = (
        f"<title>Hospital turns down the list</title><body><h1>Hospital turns down the list</h1><div>{shown}</div>"
        f"<h3>More on this</h3><ul>{more}</ul><h3>Comments ({comments})</h3><div>{said}</div>"
    )
    body = body_of(Page.parse(markup.encode(), "http://d.test/1"))
    assert [block.text for block in body.kept] == text
    assert body.confidence > 0.8


@pytest.mark.parametrize(
    "layer", ["role=dialog", "class=robots-nocontent", "role=alertdialog", "id=cookie-notice", "class=consent-layer"]
)
def test_what_lies_above_the_page_or_is_marked_as_no_content_is_no_text(layer: str) -> None:
    notice, text = "We store information on your device, as our partners do. " * 2, "The bridge closes on Monday. " * 9
    page = Page.parse(
        f"<body><div {layer}><div><p>{notice}</div></div><article><p>{text}</article>".encode(), "http://d.test/1"
    )
    assert [block.text for block in without_layers(page.blocks)] == [text.strip()]


@pytest.mark.parametrize("names", ["id=cookies", "class='post tag-consent'"])
def test_a_text_is_not_lost_in_a_layer(names: str) -> None:
    page = f"<body><p>Home</p><article {names}><p>{'Beat the butter with the sugar. ' * 9}</article>"
    assert len(without_layers(Page.parse(page.encode(), "http://d.test/1").blocks)) == 2


@pytest.mark.parametrize(
    ("head", "below"),
    [
        ("<h3>Comments (3)</h3>", 3),
        ("<div><h4>网友评论</h4></div>", 3),
        ("<p>Comments are now closed</p>", 3),
        ("<h3>Join the conversation</h3>", 3),
        ("<h3>发表评论</h3>", 3),
        ("<h3>Kommentar schreiben</h3>", 3),
        ("<p>Comments</p>", 0),
        ("<h3>Comments on the new bridge</h3>", 0),
    ],
)
def test_what_stands_below_a_heading_of_comments_is_said_by_readers(head: str, below: int) -> None:
    markup = f"<body><div><p>Text</p><section>{head}<p>Ann: So it is.<p>Bo: No.</section></div><p>Foot</body>"
    page = Page.parse(markup.encode(), "http://d.test/1")
    assert said_below(page.blocks).tolist() == [False, *([below > 0] * 3), False]


@pytest.mark.parametrize("holder", ["article", "div class='story wide'"])
def test_the_next_article_below_a_page_s_own_is_no_text_of_it(holder: str) -> None:
    def article(name: str) -> str:
        text = f"<p>{name} was opened again after two years of work on its walls and its roof, the council said.</p>"
        by = "<p>By Ann Lee, 5 May 2024</p>"
        return f"<{holder}><h1>{name}</h1>{by}<div>{6 * text}</div></{holder.split(maxsplit=1)[0]}>"

    bodies = f"{article('The bridge over the Arden')}<aside>{article('The harbour of Milford')}</aside>"
    head = "<title>The bridge over the Arden | Post</title>"
    page = Page.parse(f"{head}<main>{bodies}</main>".encode(), "http://n.test/a")
    kept = body_of(page).kept
    assert kept
    assert not any("Milford" in block.text for block in kept)
    # of a page that is called otherwise, none is its own
    other = Page.parse(f"<title>Latest news | Post</title><main>{bodies}</main>".encode(), "http://n.test/a")
    assert followers(other) == frozenset()


@pytest.mark.parametrize("heads", [("h1", "h2"), ("h2", "h2")])
def test_the_next_article_may_have_a_heading_of_another_rank(heads: tuple[str, str]) -> None:
    def article(name: str, head: str, day: str) -> str:
        text = f"<p>{name} was opened again after two years of work on its walls and its roof, the council said.</p>"
        return f"<article><{head}>{name}</{head}><p>By Ann Lee{day}</p><div>{6 * text}</div></article>"

    own = article("The bridge over the Arden", heads[0], ", 5 May 2024")
    title = "<title>The bridge over the Arden | Post</title>"
    for day, one in ((", 4 May 2024", True), ("", False)):
        other = article("The harbour of Milford", heads[1], day)
        page = Page.parse(f"{title}<main>{own}{other}</main>".encode(), "http://n.test/a")
        assert bool(followers(page)) is one


@pytest.mark.parametrize("title", ["The bridge over the Arden | Post", "Post"])
@pytest.mark.parametrize("holder", ["article", "div class='story wide'"])
@pytest.mark.parametrize(
    ("head", "one"),
    [
        ("<a href=/milford>The harbour of Milford</a>", True),
        ("<a href=#milford>The harbour of Milford</a>", False),  # to itself
        ("The harbour of <a href=/milford>Milford</a>", False),
    ],
)
def test_the_next_article_has_a_headline_that_leads_to_it(holder: str, head: str, one: bool, title: str) -> None:
    text = "<p>It was opened again after two years of work on its walls and its roof, the council of Arden said.</p>"
    tag = holder.split(maxsplit=1)[0]
    own = f"<{holder}><h1>The bridge over the Arden</h1><div>{3 * text}</div></{tag}>"
    other = f"<{holder}><h2>{head}</h2><div>{3 * text}</div></{tag}>"
    page = Page.parse(f"<title>{title}</title><main>{own}{other}</main>".encode(), "http://n.test/a")
    assert bool(followers(page)) is one


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize(("paragraphs", "href", "count"), [(3, "/milford", 2), (3, "/a", 0), (1, "/milford", 0)])
def test_the_next_article_may_be_an_element_unlike_the_page_s_own(
    paragraphs: int, href: str, count: int, nested: bool
) -> None:
    text = "<p>It was opened again after two years of work on its walls and its roof, the council of Arden said.</p>"
    own = f"<div class=story><h1>The bridge over the Arden</h1><div>{paragraphs * text}</div>"
    other = f"<article class=more><h2><a href={href}>The harbour of Milford</a></h2><div>{3 * text}</div></article>"
    body = f"{own}{2 * other}</div>" if nested else f"{own}</div>{2 * other}"
    page = Page.parse(f"<title>The bridge over the Arden</title>{body}".encode(), "http://n.test/a")
    assert len(followers(page)) == count


@pytest.mark.parametrize(
    ("items", "part"),
    [
        ("<li>Flour, 300 g</li><li>Two eggs</li>", True),
        ("<li>Flour, 300 g</li><li><a href=/eggs>Two eggs</a></li>", False),
        ("<li>Two eggs</li>", False),
    ],
)
@pytest.mark.parametrize("kept", [(), (2,)])
def test_a_list_without_links_between_two_lines_of_a_text_is_of_it(items: str, part: bool, kept: tuple[int]) -> None:
    said = "<p>Beat the butter with the sugar until it is white, and set it aside for an hour or two.</p>"
    page = Page.parse(f"<div>{said}<h3>What it takes</h3><ul>{items}</ul>{said}</div>".encode(), "http://d.test/1")
    chances = np.full(len(page.blocks), 0.15, dtype=np.float32)
    keep = np.array([block.text.startswith("Beat") or block.index in kept for block in page.blocks])
    last = len(page.blocks) - 1
    assert with_gaps(page.blocks, chances, keep.copy())[2:last].tolist() == [part or bool(one) for one in keep[2:last]]
    apart = Page.parse(f"<div><div>{said}</div><ul>{items}</ul><div>{said}</div></div>".encode(), "http://d.test/1")
    keep = np.array([block.text.startswith("Beat") for block in apart.blocks])
    assert with_gaps(apart.blocks, chances, keep.copy()).all() == (part or keep.all())


CARD = "<li><h3><a href=/{0}>The harbour of Milford is to have a wall {0}</a></h3><p>{1}</p></li>"
SAID = "The wall was opened again after two years of work on its stones and its roof, as the council of Milford said."


@pytest.mark.parametrize(
    ("cards", "chance", "below"),
    [
        (3, 0.5, True),
        (1, 0.5, False),  # one alone may be a section of the text
        (3, 0.85, False),  # a page of entries
    ],
)
def test_what_cards_below_a_text_say_of_other_articles_is_none_of_it(cards: int, chance: float, below: bool) -> None:
    listed = f"<ul>{''.join(CARD.format(number, SAID) for number in range(cards))}</ul>"
    page = Page.parse(f"<div><p>{SAID}</p><p>{SAID}</p></div>{listed}".encode(), "http://n.test/a")
    told = [block.tag == "p" for block in page.blocks]
    chances = np.array([0.9, 0.9, *[0.1, chance] * cards], dtype=np.float32)
    assert summaries(page.blocks, chances, told) == frozenset(range(3, 2 + 2 * cards, 2) if below else ())
    assert not summaries(page.blocks, chances, [True] * len(told))  # where the headlines are text, so are the cards
    within = Page.parse(f"<div><p>{SAID}</p>{listed}<p>{SAID}</p></div>".encode(), "http://n.test/a")
    told = [told[0], *told[2:], told[1]]
    chances = np.array([0.9, *[0.1, chance] * cards, 0.9], dtype=np.float32)
    assert summaries(within.blocks, chances, told) == frozenset(range(2, 1 + 2 * cards, 2) if below else ())
    short = Page.parse(f"<div><p>{SAID}</p>{listed.replace(SAID, 'On HGTV')}<p>{SAID}</p></div>".encode(), "")
    assert not summaries(short.blocks, chances, told)


@pytest.mark.parametrize(
    ("table", "chance", "part"),
    [
        ("<table><tr><td>Oslo<td>Bergen<td>2:1<tr><td>Molde<td>Bodø<td>0:3</table>", 0.2, True),
        ("<table><tr><td>Oslo<td>Bergen<td>2:1<tr><td>Molde<td>Bodø<td>0:3</table>", 0.1, False),
        ("<table><tr><td>Oslo<td>Bergen<td>2:1<tr><td>Molde<td><a href=/b>Bodø</a><td>0:3</table>", 0.3, False),
        ("</div><table><tr><td>Oslo<td>Bergen<td>2:1<tr><td>Molde<td>Bodø<td>0:3</table>", 0.3, False),
        ("<table><tr><td>Oslo<td>Bergen<td>2:1</table>", 0.3, False),
    ],
)
def test_a_table_right_behind_a_text_in_its_element_is_of_it(table: str, chance: float, part: bool) -> None:
    page = Page.parse(f"<body><div><p>{SAID}</p>{table}</div><p>Foot".encode(), "http://d.test/1")
    chances = np.full(len(page.blocks), chance, dtype=np.float32)
    keep = np.array([block.text == SAID for block in page.blocks])
    assert with_gaps(page.blocks, chances, keep).tolist() == [True, *[part] * (len(keep) - 2), False]


def test_a_box_of_the_same_class_that_says_no_day_is_a_section_of_the_text() -> None:
    row = "<div class=row><div class=col><h1>{}</h1><p>The council has told what comes next.</p></div></div>"
    rows = row.format("The bridge over the Arden") + row.format("What was said before")
    page = Page.parse(f"<title>The bridge over the Arden</title>{rows}".encode(), "http://n.test/a")
    assert followers(page) == frozenset()


@pytest.mark.parametrize(("kept", "left"), [((1,), ()), ((1, 2), (1, 2))])
def test_of_a_list_of_links_most_of_which_are_no_text_none_is(kept: tuple[int, ...], left: tuple[int, ...]) -> None:
    items = "".join(f"<li><a href=/{n}>The council closes bridge number {n}</a>" for n in range(3))
    page = Page.parse(f"<body><p>Before.</p><ul>{items}</ul><p>After.</p>".encode(), "http://d.test/1")
    keep = [block.text in ("Before.", "After.") or number in kept for number, block in enumerate(page.blocks)]
    assert linked(page.blocks, keep) == {page.blocks[number].index for number in kept} - {
        page.blocks[number].index for number in left
    }
