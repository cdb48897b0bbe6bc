"""The site's own scripts that a page takes, as a look reads them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from articlebot.looks.alike import LEAST_DATA
from articlebot.looks.seen import Seen
from articlebot.page import Page
from articlebot.page.anchors import anchors_of
from articlebot.page.plain_texts import quoted
from articlebot.seeds.jobblock import Entry
from articlebot.sources.attributes import Attributes
from articlebot.sources.fetches import own_scripts
from articlebot.sources.handed import hands_on, paged
from articlebot.sources.names import AS, Names
from articlebot.sources.templates import template_of
from articlebot.urls import joined, same_site

if TYPE_CHECKING:
    from scrapy.http import Response

    from articlebot.looks.site_look import SiteLook

# Scripts that are fetched.
MOST_SCRIPTS = 3
# Scripts where nothing else names an article: a page made with Next.js 16 takes eight, most of them the framework's.
_MOST_OF_A_SHELL = 8
# Scripts that are no site's own.
LIBRARY = re.compile(
    r"jquery|bootstrap|swiper|slick|vendor|polyfill|runtime|framework|modernizr|analytics|gtag|wp-includes|wp-emoji|"
    r"webpack|require|(?:(?<!ac)count(?:er)?|stats?|hits?)(?![a-z])|vue|react|angular|lodash|moment|chart|captcha|consent|cookie|htmx|share|player|video|lazy|"
    r"(?:\A|[/_.-])ads?(?:\Z|[/_.-])",
    re.I,
)
# What all pages of a site take stands behind what is of one page; SvelteKit's nodes 0 and 1 are the frame of all.
_COMMON = re.compile(
    r"/(?:entry/[^/]+|(?:_?app|main|entry|start|layout|scheduler|index|(?<!/nodes/)\d+|(?<=/nodes/)[01]|[0-9a-f]{8,})"
    r"[.-][^/]*)\Z",
    re.I,
)
_IMPORT = re.compile(r"\bimport\s{0,4}\(?\s{0,4}[\"']([./][^\"'\s]{1,300})[\"']")
# The parts of a program that it loads when they are needed: import("./Home-x1.js"); and what it takes at once, and
# Vite's list of all that those take, "assets/api-x2.js".
_PART = re.compile(r"(?P<late>\bimport\(\s{0,4})?[\"'](?P<url>(?:\.{0,2}/)?[\w./-]{1,200}\.js)[\"']")
# Where webpack says what the parts are called: "js/"+({7:"home"}[e]||e)+"."+{7:"ab12"}[e]+".js", by their numbers.
_CALLED = r"\{{(?P<{0}>(?:[\"']?[\w~-]{{1,80}}[\"']?:[\"'][\w.~-]{{1,80}}[\"'],?){{0,2000}}+)\}}\[\w\]"
_CHUNKS = re.compile(
    rf"(?:[\"'](?P<folder>[\w./-]{{0,80}})[\"']\+)?(?:\(?(?:{_CALLED.format('names')}|(?<![\w$.])\w)(?:\|\|\w\))?\+"
    rf"[\"'](?P<between>[.~-]{{1,2}})[\"']\+)?{_CALLED.format('hashes')}\+[\"'](?P<end>[\w.-]{{0,30}}\.js)[\"']"
)
_HAS_CHUNKS = re.compile(r"\}\[\w\]\+[\"'][\w.-]{0,30}\.js[\"']")  # of most scripts it need not be asked
_LOADED = re.compile(r"\.e\([\"']?([\w~-]{1,80})[\"']?\)")
_ENTRY = re.compile(r"[\"']?([\w~-]{1,80})[\"']?:[\"']([\w.~-]{1,80})[\"']")
# What fetches and shows lists is called so in any language; nothing else says which of a program's parts that are.
_OF_LISTS = re.compile(
    r"/(?:use)?(?:api|services?|requests?|client|https?|fetch\w*|home|index|main|lists?|news|articles?|posts?|stor(?:y|ies)|feeds?|"
    r"channels?|sections?|categor(?:y|ies))[\w]{0,12}[.-][^/]*\Z",
    re.I,
)
_MOST_SCRIPT, _MOST_OWN, _MOST_IMPORTS, _MOST_PARTS = 2_000_000, 200_000, 40, 200
# import{B as e}from"./env.js".
_IMPORTED = re.compile(r"\bimport\s{0,4}\{([^{}]{1,500})\}\s{0,4}from\s{0,4}[\"'](\.[^\"'\s]{1,300})[\"']")


async def taken(
    look: SiteLook, page: Page, known: re.Pattern[str] | None = None, *, is_shell: bool = False
) -> AsyncIterator[str]:
    """The texts of the site's own scripts that a page takes, without those that were read.

    Args:
        known: what those are called that are left out.
        is_shell: also where lists name articles, as many may be looked through as of a page that names none.
    """
    # The one that shows a part of the page is named where that part stands, too.
    named = {url: page.text.count(urlsplit(url).path) for url in _scripts_of(page)}
    late = dict.fromkeys(named, 0)
    for part in _parts_in(page):
        late.setdefault(part, 2)
        named.setdefault(part, 0)
    while named:
        url = min(named, key=lambda url: _place(url, late[url], named[url]))
        del named[url]
        most = MOST_SCRIPTS if look.known and not is_shell else _MOST_OF_A_SHELL
        if look.fetching.scripts >= most:
            return
        if not same_site(url, look.home) or (known and known.search(url)):
            continue
        answer, text, sent = None, "", ""
        if url not in look.parts:
            look.parts[url], answer = {}, await script_at(look, url)
            look.fetching.scripts += 1
        if answer is not None and answer.body:
            text, look.parts[url], sent = await asyncio.to_thread(_read, answer.body, url, look.scripts[:])
        for part, when in look.parts[url].items():
            if part not in late:
                late[part], named[part] = when, 0
        if answer is None or not text:
            continue
        text = await _with_bases(look, url, page, text)
        # What one part of a program sends stands in another: getList({page: 1, size: 10}) where the list is shown.
        if look.sent and not sent:
            text = f"{text};_({{{look.sent}}})"
        # The other way round it is sent by what was read before.
        waiting = look.scripts[:] if sent and not look.sent else []
        look.sent = look.sent or sent
        look.scripts.append(text)
        _hold(look, answer, text, page)
        yield text
        for earlier in filter(hands_on, waiting):
            yield f"{earlier};_({{{sent}}})"


def _read(body: bytes, url: str, beside: Sequence[str]) -> tuple[str, dict[str, int], str]:
    """A script's text, the parts of its program that it names, and what it sends for a page of a list."""
    text = quoted(body[:_MOST_SCRIPT].decode("utf-8", "replace"))
    return text, parts_of(text, url, beside), paged(text)


async def script_at(look: SiteLook, url: str) -> Response | None:
    """A script's answer, fetched once for the page and all modules that take it."""
    if url not in look.answers:
        look.answers[url] = await look.fetching.get(url)
    return look.answers[url]


async def _with_bases(look: SiteLook, url: str, page: Page, text: str) -> str:
    """A module's text behind what it puts before addresses, where another module has that."""
    attributes = Attributes(page)
    for name, exported, module in imported_bases(text):
        answer = await script_at(look, joined(url, module))
        other = quoted(answer.body[:_MOST_OWN].decode("utf-8", "replace")) if answer is not None else ""
        for base in Names(other, attributes).exported(exported)[:1]:
            text = f'{name}="{base}";{text}'
    return text


def imported_bases(script: str) -> Iterator[tuple[str, str, str]]:
    """What a module has from another and puts before addresses, ``${e}/list``: its name here, there, the module's."""
    for names, module in _IMPORTED.findall(script)[:_MOST_IMPORTS]:
        for there, here in AS.findall(names):
            if f"${{{here or there}}}/" in script:
                yield here or there, there, module


def parts_of(script: str, url: str, beside: Sequence[str] = ()) -> dict[str, int]:
    """The addresses of the further parts of a program that a script names, with how soon each is to be read.

    1 is for what is called as what fetches lists is, 2 for other parts that are loaded when needed, 3 for the rest.

    Args:
        beside: the scripts that were read before, which may say what is loaded first.
    """
    folder = f"{urlsplit(url).path.rpartition('/')[0].rpartition('/')[2]}/"
    found = dict[str, int]()
    for match in islice(_PART.finditer(script), _MOST_PARTS):
        # Vite's list has the addresses from where the site lies on, as far as its scripts do.
        part = f"../{match['url']}" if match["url"].startswith(folder) else match["url"]
        if part.startswith(("./", "../", "/")):
            address = joined(url, part)
            when = 1 if _OF_LISTS.search(address) else 2 if match["late"] else 3
            found[address] = min(when, found.get(address, when))
    for address in islice(_chunks(script, url, beside), _MOST_PARTS):
        found.setdefault(address, 1 if _OF_LISTS.search(address) else 2)
    found.pop("", None)  # what is no address
    return found


def _chunks(script: str, url: str, beside: Sequence[str]) -> Iterator[str]:
    """The addresses of the parts that webpack has numbered, what is loaded first, as the home page is, before."""
    if not _HAS_CHUNKS.search(script):
        return
    loaded = dict[str, int]()
    for number, match in enumerate(_LOADED.finditer("".join([*beside, script]))):
        loaded.setdefault(match[1], number)
    for match in _CHUNKS.finditer(script):
        folder, names = match["folder"] or "", dict(_ENTRY.findall(match["names"] or ""))
        # They lie where the script does: of "js/", what is before that in its own address.
        at, found, _ = url.rpartition(f"/{folder}") if folder else (url, "", "")
        root = f"{at}/" if found else urljoin(url, "/" if folder else ".")
        hashes = dict(_ENTRY.findall(match["hashes"]))
        for number in sorted(hashes, key=lambda number: loaded.get(number, len(script))):
            name = names.get(number, number) + match["between"] if match["between"] else ""
            yield f"{root}{folder}{name}{hashes[number]}{match['end']}"


def _hold(look: SiteLook, answer: Response, text: str, page: Page) -> None:
    """Notes the articles that a script has as data, as front ends do that page through a list without asking.

    It is an entry page where there is no other: with the next edition its name is another, and lists show what is new.
    """
    listing, made = look.reading(answer), look.found.article_url
    if made is None and listing.unnamed and not listing.links:
        look.found.article_url = template_of([text], listing.unnamed, [anchor.url for anchor in anchors_of(page)])
        listing = look.reading(answer)
    new = look.named(listing) - look.known
    if len(new) < LEAST_DATA:
        look.found.article_url = made
        return
    if not any(entry.articles for entry in look.lists):
        look.found.api.append(Entry(answer.url, new, "a script holds it"))
    look.held |= new
    look.seen.append(Seen("list", answer, new))


def _scripts_of(page: Page) -> Iterator[str]:
    """The addresses of the scripts that a page takes, modules that its head names or its own scripts import too."""
    heads = [one.get("href") for one in page.by_tag["link"] if "modulepreload" in (one.get("rel") or "").lower()]
    imported = [found for text in own_scripts(page) for found in _IMPORT.findall(text[:_MOST_OWN])]
    for src in [*(one.get("src") for one in page.by_tag["script"]), *heads, *imported]:
        if src:
            yield page.resolve(src)


def _parts_in(page: Page) -> Iterator[str]:
    """The parts that a page itself names: webpack's, and what modules' names stand for, as Parcel writes it."""
    for one in page.by_tag["script"]:
        if (one.get("type") or "").lower() == "importmap":  # {"imports": {"x1": "/Story.ab12.js"}}
            yield from parts_of(one.text or "", page.url)
        elif one.text and not one.get("src"):
            yield from islice(_chunks(one.text[:_MOST_OWN], page.url, ()), _MOST_PARTS)


def _place(url: str, late: int, times: int) -> tuple[int, ...]:
    """Where a script stands among those that are read: before a program's parts what the page itself takes.

    Of the parts what is called as what has lists is may be "index", which says of others that all pages take them.
    """
    common = _commonness(url)
    return common == 2, late, common if late != 1 else 0, -times


def _commonness(url: str) -> int:
    return 2 if LIBRARY.search(url) else int(_COMMON.search(url) is not None)
