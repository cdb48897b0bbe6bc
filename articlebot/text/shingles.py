"""Shingles: hashes of words and of runs of words, the features that texts are compared by."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]

# Odd multipliers and shifts of the 64-bit finaliser of splitmix64 (Steele, Lea, Flood 2014).
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_POSITION = np.uint64(0x9E3779B97F4A7C15)


def hashes(words: Sequence[str]) -> Hashes:
    """64-bit hashes of words, in order: the first 8 bytes of blake2b, the same on every machine."""
    return np.frombuffer(digests(words), dtype=">u8").astype(np.uint64)


def digests(words: Sequence[str]) -> bytes:
    """The same hashes, 8 bytes big-endian each, one after the other."""
    return b"".join(map(_digest, words))


# A day's articles share most of their words; 2**16 of them take about 12 MB.
@functools.lru_cache(maxsize=1 << 16)
def _digest(word: str) -> bytes:
    return blake2b(word.encode(), digest_size=8).digest()


def mix(values: Hashes) -> Hashes:
    """The values scattered over 64 bits, one to one."""
    values = (values ^ (values >> np.uint64(30))) * _MIX_1
    values = (values ^ (values >> np.uint64(27))) * _MIX_2
    return values ^ (values >> np.uint64(31))


def shingles(word_hashes: Hashes, n: int) -> Hashes:
    """Hashes of all runs of ``n`` words, in order; one for the whole where there are fewer words, none where none.

    The order inside a run counts: "dog bites man" and "man bites dog" are different shingles.
    """
    if len(word_hashes) == 0:
        return word_hashes
    n = min(n, len(word_hashes))
    count = len(word_hashes) - n + 1
    combined = np.zeros(count, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for offset in range(n):
            combined = mix(combined + _POSITION + word_hashes[offset : offset + count])
    return combined


def longer(runs: Hashes, next_words: Hashes) -> Hashes:
    """Hashes of runs of one word more: of all runs but the last, each with the word that follows."""
    with np.errstate(over="ignore"):
        return mix(runs[:-1] + _POSITION + next_words)


def character_runs(text: str, longest: int) -> tuple[npt.NDArray[np.uint32], Hashes]:
    """The characters of a text, and a row of hashes for each length of run from 1 to ``longest``.

    In the row of runs of n characters stands at each place the hash of the run that begins there, as :func:`shingles`
    of words; at the last n - 1 places, where none begins, nothing that may be used.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    with np.errstate(over="ignore"):
        characters = mix(codes + _POSITION)
        runs = np.zeros((longest, len(codes)), dtype=np.uint64)
        runs[0] = mix(characters + _POSITION)
        for n in range(1, min(longest, len(codes))):
            runs[n, :-n] = longer(runs[n - 1, : len(codes) - n + 1], characters[n:])
    return codes, runs
