"""Who wrote an article.

Longer than 300 lines by its patterns, which read best beside the functions that use them.
"""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

from articlebot.extraction.fields.beside import Headline, around, is_of_another
from articlebot.extraction.fields.bylines import (
    MAX_CHARS,
    labelled_line,
    lines_of,
    name_alone,
    named_line,
    readings,
    user_name,
    without_label,
)
from articlebot.extraction.fields.eastern import eastern, editors_in, is_eastern
from articlebot.extraction.fields.info_line import WEEKDAY, before_date, is_person, is_whole_name, spaced, without_date
from articlebot.extraction.fields.portraits import portrayed
from articlebot.page.blocks import Block
from articlebot.page.metadata import article_nodes, publishers, types_of
from articlebot.page.page import Page
from articlebot.page.tags import names_of
from articlebot.page.text import line_of, squash

_MAX_AUTHORS = 12
_META = tuple(
    "author article:author og:article:author byl dc.creator dcterms.creator parsely-author sailthru.author citation_author".split()
)
# Of libraries: a value of these is one person, the family's name first.
_INVERTED = frozenset(("dc.creator", "dcterms.creator", "citation_author"))
_FAMILY_FIRST = re.compile(r"\s*([^\W\d_][^,;&]{0,30}),\s?([^\W\d_][^,;&]{0,30})")
_DESK = 0.5  # confidence in an organisation as author
_DESKS = frozenset({"Organization", "NewsMediaOrganization", "Corporation"})
_SPLIT = re.compile(
    r"(?:(?<!\s)\s+)?(?:[;|/，；、&\n»]|(?<![\u4e00-\u9fff])[•·]|[•·](?![\u4e00-\u9fff])|,(?!\s*(?:Jr|Sr|Ph\.?D|M\.?D|II|III)\b)|\band\b|\bund\b|\bet\b|\bwith\b|\s和\s)\s*",
    re.I,
)
_PREFIX = re.compile(
    r"^[■□◆◇●○▲△▪►]\s{0,3}|^\s*(?:view\s+)?(?:all|more)\s+(?:posts|articles|stories)\s+by\s+|^\W*(?:(?:written|reported|posted|review(?:ed)?|edited|words|story|text|article|photos?|film|video|graphics?|illustrations?|interview|analysis|opinion|comment(?:ary)?|column|essay|feature|profile)\s+)?(?:by|von|par|por|di|door|af|av|autore?|author|author:|text)\b[:：]?\s+"
    r"|^\W*(?:(?:本报|本网|新华社|中新社|中新网|记者|記者|通讯员|作者|撰文|编译)\s*[:：/／|｜丨]?|文\s*[:：/／|｜丨])\s*(?:记者|記者|通讯员)?[:：]?\s*",
    re.I,
)
_SUFFIX = re.compile(
    r"(?<!\s)\s+(?:기자|(?:lv|level|vip)\.?\s?\d{1,3})$|(?:(?<!\s)\s+)?[,(（@|](?s:.*)\Z|\s[-–—]\s(?s:.*)\Z|(?<!\s)\s+(?:is|was|has|for|in|on|at|from|updated|published|posted|staff|special to|contributing|senior|correspondent|reporter|editor|(?:co-?)?founder|ceo|managing|journalist|columnist|freelance|deputy|"
    r"associated press)\b(?s:.*)\Z|(?:(?<!\s)\s+)?(?:(?:报道|報道|報導|摄)$|(?:实习生|编辑|通讯员|摄影)(?s:.*)\Z)",
    re.I,
)
_NO_NAME = re.compile(
    r"https?:|www\.|\.com|@|\d{2}|^(?:admin|super ?user|webmaster|editor|staff|guest|unknown|none|null|undefined|author|news|redaktion|redaction|views?|comments?|share)$"
    r"|newsletter|subscribe|cookie|\bregister\b|\b(?:log|sign) ?(?:in|up)\b|登录|登錄|登入|登録|注册|註冊|ログイン|关注|私信|\bfollow\b|\bclick\b|read more|^(?:facebook|twitter|linkedin|instagram|pinterest|youtube|tiktok|reddit|threads|medium|whatsapp|telegram)$|copyright|all rights|full bio|\bmore about\b|^about\b|^more\b|^view\b|^see\b|^published|^updated|^posted|^written|"
    r"lesedauer|lesezeit|min\.? read|minutes? read|read time|reading time|minuten|minutos|temps de lecture|tempo di lettura|tiempo de lectura|^\d+\s*min|mehr zum|zum autor|zur autorin|ver más|voir plus|suivre|seguir|segui|folgen|profil\b|»|"
    rf"^the\b.*\bstaff$|[报報][导導道]|日[电電]|小编|^(?:シェア|ツイート|分享到?|收藏|打印|列印|partager|tweeter|imprimer|teilen|twittern|drucken|compartir|tuitear|imprimir|condividi|stampa)$|责任编辑|发布|^(?:楼主|樓主|版主|管理员|管理員|网友|游客|匿名|佚名|本人|by|von|par|por|publié le|veröffentlicht)$|^(?:the|contributing|staff writers?|senior|associate|executive|\d*\s*min(?:ute)?s?(?: read)?|(?:redakteur|reporter|autor|journalist)(?:in)?)$|^(?:{WEEKDAY})$",
    re.I,
)
# What a name has behind it in brackets: a paper, a place, "(Saint-Alban (Lozère), envoyée spéciale)".
_BRACKETS = re.compile(r"[(（][^()（）]{0,80}(?:[(（][^()（）]{0,80}[)）][^()（）]{0,80})?[)）]")
# What one is, behind a name and a comma: ", Rural Affairs Editor".
_ROLE = re.compile(
    r",(?:(?!\band\b)[^,;|&]){0,60}?\b(?:editors?|correspondents?|reporters?|writers?|columnists?|contributors?|envoyée?s?|redac\w+|rédac\w+|redak\w+|korrespondent\w*|corresponsal|staff)\b(?:(?!\band\b)[^,;|&]){0,40}",
    re.I,
)
# What newspapers, stations and agencies end in that name themselves beside their writers.
_HOUSE = re.compile(
    r"\b(?:News|Times|Daily|Gazette|Herald|Online|Tribune|Journal|Magazine|Radio|TV|Press|Network|NETWORK|Agency|Post|Media)$|^The\s|"
    r"(?:网|網|日报|晚报|早报|日報|晚報|电视台|通讯社|新闻|频道|客户端|融媒体中心)$"
)
# Whom data name where no person is to be named.
_DESK_NAME = re.compile(
    r"\b(?:team|staff|desk|admin|administrator|editors|redaktion|redaction|newsroom)\b|" + _HOUSE.pattern, re.I
)
# A name in capitals with what one is or writes for behind it: "SAM VOSS Tri-County News", "ANN LEEHerald".
_CAPITALS = re.compile(
    r"^\s*([A-ZÀ-Þ]['’]?[A-ZÀ-Þ][A-ZÀ-Þ'’.-]*(?:\s[A-ZÀ-Þ][A-ZÀ-Þ'’.-]*){1,3})\s?(?=[A-ZÀ-Þ][a-zà-þ]).*"
)
# What a byline's label begins by chance: "by brands, I buy …"; and desks, whose names end in what one is, too.
_PRONOUN = re.compile(r"(?:\A|[,;]\s)I(?:\s|['’](?:ll|m|ve|d)\b)")
_DESK_END = re.compile(r"\s(?:staff|team|editors?|reporters?|correspondent)\Z", re.I)
_ONLY_THE = re.compile("the", re.I)
# An address behind a name, and a station's or paper's letters: "Ann Lee BBC News".
_BEHIND = re.compile(
    r"\s(?:[(<]?(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{0,100}|(?<=[a-zà-þ]\s)(?!JR|SR|III)[A-Z]{3,4}\s[A-Z][a-z])(?s:.*)\Z"
)
_LETTERS = re.compile(r"[A-Z]{3,5}\s[A-Z][a-z]")
# Yoast's and others' two lines for cards: "Written by", "Ann Lee".
_WRITTEN = re.compile(
    r"(?:written|posted) by|author|verfasst von|geschrieben von|autor|(?:écrit|rédigé) par|escrito por|scritto da|geschreven door|作者",
    re.I,
)
_WEAK_AND = re.compile(r"\s(?:y|e|i|en|og|och)\s")
_OTHERS = re.compile(
    r"comment|respond\b|responses?\b|\brepl(?:y|ies)|related|recommend|teaser|popular|latest|trending|\bmore-|read-next"
)
_AROUND = 5  # elements above one that are asked for what they hold
_BESIDE = 3  # elements above one in which others of the same line stand
_MAX_MARKED = 200
_MAX_INSIDE = 20
_MARKED_TAGS = frozenset(("a", "span", "div", "p"))
_AUTHOR = re.compile("author")
_SAYS = re.compile("rel|itemprop", re.I)
_NAME_OF_AUTHOR = re.compile(r"author[-_]{1,2}name(?:\"|\Z)")  # an element within a block that is called the author's
_CARDS = "author vcard", "vcard author", "p-author"
_MAX_ATTRIBUTE = 60
_MAX_USER = 50
_ADDRESS = re.compile(r"https?:|www\.|/\w+/", re.I)
_AROUND_NAME = " .,:：-–—_\"'“”()（）"


class Authors(NamedTuple):
    """Names in page order and the rule that gave them."""

    names: tuple[str, ...]
    rule: str
    confidence: float


def authors_of(page: Page, body: Sequence[Block], headline: Headline) -> Authors:
    """The authors of the article whose body are these blocks; of a discussion, who began it."""
    posted = _poster(page)
    return Authors((posted,), "jsonld", 0.95) if posted else _written(page, body, headline)


def _written(page: Page, body: Sequence[Block], headline: Headline) -> Authors:
    """The authors by all that names them.

    A site's own name is none, but where nothing else is found whom JSON-LD calls the author is one. Metadata often has
    but the first of several: where a byline has the same names and more, it is the byline's.
    """
    refused = {squash(value) for value in (*page.meta.get("og:site_name", ()), *publishers(page))}

    def persons(raw: Iterable[str], *, shown: bool = True) -> list[str]:
        names = (name for text in raw for name in split_names(text, shown=shown) if squash(name) not in refused)
        found = list(dict.fromkeys(names))
        if any(map(is_person, found)):
            found = [name for name in found if not _HOUSE.search(name)]
        return found[:_MAX_AUTHORS]

    desk: Authors | None = None
    for rule, confidence, raw in _sources(page, body, headline):
        names = persons(raw, shown=rule == "byline")
        if rule == "meta":
            names = _without_editors(names, page, body)
        if names and rule in ("jsonld", "meta"):
            better = _shown_instead(page, body, headline, Authors(tuple(names), rule, confidence), persons)
            if better:
                return Authors(tuple(better), "byline", confidence)
        found = Authors(tuple(names), rule, confidence)
        if names and not all(_is_desk(name, page) for name in names):
            return found
        desk = desk or (found if names else None)
    desks = (name.strip(" ,") for name in _from_jsonld(page, desks=True))
    named = tuple(dict.fromkeys(name for name in desks if is_name(name)))[:_MAX_AUTHORS]
    # Beside a desk that the data name, a name alone is that of a picture's agency; a site that names itself names none.
    nobody = desk is None and all(squash(name) in refused for name in named)
    beside = name_alone(page, body, headline) or portrayed(page, body, headline) if nobody else ()
    alone = tuple(persons(beside))
    if named and not alone:
        return Authors(named, "jsonld", _DESK)
    if alone := alone or tuple(persons(user_name(page, body, headline) or _card(page))):
        return Authors(alone, "byline", _DESK)
    if desk is not None:
        return desk
    # A person's own site bears that name.
    said = (*page.meta.get("author", ()), *lines_of(page, body, headline))
    if owner := [value for value in said if squash(value) in refused and is_person(value)][:1]:
        return Authors(tuple(owner), "meta", _DESK)
    # A site that says it wrote itself is its article's author as much as a paper that JSON-LD names.
    own = [name for text in labelled_line(page, body, headline) for name in split_names(text)]
    return Authors(tuple(own), "byline", _DESK) if own else Authors((), "none", 0.0)


def _is_desk(name: str, page: Page) -> bool:
    """Whether a name is a paper's, a team's, or what the document's title has behind the headline."""
    key, title = squash(name), squash(page.title)
    of_site = len(key) < len(title) and title.endswith(key) and not is_person(name)
    return of_site or _DESK_NAME.search(name) is not None


def _shown_instead(
    page: Page, body: Sequence[Block], headline: Headline, data: Authors, persons: Callable[..., list[str]]
) -> list[str]:
    """The names of a byline that knows more than the data; none where no line does.

    Meta elements may have whose the site is on all of its pages.
    """
    names = data.names
    lines = readings(page, body, headline, firm=True)
    if any(is_person(name) for name in names):
        shown = persons(next(lines, ()))
        if not _holds(shown, names):
            said = labelled_line(page, body, headline)
            shown = persons(said or (named_line(page, body, headline) if data.rule == "meta" else ()))
        return shown if shown and _is_better(shown, names) else []
    # Where the data name a paper or a team, any line that names persons knows more.
    return next((shown for line in lines if (shown := persons(line)) and _is_better(shown, names)), [])


def _turned(value: str) -> str:
    """A name as people say it: ``Finch, Eleanor`` is Eleanor Finch; of two full names nothing is turned."""
    match = _FAMILY_FIRST.fullmatch(value)
    if match is None or value.isupper() or (" " in match[1].strip() and is_person(match[1].strip())):
        return value
    return f"{match[2].strip()} {match[1].strip()}"


def _without_editors(names: list[str], page: Page, body: Sequence[Block]) -> list[str]:
    """The names but those that the page's lines give as editors: content systems state who put the text in."""
    if not body or not any(map(is_eastern, names)):
        return names
    first, last = body[0].index, body[-1].index
    lines = [*page.blocks[max(0, first - 8) : first + 2], *page.blocks[max(first, last - 2) : last + 5]]
    editors = {name for block in lines if len(block.text) <= MAX_CHARS for name in editors_in(spaced(block))}
    wrote = {name for block in lines if len(block.text) <= MAX_CHARS for name in eastern(spaced(block))}
    return [name for name in names if name not in editors or name in wrote]


def _is_better(shown: Sequence[str], stated: Sequence[str]) -> bool:
    """Whether a byline knows more than the metadata: all of its names and more, or full names where that has none of them.

    Content systems state who put the text in; readers see who wrote it.
    """
    if not all(is_person(name) for name in set(shown) - set(stated)):
        return False
    return _holds(shown, stated) or not any(
        squash(one) in squash(other) or squash(other) in squash(one) for one in shown for other in stated
    )


def _holds(shown: Sequence[str], stated: Sequence[str]) -> bool:
    """Whether a byline has all of the metadata's names and more; it may have a title before them: ``Dr Ann Lee``."""
    lines = [squash(name) for name in shown]
    return len(shown) > len(stated) and all(any(squash(name) in line for line in lines) for name in stated)


def split_names(text: str, *, shown: bool = False) -> list[str]:
    """The names in a byline such as ``By Ann Lee and Bo Li, Staff writers``.

    Args:
        shown: it is a line of the text, where a single word behind a full name is a place.
    """
    names: list[str] = []
    if _ADDRESS.search(text):
        return names
    text = " ".join(html.unescape(text).split())
    if _PRONOUN.search(text):
        return names
    if is_eastern(text) and (found := eastern(text)):
        return found
    for whole in _SPLIT.split(_PREFIX.sub("", without_label(_ROLE.sub("", _BRACKETS.sub(" ", text))))):
        parts = _WEAK_AND.split(whole)
        # Ortega y Gasset is one man, Ana Ruiz y Eva Gil are two women; 徐林 朱国兵 are two men.
        parts = parts if all(len(one.split()) > 1 for one in parts) else [whole]
        several = len(words := whole.split()) > 1 and all(map(is_whole_name, words))
        for part in words if several else parts:
            plain = _CAPITALS.sub(r"\1", _BEHIND.sub("", _PREFIX.sub("", part)))
            name = _SUFFIX.sub("", plain).strip(_AROUND_NAME)
            if (_DESK_END.search(plain) and not is_person(name)) or (not names and _ONLY_THE.fullmatch(name)):
                name = plain.strip(_AROUND_NAME)
            single = (
                (" " not in name or name[0].islower() or _LETTERS.match(name))
                and not is_eastern(name) and any(map(is_person, names))
            )  # fmt: skip
            if name and is_name(name) and not (single and (shown or name.isupper())):
                names.append(name)
    return [name for name in names if not _HOUSE.search(name)] or names


def is_name(name: str) -> bool:
    """Whether a text can be the name of a person or a desk."""
    if not 2 <= len(name) <= 50 or _NO_NAME.search(name) or not any(char.isalpha() for char in without_date(name)):
        return False  # "2 days ago", "Jan. 7"
    words = name.split()
    if any(char > "\u3000" for char in name):
        return len(name) <= 16
    return len(words) <= 6 and (name[0].isupper() or len(words) <= 3)


def _sources(page: Page, body: Sequence[Block], headline: Headline) -> Iterator[tuple[str, float, list[str]]]:
    yield "jsonld", 0.95, list(_from_jsonld(page))
    meta = [_turned(value) if key in _INVERTED else value for key in _META for value in page.meta.get(key, ())]
    meta += [
        value for number in "12" if _WRITTEN.match(next(iter(page.meta.get(f"twitter:label{number}", ())), ""))
        for value in page.meta.get(f"twitter:data{number}", ())
    ]  # fmt: skip
    yield "marked", 0.85, list(_marked(page, around(body)))
    yield "meta", 0.85, list(dict.fromkeys(meta))
    yield "byline", 0.75, lines_of(page, body, headline)


def _from_jsonld(page: Page, *, desks: bool = False) -> Iterator[str]:
    known = {node["@id"]: node for node in page.jsonld if isinstance(node.get("@id"), str)}
    for node in article_nodes(page.jsonld):
        found = list(_names(node.get("author") or node.get("creator"), known, desks=desks))
        if found:
            yield from found
            return


def _poster(page: Page) -> str:
    """Who began a discussion as its data state it: a user may be called anything, and posts quote others' bylines."""
    first = next(iter(article_nodes(page.jsonld)), {})
    author = first.get("author") if "DiscussionForumPosting" in types_of(first) else None
    name = author.get("name") if isinstance(author, dict) else None
    return " ".join(name.split())[:_MAX_USER] if isinstance(name, str) else ""


def _names(value: Any, known: dict[str, dict[str, Any]], *, desks: bool) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            name = item.get("name") or known.get(str(item.get("@id")), {}).get("name") or _of_parts(item)
            if not desks and types_of(item) & _DESKS:
                continue
            if isinstance(name, str) and name.lstrip().startswith(",") and not desks:
                continue  # an empty name with the paper's behind it
            if isinstance(name, list):
                yield from (str(part) for part in name)
            elif isinstance(name, str):
                yield name


def _of_parts(person: dict[str, Any]) -> str:
    """A name that data give in its parts."""
    return " ".join(part for key in ("givenName", "familyName") if isinstance(part := person.get(key), str))


def _marked(page: Page, article: Collection[Any]) -> Iterator[str]:
    """Elements that the markup itself names as author (rel, itemprop, a class): the first and those beside it.

    Those of comments, of teasers and of other articles are named so, too.
    """
    if not _says_author(page.text):
        return
    beside: etree._Element | None = None
    tried = 0
    for element in page.elements:
        if element.tag not in _MARKED_TAGS:
            if element.tag == "time" and beside is not None:
                return  # behind a post's own stand those who wrote the next
            continue
        rel = element.get("rel")
        says = (rel is not None and "author" in rel.split()) or element.get("itemprop") == "author"
        if says or _NAME_OF_AUTHOR.search(element.get("class") or ""):
            tried += 1
            if tried > _MAX_MARKED:
                return
            above = list(islice(element.iterancestors(), _AROUND))
            if any(_OTHERS.search(names_of(one)) for one in above):
                continue
            if is_of_another(element, article):
                continue
            text = _named_inside(element) or _first_line(map(str, element.itertext()))
            if not 2 <= len(text) <= 80 or (beside is not None and beside not in above):
                continue
            if beside is None:
                beside = above[min(len(above), _BESIDE) - 1]
            yield before_date(text)


def _card(page: Page) -> list[str]:
    """The name on the only card of an author that a page has (hAtom, h-entry); readers who comment have such, too."""
    if not any(name in page.text for name in _CARDS):
        return []
    classes = ((one, (one.get("class") or "").split()) for one in page.elements if one.tag in _MARKED_TAGS)
    cards = (line_of(one) for one, names in classes if "p-author" in names or {"author", "vcard"} <= {*names})
    found = {text for text in islice(cards, _MAX_MARKED) if 0 < len(text) <= _MAX_USER}
    return [*found] if len(found) == 1 else []


def _named_inside(element: etree._Element) -> str:
    """What the markup inside of an author says is the name (itemprop), "" where it says nothing."""
    for inner in islice(element.iter("meta", "span", "a", "div", "p", "h2", "h3", "h4", "strong"), _MAX_INSIDE):
        if inner is not element and inner.get("itemprop") == "name":
            return " ".join((inner.get("content") or "".join(map(str, inner.itertext()))).split())
    return ""


def _first_line(texts: Iterable[str]) -> str:
    """The texts of an element's parts up to where what is shown below a name follows without a blank: ``Ann LeeEditor``."""
    whole = ""
    for text in texts:
        if whole[-1:].islower() and text[:1].isupper():
            break
        whole += text
    return " ".join(whole.split())


def _says_author(source: str) -> bool:
    """Whether an attribute may say so: to ask a page's elements costs ten times as much."""
    for found in _AUTHOR.finditer(source):
        at = found.start()
        if _NAME_OF_AUTHOR.match(source, at) or _SAYS.search(source, max(0, at - _MAX_ATTRIBUTE), at):
            return True
    return False
