"""The words by which pages name their parts, in markup and in text.

None belongs to one site: class names are those that content systems share, phrases those that stand on news pages of
a language. What each is worth is learned (``benchmarks/train_blocks.py``), so a word that misleads costs little.
"""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from typing import Final

_STARTS = re.compile(r"\\b([a-z])(?![?*+{])")


def _compiled(pattern: str) -> re.Pattern[str]:
    """The pattern with the starts of words asked for behind their first letters.

    It matches the same: but where all alternatives begin with letters, the engine looks for these alone.
    """
    return re.compile(_STARTS.sub(r"\1(?<!\\w\1)", pattern))


# Parts of class and id values, lower-case. The order is the order of the features.
NAME_GROUPS: Final[dict[str, str]] = {
    "bodytext": r"(?:article|post|entry|story|main|body|news|page|text|blog)[-_]*(?:body|content|text|copy|detail|con\b)"
    r"|rich[-_]?text|markdown|prose|paragraph",
    "content": r"article|story|post|entry|text|content|body|detail|main",
    "nav": r"nav|menu|crumb|tabs?\b|pagina|pager|sitemap|top[-_]?bar|toolbar|masthead",
    "related": r"relat|recommend|more|also|popular|trend|most|latest|recent|hot|rank|teaser|list|feed|carousel|card|read[-_]?next",
    "social": r"shar(?:e|ing)|social|facebook|twitter|weixin|wechat|follow|sns",
    "comment": r"comment|disqus|repl(?:y|ies)|respond|discuss|pinglun|feedback",
    "advert": r"\bads?\b|\bad[-_]|-ads?\b|_ads?\b|advert|sponsor|banner|promo|partner|outbrain|taboola|\bgg\b",
    "byline": r"author|byline|date|time|meta|info|source|\btags?\b|categor|label|kicker|publish|editor|laiyuan|bio\b",
    "caption": r"caption|credit|photo|image|img|figure|gallery|\bpic|media|video|slide|zoom",
    "footer": r"foot|copyright|legal|disclaim|bottom|licen[cs]e",
    "sign_up": r"newsletter|subscri|sign[-_]?(?:up|in)|login|paywall|regist|\bform|search|cookie|consent|gdpr|modal|popup|overlay",
}
_NAMES: Final = [(group, _compiled(value).search) for group, value in enumerate(NAME_GROUPS.values())]


def name_groups(name: str) -> list[int]:
    """The places of the groups that a class or id belongs to."""
    return [group for group, search in _NAMES if search(name)]


# Phrases in short blocks.
_MONTHS: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
TEXT_GROUPS: Final[dict[str, str]] = {
    "copyright": r"©|\(c\) ?\d{4}|copyright|all rights reserved|版权|版權|著作權|转载|轉載|不得",
    "byline": r"^\W*(?:by|von|par|por|from|text|author|story)\b[ :]|^.{0,12}(?:作者|记者|記者|编辑|編輯|责编|校对|撰文|来源|來源|稿源|source|reporter)"
    r"|通讯员|special to|staff writer|correspondent|@[a-z]",
    "date": "|".join(rf"{digit}(?:\d{{3}} ?[-/年.] ?\d{{1,2}}|\d?:\d{{2}}| (?:{_MONTHS}))" for digit in "0123456789")
    + "".join(rf"|\b{month}[a-z]*\.? \d" for month in _MONTHS.split("|"))
    + r"|\bago\b|小时前|分钟前|小時前|updated|published|posted|发布|更新",
    "more": r"^\W*(?:read|related|see|more|continue|click|also|you may|recommend|previous|next|back|top|most|latest|tags?|topics?|filed|posted"
    r"|categories|mehr|lesen|lire|leer|watch|listen|view|go to|相关|相關|延伸|推荐|推薦|更多|点击|點擊|上一|下一|返回|阅读|閱讀|标签|標籤|关键|關鍵|热门|熱門|其他)",
    "share": r"\bshare|facebook|twitter|tweet|e-?mail|\bprint|whatsapp|weibo|linkedin|reddit|comment|repl(?:y|ies)\b|kommentar|微博|微信|分享|收藏"
    r"|评论|評論|讨论|留言|回复|回應|点赞|打印|列印|纠错|字号|字體|字体",
    "sign_up": r"subscri|sign ?up|newsletter|log ?in|register|download|\bapp\b|abonn|cookie|privacy|terms of|e-?paper|订阅|訂閱|登录|登入|注册|註冊|关注|扫码|下载"
    r"|二维码|客户端",
    "advert": r"advertis|sponsored|广告|廣告|anzeige|publicidad|publicité|werbung",
    "photo": r"\bphotos?\b|\bimages?\b|getty|reuters|\bap\b|\bafp\b|credit|\bpictured?\b|courtesy|foto|摄|攝|图[:：/]|圖[:：/]|资料图|資料照|图片|圖片|shutterstock",
    "notice": r"声明|聲明|免责|disclaimer|contributed to|reporting by|editing by|writing by|can be reached|contact|follow (?:him|her|us|me)|views expressed"
    r"|about the author|correction|本文|原标题|原標題|本报|本網|投稿|举报|联系",
}
TEXT_PATTERNS: Final = [_compiled(value) for value in TEXT_GROUPS.values()]
