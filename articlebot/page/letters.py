"""Which single-byte charset a text is in, by how often its language uses each letter.

Every byte above 127 is one letter in each of these charsets, so that the readings compare by the likelihood of their
letters (naive Bayes over single letters). Orders of letters are those of published frequency tables, commonest first.
"""

# ruff: noqa: E501  tables read best unbroken

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache

_LATIN = ("cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257")
_OTHERS = (
    "cp1251", "koi8_u", "koi8_r", "iso8859_5", "cp866", "cp1253", "iso8859_7", "cp1256", "iso8859_6", "cp1255", "cp874",
)  # fmt: skip
_ORDERS = (
    "üäöß", "éèàêçâîôùûœëï", "óíáéñú¿¡ü", "ãçáéíóêõâúà", "èàéùòì", "åäöøæé", "łęążśóćńź", "íáéěřýžčšůúťňďó", "áíéčýžšľťúôňäďó", "áéóöíőüúű",
    "ăîşţâ", "ăîșțâ", "ıüşçğöİâ", "čšžćđ", "šžėųįąčūę", "āīēšņūļžķģč", "õäöüšž",
    "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", "оаинвеіртслкдмупязьбгйчхїцюєшжщфґ", "аоеитнрсвлдпкмзуябчгъщжцхфйюшь",
    "αοιετσνηυρπκμλςωίόγάέδήχύθφβώξζψϊΰΐϋ", "ايلمنوترهبسعدفقكأةحجشصىخطذضءثزغظئإآؤ،", "یارندهمتوسبشلکفزعگقجحخپآچصطضظغذثژ،",
    "יוהלאמרתבשנםעחדקצפטןגזכסףךץ", "านรกเงอมวล่ยี้ะัสตดทปิคหพแู์ชบไืจขใโำุผธซถึษณฟศฉญ็ฐฏภฝฮฬ",
)  # fmt: skip
_RUNS = re.compile(rb"[\x80-\xff]+")
_FALL = 0.9  # of a letter's frequency against the next commoner one
_CAPITALS = 0.05  # of letters that begin a sentence or a name
_SIGNS = dict.fromkeys("“”„‘’–—…«»\xa0·•°№§©´£€®™", 0.02)
_RARE = 1e-5  # any other letter or sign
_NEVER = 1e-8  # what the charset has not, or only in control characters
# Mean log likelihood of letters read rightly: they reach -3.9 to -1.3; those of multi-byte charsets -6.4 at most.
LIKELY = -5.0
CLEARER = 1.5  # by which another charset must beat the declared one


@cache
def _languages() -> tuple[dict[str, float], ...]:
    tables = []
    for order in _ORDERS:
        whole = sum(_FALL**place for place in range(len(order)))
        table = dict(_SIGNS)
        for place, letter in enumerate(order):
            share = _FALL**place / whole
            table[letter] = share
            if (capital := letter.upper()) != letter and len(capital) == 1:
                table.setdefault(capital, share * _CAPITALS)
        tables.append({letter: math.log(share) for letter, share in table.items()})
    return tuple(tables)


def likelihood(sample: bytes, charset: str) -> float:
    """The mean log likelihood of the letters above 127, in the language that makes them likeliest; -inf without any."""
    counts = Counter(sample.translate(None, bytes(range(128))))
    total = sum(counts.values())
    if not total:
        return -math.inf
    letters = [(bytes([code]).decode(charset, "replace"), count) for code, count in counts.items()]
    rare, never = math.log(_RARE), math.log(_NEVER)
    floors = [(letter, count, never if letter == "\ufffd" or letter < "\xa0" else rare) for letter, count in letters]
    return max(
        sum(table.get(letter, floor) * count for letter, count, floor in floors) / total for table in _languages()
    )


def likeliest(sample: bytes) -> tuple[str, float]:
    """The charset in which the letters of a sample are likeliest, and how likely they are.

    Scripts without Latin letters are asked where most letters above 127 stand beside another.
    """
    runs = _RUNS.findall(sample)
    alone = sum(len(run) == 1 for run in runs)
    names = _LATIN if 2 * alone > sum(map(len, runs)) else _LATIN + _OTHERS
    return max(((name, likelihood(sample, name)) for name in names), key=lambda pair: pair[1])
