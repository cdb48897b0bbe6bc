"""Sentences of a text, for summaries."""

from __future__ import annotations

import re

# A sentence ends at its mark and the quotes and brackets that close after it.
_CLOSERS = "”’\"'」』）)】》]"
_CHINESE_END = re.compile(rf"[。！？!?；…]+[{re.escape(_CLOSERS)}]*")
_WESTERN_END = re.compile(rf"[.!?…]+[{re.escape(_CLOSERS)}]*(?=\s+[\"'“‘(\[]*[A-Z0-9À-ÝА-Я])")
# A point after these is no end: titles, initials, months and the like, in the languages crawled most.
_ABBREVIATION = re.compile(
    r"(?:^|[\s(“\"'])(?:[A-Z]|[A-Z]\.[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Sgt|Gen|Col|Lt|Capt|Sen|Rep|Gov|Rev|Hon|Jr|Sr|Inc|Ltd|"
    r"Corp|Co|vs|No|Nos|Vol|Fig|pp|approx|dept|est|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|e\.g|i\.e|z\.B|ca|bzw|Nr)\.$"
)
# A line that goes on in lower case was only wrapped.
_WRAPPED = re.compile(r"\n(?<=[^\n.!?:…]\n)[^\S\n]*(?=[a-zà-ÿ])")
_IDEOGRAPHIC = re.compile("[\u3040-\u9fff]")
_SPACE = re.compile(r"[^\S\n]+")


def sentences(text: str, language: str | None) -> list[tuple[str, bool]]:
    """The sentences of a text in order, each with whether it ends with a mark (headings and captions do not).

    Args:
        text: lines are taken as paragraphs.
        language: "zh" and "ja" end sentences without a space after the mark; None: told from the text.
    """
    chinese = is_ideographic(text) if language is None else language.startswith(("zh", "ja"))
    found: list[tuple[str, bool]] = []
    for line in (text if chinese else _WRAPPED.sub(" ", text)).split("\n"):
        if paragraph := _SPACE.sub(" ", line).strip():
            found.extend(_split(paragraph, chinese))
    return found


def is_ideographic(text: str) -> bool:
    """Whether the text is written in Chinese or Japanese characters, by its first 1,000 letters."""
    letters = "".join(filter(str.isalpha, text[:4000]))[:1000]
    return len(_IDEOGRAPHIC.findall(letters)) * 3 > len(letters)


def _split(paragraph: str, chinese: bool) -> list[tuple[str, bool]]:
    found: list[tuple[str, bool]] = []
    start = 0
    for end in (_CHINESE_END if chinese else _WESTERN_END).finditer(paragraph):
        sentence = paragraph[start : end.end()].strip()
        if not chinese and _ABBREVIATION.search(sentence):
            continue
        if any(map(str.isalnum, sentence)):
            found.append((sentence, True))
        start = end.end()
    rest = paragraph[start:].strip()
    if any(map(str.isalnum, rest)):
        found.append((rest, bool(re.search(rf"[.。!！?？…][{re.escape(_CLOSERS)}]*$", rest))))
    return found
