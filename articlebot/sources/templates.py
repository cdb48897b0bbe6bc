"""How the addresses are made of articles that data list without: as the site's own scripts or links show it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from articlebot.sources.data import Item
from articlebot.urls import joined

_FIELD = r"(?:slug|id|key|uuid|code|[A-Za-z]{1,20}(?:Id|ID|_id|Slug|_slug))"
# "/news/" + item.id + ".html", `/news/${item.slug}`: the end of a text, a field, the beginning of the next text.
# Several fields may follow each other: "/".concat(e.section.slug,"/").concat(e.slug), `/${a.section.slug}/${a.slug}`.
_PIECE = r"""(?: \$\{{\s*+ (?:encodeURIComponent\(\s*+)? (?P<a>[\w$.?\[\]]{{1,80}}+) \s*+ \)? \s*+ \}}
      | ["'`] \s*+ (?P<joined>{joined}) \s*+ (?:encodeURIComponent\(\s*+)? (?P<b>[\w$.?\[\]]{{1,80}}+)
        \s*+ \)? (?: \s*+ [+,] \s*+ ["'`] | (?=\s*+[;,)\]}}]) )
    )
    (?P<after>[\w./?=&%-]{{0,40}})"""
_TEMPLATE = re.compile(
    r"(?P<before>(?:/|(?:(?<=href=[\"'])|(?<=href=\\[\"']))(?=[\w-]{1,40}\.(?:s?html?|php|aspx?|jsp)\?))[\w./?=&%-]{0,100})"
    + _PIECE.format(joined=r"\+|\.concat\("),
    re.X,
)
# What is fetched is no address for readers: fetch(API + "/stories/" + id).
ASKED = re.compile(
    r"(?:fetch|get|post|getJSON|ajax|axios|request)\(\s{0,9}(?:[\w$.]{1,40}\s{0,9}\+\s{0,9})?[\"'`]?\Z", re.I
)
# What leads to one article is called so, and what leads to a section otherwise.
_WORDS = r"articles?|news\w{0,10}|posts?|stor(?:y|ies)|\w{0,10}[dD]etails?|read|view|show|content|info|items?|blog|[ap]"
_OF_ONE = re.compile(rf"/(?:{_WORDS})/\Z")
# The route of a front end's router: {path: "/story/:slug", …}, without a slash in Angular's, ":slug()" in Nuxt's.
_PATH = rf"\bpath[\"']?\s{{0,4}}[:=]\s{{0,4}}[\"']/?(?P<before>(?:[\w-]{{1,40}}/){{0,2}}(?:{_WORDS})"
_ROUTE = re.compile(_PATH + r"/):(?P<name>\w{1,20})(?:\([^()\"']{0,20}\))?(?P<after>\.html)?/?[\"']")
# A route of any other name, but for those of lists: the only one leads to articles.
_NAMED_ROUTE = re.compile(
    r"\bpath[\"']?\s{0,4}[:=]\s{0,4}[\"']/?(?P<before>(?:[\w-]{1,40}/){0,2}"
    r"(?!(?:tags?|users?|authors?|categor\w{1,4}|channels?|topics?|search|sections?|columns?|lists?|pages?|profiles?)/)"
    r"[\w-]{1,40}/):(?P<name>\w{1,20})(?:\([^()\"']{0,20}\))?(?P<after>\.html)?/?[\"']"
)
# Where it is led to: $router.push({path: "/detail", query: {id: e.id}}).
_PUSHED = re.compile(
    _PATH + r"/?)[\"']\s{0,4},\s{0,4}query[\"']?\s{0,4}:\s{0,4}\{\s{0,4}[\"']?(?P<key>\w{1,30})[\"']?\s{0,4}:\s{0,4}"
    r"(?P<name>[\w$.]{1,80})"
)
_MORE = re.compile(_PIECE.format(joined=r"\)?\s*+(?:\+|\.concat\()|,"), re.X)
_MOST_HOLES = 4
_IS_LINK = 2
_HOLES = re.compile(r"\{([\w.]+)\}")
# What follows the field of an address: '<a href="' + i.path + '.html">', `${i.url}.html`.
_ENDED = re.compile(
    r"\.(?:path|url|link|href|pagePath|permalink|uri)\s{0,4}(?:\}|\+\s{0,4}[\"'`])(?P<ending>\.(?:s?html?|aspx|php))[\"'`\\]"
)
_ENDING = re.compile(r"\.(?:s?html?|aspx|php)\Z")
_WHOLE = "{url}"  # the whole of an item's address
_API = re.compile(r"(?:\A|/)(?:api|ajax|json|rest|graphql|wp-json|v\d)(?:/|\Z)|\.json", re.I)


def template_of(page_text: Iterable[str], items: Iterable[Item], hrefs: Iterable[str]) -> str | None:
    """How an item's address is made: with ``{field}`` in it; None where neither links nor scripts show it.

    Args:
        page_text: of the page's scripts.
        items: without addresses.
        hrefs: that the document has.
    """
    some = [item for item in items if not item.url][:20]
    if shown := _shown(some, list(hrefs)):
        return shown
    page_text, fields = [*page_text], {field for item in some for field in item.names}
    best: tuple[int, str] | None = None
    for text in page_text:
        for match in _TEMPLATE.finditer(begun := text[:2_000_000]):
            made = _whole(begun, match, fields)
            context = begun[max(0, match.start() - 40) : match.start()]
            if not made or _API.search(match["before"]) or ASKED.search(context):
                continue
            rank = _IS_LINK * bool(re.search(r"href|to=|location|\burl|link", context, re.I)) + (made[1] != "{")
            rank += _IS_LINK * bool(_OF_ONE.search(match["before"]))
            if best is None or rank > best[0]:
                best = rank, made
    if best and best[0] >= _IS_LINK:
        return best[1]
    # What is neither a link nor called an article may be where a script fetches its text.
    return next(_routes(page_text, fields), None) or _only_route(page_text, fields) or (best[1] if best else None)


def ending_of(urls: Sequence[str], known: Collection[str], texts: Iterable[str]) -> str | None:
    """How addresses are made of those in data to which the site's pages add an ending; None where they add none.

    Args:
        urls: that data state, absolute.
        known: addresses of articles that the site's pages link to.
        texts: of the scripts that show the data.
    """
    if not urls or any(url in known or _ENDING.search(url) or "?" in url for url in urls):
        return None
    endings = Counter(ending[0] for url in known if (ending := _ENDING.search(url)) and url[: ending.start()] in urls)
    if endings:
        return _WHOLE + max(endings, key=endings.__getitem__)
    shown = next((match for text in texts if (match := _ENDED.search(text[:2_000_000]))), None)
    return _WHOLE + shown["ending"] if shown else None


def _only_route(texts: Iterable[str], fields: set[str]) -> str | None:
    """The address of a router's only route that one field of the items fills, whatever it is called."""
    every = (match for text in texts for match in _NAMED_ROUTE.finditer(text[:2_000_000]))
    named = {(match["before"], _field(match["name"], fields), match["after"] or "") for match in every}
    filled = [f"/{before}{{{name}}}{after}" for before, name, after in named if name]
    return filled[0] if len(filled) == 1 else None


def _routes(texts: Iterable[str], fields: set[str]) -> Iterator[str]:
    """The addresses of a router's routes that one field of the items fills."""
    for text in texts:
        for match in _ROUTE.finditer(text[:2_000_000]):
            if name := _field(match["name"], fields):
                yield f"/{match['before']}{{{name}}}{match['after'] or ''}"
        for match in _PUSHED.finditer(text[:2_000_000]):
            if name := _field(match["name"], fields) or _field(match["key"], fields):
                yield f"/{match['before']}?{match['key']}={{{name}}}"


def _whole(text: str, match: re.Match[str], fields: set[str]) -> str:
    """The address that a script puts together from here on, "" where a part of it is no field of the items."""
    made = match["before"]
    for _ in range(_MOST_HOLES):
        name = _field(match["a"] or match["b"], fields)
        if not name:
            return ""
        made += f"{{{name}}}{match['after']}"
        more = _MORE.match(text, match.end())
        # A comma ends an address, but between the parts of a concat().
        if more is None or (more["joined"] == "," and match["joined"] not in (".concat(", ").concat(", ",")):
            return made
        match = more
    return made


def _field(path: str, fields: set[str]) -> str:
    """The field of the items that a variable means: ``e.section.slug``, ``newsId`` where they have ``id`` alone."""
    names = path.replace("?", "").lower().split(".")
    for start in range(len(names)):
        if (name := ".".join(names[start:])) in fields:
            return name
    last = path.rpartition(".")[2]
    if not re.fullmatch(_FIELD, last):
        return ""
    name = last.rpartition("_")[2].lower()
    # Of ``articleId`` the items may have ``id`` alone, and of ``id`` ``articleid``.
    alike = [
        one for one in fields if (one in ("id", "slug") and name.endswith(one)) or (name == "id" and one.endswith(name))
    ]
    return name if name in fields else alike[0] if len(alike) == 1 else ""


def _shown(items: Sequence[Item], hrefs: list[str]) -> str | None:
    """The address that most items have among a document's links, whose folder may be another of their fields."""
    made, told = Counter[str](), dict[tuple[str, str], str]()
    # What several articles share is a folder's name, and tells none of them.
    shared = {
        field for item in items for field, name in item.names.items()
        if told.setdefault((field, name), item.title) != item.title
    }  # fmt: skip
    for item in items:
        for field, name in item.names.items():
            if field in shared or (one := _from_links(field, name, hrefs)) is None:
                continue
            made[one] += 1
            for folder, called in item.names.items():
                if folder != field and f"/{called}/" in one:
                    one = one.replace(f"/{called}/", f"/{{{folder}}}/", 1)
                    made[one] += 1
    # What is the same for all says less than what differs: /{section}/{slug} rather than /news/{slug}.
    return max(made, key=lambda one: (made[one], one.count("{")), default=None)


def addressed(item: Item, base: str, template: str | None) -> str:
    """An item's absolute address, "" where it cannot be told."""
    if item.url and template and template.startswith(_WHOLE):
        return item.url + template.removeprefix(_WHOLE)
    if item.url or not template:
        return item.url
    made = _HOLES.sub(lambda match: item.names.get(match[1], ""), template)
    return joined(base, made) if all(name in item.names for name in _HOLES.findall(template)) else ""


def _from_links(field: str, name: str, hrefs: list[str]) -> str | None:
    """A link's address with a name in it as a whole, as an address of all."""
    if len(name) < 2:
        return None
    whole = re.compile(rf"(?<=[/=_-]){re.escape(name)}(?=[/.?&#]|\Z)")
    for href in hrefs:
        path = "/" + href.split("/", 3)[3] if href.count("/") > 2 else href
        if name in path and (match := whole.search(path)):
            return f"{path[: match.start()]}{{{field}}}{path[match.end() :]}"
    return None
