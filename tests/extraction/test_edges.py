"""Lines that frame a text: credits and calls at its ends, captions below its pictures."""

# ruff: noqa: E501  lines of pages read best unbroken

from __future__ import annotations

import pytest

from articlebot.extraction.generic.body import body_of
from articlebot.extraction.generic.edges import edges
from articlebot.page.page import Page

ENGLISH = "The council voted on Tuesday to close the old bridge for repairs, which will take until the autumn."
CHINESE = "市议会周二投票决定关闭这座老桥进行维修，预计要到明年秋天才能重新开放，沿线居民表示理解。"
PICTURE = "<img src=/a.jpg width=800>"


def left(markup: str) -> list[str]:
    """The lines of a page, all taken for its text, without those that frame it."""
    page = Page.parse(f"<html><body>{markup}</body></html>".encode(), "http://n.test/1")
    odd = edges(page.blocks, page.pictures)
    return [block.text for block in page.blocks if block.index not in odd]


@pytest.mark.parametrize(
    "line",
    [
        "（责任编辑：王小明）", "(责编： 山水)", "编辑 | 李红", "文丨记者 罗芳 图丨记者 谢明", "来源：东港日报", "来源于 东港日报",
        "记者：徐琳 编辑：王芳 审核：刘强", "（经济观察报记者 周睿 实习生 郑一诺）", "（徐林、朱国兵 编译）", "（作者系东港大学教授）",
        "《人民日报》（2024年11月03日 第 04 版）", "本报记者授权发布，未经许可，任何单位不得转载本文内容。", "特别声明：以上内容仅代表作者本人的观点。",
        "长按识别二维码关注我们", "扫码下载“东港新闻”客户端，了解更多资讯", "点个“在看”，让更多人看到", "图片来自网络，侵删", "- END -", "阅读 1234 · 点赞 56 · 收藏 7",
        "关注公众号：东港财经", "分享到：", "本站内容仅供参考，不构成投资建议。沪ICP备13000000号",
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
    ],
)
def test_a_dateline_above_a_text_of_any_language(line: str) -> None:
    assert left(f"<p>{line}</p><p>{ENGLISH}</p><p>{ENGLISH}</p>") == [ENGLISH, ENGLISH]


@pytest.mark.parametrize(
    "line",
    [
        "© 2024 The Bay Courier. All rights reserved.", "Sign up for our newsletter to get stories like this.", "Follow the Courier on Facebook",
        "Additional reporting by Bo Li", "Contact Ann Lee at alee@courier.test", "(dpa/hb)", "Con información de Agencia", "SOURCE Northlight plc",
        "<a href=/x>Read more: the bridge in pictures</a>", "<i>Ann Lee is a reporter who covers the bay.</i>",
        "<i>(Reporting by Ann Lee; editing by Bo Li)</i>",
    ],
)  # fmt: skip
def test_notices_below_another_text(line: str) -> None:
    assert left(f"<p>{ENGLISH}</p><p>{ENGLISH}</p><p>{line}</p>") == [ENGLISH, ENGLISH]


LINES = [f"{ENGLISH} Those who live at its end number {n} say that they will go by boat until then." for n in range(4)]


def test_a_text_that_a_page_has_for_each_width_of_screen_is_read_once() -> None:
    text = "".join(f"<p>{line}</p>" for line in ["By boat", *LINES])
    assert left(f"<div class=desktop>{text}</div><div class=mobile>{text}</div>") == ["By boat", *LINES]


def test_what_a_text_says_twice_stays() -> None:
    lines = [*LINES, "Again:", LINES[0], *(line.replace("boat", "ferry") for line in LINES), LINES[1], LINES[2]]
    assert left("".join(f"<p>{line}</p>" for line in lines)) == lines


@pytest.mark.parametrize(
    "line",
    [
        "Advertisement",
        "ADVERTISEMENT - SCROLL TO CONTINUE",
        "Story continues below advertisement",
        "广告",
        "広告",
        "- Anzeige -",
    ],
)
def test_what_stands_where_an_advert_is(line: str) -> None:
    assert left(f"<p>{ENGLISH}</p><p>{CHINESE}</p><p>{line}</p>" + f"<p>{ENGLISH}</p>" * 9) == [
        ENGLISH,
        CHINESE,
        *[ENGLISH] * 9,
    ]


def test_a_line_set_apart_that_repeats_the_text_is_no_line_of_it() -> None:
    said = "“to close the old bridge for repairs, which will take until the autumn”"
    other = "<blockquote>Nobody had asked those who cross it each morning, the mayor said.</blockquote>"
    assert left(f"<p>{ENGLISH}</p><aside class=PullQuote><p>{said}</p></aside><p>{CHINESE}</p>") == [ENGLISH, CHINESE]
    assert left(f"<p>{ENGLISH}</p><blockquote>{said}</blockquote><p>{CHINESE}</p>") == [ENGLISH, CHINESE]
    assert len(left(f"<p>{ENGLISH}</p>{other}<p>{CHINESE}</p>")) == 3
    assert len(left(f"<p>{ENGLISH}</p><p>{said}</p><p>{CHINESE}</p>")) == 3  # a paragraph may say it again


@pytest.mark.parametrize(
    "line",
    [
        "Advertisement revenue fell by a third.", "广告收入下降了三成。", "扫码支付的市民越来越多。",
        "Contact with the trawler was lost at 3 a.m.", "Follow the river on the left bank.", "Copyright law was the subject of the debate.",
        "Ann Lee is a nurse and has lived here since 1990.", "记者获悉，大桥将于年底通车。", "编辑部的灯一直亮到天明。", "他说：未来可期。", "来源问题仍在调查之中。",
        "作者在书中写道，这座桥见证了一个时代。", "Sign up or stay silent, she told them.", "(Reporting by Ann Lee; editing by Bo Li)",
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


def test_the_numbers_beside_code_are_no_code() -> None:
    code = "<table><tr><td><pre>1<br>2</pre><td><pre>import redis<br>client = 2</pre></table>"
    assert left(f"<p>{ENGLISH}</p>{code}<p>{ENGLISH}</p>") == [ENGLISH, "import redis", "client = 2", ENGLISH]


@pytest.mark.parametrize("label", ["", "摘要: ", "【导读】"])
def test_a_summary_that_was_cut_out_of_the_text_is_none_of_it(label: str) -> None:
    assert left(f"<div>{label}{CHINESE[:30]} ...</div><p>{CHINESE}</p><p>{ENGLISH}</p>") == [CHINESE, ENGLISH]
    assert left(f"<div>{label}{ENGLISH[40:]}</div><p>{CHINESE}</p>")[0].endswith(ENGLISH[40:])


def test_a_text_of_nothing_else_is_left() -> None:
    assert left("<p>（责任编辑：王小明）</p>") == ["（责任编辑：王小明）"]


def test_code_between_paragraphs_is_text() -> None:
    figure = "<figure><pre><code>func main() {\n\tprint(1)\n}</code></pre></figure>"
    page = Page.parse(
        f"<html><body><article>{f'<p>{ENGLISH}</p>' * 3}{figure}{f'<p>{ENGLISH}</p>' * 3}</article>".encode(), ""
    )
    assert "func main() {\n\tprint(1)\n}" in [block.text for block in body_of(page).kept]


def test_a_summary_with_a_label_inside_that_repeats_the_beginning() -> None:
    first = "港口组图：老桥今秋封闭维修，导语：市议会周二投票决定关闭这座老桥进行维修，沿线居民表示理解并支持这一决定。"
    assert left(f"<p>核心提示：{CHINESE}</p><p>{CHINESE}</p><p>{first}</p>") == [CHINESE, first]
    assert left(f"<div>摘要: {first[:40]} ...</div><p>{first}</p><p>{CHINESE}</p>") == [first, CHINESE]


def test_a_line_of_links_below_a_text() -> None:
    hot = "".join(f"<a href=/{n}>老桥维修进展之{n}</a>" for n in range(4))
    assert left(f"<p>{CHINESE}</p><div>{hot}</div>") == [CHINESE]
    said = f"<p>{CHINESE}</p><p>参见{hot}，以及市议会和港口管理局就同一座老桥发表的其他各篇报道，都可以在本站的专题里找到。</p>"
    assert len(left(said)) == 2
