"""Names in the line below a headline that has no label for them: ``Ann Lee  5 May 2024``, ``王小明 2024-05-05``."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from collections.abc import Iterator

from articlebot.extraction.fields.date_words import MONTHS
from articlebot.page.blocks import Block

MAX_CHARS = 160
_SENTENCE = 60  # characters from which a line that ends in a stop is one: "Ashby Pumps today introduced …"
# A day alone has at most so many words beside "de": a month's, a day's of the week.
_DAY_WORDS, _SHORT = 2, 2
_YEAR, _WORDS = re.compile(r"\b(?:19|20)\d\d\b|(?:19|20)\d\d年"), re.compile(r"[^\W\d_]+")
_NUMBERS = re.compile(r"\b\d{1,4}\b")
_NUMERALS = "[〇○零一二三四五六七八九]{4}"  # of a year
# What dates and times are made of; removed, so that what stands beside them is left over.
_WHEN = re.compile(
    r"(?:(?<!\d)\d++\s*+(?:秒|分钟|小时|天|分鐘|小時|个小时)\s*之?前|刚刚|剛剛|今天|昨天|前天|just now|yesterday|today|"
    r"(?<!\d)\d++\s++(?:second|minute|hour|day|week)s?\s+ago|"
    r"(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,?\s+)?"
    # The month's whole word or its beginning: "Novak 1,234 views" has none.
    r"(?:\d{1,2}(?:st|nd|rd|th)?\s+)?\b(?:Jan(?:uar[yi]?|vier)?|Feb(?:ruar[yi]?)?|Mar(?:ch|et|zo|[st])?|Apr(?:ile?)?|Mayo?|June?|July?|Aug(?:ust)?|Sep(?:t(?:emb(?:er|re))?)?|O[ck]t(?:ob(?:er|re)|ubre)?|Nov(?:emb(?:er|re))?|De[cz](?:emb(?:er|re))?)\b\.?\s+(?:\d{1,2}(?:st|nd|rd|th)?(?!\d)(?:[,\s]{1,4}(?:19|20)\d{2})?|(?:19|20)\d{2})|"
    r"\b\d{1,2}\.?\s(?:de\s)?[^\W\d_]{3,12}\.?,?\s(?:de\s)?(?:19|20)\d{2}\b|"  # the month in any language
    r"\b\d{1,2}[./]\d{1,2}[./](?:19|20)\d{2}|(?<!\d)\d{1,2}月\d{1,2}[日号號]|\d{2,4}\s*[-/.年년]\s*\d{1,2}\s*[-/.月월]\s*\d{1,4}[日号일]?|"
    r"(?:(?:中[華华])?民[國国]|令和|平成)\s?(?:\d{1,3}|元)\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号號]|"
    rf"{_NUMERALS}年[正一二三四五六七八九十]{{1,2}}月[一二三四五六七八九十]{{1,3}}[日号號])"
    r"[\s,，T]*(?:[|·•–—-]\s*(?=\d))?(?:(?:at|às|à|um|om|ore|alle|a las|kl\.?|klo|saat)\s+(?=\d))?(?:[上下]午|午[前後]|凌晨|中午|晚上)?(?:\d{1,2}[:：h]\d{2}(?:[:：]\d{2}(?:\.\d{1,6})?)?|\d{1,2}[點点時时](?:\d{1,2}分)?)?\s*(?:[ap]\.?m\.?)?\s*(?:[A-Z]{2,4}\b|Z\b|[+-]\d{2}:?\d{2})?",
    re.I,
)
# A line that says when has a year or a clock; a label beside it is a word or two.
_DATED, _STOP = re.compile(rf"(?:19|20)\d\d|\d[:：]\d\d|{_NUMERALS}年|\d年\d"), re.compile("[，。！？]")
_PAIR = r"[\u4e00-\u9fff]{1,8}(?:[:：\s]{1,3}[\u4e00-\u9fff]{1,8}|[:：\s]{0,3}\d{1,7}次?)?"
_LABEL = re.compile(rf"{_PAIR}(?:\s{_PAIR}){{0,5}}")
# "5 min read", "Lesezeit: 3 Minuten", 阅读约需5分钟
_READING = re.compile(
    r"(?:\D{0,20}\s)?\d{1,3}\s?(?:-|\s)?min(?:\.|ute[ns]?|utos?|uti)?(?:\s(?:read(?:ing)?(?: time)?|to read|lesezeit|de lect\w{3,4}|di lettura))?|"
    r"[\u4e00-\u9fff约約]{2,6}\s?\d{1,3}\s?分[钟鐘]|\d{1,3}分で読め(?:る|ます)",
    re.I,
)
_WIRE = re.compile(
    "dpa|afp|apa|ap|rtr|reuters|sid|epd|kna|efe|ansa|belga|lby|lsw|lnw|lni|lhe|lsn|bb|mv|dpa-\\w{3}", re.I
)  # by its letters
_ADDRESS, _MOST_WHEN = re.compile(r"\bhttps?://\S{1,100}"), 100
# Where it was written, before the day: "Chur, 22.11.2026, 17:01".
_PLACE = re.compile(r"\A[A-ZÀ-Þ][a-zà-ÿ]{2,20},\s(?=\d)")
# By what number an office files it: "Press release No. 118/2026", "Pressemitteilung Nr. 118 vom 27.11.2026".
_FILED = re.compile(
    r"\W{0,3}(?:(?:press|news|media) ?(?:release|statement|notice)|(?:presse|medien)-?(?:mitteilung|information|meldung)|pressemelding|pressemeddelelse|pressmeddelande|persbericht|communiqué(?: de presse)?|(?:comunicado|nota)(?: de (?:prensa|imprensa))?|comunicato(?: stampa)?|пресс-релиз|보도\s?자료|(?:新[闻聞]|公)告?稿?|報道発表|プレスリリース)\s?(?:(?:no|nr|núm|num|n)\s?[.°º]{0,2}|№|#|第|:)\s?\d[\d/.-]{0,12}\s?[号號]?(?:\s(?:vom|of|from|du|del|dated|от))?\W{0,3}",
    re.I,
)
_SIGNS = re.compile(r"\A[^\w(（]+")  # before a name: ✍ 王晓燕
_BETWEEN = re.compile(r"[|｜·•\u3000/／、]+|\s{2,}|\s[-–—]\s")
# What stands between a name and a day: "Anne Dupont Publié le 5 mai 2024", "王小明 发表于 2024-05-05".
PUBLISHED = re.compile(
    r"(?:\A|[\s,，])(?:publi\w{1,8}(?: le| el)?|posted(?: on)?|mis à jour|(?:actuali[sz]|aktualis|atualiz|aggiorn|pubblic|veröffentlich|updat)\w{1,8}(?: am| il| em)?|stand|发表于|发布于|發表於|發布於|(?:发布|發布)?(?:时间|時間)(?=[:：]))\b[:：]?\Z",
    re.I,
)
_LABELLED = re.compile(
    r"(?:^|[\s\u3000|·•])By\s+(?P<name>[A-ZÀ-ÞĀ-Ž][\w'’.-]+(?:\s+(?:[A-ZÀ-ÞĀ-Ž][\w'’.-]*|de|da|van|von|bin|al)){1,3})"
)
_LATIN = re.compile(
    r"[A-ZÀ-ÞĀ-ŽА-ЯЁ][\w'’-]+(?:\s(?:[A-ZÀ-ÞĀ-ŽА-ЯЁ][\w'’.-]*|[\w]'[A-Z]\w+|de|da|del|della|di|du|dos|das|do|la|le|el|van|von|der|den|ten|ter|zu|bin|ibn|al|y)){1,4}\Z"
)
_NO_PERSON = re.compile(
    r"\b(?:news|desk|staff|team|press|agency|agen[cz]\w+|ajans\w+|agência|agentur|times|post|politics|sports?|business|world|opinion|updated|published|"
    r"local|media|the|from|read|share|comments?|views?|editor(?:ial)?|daily|weekly|today|breaking|report|city|state|"
    r"north|south|west|east|united|new|san|los|street|university|limited|company|inc|images?|photos?|pictures|archives?|stock|our|partners?|feeds?|articles?|founders?|reviewers?|directors?|managers?|writers?|reporters?|contribut\w+|correspondents?)\b",
    re.I,
)
# No name, though two words in capitals or a family's name: Thứ Sáu, 周五.
WEEKDAY = (
    r"thứ (?:hai|ba|tư|năm|sáu|bảy)|chủ nhật|(?:星期|[周週]|礼拜|禮拜)[一二三四五六日天]|[月火水木金土日]曜日?|[월화수목금토일]요일|(?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|"
    r"(?:segunda|terça|quarta|quinta|sexta)(?:-feira)?|(?:lune|marte|mercole|giove|vener)dì|sabato|domenica|(?:maan|dins|woens|donder|vrij|zater|zon)dag|(?:mån|tis|ons|tors|fre|lör|sön)dag|"
    r"понедельник|вторник|среда|четверг|пятница|суббота|воскресенье|pazartesi|salı|çarşamba|perşembe|cuma|cumartesi|senin|selasa|rabu|kamis|jumat|sabtu|minggu"
)
_WEEKDAY, _ON_WEEKDAY = re.compile(WEEKDAY, re.I), re.compile(rf"\A\W*(?:{WEEKDAY})\b\W*", re.I)
_HEADS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt"})
LINE_CHARS, NAME_CHARS, _SECTION_CHARS = 60, 30, 16
_BYLINE_CHARS = 80
_BYLINE = re.compile(
    r"\W*(?:(?:\w{4,11} and )?(?:words|text|story|written)(?: and \w{4,11})? by|by|von|par|por|di|door|av|af|"
    # What a piece is made of, and by whom: "Text: Anna Groß", "Words & pictures: Ann Lee".
    r"(?:words?|texte?|texto|testo|story|auth?or(?:in|a)?|auteure?|autric?e|автор(?: текста)?|текст|фото|(?:photo|foto|bild|picture|image|video|illustration)\w{0,5})(?:\s(?:and|und|et|y|e|&)\s\w{4,13})?\s?(?=:))\s*:?\s++",
    re.I,
)
_WRITES_FOR = re.compile(
    r"\s[Ff]or\s(?:[Tt]he\s)?[A-ZÀ-Þ][\w.&'’-]*(?:\s[A-ZÀ-Þ&][\w.&'’-]*){0,3}\Z"
)  # "Ann Lee for Harbour Watch"
_AND = re.compile(r"\s(?:and|und|et|og|och|en|&)\s")
_SEVERAL = re.compile(rf"{_AND.pattern}|[、，,]\s?")
_OF_DESK = re.compile(
    r"(?:(?:our|la|the|der|unserer) )?(?:staff(?: (?:reporter|writer|correspondent)s?)?|correspondents?|redacción|redaktion|rédaction|redazione|redação|newsroom)",
    re.I,
)
_BEHIND_NAME = re.compile(
    r"(?:[,;|·•(/]|\s[-–—]\s|\s(?:and|und|et|y|e|og|och|&|updated|published|posted)\s|\son\s(?:[a-z]{3,9}\.?\s)?(?=\d)|\d"
    r"|(?-i:\s(?:[Ff]or|FOR)\s(?:[Tt]he\s)?(?=[A-Z])))",
    re.I,
)
# The hundred and a half commonest family names bear nine of ten Chinese names.
_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖萧田董袁潘于蒋蔡余杜叶程魏苏吕丁任卢姚沈"
    "钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常汤康易乔赖"
    "傅阎卓蓝项喻柏窦戚岑霍解丛裴佟褚娄甄车冉楼盛佘游阮闵文樊兰殷施陶洪翟安颜倪牛温芦季俞章鲁葛伍申尤毕聂柴焦柳邢路岳齐梅庄辛管祝左涂谷祁时舒耿卜詹关苗凌费纪欧甘"
    "張劉陳楊黃趙吳孫馬羅鄭許韓鄧馮蕭葉蘇呂盧鍾譚陸範鄒龍賀顧龔邵萬錢嚴湯喬賴蘭顏溫蘆聶齊莊關紀歐謝蔣賈藍簡連柯翁童魯單畢婁車竇項閻塗閔龐應寧費樂"
)
_DOUBLE = frozenset(
    ("欧阳", "司马", "上官", "诸葛", "司徒", "东方", "皇甫", "尉迟", "公孙", "慕容", "令狐", "歐陽", "司馬", "諸葛")
)
_HAN = re.compile(r"[\u4e00-\u9fff]{2,4}\Z")
# What papers, sites, agencies and offices end in.
_NO_GIVEN = frozenset("报報网網社台刊局部处厅院校间間")
FOREIGN = r"[\u4e00-\u9fff]{1,8}(?:[·•・‧][\u4e00-\u9fff]{1,8}){1,3}"  # 英格丽德·索尔海姆
_FOREIGN = re.compile(rf"{FOREIGN}\Z")
_JAPANESE = re.compile(r"[\u4e00-\u9fff々]{4,6}\Z")  # family's and given name together
POINT = re.compile("[·•・‧]")
# Behind a text's last stop, in brackets.
_SIGNED = re.compile(r"[。」”][（(【]([^（()）【】]{2,12})[）)】]\Z")
# The hundred commonest Japanese family names, a third of all people, with a given name; in front of most of these
# endings they are a place's, an office's or a paper's: 中山大学, 山口新聞.
_JAPANESE_NAME = re.compile(
    r"(?:佐藤|鈴木|高橋|田中|伊藤|渡[辺邊邉部]|山[本田口崎下内]|中[村島野川山西]|小[林川野島山池]|加藤|吉田|松[本田井尾下]|井上|木[村下]|[斎斉齋齊]藤|清水|阿部|池田|橋本|石[川井田]|前田|藤[田井原本]|後藤|岡[田本]|村[上田]|長谷川|近藤|坂本|遠藤|青木|福田|三浦|西村|太田|原田|田村|竹内|金子|和田|工藤|上[田野]|森[田本]|酒井|横山|柴田|宮[崎本]|内[田藤]|高[木田]|谷口|安藤|丸山|今井|大[野塚西]|菅原|河野|武田|杉山|千葉|増田|平[野田]|久保田?|菊[地池]|岩崎|佐[野々]木?|野[口村]|新井|五十嵐)"
    r"[\s\u3000]?(?!県|[市区町村駅]|[日新])[一-龥々ぁ-んァ-ヶ]{1,3}(?<![報聞社学園院店局部会所県市区町村駅港校館行路])\Z"
)


def names_beside_date(block: Block) -> list[str]:
    """The names of persons in a line that also says when, in order; empty where the line says no such thing."""
    text = spaced(block)
    if len(text) > MAX_CHARS or (len(text) > _SENTENCE and text.endswith((".", "。"))):
        return []
    if not _WHEN.search(text) and (block.node.blocks > 1 or not _has_time(block)):
        return []
    labelled = _LABELLED.search(text)
    if labelled:
        return [labelled["name"]]
    return list(dict.fromkeys(name for name in parts(block) if is_person(name)))


def says_when(block: Block) -> bool:
    """Whether a line says when, and beside it no more than a name: ``Nov 3, 2026 · Ann Lee``, ``2026-11-03 海港报``.

    The article's section may stand there, too, as a link.
    """
    text = _ADDRESS.sub(" ", spaced(block)) if len(block.text) <= MAX_CHARS else ""
    if len(text) > _MOST_WHEN or _STOP.search(text) or not _WHEN.search(text):
        return False
    if not _DATED.search(text) and not _has_time(block):
        return False
    rest = filter(None, (part.strip(" ,，:：()-–—") for part in _BETWEEN.split(_WHEN.sub("|", _PLACE.sub("", text)))))
    sections = {raw.strip() for raw, link, _ in block.pieces if link is not None and len(raw) <= _SECTION_CHARS}
    return all(
        is_person(_WRITES_FOR.sub("", part))
        or any(form.fullmatch(part) for form in (_LABEL, _READING, _WIRE, _WEEKDAY))
        or part in sections
        for part in rest
    )


def _has_time(block: Block) -> bool:
    """Whether the markup calls something in a line a time; the day may say no year: ``27 Nov``."""
    return next(block.element.iter("time"), None) is not None


def is_byline(text: str) -> bool:
    """Whether a line only says whose the text below it is: ``By Ann Lee, Staff Writer``, ``2. Mai 2025 | Von Ana Groß``."""
    if len(text) > _BYLINE_CHARS:
        return False
    match = _BYLINE.match(text) or _BYLINE.match(text := _ON_WEEKDAY.sub("", without_date(text)))
    if match is None:
        return False
    name = _BEHIND_NAME.split(text[match.end() :], maxsplit=1)[0]
    return is_person(name.strip(" .")) or _OF_DESK.fullmatch(name.strip(" .")) is not None


def is_filed(text: str) -> bool:
    """Whether a line only says by what number and day an office files the text: ``Press release No. 118/2026``."""
    return len(text) <= _BYLINE_CHARS and _FILED.fullmatch(without_date(text)) is not None


def is_label(block: Block) -> bool:
    """Whether a line among comments is a heading, or only says who wrote the next one and when."""
    text = spaced(block)
    return block.tag in _HEADS or (
        len(text) <= LINE_CHARS and len(without_date(text)) <= min(len(text) - 5, NAME_CHARS)
    )


def spaced(block: Block) -> str:
    """A line's text with a blank between its elements, which often stand without: ``Ann Lee`` and ``5 May``."""
    return " ".join(" ".join(raw for raw, _, _ in block.pieces).split())


def before_date(text: str) -> str:
    """A text up to the first date or time in it, and to the word that says what happened then."""
    match = _WHEN.search(text)
    text = text[: match.start()] if match and match.start() else text
    said = PUBLISHED.search(text.rstrip())
    return text[: said.start()] if said else text


def without_date(text: str) -> str:
    """A text without the dates and times in it."""
    return _WHEN.sub(" ", text).strip()


def parts(block: Block) -> Iterator[str]:
    """What the line is made of without its times: the texts of its elements, cut at separators."""
    for raw, _, _ in block.pieces:
        for part in _BETWEEN.split(_WHEN.sub("|", raw)):
            whole = PUBLISHED.sub("", _SIGNS.sub("", " ".join(part.split()).strip(" ,，")))
            whole = name if is_person(name := _WRITES_FOR.sub("", whole)) else whole
            several = _AND.split(whole)
            yield from several if all(map(is_person, several)) else [whole]


def is_han_name(text: str) -> bool:
    """Whether two or three Chinese characters begin with a common family name, or up to four with a double one."""
    if _HAN.match(text) is None or text[-1] in _NO_GIVEN:
        return False
    return (text[0] in _SURNAMES and len(text) < 4) or (len(text) > 2 and text[:2] in _DOUBLE)


def is_japanese_name(text: str) -> bool:
    """Whether a text is one of the commonest Japanese family names with a given name, with or without a blank."""
    return _JAPANESE_NAME.match(text) is not None


def is_foreign_name(text: str) -> bool:
    """Whether a text is a foreign name in Chinese characters, with points between its parts."""
    return _FOREIGN.match(text) is not None and not all(map(is_han_name, POINT.split(text)))


def is_whole_name(text: str) -> bool:
    """Whether a text in Chinese characters is a whole name: beside it stands another one's, not the rest of this."""
    return is_han_name(text) or is_foreign_name(text) or _JAPANESE.match(text) is not None


def signature(text: str) -> list[str]:
    """The names that a text ends in: ``（陈思远）``, ``— Ann Lee`` as its last line, ``…。【山田太郎】``; empty without one."""
    ended = _SIGNED.search(text)
    name = ended[1] if ended is not None else text.strip(" ()（）【】—–-·/")
    names = _SEVERAL.split(name)
    apart = ended is not None or text[:1] in "—–-（(【"
    return names if is_han_name(name) or (apart and all(map(is_person, names))) else []


def is_person(text: str) -> bool:
    """Whether a text looks like a full name: with a common Chinese family name, or of two to four capitalised words."""
    if is_japanese_name(text):
        return True
    if _HAN.match(text):
        return is_han_name(text)
    if is_foreign_name(text):
        return True
    named = len(text) <= 40 and _LATIN.match(text) is not None and not _NO_PERSON.search(text)
    return named and _WEEKDAY.fullmatch(text) is None


def is_day(text: str) -> bool:
    """Whether a line is a day alone, as blogs have above their posts: ``Sunday, 22 June 2025``."""
    if _YEAR.search(text) is None:
        return False
    if not without_date(text):
        return True
    words = [word.lower() for word in _WORDS.findall(text) if len(word) > _SHORT]
    return len(words) <= _DAY_WORDS and any(word in MONTHS for word in words) and len(_NUMBERS.findall(text)) > 1
