"""Lines that say by their whole form that they are none of a text: credits and calls at its ends, what leads on.

A word within a line keeps nothing out: "Contact with the trawler was lost" is news. Each form here is read from a line's
beginning or to its end, in the few lines where it stands on pages. No set of the corpus loses by it
(docs/decisions/0007-reading-a-page.md).
"""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from articlebot.extraction.fields.calendars import in_common_form
from articlebot.extraction.fields.eastern import EDITING
from articlebot.extraction.fields.info_line import is_filed
from articlebot.extraction.generic.bios import signed
from articlebot.extraction.generic.boxes import asking
from articlebot.extraction.generic.captions import alone_with_pictures, is_caption
from articlebot.extraction.generic.copies import copied, hidden_lines
from articlebot.extraction.generic.figures import COUNTS, is_count, is_editor
from articlebot.extraction.generic.leads import headings_of_others, inserted, is_menu, leading_on, teasers
from articlebot.extraction.generic.quotes import pulled
from articlebot.page.blocks import Block, Picture

_HEAD, _TAIL, _LATIN_TAIL = 3, 8, 5  # lines at a text's ends in which a Chinese page credits, disclaims and calls
_MAX_CHARS, _CREDIT_CHARS, _CALL_CHARS, _WHEN_CHARS = 250, 80, 60, 120
# A summary that was cut out of the text above which it stands: so long at least, of so many lines at most.
_ABSTRACT = re.compile(r"\W{0,3}(?:摘要|导读|导语|提要|内容提要|核心提示|简介|summary|abstract)\W{1,4}", re.I)
_LEAST_ABSTRACT: Final = 20
_OPENING: Final = "\"'“‘「『《（(【"  # of a text's first sentence, which the label's end takes
_LEAST_LABELLED: Final = 6  # behind a label
_MOST_REPEATED, _ADVERT_CHARS = 6, 60
_LANGUAGE_CHARS, _LANGUAGE_LEVELS = 20, 3
_MARKED: Final = 0.9  # share of a line in italics, or of a link

_ROLES = (
    rf"{EDITING}|值班编辑|值班编委|审核|审读|监制|编审|记者|記者|通讯员|实习生|作者|撰文|文字|图片|摄影|"
    r"摄像|编译|供稿|主编|出品|策划|统筹|排版|视觉|设计|制图|初审|复审|终审|[一二三]审|签发|翻译|译者|文|图"
)
_CREDIT = re.compile(rf"[（(【\[]?\s?[\u4e00-\u9fff]{{0,8}}?(?:{_ROLES})\s?[:：/／|｜丨]\s?(?:\S|\Z)")
_CREDITED = re.compile(
    rf"[（(【\[][^，。！？：]{{0,12}}?(?:{_ROLES})[^，。！？：]{{1,40}}[）)】\]]\Z|[（(【\[][^，。！？：]{{0,12}}?(?:来源|來源)\s?[:：][^，。！？]{{1,40}}[）)】\]]\Z|[（(][^，。！？]{{2,20}}\s?编译[）)]\Z|[（(](?:综合|编译)(?:报道)?[)）]\Z|"
    # names alone: （山田太郎、佐藤花子）, 本报记者 方圆 李强
    r"[（(][\u4e00-\u9fff]{2,4}(?:、[\u4e00-\u9fff]{2,4}){0,4}[）)]\Z|"
    r"[（(■●◆]?\s?[\u4e00-\u9fff]{0,8}?(?:记者|記者|通讯员|摄影|攝影)(?:[\s、][\u4e00-\u9fff·]{1,8}){1,9}[）)]?\Z"
)
_FROM = re.compile(
    r"[（(【\[]?\s?(?:(?:文章|稿件|信息|图片)?(?:来源|稿源|图源|来自|转自|摘自|转载自)(?:于|自)?(?:\s?[:：]|\s))\s?\S|"
    r"[（(]?\s?《[^》]{2,20}》\s?[（(]?\s?\d{4}\s?年"
)
_STOPS = re.compile(r"[.!?]\s+[A-ZÀ-Þ]")
_PROSE = re.compile(r"[。！？]\S|，(?!\s?(?:" + _ROLES + "))")
_NOTICE = re.compile(
    r"未经.{0,12}(?:授权|许可|同意|允许).{0,24}(?:不得|禁止|严禁|勿|谢绝)|^\W*[\u4e00-\u9fffA-Za-z]{0,8}声明\s?[:：]|(?:授权|禁止|谢绝|严禁)转载|"
    r"转载请(?:注明|联系)|ICP[备證证]\s?\d|(?:仅|只)代表作者|不代表.{0,8}(?:立场|观点)|(?:图片|内容|文章).{0,12}(?:侵权?.{0,6}删)|"
    r"^\W*原(?:标题|標題|题)\s?[:：]|^[（(]\s?作者(?:系|为|是|单位)|^\W*(?:本文|文章|永久|post |permanent )?(?:链接|地址|网址|link)\s?[:：]\s?https?://\S+\Z|^\W*(?:文章|本文)?标题\s?[:：]|^\W*(?:(?:创建|更新|发布|修改)(?:于|时间)|(?:created|updated) (?:at|on))\s?[:：]\s?(?:19|20)\d\d[-/年]|^\W*作者(?:简介|介绍)\s?[:：]|^\W*本文(?:来自|转载自|转自|首发于|来源于|系)(?:微信)?公众号|^本帖最后由.{1,40}编辑\Z|^notice: the content above"
, re.I)  # fmt: skip
_CALL = re.compile(
    r"(?:长按|识别|扫描?|扫一扫|搜索|添加).{0,16}(?:二维码|公众号|关注|微信)|(?:二维码|公众号).{0,12}(?:关注|订阅|添加)|^\W*(?:长按|点击|扫码|扫一扫|戳).{0,18}(?:关注|订阅|下载|识别|阅读原文|蓝字|进群|领取|观看)|"
    r"^\W*(?:欢迎(?:关注|订阅|转发|扫码)|关注.{0,8}公众号\s?[:：])|[\u4e00-\u9fff](?:APP|客户端)\W*\Z|^(?:推广|赞助|展开全文|阅读全文|查看更多|分享[到至]?[:：]?)\Z|^[（(【][^。！？]{0,30}(?:下载|下載|订阅|訂閱|关注|關注|扫码|掃碼)[^。！？]{0,30}[）)】]\Z|^点个?\W?(?:分享|收藏|在看|点?赞)\W?(?:，.{1,16})?\Z|^[\W_]*(?:the )?end[\W_]*\Z|^[\W_]*(?:全文)?完[\W_]*\Z",
    re.I,
)
# What stands where an advert is, in any place.
_ADVERT = re.compile(
    r"[\W_]*(?:advertisements?(?:\W{1,3}scroll to continue)?|ads? by \w{2,20}|广告|廣告|広告|광고|anzeige|werbung|publicidad|publicité|pubblicità|publicidade|реклама|إعلان|विज्ञापन|โฆษณา|quảng cáo|iklan|reklama|reklam|reklame|annonse|advertentie|[请請]?[继繼][续續]往下[阅閱][读讀])[\W_]*\Z"
    # "Advertisement: save 20% today", which is no sentence.
    r"|\W*(?:advertisement|sponsored|广告|廣告|anzeige|werbung|publicidad|publicité|pubblicità|реклама)\s?[:：|｜][^.!?。！？]{1,60}\Z",
    re.I,
)
# Where the text goes on, in any place: "Article continues below", "Weiterlesen nach der Anzeige", 广告之后继续阅读.
_AD = r"(?:ads?|advert(?:isement|ising)?s?|anzeigen?|werbung|publicidad|publicité|pubblicità|publicidade|anuncios?|anúncios?|advertenties?|annonse[nr]?|annoncen?|reklamen?|广告|廣告|広告|광고)"
_GOES_ON = re.compile(
    r"\W*(?:(?:the )?(?:story|article|text|content|post) continues|(?:continue|keep) reading) below\W*\Z|"
    r"(?=.{0,40}\b(?:continu|contin[uú]a|weiter|fortgesetzt|suite|sig(?:ue|a) |fort(?:sätt|sætt|sett)er|verder|door))"
    r".{6,40} (?:below|after|nach|unter|après|después|tras|após|depois|dopo|onder|na|efter|under) (?:(?:the|this|our|de[rnml]?|la|les?|l['’]|da|do|een|den|a) ?){0,2}"
    + _AD
    + r"(?: (?:fortgesetzt|weiter))?\W*\Z|"
    r".{0,6}"
    + _AD
    + r"(?:之[后後]|[后後]|の[後下あ]と?に?も?| ?(?:뒤|이후|아래)(?:에|로)?)\s?(?:[继繼][续續]|続|계속|이어).{0,6}\Z",
    re.I,
)
_END = re.compile(r"[\W_]*END[\W_]*\Z")
# Where a line is one link: to the site's own program.
_APP = re.compile(
    r"(?:下载|下載|打开|打開|安装|安裝|进入|進入).{0,12}(?:客户端|客戶端|\bAPP\b|APP(?![a-z]))|\b(?:download|get|open|install) (?:our|the|this) .{0,20}\bapp\b",
    re.I,
)
# Who wrote it, by an address: 이한솔 기자 hansol@times.test, "Ann Lee (ann@times.test)".
_MAILED = re.compile(
    r"[^@.!?。！？]{0,50}?[(<\[（]?\b[\w.+-]{2,40}@[\w-]{1,40}(?:\.[\w-]{2,20}){1,3}[)>\]）]?\W{0,3}\Z"
)
_OF, _COUNT_CHARS = re.compile(r"\d{1,3}\s?/\s?(\d{1,3})\Z"), 9
_OWNED = re.compile(
    r"\W*©.{0,80}\Z|\W*(?:©|\(c\)|copyright\b).{0,30}(?:(?:19|20)\d\d|rights reserved)|.{0,120}\ball rights reserved\W*\Z|\W*(?:riproduzione riservata|tous droits réservés|alle rechte vorbehalten|todos los derechos reservados|todos os direitos reservados|wszelkie prawa zastrzeżone|все права защищены|tüm hakları saklıdır)\b.{0,60}\Z|(?-i:SOURCE:?|Source:|Quelle:|Fuente:|Fonte:|Bron:|Źródło:|Kaynak:|Источник:|Джерело:|Zdroj:|Forrás:|Lähde:|Kilde:|Källa:|Πηγή:)\s(?-i:[A-ZÀ-ÞĀ-ŽΑ-ΩА-ЯЁ])[^.!?]{1,60}\Z|additional reporting by\s|저작권자\b.{0,80}|.{0,80}무단\s?전재.{0,60}\Z|"
    r".{0,120}\bre(?:printed|published) (?:here )?(?:by|with) (?:the )?(?:kind )?permission\b.{0,60}\Z|\W*this (?:article|story|post|piece|essay) (?:was )?(?:first|originally) (?:appeared|published|posted) (?:at|by|in|on)\s.{2,100}\Z|\W*this (?:article|story|page) was printed from\b|\W*(?:关键[词字]|關鍵[詞字]|标签|標[籤签])\s?[:：][^。！？]{2,80}\Z",
    re.I,
)
# What a piece is made of, by whom in letters, below what it is filed, how wires end: "(dpa/hb)", "Con información de Notimex", "Topics: Bay".
_MADE_OF = re.compile(
    r"^[(\[]?[A-Za-z]{2,5}(?:/[A-Za-z]{2,5}){1,4}[)\]]?\W{0,3}\Z|^\W{0,3}(?:con información de|com informações d|avec (?:l['’])?afp|with (?:inputs|files|assistance) from)\b.{0,60}\Z|^\W{0,3}(?:photos?|pictures?|images?|fotos?|bild(?:er)?|фото)\s?:\s(?-i:[A-ZÀ-ÞА-яё])[^.!?]{2,60}\Z|^\W{0,3}editors?:\s.{2,60}\Z|^[#•·*–— ]{0,3}(?:topics?|tags?|tagged(?: (?:with|under|as))?|filed (?:under|in)|keywords?|labels?|categor(?:y|ies)|schlagw[oö]rte?r?|stichw[oö]rte?r?|etiquetas?|étiquettes?|mots[- ]clés)\s?:\s[^.!?]{2,120}\Z|^(?:#\s?){2,5}\Z|^(?:#[^\W\d]\w{1,40}[\s,]{0,3}){1,20}\Z|^انتهای پیام\W{0,3}\Z|^[-–—]\s?30\s?[-–—]\Z",
    re.I,
)
_WHEN = re.compile(
    r"\W*(?:published|posted|updated|publié|publiée|mis à jour|veröffentlicht|aktualisiert|publicado|actualizado|pubblicato|发布时间|发表时间)\b.{0,100}\d|"
    r"\W*(?:[发發][布佈表]|更新|[编編][辑輯])[于於]\s?[:：]?\s?(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}(?![^，。]{0,90}[，。])",
    re.I,
)
# In any language: a label, a day and a time, as "เผยแพร่: 24 พฤศจิกายน 2569 เวลา 08:30 น.", "发布者：教导处 发布时间：2026-11-24 08:30:05".
_LABELLED_WHEN = re.compile(
    r"(?:[^\d:：.,!?。，\s]{2,12}[:：]\s?[^\s:：。，]{1,20}\s{1,4})?[^\d:：.,!?。，]{2,24}[:：]\s?(?:19|20)\d\d([-/.])\d{1,2}\1\d{1,2}[\s,|–-]{1,4}\d{1,2}[:.]\d\d"
)
_SIGN_UP = re.compile(
    r"\W*(?:sign up|subscribe|register)\b.{0,90}\b(?:newsletters?|inbox|alerts|e-?mails?|here)\b|\W*follow\b.{1,60}\bon (?:x|twitter|facebook|instagram|linkedin|threads)\b|"
    r"\W*(?:síguenos|suivez-nous|folgen sie uns)\b.{1,80}|\W*thank(?:s| you) for reading\b.{0,80}\bsubscribe\b|\W*(?:to )?(?:contact|reach|e-?mail|write to)\b.{1,80}(?:@\w|\d{3}[-.]\d{4})|"
    r"\W*(?:abonnez-vous|inscrivez-vous|suscríbete|suscríbase|abonnieren sie|melden sie sich|iscriviti)\b.{0,80}(?:newsletter|boletín|lettre|alertas)|"
    # "Got a confidential news tip? We want to hear from you.", "Haben Sie einen Hinweis? Schreiben Sie uns"
    r"\W*(?:have|got) (?:an?|any) (?:[\w'’-]{1,14} ){0,3}tips?\b[^.!?]{0,50}\?|"
    r"\W*(?:(?:have|got) (?:an?|any) (?:[\w'’-]{1,14} ){0,3}(?:story|stories|photos?|information|news)|do you (?:know|have) (?:more|any|some)\w{0,5}|"
    r"(?:hast du|habt ihr|haben sie) (?:einen?|hinweise|fragen|informationen)|vous avez (?:une?|des) (?:info\w{0,9}|remarques?|témoignages?)|"
    r"¿?(?:tienes?|sabes|conoces) (?:una?|alg\w{1,4}) (?:noticia|historia|pista|dato|información))\b[^.!?]{0,60}\?"
    r".{0,80}(?:@|\b(?:e-?mail|mail|write|contact|call|send|let us know|get in touch|schreib\w{0,5}|melde\w{0,3}|écri\w{1,7}|contacte\w{0,7}|escr[ií]be\w{0,4})\b)|"
    r"\W*(?:get|receive|have)\b[^.!?:]{1,110}\b(?:in|to) your (?:e-?mail )?inbox\b|\W*(?:欢迎|歡迎)?(?:关注|關注)[^，。！？]{0,12}(?:公众号|公眾號)",
    re.I,
)
# Of these, what stands in the element and type of the text is left there: annotators take it for text as often as not.
_SIGNED = re.compile(
    r"\W*(?:(?:additional |further )?(?:reporting|writing|editing)(?: and (?:writing|editing))?(?: in [^;]{2,40})? by\s|.{0,200}\bcontributed to (?:this|the) (?:report|story|article)\W*\Z)",
    re.I,
)
_WRITER = re.compile(
    r"\W*(?:[A-ZÀ-Þ][\w.'’-]+ ){2,3}(?:is (?:an? |the |(?:\w+ ){0,2}(?:editor|reporter|correspondent|writer|columnist) )|covers |reports |writes |has (?:been|worked|covered) |joined )"
)

# A link to the list of which an article is one.
_BACK = re.compile(
    r"\W*(?:(?:go )?(?:return|back) to |zurück zu[rm]? |retour (?:à|au|aux) |volver (?:a|al) |voltar (?:a|ao|para) |torna a|terug naar |返回).{1,30}\Z|"
    # By itself: <hr><a href="../">back</a>, as pages that were made by hand end.
    r"\W*(?:(?:go )?back|home(?: ?page)?|index|top|up|(?:back )?to top|return|zurück|startseite|retour|accueil|volver|inicio|voltar|indietro|戻る|トップ|返回|首页|首頁|返回顶部)\W*\Z",
    re.I,
)
# Classes of Bootstrap, WordPress, Drupal and Foundation for what is read out and not shown.
_UNSEEN = re.compile(
    r"(?<![\w-])(?:sr-only|visually-?hidden|screen-reader-text|element-invisible|show-for-sr)(?![\w-])"
)
_HAN = re.compile("[\u4e00-\u9fff]")


def edges(kept: Sequence[Block], pictures: Sequence[Picture], fields: Sequence[Any] = ()) -> frozenset[int]:
    """The indexes of those lines of a text that are none of it; never all of them.

    Args:
        kept: the text's lines in page order.
        pictures: the images of the same walk.
        fields: the page's fields for input and players of sounds.
    """
    built = Counter[tuple[str, str]]()
    for block in kept:
        built[block.node.tag, block.node.names] += len(block.text)
    usual = next((key for key, _ in built.most_common(1)), None)
    below = {picture.before: picture for picture in pictures}
    quoted = hidden_lines(kept) | pulled(kept, usual) | copied(kept) | asking(kept, fields)
    quoted |= teasers(kept) | _counters(kept) | _read_out(kept) | alone_with_pictures(kept, below, usual)
    found = frozenset(
        block.index
        for number, block in enumerate(kept)
        if block.index in quoted
        or _is_at_an_end(block, number, len(kept) - 1 - number, usual)
        or (len(kept) - number <= _HEAD and is_menu(block))
        or is_caption(block, below.get(block.index))
        or _is_line_number(block, kept[number - 1].text if number else "")
        or (len(block.text) <= _LANGUAGE_CHARS and _is_language(block, kept[number + 1 : number + 2]))
        or (number < _HEAD and _is_abstract(block.text, kept[number + 1 : number + 1 + _MOST_REPEATED]))
        or (len(block.text) <= _ADVERT_CHARS and _is_advert(block))
        or (_is_in_a_box(block) and len(block.text) <= _MAX_CHARS and _SIGN_UP.match(block.text) is not None)
    )
    # A disclaimer may stand below what leads on.
    found |= inserted(kept) | leading_on([block for block in kept if block.index not in found])
    found |= signed([block for block in kept if block.index not in found])
    found |= headings_of_others([block for block in kept if block.index not in found], below, usual)
    return found if len(found) < len(kept) else frozenset()


def _tells_when(text: str) -> bool:
    """Whether a line says when the article was published, and nothing else."""
    if len(text) > _WHEN_CHARS:
        return False
    plain = _WHEN.match(text) is not None and not _STOPS.search(text)
    return plain or _LABELLED_WHEN.match(in_common_form(text)) is not None


def _is_at_an_end(block: Block, above: int, behind: int, usual: tuple[str, str] | None) -> bool:
    text = block.text
    if len(text) > _MAX_CHARS:
        return False
    if (above < _HEAD or behind < _HEAD) and (is_count(text) or is_editor(text)):
        return True
    if (above < _HEAD and is_filed(text)) or ((above < _HEAD or not behind) and _tells_when(text)):
        return True
    if (not above and _SIGN_UP.match(text)) or (
        behind < _HEAD and block.link_chars >= _MARKED * len(text) and _BACK.match(text)
    ):
        return True
    if (above < _HEAD or behind < _TAIL) and (_HAN.search(text) or _END.match(text)):
        credit = len(text) <= _CREDIT_CHARS and not _PROSE.search(text)
        if credit and any(form.match(text) for form in (_CREDIT, _CREDITED, _FROM, COUNTS, _MAILED)):
            return True
        called = len(text) <= _CALL_CHARS and _CALL.search(text) is not None
        return called or _NOTICE.search(text) is not None or _OWNED.match(text) is not None
    if behind >= _LATIN_TAIL:
        return False
    if (
        any(form.match(text) for form in (_OWNED, _SIGN_UP, _MADE_OF, _MAILED))
        or _CALL.search(text)
        or _NOTICE.search(text)
    ):
        return True
    apart = (block.node.tag, block.node.names) != usual or in_italics(block)
    return apart and (_SIGNED.match(text) is not None or (behind < _HEAD and _WRITER.match(text) is not None))


def _is_in_a_box(block: Block) -> bool:
    """Whether a line is all that an element holds which is none of the text's containers: `<div><p>Sign up …</p></div>`."""
    around = block.node.parent
    return (
        around is not None and block.node.blocks == 1 == around.blocks and around.tag not in ("li", "td", "blockquote")
    )


def _is_advert(block: Block) -> bool:
    (label, link, _), *rest = block.pieces
    if _ADVERT.match(block.text) is not None or _GOES_ON.match(block.text) is not None:
        return True
    # "Advertisement", right before the link that it is the label of.
    linked = link is None and bool(rest) and all(one[1] is not None or not one[0].strip() for one in rest)
    if linked and _ADVERT.match(label) is not None:
        return True
    return block.link_chars >= _MARKED * len("".join(block.text.split())) and _APP.search(block.text) is not None


def _counters(kept: Sequence[Block]) -> frozenset[int]:
    """The indexes of lines that only count the pictures of a gallery: `1 / 4`, `2 / 4`."""
    counted = [
        (block, match[1]) for block in kept if len(block.text) <= _COUNT_CHARS and (match := _OF.match(block.text))
    ]
    totals = Counter(total for _, total in counted)
    return frozenset(block.index for block, total in counted if totals[total] > 1 and block.tag not in ("td", "pre"))


def _read_out(kept: Sequence[Block]) -> frozenset[int]:
    """The indexes of lines that are said twice or more for screen readers alone: "Article content" above paragraphs."""
    told = [block for block in kept if _UNSEEN.search(block.node.names)]
    times = Counter(block.text for block in told)
    return frozenset([block.index for block in told if times[block.text] > 1])


def _is_abstract(text: str, behind: Sequence[Block]) -> bool:
    """Whether a text's first line only repeats how the text begins, as content systems cut their summaries."""
    label = _ABSTRACT.match(text)
    if not (behind and (label or behind[0].text[0] == text[0])):  # as nearly always
        return False
    whole = text[label.end() :] if label else text
    line = whole.rstrip(" .…")
    if len(line) < (_LEAST_LABELLED if label else _LEAST_ABSTRACT):
        return False
    rest = "".join(" ".join(block.text for block in behind).split())
    begins = (rest.lstrip(_OPENING) if label else rest).startswith("".join(line.split()))
    # Without a label, a line that stands twice is the text's.
    return begins and (label is not None or all(block.text != whole for block in behind))


def _is_line_number(block: Block, before: str) -> bool:
    """Whether a line is of the numbers that stand beside the lines of code: one of them, or all."""
    numbers = block.text.split() if block.tag == "pre" else []
    if not (numbers and all(map(str.isdecimal, numbers))):
        return False
    first, count = int(numbers[0][:6]), len(numbers)
    if count > 1:
        return [int(one[:6]) for one in numbers] == [*range(first, first + count)]
    column = block.node.blocks > 1 and "".join("".join(block.element.itertext()).split()).isdecimal()
    return column or numbers[0] == "1" or (before.isdecimal() and first == int(before[:6]) + 1)


def _is_language(block: Block, behind: Sequence[Block]) -> bool:
    """Whether a line is the label of the code behind it: what an element around both is called: `language-python`."""
    if not behind or all(node.tag != "pre" for node in behind[0].node.ancestors()):
        return False
    named = {f"{word}-{block.text.lower()}" for word in ("language", "lang", "highlight")}
    return any(not named.isdisjoint(node.names.split()) for node in islice(block.node.ancestors(), _LANGUAGE_LEVELS))


def in_italics(block: Block) -> bool:
    """Whether a line is in italics but for its signs."""
    return sum(len(raw) for raw, _, mark in block.pieces if mark in ("em", "i")) >= _MARKED * len(block.text)
