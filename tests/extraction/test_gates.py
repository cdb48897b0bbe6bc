"""Gates before the rest of an article: told by words, by structure, by JSON-LD; and boxes that are none."""

from __future__ import annotations

import pytest

from articlebot.extraction.cascade import extract
from articlebot.extraction.gates import gate_of
from articlebot.extraction.place import Region
from articlebot.page import Page
from articlebot.page.walk import walked

ZH = "海港市议会昨晚经过长时间辩论通过了新桥建设方案，几位议员表示造价仍不确定，工程预计明年春天开始，居民担心噪音。"
EN = (
    "The council of the harbour town agreed on a new bridge after a debate that lasted until the evening, and several "
    "members said that the costs remain uncertain while the work should begin in the spring."
)
DE = (
    "Der Rat der Hafenstadt hat nach einer langen Debatte dem Bau einer neuen Brücke zugestimmt, mehrere Mitglieder "
    "nannten die Kosten ungewiss, die Arbeiten sollen im Frühjahr beginnen und zwei Jahre dauern."
)
UNFREE = '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": %s}</script>'
PART = (
    '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": "False", "hasPart": '
    '{"@type": "WebPageElement", "isAccessibleForFree": "False", "cssSelector": ".rest"}}</script>'
)


def page(text: str, after: str = "", *, paragraphs: int = 2, head: str = "", end: str = "") -> Page:
    body = "".join(f"<p>{n}. {text}</p>" for n in range(1, paragraphs)) + f"<p>{text}{end}</p>"
    html = (
        f"<!doctype html><html><head><meta charset=utf-8><title>Bridge</title>{head}</head><body>"
        f"<nav><a href=/>Home</a></nav>"
        f"<article><h1>A new bridge for the harbour</h1><div class=text>{body}</div>{after}</article>"
        "<footer><p>All rights reserved.</p></footer></body></html>"
    )
    return Page.parse(html.encode(), "http://a.example/2026/bridge.html", "text/html")


def gate(made: Page) -> str | None:
    return gate_of(made, extract(made).body)


def test_a_gate_above_what_is_said_of_the_author() -> None:
    about = "山田太郎は経済ジャーナリスト。地方紙記者を経て独立し、現在は各地の産業を取材している。"
    made = page(ZH, f"<div><p>この記事は有料会員限定です</p><p>残り 1,824文字</p></div><h4>著者</h4><p>{about}</p>")
    assert gate_of(made, f"1. {ZH}\n{ZH}\n{about}") == "subscription"
    assert gate_of(page(ZH, f"<p>{about}</p>"), f"1. {ZH}\n{ZH}\n{about}") is None


PRICED = (
    "<div class=box><h3>Weiterlesen</h3><p>9,90 € pro Monat</p><form><input name=m><input type=password></form></div>"
)


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (page(ZH, "<div><p>剩余80%内容，登录会员后阅读全文</p><a href=/in>立即登录</a></div>"), "subscription"),
        (page(ZH, "<div><p>登录后阅读全文</p></div>"), "login"),
        (page(ZH, "<p>本文为付费内容，<a href=/v>开通会员</a></p>"), "subscription"),
        (page(ZH, "<p>试读结束，购买后可阅读完整文章</p>"), "subscription"),
        (page(ZH, "<p>打开APP阅读全文</p>"), "login"),
        (page(ZH, "<p>還有 70% 的內容，訂閱後閱讀</p>", paragraphs=30), "subscription"),
        (page(ZH, "<div><p>この記事は会員限定です。</p><p>残り1,234文字（全文1,304文字）</p></div>"), "subscription"),
        (page(ZH, "<p>続きを読むには登録が必要です</p>"), "login"),
        (page(ZH, "<p>この記事はアメンバーさん限定です。</p>", paragraphs=0), "login"),
        (page(ZH, "<form><p>내용을 보시려면 비밀번호를 입력하세요.</p></form>", paragraphs=0), "login"),
        (page(EN, "<p>This content is password protected. To view it please enter your password below.</p>"), "login"),
        (page(ZH, "<p>로그인 후 기사 전문을 볼 수 있습니다</p>"), "login"),
        (page(EN, "<p>Subscribe to continue reading.</p><a href=/plans>See plans</a>"), "subscription"),
        (page(EN, "<div><p>To read the full story, log in or create a free account.</p></div>"), "login"),
        (page(EN, "<p>This article is for subscribers only.</p>"), "subscription"),
        (
            page(EN, "<p>Keep reading with a subscription</p><p>This story is for members.</p>", paragraphs=9),
            "subscription",
        ),
        (page(EN, "<p>Sign in to unlock this story</p>", paragraphs=3), "login"),
        (page(DE, PRICED, head=UNFREE % "false"), "login"),
        (page(DE, "<div class='article-paywall'><p>Weiter mit Plus für 1 €</p></div>"), "login"),
        (page(DE, "<div class='paywall-mask'></div><div class=b><p>1,00 €</p></div>", end=" Und dann …"), "login"),
        (page(DE, "<p>Dieser Beitrag ist nur für Abonnenten.</p>"), "subscription"),
        (page(DE, "<aside class=b-upgrade-cta>Det här inlägget är endast för prenumeranter</aside>"), "subscription"),
        (page(DE, "<p>Cet article est réservé aux abonnés</p>"), "subscription"),
        (page(DE, head=PART, after="<div class=rest></div><p>Abo abschließen für 2,99 €</p>"), "login"),
    ],
)  # fmt: skip
def test_a_beginning_before_a_gate_is_no_article(made, kind):
    assert gate(made) == kind
    within = Region(made, walked(next(one for one in made.by_tag["div"] if one.get("class") == "text")))
    assert gate_of(within, extract(made).body) == kind  # the gate stands behind what a wrapper looks at


def withheld(gate: str, *, paragraphs: int = 0) -> Page:
    """A page whose text is kept back, above teasers of other articles."""
    teasers = "".join(f"<article><h3><a href=/{n}>Other {n}</a></h3><p>{n}. {EN}</p></article>" for n in range(4))
    text = "".join(f"<p>{n}. {EN}</p>" for n in range(paragraphs))
    html = (
        f"<!doctype html><title>Bridge</title><main><article><h1>A new bridge for the harbour</h1><p>21 Nov 2026</p>"
        f"<section>{gate}{text}</section></article></main><section><h2>Read more</h2>{teasers}</section>"
    )
    return Page.parse(html.encode(), "http://a.example/bridge", "text/html")


LOCKED = "<aside class=cta><h2>This post is for subscribers only</h2><p><a href=#in>Sign in</a></p></aside>"
FIELD = "<div class=field><input type=password id=pass><label for=pass><span>%s</span></label></div>"


def test_teasers_below_a_gate_in_the_place_of_the_text_are_no_article() -> None:
    made = withheld(LOCKED)
    teasers = "\n".join(f"{n}. {EN}" for n in range(4))
    assert gate_of(made, teasers) == "subscription"
    assert gate_of(withheld("<p>Written for our members only.</p>"), teasers) is None
    shown = withheld(LOCKED, paragraphs=4)  # what is said above a text that is there keeps nothing back
    assert gate_of(shown, teasers) is None


def test_the_label_of_a_password_field_is_no_text() -> None:
    said = "Hey, password is required here."
    assert gate_of(withheld(FIELD % said), f"{said}\nCopyright: whoever copies this names its author.") == "login"
    own = f"<form>{'<p>' + EN + '</p>' * 1}<p>{EN}!</p><p>{EN}?</p>{FIELD % 'Password'}</form>"
    assert gate_of(withheld(own), f"{EN}\n{EN}!\n{EN}?") is None


def test_what_stands_behind_a_text_is_looked_at_no_further_than_is_asked():
    made = page(EN, "<p>One<b>two</b></p>three <i>four</i><p style='display:none'>five</p><ul><li>six<li>seven</ul>")
    within = Region(made, walked(made.by_tag["div"][0]))
    whole = [block.text for block in made.behind(made.blocks[3], 9)]
    assert whole == ["Onetwo", "three four", "five", "six", "seven", "All rights reserved."]
    assert [block.text for block in within.behind(within.blocks[-1], 9)] == whole
    assert [block.text for block in within.behind(within.blocks[0], 3)] == [f"{EN}", *whole[:2]]


@pytest.mark.parametrize(
    "made",
    [
        page(ZH, paragraphs=8),
        page(EN, paragraphs=8),
        page(EN),
        page(EN, "<p>Subscribe to continue reading.</p>", paragraphs=20),
        page(EN, "<p>Subscribe to continue reading.</p>", paragraphs=9),
        page(EN, "<form class=newsletter><p>Subscribe to our newsletter</p><input name=mail></form>"),
        page(EN, "<div class='subscribe-box'><p>Subscribe now for $1 a month</p></div>"),
        page(ZH, "<div class=comments><p>登录后发表评论</p><a href=/login>立即登录</a></div>"),
        page(ZH, "<ul><li><a href=/7>会員限定 港の新しい橋をめぐる議論</a></li></ul><p>会員登録はこちら</p>"),
        page(ZH, "<p>剩余20个名额，报名从速。</p>"),
        page(ZH, "<div><p>上一篇</p><p>调查说，20%的卖家想关掉店铺，还有7.7%的人想减少投入。</p></div>"),
        page(EN, "<aside><p>Already a subscriber? <a href=/login>Log in</a></p></aside>"),
        page(DE, head=UNFREE % '"True"'),
        page(DE, head=UNFREE % "false", paragraphs=4),
        page(DE, f"<div class=rest>{'<p>' + DE + '</p>' * 1}{'<p>' + DE + '!</p>'}{DE * 3}</div><p>2 €</p>", head=PART),
        page(EN, "<p style='display:none'>Subscribe to continue reading.</p>"),
        Page.parse(b"", "http://a.example/"),
    ],
)  # fmt: skip
def test_an_article_with_a_box_is_an_article(made):
    assert gate(made) is None
