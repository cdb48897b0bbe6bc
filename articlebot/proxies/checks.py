"""What a proxy is tried on, and what its trials say of it: pure judgement over what was seen."""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from articlebot.frontier.crawl_log import read_log
from articlebot.page.page import Page

_IP = re.compile(r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){2,7})(?![\w:])")
_LOADED = {"script": "src", "iframe": "src", "link": "href", "img": "src", "object": "data", "embed": "src"}
_MOST_ELEMENTS = 20_000
_FILES = 5
_ROWS = 20_000
_NOT_PAGES = frozenset({"robots", "other"})
# Least share of its trials that a proxy of the pool passed: two of three.
MIN_SHARE = 0.6
# Most median seconds of its answers: half of what one through a proxy may take (ARTICLEBOT_PROXIES_TIMEOUT_S).
MAX_MEDIAN_S = 8.0


def sample(folder: Path, count: int, rng: random.Random) -> list[str]:
    """URLs of pages that were fetched well, one of a host before a second of any.

    Only the newest rows are read: pages of long ago may be gone.
    """
    files = sorted(folder.glob("crawl-*.jsonl"), key=lambda file: file.stat().st_mtime)[-_FILES:]
    newest = deque((row.url for row in read_log(files) if row.status == 200 and row.kind not in _NOT_PAGES), _ROWS)
    return spread(newest, count, rng)


def spread(urls: Iterable[str], count: int, rng: random.Random) -> list[str]:
    """Some of these URLs in random order, of as many hosts as can be."""
    by_host: dict[str, list[str]] = {}
    for url in dict.fromkeys(urls):
        by_host.setdefault(url.split("/", 3)[2], []).append(url)
    hosts = list(by_host.values())
    for group in [hosts, *hosts]:
        rng.shuffle(group)  # type: ignore[arg-type]
    turns = (group[turn] for turn in range(count) for group in hosts if turn < len(group))
    return [url for url, _ in zip(turns, range(count), strict=False)]


@dataclass(frozen=True, slots=True)
class Look:
    """What is compared of a page: a hash of its bytes, and the hosts that it makes a browser ask."""

    digest: bytes
    hosts: frozenset[str]

    @classmethod
    def of(cls, body: bytes, url: str, content_type: str | None) -> Look:
        """The look of an answer. Never raises for content."""
        digest = blake2b(body, digest_size=16).digest()
        tree: Any = Page.parse(body, url, content_type).tree
        hosts = set()
        for number, element in enumerate(tree.iter() if tree is not None else ()):
            if number > _MOST_ELEMENTS:
                break
            attribute = _LOADED.get(element.tag) if isinstance(element.tag, str) else None
            address = element.get(attribute, "") if attribute else ""
            try:
                hosts.add(urlsplit(address).netloc.lower())
            except ValueError:
                continue
        return cls(digest, frozenset(hosts - {""}))


@dataclass(frozen=True, slots=True)
class Baseline:
    """A page as it comes without a proxy, fetched twice."""

    url: str
    status: int
    looks: tuple[Look, ...]

    def altered(self, look: Look) -> bool | None:
        """Whether a page through a proxy is another one; None where the page itself changes at each look.

        Hosts that the page asks only through the proxy tell in any case: an advertisement was put in.
        """
        known = {one.digest for one in self.looks}
        if look.digest in known:
            return False
        if look.hosts - frozenset[str]().union(*(one.hosts for one in self.looks)):
            return True
        return True if len(known) == 1 and len(self.looks) > 1 else None


@dataclass(frozen=True, slots=True)
class Trial:
    """One download through a proxy, of a site ("" for the judge page).

    Attributes:
        passed: whether it answered as it does without a proxy.
        seconds: from the start of the connection to the answer; None without one.
        altered: None where that could not be told.
    """

    site: str
    passed: bool
    seconds: float | None = None
    altered: bool | None = None


def addresses_in(text: str) -> frozenset[str]:
    """The IP addresses that a text holds."""
    return frozenset(_IP.findall(text[:200_000]))


def leaks(own: frozenset[str], shown: str, proxy_host: str) -> bool | None:
    """Whether what a server was shown through a proxy holds an address of ours; None where ours is not known."""
    ours = own - {proxy_host}
    return bool(ours & addresses_in(shown)) if ours else None


def can_pass(passed: int, done: int, trials: int) -> bool:
    """Whether a proxy may still reach the least share of successes: else no further trial is worth its time."""
    return (passed + trials - done) / trials >= MIN_SHARE


def evaluate(
    trials: Sequence[Trial], planned: int, *, leaking: bool | None = None, honest_tls: bool | None = None
) -> dict[str, Any]:
    """The fields of a record after a check; ``reason`` is empty where the proxy is good.

    Args:
        planned: trials that were meant to be made; what was left out because the proxy could not pass any more counts
            as failed.
    """
    passed = [trial for trial in trials if trial.passed]
    share = len(passed) / max(planned, len(trials), 1)
    times = [trial.seconds for trial in passed if trial.seconds is not None]
    told = [trial.altered for trial in passed if trial.altered is not None]
    found: dict[str, Any] = {
        "share": round(share, 3),
        "median_s": round(median(times), 3) if times else None,
        "alters": 2 * sum(told) >= len(told) if told else None,
        "leaks": leaking,
        "honest_tls": honest_tls,
        "sites": _by_site(trials, share),
    }
    found["reason"] = _reason(found)
    return found


def _by_site(trials: Sequence[Trial], share: float) -> dict[str, float]:
    """Shares at single sites, where they are not the proxy's share anyway."""
    outcomes: dict[str, list[bool]] = {}
    for trial in trials:
        if trial.site:
            outcomes.setdefault(trial.site, []).append(trial.passed)
    shares = {place: round(sum(passed) / len(passed), 3) for place, passed in outcomes.items()}
    return {place: one for place, one in shares.items() if abs(one - share) > 0.2}


def _reason(found: dict[str, Any]) -> str:
    if found["honest_tls"] is False:
        return "dishonest_tls"
    if not found["share"]:
        return "fails"
    if found["alters"]:
        return "alters"
    if found["leaks"]:
        return "leaks"
    if found["share"] < MIN_SHARE:
        return "unreliable"
    return "slow" if found["median_s"] is not None and found["median_s"] > MAX_MEDIAN_S else ""
