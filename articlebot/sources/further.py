"""How a list goes on: the address of its next page, where the list says it, and where that has to be tried.

A list's addresses follow no rule, so its links are believed where an article's are not: a wrong one costs a fetch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from articlebot.errors import RefusedError
from articlebot.extraction.paging import NEXT_WORDS, PAGE_KEYS, precedes
from articlebot.page import Page
from articlebot.page.anchors import target_of
from articlebot.page.forms import hidden_fields
from articlebot.sources.data import joined, loaded
from articlebot.sources.dated import dated
from articlebot.sources.fetches import (
    CURSOR_KEYS,
    SIZE_KEYS,
    START_KEYS,
    asks_behind,
    counts_entries,
    cursor_after,
    cursor_behind,
    fetches,
    number_of,
    page_of,
)
from articlebot.urls import canonical_url, same_site

_MOST_TEXT, _MOST_FIELDS = 40, 20
_PLACE = re.compile(r"[/?]|\.\w{3,5}\Z")
# What menus are made of, and the links beside one that make it an entry of a menu: a pager may say "first" and "last".
_MENUS, _LEAST_OTHERS = frozenset({"nav", "header", "footer", "ul", "ol"}), 3
_NEXT = re.compile(
    rf"[\s‹«<\[(（]*+(?:(?:{NEXT_WORDS})(?:\s\d{{1,3}}(?:\s\w{{3,12}})?)?|"
    r"(?:older|earlier)(?:\s+(?:posts|entries|stories|news|articles))?|(?:\w{5,12}\s)?(?:anteriores|más\s+antiguas|mais\s+antig[ao]s)|"
    r"\w{5,12}\s(?:précédents|plus\s+anciens|precedenti)|(?:ältere|oudere|starsze|äldre|eldre|ældre|vanhemmat|starší)(?:\s\w{4,12})?|更早(?:的)?(?:文章|新闻|消息)?|较旧的文章)?"
    r"\s*+[>»›→\])）.…]{0,3}\s*+\Z",
    re.I,
)
# As often a link to a section: believed of a button, or where the address counts pages.
_MORE = re.compile(
    r"\s*+(?:(?:load|show|view|see)\s++more.{0,20}|more(?:\s++(?:news|stories|articles|posts))?|(?:加载|載入|查看)?更多|"
    r"(?:cargar|ver|mostrar|leer)\s++más.{0,20}|más\s++(?:noticias|artículos)|(?:afficher|voir|charger)\s++(?:plus|la\s+suite).{0,20}|"
    r"plus\s+d['’](?:articles|actualités|infos)|(?:mehr|weitere)\s++(?:laden|anzeigen|artikel|meldungen|beiträge|nachrichten).{0,20}|"
    r"(?:carregar|ver|mostrar)\s++mais.{0,20}|mais\s+notícias|(?:carica|mostra|vedi)\s++(?:altri|altro|di\s+più).{0,20}|"
    r"(?:meer|toon\s+meer)\s++(?:laden|nieuws|artikelen|berichten)?|показать\s++ещё|(?:загрузить|показать)\s++(?:еще|больше).{0,20}|"
    r"(?:もっと|さらに|続きを)(?:見る|読む|読み込む|表示(?:する)?)|더\s?보기)"
    r"\s*+[>»›→\])）.…]{0,3}\s*+\Z",
    re.I,
)
# A file that has all articles, as static generators write it for their search.
_INDEX = re.compile(r"(?:index|search|posts?|articles?|stories|news|all|list|content|archives?)\w{0,12}\.json\Z", re.I)
_ENDING = re.compile(r"\.\w{2,5}\Z")
_OF_CALENDARS = re.compile(r"day|date|month|year|week|\A[dmy]\Z|id\Z", re.I)
_BACK = re.compile(r"prev|newer|上一|前一|‹|«|\A\s*<", re.I)
_NUMBER = re.compile(r"\s*+[\[第(（]?\s*+(?:page\s*+)?(\d{1,4})\s*+[页頁\])）]?\s*+\Z", re.I)
_NAMES = re.compile(r"(?:\A|[\s_-])(?:next|older|load-?more)(?:\Z|[\s_-])", re.I)
# The pager that TRS WCM writes by script (many Chinese public bodies have it): pages, this one, name, ending.
_WRITTEN = re.compile(
    r"createPageHTML\w{0,20}\(\s*(\d{1,4})\s*,\s*(\d{1,4})\s*,\s*[\"'](\w{1,40})[\"']\s*,\s*[\"'](\w{1,5})[\"']"
)
# The pagers of ASP.NET's forms press a button by script: __doPostBack('ctl00$Pager','2'), ('Grid','Page$2').
_PRESSED = re.compile(r"__doPostBack\(\s{0,4}[\"']([\w$.:-]{1,200})[\"']\s{0,4},\s{0,4}[\"']((?:Page\$)?\d{1,4})[\"']")
_TARGET, _ARGUMENT = "__EVENTTARGET", "__EVENTARGUMENT"
# Of other forms: the field with the number of a page, and that.
_POSTED = "__POSTED"
_CALLS = re.compile(
    r"\s{0,4}(?:javascript:)?\s{0,4}(?:return\s)?\s{0,4}[A-Za-z_$][\w$.]{0,40}\(\s{0,4}[\"']?(\d{1,5})[\"']?\s{0,4}[,)]",
    re.I,
)
_FIELD, _MOST_CALLED = re.compile(r"[\w.-]{1,40}"), 20_000
_NOWHERE = frozenset({"#", "javascript:;", "javascript:void(0)", "javascript:void(0);"})
# location.href = 'index_' + (current + 1) + '.html': what a link to the next page says by script.
_LED = re.compile(
    r"location(?:\.href)?\s{0,4}=\s{0,4}[\"']([\w./-]{0,60}[_/-])[\"']\s{0,4}\+\s{0,4}\(\s{0,4}([A-Za-z_$][\w$]{0,40})\s{0,4}\+\s{0,4}1\s{0,4}\)"
    r"\s{0,4}\+\s{0,4}[\"'](\.?\w{0,8})[\"']"
)
_GROUP = re.compile(
    r"<next(?:group|page)>[^<>]{0,40}<!\[CDATA\[\s{0,40}<a\s[^<>]{0,200}?href\s{0,4}=\s{0,4}[\"']([^\"'<>]{1,500})"
)
_MORE_ATTRIBUTES = ("data-next", "data-next-url", "data-next-page-url", "data-next-href", "data-more", "data-more-url")
_FETCHING = ("hx-get", "data-hx-get", "data-url", "data-href", "ic-get-from", "up-href", *_MORE_ATTRIBUTES)
# Elements that fetch a piece of the page themselves (Turbo, GitHub's include-fragment).
_FRAGMENTS = frozenset({"turbo-frame", "include-fragment"})
_REVEALED = re.compile("|".join((*_FETCHING, *sorted(_FRAGMENTS))))
_ENDLESS = re.compile(
    r"revealed|intersect|infinite|load-?_?more|(?:\A|[\s_-])(?:next|older|endless|scroll)(?:\Z|[\s_-])", re.I
)
# What an answer calls its next page: an address, or what to ask for.
_NEXT_KEYS = (
    "next",
    "next_url",
    "nexturl",
    "next_page_url",
    "nextpageurl",
    "next_href",
    "nextlink",
    "next_link",
    "more_url",
)
_CURSOR_KEYS = (
    "next_cursor",
    "nextcursor",
    "endcursor",
    "end_cursor",
    "cursor",
    "nextpagetoken",
    "next_page_token",
    "after",
)
_COUNTED = PAGE_KEYS | START_KEYS | SIZE_KEYS
_CURSOR_NAMES = CURSOR_KEYS | {"token", "pagetoken"}
_MORE_KEYS = ("hasmore", "has_more", "hasnext", "has_next", "hasnextpage", "has_next_page", "more")
_LAST_KEYS = (
    "totalpages",
    "total_pages",
    "pagecount",
    "page_count",
    "lastpage",
    "last_page",
    "pages",
    "numpages",
    "num_pages",
)


def next_page(page: Page) -> str | None:
    """The canonical address of the page that continues a list, None where no link and no button says that it does."""
    if page.tree is None or not page.url:
        return None
    own = _canonical(page.url)
    numbered: list[tuple[int, str]] = []
    following: str | None = None
    worded: str | None = None
    for one, url in _targets(page, own):
        rel = (one.get("rel") or "").lower().split()
        if "next" in rel:
            return url
        if one.tag == "link":
            continue
        text = " ".join("".join(one.itertext()).split())
        if len(text) > _MOST_TEXT:
            continue
        # Whatever it is called: the page's own address with the next page number.
        if following is None and dated(url) is None and precedes(own or page.url, url):
            following = url
        label = _NUMBER.match(text)
        if label or _begins_behind(url, own or page.url):
            if (place := _place(url, page.url, int(label[1]) if label else 0)) is not None:
                numbered.append((place, url))
        elif _says_next(one, text) or (
            _MORE.match(text) and (_counts(one, url, page.url) or _is_behind(url, page.url))
        ):
            if _is_of(url, own or page.url):
                return url
            worded = worded or (None if _is_menu_entry(one) else url)
    # A link that is called so and whose address says nothing may be a section of that name.
    return min(numbered)[1] if numbered else _by_script(page, own) or following or worded


def _targets(page: Page, own: str | None) -> Iterator[tuple[Any, str]]:
    """What leads to other pages of the page's host, with their addresses."""
    for element in [*page.by_tag["link"], *page.by_tag["a"], *page.by_tag["button"], *page.by_tag["option"]]:
        url = target(element, page)
        if url is not None and url != own and urlsplit(url).hostname == urlsplit(page.url).hostname:
            yield element, url


def _by_script(page: Page, own: str | None) -> str | None:
    return _written(page) or _revealed(page, own) or _posted_back(page) or _called(page)


def next_group(page: Page) -> str | None:
    """Where records of XML say that the next ones are: jcms, which many Chinese public bodies have, names it so."""
    match = _GROUP.search(page.text)
    return None if match is None else _canonical(page.resolve(unescape(match[1])))


def _revealed(page: Page, own: str | None) -> str | None:
    """What an element fetches that stands for the rest of a list: when it comes into view, or by its name."""
    if not _REVEALED.search(page.text):
        return None
    for element in reversed(page.elements):
        one: Any = element
        fetching = (*_FETCHING, "src") if one.tag in _FRAGMENTS else _FETCHING
        name = next((name for name in fetching if one.get(name)), None)
        if name is None:
            continue
        url = one.get(name)
        said = " ".join(one.get(name) or "" for name in ("hx-trigger", "data-hx-trigger", "class", "id", "role"))
        # "data-next" says it itself, but for a slide show, whose next one is a number or a name; so does a fragment.
        counts = name == "src" and (number_of(page.resolve(url)) or 0) > (number_of(page.url) or 1)
        says = counts or _ENDLESS.search(said) or (name in _MORE_ATTRIBUTES and _PLACE.search(url))
        target = _canonical(page.resolve(url)) if says else None
        if target and target != own and urlsplit(target).hostname == urlsplit(page.url).hostname:
            return target
    return None


def _place(url: str, own: str, label: int) -> int | None:
    """How far behind the page a numbered link of its pager leads; None where it is not what comes next.

    The address has to differ by a number, or it is a day of a calendar.
    """
    number = number_of(own, loose=True)
    if counts_entries(url):  # in steps of as many as stand on a page
        there = number_of(url) or 0
        return there - (number or 0) if there > (number or 0) else None
    if _differs_by_number(url, own, label):
        return 0 if label == (number or 1) + 1 else None
    current = _current(url, own, label)
    return label - current if current is not None and label > current else None


def _current(url: str, own: str, label: int) -> int | None:
    """The own page's number where a link's address differs by its label alone, whatever the parameter's name is."""
    there, here = (urlsplit(one) for one in (url, own))
    asked, mine = (dict(parse_qsl(one.query, keep_blank_values=True)) for one in (there, here))
    if there.path != here.path or dated(url) is not None:
        return None
    for key, value in asked.items():
        rest = {name: one for name, one in asked.items() if name != key}
        same = rest == {name: one for name, one in mine.items() if name != key}
        if same and value in (str(label), str(label - 1)) and not _OF_CALENDARS.search(key):
            return int(mine[key]) + label - int(value) if mine.get(key, "").isdecimal() else 1
    return None


def _is_of(url: str, own: str) -> bool:
    """Whether an address by itself may continue another: it has a page's number, or the other's path."""
    there, here = urlsplit(url).path, urlsplit(own).path
    stem = _ENDING.sub("", here.rstrip("/"))
    # Pages may be counted down, as Chinese universities have them: /news.htm, /news/12.htm, /news/11.htm.
    beside = there.rpartition("/")[0] == here.rpartition("/")[0] and None not in (
        number_of(url, loose=True), number_of(own, loose=True)
    )  # fmt: skip
    return number_of(url) is not None or (stem != "" and there.startswith(stem)) or beside


def _is_menu_entry(element: Any) -> bool:
    """Whether a link stands among others that lead elsewhere, as the section "Next" does in a site's navigation."""
    around = next((one for one in element.iterancestors() if one.tag in _MENUS), None)
    others = [] if around is None else [" ".join("".join(one.itertext()).split()) for one in around.iter("a")]
    return sum(bool(text) and not _NUMBER.match(text) and not says_next(text) for text in others) >= _LEAST_OTHERS


def _counts(element: Any, url: str, own: str) -> bool:
    """Whether "more" means more of the same list; pages may be counted from 0, as Drupal's are."""
    number = number_of(url) or 0
    second = number == 1 and number_of(own) is None and urlsplit(url).path == urlsplit(own).path
    return element.tag == "button" or number > 1 or second or counts_entries(url)


def _begins_behind(url: str, own: str) -> bool:
    """Whether an address is the page's own but for the entry with which the list begins: /list?cat=3&start=12."""
    if not counts_entries(url) or urlsplit(url).path != urlsplit(own).path:
        return False
    there, here = (sorted(parse_qsl(urlsplit(one).query, keep_blank_values=True)) for one in (url, own))
    rest = [[pair for pair in pairs if pair[0].lower() not in START_KEYS] for pairs in (there, here)]
    return rest[0] == rest[1]


def _is_behind(url: str, own: str) -> bool:
    """Whether an address asks the same page for what comes behind an entry: /live?before=8980."""
    return urlsplit(url).path == urlsplit(own).path and asks_behind(url)


def _posted_back(page: Page) -> str | None:
    """The next page that ASP.NET's pagers post for: the page's address with what is pressed in its query."""
    if "__doPostBack" not in page.text:
        return None
    url, pressed = pressed_in(page.url) or (page.url, {})
    now = pressed.get(_ARGUMENT, "1").rpartition("$")[2]
    if not now.isdecimal():
        return None
    number = int(now)
    for element in page.by_tag["a"]:
        match = _PRESSED.search(element.get("href") or "")
        if match and match[2].rpartition("$")[2] == str(number + 1):
            asked = urlencode({_TARGET: match[1], _ARGUMENT: match[2]}, safe="$")
            return _canonical(f"{url}{'&' if '?' in url else '?'}{asked}")
    return None


def _called(page: Page) -> str | None:
    """The next page of a list whose pager calls a function that sends its form: <a href="javascript:go(2)">2</a>.

    The form has a field for the page's number. Of one that is sent by POST the address has the field and the number in
    its query, under a name that no site uses.
    """
    form, field, number = next(_counting_forms(page), (None, "", 0))
    if form is None:
        return None
    says = (
        one.get("onclick") if (one.get("href") or "#").lower() in _NOWHERE else one.get("href")
        for one in page.by_tag["a"]
    )
    calls = {int(match[1]) for said in says if said and (match := _CALLS.match(said))}
    if number + 1 not in calls or max(calls) > _MOST_CALLED:
        return None
    url = page.resolve(form.get("action") or page.url)
    if (form.get("method") or "get").lower() != "post":
        kept = dict(hidden_fields(form.iter("input"), _MOST_FIELDS)) | {field: str(number + 1)}
        return _canonical(f"{url.partition('?')[0]}?{urlencode(kept)}")
    bare, _ = pressed_in(url) or (url, {})
    return _canonical(f"{bare}{'&' if '?' in bare else '?'}{_POSTED}={field}:{number + 1}")


def _counting_forms(page: Page) -> Iterator[tuple[Any, str, int]]:
    """Forms of a page's own site with a field for the number of a page, its name, and the number that it has."""
    pressed = pressed_in(page.url)
    for one in page.by_tag["input"]:
        name, form = one.get("name") or "", next(one.iterancestors("form"), None)
        if form is None or name.rpartition(".")[2].lower() not in PAGE_KEYS or not _FIELD.fullmatch(name):
            continue
        shown = pressed[1].get(name, "") if pressed else one.get("value") or ""
        if same_site(page.resolve(form.get("action") or page.url), page.url):
            yield form, name, max(1, int(shown)) if shown.isdecimal() else 1


def pressed_in(url: str) -> tuple[str, dict[str, str]] | None:
    """The address of a page whose form is sent by a script, and what was set in that; None for any other address."""
    if f"{_TARGET}=" not in url and f"{_POSTED}=" not in url:
        return None
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    rest = urlencode([pair for pair in pairs if pair[0] not in (_TARGET, _ARGUMENT, _POSTED)])
    pressed = {name: value for name, value in pairs if name in (_TARGET, _ARGUMENT)}
    pressed |= {
        field: number for name, value in pairs if name == _POSTED for field, _, number in [value.partition(":")]
    }
    return parts._replace(query=rest).geturl(), pressed


def _written(page: Page) -> str | None:
    match = _WRITTEN.search(page.text)
    if match is None and (led := _LED.search(page.text)):
        own = re.search(rf"(?<![\w$]){re.escape(led[2])}\s{{0,4}}=\s{{0,4}}(\d{{1,4}})", page.text)
        return _canonical(page.resolve(f"{led[1]}{int(own[1]) + 1}{led[3]}")) if own else None
    if match is None or int(match[2]) + 1 >= int(match[1]):
        return None
    return _canonical(page.resolve(f"{match[3]}_{int(match[2]) + 1}.{match[4]}"))


def tries(
    page: Page, links: int, script: str | None = None, menu: Sequence[Mapping[str, str]] = ()
) -> tuple[str, ...]:  # fmt: skip
    """Addresses from which the page's scripts may fetch what follows its list, the best first; each to be tried once.

    Args:
        page: a list page that says of no link that the list goes on there.
        links: articles that its document lists: what is fetched begins behind them.
        script: one that the page takes from another address, to be looked through instead of its own.
        menu: what an answer of the site calls its sections, each by field.
    """
    found: list[str] = []
    whole: list[str] = []
    for one in fetches(page, script, menu):
        if one.paged and links:
            number = number_of(one.url, loose=True)
            first = links if counts_entries(one.url) else max(2, number or 0) if number != 0 else 1
            found.append(page_of(one.url, first))
        elif one.paged or not links:
            found.append(one.url)
        elif one.ahead or _INDEX.search(urlsplit(one.url).path):
            whole.append(one.url)
    return tuple(dict.fromkeys(filter(None, map(_canonical, found or whole))))


def next_of_data(value: Any, url: str, entries: int) -> str | None:
    """The address of the next page of what an API answered; None where it says that there is none, or nothing at all.

    Args:
        value: the answer.
        url: its address.
        entries: articles in it.
    """
    if not entries:
        return None
    told = dict(_told(value))
    for key in _NEXT_KEYS:
        if isinstance(there := told.get(key), dict):
            there = there.get("href") or there.get("url")
        if isinstance(there, str) and ("/" in there or there.startswith("?")):
            return _canonical(joined(url, there))
        if isinstance(there, int) and not isinstance(there, bool) and number_of(url, loose=True) is not None:
            return _canonical(page_of(url, there))
    if any(told.get(key) is False or (key in told and told[key] is None) for key in _MORE_KEYS):
        return None
    if (cursor := _cursor(told, url) or _canonical(cursor_behind(value, url))) is not None:
        return cursor
    return counted(url, entries, told)


def next_of_state(values: Iterable[Any], page: Page, place: str, entries: int) -> str | None:
    """The address of the next page that a page's own data name beside the list that stands in ``place``."""
    for value in values:
        beside = value
        for key in place.split("/")[1:-1]:
            beside = beside.get(key) if isinstance(beside, dict) else None
        if isinstance(beside, dict) and (on := next_of_data(beside, page.url, entries)) is not None:
            same_host = urlsplit(on).hostname == urlsplit(page.url).hostname
            return on if same_host and on != _canonical(page.url) else None
    return None


def counted(url: str, entries: int, told: Mapping[str, Any] | None = None) -> str | None:
    """The same address with the next number, where it has one: believed as long as it brings articles."""
    told = told or {}
    number = number_of(url, loose=True)
    if number is None:
        last = next((told[key] for key in _LAST_KEYS if isinstance(told.get(key), int)), 0)
        names = ("page", "current_page", "currentpage", "pageno", "page_no")
        now = next((told[key] or 1 for key in names if isinstance(told.get(key) or 1, int) and key in told), last)
        return _canonical(f"{url}{'&' if '?' in url else '?'}page={now + 1}") if now < last else None
    if counts_entries(url):
        return _canonical(page_of(url, number + entries))
    last = next((told[key] for key in _LAST_KEYS if isinstance(told.get(key), int)), None)
    return None if last is not None and number >= last else _canonical(page_of(url, number + 1))


def behind(page: Page, url: str) -> str | None:
    """The canonical address of what comes behind a fragment's last entry, where it was asked for by such an entry."""
    return _canonical(cursor_after(page, url))


def _cursor(told: Mapping[str, Any], url: str) -> str | None:
    """The address with the answer's cursor under the name that the address gives it, or the answer does."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    # What is asked for by a name of its own (lastId, max_id) is told by that name, or beside the word that more follow.
    more = any(told.get(key) for key in _MORE_KEYS)
    own = sorted(key for key in told if key.lower() in CURSOR_KEYS and (more or key in query))
    # Whatever its name is: what the address asks for, and the answer gives otherwise while there is more.
    own += [
        key for key in query if more and key.lower() not in _COUNTED and str(told.get(key, query[key])) != query[key]
    ]
    for key in (*_CURSOR_KEYS, *own):
        value = told.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            known = next((name for name in query if name.lower() in _CURSOR_NAMES), None)
            name = key if key in own else known or ("after" if "after" in key or "end" in key else "cursor")
            if (inner := _in_variables(query, name, str(value))) is None:
                query[name] = str(value)
            else:
                query |= inner
            return _canonical(parts._replace(query=urlencode(query)).geturl())
    return None


def _in_variables(query: Mapping[str, str], name: str, value: str) -> dict[str, str] | None:
    """The parameter that holds the others as JSON, as GraphQL by GET has it, with one more in it; None without one."""
    for key, held in query.items():
        if key.lower() in ("variables", "params") and isinstance(inner := loaded(held.encode()), dict):
            return {key: json.dumps({**inner, name: value}, separators=(",", ":"), ensure_ascii=False)}
    return None


def _told(value: Any) -> Iterator[tuple[str, Any]]:
    """What an answer says beside its entries: keys of the objects around the list, as they are and in lower case."""
    level, depth = [value], 0
    while level and depth < 4:
        inner = []
        for one in level:
            if isinstance(one, dict):
                plain = [(str(key), v) for key, v in one.items() if not isinstance(v, list)]
                yield from (*plain, *((key.lower(), v) for key, v in plain))
                inner += [v for v in one.values() if isinstance(v, dict)]
        level, depth = inner[:50], depth + 1


def says_next(text: str) -> bool:
    """Whether an anchor's text is that of a link to a list's next or previous page."""
    return bool(_BACK.search(text) or (_NEXT.match(text) and text.strip()))


def target(element: Any, page: Page) -> str | None:
    """The canonical address that a link, a button or the option of a menu leads to, None where it leads nowhere."""
    names = ("value",) if element.tag == "option" else (*_MORE_ATTRIBUTES, "data-href", "data-url", "hx-get")
    stated = [target_of(element), _sent(element, page), *((element.get(name) or "").strip() for name in names)]
    value = next((one for one in stated if one and not one.startswith(("#", "javascript:", "mailto:"))), "")
    if not value or (element.tag == "option" and not _PLACE.search(value)):
        return None  # the options of most forms are values of their own
    url = page.resolve(value)
    return _canonical(url) if url.startswith(("http://", "https://")) else None


def _sent(element: Any, page: Page) -> str:
    """What a button of a form asks for by GET: <button name="page" value="2">Older</button>; "" for any other.

    Where the button has no name, the form's hidden fields say it all; of one with anything to fill in they do not.
    """
    form = next(element.iterancestors("form"), None) if element.tag == "button" else None
    if form is None or (form.get("method") or "get").lower() != "get":
        return ""
    fields = list(islice(form.iter("input", "select", "textarea"), _MOST_FIELDS))
    kept = hidden_fields(fields, _MOST_FIELDS)
    named = element.get("name") and element.get("value")
    if not named and not 0 < len(kept) == len(fields):
        return ""
    pairs = urlencode([*kept, (element.get("name"), element.get("value"))] if named else kept)
    return f"{(form.get('action') or page.url).partition('?')[0]}?{pairs}"


def _says_next(element: Any, text: str) -> bool:
    if any(element.get(name) for name in _MORE_ATTRIBUTES):
        return True
    if _BACK.search(text):
        return False
    names = " ".join(element.get(name) or "" for name in ("class", "title", "aria-label", "id"))
    return bool((text and _NEXT.match(text)) or (_NAMES.search(names) and not _BACK.search(names)))


def _differs_by_number(url: str, own: str, number: int) -> bool:
    there = number_of(url, loose=True) if dated(url) is None else None
    return there in (number, number - 1)


def _canonical(url: str | None) -> str | None:
    try:
        return canonical_url(url) if url else None
    except RefusedError:
        return None
