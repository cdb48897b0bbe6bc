"""Days of other calendars, and numerals of other scripts, in the form that all know."""

from __future__ import annotations

import datetime as dt
import re

# Years counted from an emperor or a republic: the year before the first of each.
_ERAS = {"令和": 2018, "平成": 1988, "民國": 1911, "民国": 1911}
_ERA = re.compile(r"(?P<era>令和|平成|民[國国])\s*+(?P<year>元|\d{1,3})\s*+年")
# 發布日期：115-11-20, as offices in Taiwan count without saying so.
_ROC_DAY = re.compile(r"(?P<label>(?:日期|時間)\s?[:：]\s?)(?P<year>1[01]\d)(?=[-/.]\d{1,2}[-/.]\d{1,2}(?!\d))")
_HAN_DATE = re.compile(r"[〇○零一二三四五六七八九]{4}年[一二三四五六七八九十]{1,3}月[一二三四五六七八九十廿卅]{1,3}日")
_HAN_DIGITS = str.maketrans("〇○零一二三四五六七八九", "000123456789")
# Arabic, Persian, Indian, Bengali and Thai numerals; those of full width.
_NUMERALS = str.maketrans(
    {chr(zero + digit): str(digit) for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10) for digit in range(10)}
    | {"،": ","}
)
_FOREIGN = re.compile(r"[\u0600-\u06ff\u0900-\u09ff\u0e00-\u0e7f\uff10-\uff19]|\bth[áa]ng\b|\b(?:25[3-9]|1[34]\d)\d\b")

_THAI, _IRANIAN, _COMMON = "thai", "iranian", "common"
# Months in order; where a calendar has several sets of names, each is one string, and names of two words have "_".
_NAMES: tuple[tuple[str, str], ...] = (
    (_THAI, "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม"),
    (_THAI, "ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค."),
    (_IRANIAN, "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند"),
    (_COMMON, "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"),
    (_COMMON, "يناير فبراير مارس ابريل مايو يونيه يوليه اغسطس سبتمبر اكتوبر نوفمبر ديسمبر"),
    (_COMMON, "كانون_الثاني شباط آذار نيسان أيار حزيران تموز آب أيلول تشرين_الأول تشرين_الثاني كانون_الأول"),
    (_COMMON, "جانفي فيفري مارس أفريل ماي جوان جويلية أوت سبتمبر أكتوبر نوفمبر ديسمبر"),
    (_COMMON, "يناير فبراير مارس أبريل ماي يونيو يوليوز غشت شتنبر أكتوبر نونبر دجنبر"),
    (_COMMON, "ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر"),
    (_COMMON, "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर"),
    (_COMMON, "জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর"),
)
_MONTHS = {
    name.replace("_", " "): (calendar, number)
    for calendar, names in _NAMES
    for number, name in enumerate(names.split(), 1)
}
_ANY_MONTH = "|".join(re.escape(name) for name in sorted(_MONTHS, key=len, reverse=True))
_NAMED = re.compile(
    # Agencies give both names of a month: 27 تشرين الثاني/نوفمبر 2026.
    rf"(?<!\d)(?P<day>\d{{1,2}})\s?(?P<month>{_ANY_MONTH})(?:\s?/\s?(?:{_ANY_MONTH}))?\s?(?:พ\.ศ\.\s?|[,،]\s?)?(?P<year>\d{{4}})(?!\d)"
    r"(?:\s?م(?![\u0620-\u06ff]))?"  # of the common era
)
_VIETNAMESE = re.compile(
    r"(?<!\d)(?P<day>\d{1,2})\s(?:tháng|thang)\s(?P<month>\d{1,2})[\s,]{1,2}(?:năm\s|nam\s)?(?P<year>(?:19|20)\d\d)(?!\d)",
    re.I,
)
# Years that can be of no other calendar: 24/11/2569, and 1405/08/29 with the year in front.
_THAI_DAY = re.compile(r"(?<![\d/.-])(?P<day>\d{1,2})(?P<sep>[/.-])(?P<month>\d{1,2})(?P=sep)(?P<year>25[3-9]\d)(?!\d)")
_IRANIAN_DAY = re.compile(
    r"(?<![\d/.-])(?P<year>1[34]\d\d)(?P<sep>[/.-])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?!\d)"
)
# Behind a time: "08:30 م", "08:30 ص", "08:30 น.", and "เวลา" before one.
_HALF = re.compile(r"(?P<clock>\d{1,2}:\d\d)\s?(?P<half>صباحا|مساء|ص|م|ق\.ظ|ب\.ظ)(?![\u0620-\u06ff])")
_BEFORE_CLOCK = re.compile(r"\s?(?:เวลา|الساعة|ساعت|lúc)\s(?=\d{1,2}[:.]\d\d)")
_THAI_YEARS = 543
_LEAPS = (1, 5, 9, 13, 17, 22, 26, 30)  # of each 33 years of Iran's
_IRAN_BEGINS = dt.date(622, 3, 21).toordinal()  # 1 Farvardin 1


def in_common_form(text: str) -> str:
    """A text with its dates of other calendars, and their numerals, as all know them: 2026-11-24."""
    if match := _HAN_DATE.search(text):
        year, month, day = re.split("[年月]", match[0][:-1])
        numbers = f"{year.translate(_HAN_DIGITS)}年{_han_number(month)}月{_han_number(day)}日"
        text = text.replace(match[0], numbers, 1)
    if _FOREIGN.search(text):
        text = _BEFORE_CLOCK.sub(" ", text.translate(_NUMERALS))
        text = _HALF.sub(lambda match: f"{match['clock']} {'am' if match['half'][0] in 'صق' else 'pm'}", text)
        for pattern in (_NAMED, _VIETNAMESE, _THAI_DAY, _IRANIAN_DAY):
            text = pattern.sub(_common_day, text)
    text = _ROC_DAY.sub(lambda match: f"{match['label']}{_ERAS['民國'] + int(match['year'])}", text)
    return _ERA.sub(
        lambda match: f"{_ERAS[match['era']] + (1 if match['year'] == '元' else int(match['year']))}年", text
    )


def _han_number(text: str) -> int:
    """A number below 100 in Chinese numerals: 十一, 二十, 二十一, 廿一."""
    text = text.replace("廿", "二十").replace("卅", "三十")
    tens, ten, ones = text.rpartition("十")
    return (int(tens.translate(_HAN_DIGITS) or 1) * 10 if ten else 0) + int(ones.translate(_HAN_DIGITS) or 0)


def _common_day(match: re.Match[str]) -> str:
    """What stands for a day of another calendar; the text itself where it is none."""
    year, day = int(match["year"]), int(match["day"])
    calendar, month = _MONTHS[match["month"]] if match["month"] in _MONTHS else (_COMMON, int(match["month"]))
    if year > 2400:
        year -= _THAI_YEARS
    elif year < 1500 or calendar == _IRANIAN:
        return _of_iran(year, month, day) or match[0]
    return f"{year}-{month:02}-{day:02}"


def _of_iran(year: int, month: int, day: int) -> str | None:
    """A day of Iran's solar year, None where it is none.

    Its leap years by the rule of 33 years, which is right from 1178 to 1633 (R. Borkowski, "The Persian calendar for
    3000 years", Earth, Moon and Planets 74, 1996).
    """
    if not (1 <= month <= 12 and 1 <= day <= (31 if month <= 6 else 30)):
        return None
    passed, in_cycle = divmod(year - 1, 33)
    days = (year - 1) * 365 + passed * len(_LEAPS) + sum(leap <= in_cycle for leap in _LEAPS)
    days += (month - 1) * 30 + min(month - 1, 6) + day - 1
    return dt.date.fromordinal(_IRAN_BEGINS + days).isoformat()
