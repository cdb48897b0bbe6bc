"""The words that texts are indexed by, and the search language over them: words, "phrases", -not, begin*, OR."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from articlebot.archive.days import day_word, with_days
from articlebot.errors import RefusedError
from articlebot.text import fold, segment_folded

_TOKEN = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')
# A query is one SQL expression; a person types a few words.
_MAX_TERMS = 32
# PostgreSQL holds no more than 16,383 positions in a text, and an article of more words is a book.
MAX_WORDS = 16_000
_MAX_LENGTH = 40  # characters; what is longer is an address or a code
# A day or a month, as people type it.
_DAY = re.compile(r"(\d{4})(?:[-/](\d\d?)(?:[-/](\d\d?))?|年(\d\d?)月(?:(\d\d?)日)?)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = "january|february|march|april|may|june|july|august|september|october|november|december|sept|" + "|".join(
    _MONTHS
)
# 22 Nov 2026, November 22, 2026, Nov 2026: as the console shows days, and as English papers write them.
_WRITTEN = re.compile(rf"(?:(\d\d?) )?({_NAMES})\.? (?:(\d\d?),? )?(\d{{4}})", re.IGNORECASE)
_AMONG_WORDS = re.compile(rf"(?<!\S)(-?)({_WRITTEN.pattern})(?!\S)", re.IGNORECASE)


def index_words(text: str) -> list[str]:
    """Words of a text in order, folded; before a long Chinese word those of which it is made, so that 大学 finds
    北京大学; English plurals as singulars."""
    words = segment_folded(fold(text))[:MAX_WORDS]
    return list(islice(chain.from_iterable(map(expand, words)), MAX_WORDS))


@functools.lru_cache(maxsize=1 << 17)
def expand(word: str) -> tuple[str, ...]:
    """What stands in the index for one folded word; itself comes last."""
    if word.isascii():
        return (_singular(word)[:_MAX_LENGTH],)
    if len(word) < 3 or not is_han(word):
        return (word[:_MAX_LENGTH],)
    return (*_parts(word), word[:_MAX_LENGTH])


def is_han(word: str) -> bool:
    """Whether the word is of Chinese characters."""
    return all("\u3400" <= ch <= "\u9fff" or ch >= "\U00020000" for ch in word)


def _parts(word: str) -> Iterator[str]:
    """The dictionary's words of two and three characters inside a longer one, as jieba's search mode has them."""
    for length in (2, 3):
        if length < len(word):
            for start in range(len(word) - length + 1):
                part = word[start : start + length]
                if segment_folded(part) == [part]:
                    yield part


def _singular(word: str) -> str:
    """Harman's "S" stemmer (How effective is suffixing?, JASIS 42, 1991): plurals only, nothing invented."""
    if len(word) < 4 or not word.endswith("s"):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand one after the other; with ``prefix`` the last one is a beginning."""

    words: tuple[str, ...]
    prefix: bool = False
    shown: str = field(default="", compare=False)  # as it stands in a folded text

    def pattern(self) -> str:
        """A regular expression that finds the term in a folded text, plurals and whole Latin words only."""
        parts = [_plural(word) if word.isascii() else re.escape(word) for word in self.shown.split()]
        found = r"\W+".join(parts)
        begin = "(?<![a-z0-9])" if self.shown[:1].isascii() else ""
        return begin + found + ("(?![a-z0-9])" if self.shown[-1:].isascii() and not self.prefix else "")


@dataclass(frozen=True, slots=True)
class Query:
    """All of ``wanted``, each with alternatives, and none of ``unwanted``."""

    wanted: tuple[tuple[Term, ...], ...]
    unwanted: tuple[Term, ...] = ()

    @classmethod
    def parse(cls, text: str, now: float | None = None) -> Query:
        """The query of what a person types.

        Args:
            text: words.
            now: epoch seconds; where it is given, "today", 昨天 and their like are days.

        Raises:
            RefusedError: nothing to look for (``query_empty``), or more than 32 terms (``query_too_long``).
        """
        wanted: list[list[Term]] = []
        unwanted: list[Term] = []
        either = False
        for minus, phrase, word in _TOKEN.findall(_quoted(text if now is None else with_days(text, now))):
            if word == "OR" and not minus:
                either = bool(wanted)
                continue
            terms = list(_phrase(phrase) if phrase else _terms(word))
            day = _day(phrase or word)
            if minus:
                unwanted += [*terms, *day]
            elif either and terms:
                wanted[-1] += [*terms, *day]
            elif day:
                wanted.append([*_phrase(phrase or word), *day])
            else:
                wanted.extend([term] for term in terms)
            either = False
        if not wanted:
            raise RefusedError("query_empty", "a search needs at least one word to find")
        if sum(map(len, wanted)) + len(unwanted) > _MAX_TERMS:
            raise RefusedError("query_too_long", f"a search takes at most {_MAX_TERMS} words")
        return cls(tuple(tuple(terms) for terms in wanted), tuple(unwanted))

    def pattern(self) -> re.Pattern[str]:
        """Finds what is wanted in a folded text."""
        return re.compile("|".join(term.pattern() for terms in self.wanted for term in terms if term.shown))


def _quoted(text: str) -> str:
    """The text with days that are written out as phrases; what stands in quotation marks stays."""
    parts = text.split('"')
    parts[::2] = [_AMONG_WORDS.sub(r'\1"\2"', part) for part in parts[::2]]
    return '"'.join(parts)


def _day(text: str) -> list[Term]:
    """The term of a day or month of publication; none where the text is neither."""
    if (found := _DAY.fullmatch(text)) is not None:
        year, month, day = found[1], found[2] or found[4], found[3] or found[5] or ""
    elif (found := _WRITTEN.fullmatch(text)) is not None:
        year, month, day = found[4], str(_MONTHS.index(found[2][:3].lower()) + 1), found[1] or found[3] or ""
    else:
        return []
    return [Term((day_word(year, month, day),), prefix=not day)]


def _phrase(text: str) -> Iterator[Term]:
    words = segment_folded(fold(text))
    if words:
        yield Term(_expanded(words), shown=_shown(words))


def _terms(text: str) -> Iterator[Term]:
    """A term per word. Single Chinese characters are what the dictionary does not know, names above all: they find
    something only next to their neighbours."""
    prefix = text.endswith("*")
    runs: list[list[str]] = []
    for word in segment_folded(fold(text)):
        lone = is_han(word) and len(word) == 1
        if runs and is_han(word) and is_han(runs[-1][-1]) and (lone or len(runs[-1][-1]) == 1):
            runs[-1].append(word)
        else:
            runs.append([word])
    for run in runs:
        last = run is runs[-1] and prefix
        yield Term(tuple(run) if last and len(run) == 1 else _expanded(run), last, _shown(run))


def _expanded(words: Sequence[str]) -> tuple[str, ...]:
    """As they stand in the index, one after the other. A word alone needs none of its parts, which stand before it
    wherever it stands: PostgreSQL looks up neighbours in every text that has both."""
    if len(words) == 1:
        return expand(words[0])[-1:]
    return tuple(part for word in words for part in expand(word))


def _shown(words: Sequence[str]) -> str:
    """Chinese words without, others with a space between them."""
    out = ""
    for word in words:
        out += word if not out or (is_han(word) and is_han(out[-1])) else f" {word}"
    return out


def _plural(word: str) -> str:
    stem = expand(word)[-1]
    return re.escape(stem[:-1]) + "(?:y|ies)" if stem.endswith("y") else re.escape(stem) + "(?:s|es)?"
