"""Which addresses an image element names, read as browsers do: ``srcset``, ``picture`` and what scripts load later.

The grammar of ``srcset`` is that of the HTML standard (parsing a srcset attribute): an address may hold commas, and
ends at white space or at commas with white space behind them; descriptors may hold commas in parentheses.
"""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

MAX_CANDIDATES = 100
_MAX_CHARS = 50_000
_BLANKS = " \t\n\f\r"
_ADDRESS = re.compile(r"[ \t\n\f\r,]*([^ \t\n\f\r]+)")
_DESCRIPTORS = re.compile(r"((?:[^,(]|\([^)]*+(?:\)|\Z))*+)(?:,|\Z)")
_WIDTH = re.compile(r"[0-9]+\Z")
_DENSITY = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\Z")
_INTEGER = re.compile(r"\s*\+?([0-9]{1,6})(?:\.[0-9]*)?(?:px)?\s*\Z")

# Where scripts keep an address until the image is near the window, commonest first.
_LAZY = (
    "data-original", "data-src", "data-lazy-src", "data-actualsrc", "data-lazy", "data-url", "data-original-src", "data-full-src",
    "data-hi-res-src", "data-hires", "data-large-file", "data-image", "data-image-src", "data-img-src", "data-img", "data-echo",
    "data-ll-src", "data-cfsrc", "data-runner-src", "data-delayed-url", "data-srcfull", "file", "original", "lazysrc", "real_src", "_src",
)  # fmt: skip
_LAZY_SETS = ("data-srcset", "data-lazy-srcset", "data-original-set", "data-src-set", "data-ll-srcset")
_FILE = re.compile(r"(?:https?:/)?/[^\s,{}]{3,2000}\.(?:jpe?g|png|webp|gif|avif)(?:[?!@][^\s{}]*)?\Z", re.I)
# Formats that whatever shows an article can decode; of a picture's sources only these and its own image are taken.
_PLAIN_TYPES = frozenset({"", "image/jpeg", "image/jpg", "image/pjpeg", "image/png", "image/webp", "image/gif"})
_MEDIA_LENGTH = re.compile(r"(min|max)-width\s*:\s*([0-9]{1,5})(?:\.[0-9]+)?\s*(px|r?em)?", re.I)
_NO_SCREEN = re.compile(r"\bprint\b|orientation\s*:\s*portrait|prefers-color-scheme\s*:\s*dark", re.I)
_WINDOW_PX = 1920  # what media conditions are held against: the width of a common desktop screen
_EM_PX = 16


class Candidate(NamedTuple):
    """An address of an image; ``width`` in pixels and ``density`` in pixels per CSS pixel, None where not said."""

    url: str
    width: int | None = None
    density: float | None = None


def parsed_srcset(value: str) -> list[Candidate]:
    """The candidates of a ``srcset``, in order; those whose descriptors are none are left out, as browsers do."""
    value = value[:_MAX_CHARS]
    found: list[Candidate] = []
    at = 0
    while len(found) < MAX_CANDIDATES and (match := _ADDRESS.match(value, at)):
        url, at = match[1], match.end()
        descriptors: list[str] = []
        if url.endswith(","):
            url = url.rstrip(",")
        elif rest := _DESCRIPTORS.match(value, at):
            descriptors, at = rest[1].strip(_BLANKS).split(), rest.end()
        candidate = _described(url, descriptors)
        if candidate is not None:
            found.append(candidate)
    return found


def _described(url: str, descriptors: list[str]) -> Candidate | None:
    width: int | None = None
    density: float | None = None
    height = False
    for one in descriptors:
        number, unit = one[:-1], one[-1:]
        if unit == "w" and _WIDTH.match(number) and width is None and density is None and int(number[:9]):
            width = int(number[:9])
        elif unit == "x" and _DENSITY.match(number) and width is None and density is None and not height:
            density = float(number)
            if density < 0:
                return None
        elif unit == "h" and _WIDTH.match(number) and not height and density is None and int(number[:9]):
            height = True
        else:
            return None
    return Candidate(url, width, density) if url and (width is not None or not height) else None


def largest(candidates: list[Candidate]) -> Candidate | None:
    """The candidate with the most pixels, the first of equal ones; None without any."""
    return max(
        candidates, key=lambda one: (one.width or 0, one.density if one.density is not None else 1.0), default=None
    )


def addresses(element: etree._Element) -> Iterator[Candidate]:
    """The addresses of an image element as written, best first: of several sizes the largest, then lazy ones.

    For an ``img`` in a ``picture``, the first source that a desktop window would take goes first.
    """
    for source in _sources(element):
        if (best := largest(_sets(source))) is not None:
            yield best
    if (best := largest(_sets(element))) is not None:
        yield best
    for key in _LAZY:
        if value := element.get(key):
            yield Candidate(value.strip())
    source_address = (element.get("src") or "").strip()
    if not source_address or source_address.startswith("data:"):
        for name, other in element.items():
            if str(name).startswith("data-") and _FILE.match(str(other)):
                yield Candidate(str(other))
    yield Candidate(source_address)


def pixels(value: str | None) -> int | None:
    """A ``width`` or ``height`` attribute in pixels, None where it says none (``100%``, ``auto``)."""
    match = _INTEGER.match(value or "")
    return int(match[1]) or None if match else None


def _sets(element: etree._Element) -> list[Candidate]:
    """What the first attribute of an element that names several sizes has, without inline data."""
    for key in (*_LAZY_SETS, "srcset"):
        if value := element.get(key):
            found = [one for one in parsed_srcset(value) if not one.url.startswith("data:")]
            if found:
                return found
    return []


def _sources(element: etree._Element) -> Iterator[etree._Element]:
    """The sources of the picture around an image that a wide window and any decoder would take."""
    # libxml2 knows no source: each holds what follows it.
    above = next((one for one in element.iterancestors() if one.tag != "source"), None)
    for source in above.iter("source") if above is not None and above.tag == "picture" else ():
        if (source.get("type") or "").strip().lower() in _PLAIN_TYPES and _wide(source.get("media") or ""):
            yield source


def _wide(media: str) -> bool:
    """Whether a media condition holds in a wide window; of several in a list, one must."""
    return any(_holds(part) for part in media.split(",")) if media else True


def _holds(condition: str) -> bool:
    if _NO_SCREEN.search(condition):
        return False
    for kind, number, unit in _MEDIA_LENGTH.findall(condition):
        length = int(number) * (_EM_PX if unit.lower().endswith("em") else 1)
        if (length > _WINDOW_PX) if kind.lower() == "min" else (length < _WINDOW_PX):
            return False
    return True
