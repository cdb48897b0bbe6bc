"""Lines that frame a text: credits and calls at its ends, captions below its pictures."""

# ruff: noqa: E501  lines of pages read best unbroken

from __future__ import annotations

import numpy as np
import pytest

from articlebot.extraction.generic.body import body_of, without_bylines
from articlebot.extraction.generic.edges import edges
from articlebot.extraction.generic.gaps import with_gaps, with_wholes
from articlebot.page.page import Page

ENGLISH = "The council voted on Tuesday to close the old bridge for repairs, which will take until the autumn."
CHINESE = "市议会周二投票决定关闭这座老桥进行维修，预计要到明年秋天才能重新开放，沿线居民表示理解。"
PICTURE = "<img src=/a.jpg width=800>"


def left(markup: str) -> list[str]:
    """The lines of a page, all taken for its text, without those that frame it."""
    page = Page.parse(f"<html><body>{markup}</body></html>".encode(), "http://n.test/1")
    odd = edges(page.blocks, page.pictures, (*page.by_tag["audio"], *page.by_tag["input"]))
    return [block.text for block in page.blocks if block.index not in odd]


@pytest.mark.parametrize(
    "line",
    [
        "（责任编辑：王小明）", "(责编： 山水)", "编辑 | 李红", "文丨记者 罗芳 图丨记者 谢明", "来源：东港日报", "来源于 东港日报",
        "原标题：去世时，他的妻子和小女儿守候在身边", "（原標題：大橋通車！市民：等了十年）",
        "记者：徐琳 编辑：王芳 审核：刘强", "（经济观察报记者 周睿 实习生 郑一诺）", "（徐林、朱国兵 编译）", "（作者系东港大学教授）",
        "《人民日报》（2024年11月03日 第 04 版）", "本报记者授权发布，未经许可，任何单位不得转载本文内容。", "特别声明：以上内容仅代表作者本人的观点。",
        "长按识别二维码关注我们", "扫码下载“东港新闻”客户端，了解更多资讯", "点个“在看”，让更多人看到", "图片来自网络，侵删", "- END -", "阅读 1234 · 点赞 56 · 收藏 7",
        "关注公众号：东港财经", "分享到：", "责任编辑：", "[东港网 来源：东港日报]", "浏览次数：", "关键词：大桥，海湾", "（獨家推薦：下載《東港》App 緊貼最新消息）", "■记者 王丽　通讯员 陈强", "利好 0 利空 0", "相关阅读：",
        "相关阅读：</p><p><a href=/b>东港大桥今日通车</a>", "=====</p><p>相關新聞：</p><p><a href=/b>東港大橋通車</a></p><p><a href=/c>市府表示感謝</a>",
        "<a href=/b>东港大桥今日通车</a></p><p>09:30 <a href=/c>沿线居民对此表示欢迎并感谢各方的努力</a></p><p>本站内容仅供参考，不构成投资建议。沪ICP备13000000号", "本站内容仅供参考，不构成投资建议。沪ICP备13000000号",
    ],
)  # fmt: skip
def test_credits_and_calls_below_a_chinese_text(line: str) -> None:
    assert left(f"<p>{CHINESE}</p><p>{CHINESE}</p><p>{line}</p>") == [CHINESE, CHINESE]


@pytest.mark.parametrize(
    "line",
    [
        "เผยแพร่: 24 พฤศจิกายน 2567 เวลา 08:30 น. โดย: กองบรรณาธิการ",
        "نشر: ٢ كانون الثاني ٢٠٢٤ - ١٥:٠٤",
        "Diperbarui: 2024-11-24, 08:30 WIB",
        "发布者：教导处 发布时间：2026-11-3 8:05:12 阅读：209次",
        "วันที่ลงข่าว : 24 พฤศจิกายน 2569 เวลา 09.41 น. อ่าน 142 ครั้ง",
        "发表于 2024-11-24 | 4100 分类于 桥梁 | 浏览 次",
        "更新于2024年11月24日",
    ],
)
def test_a_dateline_above_a_text_of_any_language(line: str) -> None:
    assert left(f"<p>{line}</p><p>{ENGLISH}</p><p>{ENGLISH}</p>") == [ENGLISH, ENGLISH]


@pytest.mark.parametrize(
    "line",
    [
        "© 2024 The Bay Courier. All rights reserved.", "Sign up for our newsletter to get stories like this.",
        "Have a tip? Write to tips@bay.example.", "Got a great story or photo? Get in touch.", "Haben Sie einen Hinweis? Schreiben Sie uns.", "Follow the Courier on Facebook",
        "Additional reporting by Bo Li", "Contact Ann Lee at alee@courier.test", "(dpa/hb)", "Con información de Agencia", "SOURCE Northlight plc",
        "Source: The Bay Courier", "###", "# # #", "-30-",
        "To contact the reporter on this story: Ann Lee in Ashby at alee@courier.test", "--Editors: Ann Lee, Bo Li",
        "<a href=/x>Read more: the bridge in pictures</a>", "<i>Ann Lee is a reporter who covers the bay.</i>",
        "<i>(Reporting by Ann Lee; editing by Bo Li)</i>", "이한솔 기자 hansol@times.test",
        "저작권자 © 한강일보 무단전재 및 재배포 금지", "From Small Hours. Reprinted with the permission of the author.",
        "This article was printed from: http://x.test/a?id=4411", "This story originally appeared in <i>The Bay Courier</i>.",
        "This essay was first published by The Bay Courier and is republished with permission.",
        "Thank you for reading. If you liked this, <a href=/s>subscribe</a>.", "Get each morning's stories in your inbox.",
        "Topics: Labor, Farming, Science", "Filed under: Bay, Bridges", "TAGS: bay, bridges", "Mots-clés : baie, ponts",
        "<b>यह भी पढ़ें: <a href=/b>नई बस सेवा की शुरुआत</a></b>", "Читайте также:</p><p><a href=/b>Мост открыт</a>",
    ],
)  # fmt: skip
def test_notices_below_another_text(line: str) -> None:
    assert left(f"<p>{ENGLISH}</p><p>{ENGLISH}</p><p>{line}</p>") == [ENGLISH, ENGLISH]


LINES = [f"{ENGLISH} Those who live at its end number {n} say that they will go by boat until then." for n in range(4)]


def test_a_text_that_a_page_has_for_each_width_of_screen_is_read_once() -> None:
    text = "".join(f"<p>{line}</p>" for line in ["By boat", *LINES])
    assert left(f"<div class=desktop>{text}</div><div class=mobile>{text}</div>") == ["By boat", *LINES]


def test_a_day_of_which_a_text_speaks_stays() -> None:
    line = "发表于2024年11月24日的一项研究认为，这座桥还能使用二十年。"
    assert left(f"<p>{line}</p><p>{CHINESE}</p>") == [line, CHINESE]


def test_a_copy_of_what_is_shown_is_no_line_where_it_is_not_or_on_some_screens_alone() -> None:
    for away in ("style=display:none", "class=mobile-only", "aria-hidden=true class=x"):
        copy = f"<div {away}><p>{ENGLISH}</p><p>{LINES[0]}</p></div>"
        assert left(f"{copy}<p>{ENGLISH}</p><p>{CHINESE}</p>") == [LINES[0], ENGLISH, CHINESE]
    both = f"<div class='hidden md:block'>{ENGLISH}</div><div class='block md:hidden'>{ENGLISH}</div>"
    assert left(f"{both}<p>{CHINESE}</p>") == [ENGLISH, CHINESE]
    refrain = f"<div class=desktop-8><p>{ENGLISH}</p><p>{CHINESE}</p><p>{ENGLISH}</p></div>"
    assert left(refrain) == [ENGLISH, CHINESE, ENGLISH]
    assert left(f"<div class=overflow-hidden><p>{ENGLISH}</p></div><p>{ENGLISH}</p>") == [ENGLISH, ENGLISH]


def test_what_a_text_says_twice_stays() -> None:
    lines = [*LINES, "Again:", LINES[0], *(line.replace("boat", "ferry") for line in LINES), LINES[1], LINES[2]]
    assert left("".join(f"<p>{line}</p>" for line in lines)) == lines


@pytest.mark.parametrize(
    "line",
    [
        "Advertisement",
        "ADVERTISEMENT - SCROLL TO CONTINUE",
        "Story continues below advertisement",
        "(Article continues below)",
        "Continue reading below",
        "Weiterlesen nach der Anzeige",
        "Der Artikel wird nach der Anzeige fortgesetzt",
        "La suite après la publicité",
        "El artículo continúa después de la publicidad",
        "Artikel gaat verder onder de advertentie",
        "广告之后继续阅读",
        "広告の後に続きます",
        "广告",
        "広告",
        "- Anzeige -",
        "Advertisement: save 20% today",
        "广告：今日立减20元",
        "Advertisement<a href=/o>A plan for new tyres</a>",
        "広告<a href=/o>旧車の売却</a>",
        "SEE ALSO: <a href=/b>Old bridge to close for repairs</a>",
        "【相关报道】<a href=/b>老桥将关闭维修</a>",
        "<a href=/app>Download our app for more stories</a>",
        "<a href=/app>打开APP查看更多</a>",
        "<span style='display:none'>0.723115</span>",
    ],
)
def test_what_stands_where_an_advert_is(line: str) -> None:
    assert left(f"<p>{ENGLISH}</p><p>{CHINESE}</p><p>{line}</p>" + f"<p>{ENGLISH}</p>" * 9) == [
        ENGLISH,
        CHINESE,
        *[ENGLISH] * 9,
    ]


@pytest.mark.parametrize(
    "line",
    [
        "11548 次阅读 · 335 条评论", "2,340 views · 12 comments", "当前在线人数：3120", "Readers online now: 6578",
        "页面生成时间：2026-11-30 09:46:30", "Page generated: 30 November 2026 09:46:30", "收听本文 2分钟",
        "Listen to this article 5 min", "2026-11-27 07:16 161 人赞", "2026-11-26 阅读：85256 568 人赞",
        "read 4,311 times", "4.311 mal gelesen", "Gelesen: 833 · Kommentare: 9", "lu 36 fois", "leído 36 veces", "28 visualizzazioni", "43 leituras · 2 comentários",
        "Просмотров: 21", "閲覧 337・コメント 2", "5회 읽음", "27 مشاهدة", "35 बार पढ़ा गया", "อ่าน 864 ครั้ง", "Lượt xem: 178", "阅读 406 次",
        "Redaktion: Ann Lee", "Edición: Ana Ruiz", "Редактор: Анна Ли", "編集：藤井 恵子", "บรรณาธิการ: อิ่ม ประภา",
    ],
)  # fmt: skip
def test_what_is_counted_or_made_with_the_page_stands_at_an_end(line: str) -> None:
    text = [ENGLISH, CHINESE, *[ENGLISH] * 9]
    lines = "".join(f"<p>{one}</p>" for one in text)
    assert left(f"<p>{line}</p>{lines}") == text
    assert left(f"{lines}<p>{line}</p>") == text


@pytest.mark.parametrize(
    "line", ["Lu 3 livres", "12 comments were read out.", "Edición: la casa, 1998.", "3 visites guidées"]
)
def test_a_number_of_other_things_at_an_end_is_the_texts(line: str) -> None:
    assert left(f"<p>{ENGLISH}</p><p>{ENGLISH}</p><p>{line}</p>") == [ENGLISH, ENGLISH, line]


@pytest.mark.parametrize("name", ["— Ann Lee", "(Ann Lee)"])
def test_a_last_line_that_is_its_writers_name(name: str) -> None:
    text = f"<p>{ENGLISH}</p>" * 3
    assert left(f"{text}<p>{name}</p>") == [ENGLISH] * 3
    assert left(f"{text}<blockquote>{CHINESE}</blockquote><p>{name}</p>") == [ENGLISH] * 3 + [CHINESE, name]


@pytest.mark.parametrize("label", ["إعلان", "विज्ञापन", "โฆษณา", "Quảng cáo"])
def test_the_label_of_an_advert_in_other_scripts(label: str) -> None:
    assert left(f"<p>{ENGLISH}</p><p>{label}</p><p>{ENGLISH}</p>") == [ENGLISH, ENGLISH]


def test_words_against_copying_are_no_part_of_a_line() -> None:
    hidden = "<font class=jammer>x7fQ2</font><span style='display: none'>, copied from a.example</span>"
    more = f"<span style='display:none'>{CHINESE}{CHINESE}</span>"  # which a click shows
    assert left(f"<p>{ENGLISH[:40]}{hidden}{ENGLISH[40:]}</p><p>{CHINESE}{more}</p>") == [ENGLISH, CHINESE * 3]


@pytest.mark.parametrize("heading", ["<h2>Harbours{}</h2>", "<div class=mw-heading><h2>Harbours</h2>{}</div>"])
def test_mediawikis_links_to_edit_a_section_are_no_part_of_its_heading(heading: str) -> None:
    edit = "<span class=mw-editsection><span>[</span><a href='/w/index.php?action=edit&section=1'>编辑</a><span>]</span></span>"
    assert left(f"<p>{ENGLISH}</p>{heading.format(edit)}<p>{ENGLISH}</p>") == [ENGLISH, "Harbours", ENGLISH]


def test_what_a_text_hides_until_a_click_is_much_of_it() -> None:
    more = f"<div style='display:none'><p>{CHINESE}</p></div>"
    assert left(f"<p>{ENGLISH}</p>{more}") == [ENGLISH, CHINESE]
    assert left(f"<p>{ENGLISH}</p>" * 12 + more) == [ENGLISH] * 12


def test_a_line_set_apart_that_repeats_the_text_is_no_line_of_it() -> None:
    said = "“to close the old bridge for repairs, which will take until the autumn”"
    other = "<blockquote>Nobody had asked those who cross it each morning, the mayor said.</blockquote>"
    assert left(f"<p>{ENGLISH}</p><aside class=PullQuote><p>{said}</p></aside><p>{CHINESE}</p>") == [ENGLISH, CHINESE]
    assert left(f"<p>{ENGLISH}</p><blockquote>{said}</blockquote><p>{CHINESE}</p>") == [ENGLISH, CHINESE]
    assert len(left(f"<p>{ENGLISH}</p>{other}<p>{CHINESE}</p>")) == 3
    assert len(left(f"<p>{ENGLISH}</p><p>{said}</p><p>{CHINESE}</p>")) == 3  # a paragraph may say it again


def test_a_short_chinese_quote_is_as_long_as_one_of_twice_as_many_letters() -> None:
    said = "沿线居民表示理解这个决定。"
    assert left(f"<p>{CHINESE[:-1]}。{said}</p><blockquote>{said}</blockquote><p>{ENGLISH}</p>")[1:] == [ENGLISH]


@pytest.mark.parametrize("line", ["div", "div class=css-pl6", "section"])
def test_a_sentence_said_again_in_another_kind_of_element_is_a_pulled_quote(line: str) -> None:
    said = "Nobody had asked those who cross it each morning, the mayor said."
    text = f"<p>{ENGLISH}</p><p>{CHINESE}</p><p>{ENGLISH[:40]} again. {said} It will be done in the night.</p>"
    closed = line.partition(" ")[0]
    assert len(left(f"<p>{ENGLISH}</p><{line}>{said}</{closed}>{text}")) == 4
    assert len(left(f"<p>{ENGLISH}</p><{line}>{said[:-1]}</{closed}>{text}")) == 5  # a label, a heading
    assert len(left(f"<p>{ENGLISH}</p><{line}>It was the mayor who said it.</{closed}>{text}")) == 5
    assert len(left(f"<ul><li>{said}</ul>{text}")) == 4  # a summary


@pytest.mark.parametrize(
    "line",
    [
        "Google's advertising continues to fall", "The show continues after the ads, they said.", "The path continues below the bridge.",
        "Advertisement revenue fell by a third.", "广告收入下降了三成。", "Advertisement: a word that has lost its meaning.",
        "Download our app for a map of the route.", "340 likes, and no answer.", "扫码支付的市民越来越多。",
        "Contact with the trawler was lost at 3 a.m.", "Follow the river on the left bank.", "Copyright law was the subject of the debate.",
        "Ann Lee is a nurse and has lived here since 1990.", "记者获悉，大桥将于年底通车。", "编辑部的灯一直亮到天明。", "他说：未来可期。", "来源问题仍在调查之中。",
        "Topics: one has been left out.", "关键词：信任。", "作者在书中写道，这座桥见证了一个时代。", "Sign up or stay silent, she told them.", "Have a story to tell? So had all of them.", "Got a boat? The harbour is open.", "(Reporting by Ann Lee; editing by Bo Li)",
    ],
)  # fmt: skip
def test_a_text_says_such_words_too(line: str) -> None:
    assert left(f"<p>{ENGLISH}</p><p>{CHINESE}</p><p>{line}</p>")[-1] == line


@pytest.mark.parametrize(
    "below",
    [
        "<p>图为建设中的大桥</p>", "<p>▲大桥夜景。图/视觉中国</p>", "<p>航拍大桥。通讯员 孙海涛 摄</p>", "<p>新桥（设计单位供图）</p>",
        "<p style='text-align:center'>建设中的大桥</p>", "<p>The bridge at night (Photo: Ann Lee)</p>", "<p>The bridge at night. Photo by Ann Lee</p>",
        "<p>The bridge at night. PHOTO: CONTRIBUTED</p>", "<p>The bridge at night / Getty Images</p>", "<p>Image caption, the bridge at night</p>",
    ],
)  # fmt: skip
def test_a_line_below_a_picture_is_its_caption_by_its_form(below: str) -> None:
    assert left(f"<p>{ENGLISH}</p><p>{PICTURE}</p>{below}<p>{CHINESE}</p>") == [ENGLISH, CHINESE]
    # without the picture it is a line
    assert len(left(f"<p>{ENGLISH}</p>{below}<p>{CHINESE}</p>" + f"<p>{CHINESE}</p>" * 9)) == 12


def test_what_holds_a_picture_and_a_line_holds_its_caption() -> None:
    held = f"<div class=img_wrapper>{PICTURE}<span>芯片生产线</span></div>"
    assert left(f"<p>{CHINESE}</p>{held}<p>{CHINESE}</p>") == [CHINESE, CHINESE]


@pytest.mark.parametrize(
    "held",
    [
        f"<div>{PICTURE}<div>The mayor on the bridge</div></div>", f"<div>{PICTURE}<p>The mayor on the bridge</p></div>",
        f"<div class=css-1a2><div>{PICTURE}</div><div class=css-9>The mayor on the bridge</div></div>",
        f"<div>{PICTURE}<small>The mayor on the bridge.</small></div>",
    ],
)  # fmt: skip
def test_a_line_alone_with_a_picture_in_an_element_is_its_caption_without_any_name(held: str) -> None:
    text = f"<p>{ENGLISH}</p>" * 3
    assert left(f"{text}{held}<p>{CHINESE}</p>") == [*[ENGLISH] * 3, CHINESE]
    told = held.replace("The mayor on the bridge", CHINESE)
    assert len(left(f"<p>{ENGLISH}</p>{told * 3}")) == 4  # a story told in pictures


def test_the_numbers_beside_code_are_no_code() -> None:
    code = "<table><tr><td><pre>1<br>2</pre><td><pre>import redis<br>client = 2</pre></table>"
    assert left(f"<p>{ENGLISH}</p>{code}<p>{ENGLISH}</p>") == [ENGLISH, "import redis", "client = 2", ENGLISH]


@pytest.mark.parametrize("label", ["", "摘要: ", "【导读】"])
def test_a_summary_that_was_cut_out_of_the_text_is_none_of_it(label: str) -> None:
    assert left(f"<div>{label}{CHINESE[:30]} ...</div><p>{CHINESE}</p><p>{ENGLISH}</p>") == [CHINESE, ENGLISH]
    assert left(f"<div>{label}{ENGLISH[40:]}</div><p>{CHINESE}</p>")[0].endswith(ENGLISH[40:])


def test_a_summary_of_a_text_that_begins_with_a_quotation_is_none_of_it() -> None:
    first = f"“{CHINESE[:40]}，”他说，{CHINESE}"
    assert left(f"<div>摘要：{first[:50]}</div><p>{first}</p><p>{ENGLISH}</p>") == [first, ENGLISH]


def test_a_text_of_nothing_else_is_left() -> None:
    assert left("<p>（责任编辑：王小明）</p>") == ["（责任编辑：王小明）"]


def test_code_between_paragraphs_is_text() -> None:
    figure = "<figure><pre><code>func main() {\n\tprint(1)\n}</code></pre></figure>"
    page = Page.parse(
        f"<html><body><article>{f'<p>{ENGLISH}</p>' * 3}{figure}{f'<p>{ENGLISH}</p>' * 3}</article>".encode(), ""
    )
    assert "func main() {\n\tprint(1)\n}" in [block.text for block in body_of(page).kept]


def test_what_is_read_out_above_each_paragraph_is_no_text_and_what_is_read_out_once_is() -> None:
    label = '<div class="visually-hidden">Article content</div>'
    below = f"<p>{ENGLISH} Again.</p><div class=sr-only>All therapists are licensed and have met us.</div>"
    assert left(f"{label}<p>{ENGLISH}</p>{label}{below}") == [
        ENGLISH, f"{ENGLISH} Again.", "All therapists are licensed and have met us.",
    ]  # fmt: skip


def test_a_summary_with_a_label_inside_that_repeats_the_beginning() -> None:
    first = "港口组图：老桥今秋封闭维修，导语：市议会周二投票决定关闭这座老桥进行维修，沿线居民表示理解并支持这一决定。"
    assert left(f"<p>核心提示：{CHINESE}</p><p>{CHINESE}</p><p>{first}</p>") == [CHINESE, first]
    assert left(f"<div>摘要: {first[:40]} ...</div><p>{first}</p><p>{CHINESE}</p>") == [first, CHINESE]


def test_a_line_of_links_below_a_text() -> None:
    hot = "".join(f"<a href=/{n}>老桥维修进展之{n}</a>" for n in range(4))
    assert left(f"<p>{CHINESE}</p><div>{hot}</div>") == [CHINESE]
    said = f"<p>{CHINESE}</p><p>参见{hot}，以及市议会和港口管理局就同一座老桥发表的其他各篇报道，都可以在本站的专题里找到。</p>"
    assert len(left(said)) == 2


def test_what_a_card_says_of_another_article_is_no_text() -> None:
    card = '<a href="/b{0}"><div>前一篇</div><div>{1}</div></a>'
    whole = CHINESE * 3
    assert left(f"<p>{CHINESE}</p>{card.format(1, whole)}{card.format(2, whole + ENGLISH)}") == [CHINESE]
    # A link that was not closed holds the text; one in a paragraph is the paragraph's.
    assert left(f"<a href=/top><p>{whole}</p><p>{ENGLISH + whole}</p></a>") == [whole, ENGLISH + whole]
    assert left(f"<p>{ENGLISH}</p><p><a href=/b>{whole}</a></p>") == [ENGLISH, whole]
    assert left(f"<p>{CHINESE}</p><p>文章链接: http://n.test/2026/11/03/post/</p>") == [CHINESE]
    box = "<li>标题: 旧桥<li>创建于 : 2026-08-13 04:03:00<li>更新于 : 2026-08-22 07:03:00<li>链接: https://n.test/2026/post/"
    assert left(f"<p>{CHINESE}</p><ul>{box}</ul>") == [CHINESE]
    box = "<li>Post link: https://n.test/2026/post/<li>Created at : 2026-08-13 04:03:00"
    assert left(f"<p>{ENGLISH}</p><ul>{box}</ul>") == [ENGLISH]
    assert left(f"<p>{ENGLISH}</p><p>Link: https://n.test/a is what she wrote.</p>") != [ENGLISH]


@pytest.mark.parametrize(
    "head", ["<h4><a href=/{0}>Old mill opens</a></h4>", "<a href=/{0}><h4>Old mill opens</h4></a>"]
)
def test_the_cards_below_a_flash_are_no_text(head: str) -> None:
    cards = "".join(f"{head.format(n)}<p>{ENGLISH[n:]}</p>" for n in (1, 2))
    assert left(f"<p>{CHINESE}</p>{cards}") == [CHINESE]
    long = [f"{ENGLISH} {ENGLISH}"] * 2
    assert left(f"<p>{long[0]}</p><p>{long[1]}</p>{cards}")[-1] == ENGLISH[2:]


@pytest.mark.parametrize(
    "box",
    [
        "<div><h4>Quote of the day</h4><p>He who builds a bridge has two banks.</p></div>",
        "<div><p>每日一句</p><p>架桥的人有两岸。</p></div>",
        "<div><div>Zitat des Tages</div><div>Wer eine Brücke baut, hat zwei Ufer.</div><div>Ann Lee</div></div>",
        "<div>DAX 18,412.35 +0.42% NASDAQ 16,220.10 -0.31% Gold 2,041.70 +0.12% EUR/USD 1.0854 -0.05%</div>",
        "<div><div>IBEX 35 10.112,40 +0,42%</div><div>Oro 2.041,70 -0,12%</div></div>",
        "<p>上证指数 3,012.35 +0.42% 恒生指数 17,041.70 -0.12%</p>",
        "<aside><h3>Live</h3><ul><li><time>13:28</time> Ferry late<li>13:10 Market open</ul></aside>",
        "<div><div>Liveticker</div><div>13.28 Fähre verspätet</div><div>13.10 Markt offen</div></div>",
    ],
)
def test_what_a_page_shows_of_the_day_is_no_text(box: str) -> None:
    text = f"<p>{ENGLISH}</p>" * 6
    assert left(f"<article>{text}{box}{text}</article>") == [ENGLISH] * 12


@pytest.mark.parametrize(
    "line",
    [
        "<p>The index gained 3.2% to 18,412.35, after -0.31% the day before.</p>", "<p>Gold 2,041.70 +0.12%</p>",
        "<table><tr><td>Gold 2,041.70 +0.12%<tr><td>DAX 18,412.35 +0.42%</table>", "<h2>Quote of the day</h2>",
        "<p>13:28</p>", "<table><tr><td>13:28<td>The gate breaks<button>Share</button></table>",
        "<div><h3>The night of the flood</h3><p>13:28 The gate breaks.</p><p>13:40 The bells ring.</p></div>", "<h3>Live</h3>",
    ],
)  # fmt: skip
def test_what_a_text_says_of_prices_and_days_stays(line: str) -> None:
    text = f"<p>{ENGLISH}</p>" * 6
    assert len(left(f"<article>{text}{line}{text}</article>")) > 12


def test_a_small_form_that_asks_for_an_address_is_no_text_and_a_page_in_a_form_is() -> None:
    call = f"<h3>The long read, every Sunday</h3><p>{ENGLISH[:60]}, in your inbox.</p><input type=email><button>Go</button>"
    text = f"<p>{ENGLISH}</p>" * 3
    page = Page.parse(f"<html><body><form><article>{text}<form>{call}</form>{text}</article></form>".encode(), "")
    inner = Page.parse(f"<html><body><article>{text}<div><form>{call}</form></div>{text}</article>".encode(), "")
    assert "inbox" not in " ".join(block.text for block in body_of(inner).kept)
    beside = f"<div><div><p>{ENGLISH[:60]}, in your inbox.</p></div><form><input type=email></form></div>"
    boxed = Page.parse(f"<html><body><article>{text}{beside}{text}</article>".encode(), "")
    assert "inbox" not in " ".join(block.text for block in body_of(boxed).kept)
    assert len(body_of(page).kept) >= 6


@pytest.mark.parametrize(
    "box",
    [
        "<div><h3>Every Sunday</h3><p>The long read, in your inbox.</p></div><form><input name=email></form>",
        "<div><p>The long read, every Sunday.</p></div><form><input type=text placeholder='Your e-mail'></form>",
        "<h4>Close the bridge?</h4><form><ul><li><label><input type=radio name=a>Yes</label></li><li><label><input type=radio name=a>No, "
        "never</label></li></ul><p>41 votes</p></form>",
        "<p>Close the bridge?</p><div><label><input type=radio name=a>Yes</label><br><label><input type=radio name=a>No</label></div>",
        "<p>What we do costs money. Help us with a gift.</p><a href=/donate>Give now</a>",
        "<p><strong>Support the Courier.</strong> Its readers pay for it. <a href=/donate>Give today</a>.</p>",
        "<h2>Read on</h2><p>The first month costs one euro.</p><a href='https://n.test/de/abo/?from=7'>Subscribe</a>",
        "<p>A machine reads this aloud.</p><audio src=/a.mp3></audio>",
        "<span role=button>Send</span><span role=button>Copy the link</span>",
        "<button>Listen</button><span>23:10</span><span>1x</span>",
        "<div><button>Play</button></div><p>0:00 / 1:23:10</p>",
    ],
)
def test_what_asks_a_reader_for_something_in_the_middle_of_a_text_is_none_of_it(box: str) -> None:
    lines = "".join(f"<p>{line}</p>" for line in LINES)
    assert left(f"<article>{lines}<div class=css-1>{box}</div><p>{ENGLISH}</p></article>") == [*LINES, ENGLISH]


@pytest.mark.parametrize(
    "call",
    [
        "Get the day’s top stories in your inbox every morning.",
        "Subscribe to the Morning Brief, our daily newsletter",
        "关注我们的公众号，每天获取最新消息",
    ],
)
def test_a_call_to_subscribe_that_has_an_element_of_its_own_is_no_line_of_the_text_in_any_place(call: str) -> None:
    above, below = ("".join(f"<p>{line} {n}</p>" for line in LINES for n in some) for some in ((1, 2), (3, 4)))
    assert call not in left(f"<article>{above}<div class=css-1><p>{call}</p></div>{below}</article>")
    assert call in left(f"<article>{above}<p>{call}</p>{below}</article>")


@pytest.mark.parametrize(
    "part",
    [
        "<div><h3 role=button aria-expanded=false>Who pays for it?</h3></div>",
        "<div><p>The fund asks for <a href=/donate>gifts</a> in the square.</p><p>They say that it is enough.</p></div>",
        "<p>The fund asks for <a href=/donate>gifts</a> in the square.</p>",
        "<ul><li><input type=checkbox> Close the bridge</li><li><input type=checkbox> Repair it</li></ul>",
        "<p>Get off the bridge, it said: that is in your inbox.</p>",
    ],
)
def test_what_only_looks_like_a_box_for_readers_is_text(part: str) -> None:
    lines = "".join(f"<p>{line}</p>" for line in LINES)
    whole = f"<article>{lines}{part}<p>{ENGLISH}</p></article>"
    assert left(whole) == [block.text for block in Page.parse(whole.encode(), "").blocks]


@pytest.mark.parametrize(
    "box",
    [
        "<p class=ad-slot>{}</p>", "<p class='x advertisement'>{}</p>", "<div class=advertisement><p>{}</p><p>{}</p></div>",
        "<aside class=promo><p>{}</p></aside>", "<div id=inline_ad_3><p>{}</p></div>", "<div class=GuangGao><p>{}</p></div>",
        "<div class=article-advert><p>{}</p></div>", "<div class=zone-pub><p>{}</p></div>", "<p>Sponsored: {}</p>", "<p>广告：{}</p>",
    ],
)  # fmt: skip
def test_an_advertisement_that_is_called_so_is_no_text(box: str) -> None:
    said = "The new Dunmere 4 is here. It drives from the island to the coast and back, and costs little."
    assert left(_around(box.replace("{}", said))) == [*LINES, ENGLISH]


@pytest.mark.parametrize(
    "box",
    [
        "<p class=before-ad>{}</p>", "<p class=has-ads>{}</p>", "<p class=pub-text>{}</p>", "<p class=adaptive>{}</p>", "<div class=ad-free><p>{}</p></div>",
        "<p>Print: {}</p><p>Sponsored: {}</p>", "<h2>Sponsored: {}</h2>", "<div class=promo><p>" + "</p><p>".join(f"In week {n} {{}}" for n in range(12)) + "</p></div>",
    ],
)  # fmt: skip
def test_a_text_whose_names_speak_of_advertisements_beside_it_or_lie_is_kept(box: str) -> None:
    markup = _around(box.replace("{}", "The fund pays for the ferry. It asks the council for as much again, and more."))
    assert left(markup) == [block.text for block in Page.parse(markup.encode(), "").blocks]


def _around(part: str) -> str:
    return f"<article>{''.join(f'<p>{line}</p>' for line in LINES)}{part}<p>{ENGLISH}</p></article>"


def test_a_heading_right_above_a_line_of_the_text_is_text() -> None:
    markup = f"<article><p>{ENGLISH}</p><h2>The ferry</h2><p>{ENGLISH}</p><h2><a href=/1>More</a></h2><p>{ENGLISH}</p><h2>Notes</h2>"
    blocks = Page.parse(f"<html><body>{markup}</article>".encode(), "").blocks
    keep = with_gaps(blocks, np.array([0.9, 0.2, 0.9, 0.2, 0.9, 0.2], np.float32), np.array([True, False] * 3))
    assert keep.tolist() == [True, True, True, False, True, False]
    keep = with_gaps(blocks, np.array([0.9, 0.01, 0.9, 0.2, 0.9, 0.2], np.float32), np.array([True, False] * 3))
    assert not keep[1]


@pytest.mark.parametrize(
    ("between", "kept"),
    [
        ("<p><strong>The ferry</strong></p>", True),
        ("<div class=css-1a>The ferry</div>", True),
        ("<p>The ferry</p>", False),
        ("<p><strong>The ferry sails again.</strong></p>", False),
        ("<div class=css-1a><a href=/b>The ferry</a></div>", False),
        ("<img src=/a.jpg><p><strong>The ferry</strong></p>", False),
        ("<div><div class=css-1a>The ferry</div></div>", False),
    ],
)
def test_a_few_words_in_bold_or_in_another_element_between_two_paragraphs_are_a_heading(
    between: str, kept: bool
) -> None:
    markup = f"<p>{ENGLISH}</p>{between}<p>{ENGLISH}</p>"
    blocks = Page.parse(f"<html><body><article>{markup}</article>".encode(), "").blocks
    keep = with_gaps(blocks, np.array([0.9, 0.35, 0.9], np.float32), np.array([True, False, True]))
    assert keep.tolist() == [True, kept, True]
    assert not with_gaps(blocks, np.array([0.9, 0.25, 0.9], np.float32), np.array([True, False, True]))[1]


def test_the_heads_of_a_tables_columns_are_text_where_its_rows_are() -> None:
    table = "<table><tr><th>Rank<th>Town<tr><td>1<td>Osterby</table>"
    blocks = Page.parse(f"<html><body>{table}<p>{ENGLISH}</p>{table}</body></html>".encode(), "").blocks
    chances = np.array([0.2, 0.2, 0.9, 0.9, 0.9, 0.2, 0.2, 0.2, 0.2], np.float32)
    assert with_gaps(blocks, chances, chances > 0.5).tolist() == [True] * 5 + [False] * 4


@pytest.mark.parametrize(
    "line",
    [
        "<b>LÆS OGSÅ: <a href=/b>Skippere kræver hjælp</a></b>",
        "<em>Read more: </em><a href=/b>Who owns the bridge?</a>",
        "Leia também:</p><ul><li><a href=/b>A ponte de 1742</a></li><li><a href=/c>Obra atrasou</a></li></ul><p>",
        "Leer más: <a href=/b>El puente de 1742</a>",
        "À lire : <a href=/b>Le pont de 1742</a>",
        "Leggi di più: <a href=/b>Il ponte del 1742</a>",
        "더 보기: <a href=/b>다리 공사가 늦어지고 있다</a>",
        "อ่านต่อ: <a href=/b>สะพานเก่าปิดซ่อม</a>",
        "ये भी पढ़ें: <a href=/b>बांध के रास्ते पर जाम से कैसे बचें</a>",
        "<a href=/b>RELATED STORY: Footbridge repair could cost more</a>",
        "請繼續往下閱讀...",
        "1 / 2</p><p>2 / 2",
    ],
)
def test_what_leads_on_in_the_middle_of_a_text(line: str) -> None:
    others = [f"{ENGLISH} That is what number {n} of the twelve who wrote to the town says." for n in range(9)]
    assert left(f"<p>{ENGLISH}</p><p>{line}</p>" + "".join(f"<p>{x}</p>" for x in others)) == [ENGLISH, *others]


@pytest.mark.parametrize(
    "line", ["See also:", "(Related reading: <a href=/b>what data is</a>.)", "Read more about it: I did."]
)
def test_what_a_text_says_of_other_texts_stays(line: str) -> None:
    assert len(left(f"<p>{ENGLISH}</p><p>{line}</p>" + f"<p>{ENGLISH}</p>" * 9)) == 11


@pytest.mark.parametrize(
    ("foot", "left_over"),
    [
        ("<p>Posted by:</p><p>Ann Lee</p><p><a href='/blog/'>Return to blog</a></p>", ""),
        ("<p>Posted by:</p><p>Ann Lee</p><p>Bo Reed</p>", ""),
        ("<p>作者：</p><p>陈思远</p>", ""),
        (f"<h4>About the author</h4><p>Ann Lee has lived beside the bridge for thirty years. {ENGLISH}</p>", ""),
        ("<p>关于作者</p><p>陈思远从事桥梁报道十五年，现居东港。</p>", ""),
        ("<p><a href='/blog/'>Back to list</a></p>", ""),
        ("<p><a href='/blog/'>« 返回列表</a></p>", ""),
        ("<hr><a href='../'>back</a>", ""),
        ("<p><a href='/'>返回</a></p>", ""),
        ("<p><a href='/b'>Back home</a></p>", "Back home"),
        ("<p>Back</p>", "Back"),
        ("<p>Written by Ann Lee, MA</p><p>Photo: Bo Li</p>", ""),
        ("<p>Text: Anna Groß; Fotos: Jan Meer</p><p><a href='/b'>Das Wetter der Woche</a></p>", "Das Wetter der Woche"),
        ("<p>By the bay</p>", "By the bay"),
        ("<p>Photo: taken from the air</p>", "Photo: taken from the air"),
        ("<p>Back to school they went</p>", "Back to school they went"),
    ],
)
def test_who_wrote_and_the_way_back_are_no_text(foot: str, left_over: str) -> None:
    page = Page.parse(f"<body><h1>T</h1>{5 * f'<p>{ENGLISH}</p>'}{foot}</body>".encode(), "http://n.test/1")
    kept = [block for block in page.blocks if block.tag != "h1"]
    kept = without_bylines(kept)
    odd = edges(kept, page.pictures)
    assert "".join(block.text for block in kept[5:] if block.index not in odd) == left_over


def test_links_to_lists_by_tag_below_a_text_are_none_of_it_however_few() -> None:
    text = f"<p>{ENGLISH}</p><p>{CHINESE}</p>"
    assert left(f'{text}<p><a href="/tags/trade/">trade</a></p>') == [ENGLISH, CHINESE]
    assert left(f'{text}<p><a href="/tags/tq/">天气</a> <a href="/tags/ny/">能源</a></p>') == [ENGLISH, CHINESE]
    for elsewhere in ("/2026/trade/", "a://["):
        assert left(f'{text}<p><a href="{elsewhere}">trade</a></p>')[-1] == "trade"


GUTTER = "<figure><table><tr><td><pre>1<br>2<br></pre><td><pre>let a = 1<br>}<br></pre></table></figure>"


@pytest.mark.parametrize(
    ("markup", "chances", "kept"),
    [
        ("<pre>let a = 1</pre>", [0.2], [True]),
        ("<pre><code><div>let a = 1</div><div>}</div></code></pre>", [0.2, 0.05], [True, True]),
        (GUTTER, [0.05, 0.05, 0.2, 0.05], [True] * 4),  # the numbers are cut as such
        ("<pre>let a = 1</pre>", [0.02], [True]),
        ("<div>rust<pre>let a = 1</pre></div>", [0.4, 0.2], [True, True]),  # the label is cut where it is one
        ("<p>Tags: code</p><pre>let a = 1</pre>", [0.02, 0.2], [False, False]),
        ("</div><pre>let a = 1</pre><div>", [0.2], [False]),  # apart from the text
        ("<ul><li>One<li>Two</ul>", [0.4, 0.4], [False, False]),
    ],
)
def test_code_right_behind_the_last_line_is_text(markup: str, chances: list[float], kept: list[bool]) -> None:
    blocks = Page.parse(f"<html><body><div><p>{ENGLISH}</p>{markup}</div></body></html>".encode(), "").blocks
    of_all = np.array([0.9, *chances], np.float32)
    assert with_gaps(blocks, of_all, of_all > 0.5).tolist() == [True, *kept]


@pytest.mark.parametrize(
    ("cells", "chances", "kept"),
    [
        # the numbers of a table whose words are text, an item that looks like none, tables of which half and less is text
        ("<table><tr><td>Sound<td>8/10<tr><td>Price<td>6/10</table>", [0.9, 0.3, 0.9, 0.3], [1, 1, 1, 1]),
        ("<ul><li>Flour<li>Salt<li>Two eggs<li>Milk<li>Rye</ul>", [0.9, 0.9, 0.9, 0.9, 0.2], [1, 1, 1, 1, 1]),
        ("<table><tr><td>Sound<td>8/10<tr><td>Price<td>6/10</table>", [0.9, 0.9, 0.3, 0.3], [1, 1, 1, 1]),
        ("<table><tr><td>Sound<td>8/10<tr><td>Price<td>6/10</table>", [0.9, 0.3, 0.3, 0.3], [0, 0, 0, 0]),
        ("<table><tr><td><a href=/a>Sound</a><td>8/10</table>", [0.9, 0.3], [1, 0]),
        (f"<table><tr><td>Sound<td>{ENGLISH}</table>", [0.9, 0.3], [1, 0]),
    ],
)
def test_a_table_or_list_of_whose_words_nearly_all_are_text_is_text(
    cells: str, chances: list[float], kept: list[int]
) -> None:
    blocks = Page.parse(f"<html><body>{cells}</body></html>".encode(), "").blocks
    likely = np.array(chances, np.float32)
    assert with_wholes(blocks, likely, likely > 0.5).tolist() == kept


def test_a_list_of_which_the_first_items_are_text_is_text() -> None:
    items = "<li>One<li>Two<li><a href=/2>Three</a>"
    blocks = Page.parse(f"<html><body><p>{ENGLISH}</p><ul>{items}</ul></body></html>".encode(), "").blocks
    chances = np.array([0.9, 0.6, 0.4, 0.4], np.float32)
    assert with_gaps(blocks, chances, chances > 0.5).tolist() == [True, True, True, False]


def test_lines_of_code_that_are_elements_are_text_between_lines_of_it() -> None:
    markup = f"<p>{ENGLISH}</p><pre><code><div>let a = 1</div></code></pre><p>{ENGLISH}</p>"
    blocks = Page.parse(f"<html><body>{markup}</body></html>".encode(), "").blocks
    chances = np.array([0.9, 0.2, 0.9], np.float32)
    assert with_gaps(blocks, chances, chances > 0.5).all()


@pytest.mark.parametrize(("column", "left_over"), [("1\n2\n3", []), ("7\n8", []), ("42\n17", ["42\n17"])])
def test_a_column_of_line_numbers_in_one_piece_is_no_text(column: str, left_over: list[str]) -> None:
    code = f"<table><tr><td><pre>{column}</pre><td><pre>let a = 1</pre></table>"
    assert left(f"<p>{ENGLISH}</p>{code}") == [ENGLISH, *left_over, "let a = 1"]


@pytest.mark.parametrize(
    ("around", "label", "kept"), [("language-python box", "Python", []), ("language-python", "Output", ["Output"])]
)
def test_the_label_that_tells_the_language_of_code_is_no_text(around: str, label: str, kept: list[str]) -> None:
    code = f'<div class="{around}"><span class="lang">{label}</span><pre><code>let a = 1</code></pre></div>'
    assert left(f"<p>{ENGLISH}</p>{code}<p>{ENGLISH}</p>") == [ENGLISH, *kept, "let a = 1", ENGLISH]


def test_a_column_of_line_numbers_is_no_text_where_its_first_are_not() -> None:
    code = "<table><tr><td><pre>1<br>2<br>3<br></pre><td><pre>let a = 1<br>42<br></pre></table>"
    page = Page.parse(f"<html><body><p>{ENGLISH}</p>{code}</body></html>".encode(), "http://n.test/1")
    kept = [block for block in page.blocks if block.text not in ("1", "2")]
    odd = edges(kept, page.pictures)
    assert [block.text for block in kept if block.index not in odd] == [ENGLISH, "let a = 1", "42"]


@pytest.mark.parametrize(
    "line",
    [
        "Riproduzione riservata © Copyright Agenzia", "Tous droits réservés.", "Źródło: PAP", "Kaynak: AA", "Quelle: Stadt Lindau",
        "Foto: Pressestelle", "Published 27 November 2023", "Πηγή: ΑΠΕ-ΜΠΕ", "انتهای پیام/", "#мост #порт",
    ],
)  # fmt: skip
def test_rights_sources_and_the_day_below_a_text(line: str) -> None:
    assert left(f"<p>{ENGLISH}</p><p>{ENGLISH}</p><p>{line}</p>") == [ENGLISH, ENGLISH]


def test_a_text_may_name_a_source_or_a_photo_in_a_sentence() -> None:
    lines = [ENGLISH, "Fonte: uma palavra antiga. Hoje ninguém a diz.", "Photo: what a word. She never took one again."]
    assert left("".join(f"<p>{line}</p>" for line in lines)) == lines


def test_a_name_in_brackets_signs_a_japanese_text() -> None:
    text = (
        "市議会は木曜日の夜、長い議論の末、老朽化した港の橋を2028年春までに全面的に架け替える案を賛成多数で可決した。"
    )
    lines = [text, text[10:], text[20:], text[30:]]
    assert left("".join(f"<p>{line}</p>" for line in (*lines, "【佐藤健一】"))) == lines


@pytest.mark.parametrize("times", [1, 3])
def test_a_day_with_its_time_below_a_summary_is_none_of_the_text(times: int) -> None:
    when = "27. November 2023 – 0{}:05 Uhr | Lesezeit: 2 Min. | dpa/lby"
    entries = "".join(f"<p>{when.format(one)}</p><p>{ENGLISH * 2} {one}</p>" for one in range(times))
    page = Page.parse(f"<html><body><p>{ENGLISH * 2}</p>{entries}<p>{ENGLISH}".encode(), "http://n.test/1")
    kept = [block.text for block in without_bylines(page.blocks)]
    assert (when.format(0) in kept) is (times > 1)  # the entries of a running story keep theirs


@pytest.mark.parametrize("behind", ["", PICTURE, "<p><a href=/b>Ferry to run again</a></p>"])
def test_a_text_ends_in_no_heading_but_above_a_picture(behind: str) -> None:
    lines = [f"{ENGLISH} {part}" for part in ("So it was said.", "It is the second time.", "Trade has grown.")]
    page = Page.parse(
        f"<html><body>{''.join(f'<p>{line}</p>' for line in lines)}<h3>The writer</h3>{behind}</body></html>".encode(),
        "http://n.test/1",
    )
    odd = edges(page.blocks[:4], page.pictures)
    kept = [block.text for block in page.blocks[:4] if block.index not in odd]
    assert kept == (lines if behind != PICTURE else [*lines, "The writer"])


@pytest.mark.parametrize("end", ["<h3>Ferries</h3><h3>Bridges</h3>", "<h3>Two bridges are to be built.</h3>"])
def test_a_text_may_end_in_headings_that_are_its_text(end: str) -> None:
    lines = [f"{ENGLISH} {part}" for part in ("So it was said.", "It is the second time.", "Trade has grown.")]
    assert left("".join(f"<p>{line}</p>" for line in lines) + end)[:3] == lines
    assert len(left("".join(f"<p>{line}</p>" for line in lines) + end)) == 3 + end.count("<h3>")
