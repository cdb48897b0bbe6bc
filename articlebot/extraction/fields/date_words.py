"""The words of dates in the languages that are read: months, days, what stands between a day and its time."""

# ruff: noqa: E501  lists of words read best unbroken

from __future__ import annotations

import re
import unicodedata


def unaccented(text: str) -> str:
    """A text without the accents on its letters, as addresses have it."""
    return "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan januar janvier enero gennaio january januari janeiro января stycznia ocak ledna januára január ianuarie tammikuuta ιανουαρίου січня януари янв sausio ינואר בינואר",
            "feb februar février fevrier febrero febbraio february februari fevereiro fév февраля lutego şubat února februára február februarie helmikuuta φεβρουαρίου лютого февруари фев vasario פברואר בפברואר",
            "mar märz maerz mars marzo march maart março mär марта marca mart maret března március martie maaliskuuta μαρτίου березня март мар kovo מרץ במרץ",
            "apr april avril abril aprile avr abr апреля kwietnia nisan dubna apríla április aprilie huhtikuuta απριλίου квітня април апр balandžio אפריל באפריל",
            "may mai mayo maggio mei maio maj мая maja mayıs května mája május toukokuuta μαΐου травня май gegužės מאי במאי",
            "jun juni juin junio giugno june junho июня czerwca haziran června júna június iunie kesäkuuta ιουνίου червня юни июн birželio יוני ביוני",
            "jul juli juillet julio luglio july julho июля lipca temmuz července júla július iulie heinäkuuta ιουλίου липня юли июл liepos יולי ביולי",
            "aug august août aout agosto augustus ago augusti августа sierpnia ağustos agustus srpna augusta augusztus elokuuta αυγούστου серпня август авг avgust rugpjūčio אוגוסט באוגוסט",
            "sep sept september septembre septiembre settembre setembro сентября września eylül září septembra szeptember septembrie syyskuuta σεπτεμβρίου вересня септември сен сент rugsėjo ספטמבר בספטמבר",
            "oct october oktober octobre octubre ottobre outubro okt октября października ekim října októbra október octombrie lokakuuta οκτωβρίου жовтня октомври окт spalio אוקטובר באוקטובר",
            "nov november novembre noviembre novembro ноября listopada kasım listopadu novembra noiembrie marraskuuta νοεμβρίου листопада ноември ноя нояб lapkričio נובמבר בנובמבר",
            "dec december dezember décembre diciembre dicembre dezembro dez déc dic desember декабря grudnia aralık prosince decembra decembrie joulukuuta δεκεμβρίου грудня декември дек gruodžio דצמבר בדצמבר",
        ),
        1,
    )
    for word in names.split()
    for name in (word, unaccented(word))
}
# Short names that are words of other languages, too, and months beside a year alone (CLDR, "abbreviated").
SHORT_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "ene gen sty led oca ian січ",
            "lut úno şub лют",
            "mrt márc bře бер",
            "kwi dub nis ápr квіт",
            "mag kvě máj трав",
            "giu cze čvn haz iun jún черв",
            "lug juil lip čvc tem iul júl лип",
            "sie srp agu ağu серп",
            "set wrz zář eyl szept вер",
            "out ott paź říj eki жовт",
            "lis kas лист",
            "gru pro ara des груд",
        ),
        1,
    )
    for name in names.split()
}
# Today, yesterday and the day before, as the news of these languages has them before a clock: "Вчера, 14:05".
DAYS_BACK = {
    word.replace("_", " "): back
    for back, words in enumerate(
        (
            "сегодня сьогодні dziś dzisiaj dnes danas heute idag aujourd'hui hoy hoje oggi vandaag bugün hôm_nay 오늘 本日 اليوم "
            "امروز आज วันนี้ hari_ini",
            "вчера вчора wczoraj včera jučer gestern igår hier ayer ontem ieri gisteren dün hôm_qua 어제 أمس دیروز कल เมื่อวาน "
            "kemarin",
            "позавчера przedwczoraj vorgestern anteayer 그제 一昨日",
        )
    )
    for word in words.split()
}
# The same in Chinese and English, where the word stands for a date: in "Subscribe today", "Today's weather", "今日热点" it does
# not. Who writes of yesterday tells when.
DAY_WORD = (
    r"(?:今天|今日|昨天|昨日|大?前天)(?!(?![发發][布表佈]|更新|[上下]午|早[上晨]|晚[上间]|凌晨|中午|深夜|傍晚)[一-鿿])|"
    r"\b(?:yesterday|today(?=\s?(?:at\s|@\s?|,\s?)?\d{1,2}(?:[:.]\d\d|\s?[ap]\.?m))|"
    r"(?:(?<![^\W\d_]\s)|(?<=posted\s)|(?<=published\s)|(?<=updated\s))today(?!\s[^\W\d_]))\b(?!['’]s)"
)
EARLY = frozenset({"上午", "凌晨", "早上", "午前", "오전"})
LATE = frozenset({"下午", "晚上", "午後", "오후"})
# What stands between a day and its time, in the languages of Europe: "20. November 2026 gegen 14.05 Uhr".
AT = "at|um|gegen|às|ás|a las|alle(?: ore)?|ore|ora|om|kl|klo|klockan|klokken|kello|(?:o )?godz(?:ina|inie)?|saat|hodin|στις|в|о|у|v|o|ob|u"
# The day of the week behind a day: "28 Kasım 2026 Cumartesi 14:05".
WEEKDAY = (
    "(?:mon|tues|wednes|thurs|fri|satur|sun)day|pazar(?:tesi)?|salı|çarşamba|perşembe|cuma(?:rtesi)?|hétfő|kedd|szerda|csütörtök|"
    "péntek|szombat|vasárnap|[월화수목금토일]요일|[月火水木金土日]曜日?"
)
# What says of a date that it is one of a change.
UPDATED = re.compile(
    r"updat|modif|\blast\b|更新|修改|修訂|(?:最后|最後)?[编編][辑輯][于於]|aktualis|mis à jour|actualiz|atualiz|aggiorna|bijgewerkt|обновл|수정|ปรับปรุง|อัป?เดต|แก้ไข|تحديث|به\u200c?روز|cập nhật|updatert|uppdater",
    re.I,
)
LABEL_CHARS = 40  # before a date or of a line that has one, which may say so


def tells_of_change(line: str) -> bool:
    """Whether a line with a date says that it is one of a change."""
    return UPDATED.search(line[:LABEL_CHARS]) is not None
