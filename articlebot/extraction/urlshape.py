"""Which URLs of a job are articles, learned without a pattern.

A URL's shape keeps what a site repeats (folders, extensions, parameter names) and replaces what differs between
articles (numbers, dates, slugs). Every page whose kind was observed counts for its shape; a new URL is judged by its
own shape, backed off to the same shape without folder names, and at last to what article URLs look like anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from urllib.parse import parse_qsl, unquote, urlsplit

_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_DATE8 = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-3]\d)?\Z")
_DATE_DASHED = re.compile(r"(?:19|20)\d\d-\d{1,2}(?:-\d{1,2})?\Z")
_ID_RUN = re.compile(r"\d+")
_HEX = re.compile(r"[0-9a-f-]{16,}\Z", re.I)
# Shorter ones, which no word with a number is: 4b64cacd, Xk92bQ7d.
_SHORT_HEX, _NAME, _LEAST_TURNS = (
    re.compile(r"(?=\D*\d\D*\d)[0-9a-f]{8,15}\Z", re.I),
    re.compile(r"[0-9A-Za-z]{8,24}\Z"),
    3,
)
# Some generators leave out the zeros at its front: of names of eight every sixteenth has seven, as 7ceb62d. What has a
# number behind letters alone, or before them, is a word: feb2026.
_SHORTER_HEX, _LEAST_HEX_TURNS = re.compile(r"(?=\D*\d\D*\d)[0-9a-f]{6,7}\Z", re.I), 2
_TURN, _COUNTED = re.compile(r"(?<=\d)(?=[A-Za-z])|(?<=[A-Za-z])(?=\d)"), re.compile(r"\d{4}")
_MADE_UP = re.compile(r"<hex>(?:\.\w{1,5})?\Z")
_WORDS = re.compile(r"[^\W\d_]+")
_LIST_WORDS = frozenset(
    "tag tags category categories cat author authors topic topics section sections channel channels index list "
    "page search "
    "archive archives about contact login register user users special zt video videos photo photos gallery live "
    "feed rss "
    "subscribe help privacy terms account profile jobs advertise newsletter newsletters sitemap".split()
)
# Lists by their number: /channel_25950, /list-6-2.html, /tag12345.
_NUMBERED_LIST = re.compile(
    r"(?:tag|cat|category|channel|list|section|author|column)s?[_-]?\d+(?:[_-]\d+)*(?:\.\w{2,5})?\Z"
)
# Whose folders have a page for each who writes, called by a name of two or three words.
_WRITERS = frozenset(
    "contributor contributors columnist columnists writer writers reporter reporters byline bylines".split()
)
_MOST_NAMES = 3
# Programs that list, whatever they are asked for: /bbs/list.php?id=free.
_LISTING = frozenset("list lists search category channel tag".split())
# What a parameter's value says of the page: ?view=category&id=8, ?a=list&cid=3.
_LIST_VALUES = frozenset("category categories list lists section archive archives tag tags index author".split())
# What says that a program shows one thing by its number: ?m=content&c=index&a=show&catid=6&id=12.
_SHOWS = re.compile(r"(?:\A|&)(?:a|act|action|do|op|view)=(?:show|detail|details|read|view|article)(?:&|\Z)", re.I)
# What asks a list for those who write, or for a tag: /journal?author=5f3a9c01.
_ASIDE_KEYS = frozenset("author authors auteur autor tag tags label labels keyword mot".split())
_ID_KEYS = frozenset(
    "id aid nid sid storyid story_id story articleid article_id article newsid news_id artid art_id docid contentid "
    "content_id postid post_id itemid entryid".split()
)
# What WordPress calls a post at its front page until it is told to write names: /?p=1373, /index.php?p=1373.
_AT_FRONT, _FRONT = "p", re.compile(r"/(?:index\.\w{3,5})?\Z")
_NOT_PAGES = re.compile(
    r"\.(?:jpe?g|png|gif|webp|svg|ico|css|js|mp[34]|m4[av]|avi|mov|zip|gz|rar|exe|apk|dmg|xml|rss|json)\Z", re.I
)

# Folders of what is sold, filled or held. Of 400 articles of the web content extraction benchmark one lies in such a
# folder, a list of events; of its 33 products 16 do.
_OFFER_FOLDERS = frozenset(
    "agenda calendar calendario calendrier kalender kalendarium kalendarz classifieds kleinanzeigen clasificados "
    "classificados petites-annonces ogloszenia "
    "event events job jobs vacancy vacancies shop store product products veranstaltung "
    "veranstaltungen veranstaltungskalender stellenangebot stellenangebote stellenanzeigen stellenmarkt produkt "
    "produkte evenement evenements offre-emploi offres-emploi offres-d-emploi boutique produit produits evento "
    "eventos tienda producto productos ofertas-de-empleo vagas loja produto produtos eventi negozio prodotto "
    "prodotti offerte-di-lavoro evenementen vacature vacatures winkel producten evenemang lediga-jobb produkter "
    "ledige-stillinger arrangementer butik sklep produkty oferty-pracy".split()
)

# What addresses call tags.
TAG_WORDS = r"tags?|labels?|keywords?|etiquetas?|schlagw\w{3,6}|stichw\w{3,6}|mots?-cles?|emneord|biaoqian"
# Lists of what else stands in sections: each names articles once more, and there may be thousands.
_SIDE_LIST = re.compile(
    rf"/(?:{TAG_WORDS}|authors?|writers?|reporters?|bylines?|contributors?|columnists?|staff|people|"
    r"autor(?:es|a|i|e|en|zy)?|auteurs?|redacteurs?|skribenter?|forfattere?|topics?|zuozhe)(?:/|\Z|\.|_|:|-\w)",
    re.I,
)

# What wikis have beside their articles: pages of users, files and forms, and what a page once said.
_WIKI = re.compile(
    r"[/=](?:special|user|talk|file|template|help|mediawiki|spezial|benutzer|datei|vorlage|hilfe|utilisateur|fichier|aide|"
    r"usuario|archivo|ayuda|utente|aiuto|特殊|特别|用户|文件|模板|帮助)(?:[_ ]talk)?:|"
    r"[?&](?:action=(?:edit|history|raw|info)|do=(?:edit|revisions|backlink|diff|login|register|recent|media|index|search|admin|profile|subscribe|export_\w{1,20})?|oldid=\d{1,12}|diff=\d{1,12})(?:&|\Z)",
    re.I,
)  # fmt: skip

# A page once more, for printers: ?art=17&print=1, ?view=print.
_PRINTED = re.compile(
    r"(?:\A|&)(?:print(?:able|er|view|version)?(?!=(?:0|false|no)?(?:&|\Z))|(?:view|mode|action|format|style|layout|type|op|file|act|do|task)="
    r"print\w{0,10})(?:[=&]|\Z)",
    re.I,
)
# Pages that serve, in English and other European languages, and are no list of a site's news.
_SERVICE_PATH = re.compile(
    r"/(?:about(?:us)?|contact(?:us)?|log-?(?:in|out)|sign-?(?:in|up|out)|register|account|users?|profiles?|"
    r"subscri\w+|privacy\w*|terms\w*|legal|imprint|impressum|cookies?|consent|faq|feedback|"
    r"advert\w*|ads?|shop|store|cart|donate|search|sousuo|corrections|masthead|accessibility|sitemap|rss|feeds?|"
    r"print|amp|wap|mobile|app|memberlist|ucp|posting|download|cgi-bin|copyright|disclaimer|admin|wp-admin|wp-login|api|cdn-cgi|comments?|"
    r"datenschutz\w*|kontakt|agb|nutzungsbedingungen|mediadaten|werb(?:ung|en)|abo|anmelden|registrieren|barrierefreiheit|ue?ber-uns|"
    r"mentions-legales|cg[uv]|(?:politique-de-)?confidentialite|a-propos|qui-sommes-nous|nous-contacter|connexion|abonnements?|publicite|"
    r"aviso-legal|(?:politica-de-)?(?:privacidade?|cookies)|contact[eo]s?|quienes-somos|sobre-nos(?:otros)?|acerca-de|publicidade?|suscri\w+|"
    r"terminos\w*|termos\w*|quem-somos|contato|fale-conosco|chi-siamo|contatti|note-legali|pubblicita|abbona\w+|informativa\w*|over-ons|"
    r"colofon|adverteren|(?:algemene-)?voorwaarden|inloggen|o-nas|regulamin|polityka-prywatnosci|reklama|om-oss?|om(?=/?\Z)|kontakta-oss|personvern|"
    r"annoncer(?:ing)?|annonsera?|ficha-tecnica|estatuto-editorial|anunciate|aviso-de-privacidad|email-alerts?)"
    r"(?:[./_]|\Z|-(?:us|of|and|the|our|policy|statement|notice|use|service|edition|in|up|out|now|form|page|team)(?:[./_-]|\Z))",
    re.I,
)


_MANY = 4
# Between words; names of tags and authors have fewer.
_JOINT, _HEADLINE_JOINTS = re.compile(r"(?<=\w)[-_](?=[^\W_])"), 4


def serves(path: str) -> bool:
    """Whether a path is called as pages are that serve: contact, terms, subscriptions."""
    return _SERVICE_PATH.search(path) is not None


def is_offer(url: str) -> bool:
    """Whether a page lies in a folder of goods, jobs or events."""
    return not _OFFER_FOLDERS.isdisjoint(urlsplit(url).path.lower().split("/")[1:-1])


def is_side_list(url: str) -> bool:
    """Whether an address is of a list by tag or author; ``/label-drops-a-singer-for-good`` is a headline."""
    parts = urlsplit(url)
    if _asks_aside(parse_qsl(parts.query, keep_blank_values=True)[:6]):
        return True
    match = _SIDE_LIST.search(parts.path)
    is_headline = len(_JOINT.findall(parts.path.rstrip("/").rpartition("/")[2])) >= _HEADLINE_JOINTS
    return match is not None and (match[0].endswith("/") or not is_headline)


def _asks_aside(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether a query asks for what one has written, or for a tag, and for no article by its name."""
    keys = {key.lower().rstrip("0123456789") for key, _ in pairs}  # spip.php?auteur5
    return not _ASIDE_KEYS.isdisjoint(keys) and _ID_KEYS.isdisjoint(keys)


def is_about_wiki(url: str) -> bool:
    """Whether an address is of a wiki's own pages, or of what was said or done on one."""
    rest = "/" + url.partition("://")[2].partition("/")[2]
    rest = unquote(rest) if "%" in rest else rest
    return (":" in rest or "?" in rest) and _WIKI.search(rest) is not None


def prints(query: str) -> bool:
    """Whether an address with this query shows a page once more, for printers."""
    return _PRINTED.search(query) is not None


@lru_cache(maxsize=8192)
def shape(url: str) -> str:
    """The shape of a URL, such as ``www.example.com/news/<Y>/<M>/<slug>.html?id=<n>``.

    Numbers become ``<n>`` (runs of one or two digits, such as page numbers, ``<d>``), dates ``<Y>``, ``<M>``,
    ``<date>``, hyphenated or long words ``<slug>``, hexadecimal names ``<hex>``; short words stay.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return "<invalid>"
    segments = [s for s in unquote(parts.path).split("/") if s]
    shaped: list[str] = []
    for i, segment in enumerate(segments):
        previous = shaped[-1] if shaped else ""
        shaped.append(_segment(segment, previous, last=i == len(segments) - 1))
    path = "/" + "/".join(shaped) + ("/" if parts.path.endswith("/") and shaped else "")
    asked = parse_qsl(parts.query, keep_blank_values=True)[:6]
    # A name without a value may be the page's, as SPIP has them: spip.php?article1373 beside spip.php?auteur5.
    query = sorted({f"{k}={_segment(v, '', last=True)}" if v else _segment(k, "", last=True) for k, v in asked})
    return (parts.hostname or "").lower() + path + ("?" + "&".join(query) if query else "")


def _segment(segment: str, previous: str, *, last: bool) -> str:
    if _YEAR.match(segment):
        return "<Y>"
    if _DATE8.match(segment) or _DATE_DASHED.match(segment):
        return "<date>"
    if previous in ("<Y>", "<M>") and segment.isdigit() and len(segment) <= 2:
        return "<M>" if previous == "<Y>" else "<D>"
    stem, dot, extension = segment.rpartition(".")
    if not dot or not extension.isalnum() or len(extension) > 5 or extension.isdigit():
        stem, dot, extension = segment, "", ""
    return _stem(stem, last=last) + dot + extension.lower()


def _stem(stem: str, *, last: bool) -> str:
    if stem.isdigit():
        return "<d>" if len(stem) <= 2 else "<n>"
    if (_HEX.match(stem) and any(c.isdigit() for c in stem)) or _SHORT_HEX.match(stem) or _is_made_up(stem):
        return "<hex>"
    words = _WORDS.findall(stem)
    numbers = _ID_RUN.findall(stem)
    if len(words) >= 4 or (last and (len(words) == 3 or len(stem) >= 24)) or any(ord(c) > 0x2E80 for c in stem):
        return "<slug>"
    if numbers:
        return _ID_RUN.sub(lambda m: "<d>" if len(m[0]) <= 2 else "<n>", stem.lower())
    return stem.lower()


def _is_made_up(stem: str) -> bool:
    """Whether letters and digits follow each other as in a name that a machine draws."""
    turns = len(_TURN.findall(stem))
    if _SHORTER_HEX.match(stem):
        return turns >= _LEAST_HEX_TURNS
    return bool(_NAME.match(stem)) and not _COUNTED.search(stem) and turns >= _LEAST_TURNS


@lru_cache(maxsize=8192)
def looks_like_article(url: str) -> float:
    """How much a URL of a site never seen looks like an article's: 0 (a section) to 1 (dated, numbered, a slug)."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return 0.0
    # Of Chinese in UTF-8 the escapes look like words and numbers; what is no UTF-8 stays as it is.
    spelled = unquote(parts.path) if "%" in parts.path else parts.path
    path, named, asked, aside = parts.path if "\ufffd" in spelled else spelled, "", set[str](), False
    if parts.query.startswith("/"):  # some systems put the path behind the question mark
        path = path.rpartition("/")[0] + parts.query.partition("&")[0]
    elif parts.query:
        pairs = parse_qsl(parts.query)[:6]
        keys = _ID_KEYS | {_AT_FRONT} if len(pairs) == 1 and _FRONT.match(path) else _ID_KEYS
        shows = _SHOWS.search(parts.query) is not None
        named = next((v for k, v in pairs if k.lower() in keys and (len(v) > 2 or shows)), "")
        asked = set() if shows and named else {v.lower() for _, v in pairs}
        aside = _asks_aside(pairs)
    is_page = parts.scheme in ("http", "https") and not _NOT_PAGES.search(parts.path)
    if not is_page or prints(parts.query) or is_about_wiki(url):
        return 0.0
    shaped = shape(url).partition("/")[2]
    segments = [s for s in path.lower().split("/") if s]
    if not segments and not parts.query:
        return 0.02
    score = 0.25 + 0.08 * min(len(segments), 4)
    if named and (segments or pairs[0][0] == _AT_FRONT) and "".join(segments[-1:]).partition(".")[0] not in _LISTING:
        # an identity in the query stands for the name: /index.jsp?storyID=331739, /article.cfm?id=new-bridge-opens
        segments[-1:] = [named.lower()]
        score += 0.15
    last = segments[-1] if segments else ""
    slug_words = _words_in(last.rpartition(".")[0] or last)
    longest_number = max((len(n) for n in _ID_RUN.findall(path + "?" + parts.query)), default=0)
    score += 0.25 if "<Y>" in shaped or "<date>" in shaped else 0.0
    score += 0.2 if longest_number >= 5 or _MADE_UP.search(shaped) else 0.1 if longest_number >= 3 else 0.0
    score += 0.3 if slug_words >= 4 else 0.15 if slug_words == 3 else 0.0
    score += 0.1 if re.search(r"\.s?html?\Z", last) and longest_number >= 3 else 0.0
    folders = set(segments[:-1] if longest_number >= 5 or slug_words >= 3 else segments)
    score -= 0.35 if folders & _LIST_WORDS or asked & _LIST_VALUES or last.partition(".")[0] in _LIST_WORDS else 0.0
    score -= 0.35 if aside or _NUMBERED_LIST.match(last) else 0.0
    is_name = slug_words <= _MOST_NAMES and longest_number < 5
    score -= 0.35 if is_name and not _WRITERS.isdisjoint(segments[-2:]) else 0.0
    numbered = last.isdigit() and len(last) > 2 and not _YEAR.match(last)
    if path.endswith("/") and slug_words < 3 and longest_number < 5 and not numbered:
        score -= 0.2
    if len(segments) <= 1 and slug_words < 3 and longest_number < 4 and not named:
        score -= 0.25
    return min(1.0, max(0.02, score))


def is_one_of_many(url: str, others: Iterable[str]) -> bool:
    """Whether at least four other addresses are of the same shape, which has a number, a date or a headline."""
    own = of_any_number(shape(url))
    alike = (other for other in others if other != url and of_any_number(shape(other)) == own)
    return "<" in own and len([*islice(alike, _MANY)]) == _MANY


def _words_in(name: str) -> int:
    """The words of a name; of Chinese two characters are one."""
    return max(len(_WORDS.findall(name)), sum(ch >= "\u2e80" for ch in name) // 2)


def of_any_number(shaped: str) -> str:
    """A shape in which short numbers are as long ones: the article behind /archives/99 is /archives/100."""
    return shaped.replace("<d>", "<n>")


def general_shape(url: str) -> str:
    """The shape of an address without the names of its folders."""
    return generalised(shape(url))


def generalised(shaped: str) -> str:
    """A shape without the names of its folders, so that a section never seen shares what its sisters taught."""
    host, _, rest = shaped.partition("/")
    path, _, query = rest.partition("?")
    *folders, last = path.split("/")
    kept = ["*" if f and "<" not in f else f for f in folders]
    return host + "/" + "/".join([*kept, last]) + ("?" + query if query else "")
