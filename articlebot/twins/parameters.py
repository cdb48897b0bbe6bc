"""Which parameters of a site's addresses change nothing: told by links of one title that differ in nothing else."""

from __future__ import annotations

import re
import struct
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Self
from urllib.parse import urlsplit, urlunsplit

from articlebot.urls import page_key

# A parameter changes nothing when so many titles stood under addresses that differ in it alone, and hardly one of ten
# such pairs had unlike titles: a headline is sometimes worded anew in another list.
LEAST_SAME, MOST_UNLIKE = 3, 0.1
# Shorter link texts ("more", "next page", "Read on") are no titles.
_TITLE, _BEGINNING = 8, 6
# More parameters than that are a search form's.
_MOST_PARAMETERS = 6
# A value that numbers pages; "Next page" is a long text too.
_NUMBER = re.compile(r"\d{1,3}")
# A token is the same in all links of a page, and a position counts them; in fewer links that may be chance.
_LEAST_LINKS = 3
# Each block of links on a page may begin to count anew.
_LEAST_IN_ORDER = 0.7
# A folder that is no word: letters and digits of a session's length.
_SESSION_FOLDER = re.compile(r"/((?=[^/]{0,63}[0-9])(?=[^/]{0,63}[A-Za-z])[0-9A-Za-z~_]{10,64})(?=/)")
# What containers of the servlet kind write behind the path.
_PATH_PARAMETER = re.compile(r";([A-Za-z][A-Za-z0-9_]*)=([^;/?]*)$")
_PACKED = struct.Struct(">IIB")
_MOST_NAME = 40
_SAME, _UNLIKE, _OWN = 1, 2, 4


@dataclass(frozen=True, slots=True)
class Sighting:
    """The first link that was seen of an address without some of its parameters.

    Attributes:
        taken: the parameters that were taken away, with a hash of their values; empty where the link had none.
        title, beginning: hashes of the link's text and of its first characters.
        counted: what it was counted for already, added up: 1 a like pair, 2 an unlike one, 4 one with own values.
    """

    taken: tuple[tuple[str, int], ...]
    title: int
    beginning: int
    counted: int = 0

    def pack(self) -> bytes:
        """9 bytes, and for each parameter its name and 9 more."""
        taken = "&".join(f"{name}={value:08x}" for name, value in self.taken)
        return _PACKED.pack(self.title, self.beginning, self.counted) + taken.encode()

    @classmethod
    def unpack(cls, kept: bytes) -> Self:
        """What was packed."""
        pairs = (pair.rpartition("=") for pair in kept[_PACKED.size :].decode().split("&") if pair)
        return cls(tuple((name, int(value, 16)) for name, _, value in pairs), *_PACKED.unpack_from(kept))

    @property
    def names(self) -> frozenset[str]:
        """The parameters that were taken away."""
        return frozenset(name for name, _ in self.taken)


@dataclass(frozen=True, slots=True)
class Seen:
    """A link with some parameters taken away, or with none to take.

    Attributes:
        key: page key of what is left.
    """

    key: int
    sighting: Sighting


def parameters(url: str) -> list[tuple[str, str]]:
    """The parameters of an address with their values, each name once; those behind the path begin with a semicolon."""
    return list(_parameters(url))


@lru_cache(maxsize=4096)  # each link of a page is asked about several times
def _parameters(url: str) -> tuple[tuple[str, str], ...]:
    parts = urlsplit(url)
    split = (pair.partition("=") for pair in parts.query.split("&") if pair)
    pairs = [(name, value) for name, _, value in split]
    if match := _PATH_PARAMETER.search(parts.path):
        pairs.append((f";{match[1]}", match[2]))
    return tuple(dict(pairs).items())


def beside_session(urls: Iterable[str]) -> dict[str, str]:
    """The addresses of a page that all have one token as a folder, with it as a parameter behind their paths.

    Sites hold sessions so: ``/s/8f3a90cd12ab/news/1`` is ``/s/news/1;session=8f3a90cd12ab`` here. What names an article
    is another one in each link. A page without such a token gives none.
    """
    every = list(dict.fromkeys(urls))
    first = _SESSION_FOLDER.findall(urlsplit(every[0]).path) if len(every) >= _LEAST_LINKS else []
    session = next((segment for segment in first if all(f"/{segment}/" in url for url in every)), None)
    if session is None:
        return {}
    split = ((url, urlsplit(url)) for url in every)
    return {
        url: urlunsplit(parts._replace(path=f"{parts.path.replace(f'/{session}/', '/', 1)};session={session}"))
        for url, parts in split
    }


def without(url: str, names: Iterable[str]) -> str:
    """An address without some of its parameters."""
    gone, parts = set(names), urlsplit(url)
    path, match = parts.path, _PATH_PARAMETER.search(parts.path)
    if match and f";{match[1]}" in gone:
        path = path[: match.start()]
    query = "&".join(pair for pair in parts.query.split("&") if pair and pair.partition("=")[0] not in gone)
    return urlunsplit((parts.scheme, parts.netloc, path, query, ""))


def sightings(url: str, text: str, constant: Collection[str], counted: Collection[str] = ()) -> Iterator[Seen]:
    """What a link says of its address: as it is, without each parameter that may change nothing, without its tokens.

    Args:
        url: canonical address.
        text: of the link; one that is no title says nothing.
        constant: the page's tokens.
        counted: its positions; other small numbers may be those of pages.
    """
    title = "".join(text.split())
    found = parameters(url)
    if len(title) < _TITLE or len(found) > _MOST_PARAMETERS:
        return
    words, beginning = _hash(title), _hash(title[:_BEGINNING])
    named = ((name, value) for name, value in found if len(name) <= _MOST_NAME)
    may = [(name, _hash(value)) for name, value in named if name in counted or not _NUMBER.fullmatch(value)]
    together = tuple(pair for pair in may if pair[0] in constant)
    for taken in ((), *((pair,) for pair in may), *([together] if len(together) > 1 else [])):
        rest = without(url, [name for name, _ in taken]) if taken else url
        yield Seen(page_key(rest), Sighting(taken, words, beginning))


def tokens(urls: Iterable[str]) -> frozenset[str]:
    """The parameters that have one value in all links of a page, as a session's id has."""
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for url in urls:
        for name, value in parameters(url):
            values[name][value] += 1
    return frozenset(name for name, seen in values.items() if len(seen) == 1 and seen.total() >= _LEAST_LINKS)


def positions(urls: Iterable[str]) -> frozenset[str]:
    """The parameters that count a page's links, ``/a?pos=1``, ``/b?pos=2``, ``/c?pos=3``: each at a path of its own."""
    places: dict[str, dict[str, int]] = defaultdict(dict)
    for url in urls:
        path = url.partition("?")[0]
        for name, value in parameters(url):
            if _NUMBER.fullmatch(value):
                places[name].setdefault(path, int(value))
    found = ((name, list(one.values())) for name, one in places.items())
    return frozenset(
        name for name, one in found
        if sum(b - a == 1 for a, b in pairwise(one)) >= max(_LEAST_LINKS, _LEAST_IN_ORDER * (len(one) - 1))
    )  # fmt: skip


def together(links: Iterable[tuple[str, str]]) -> dict[str, set[int]]:
    """Parameters that tell where a link stands, by links of several pages; with the titles that say so.

    Home page and section write ``?from=home&pos=3&id=7`` and ``?from=list&pos=0&id=7``: no two links differ in one
    parameter alone. Without all that differ where titles are the same, each address has one title still.

    Args:
        links: canonical address and text.
    """
    by_title: dict[tuple[str, int], list[str]] = defaultdict(list)
    for url, text in dict.fromkeys(links):
        if len(words := "".join(text.split())) >= _TITLE and len(parameters(url)) <= _MOST_PARAMETERS:
            by_title[url.partition("?")[0], _hash(words)].append(url)
    differing: dict[str, set[int]] = defaultdict(set)
    for (_, title), urls in by_title.items():
        pairs = [frozenset(parameters(url)) for url in urls]
        every = frozenset[tuple[str, str]]().union(*pairs)
        for name in {name for name, _ in every - every.intersection(*pairs)}:
            differing[name].add(title)
    bare = {(without(url, differing), title) for (_, title), urls in by_title.items() for url in urls}
    alone = len(bare) == len({url for url, _ in bare}) and all(len(name) <= _MOST_NAME for name in differing)
    return dict(differing) if alone and any(len(one) >= LEAST_SAME for one in differing.values()) else {}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two addresses that differ in these parameters alone.

    Attributes:
        title: hash of the title where both had the same; None else.
        own: each link of a page has a value of its own, so that another one may be needed to get anything.
    """

    names: frozenset[str]
    title: int | None
    own: bool = False


def is_idle(same: int, unlike: int) -> bool:
    """Whether a parameter changes nothing, by the titles that stood under like pairs, and the number of unlike ones."""
    return same >= LEAST_SAME and unlike <= MOST_UNLIKE * same


def compare(
    seen: Iterable[Seen], known: Mapping[int, Sighting], constant: Collection[str]
) -> tuple[list[Pair], dict[int, Sighting]]:
    """What the links of a page add to what is known of a site.

    Args:
        seen: of the page's links.
        known: what was seen before, by key.
        constant: the page's tokens.

    Returns:
        The pairs that were not counted before, and the sightings to keep, by key.
    """
    pairs: list[Pair] = []
    kept: dict[int, Sighting] = {}
    for one in seen:
        now = one.sighting
        first = kept.get(one.key) or known.get(one.key)
        if first is None:
            kept[one.key] = now
            continue
        names = frozenset(name for name, _ in {*first.taken} ^ {*now.taken})
        verdict = _verdict(first, now, names, constant) if names else 0
        if verdict and not first.counted & verdict:
            kept[one.key] = replace(first, counted=first.counted | verdict)
            pairs.append(Pair(names, None if verdict == _UNLIKE else now.title, own=verdict == _OWN))
    return pairs, kept


def _verdict(a: Sighting, b: Sighting, names: frozenset[str], constant: Collection[str]) -> int:
    """Whether two links that differ in these parameters had one title; 0 where that says nothing."""
    if a.title == b.title:
        return _SAME if all(name in constant for name in a.names & b.names & names) else _OWN
    # Of several parameters, one may be to blame; and one of the titles may be cut off.
    return _UNLIKE if len(names) == 1 and a.beginning != b.beginning else 0


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")
