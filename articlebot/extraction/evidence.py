"""What a page's text says of its kind: how much prose stands together, and what stands around it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from articlebot.page import Page
from articlebot.page.blocks import Block, Node
from articlebot.page.text import fold

_MOST_LINKED = 0.1  # of the characters of an article's sections
_DAY = re.compile(r"(?:19|20)\d\d\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,2}")
_DAY_LINE = 60  # characters
_SECTION_LEVELS = 2  # elements above a section's prose up to the one that holds all sections
_FEW_TEASERS = 3  # headings that are links, as entries of a blog's front have
# Units of a headline, more than most names of sections have; characters of a line that tells the day; blocks above a
# headline, and below it down to its text.
_LEAST_HEADLINE, _MOST_DATELINE, _MOST_ABOVE, _MOST_BETWEEN = 24, 120, 80, 5
# What stands above each post of a thread: of an article's own line and a comment's there are two.
_POSTED = re.compile(r"(?:(?:发表|發表|回复|回覆|发布)[于於]|楼主|樓主|\bposted\b|\bwrote:|投稿日)", re.I)
# "by wrench » Sat Nov 28, 2026 3:04 PM", "By: wrench on Nov. 28, 2026", which articles have, too.
_BY = re.compile(
    r"\W{0,4}(?:by|von|par|por|da):?\s[^\s»,•·–-][^»,•·–-]{0,40}?(?:[»,•·–-]|\s(?:on|am|le|el|il)\s)", re.I
)
_LEAST_POSTS = 3
# Where a forum's page says in which forum it is, and what those are called to which nobody but the site itself posts.
_CRUMBS = re.compile(r"crumb|linktree|navigate_section|navbit|(?<![\w-])pt(?![\w-])", re.I)
_OF_NEWS = re.compile(
    r"\bnews\b|announc|press|ankündigung|neuigkeit|nachricht|noti[czs]|annonce|actualit|новост|объявлен|公告|新闻|新聞|资讯|資訊|"
    r"お知らせ|ニュース|공지", re.I
)  # fmt: skip
# The line that says where a page stands, "Home > Products > …", and what is called so that a site offers or says of
# itself. A menu in one line has more parts.
_STEPS, _MOST_STEPS, _MOST_BEFORE = re.compile(r"\s?[>»›→]\s?"), 4, 40
_AGO = re.compile(r"\d\s?(?:分钟|小时|天|日|minutes?|mins?|hours?|hrs?|days?)\s?(?:之?前|ago)")
_OF_ITSELF = frozenset(
    "产品中心 产品展示 解决方案 成功案例 工程案例 客户案例 案例展示 招贤纳士 人才招聘 诚聘英才 加入我们 "
    "关于我们 公司简介 企业文化 联系我们 下载中心 资料下载 技术支持 服务支持 服务与支持 "
    "products solutions services careers documentation about pricing produkte lösungen leistungen karriere produits "
    "productos soluciones servicios prodotti servizi".split()
) | {"about us", "our products", "our services", "case studies", "customer stories", "über uns", "à propos"}
# Elements by which the place of such a line is told.
_PLACE_LEVELS, _DIGITS = 4, re.compile(r"\d+")
_DATED = re.compile(
    r"20\d\d\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,2}|(?<!\d)\d{1,2}[-/.]\d{1,2}[-/.]20\d\d|"
    r"[^\W\d_]{3,12}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s20\d\d|"
    r"(?<!\d)\d{1,2}(?:\.|st|nd|rd|th)?\s(?:de\s)?[^\W\d_]{3,12}\.?\s(?:de\s)?20\d\d"
)
# Share of a block's characters in links from which it is one; of text behind such links, so many blocks and such a part
# of all make a list of headlines with a line each.
LINKED, LEAST_BEHIND, ALTERNATING = 0.7, 5, 0.7
_LEAVES = frozenset("p blockquote li pre dd td".split())
# What a box is called that asks for consent or for an address, the most characters it has, elements from its text up to
# it, and what it has to be answered by.
_ASKING = re.compile(r"(?:\A|[\s_-])(?:cookies?|consent|gdpr|newsletters?|sign-?up|subscribe)(?:\Z|[\s_-])")
_MOST_ASKED, _ASKING_LEVELS = 1500, 4
_SENTENCE = re.compile(r"[.!?。！？…][\"'”’」』）)\]]*(?:\s|\Z)")


@dataclass(slots=True)
class Evidence:
    """What was counted on a page; lengths are in units (a CJK character counts two and a half)."""

    prose: float = 0.0
    main: float = 0.0
    home: float = 0.0
    text: float = 0.0
    linked: float = 0.0
    news_links: int = 0
    news_units: float = 0.0
    teasers: int = 0
    alternating: float = 0.0
    says_article: bool = False
    headed: bool = False
    says_list: bool = False
    og_type: str = ""
    dated: bool = False
    says_published: bool = False
    url_score: float = 0.5
    root: bool = False


def count_text(items: list[Block], seen: Evidence, leading: Collection[Any] = ()) -> None:
    """Counts the prose of a page, and what stands around it.

    Args:
        leading: elements that lead on as links do, though a link without text is only laid over them.
    """
    homes: dict[Any, float] = {}
    nodes: dict[Any, Node] = {}
    prose_blocks = after_link = days = 0
    previous_link = False
    for block in items:
        length, linked = float(block.units), 1.0 if leading and block.element in leading else block.link_share
        behind_link, previous_link = previous_link, linked > LINKED and length >= 15
        seen.text += length
        days += len(block.text) <= _DAY_LINE and _DAY.search(block.text) is not None
        seen.linked += length * linked
        if block.tag in ("h1", "h2", "h3", "h4", "h5"):
            if block.tag != "h1" and linked > LINKED and length >= 15:
                seen.teasers += 1
            continue
        weight = _prose_weight(block, length, linked)
        if not weight or _is_asked(block.node):
            continue
        prose_blocks += 1
        after_link += behind_link
        length *= weight
        seen.prose += length
        # prose counts for its element's parent, and half for the grandparent: sections of one body meet there
        home = block.node.parent if block.tag in _LEAVES else block.node
        # Content systems wrap each paragraph in a box of its own.
        while home is not None and home.blocks == 1 and home.parent is not None:
            home = home.parent
        if home is not None:
            nodes[home.element] = home
            homes[home.element] = homes.get(home.element, 0.0) + length
    seen.alternating = after_link / prose_blocks if after_link >= LEAST_BEHIND else 0.0
    seen.dated = days == 1
    seen.home = max(homes.values(), default=0.0)
    seen.main = max(seen.home, _merged(homes, seen.teasers), _sections(homes, nodes, seen.teasers))


def is_headed(items: list[Block], title: str) -> bool:
    """Whether a headline stands above a line with its day, and prose below it, with no linked headline between.

    The headline is the only main heading, or the text that the document's title begins with: news flashes have no more
    text than the teasers of the stories beside them.
    """
    headings = [at for at, block in enumerate(items) if block.tag == "h1"]
    named = (at for at, block in enumerate(items[:_MOST_ABOVE]) if title.startswith(fold(block.text)))
    only = headings if len(headings) == 1 else []
    heading = next((at for at in chain(named, only) if _is_headline(items[at])), None)
    dated = False
    for block in items[heading + 1 : heading + 1 + _MOST_BETWEEN] if heading is not None else ():
        if block.link_share > 0.6 and block.units >= _LEAST_HEADLINE:
            return False
        if dated and _prose_weight(block, float(block.units), block.link_share):
            return True
        dated = dated or tells_day(block)
    return False


def is_thread(items: list[Block]) -> bool:
    """Whether several lines say when somebody has posted what follows, as in a forum."""
    lines = (block for block in items if len(block.text) <= _MOST_DATELINE)
    return sum(_POSTED.search(block.text) is not None for block in lines) >= _LEAST_POSTS


def begins_thread(items: list[Block]) -> bool:
    """Whether a page's text is the first post of a discussion: it stands below a line as its answers do.

    Comments on an article stand below lines of their own, and what else a site has on offer has headlines that lead
    there. In a forum of news, what says more than all its answers is an article.
    """
    lines: dict[tuple[str, ...], list[int]] = {}
    for at, block in enumerate(items):
        short = len(block.text) <= _MOST_DATELINE
        if short and (_POSTED.search(block.text) or _BY.match(block.text)) and has_day(block.text):
            lines.setdefault(_place(block.node), []).append(at)
    posts = max(lines.values(), key=len, default=[])
    if len(posts) < _LEAST_POSTS:
        return False
    told = any(_prose_weight(block, float(block.units), block.link_share) == 1.0 for block in items[: posts[0]])
    leads = any(block.link_share > 0.6 and block.units >= _LEAST_HEADLINE for block in items[posts[0] : posts[-1]])
    return not (told or leads or _is_announced(items, posts))


def _is_announced(items: list[Block], posts: list[int]) -> bool:
    """Whether the first post says more than all others, and stands in a forum of news as the page calls it."""
    crumbs = (one for one in items[: posts[0]] if any(_CRUMBS.search(node.names) for node in one.node.ancestors()))
    first, answers = (sum(one.units for one in some) for some in (items[posts[0] : posts[1]], items[posts[1] :]))
    return first > answers and any(_OF_NEWS.search(one.text) for one in crumbs)


def is_of_the_site(page: Page, items: list[Block]) -> bool:
    """Whether the line that says where a page stands names what its site offers, or what it says of itself.

    News of a section that is called so tell at least how long ago they were.
    """
    lines = [one for one in items[:_MOST_BEFORE] if len(one.text) <= _MOST_DATELINE and one.link_share > 0]
    steps = (_STEPS.split(line.text.lower()) for line in lines)
    if not any(1 < len(some) <= _MOST_STEPS and not _OF_ITSELF.isdisjoint(some) for some in steps):
        return False
    return not page.by_tag["time"] and not any(
        len(one.text) <= _MOST_DATELINE and _AGO.search(one.text) for one in items
    )


def _place(node: Node) -> tuple[str, ...]:
    """Where a line stands, by what the elements around it are called; numbers tell one post from the next."""
    return tuple(f"{one.tag} {_DIGITS.sub('', one.names)}" for one in islice(node.ancestors(), _PLACE_LEVELS))


def tells_day(block: Block) -> bool:
    """Whether a short line tells a day."""
    return len(block.text) <= _MOST_DATELINE and has_day(block.text)


def has_day(text: str) -> bool:
    """Whether a text names a day with its year."""
    return _DATED.search(text) is not None


def _is_headline(block: Block) -> bool:
    return block.units >= _LEAST_HEADLINE and block.link_share <= 0.3


def _prose_weight(block: Block, length: float, linked: float) -> float:
    """How much a block counts as prose: sentences fully, other plain text by half, links and crumbs not at all."""
    if linked > 0.4 or length < 16:
        return 0.0
    if length >= 50 and _SENTENCE.search(block.text):
        return 1.0
    return 0.5 if length >= 80 or (block.tag in _LEAVES and length >= 24) else 0.0


def _is_asked(node: Node) -> bool:
    """Whether a text stands in a box that asks for consent or for a reader's address, whatever page it is on."""
    boxes = (one for one in islice(node.ancestors(), _ASKING_LEVELS) if one.chars <= _MOST_ASKED)
    return any(
        one.tag not in ("body", "html", "main", "article")
        and _ASKING.search(one.names) is not None
        and next(one.element.iter("button", "input"), None) is not None
        for one in boxes
    )


def _merged(homes: dict[Any, float], teasers: int) -> float:
    """The most prose that one grandparent holds: the sections of a body meet there, but so do the teasers of a list."""
    grand: dict[Any, float] = {}
    for home, amount in homes.items():
        above = home.getparent()
        if above is not None and above.tag not in ("body", "html"):
            grand[above] = grand.get(above, 0.0) + amount
    if teasers >= 4 and teasers * 2 >= len(homes):
        return 0.0
    return max((a for g, a in grand.items() if a / max(1, sum(c in homes for c in g)) >= 250), default=0.0)


def _sections(homes: dict[Any, float], nodes: dict[Any, Node], teasers: int) -> float:
    """The most prose below one element that has hardly a link: sections of one text, as teasers all lead elsewhere."""
    if teasers >= _FEW_TEASERS:
        return 0.0
    above: dict[Node, float] = {}
    for home, amount in homes.items():
        for node in islice(nodes[home].ancestors(), 1, 1 + _SECTION_LEVELS):
            if node.tag not in ("body", "html") and node.link_chars < _MOST_LINKED * node.chars:
                above[node] = above.get(node, 0.0) + amount
    return max(above.values(), default=0.0)
