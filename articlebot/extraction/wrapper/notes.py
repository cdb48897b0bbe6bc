"""Lines that stand inside an article's region without being its text, in the words sites everywhere use for them."""

from __future__ import annotations

import re

_NOTE = re.compile(
    r"[\[【(（]?(?:read(?: (?:more|also|next))?|related(?: (?:stories|articles|news|content|coverage|links?))?|"
    r"see also|also (?:read|see)|more|also|watch(?: (?:live|now|more))?|listen|videos?|(?:photo )?gallery|slideshow|"
    r"more (?:on|from)\b.{0,40}|don'?t miss|most (?:popular|read)|trending|recommended(?: for you| reading)?|"
    r"further reading|"
    r"in pictures|click here|sign up|subscribe|follow us|like us|photo(?:s| credit)?|image (?:credit|copyright|source)|"
    r"相关(?:新闻|阅读|报道|链接|专题|文章|推荐)|相關(?:新聞|閱讀|報導|連結|文章)|延伸(?:阅读|閱讀)|推荐(?:阅读|"
    r"新闻)|推薦閱讀|"
    r"更多(?:新闻|精彩|内容|阅读|新聞|內容)|[\[【(（]?(?:责任|責任|本文|文字|网络)?(?:编辑|編輯|责编|責編)|校对|"
    r"监制|审核|"
    r"(?:文章|稿件|新闻|本文)?来源|版权(?:声明|归)|免责声明|特别声明|声明)\s*[:：»>|]",
    re.I,
)
_MARK = re.compile(r"[:：»>|]")  # one of which ends each of them
_MAX_MARKED = 80
_NOTE_ALONE = re.compile(
    r"(?:(?:share|e-?mail|print|save|send)(?: (?:this|to a friend)(?: (?:story|article|page|post))?)?|"
    r"tweet|comments?|reply|advertisements?|sponsored|(?:\d{1,2}\s*+[|/]?\s*+)++(?:next\s*+)?[>»›]++|阅读(?:更多|原文|全文)|"
    r"story continues(?: below.{0,20})?|continue reading.{0,40}|image caption|image copyright.{0,40}|media caption|"
    r"related(?: (?:stories|articles|topics|content|links|news))?|read more|more|further reading|tags|topics|"
    r"loading\W*+|"
    r"facebook|twitter|linkedin|pinterest|reddit|whatsapp|digg|delicious|stumbleupon|google\+|"
    r"分享(?:到|至)?.{0,12}|打印(?:本页)?|收藏|关闭(?:窗口|本页)?|返回顶部|广告|廣告|点击(?:查看|进入).{0,12}|"
    r"上一(?:篇|页)|下一(?:篇|页)|回到首页|我要(?:评论|纠错)|复制链接|扫一扫.{0,20})[\s.:：|»]*\Z",
    re.I,
)
_BYLINE = re.compile(
    r"(?:by|BY|By)\s+(?:[A-Z][\w.'’-]*|[A-Z]{2,}|and|de|van|von|der|la|for|the|in|&|,|\|)"
    r"(?:[\s,]+(?:[A-Z][\w.'’-]*|and|de|van|von|der|la|for|the|in|of|&|\|)){0,9}\W*\Z"
)

# How the line below a picture begins or, with its credit, ends; of a paragraph of text only the last could.
_CAPTION = re.compile(
    r"\A\W{0,2}(?:图为|圖為|图[:：]|圖[:：]|资料图|資料照|[▲△])|"
    r"[(（\[]\s*(?:photo|image|picture|foto|bild|credit|图|圖)[^()（）\[\]]{0,60}[)）\]]\s*\Z|"
    r"\b(?:photo|image|picture|foto)s?\s*(?:by|courtesy(?: of)?|credit|[:：])\s*[^.。]{2,50}\Z|"
    r"[(（/|—–]\s*(?:[\w.]+[ /]){0,4}(?:Getty(?: Images)?|AFP|Reuters|AP(?: Photo)?|EPA|dpa|Shutterstock|视觉中国)"
    r"(?:[ /][\w.]+){0,4}[)）]?\s*\Z|"
    r"[\u4e00-\u9fff]\s?(?:摄|攝|供图|供圖)[)）】]?\s*\Z",
    re.I,
)
_MAX_CAPTION = 400


def is_caption(line: str) -> bool:
    """Whether a line right below a picture says what it shows or whose it is, rather than going on with the text."""
    return len(line) <= _MAX_CAPTION and _CAPTION.search(line) is not None


def is_note(line: str) -> bool:
    """Whether a line only points elsewhere, credits a picture or names an editor."""
    if len(line) > 160:
        return False
    marked = _MARK.search(line, 0, _MAX_MARKED) is not None and _NOTE.match(line) is not None
    return marked or (len(line) <= 60 and _NOTE_ALONE.match(line) is not None)


def is_byline(line: str) -> bool:
    """Whether a line at an article's head only says who wrote it."""
    return len(line) <= 90 and _BYLINE.match(line) is not None
