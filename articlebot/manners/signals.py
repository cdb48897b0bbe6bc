"""What headers and metas of a page, robots.txt and tdmrep.json ask of those who use it. Pure.

The result is a mapping of signals to where each stands, as in ``{"noai": "meta", "ai-train": "robots.txt: gptbot"}``.
The stricter of two that say the contrary holds. ``unavailable_after`` has the time, ``tdm-policy`` the address.

Sources: Google's "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications"; TDM Reservation Protocol (W3C
Community Group); draft-ietf-aipref-attach and draft-ietf-aipref-vocab (Content-Usage); contentsignals.org.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from articlebot.manners.robots_txt import PathPattern, RobotsTxt, spellings_of
from articlebot.times import iso, stated_time

# Headers that say something; what reads a response keeps no others.
HEADERS = ("x-robots-tag", "tdm-reservation", "tdm-policy", "content-usage", "content-signal")
# Agents whose operators say that they gather training data, or that their name stands for that use.
TRAINERS = frozenset(
    "gptbot google-extended ccbot claudebot anthropic-ai claude-web applebot-extended bytespider meta-externalagent "
    "facebookbot amazonbot cohere-ai cohere-training-data-crawler diffbot omgili omgilibot webzio-extended ai2bot "
    "ai2bot-dolma pangubot timpibot img2dataset deepseekbot".split()
)
_TAGS = {
    "noindex": ("noindex",), "nofollow": ("nofollow",), "none": ("noindex", "nofollow"), "noarchive": ("noarchive",),
    "nocache": ("noarchive",), "nosnippet": ("nosnippet",), "noimageindex": ("noimageindex",), "noai": ("noai",),
    "noimageai": ("noimageai",),
}  # fmt: skip
_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_PREFERENCES = {
    **dict.fromkeys(("train-ai", "ai-train", "train-genai", "genai", "ai"), "ai-train"),
    **dict.fromkeys(("ai-input", "ai-use"), "ai-input"),
    "search": "search", "tdm": "tdm-reservation", "bots": "tdm-reservation",
}  # fmt: skip
# What each purpose must respect; whatever is no longer to be available suits none.
PURPOSES = {
    "train": ("noai", "ai-train", "tdm-reservation", "noindex"),
    "mine": ("tdm-reservation",),
    "search": ("noindex", "search"),
}
_SCOPED = re.compile(r"([\w.*-]+)\s*:\s*(.*)", re.DOTALL)
_MOST_TEXT = 4000
_MOST_PLACES = 1000


def of_page(headers: Mapping[str, Sequence[str]], metas: Mapping[str, Sequence[str]], agent: str) -> dict[str, str]:
    """What one answer says.

    Args:
        headers: lower-case names of ``HEADERS`` to their values.
        metas: lower-case names of meta elements to their contents.
        agent: the crawler's product token, lower case.
    """
    found: dict[str, str] = {}
    for scope, tag in _header_tags(headers.get("x-robots-tag", ())):
        _tag(found, scope, tag, agent, "X-Robots-Tag")
    for name in metas.keys() & ({"robots", agent} | TRAINERS):
        for content in metas[name]:
            for tag in _pieces(content):
                _tag(found, "" if name == "robots" else name, tag, agent, "meta")
    for where, values in (("header", headers), ("meta", metas)):
        if any(value.strip() == "1" for value in values.get("tdm-reservation", ())):
            found.setdefault("tdm-reservation", where)
            for policy in values.get("tdm-policy", ())[:1]:
                found.setdefault("tdm-policy", policy.strip()[:_MOST_TEXT])
    for name in ("content-usage", "content-signal"):
        for where, values in (("header", headers), ("meta", metas)):
            for said in values.get(name, ()):
                _prefer(found, said, f"{name} {where}")
    return found


def of_robots(rules: RobotsTxt, url: str, agent: str) -> dict[str, str]:
    """What robots.txt says of a URL's use: agents that train are named and refused, or preferences."""
    found: dict[str, str] = {}
    for said in rules.usage(url, agent):
        _prefer(found, said, "robots.txt")
    if refused := rules.refused_of(url, TRAINERS):
        found["ai-train"] = f"robots.txt: {', '.join(refused)}"
    return found


@dataclass(frozen=True, slots=True)
class Reservations:
    """The rules of ``/.well-known/tdmrep.json``; the longest location that matches a path holds."""

    rules: tuple[tuple[PathPattern, bool, str], ...] = ()

    @classmethod
    def parse(cls, body: bytes) -> Reservations:
        """The reservations of a file; none where it is no such file."""
        try:
            listed = json.loads(body)
        except (ValueError, RecursionError):
            return cls()
        if not isinstance(listed, list):
            return cls()
        return cls(
            tuple(
                (PathPattern.of(one["location"][:_MOST_TEXT]), str(one.get("tdm-reservation")) == "1",
                 str(one.get("tdm-policy") or "")[:_MOST_TEXT])
                for one in listed[:_MOST_PLACES]
                if isinstance(one, dict) and isinstance(one.get("location"), str)
            )
        )  # fmt: skip

    def of(self, url: str) -> dict[str, str]:
        """What they say of a URL."""
        spellings = spellings_of(url) if self.rules else ("", "")
        matching = [rule for rule in self.rules if rule[0].matches(spellings)]
        _, reserved, policy = max(matching, key=lambda rule: (rule[0].octets, rule[1]), default=(None, False, ""))
        if not reserved:
            return {}
        return {"tdm-reservation": "tdmrep.json", **({"tdm-policy": policy} if policy else {})}


def is_over(found: Mapping[str, str], now: float) -> bool:
    """Whether the time of ``unavailable_after`` has passed, ``now`` in epoch seconds."""
    said = found.get("unavailable_after")
    return said is not None and datetime.fromisoformat(said).timestamp() <= now


def objection(usage: Mapping[str, str], purpose: str, now: float) -> str | None:
    """The signal for which an article may not be used for one of ``PURPOSES``; None where there is none."""
    if is_over(usage, now):
        return "unavailable_after"
    return next((signal for signal in PURPOSES[purpose] if signal in usage), None)


def _header_tags(values: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Scope ("" for everybody) and text of each tag; a scope holds to the end of its header or to the next one."""
    for value in values:
        scope = ""
        for piece in _pieces(value):
            named = _SCOPED.fullmatch(piece)
            if named is not None and named[1].lower() not in _WITH_VALUE:
                scope = named[1].lower()
                yield scope, named[2].strip()
            else:
                yield scope, piece


def _pieces(text: str) -> Iterator[str]:
    """The parts between commas; a date after unavailable_after keeps its own."""
    parts = [part.strip() for part in text[:_MOST_TEXT].split(",")]
    at = 0
    while at < len(parts):
        piece, at = parts[at], at + 1
        if "unavailable_after" in piece.lower() and at < len(parts):
            longer = f"{piece}, {parts[at]}"
            if stated_time(_dated(piece)) is None and stated_time(_dated(longer)) is not None:
                piece, at = longer, at + 1
        if piece:
            yield piece


def _dated(piece: str) -> str:
    return re.split("unavailable_after", piece, maxsplit=1, flags=re.I)[-1].lstrip(": ")


def _tag(found: dict[str, str], scope: str, tag: str, agent: str, where: str) -> None:
    name = tag.lower()
    if scope in TRAINERS:
        if any({"noindex", "noai"} & set(_TAGS.get(word, ())) for word in name.split()):
            found.setdefault("ai-train", f"{where}: {scope}")
    elif scope not in ("", "*", "robots", agent):
        return
    elif name.startswith("unavailable_after"):
        at = iso(stated_time(_dated(tag)))
        if at is not None:
            found["unavailable_after"] = min(at, found.get("unavailable_after", at))
    else:
        for word in name.split():  # some write no commas
            for signal in _TAGS.get(word, ()):
                found.setdefault(signal, where)


def _prefer(found: dict[str, str], said: str, where: str) -> None:
    for one in said[:_MOST_TEXT].split(","):
        key, _, value = one.partition(";")[0].partition("=")
        signal = _PREFERENCES.get(key.strip().lower())
        if signal is not None and value.strip().strip('"?').lower() in ("n", "no", "0", "false"):
            found.setdefault(signal, where)
