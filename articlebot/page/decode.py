"""Bytes to text: which charset a page is really in, whatever its headers say.

A page's header and meta element are often wrong (a template converted to UTF-8 that still says GBK, a server
that adds ``iso-8859-1`` to everything), while the bytes cannot lie about UTF-8: text with bytes above 127 that
decodes strictly as UTF-8 is UTF-8. Everything else is decided between the declared charsets and the East Asian
multi-byte ones by how many of the decoded characters are common in running text, and the single-byte ones by how often
a language uses their letters.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from articlebot.page.letters import CLEARER, LIKELY, likeliest, likelihood

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What a label means in practice (WHATWG Encoding): the superset that browsers decode with.
_SUPERSETS = {
    **dict.fromkeys(("gb2312", "gbk", "cp936", "hz"), "gb18030"), **dict.fromkeys(("big5", "cp950"), "big5hkscs"),
    **dict.fromkeys(("iso8859-1", "ascii", "latin-1"), "cp1252"), "shift_jis": "cp932", "euc_kr": "cp949",
    "iso8859-9": "cp1254", "tis-620": "cp874",
}  # fmt: skip
# Where Python's tables name other signs than those of browsers (WHATWG Encoding, indexes big5 and jis0208).
_JAPANESE = str.maketrans("〜−‖¢£¬", "～－∥￠￡￢")
_SIGNS = {
    "big5hkscs": str.maketrans("•､‾∼♁☉¥¢£", "‧﹑¯～⊕⊙￥￠￡"),
    "euc_jp": _JAPANESE,
    "iso2022_jp": _JAPANESE,
}
_NO_CHARSETS = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"})
_MULTIBYTE = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")
_CHARSET = re.compile(rb"""charset\s*+=\s*+["']?\s*+([\w.:-]{2,40})""", re.I)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.:-]{2,40})""", re.I)
_HEADER_CHARSET = re.compile(r"""charset\s*+=\s*+["']?\s*+([\w.:-]{2,40})""", re.I)
_ABOVE = re.compile(r"[^\x00-\x7f]+")
# In all multi-byte charsets a byte below 128 that belongs to a character follows one above.
_PLAIN = re.compile(rb"([\x00-\x7f])[\x00-\x7f]{2,}")
_HEAD_BYTES = 4096
_SAMPLE_BYTES = 16384
_CONVINCING = 0.8  # plausibility of a declared charset from which no other is tried
_FAIRLY = 0.6  # plausibility of a multi-byte reading that a declared single-byte charset must not lose to
_AHEAD = 0.2  # the same, where all other readings are less plausible by so much
_SOMEWHAT = 0.35  # plausibility from which a multi-byte reading is taken where nothing else is likely
_DECLARED_MORE = 0.25  # what a declared multi-byte charset has ahead of others
_DAMAGE_BORNE = 0.02  # share of broken sequences above which a UTF-8 reading is given up

# The commonest characters of running text in each script that shares these code spaces; decoding with the wrong
# multi-byte charset yields rare characters instead.
_COMMON = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然"
    "家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把"
    "机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加"
    "这個們來為國說時會對於過發後裡經現當沒動還進樣開從實軍無與長機業將兩間問戰頭體見產關點報導學電話資訊網站新聞記者"
    "のにはをたがでてとしれさいるなもこからあまりアイスントルラリ가이는을를의에다고하지한로서은도사기대인시어나자"
    ",.;:!?()，。、；：！？“”‘’「」『』（）《》 "
)


# What is left of UTF-8 that was read byte by byte and written as UTF-8 again; nobody writes its control characters.
# This one is of quotes and dashes and of Chinese punctuation; to look for its two bytes takes ten times as long.
TWICE = "\x80"
_ENCODED_TWICE = re.compile("(?:[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})++")


class Decoded(NamedTuple):
    """Text of a page and the charset it was read in."""

    text: str
    encoding: str


def decode(body: bytes, content_type: str | None = None) -> Decoded:
    """The text of a page's bytes; broken sequences become U+FFFD, nothing raises.

    Args:
        body: the bytes as they came, already uncompressed.
        content_type: the value of the HTTP header, None where there was none.
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return Decoded(body[len(bom) :].decode(encoding, "replace"), encoding)
    if _looks_utf16(body):
        encoding = "utf-16-le" if body[1:2] == b"\0" else "utf-16-be"
        return Decoded(body.decode(encoding, "replace"), encoding)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        encoding = _choose(body, _declared(body, content_type))
        return Decoded(_read(body, encoding), encoding)
    if text.isascii() and "\x1b$" in text:
        return Decoded(_read(body, "iso2022_jp"), "iso2022_jp")
    return Decoded(text, "utf-8")


def _read(body: bytes, encoding: str) -> str:
    text = body.decode(encoding, "replace")
    return text.translate(_SIGNS[encoding]) if encoding in _SIGNS else text


def decoded_again(text: str) -> str:
    """A text with what was encoded twice as it was meant: ``â\\x80\\x99`` is an apostrophe."""
    return _ENCODED_TWICE.sub(lambda match: match[0].encode("latin-1").decode("utf-8", "replace"), text)


def _looks_utf16(body: bytes) -> bool:
    head = body[:40]
    return len(head) >= 8 and head.count(0) * 3 >= len(head) and 0 in head[:2]


def _declared(body: bytes, content_type: str | None) -> list[str]:
    """Python names of the charsets the page claims, header first; unknown labels left out."""
    labels = _HEADER_CHARSET.findall(content_type or "")
    head = body[:_HEAD_BYTES]
    labels += [label.decode("ascii", "replace") for label in _XML_ENCODING.findall(head) + _CHARSET.findall(head)]
    names = (codec(label) for label in labels)
    return list(dict.fromkeys(name for name in names if name))


def codec(label: str) -> str | None:
    """Python's name of the charset that a label means in practice, None for what is no charset of texts.

    Some of Python's codecs compress, know no broken bytes, or take a time that grows with the square of the length.
    """
    label = {"x-sjis": "shift_jis", "gb_2312-80": "gb2312", "x-gbk": "gbk", "big5-hkscs": "big5hkscs"}.get(
        label.lower(), label
    )
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError):
        return None
    if not getattr(info, "_is_text_encoding", True) or info.name in _NO_CHARSETS:
        return None
    return _SUPERSETS.get(info.name, info.name)


def _choose(body: bytes, declared: list[str]) -> str:
    """The charset of bytes that are not strictly UTF-8."""
    sample = _interesting(body)
    text = sample.decode("utf-8", "ignore")
    above = len(text) - len(text.encode("ascii", "ignore"))
    broken = sample.decode("utf-8", "replace").count("\ufffd") - text.count("\ufffd")
    if above and broken <= max(2, above * _DAMAGE_BORNE):
        return "utf-8"
    declared = [name for name in declared if not name.startswith("utf")]
    for name in declared:
        if name in _MULTIBYTE and _plausibility(sample, name) >= _CONVINCING:
            return name
    scores = {name: _plausibility(sample, name) for name in _MULTIBYTE}
    best = max(scores, key=lambda name: scores[name])
    single, likely = likeliest(sample)
    for name in declared:
        if name in _MULTIBYTE:
            if scores[best] < scores[name] + _DECLARED_MORE and scores[name] > 0:
                return name
        # A single-byte charset decodes anything: it is believed where its letters are those of a language.
        elif scores[best] < _FAIRLY and likelihood(sample, name) > max(likely - CLEARER, LIKELY):
            return name
    if likely >= LIKELY and scores[best] < _CONVINCING:
        return single
    # Headlines have more names in them than texts: no other reading comes near to theirs.
    if scores[best] >= _SOMEWHAT or scores[best] >= _AHEAD + max(0.0, sorted(scores.values())[-2]):
        return best
    return next((name for name in declared if name not in _MULTIBYTE), "cp1252")


def _interesting(body: bytes) -> bytes:
    """A bounded sample of the bytes above 127 with those that may belong to them; markup says nothing of a charset."""
    runs = _PLAIN.sub(rb"\1\n", body)
    if len(runs) <= _SAMPLE_BYTES:
        return runs
    middle = len(runs) // 2
    return runs[: _SAMPLE_BYTES // 2] + b"\n" + runs[middle : middle + _SAMPLE_BYTES // 2]


def _plausibility(sample: bytes, encoding: str) -> float:
    """Share of common characters among those above 127, less what could not be decoded; at most 1."""
    text = sample.decode(encoding, "replace")
    above = "".join(_ABOVE.findall(text))
    if not above:
        return 0.0
    bad = sum(char == "\ufffd" or "\ue000" <= char <= "\uf8ff" for char in above)
    common = sum(char in _COMMON for char in above)
    return common / len(above) * 1.4 - 2.0 * bad / len(above)
