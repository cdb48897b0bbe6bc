"""Lines that only count or time what is done with a page, or say who edited it, in many languages."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from typing import Final

COUNTS: Final = re.compile(
    r"^(?:(?:阅读|点赞|收藏|评论|转发|分享|赞|在看|浏览|利好|利空|看多|看空|支持|反对|顶|踩)量?[\d.万wk+\s·|｜:：()（）]*+){2,}\Z"
    r"|^(?:浏览|瀏覽|阅读|閱讀|点击|點擊|點閱|访问)(?:次数|次數|量|数|數)?\s?[:：]\s?\d{0,9}\s?次?\Z",
    re.I,
)
# What is counted, timed or made with the page: "335 条评论", "Readers online now: 112", "Listen to this article 5 min".
_FIGURES: Final = re.compile(
    r"\W*(?:(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}日?\s{0,3}(?:\d{1,2}:\d\d(?::\d\d)?)?\W{0,4})?"
    r"(?:(?:阅读|閱讀|浏览|瀏覽|点击|views?|reads?)[量数數]?\s?[:：]\s?\d[\d,.]{0,9}\W{0,4}|\d[\d,.]{0,9}\s?[万wk]?\+?\s?(?:次|条|條|个|個|人次?)?\s?(?:阅读|閱讀|浏览|瀏覽|观看|播放|点击|评论|評論|跟帖|回复|点赞|收藏|转发|分享|赞|views?|reads?|comments?|likes?|shares?|replies)\W{0,4}){1,4}\Z|"
    r"\W*(?:[当當目]前)?在[线線](?:人数|人數)?\s?[:：]\s?\d[\d,]{0,9}\s?人?\Z|\W*(?:(?:readers?|users?|visitors?|people) online(?: now)?|(?:page )?(?:views|hits|visits|reads))\s?:\s?\d[\d,]{0,9}\Z|"
    r"\W*(?:本页|本頁|页面|頁面)?(?:生成|刷新|打印|列印)(?:[时時][间間]|[于於])\s?[:：]?\s?(?:19|20)\d\d\D.{4,24}\Z|\W*(?:page )?(?:generated|printed|rendered)(?: on| at| in)?\s?:?\s.{0,24}\d{1,2}:\d\d.{0,14}\Z|"
    r"\W*(?:收听|收聽|朗读|朗讀|播放|听)(?:本文|全文|文章|音频|音頻)\W{0,3}(?:\d{1,2}\s?分[钟鐘]|\d{1,2}:\d\d)?\W*\Z|\W*listen to (?:this |the )?(?:article|story|audio)\W{0,3}(?:\d{1,2}\s?min(?:ute)?s?|\d{1,2}:\d\d)?\W*\Z",
    re.I,
)
_FIGURE_CHARS: Final = 60
# The same in other languages, by what stands before the number ("Lượt xem: 27"), behind it ("28 visualizzazioni") or
# around it ("lu 36 fois").
_NUMBER: Final = r"\d[\d.,'’]{0,9}(?:\s?[kKmM万萬千만])?\+?"
_BEFORE: Final = (
    r"gelesen|aufrufe|klicks|kommentare|lu|vues|lectures|visites|commentaires|partages|leído|lecturas|vistas|visitas|comentarios|lido|leituras|visualizações|"
    r"acessos|comentários|letto|letture|visualizzazioni|visite|commenti|gelezen|weergaven|reacties|wyświetle[nń]\w{0,2}|odsłony|komentarz[ey]|okunma|görüntülenme|yorum|"
    r"прочитано|прочтений|просмотр(?:ы|ов)|комментари(?:и|ев)|переглядів|閲覧数?|再生(?:回数|数)|コメント|いいね|조회수?|댓글|추천|공감|"
    r"المشاهدات|مشاهدات|القراءات|التعليقات|الزيارات|पढ़ा गया|व्यूज़?|टिप्पणियाँ|อ่าน|เข้าชม|ยอดวิว|ผู้ชม|ความคิดเห็น|lượt (?:xem|đọc)|đã đọc|bình luận|阅读|閱讀|浏览|瀏覽|点击|點擊|點閱|评论|評論|留言"
)
_BEHIND: Final = (
    r"(?:mal|x) (?:gelesen|angesehen|aufgerufen)|aufrufe|klicks|leser|kommentare?|vues?|lectures?|visites?|commentaires?|partages?|lecturas?|vistas?|visitas?|comentarios?|"
    r"leituras?|visualizações|acessos|comentários?|letture|visualizzazioni|visite|commenti|keer (?:gelezen|bekeken)|weergaven|reacties|wyświetle[nń]|odsłon|komentarzy|(?:kez )?(?:okundu|okunma|görüntülenme)|yorum|"
    r"прочтени[йя]|просмотр(?:а|ов)?|комментари(?:й|я|ев)|переглядів|回(?:読まれました|閲覧|再生)|件のコメント|회 읽음|명 읽음|개의 댓글|مشاهدة|مشاهدات|قراءة|تعليقا?|تعليقات|زيارة|"
    r"बार (?:पढ़ा|देखा) गया|व्यूज़?|टिप्पणियाँ|ครั้ง|ความคิดเห็น|lượt (?:xem|đọc)|bình luận|次阅读|次閱讀|(?:则|則|条|條)?留言"
)
_AROUND: Final = (
    r"(?:lu|vue?|consultée?) {n} fois|(?:leíd|vist)[oa] {n} veces|(?:lid|vist)[oa] {n} vezes|lett[oa] {n} volte|(?:read|viewed|seen) {n} times|прочитано {n} раза?|قرئ {n} مرة|"
    r"(?:อ่าน|เข้าชม|ดู)(?:แล้ว)?\s?{n} ครั้ง"
).replace("{n}", _NUMBER)
_COUNTED: Final = re.compile(
    rf"\W{{0,4}}(?:(?:{_AROUND}|{_NUMBER}\s?(?:{_BEHIND})|(?:{_BEFORE})\s{{0,2}}[:：]?\s{{0,2}}{_NUMBER}\s?(?:次|回|件|개|회|ครั้ง|mal|fois)?)\W{{0,5}}){{1,4}}\Z",
    re.I,
)
# Who edited or translated it: "Redaktion: Ann Lee", "Edición: Ana Ruiz".
_EDITED: Final = re.compile(
    r"[\W_]{0,2}(?:editors?|redaktion|bearbeitung|übersetzung|edición|redacción|traducción|edição|redação|tradução|revisão|redazione|a cura di|traduzione|revisione|rédaction|édition|traduction|"
    r"редактор|перевод|корректор|संपादन|संपादक|अनुवाद|บรรณาธิการ|เรียบเรียง|แปลโดย|biên tập|biên dịch|편집|번역|교열|編集|校正|翻訳|تحرير|ترجمة|مراجعة|eindredactie|vertaling|redakcja|tłumaczenie|editör|çeviri)"
    r"\s?[:：]\s?[^.!?。！？:：,;，；\d]{2,40}\Z",
    re.I,
)


def is_count(text: str) -> bool:
    """Whether a line says no more than how often a page was read, when it was made, or how long it is to listen to."""
    return len(text) <= _FIGURE_CHARS and (_FIGURES.match(text) is not None or _COUNTED.match(text) is not None)


def is_editor(text: str) -> bool:
    """Whether a line says no more than who edited or translated a text."""
    return len(text) <= _FIGURE_CHARS and _EDITED.match(text) is not None
