"""Tables that map the characters of the first plane, for texts of any length at once."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from articlebot.text import by_character
from articlebot.text.normal import INVISIBLE

Table = npt.NDArray[np.uint32]
PLANE = 0x10000


def codes_of(text: str) -> Table:
    """The characters' numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def mapped(codes: Table, table: Table) -> str:
    """The characters as the table has them, a null there removes one; beyond the first plane nothing changes."""
    high = codes >= PLANE
    found = table[codes & (PLANE - 1)]
    if high.any():
        found = np.where(high, codes, found)
    kept: Table = found[found != 0]
    return kept.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@functools.cache
def compatible() -> Table:
    """NFKC, where that is one character; null for what nobody sees."""
    table = np.array([ord(form) if len(form) == 1 else code for code, form in enumerate(_forms())], dtype=np.uint32)
    for characters in ("".join(map(chr, range(PLANE))), "".join(map(chr, table))):
        for unseen in INVISIBLE.finditer(characters):
            table[unseen.start() : unseen.end()] = 0
    return table


@functools.cache
def several() -> dict[str, str]:
    """The visible characters that become several others."""
    forms = enumerate(_forms())
    return {chr(code): form for code, form in forms if len(form) > 1 and not INVISIBLE.search(chr(code) + form)}


@functools.cache
def folded() -> Table:
    """Lower case, simplified and compatible, of what is one character then too."""
    forms = (chr(code).lower() for code in range(PLANE))
    lower = np.array([ord(form) if len(form) == 1 else code for code, form in enumerate(forms)], dtype=np.uint32)
    table = np.where(compatible() == 0, np.arange(PLANE, dtype=np.uint32), compatible())
    inside = table < PLANE
    table[inside] = simplified()[lower[table[inside]]]
    return table


def _forms() -> Iterator[str]:
    return (unicodedata.normalize("NFKC", chr(code)) for code in range(PLANE))


@functools.cache
def simplified() -> Table:
    """Traditional Chinese characters as simplified ones."""
    table = np.arange(PLANE, dtype=np.uint32)
    pairs = by_character.simplified()
    table[list(pairs)] = list(pairs.values())
    return table
