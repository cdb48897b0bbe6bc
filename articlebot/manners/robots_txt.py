"""robots.txt as RFC 9309 has it, and the usage preferences that stand in it. Pure.

Protego departs from the RFC where a site may notice: it looks for an agent's name anywhere in the user agent
(``crawler`` matches "articlebot (article crawler)"), lets a Crawl-delay end the agents of a group, and takes ``/`` in a
query for something else than ``%2F``.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import unquote_to_bytes, urlsplit

from scrapy.robotstxt import RobotParser

# RFC 9309, 2.5: at least 500 KiB are read.
MOST_BYTES = 1 << 20
_BYTE_ORDER = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LINE_END = re.compile(r"\r\n|\r|\n")
# The RFC knows no digits; 360Spider and AI2Bot have them.
_TOKEN = re.compile(r"[A-Za-z0-9_-]+")
_COMPATIBLE = re.compile(r"compatible;\s*([A-Za-z0-9_-]+)", re.I)
_FIELDS = {
    **dict.fromkeys(("user-agent", "useragent", "user agent"), "agent"),
    **dict.fromkeys(("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), "disallow"),
    "allow": "allow",
    **dict.fromkeys(("crawl-delay", "crawl delay", "crawldelay"), "delay"),
    **dict.fromkeys(("content-usage", "content-signal"), "usage"),
    "disallowaitraining": "reserved",
}
_PLAIN = re.compile(r"[A-Za-z0-9._~/?-]*")
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9._~/?-]", re.DOTALL)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def product_token(user_agent: str) -> str:
    """The name by which a robots.txt means a crawler: the first product of its user agent, in lower case.

    Of one that poses as Mozilla it is the name after "compatible;".
    """
    found = _COMPATIBLE.search(user_agent)
    return found[1].lower() if found else _first_token(user_agent.strip())


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A path pattern, in two spellings: the second has slashes in a query encoded, as the RFC's table shows them."""

    parts: tuple[tuple[str, ...], tuple[str, ...]]
    anchored: bool
    octets: int

    @classmethod
    def of(cls, text: str) -> Self:
        """The pattern that is written so, with ``*`` and a last ``$``."""
        anchored = text.endswith("$")
        body = text.removesuffix("$")
        pieces = [_encoded(piece) for piece in re.split(r"\*+", body)]
        spelled = "*".join(pieces)
        other = _query_encoded(spelled)
        return cls((tuple(pieces), tuple(other.split("*"))), anchored, len(unquote_to_bytes(_bytes(text))))

    @property
    def is_prefix(self) -> bool:
        """Whether it is a plain beginning of a path."""
        return not self.anchored and len(self.parts[0]) == 1

    def matches(self, spellings: tuple[str, str]) -> bool:
        """Whether it matches a path in either spelling."""
        return any(_matches(parts, self.anchored, path) for parts, path in zip(self.parts, spellings, strict=True))


@dataclass(slots=True)
class _Block:
    """What stands under one run of agents; ``usage`` holds path patterns with what is preferred there."""

    rules: list[tuple[PathPattern, bool]] = field(default_factory=list)
    usage: list[tuple[PathPattern, str]] = field(default_factory=list)
    delay: float | None = None


class _Group:
    """All that a file says to one agent."""

    def __init__(self, blocks: Sequence[_Block]) -> None:
        rules = [rule for block in blocks for rule in block.rules]
        # The most specific match decides; of equally specific ones, allow.
        self._rules = sorted(rules, key=lambda rule: (rule[0].octets, rule[1]), reverse=True)
        self._other = [rule for rule in self._rules if not rule[0].is_prefix]
        self._prefixes = tuple(parts[0] for pattern, _ in rules if pattern.is_prefix for parts in pattern.parts)
        self.usage = [one for block in blocks for one in block.usage]
        self.delay = next((block.delay for block in blocks if block.delay is not None), None)

    def allows(self, spellings: tuple[str, str]) -> bool:
        """Whether a path, in both spellings, may be fetched."""
        # A file may have thousands of rules: one look rules out all of those that are plain beginnings.
        begins = any(path.startswith(self._prefixes) for path in spellings)
        for pattern, allow in self._rules if begins else self._other:
            if pattern.matches(spellings):
                return allow
        return True


class RobotsTxt(RobotParser):
    """One robots.txt; to Scrapy a ``ROBOTSTXT_PARSER``."""

    def __init__(self, body: bytes) -> None:
        self._blocks: dict[str, list[_Block]] = {}
        self._groups: dict[tuple[int, ...], _Group] = {}
        self._everywhere = _Block()
        self._parse(body)

    @classmethod
    def from_crawler(cls, crawler: Any, robotstxt_body: bytes) -> Self:
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether an agent, by its product token or its whole user agent, may fetch a URL."""
        path = _path(_text(url))
        if path == "/robots.txt":
            return True
        group = self._group(product_token(_text(user_agent)))
        return group is None or group.allows(_spellings(path))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Seconds; None where none is named for the agent."""
        group = self._group(product_token(_text(user_agent)))
        return None if group is None else group.delay

    def refused_of(self, url: str, agents: frozenset[str]) -> tuple[str, ...]:
        """Those of some agents (lower case) that the file names and does not let fetch a URL, sorted."""
        named = sorted(self._blocks.keys() & agents)
        spellings = spellings_of(url) if named else ("", "")
        return tuple(agent for agent in named if not self._merged(self._blocks[agent]).allows(spellings))

    def usage(self, url: str, user_agent: str) -> tuple[str, ...]:
        """The texts of Content-Usage and Content-Signal that hold for a URL, those of the longest path."""
        group = self._group(product_token(user_agent))
        preferences = [*self._everywhere.usage, *(group.usage if group is not None else ())]
        spellings = spellings_of(url) if preferences else ("", "")
        matching = [(pattern.octets, said) for pattern, said in preferences if pattern.matches(spellings)]
        longest = max((octets for octets, _ in matching), default=0)
        return tuple(said for octets, said in matching if octets == longest)

    def _group(self, token: str) -> _Group | None:
        blocks = self._blocks.get(token) or self._blocks.get("*")
        return None if blocks is None else self._merged(blocks)

    def _merged(self, blocks: list[_Block]) -> _Group:
        known = tuple(map(id, blocks))
        if known not in self._groups:
            self._groups[known] = _Group(blocks)
        return self._groups[known]

    def _parse(self, body: bytes) -> None:
        block, in_rules = self._everywhere, True
        for name, value in _records(body):
            if name == "agent":
                if in_rules:
                    block, in_rules = _Block(), False
                token = "*" if value.startswith("*") else _first_token(value)
                blocks = self._blocks.setdefault(token, [])
                if token and (not blocks or blocks[-1] is not block):
                    blocks.append(block)
            elif name in ("allow", "disallow"):
                in_rules = True
                if value:
                    block.rules.append((PathPattern.of(value), name == "allow"))
            elif name == "delay" and block.delay is None:
                # The RFC does not know it, and what it does not know ends no group's agents.
                block.delay = _seconds(value)
            elif name == "usage" and value:
                block.usage.append(_usage(value))
            elif name == "reserved" and value:
                block.usage.append((PathPattern.of(value), "ai-train=no"))


def spellings_of(url: str) -> tuple[str, str]:
    """Path and query of a URL as patterns want them."""
    return _spellings(_path(url))


def _records(body: bytes) -> Iterator[tuple[str, str]]:
    """Field and value of each line that is known; names are those of ``_FIELDS``."""
    if body.startswith(_BYTE_ORDER):  # the RFC has UTF-8 alone, and some editors this
        body = body.decode("utf-16", "ignore").encode()
    if len(body) > MOST_BYTES:
        # Half a line could forbid more than the whole.
        body = body[: max(body.rfind(b"\n", 0, MOST_BYTES), body.rfind(b"\r", 0, MOST_BYTES), 0)]
    for line in _LINE_END.split(body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")):
        said = line.partition("#")[0].strip()
        name, colon, value = said.partition(":")
        if not colon:
            name, _, value = said.partition(" ")
        if known := _FIELDS.get(name.strip().lower()):
            yield known, value.strip()


def _first_token(value: str) -> str:
    found = _TOKEN.match(value)
    return found[0].lower() if found else ""


def _usage(value: str) -> tuple[PathPattern, str]:
    """The path (``/`` where none is given) and the preferences of a Content-Usage."""
    if value.startswith("/"):
        path, _, said = value.partition(" ")
        return PathPattern.of(path), said.strip()
    return PathPattern.of("/"), value


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _matches(parts: tuple[str, ...], anchored: bool, path: str) -> bool:
    first, *others = parts
    if not path.startswith(first):
        return False
    at = len(first)
    if not others:
        return not anchored or at == len(path)
    for part in others[:-1]:
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    last = others[-1]
    if anchored:
        return len(path) - len(last) >= at and path.endswith(last)
    return path.find(last, at) >= 0


def _path(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "/"
    mark = "?" if "?" in url.partition("#")[0] else ""
    return f"{parts.path or '/'}{mark}{parts.query}"


def _spellings(path: str) -> tuple[str, str]:
    encoded = _encoded(path)
    return encoded, _query_encoded(encoded)


def _encoded(text: str) -> str:
    """What is unreserved is decoded, everything else but ``/`` and ``?`` percent-encoded (RFC 9309, 2.2.2)."""
    if _PLAIN.fullmatch(text):
        return text
    return _ESCAPED.sub(_escape, _bytes(text).decode("latin-1"))


def _escape(found: re.Match[str]) -> str:
    if found[1] is None:
        return f"%{ord(found[0]):02X}"
    char = chr(int(found[1], 16))
    return char if char in _UNRESERVED else found[0].upper()


def _query_encoded(text: str) -> str:
    path, mark, query = text.partition("?")
    return path + mark + query.replace("/", "%2F").replace("?", "%3F") if mark else text


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
