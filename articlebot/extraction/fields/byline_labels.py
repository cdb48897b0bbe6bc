"""Labels of those who wrote, and the names behind them: ``By Ann Lee``, ``Text und Fotos: Anna Groß``, ``作者：王小明``."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re

from articlebot.extraction.fields.eastern import eastern, is_eastern
from articlebot.extraction.fields.info_line import MAX_CHARS, before_date, is_person

# "Text och foto: Sara Ek", "Words and photographs by Ann Lee"
_TEXT = r"words|texte?|text[oe]|testo|tekst[iy]?|story|ord"
_PHOTOS = r"photo(?:graph)?s?|pictures|foto(?:s|'s|’s|grafie)?|bild(?:er)?|kuvat|zdjęcia|fotky"
_BY = (
    r"de notre (?:correspondante?|envoyée? spéciale?)(?: (?:à|en|au) \w{3,20})?,?|dal(?:la)? nostr[oa] (?:inviat[oa]|corrispondente),?|"
    r"(?:door|van) onze (?:verslag\w{4,9}|redact\w{3,6}|correspondente?)(?: in \w{3,20})?|von unsere[rm] (?:\w{3,12})?(?:korrespondent|redakteur|reporter|mitarbeiter)(?:en|in)?(?: in \w{3,20})?|oprac(?:\.|owała?)|"
    r"by|von|vom|par|por|da|di|de|door|af|av|przez|(?:article )?written by|words by|text by|texts? by|story by|posted by|post by|reported by|authored by|interview by|interview(?=\s*:)|(?:كتبت?|إعداد|כתבה?)(?=\s*:)|بقلم|מאת|"
    rf"(?:{_TEXT}|{_PHOTOS})(?: and| und| et| och| og| y| e| en| i| ja|,| &| \\+) (?:{_TEXT}|{_PHOTOS})(?: by| von| par| por| de| di| van| av| af)?|"
    r"(?:eine? )?(?:beitrag|artikel|gastbeitrag|gastkommentar|kommentar|text|analyse|bericht|essay|glosse|interview|kolumne|kritik|leitartikel|porträt|reportage|rezension)(?: aus \w{3,20})? von|aus \w{3,20} berichte[nt]|"
    r"(?:escrito|publicado|redactado|texto|reportagem|redigido|elaborado)(?: (?:en|em) \w{3,20})? (?:por|de)|"
    r"(?:article )?(?:écrit|rédigé|publié|propos recueillis|texte) par|(?:scritto|pubblicato|testo) da|a cura di|di seguito|"
    r"reporting by|(?:an? )?(?:opinion|analysis|comment(?:ary)?|column|review|essay|feature|profile|dispatch|explainer|exclusive) by|"
    r"(?:entrevista|reportaje|crónica|análisis|columna|opinión|reportagem|análise|coluna) (?:de|por)|(?:intervista|analisi|editoriale) di|"
    r"(?:analyse|chronique|critique|enquête|entretien|reportage|tribune|récit|éditorial) (?:de|par)|"
    r"authors? of the article|author|authors|autor(?:en|in|es|a|as|ka|ky)?|auteurs?|autori|autore|autrice|text|texto|teksti?|автор|текст|writer|words|reporter|journalist|"
    r"(?:reportage|reportaje|reportagem|szerző|írta|penulis|yazan|haber|tác giả|ผู้เขียน|लेखक|συντάκτης|γράφει|napsala?|napisała?|skriven? av|skrevet a[fv])(?=\s*:)"
)
# A label and what follows it: at a line's beginning, or behind a date or separator in it.
_LABELLED = re.compile(
    rf"(?:^|[|·•–—]\s*+|\d(?:\s?[ap]\.?m\.?|\sUhr)?(?:\s[A-Z]{{2,4}})?,?\s++|(?<=\d{{4}})|\bon\s[^|\d]{{0,20}}\d[^|]{{0,20}}?\s)\W{{0,3}}(?:(?:{_BY})\s*[:：]|(?:{_BY})(?=\s)|by(?=(?-i:[A-ZÀ-Þ])))\s*(?P<name>[^\s\d].{{1,120}})",
    re.I,
)
# Labels that are words of a sentence, too: behind them names of persons only.
_WEAK = re.compile(
    r"(?:da|di|de|af|av|text|texte|texto|testo|teksti?|текст|words|story|ord|photo\w*|foto\w*|pictures|bild\w*|kuvat|reporter|journalist|vom|writer|aut[heo]\w*)\b(?!\s*[:：])",
    re.I,
)
_AFTER_CLOCK = re.compile(r"\d\s?[ap]\.?m|\d\s[A-Z]{2,4}\s|\d(?:\sUhr)?,", re.I)
_LABEL = re.compile(rf"^\W*(?:{_BY})(?:\s*[:：]\s*|\s+)", re.I)
_ONLY_LABEL = re.compile(rf"(?:{_BY}|作者|记者|記者|撰稿|撰文)\s*[:：]?", re.I)
_STOP = re.compile(
    r"[|｜•]|\s[-–—·]\s|[;,.]?\s(?:additional reporting|editing|writing|leave a|(?:photo\w{0,8}|foto\w{0,8}|images?|bild(?:er)?|illustration(?:en|s)?|gra(?:fik|phic)s?|videos?|kamera|redaktion|edit(?:or|ing))(?=\s?:))\b|\s(?:avec|con|com|mit|with)\s(?=(?:agenc|[A-Z]{2,5}\b))|\s(?:in|on|at|am|um|on:|(?-i:le|el|il))\s(?=[\dA-ZÀ-Þ])|\s(?:le|el|il)\s(?=\d)|\s\d{1,5}\scomments?\b|\s(?:published?|updated|posted|edited|last|view|photo(?:s|graph(?:s|y))?|pictures|graphics|illustrations?|share|follow|read|publié|mis à jour|actualizado|atualizado|pubblicato|aggiornato|veröffentlicht|aktualisiert)\b",
    re.I,
)
_NUMBER = re.compile(r"(?<!\s)\s+\d")
# Where somebody was: "By Ann Lee in Paris and Bo Grant in Rome"; one place at the end stops the name anyway.
_WHERE = re.compile(
    r"\s(?:in|à|aus)\s[A-ZÀ-Þ][\w.'’-]{1,20}(?:\s[A-ZÀ-Þ][\w.'’-]{1,20})?(?=,?\s(?:and|und|et)\s[A-ZÀ-Þ]|,\s[A-ZÀ-Þ])"
)
AND = r"\s(?:and|und|et|y|e|og|och|en|&)\s"
_FIRST = re.compile(rf",|/|{AND}")


def names_in_line(text: str) -> list[str]:
    """The names that a line gives as its text's authors, in order, unsplit where they are Latin; empty without a label."""
    if len(text) > MAX_CHARS:
        return eastern(text[:80])
    if is_eastern(text):
        return eastern(text)
    # "27 de novembro de 2026 - Por: Ana Reis": a month is none, and another label may stand behind it.
    match = _LABELLED.search(text)
    while match is not None:
        if named := _named_behind(match, text):
            return named
        match = _LABELLED.search(text, match.start("name"))
    return []


def _named_behind(match: re.Match[str], text: str) -> list[str]:
    """The names behind a label in a line."""
    name = before_date(_STOP.split(_WHERE.sub("", match["name"]), maxsplit=1)[0].strip(" ,;:()"))
    name = _NUMBER.split(name, maxsplit=1)[0]  # of a date in a language whose months are not known
    label = text[match.start() : match.start("name")].strip(" |·•–—0123456789")
    # "Por su parte, el alcalde …" begins a sentence.
    begins = not label.endswith((":", "：")) and name[:1].islower() and f"{name}," in text
    in_sentence = begins or _WEAK.match(label) or _AFTER_CLOCK.match(match[0])
    if in_sentence and not is_person(_FIRST.split(name, maxsplit=1)[0].strip()):
        return []
    return [name] if name else []


def is_only_label(text: str) -> bool:
    """Whether a line is nothing but the label of the names below it: ``Posted by:``, ``作者``."""
    return _ONLY_LABEL.fullmatch(text.strip()) is not None


def without_label(text: str) -> str:
    """A name without the label before it."""
    return _LABEL.sub("", text, count=1)
