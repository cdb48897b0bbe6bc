"""How long ago, as pages say it: ``3小时前``, ``1 week, 2 days ago``, ``vor 1 Woche und 2 Tagen``."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re

# Seconds to the words of a length: those that letters may follow, and those of alphabets.
_LENGTHS = {
    1: ("秒钟?|秒鐘|초", "s|sec(?:ond)?s?|sek(?:unden?)?|seg(?:undos?)?|секунд[ыу]?|сек"),
    60: ("分钟|分鐘|分|분", r"m|min(?:ut\w{0,3})?s?|минут[ыу]?|мин|dakika|phút|menit"),
    3600: ("小时|小時|钟头|鐘頭|時間|시간", "h(?:r|our)?s?|heures?|horas?|or[ae]|stunden?|std|uur|uren|tim(?:e|mar|er)|час(?:а|ов)?|ч|godz(?:in[aęy]?)?|saat|giờ|jam"),
    86_400: ("天|日|일", "d(?:ay)?s?|jours?|d[íi]as?|tage?n?|giorn[oi]|dag(?:en|ar|e)?|д(?:ень|ня|ней)|dni|dzień|gün|ngày|hari"),
    604_800: ("周|週間?|星期|礼拜|禮拜|주일?", "w(?:ee)?ks?|w|semain?e?s?|semanas?|wochen?|settiman[ae]|weken|veck(?:a|or)|uger?|uker?|недел[юия]|недель|hafta|tuần|minggu"),
    2_592_000: ("月|월", "mo(?:nth)?s?|mois|mes(?:es)?|mês|monate?n?|mes[ei]|maand(?:en)?|månad(?:er)?|måneder?|месяц(?:а|ев)?|ay|tháng|bulan"),
    31_536_000: ("年|년", "years?|yrs?|ans?|años?|anos?|jahre?n?|ann[oi]|jaar|år|года?|лет|yıl|năm|tahun"),
}  # fmt: skip
_A_MONTH = 2_592_000
_LENGTH = (
    r"(?P<count>\d{1,3}|\b(?:an?|one|une?|eine[rmn]?|una?|uma?)\b|[半一两兩二三四五六七八九十])\s*+(?:[个個ヶかヵ개]\s*+)?(?:"
    + "|".join(f"(?P<s{size}>{east}|(?:{west})" + r"(?![^\W\d_]))" for size, (east, west) in _LENGTHS.items()) + r")\.?"
)  # fmt: skip
_LENGTHS_TOGETHER = rf"(?:{_LENGTH}\s*+(?:(?:[,，、]|(?:and|et|und|[yeи])\b)\s*+)?){{1,3}}"
_AGO = re.compile(
    rf"{_LENGTHS_TOGETHER}(?:[之以]?前|전|(?:ago|fa|geleden|sedan|siden|назад|temu|atrás|önce|trước|(?:yang )?lalu)\b)",
    re.I,
)
_BACK = re.compile(rf"\b(?:il y a|vor|hace|há|för)\s{_LENGTHS_TOGETHER}", re.I)
_ABBREVIATED = re.compile(r"(?:^|[·•|–-]\s?)\d{1,2}\s?(?:h|hrs?|d)\Z")
_PART = re.compile(_LENGTH, re.I)
_COUNTS = {"半": 0.5, "两": 2.0, "兩": 2.0, **{word: number for number, word in enumerate("一二三四五六七八九十", 1)}}


def lengths_ago(text: str) -> list[tuple[float, int]]:
    """The parts of the first such length in a text, each as its count and its unit in seconds; empty without one.

    Years alone are none: they are of a sentence ("five years ago"), never of a dateline.
    """
    match = _AGO.search(text) or _BACK.search(text) or _ABBREVIATED.search(text)
    found = [*_PART.finditer(match[0])] if match else []
    units = [int(str(one.lastgroup)[1:]) for one in found]
    counts = [float(word) if (word := one["count"]).isdigit() else _COUNTS.get(word, 1.0) for one in found]
    return [*zip(counts, units, strict=True)] if units and min(units) <= _A_MONTH else []
