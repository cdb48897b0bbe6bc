"""What kind of page a page is: article, list, topic, video, advertisement, wall or other.

Evidence is added up as log-odds of article against list: connected prose, links that look like news and how the two
compare, teasers that repeat one structure, the address, and what the page's metadata says of itself.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from articlebot.extraction.evidence import (
    ALTERNATING,
    Evidence,
    begins_thread,
    count_text,
    is_headed,
    is_of_the_site,
    is_thread,
    tells_day,
)
from articlebot.extraction.generic.body import MAX_BLOCKS
from articlebot.extraction.model import Kind
from articlebot.extraction.notices import LITTLE, Sizes, notice, said
from articlebot.extraction.url_words import is_offer, is_side_list
from articlebot.extraction.urlshape import looks_like_article
from articlebot.page.anchors import anchors_of
from articlebot.page.blocks import Block, paragraphs
from articlebot.page.link_texts import text_of
from articlebot.page.page import Page
from articlebot.page.text import fold, units

_ARTICLE_TYPES = re.compile(
    r'"@type"\s*+:\s*+\[?\s*+"(?:\w*NewsArticle|Article|BlogPosting|ReportageNewsArticle|LiveBlogPosting|TechArticle|Report|'
    r'ScholarlyArticle|OpinionNewsArticle|AnalysisNewsArticle|MedicalScholarlyArticle|Review\w*Article)"'
)
_LIST_TYPES = re.compile(r'"@type"\s*+:\s*+\[?\s*+"(?:CollectionPage|ItemList|SearchResultsPage|Blog|ProfilePage)"')
_VIDEO_TYPE = re.compile(r'"@type"\s*+:\s*+\[?\s*+"VideoObject"')
_EVENT_TYPE = re.compile(r'"@type"\s*+:\s*+\[?\s*+"(?!Publication|Broadcast)(?:[A-Z][a-z]{2,14})?(?:Event|JobPosting)"')
_PRODUCT_TYPE = re.compile(r'"@type"\s*+:\s*+\[?\s*+"(?:Product|Offer|AggregateOffer)"')
_TOPIC_FOLDER = re.compile(
    r"/(?:zt|zhuanti|topics?|specials?|special-?reports?|subject|dossiers?|themes?|专题)(?:[/_-]|\Z)", re.I
)
_VIDEO_FOLDER = re.compile(r"/(?:videos?|v|watch|play|clips?|shipin|v_show)(?:[/_.?-]|\Z)|//(?:v|video|tv)\.", re.I)
_ADVERT = re.compile(
    r"buy now|order now|add to (?:cart|basket|bag)|free shipping|limited[- ]time offer|money[- ]back guarantee|"
    r"shop now|get started|claim your|sponsored|advertis(?:ement|ing)|"
    r"立即(?:购买|抢购|下单|领取)|马上抢|加入购物车|限时(?:优惠|特价|抢购)|包邮|免费领取|热线电话|广告",
    re.I,
)


@dataclass(frozen=True, slots=True)
class PageKind:
    """A page's kind with the confidence in it, 0 to 1."""

    name: Kind
    confidence: float

    def __str__(self) -> str:
        return self.name


def kind(page: Page) -> PageKind:
    """The kind of a page. Never raises for content; a page without a tree is ``other``."""
    if page.tree is None:
        return PageKind("other", 0.9)
    items = paragraphs(page.blocks[:MAX_BLOCKS])
    data = _json_ld(page)
    seen = Evidence()
    count_text(items, seen, _laid_over(page))
    title = fold((page.by_tag["title"][0].text or "") if page.by_tag["title"] else "")
    seen.headed = is_headed(items, title) and not is_thread(items)
    _read_metadata(page, seen, data)
    if (is_offer(page.url) or len(_EVENT_TYPE.findall(data)) == 1) and not (seen.says_article or seen.says_published):
        return PageKind("other", 0.8)  # goods, a job or an event, however much is said of it
    if not (seen.says_article or seen.says_published) and begins_thread(items):
        return PageKind("other", 0.8)
    # Without a day: what is told of a person or a subject where the site has its lists of these, or of the site.
    aside = not (seen.says_article or seen.says_published) and (is_side_list(page.url) or is_of_the_site(page, items))
    aside = aside and not any(map(tells_day, items))
    certain = _certain(seen)
    if certain is not None and _video(page, seen, data) is None:
        return PageKind("other", 0.8) if aside else certain
    _count_links(page, seen)
    special = _special(page, items, seen, data)
    if special is not None:
        return special
    odds = article_odds(seen)
    probability = 1.0 / (1.0 + math.exp(-odds))
    if probability >= 0.5:
        return PageKind("other" if aside else "article", probability)
    if seen.news_links < 3 and seen.alternating < ALTERNATING:
        told = seen.text - seen.linked >= (150 if seen.url_score >= 0.6 else 400) and not (seen.root or aside)
        return PageKind("article", 0.5) if told else PageKind("other", 0.6)
    if _TOPIC_FOLDER.search(urlsplit(page.url).path) and not seen.root:
        return PageKind("topic", 0.7)
    return PageKind("list", 1.0 - probability)


def _laid_over(page: Page) -> set[Any]:
    """The headlines of cards over which a link without text is laid that leads to another page."""
    empty = (one for one in page.by_tag["a"] if not len(one) and not (one.text or "").strip() and one.get("href"))
    elsewhere = (one for one in empty if page.resolve(one.get("href") or "").partition("#")[0] != page.url)
    return {over for one in elsewhere if (over := text_of(one)[1]) is not None}


def _certain(seen: Evidence) -> PageKind | None:
    """The decision where links cannot change it: an article even if all linked text were that of news."""
    if seen.main < LITTLE:
        return None
    worst = article_odds(replace(seen, news_units=seen.linked))
    return PageKind("article", 1.0 / (1.0 + math.exp(-worst))) if worst > 0 else None


def article_odds(seen: Evidence) -> float:
    """Log-odds that a page with this evidence is an article rather than a list."""
    odds = 1.4 * math.log((seen.main + 40.0) / 320.0)
    odds += 0.8 * math.log((seen.main + 60.0) / (0.5 * seen.news_units + 160.0))
    odds += 2.6 if seen.says_article else 0.0
    odds += 3.6 if seen.headed and not seen.says_article else 0.0
    odds += 2.0 if seen.og_type == "article" else -0.7 if seen.og_type == "website" else 0.0
    odds += 0.8 if seen.dated else 0.0
    odds -= 1.4 if seen.says_list and not seen.says_article else 0.0
    # the address alone never outweighs a page full of prose: some sites serve articles at odd addresses
    odds += max(-1.6, 4.0 * (seen.url_score - 0.45) - (1.0 if seen.root else 0.0))
    # a list repeats: short prose in many homes, each beside a headline that is a link
    if seen.teasers >= 4:
        odds -= min(4.0, 0.35 * seen.teasers) * (1.0 if seen.main < min(600, 260 * seen.teasers) else 0.25)
    odds += 1.3 if seen.home >= 700 and seen.teasers < 25 and not seen.says_list else 0.0
    # a headline that is a link, then its summary, and so on: entries, in one element too, or those below a dated flash
    if seen.alternating >= ALTERNATING and not (seen.headed and seen.says_published):
        odds -= 6.0 * seen.alternating
    if seen.prose > 0:
        odds += 2.0 * (seen.main / seen.prose - 0.6)
    return odds


def _count_links(page: Page, seen: Evidence) -> None:
    for anchor in anchors_of(page):
        length = min(160, units(anchor.text))
        if anchor.menu and not anchor.heading:
            continue
        if length >= 22 and (length >= 40 or looks_like_article(anchor.url) >= 0.4):
            seen.news_links += 1
            seen.news_units += length


def _read_metadata(page: Page, seen: Evidence, data: str) -> None:
    seen.says_article = bool(_ARTICLE_TYPES.search(data)) and not len(_ARTICLE_TYPES.findall(data)) > 3
    seen.says_list = bool(_LIST_TYPES.search(data))
    dated = False
    for meta in page.by_tag["meta"]:
        name = (meta.get("property") or meta.get("name") or "").lower()
        if name == "og:type":
            seen.og_type = (meta.get("content") or "").strip().lower()
        elif name in ("article:published_time", "publishdate", "pubdate", "weibo: article:create_at"):
            dated = True
    seen.dated, seen.says_published = seen.dated or dated, dated
    if dated and seen.og_type != "website":
        seen.og_type = "article"
    parts = urlsplit(page.url)
    if parts.hostname:
        seen.url_score = looks_like_article(page.url)
        stem = parts.path.strip("/").lower()
        seen.root = not parts.query and (not stem or stem.partition(".")[0] in ("index", "home", "default"))


def _json_ld(page: Page) -> str:
    scripts = [script for script in page.by_tag["script"] if script.get("type") == "application/ld+json"]
    return "\n".join((script.text or "")[:200_000] for script in scripts[:20])


def _special(page: Page, items: list[Block], seen: Evidence, data: str) -> PageKind | None:
    """Walls, advertisements, videos and pages that are gone; None for what is an article or a list."""
    sizes = Sizes(seen.main, seen.text, seen.news_links)
    if (instead := notice(page, items, sizes, says_article=seen.says_article)) is not None:
        return PageKind(*instead)
    if sizes.are_little:
        short = said(items)
        adverts = len(_ADVERT.findall(short))
        sold = _PRODUCT_TYPE.search(data) or seen.og_type.startswith("product")
        if (adverts >= 2 or sold) and not (seen.says_article or seen.says_published) and seen.news_links < 10:
            return PageKind("ad", min(0.95, 0.5 + 0.1 * adverts))
    return _video(page, seen, data)


def _video(page: Page, seen: Evidence, data: str) -> PageKind | None:
    # Where all that a page states is a video, a long description is no article.
    stated = seen.og_type.startswith("video") and not seen.says_article and _VIDEO_TYPE.search(data) is not None
    if not stated and (seen.main > 900 or (seen.says_article and seen.main > 350)):
        return None
    score = 0.0
    score += 0.5 if seen.og_type.startswith("video") else 0.0
    score += 0.35 if _VIDEO_TYPE.search(data) and not seen.says_article else 0.0
    score += 0.25 if page.by_tag["video"] else 0.0
    score += 0.3 if _VIDEO_FOLDER.search(page.url) and looks_like_article(page.url) >= 0.3 else 0.0
    if seen.root:
        return None
    return PageKind("video", min(0.95, 0.4 + score / 2)) if score >= 0.5 else None
