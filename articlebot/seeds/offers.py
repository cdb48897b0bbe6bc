"""What a site's pages, robots.txt and feeds say of where its news can be had."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from articlebot.errors import RefusedError
from articlebot.extraction.fields.date_words import unaccented
from articlebot.extraction.page_numbers import first_pages
from articlebot.extraction.url_words import is_about_wiki, is_offer, is_side_list, prints, serves
from articlebot.extraction.urlshape import looks_like_article
from articlebot.page import Page
from articlebot.page.anchors import anchors_of
from articlebot.page.text import units, word_count
from articlebot.page.xml import parse_xml
from articlebot.seeds.own_search import SEARCH_KEYS, searches
from articlebot.sources.choices import choices, menus
from articlebot.sources.dated import Dated, archives, dated
from articlebot.sources.further import next_page
from articlebot.sources.listing import SMALL_HOST
from articlebot.sources.pager_words import FIRST, says_next
from articlebot.urls import canonical_url, is_front, same_site, subdomain

FEED_PATHS = ("/feed", "/rss.xml", "/feed.xml", "/atom.xml", "/rss", "/index.xml", "/feed.json")
SITEMAP_PATHS = ("/sitemap.xml", "/news-sitemap.xml", "/sitemap_news.xml", "/sitemap_index.xml")
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"})
_FEED_LINK = re.compile(r"(?:/|\b)(?:rss|feeds?|atom|rdf)(?:[/._?=-]|\Z)", re.I)
_COMMENTS = re.compile(r"/comments?(?:[/?]|\Z)|=comments?\b", re.I)
_NOT_PAGES = re.compile(r"\.(?:jpe?g|png|gif|svg|webp|css|js|pdf|zip|mp[34]|xml|json|ico|apk|exe)\Z", re.I)
_ROBOTS_SITEMAP = re.compile(r"^[^\S\n]*+sitemap[^\S\n]*+:[^\S\n]*+(\S+)", re.I | re.M)
_LINK_HEADER = re.compile(r"<([^<>]+)>\s*+;[^,<]*?\brel=\"?([^\";,]+)")
_LETTERS = re.compile(r"[\W_]+")
# Seldom a list of news, but some sites have a section of such a name.
_DOUBTFUL_PATH = re.compile(
    r"/(?:about|contacts?|member(?:ship)?s?|newsletters?|help|support|careers?|jobs|shop|store|app|print|mobile|m(?=/?\Z)|weather|"
    r"horoscopes?|crosswords?|games?|calendar|links?|redaktion|redazione|redaccion|redactie|team|equipe|karriere|termine)(?:[./_-]|\Z)",
    re.I,
)
_SERVICE_TEXT = re.compile(
    r"\A\s*(?:about\b|contact|privacy|terms\b|log ?in|sign ?(?:in|up)|subscri|register|advertis|cookie|imprint|careers|"
    r"help\b|faq|newsletter|accessib|print edition|shop\b|donate|rss\b|site ?map|feedback|search|weather\b|my account|"
    r"datenschutz|kontakt|über uns|werb(?:ung|en)\b|an(?:melden|zeigen)\b|mentions légales|nous contacter|qui sommes|"
    r"à propos|s['’]abonner|abonnement|publicité|se connecter|aviso legal|contacto|quiénes somos|acerca de|publicidad|"
    r"suscr|chi siamo|contatti|pubblicità|abbon|accedi\b|over ons|adverteren|colofon|inloggen|quem somos|contato|"
    r"fale conosco|o nas\b|"
    r"关于|聯繫|联系|登录|登陆|登入|注册|註冊|隐私|隱私|条款|版权|广告|廣告|招聘|帮助|客服|投稿|订阅|訂閱|网站地图|设为首页|"
    r"收藏|手机版|无障碍|反馈|举报|加入我们|合作|免责|搜索|天气|客户端|下载|留言|友情?链接|友链|"
    r"お問い?合わ?せ|会社(?:概要|案内)|利用規約|プライバシー|ログイン|会員登録|購読|広告|採用|サイトマップ|ヘルプ|"
    r"방명록|로그인|회원가입|고객센터|회사소개|개인정보|이용약관|광고|구독|모바일)",
    re.I,
)
# What leads from the newest of a list to all of it.
_ALL = re.compile(
    r"\s*+(?:(?:(?:see|view|show|browse|read)\s)?(?:all|more)\s(?:the\s)?(?:latest\s|recent\s)?(?:\w{3,12}\s)?(?:news|stories|articles|posts|"
    r"releases|announcements|updates|headlines|issues|press)\b|(?:see|view|show|browse)\sall\b|"
    r"(?:tou(?:s|tes)\s(?:les|nos)|voir\stou(?:s|t|tes)|toute\sl['’]actualité|alle\s\w{4,20}|(?:ver\s)?tod[ao]s\s(?:[ao]s|l[ao]s)|"
    r"(?:vedi\s)?tutt[ei]\s(?:gli|le|i)|wszystkie|alla\s(?:ny|art|press)|fler\s(?:ny|art)|meer\snieuws|όλ(?:α|ες|οι)\s(?:τα|οι))(?:\s|\b))",
    re.I,
)
# What a page of all that a site has is called, or of its years.
_ARCHIVE = re.compile(
    r"/(?:archiv(?:es?|os?|io|um)?|archiwum|archief|arkiv(?:et)?|hemeroteca|all(?:[_-]?(?:posts|articles|news))?)"
    r"(?:/|\.\w{2,5})?\Z", re.I
)  # fmt: skip
# Of a section's name, in Latin characters; twelve Chinese ones, which a headline has more of.
_MOST_SECTION_UNITS = 30
_MOST_SECTION_DEPTH, _MOST_MENU_DEPTH = 3, 6
# How much an address looks like an article's from which on it is none of a section; of a menu's entry of at most four
# Chinese characters, or two words of letters, what is dated or a sentence.
_ARTICLES, _NUMBERED, _MOST_WORD, _MOST_WORDS = 0.5, 0.7, 10, 2
_HEAD = 512_000
_MOST_CHOSEN = 20


@dataclass(frozen=True, slots=True)
class Offers:
    """What one page offers; each address canonical and once.

    Attributes:
        feeds: that the page declares, then those that its links look like.
        sections: pages of the same site that may be list pages, those in its navigation first, then by page order.
        side_lists: lists by tag or author, which repeat what sections have.
        doubtful: pages in the navigation that seldom list news, by what they are called; some do.
        archives: date archives, the newest first.
        hubs: WebSub hubs.
        searches: the site's own search, asked for nothing in particular.
        sitemaps: that the page's ``link`` elements name, as static generators write them.
    """

    feeds: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    side_lists: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    archives: tuple[Dated, ...] = ()
    hubs: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()

    def below(self, folder: str) -> Offers:
        """What of it lies in a folder of the site; feeds and sitemaps may be of the whole."""
        mine = {
            name: tuple(url for url in getattr(self, name) if urlsplit(url).path.startswith(folder))
            for name in ("sections", "side_lists", "doubtful", "searches")
        }
        days = tuple(one for one in self.archives if urlsplit(one.url).path.startswith(folder))
        return replace(self, archives=days, **mine)

    def beside(self, other: Offers) -> Offers:
        """What two pages offer that a reader sees as one, as frames of a set are."""
        both = ((getattr(self, name), getattr(other, name)) for name in Offers.__dataclass_fields__)
        return Offers(*(tuple(dict.fromkeys((*mine, *its))) for mine, its in both))


def offers(page: Page) -> Offers:
    """What a page of a site offers. Never raises for content."""
    if page.tree is None:
        return Offers()
    declared, hubs, maps = _declared(page)
    linked: list[str] = []
    sections: list[tuple[bool, str]] = []
    named: list[tuple[bool, str]] = []
    side: list[tuple[bool, str]] = []
    doubtful: list[str] = []
    days: list[str] = []
    called: set[str] = set()
    following, spoken = next_page(page), _spoken(page)
    for anchor in anchors_of(page):
        said = anchor.entry or anchor.text  # a picture leads to what stands below it
        if not FIRST.match(said):
            called.add(anchor.url)
        if not same_site(anchor.url, page.url) or (following is not None and _canonical([anchor.url]) == (following,)):
            continue  # whatever it is called, the page that continues this one is no section
        if _FEED_LINK.search(urlsplit(anchor.url).path):
            linked.append(anchor.url)
        elif dated(anchor.url) is not None:
            days.append(anchor.url)
        elif _is_section(anchor.url, said, page.url, anchor.in_menu, spoken):
            is_doubtful = _is_doubtful(anchor.url, said)
            if is_doubtful and anchor.in_menu:
                doubtful.append(anchor.url)
            if is_side_list(anchor.url):
                side.append((not anchor.in_menu, anchor.url))
            elif not is_doubtful:
                sections.append((not anchor.in_menu, anchor.url))
        elif _may_be_named(anchor.url, said):
            named.append((not anchor.in_menu, anchor.url))
    # A name of several words makes an address look like an article's; beside sections it is one of them.
    folders = {_folder(url) for _, url in sections} - {""}
    sections += [one for one in named if _folder(one[1]) in folders]
    # Sections to choose from; days and months are archives.
    asked = [(url, text) for url, text in (*choices(page), *menus(page)) if dated(url) is None]
    sections += [(True, url) for url, text in asked[:_MOST_CHOSEN] if _is_section(url, text, page.url)]
    feeds = [url for url in [*declared, *linked] if not _COMMENTS.search(url)]
    ordered = first_pages([url for _, url in sorted(sections, key=lambda one: one[0])], page.url, called)
    return Offers(
        _canonical(feeds), _canonical(ordered), _canonical(url for _, url in side), _canonical(doubtful),
        tuple(archives(_canonical(days))), _canonical(hubs), _canonical(searches(page)), _canonical(maps),
    )  # fmt: skip


def _declared(page: Page) -> tuple[list[str], list[str], list[str]]:
    """Feeds, hubs and sitemaps that the page's ``link`` elements name."""
    feeds, hubs, maps = [], [], []
    for element in page.by_tag["link"]:
        link: Any = element
        rel = (link.get("rel") or "").lower().split()
        if "alternate" in rel and (link.get("type") or "").split(";")[0].strip().lower() in _FEED_TYPES:
            feeds.append(page.resolve(link.get("href") or ""))
        elif "hub" in rel:
            hubs.append(page.resolve(link.get("href") or ""))
        elif "sitemap" in rel and link.get("href"):
            maps.append(page.resolve(link.get("href")))
    return feeds, hubs, maps


def hubs_of_feed(body: bytes, url: str, link_header: str = "") -> tuple[str, ...]:
    """The WebSub hubs of a feed (W3C WebSub 2018, 4): from its Link header, its links or a JSON Feed's ``hubs``."""
    found = [target for target, rel in _LINK_HEADER.findall(link_header[:4000]) if "hub" in rel.split()]
    root: Any = parse_xml(body[:_HEAD]) if body.lstrip()[:1] == b"<" else None
    found += [
        element.get("href") or ""
        for element in (root.iter() if root is not None else ())
        if isinstance(element.tag, str) and element.tag.rpartition("}")[2] == "link" and element.get("rel") == "hub"
    ]
    return _canonical(found, url)


def robots_sitemaps(body: bytes, url: str) -> tuple[str, ...]:
    """The sitemaps that a robots.txt names."""
    named = _ROBOTS_SITEMAP.findall(body[:_HEAD].decode("utf-8", "replace"))
    return _canonical(named[:200], url)


def _spoken(page: Page) -> str:
    """The parameter with the site's own language, ``lang=cn``, where most links with a query have it; else ""."""
    asked = [parts.query.split("&") for anchor in anchors_of(page) if (parts := urlsplit(anchor.url)).query]
    found = Counter(pair for pairs in asked for pair in pairs if pair.startswith("lang=")).most_common(1)
    return found[0][0] if found and 2 * found[0][1] > len(asked) else ""


def _is_section(url: str, text: str, own: str, in_menu: bool = False, spoken: str = "") -> bool:
    """Whether a link may lead to a list page: a short name, a short path, nothing of an article's address.

    Sections may have numbers as articles have them, as in ``/news/cate/6638``: a menu's entry of a word or two is one.
    """
    parts = urlsplit(url)
    path = parts.path
    folders = [part for part in path.split("/") if part]
    depth = len(folders) - len([*takewhile(lambda pair: pair[0] == pair[1], zip(folders, _base(own), strict=False))])
    # Frameworks write what is asked for as folders: /portal/list/index/id/4.html.
    deepest = _MOST_MENU_DEPTH if _is_name(text) else _MOST_SECTION_DEPTH
    # A sentence may lead to the archive: "All older stories are in the archive, by day".
    is_short = 0 < units(text) <= _MOST_SECTION_UNITS or is_archive(url)
    if not is_short or depth > deepest or _NOT_PAGES.search(path):
        return False
    if is_front(url.partition("?")[0]) and all(map(is_front, _canonical([url]))):
        # Another of the site's hosts; the home page itself is known, with a session in its address too.
        return subdomain(url) != subdomain(own) and not SMALL_HOST.match(subdomain(url))
    # A menu may lead to a search that is a list of news: /search/news-and-communications, /section.php?s=town.
    of_all = bool(_ALL.match(text))
    of_search = len(folders) > 1 and not serves("/" + path.rstrip("/").rpartition("/")[2])
    leads = of_search and (
        of_all or (in_menu and _is_named(path, text)) or ("/search/" in path and _begins_as(path, text))
    )
    if (serves(path) and not leads) or prints(parts.query) or is_about_wiki(url) or is_offer(url.rstrip("/")):
        return False
    query = "&".join(pair for pair in parts.query.split("&") if pair != spoken)
    if (asked := SEARCH_KEYS.search(query)) and (asked["key"].lower() != "s" or is_front(url.partition("?")[0])):
        return False
    if _SERVICE_TEXT.match(text) and not _is_named(path, text):
        return False
    if text.isdigit() or says_next(text):
        return False  # a further page of a list
    worded = of_all or (in_menu and _is_name(text))
    return looks_like_article(url) < (_NUMBERED if worded else _ARTICLES)


def _is_name(text: str) -> bool:
    """Whether a menu's entry is a name, as "Pressemitteilungen" is: no headline is so short."""
    return units(text) <= _MOST_WORD or word_count(text) <= _MOST_WORDS


def is_archive(url: str) -> bool:
    """Whether an address is called as a page of all that a site has, or of its years."""
    return bool(_ARCHIVE.search(urlsplit(url).path))


@lru_cache(maxsize=8)
def _base(url: str) -> list[str]:
    """The folders of a page: a whole site may lie below /corporate/us/en.html."""
    return re.sub(r"\.\w{2,5}\Z", "", urlsplit(url).path.strip("/")).split("/")


def _folder(url: str) -> str:
    return urlsplit(url).path.strip("/").rpartition("/")[0]


def _is_named(path: str, text: str) -> bool:
    """Whether an address ends in what its link says: then it tells more, as "About town" below /about-town does."""
    last = unquote(re.sub(r"\.\w{2,5}\Z", "", path.rstrip("/").rpartition("/")[2]))
    return _letters(last) == _letters(text)


def _begins_as(path: str, text: str) -> bool:
    """Whether the last part of a path begins with what its link says."""
    said = _letters(text)
    return bool(said) and _letters(unquote(path.rstrip("/").rpartition("/")[2])).startswith(said)


def _letters(text: str) -> str:
    return _LETTERS.sub("", unaccented(text).lower())


def _may_be_named(url: str, text: str) -> bool:
    path = urlsplit(url).path
    return units(text) <= _MOST_SECTION_UNITS and _is_named(path, text) and not serves(path)


def _is_doubtful(url: str, text: str) -> bool:
    """Whether a section is called as what serves is, or as lists of what stands in sections: /help-desk, /people/."""
    path = urlsplit(url).path
    return bool(_SERVICE_TEXT.match(text) or _DOUBTFUL_PATH.search(path) or is_side_list(url))


def _canonical(urls: Iterable[str], base: str = "") -> tuple[str, ...]:
    found: dict[str, None] = {}
    for url in urls:
        with suppress(RefusedError, ValueError):
            found.setdefault(canonical_url(urljoin(base, url)))
    return tuple(found)
