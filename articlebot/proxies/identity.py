"""Browser-like identities: a user agent with the headers that fit it, kept for a session of bounded length."""

from __future__ import annotations

import random
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fake_useragent import UserAgent

_BROWSERS = frozenset({"Chrome", "Edge", "Firefox", "Safari"})
_SYSTEMS = {"Windows": "Windows", "Mac OS X": "macOS", "Linux": "Linux", "Ubuntu": "Linux", "Chrome OS": "Chrome OS"}
# fake-useragent takes 6.5 ms for each: drawn once at the start.
POOL_SIZE = 20
_MOST_SESSIONS = 50_000
_CHROMIUM_ACCEPT = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
    "application/signed-exchange;v=b3;q=0.7"
)
_OTHER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
# Every header that an identity may set: taken off again, so that no stored copy of a request wears an old one.
HEADERS = (
    "User-Agent", "Accept", "Accept-Language", "Upgrade-Insecure-Requests", "Sec-Fetch-Dest", "Sec-Fetch-Mode",
    "Sec-Fetch-Site", "Sec-Fetch-User", "Sec-CH-UA", "Sec-CH-UA-Mobile", "Sec-CH-UA-Platform",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Browser:
    """One browser on one system."""

    user_agent: str
    name: str
    major: int
    system: str

    def headers(self, language: str | None) -> dict[str, str]:
        """What this browser sends when a page is opened, but for the encodings, which are the client's own."""
        first = {"Accept": _CHROMIUM_ACCEPT if self._is_chromium else _OTHER_ACCEPT}
        headers = {"User-Agent": self.user_agent, **first, "Accept-Language": self._languages(language)}
        if self._is_chromium:
            headers |= self._hints()
        if self.name != "Safari":
            headers |= {"Upgrade-Insecure-Requests": "1", "Sec-Fetch-User": "?1"}
        return {**headers, "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none"}

    @property
    def _is_chromium(self) -> bool:
        return self.name in ("Chrome", "Edge")

    def _hints(self) -> dict[str, str]:
        brand = "Microsoft Edge" if self.name == "Edge" else "Google Chrome"
        brands = f'"Chromium";v="{self.major}", "{brand}";v="{self.major}", "Not.A/Brand";v="24"'
        return {"Sec-CH-UA": brands, "Sec-CH-UA-Mobile": "?0", "Sec-CH-UA-Platform": f'"{self.system}"'}

    def _languages(self, language: str | None) -> str:
        wanted = {"zh": ["zh-CN", "zh"], "en": ["en-US", "en"], None: ["en-US", "en"]}.get(language, [str(language)])
        if "en" not in wanted:
            wanted = [*wanted, "en"]
        if self.name == "Safari":
            wanted = wanted[:1]
        if self.name == "Firefox":
            step = 1 / len(wanted)
            return ",".join(f"{one};q={1 - n * step:.1f}" if n else one for n, one in enumerate(wanted))
        return ",".join(f"{one};q={1 - n / 10:.1f}" if n else one for n, one in enumerate(wanted))


def draw_browsers(rng: random.Random, count: int) -> list[Browser]:
    """Desktop browsers as often as people use them, out of fake-useragent's collection; no network is asked."""
    known = [found for row in UserAgent(platforms=["desktop"]).data_browsers if (found := _browser(row))]
    weights = [weight for _, weight in known]
    return [browser for browser, _ in rng.choices(known, weights, k=count)]


def _browser(row: Mapping[str, Any]) -> tuple[Browser, float] | None:
    system = _SYSTEMS.get(str(row.get("os")))
    major = re.match(r"\d+", str(row.get("browser_version", "")))
    if row.get("type") != "desktop" or row.get("browser") not in _BROWSERS or not system or not major:
        return None
    return Browser(str(row["useragent"]), str(row["browser"]), int(major[0]), system), float(row.get("percent") or 0.01)


@dataclass(slots=True)
class Session:
    """An identity in use: its cookie jar, the requests that it is good for yet, and when it ends (epoch seconds)."""

    browser: Browser
    jar: str
    left: int
    ends_at: float


class Identities:
    """One identity for each slot and way, for so many requests or seconds, whichever comes first.

    ``draw`` makes the pool at the first use; ``forget`` is told the name of each cookie jar that is over. A hundred
    requests are a long sitting of one reader; half an hour without a click ends a session, as web analytics count it.
    """

    def __init__(
        self, rng: random.Random, draw: Callable[[], Sequence[Browser]], *, requests: int = 100, seconds: float = 1800,
        forget: Callable[[str], None] = lambda jar: None,
    ) -> None:  # fmt: skip
        self._rng, self._draw = rng, draw
        self._requests, self._seconds, self._forget = requests, seconds, forget
        self._pool: Sequence[Browser] = ()
        self._sessions: OrderedDict[tuple[str, str], Session] = OrderedDict()
        self._number = 0

    def session(self, slot: str, way: str, now: float) -> Session:
        """The identity of this slot and way; counts one request."""
        session = self._sessions.get((slot, way))
        if session is None or session.left <= 0 or now >= session.ends_at:
            if session is not None:
                self._forget(session.jar)
            session = self._sessions[slot, way] = self._begin(now)
        self._sessions.move_to_end((slot, way))
        if len(self._sessions) > _MOST_SESSIONS:
            _, oldest = self._sessions.popitem(last=False)
            self._forget(oldest.jar)
        session.left -= 1
        return session

    def _begin(self, now: float) -> Session:
        self._pool = self._pool or self._draw()
        self._number += 1
        # No two sessions end after the same number: that would be a rhythm.
        length = self._rng.uniform(0.5, 1.0)
        browser = self._rng.choice(self._pool)
        left = max(1, round(self._requests * length))
        return Session(browser, f"identity-{self._number}", left, now + self._seconds * length)
