"""What words in an address say of its page: goods, lists by tag or author, wikis' own pages, printing, service."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, unquote, urlsplit

# What asks a list for those who write, or for a tag: /journal?author=5f3a9c01.
_ASIDE_KEYS = frozenset("author authors auteur autor tag tags label labels keyword mot".split())
ID_KEYS = frozenset(
    "id aid nid sid storyid story_id story articleid article_id article newsid news_id artid art_id docid contentid "
    "content_id postid post_id itemid entryid".split()
)

# Folders of what is sold, filled or held. Of 400 articles of the web content extraction benchmark one lies in such a
# folder, a list of events; of its 33 products 16 do.
_OFFER_FOLDERS = frozenset(
    "agenda calendar calendario calendrier kalender kalendarium kalendarz classifieds kleinanzeigen clasificados "
    "classificados petites-annonces ogloszenia "
    "event events job jobs career careers karriere vacancy vacancies shop store product products veranstaltung "
    "veranstaltungen veranstaltungskalender stellenangebot stellenangebote stellenanzeigen stellenmarkt produkt "
    "produkte evenement evenements offre-emploi offres-emploi offres-d-emploi boutique produit produits evento "
    "eventos tienda producto productos ofertas-de-empleo vagas loja produto produtos eventi negozio prodotto "
    "prodotti offerte-di-lavoro evenementen vacature vacatures winkel producten evenemang lediga-jobb produkter "
    "ledige-stillinger arrangementer butik sklep produkty oferty-pracy".split()
)

# Folders right above pages in which a site speaks of itself and of what it does, or tells how that is used.
_OWN_FOLDERS = frozenset(
    "about about-us ueber-uns uber-uns a-propos sobre sobre-nos quienes-somos chi-siamo over-ons om-oss o-nas guanyu "
    "legal rechtliches mentions-legales policies privacy terms faq faqs help hilfe aide ayuda ajuda aiuto bangzhu "
    "support help-center helpcenter doc docs documentation documentacion dokumentation manual manuals handbook "
    "handbuch knowledge-base knowledgebase kb service services solution solutions case cases case-study case-studies "
    "fangan anli".split()
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
# Between words; names of tags and authors have fewer.
_JOINT, _HEADLINE_JOINTS = re.compile(r"(?<=\w)[-_](?=[^\W_])"), 4


def serves(path: str) -> bool:
    """Whether a path is called as pages are that serve: contact, terms, subscriptions."""
    return _SERVICE_PATH.search(path) is not None


def is_offer(url: str) -> bool:
    """Whether a page lies in a folder of goods, jobs or events."""
    return not _OFFER_FOLDERS.isdisjoint(urlsplit(url).path.lower().split("/")[1:-1])


def is_about_site(url: str) -> bool:
    """Whether a page lies right in a folder of what a site says of itself, its terms or the use of its own things."""
    return urlsplit(url).path.lower().rstrip("/").rpartition("/")[0].rpartition("/")[2] in _OWN_FOLDERS


def is_side_list(url: str) -> bool:
    """Whether an address is of a list by tag or author; ``/label-drops-a-singer-for-good`` is a headline."""
    parts = urlsplit(url)
    if asks_aside(parse_qsl(parts.query, keep_blank_values=True)[:6]):
        return True
    match = _SIDE_LIST.search(parts.path)
    is_headline = len(_JOINT.findall(parts.path.rstrip("/").rpartition("/")[2])) >= _HEADLINE_JOINTS
    return match is not None and (match[0].endswith("/") or not is_headline)


def asks_aside(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether a query asks for what one has written, or for a tag, and for no article by its name."""
    keys = {key.lower().rstrip("0123456789") for key, _ in pairs}  # spip.php?auteur5
    return not _ASIDE_KEYS.isdisjoint(keys) and ID_KEYS.isdisjoint(keys)


def is_about_wiki(url: str) -> bool:
    """Whether an address is of a wiki's own pages, or of what was said or done on one."""
    rest = "/" + url.partition("://")[2].partition("/")[2]
    rest = unquote(rest) if "%" in rest else rest
    return (":" in rest or "?" in rest) and _WIKI.search(rest) is not None


def prints(query: str) -> bool:
    """Whether an address with this query shows a page once more, for printers."""
    return _PRINTED.search(query) is not None
