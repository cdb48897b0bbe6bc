"""Names in Chinese, Japanese and Korean lines: ``本报记者 王小明 李红``, ``홍길동 기자``, ``山田太郎 記者``."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re

from articlebot.extraction.fields.info_line import FOREIGN, POINT, is_foreign_name, is_han_name, is_japanese_name

# One character is a word of its own only between others that are none: 文/王小明, but not 文化广场.
_ROLES = r"(?:(?:见习|首席|特约|特派|高级|資深|资深)?(?:记者|記者)|通讯员|通訊員|实习生|實習生|撰文|撰稿|采写|採寫|口述|整理(?=\s?[:：])|(?<!的)作者|文字|主笔|评论员|取材・文|執筆|筆者|著者|(?<![\u4e00-\u9fff])文(?![\u4e00-\u9fff]))"
EDITING = "责任编辑|責任編輯|责编|責編|编辑|編輯|校对|校對"
_HAN = rf"(?!{_ROLES}|[责責編编摄攝校图圖])(?:{FOREIGN}|(?:(?![记記]者)[\u4e00-\u9fff]){{2,5}})"
_CHINESE = re.compile(
    rf"{_ROLES}(?P<between>\s?[:：/／|｜丨＝=]\s?|\s{{1,3}})?(?P<names>{_HAN}(?:[\s、，,/／]{{1,3}}{_HAN}){{0,7}})"
)
_NO_AUTHORS = re.compile(
    rf"(?<![文字、/／])(?:(?:图|圖|图片|视频)\s?[:：/／|｜丨]|(?:摄影|攝影)\s?[:：/／|｜丨]?)\s?(?:本报|特约)?(?:记者|記者|通讯员)(?:(?!{_ROLES})[\u4e00-\u9fff、\s·]){{0,20}}|"
    rf"(?:{EDITING}|摄影|攝影|图片|图|審核|审核|监制|編審|编审|来源|來源|出品|统筹)\s*[:：/／|｜丨]?\s*"
    rf"(?:(?!{_ROLES})[\u4e00-\u9fff、\s·]){{0,20}}"
)
_EDITORS = re.compile(rf"(?:{EDITING}|审核)\s?[:：/／|｜丨]?\s?(?P<names>{_HAN}(?:[\s、，,/／]{{1,3}}{_HAN}){{0,4}})")
# Between a family's and a given name of three syllables a blank parts two people; 정치부 is a desk.
_KOREAN = re.compile(
    r"(?P<names>(?:[김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도석선설마길][가-힣](?![부팀국실사])[가-힣]\s){0,3}(?!선임|수습|인턴|전문|객원|특파)[가-힣]{2,4}(?:\s*[·,]\s*[가-힣]{2,4}){0,4})\s*(?:(?:선임|수습|인턴|전문|특파원|객원)\s*)?(?:기자|특파원|논설위원)(?![가-힣])"
)
_KOREAN_LABEL = re.compile(
    # Boards have a label of their own; whoever runs one is not named by it. 이전 글: leads to another post.
    r"(?:(?:(?<!이전)(?<!다음)(?<!이전\s)(?<!다음\s)글|기자|취재)\s*[:：=|]|^(?:기자명|글|글\s?·\s?사진|취재)(?=\s)|(?:작성자|글쓴이|등록자|게시자)\s?[:：|]?(?!\s*(?:최고)?(?:관리자|운영자)))\s*(?P<names>[가-힣]{2,4}(?:\s*[·,]\s*[가-힣]{2,4}){0,4})(?![가-힣])"
)
_JAPANESE = re.compile(
    r"(?:^|[\s（(【〔\[])(?P<names>[一-龥々]{2,4}[\s　]?[一-龥々ぁ-んァ-ヶ]{1,4})(?<!告訴)(?<![對向])\s*記者(?![一-龥])"
)
# Labels of Japanese lines, behind which a name may have kana.
_NAME_JA = r"[一-龥々]{1,4}[\s　]?[一-龥々ぁ-んァ-ヶ]{1,4}"
_JAPANESE_LABEL = re.compile(
    rf"(?:文責|著者|筆者|執筆者?|ライター|聞き手|(?:取材|構成|写真)・文|(?<![一-龥])文|編集委員|Text by|text by)\s?[:：＝=/／・\s]\s?(?P<names>{_NAME_JA}(?:[、，,・]{_NAME_JA}){{0,4}})(?![一-龥ぁ-んァ-ヶー])"
)
# A Chinese label, too; a blank behind a family's name is none between two people: 記者：高橋 由美、中村浩二.
_JAPANESE_BLANK = re.compile(
    rf"(?:記者|文責|著者|筆者|執筆者?|ライター|編集委員|特派員|(?<![一-龥])文)(?:\s?[:：＝=/／]\s?|\s)(?P<names>{_NAME_JA}(?:[、，,・]\s?{_NAME_JA}){{0,4}})(?![一-龥ぁ-んァ-ヶー])"
)
_EASTERN = re.compile("[\u1100-\u11ff\u3040-\ud7ff\uf900-\ufaff]")
_CUT = re.compile(r"[\s、，,/／·]+")
_CUT_JAPANESE = re.compile("[、，,・]")
_CUT_HAN = re.compile(r"[\s、，,/／]+")
_AT_PLACE = re.compile(r"(?:报道|報導|報道|综合|整理|编译|編譯)\Z")
# Two characters of a name set apart to be as wide as three: 徐　林.
_APART = re.compile(r"(?<![\u4e00-\u9fff])([\u4e00-\u9fff])\s([\u4e00-\u9fff])(?![\u4e00-\u9fff])")
# 記者林宜靜台中5日電: of what stands before the place, a name.
_AT_ONCE = re.compile(
    r"(?<=[记記]者)([\u4e00-\u9fff]{2,3})[\u4e00-\u9fff]{2}(?=\d{1,2}日[电電]|报道|報導)(?![\u4e00-\u9fff]{3})"
)
# Who took a picture: 记者 王小明 摄, 记者王小明摄; but 摄影报道 is a report.
_TOOK = re.compile(r"\s?(?:摄(?!影报道|像报道)|攝(?!影報)|供图|供圖)")

# What stands before a colon is the next field's label, though it may read like a name: 作者：张伟 时间：2026-11-28.
_LABEL_END = re.compile(r"\s?[:：]")
# "记者：中芯国际在成本控制方面…": what was asked, which goes on behind the characters of a name.
_GOES_ON = re.compile("[\u4e00-\u9fff]")


def is_eastern(text: str) -> bool:
    """Whether a text has Chinese, Japanese or Korean characters."""
    return _EASTERN.search(text) is not None


def eastern(text: str) -> list[str]:
    """The names that a Chinese, Japanese or Korean line gives as its authors; editors and photographers are none."""
    for pattern in (_KOREAN, _KOREAN_LABEL, _JAPANESE):
        if found := pattern.search(text):
            names = found["names"]
            return [" ".join(names.split())] if pattern is _JAPANESE else [one for one in _CUT.split(names) if one]
    if (spaced := _JAPANESE_BLANK.search(text)) and any(
        map(_is_japanese, names := _CUT_JAPANESE.split(spaced["names"]))
    ):
        return [" ".join(one.split()) for one in names]
    text = _NO_AUTHORS.sub(" ", _AT_ONCE.sub(r"\1 ", _APART.sub(_together, text)))
    named: list[str] = []
    house: list[str] = []  # what a label names that is none of a person's names
    for match in _CHINESE.finditer(text):
        firm = bool((match["between"] or "").strip())
        ones = [part for one in _CUT_HAN.split(match["names"]) for part in _of_one(one)]
        if len(ones) > 1 and _LABEL_END.match(text, match.end()):
            ones.pop()
        if _TOOK.match(text, match.end()) or ones[-1].endswith(("摄", "攝", "供图", "供圖")):
            continue
        for one in ones:
            one = "" if one.startswith("文并") else _AT_PLACE.sub("", one)  # noqa: PLW2901
            if is_han_name(one) or is_foreign_name(one):
                named.append(one)
            elif firm and not named and len(one) <= 5 and not _GOES_ON.match(text, match.end()):
                house.append(one)
            else:
                break
    if not (named or house) and (labelled := _JAPANESE_LABEL.search(text)):
        return [" ".join(one.split()) for one in _CUT_JAPANESE.split(labelled["names"])]
    return list(dict.fromkeys(named or house[:1]))


def _is_japanese(name: str) -> bool:
    """Whether a name is a common Japanese family's with a given one behind a blank, and not two Chinese ones."""
    given = name.split()[1:]
    return len(given) == 1 and is_japanese_name(name.strip()) and not is_han_name(given[0])


def _of_one(name: str) -> list[str]:
    """A name, or the two that a point parts: 周睿·郑一诺."""
    return [name] if is_foreign_name(name) else POINT.split(name)


def _together(match: re.Match[str]) -> str:
    name = match[1] + match[2]
    return name if is_han_name(name) and name[0] != "文" else match[0]


def editors_in(text: str) -> list[str]:
    """The names that a line gives as its text's editors and proof-readers."""
    return [name for match in _EDITORS.finditer(text) for name in _CUT_HAN.split(match["names"])]
