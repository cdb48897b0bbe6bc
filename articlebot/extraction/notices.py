"""Short pages that say something in place of an article: that one has to log in first, or that nothing is there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from articlebot.extraction.gone import GONE, SHORT
from articlebot.page.blocks import Block
from articlebot.page.metadata import article_nodes
from articlebot.page.page import Page

LITTLE = 500.0  # units of prose below which a page may be a wall or an advertisement
_MOST_TEXT = 4000.0  # units of all text of such a page
_MOST_FORM = 1000.0  # units of text beside a form that asks for a password, on a page that is nothing else
_WALL = re.compile(
    r"subscribe(?:rs)? (?:to|now to) (?:continue|read|keep)|(?:log|sign) ?in to (?:continue|read)|already a subscriber|"
    r"verify (?:that )?you are (?:a )?human|are you (?:a )?(?:human|robot)|enable (?:javascript|cookies)|"
    r"checking your browser|access (?:to this page has been )?denied|"
    r"unusual traffic|complete the (?:security check|captcha)|captcha|just a moment|ddos protection|"
    r"not available in your (?:country|region)|your request (?:was|has been) blocked|web application firewall|"
    r"(?:请|請)先?(?:登录|登錄|登入)|登录后(?:查看|阅读|继续)|访问验证|安全验证|人机验证|滑动(?:验证|滑块)|验证码|"
    r"访问过于频繁|(?:请求|访问)[^。\n]{0,12}被[^。\n]{0,8}(?:拦截|阻断)|订阅后(?:阅读|查看)|(?:开通|成为)会员.{0,6}(?:阅读|查看)|付费(?:阅读|内容)|"
    # of age and region: what asks or refuses, not what news say of such things
    r"(?:are you|you must be|you are|i am|i'm) (?:over|at least|of legal|older than|18|21)[^.!?\n]{0,30}"
    r"(?:age|years?|old|18|21|enter|\?)|(?:verify|confirm|enter) your (?:age|date of birth)|"
    r"[您你我](?:是否)?(?:已|必须|必須)?年?[满滿]\s?(?:18|十八)|(?:您|你)所在的?(?:国家|地区|区域|國家|地區|區域)|"
    r"未[满滿]\s?(?:18|十八)\s?[岁歲][^。\n]{0,20}(?:进入|進入|离开|離開|浏览|瀏覽|出示)|(?:18|20)歳(?:以上|未満)[^。\n]{0,8}(?:ですか|入場|閲覧)|"
    r"(?:만\s?)?19세\s?(?:이상|미만)[^.\n]{0,12}(?:이용|열람|입장|인증)|성인\s?인증|"
    r"仅限(?:中国)?(?:大陆|内地|境内)(?:用户|访问)|unavailable (?:for legal reasons|in your)|"
    r"(?:content|page|site|service) is (?:not |un|no longer )available (?:in|to|from) (?:your|users|visitors|readers)",
    re.I,
)


class Sizes(NamedTuple):
    """Units of a page's main prose and of all its text, and how many of its links look like news."""

    main: float
    text: float
    news_links: int = 0

    @property
    def are_little(self) -> bool:
        """Whether the page may be something else than an article or a list."""
        return self.main < LITTLE and self.text < _MOST_TEXT


def said(items: Sequence[Block]) -> str:
    """What a page of little text says."""
    return "\n".join(block.text for block in items[:200])[:6000]


def notice(
    page: Page, items: Sequence[Block], sizes: Sizes, *, says_article: bool
) -> tuple[Literal["wall", "other"], float] | None:  # fmt: skip
    """The kind of a page that has a notice in place of an article, with the confidence in it; None for any other.

    Args:
        page: the region around a text is enough, where a wrapper knows it; what stands elsewhere is on every page.
        items: its paragraphs.
        sizes: of the whole page.
        says_article: by its metadata or its template.
    """
    if not sizes.are_little:
        return None
    short = said(items)
    hits = len(_WALL.findall(short)) + len(_WALL.findall(page.title))
    if hits and sizes.text < 400 + 600 * hits and sizes.news_links < 15:
        return "wall", min(0.95, 0.6 + 0.15 * hits)
    if sizes.text < _MOST_FORM and sizes.news_links < 5 and not says_article and _asks_password(page):
        return "wall", 0.7
    gone = GONE.search(page.title) or (sizes.text < SHORT and GONE.search(short))
    return ("other", 0.9) if gone and not _states_when(page) else None


def _states_when(page: Page) -> bool:
    """Whether a page states when it was published: then something is there, and what was not found is its news."""
    dated = any(node.get("datePublished") for node in article_nodes(page.jsonld))
    return dated or "article:published_time" in page.meta


def _asks_password(page: Page) -> bool:
    """Whether a password is asked for in what is shown."""
    shown = {block.node.element for block in page.blocks if not block.node.hidden}
    return any(
        any(above in shown for above in element.iterancestors())
        for element in page.by_tag["input"]
        if element.get("type") == "password"
    )
