"""Links to other sites, collected once per page."""

from __future__ import annotations

import pytest

from articlebot.page.page import Page
from articlebot.relevance import Judge, Topic
from articlebot.seeds.mining import Miner, foreign_links

HTML = """<html><body><nav class="top"><a href="https://partner.com/">Partner</a></nav>
<div class="article"><p>As <a href="https://www.paper.com/news/1">the paper wrote about the harbour strike</a> and
<a href="/own">we</a> and <a href="https://sport.home.com/">sport</a> did.</p>
<a rel="nofollow" href="https://ads.com/">Ad</a><a href="http://10.0.0.1/">Router</a>
<a href="https://share.com/?u=https://www.home.com/a">Share</a><a href="http://[bad">x</a>
<a href="mailto:a@b.example">Mail</a><a href="//paper.com/">again</a></div></body></html>"""


def page(url="https://www.home.com/a", html=HTML):
    return Page.parse(html.encode(), url, "text/html")


def test_links_to_other_sites():
    found = foreign_links(page())
    assert [(link.site, link.url, link.frame) for link in found] == [
        ("partner.com", "https://partner.com/", True),
        ("paper.com", "https://www.paper.com/", False),
    ]


@pytest.mark.parametrize("html", ["", "\x00", "<a href>", "<a href='http://'>x</a>" * 50, "<a href='//'>",
    "<a href='http://a.com/\n/'>x</a>"])  # fmt: skip
def test_garbage_has_no_links(html):
    assert foreign_links(page(html=html)) == []


def test_a_page_of_many_links_is_bounded():
    html = "".join(f"<p><a href='http://s{n}.example/'>a</a></p>" for n in range(5000))
    assert len(foreign_links(page(html=html))) == 100


def test_a_page_is_read_once_and_a_source_told_once():
    miner = Miner(None)
    miner.leave_out(frozenset({"partner.com"}))
    miner.page(page())
    miner.page(page())
    miner.page(page("https://www.home.com/b"))
    (offer,) = miner.take()
    assert (offer.key, offer.source, offer.kind) == ("paper.com", "home.com", "site")
    miner.page(page("https://other.com/b", "<p><a href='https://paper.com/'>Paper</a></p>"))
    assert [(o.key, o.source) for o in miner.take()] == [("paper.com", "other.com")]
    miner.put_back([offer])
    assert len(miner) == 1


def test_relevance_to_the_topic_raises_a_candidate():
    judge = Judge(Topic("strike", keywords=("harbour", "strike", "dock")))
    html = HTML.replace('partner.com/">Partner', 'dull.com/">Cooking with onions').replace("nav", "p")
    miner = Miner(judge)
    miner.page(page(html=html), "Cooking", "Onions and leeks are fried. " * 20)
    weights = {offer.key: offer.weight for offer in miner.take()}
    assert weights["paper.com"] > 0.3 > 0.1 > weights["dull.com"]


def test_a_list_page_that_no_job_visits_is_a_candidate():
    miner = Miner(None)
    miner.page(page("https://www.home.com/sport/", "<p>x</p>"), list_links=30, text="Sport")
    miner.page(page("https://www.home.com/few/", "<p>x</p>"), list_links=2, text="Few")
    (offer,) = miner.take()
    assert (offer.key, offer.kind, offer.text) == ("https://www.home.com/sport/", "list", "Sport")
