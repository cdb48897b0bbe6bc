"""Sites whose pages are plain and whose servers are not: consent, haste, overload, lying validators."""

from __future__ import annotations

import datetime as dt
import hashlib
import time
from email.utils import format_datetime
from urllib.parse import quote

from articlebot_lab.town.model import Reply, Request, redirect
from articlebot_lab.town.sites.plain import Plain


class Consent(Plain):
    """Who comes without the cookie is sent to a notice, which sets it and leads back."""

    name, build = "consent", "a consent notice first: 302 to /notice, which sets a cookie"
    title, domain, size, days = "Het Dagblad in English", "dagblad.test", 48, 30.0
    zone = dt.timezone(dt.timedelta(hours=1))
    sections = {"binnenland": "Netherlands", "europa": "Europe", "cultuur": "Culture"}

    def answer(self, request: Request) -> Reply | str | None:
        if request.path == "/notice":
            back = request.args.get("to", "/")
            text = (
                "<!doctype html><html lang=en><title>Your privacy</title><body><div class='cmp'><h1>We value your privacy</h1><p>We and our 214 partners store and access cookies "
                f"on this device. By continuing you agree to this.</p><form action='{back}'><button>Continue to the site</button></form><a href='{back}'>Continue</a> <a href='/notice/partners'>Our partners</a></div>"
            )
            return Reply(text, headers={"Set-Cookie": "consent=yes; Path=/; Max-Age=31536000"})
        if "consent" not in request.cookies and request.path != "/robots.txt":
            return redirect(f"/notice?to={quote(request.target, safe='')}")
        return super().answer(request)


class Hasty(Plain):
    """A request less than a second after the one before is refused with 429 and Retry-After: 1."""

    name, build = "hasty", "one second between requests, else 429 with Retry-After: 1"
    title, domain, size, days = "The Sluice", "thesluice.test", 30, 20.0
    zone = dt.timezone(dt.timedelta(hours=0))
    sections = {"canal": "Canal", "lock": "Lock"}
    gap_s = 1.0

    def __init__(self, seed: int, now: dt.datetime) -> None:
        super().__init__(seed, now)
        self._last = -self.gap_s

    def reply(self, request: Request) -> Reply:
        now = time.monotonic()
        gap, self._last = now - self._last, now
        # The network's own jitter is not the crawler's fault.
        if gap < self.gap_s - 0.05:
            return Reply("<h1>429 Too Many Requests</h1>", 429, {"Retry-After": "1"})
        return super().reply(request)


class Overloaded(Plain):
    """Every ninth request is answered 503 with Retry-After: 1."""

    name, build = "overloaded", "503 with Retry-After: 1 for every ninth request"
    title, domain, size, days = "Signal & Noise", "signalnoise.test", 45, 30.0
    zone = dt.timezone(dt.timedelta(hours=-6))
    sections = {"radio": "Radio", "press": "Press", "screen": "Screen"}

    def __init__(self, seed: int, now: dt.datetime) -> None:
        super().__init__(seed, now)
        self._asked = 0

    def reply(self, request: Request) -> Reply:
        self._asked += 1
        if self._asked % 9 == 0:
            return Reply("<h1>Service Temporarily Unavailable</h1>", 503, {"Retry-After": "1"})
        return super().reply(request)


class Lying(Plain):
    """The ETag of a page never changes; Last-Modified does, also in the 304 that the ETag gets."""

    name, build = "lying", "lying validators: one ETag for ever, 304 with a newer Last-Modified"
    title, domain, size, days = "The Ticker", "theticker.test", 40, 12.0
    zone = dt.timezone(dt.timedelta(hours=1))
    sections = {"markets": "Markets", "companies": "Companies"}
    correction = "Correction: an earlier version of this article misstated a figure."

    def __init__(self, seed: int, now: dt.datetime) -> None:
        super().__init__(seed, now)
        self.edited_at: dt.datetime | None = None

    def edit(self, at: dt.datetime) -> list[str]:
        """Every fifth story gets a correction; the addresses of those."""
        self.edited_at = at
        return [self.url(s) for s in self.stories if s.number % 5 == 0]

    def answer(self, request: Request) -> Reply | str | None:
        made = super().answer(request)
        if made is None or isinstance(made, Reply):
            return made
        story = self.story_at(request.path)
        edited = self.edited_at is not None and (story is None or story.number % 5 == 0)
        if edited and story is not None:
            made = made.replace("</div></article>", f"<p>{self.correction}</p></div></article>")
        at = self.edited_at if edited and self.edited_at else story.at if story else self.now
        headers = {
            "ETag": f'"{hashlib.sha256(request.target.encode()).hexdigest()[:12]}"',
            "Last-Modified": format_datetime(at.astimezone(dt.UTC), usegmt=True),
        }
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Reply("", 304, headers)
        return Reply(made, headers=headers)
