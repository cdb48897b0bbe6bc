"""The names in a text that says who wrote: ``By Ann Lee and Bo Li, Staff writers`` are two."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import html
import re

from articlebot.extraction.fields.byline_labels import without_label
from articlebot.extraction.fields.eastern import eastern, is_eastern
from articlebot.extraction.fields.info_line import WEEKDAY, is_person, is_whole_name, without_date

_FAMILY_FIRST = re.compile(r"\s*([^\W\d_][^,;&]{0,30}),\s?([^\W\d_][^,;&]{0,30})")
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
_WEAK_AND = re.compile(r"\s(?:y|e|i|en|og|och)\s")
_ADDRESS = re.compile(r"https?:|www\.|/\w+/", re.I)
_AROUND_NAME = " .,:：-–—_\"'“”()（）"


def split_names(text: str, *, shown: bool = False) -> list[str]:
    """The names in a byline such as ``By Ann Lee and Bo Li, Staff writers``.

    Args:
        shown: it is a line of the text, where a single word behind a full name is a place.
    """
    if _ADDRESS.search(text) or _PRONOUN.search(text := " ".join(html.unescape(text).split())):
        return []
    if is_eastern(text) and (found := eastern(text)):
        return found
    names: list[str] = []
    for whole in _SPLIT.split(_PREFIX.sub("", without_label(_ROLE.sub("", _BRACKETS.sub(" ", text))))):
        for part in _people(whole):
            name = _alone(part, first=not names)
            single = not is_eastern(name) and (" " not in name or name[0].islower() or _LETTERS.match(name))
            placed = single and (shown or name.isupper()) and any(map(is_person, names))
            if name and is_name(name) and not placed:
                names.append(name)
    return without_houses(names) or names


def _people(whole: str) -> list[str]:
    """What a byline has between its signs, or each name in it: Ortega y Gasset is one man, Ana Ruiz y Eva Gil are two.

    徐林 朱国兵 are two men.
    """
    if len(words := whole.split()) > 1 and all(map(is_whole_name, words)):
        return words
    parts = _WEAK_AND.split(whole)
    return parts if all(len(one.split()) > 1 for one in parts) else [whole]


def _alone(part: str, *, first: bool) -> str:
    """A name without what stands around it; what ends in a role keeps it where it is a desk's and no person's.

    Args:
        first: no name stands before it, where "The" begins a paper's.
    """
    plain = _CAPITALS.sub(r"\1", _BEHIND.sub("", _PREFIX.sub("", part)))
    name = _SUFFIX.sub("", plain).strip(_AROUND_NAME)
    of_desk = (_DESK_END.search(plain) and not is_person(name)) or (first and _ONLY_THE.fullmatch(name))
    return plain.strip(_AROUND_NAME) if of_desk else name


def without_houses(names: list[str]) -> list[str]:
    """Some names without those of papers, stations and agencies."""
    return [name for name in names if not _HOUSE.search(name)]


def is_desk(name: str) -> bool:
    """Whether a name is a paper's or a team's."""
    return _DESK_NAME.search(name) is not None


def is_name(name: str) -> bool:
    """Whether a text can be the name of a person or a desk."""
    if not 2 <= len(name) <= 50 or _NO_NAME.search(name) or not any(char.isalpha() for char in without_date(name)):
        return False  # "2 days ago", "Jan. 7"
    words = name.split()
    if any(char > "\u3000" for char in name):
        return len(name) <= 16
    return len(words) <= 6 and (name[0].isupper() or len(words) <= 3)


def turned(value: str) -> str:
    """A name as people say it: ``Finch, Eleanor`` is Eleanor Finch; of two full names nothing is turned."""
    match = _FAMILY_FIRST.fullmatch(value)
    if match is None or value.isupper() or (" " in match[1].strip() and is_person(match[1].strip())):
        return value
    return f"{match[2].strip()} {match[1].strip()}"
