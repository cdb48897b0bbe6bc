"""Stories told by a small grammar: Chinese and English sentences expanded from rules and word lists.

A rule is a list of alternatives with slots in braces; a slot is another rule, a word list or one of the
`_Facts` (people, places, numbers) that a story keeps to itself. Two stories share rules but hardly any three words in
a row, because nearly every slot has dozens of fillings; a test holds that bound.
"""

from __future__ import annotations

import functools
import random
import re
import tomllib
from collections.abc import Callable, Mapping
from importlib import resources

Token = tuple[str, str, str]  # literal text before, slot name ("" at the end), inflection ("", "s", "ed", "ing")
Rules = Mapping[str, tuple[tuple[Token, ...], ...]]

LANGUAGES = ("zh", "en")
_SLOT = re.compile(r"\{(\w+)(?:\+(s|ed|ing))?\}")
_WIDE = str.maketrans({",": "，", ":": "：", ";": "；", "?": "？"})
_VOWELS = "aeiou"


@functools.cache
def topics(language: str) -> tuple[str, ...]:
    """The classes a story can have, such as ``sport``; the same names in every language."""
    return tuple(_load(language)["topics"])


@functools.cache
def _load(language: str) -> dict[str, dict[str, object]]:
    text = resources.files(__package__).joinpath("lexicon", f"{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@functools.cache
def _rules(language: str, topic: str) -> Rules:
    data = _load(language)
    separator = "," if language == "en" else None
    rules: dict[str, tuple[tuple[Token, ...], ...]] = {}
    lists: dict[str, object] = {**data["words"], **data["rules"], **dict(_table(data["topics"][topic]))}
    for name, value in lists.items():
        words = value if isinstance(value, list) else [word.strip() for word in str(value).split(separator)]
        rules[name] = tuple(_compile(str(word), language) for word in words)
    return rules


def _table(value: object) -> Mapping[str, object]:
    assert isinstance(value, dict)
    return value


def _compile(text: str, language: str) -> tuple[Token, ...]:
    tokens: list[Token] = []
    at = 0
    for match in _SLOT.finditer(text):
        tokens.append((_literal(text[at : match.start()], language), match[1], match[2] or ""))
        at = match.end()
    tokens.append((_literal(text[at:], language), "", ""))
    return tuple(tokens)


def _literal(text: str, language: str) -> str:
    return text.translate(_WIDE) if language == "zh" else text


class Teller:
    """Tells one story: every sentence comes from here, with the people and places of the story."""

    def __init__(self, language: str, topic: str, rng: random.Random) -> None:
        self.language = language
        self._rules = _rules(language, topic)
        self.rng = rng
        self._places = list(dict.fromkeys(self._new_place() for _ in range(5)))
        self._last_place = ""
        self._orgs = [self._new_org() for _ in range(3)]
        self._people = [(self._plain("surname"), self._plain("given")) for _ in range(5)]
        self._met: set[int] = set()

    def sentence(self, rule: str = "s") -> str:
        """One sentence with its punctuation."""
        text = self.expand(rule)
        if self.language == "zh":
            return text if text[-1] in "。？” " else text + "。"
        text = text[0].upper() + text[1:] if text[0].isalpha() else text
        if text.startswith("“"):
            text = "“" + text[1].upper() + text[2:]
        return text if text[-1] in ".?" else text + "."

    def title(self, rule: str = "title") -> str:
        """A headline."""
        text = self.expand(rule)
        return text[0].upper() + text[1:]

    def paragraph(self, sentences: int) -> str:
        """``sentences`` sentences joined as the language joins them."""
        return ("" if self.language == "zh" else " ").join(self.sentence() for _ in range(sentences))

    def body(self, paragraphs: int) -> list[str]:
        """A story of ``paragraphs`` paragraphs, its lead first."""
        lead = self.sentence("lead") + ("" if self.language == "zh" else " ") + self.sentence()
        return [lead, *(self.paragraph(self.rng.randint(2, 4)) for _ in range(paragraphs - 1))]

    def report(self, kind: str) -> list[str]:
        """A weather or market report: fixed sentences in a fixed order with other names and numbers in them."""
        sentences = []
        for tokens in self._rules[f"report_{kind}"]:
            text = self._tidy(self._fill(tokens))
            sentences.append(text[0].upper() + text[1:])
        joint = "" if self.language == "zh" else " "
        return [joint.join(sentences[i : i + 3]) for i in range(0, len(sentences), 3)]

    def expand(self, rule: str) -> str:
        """A random expansion of a rule or word list, without punctuation added."""
        return self._tidy(self._slot(rule, ""))

    def author(self) -> str:
        """The name of a person outside the story."""
        return self._name((self._plain("surname"), self._plain("given")))

    def place(self) -> str:
        """One of the places of the story, another one than last time."""
        self._last_place = self.rng.choice([place for place in self._places if place != self._last_place])
        return self._last_place

    def _slot(self, name: str, inflection: str) -> str:
        fact = _FACTS.get(name)
        if fact is not None:
            return fact(self)
        text = self._fill(self.rng.choice(self._rules[name]))
        return _INFLECT[inflection](text) if inflection else text

    def _fill(self, tokens: tuple[Token, ...]) -> str:
        parts = []
        for literal, slot, inflection in tokens:
            parts.append(literal)
            if slot:
                parts.append(self._slot(slot, inflection))
        return "".join(parts)

    def _tidy(self, text: str) -> str:
        if self.language == "zh":
            return text.replace("的的", "的")
        text = re.sub(r"\b([Aa]) (?=[aeiouAEIOU])", r"\1n ", text)
        text = re.sub(r"\s+([,.;:?”])", r"\1", text)
        return re.sub(r" {2,}", " ", text).strip()

    def _plain(self, name: str) -> str:
        return self.rng.choice(self._rules[name])[0][0]

    def _name(self, person: tuple[str, str]) -> str:
        surname, given = person
        return surname + given if self.language == "zh" else f"{given} {surname}"

    def _new_place(self) -> str:
        middle = self._plain("place_mid") if self.language == "zh" else ""
        return self._plain("place_head") + middle + self._plain("place_tail")

    def _new_org(self) -> str:
        place = self.rng.choice(self._places)
        joint = "" if self.language == "zh" else " "
        return (
            place + joint + self._plain("org_tail")
            if self.language == "zh"
            else f"the {place} {self._plain('org_tail')}"
        )

    def _person(self) -> str:
        index = self.rng.randrange(len(self._people))
        if index in self._met:
            return self._people[index][0] if self.language == "en" else self._name(self._people[index])
        self._met.add(index)
        return self._name(self._people[index])

    def _number(self) -> str:
        value = int(10 ** self.rng.uniform(0.4, 4.2))
        return f"{value:,}" if self.language == "en" else str(value)

    def _percent(self) -> str:
        value = self.rng.randint(3, 989) / 10
        return f"{value}%" if self.language == "zh" else f"{value} per cent"

    def _money(self) -> str:
        value = self.rng.randint(11, 9899) / 10
        if self.language == "zh":
            return f"{value}{self.rng.choice(('万元', '亿元', '元'))}"
        return f"{self.rng.choice('£$€')}{value} {self.rng.choice(('million', 'thousand', 'billion'))}"

    def _clock(self) -> str:
        return f"{self.rng.randrange(24)}:{self.rng.randrange(60):02d}"


_FACTS: dict[str, Callable[[Teller], str]] = {
    "person": Teller._person,
    "person_name": lambda t: t._name(t.rng.choice(t._people)),
    "surname_of": lambda t: t.rng.choice(t._people)[0],
    "place": Teller.place,
    "org": lambda t: t.rng.choice(t._orgs),
    "number": Teller._number,
    "percent": Teller._percent,
    "money": Teller._money,
    "clock": Teller._clock,
    "small": lambda t: str(t.rng.randint(2, 9)),
    "low": lambda t: str(t.rng.randint(-6, 14)),
    "high": lambda t: str(t.rng.randint(15, 97)),
    "warm": lambda t: str(t.rng.randint(15, 38)),
    "index": lambda t: str(t.rng.randint(1500, 24000)),
    "pressure": lambda t: str(t.rng.randint(985, 1040)),
}


def _plural(noun: str) -> str:
    if noun.endswith("sis"):
        return noun[:-2] + "es"
    if noun.endswith(("s", "x", "ch", "sh")) and noun != "species":
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in _VOWELS:
        return noun[:-1] + "ies"
    if noun.endswith("shelf"):
        return noun[:-1] + "ves"
    return noun if noun == "species" else noun + "s"


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ied"
    return verb + "ed"


def _present_participle(verb: str) -> str:
    return verb[:-1] + "ing" if verb.endswith("e") and not verb.endswith("ee") else verb + "ing"


_INFLECT: dict[str, Callable[[str], str]] = {"s": _plural, "ed": _past, "ing": _present_participle}
