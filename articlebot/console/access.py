"""Who may see the console: the token, the cookie it becomes, the names the server answers to, the headers it sends."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Sequence
from hashlib import sha256
from urllib.parse import urlencode

from redis.exceptions import RedisError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from articlebot.console.who import LINK, Tokens, Who, digest
from articlebot.errors import ArticlebotError
from articlebot.typed import as_typed

# Scripts and styles only from the console itself, no image from anywhere: a page's HTML can neither run nor report.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_API, _FEEDS = "/api/", "/api/v1/feed"
# Ten a second: more is a program that has gone wild. Each console counts for itself.
_MOST_A_MINUTE, _MINUTE_S = 600, 60.0
# An OPML file names 20,000 feeds in as many.
_MOST_BYTES = 5_000_000
LANGUAGE_COOKIE = "articlebot_language"
_YEAR = 365 * 86400


def methods_of(request: Request) -> dict[str, str]:
    """The header that names every method its path takes: Starlette names those of the first route alone (RFC 9110)."""
    routes = [one for one in request.app.routes if isinstance(one, Route) and one.path_regex.fullmatch(_path(request))]
    methods = {method for one in routes for method in one.methods or ()}
    return {"Allow": ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))}


def _path(request: Request) -> str:
    path: str = request.scope["path"]
    return path.removeprefix(request.scope.get("root_path", ""))


class Sessions:
    """The token of the console's link (a new one where none is given), cookies and what forms carry.

    A cookie names whose token it was made of, so that it ends with that token, and with the process. The port is part
    of its name, since browsers keep cookies of all ports of a host together.
    """

    def __init__(self, token: str | None, port: int) -> None:
        self.token = token or secrets.token_urlsafe(24)
        self.cookie = f"articlebot_console_{port}"
        self._key = secrets.token_bytes(32)

    def session(self, name: str, kept: str) -> str:
        """The cookie's value: does not give the token away.

        Args:
            name: of the token.
            kept: the digest that is kept of it.
        """
        return f"{name}.{self._derived(f'session:{name}:{kept}')}"

    @property
    def form_token(self) -> str:
        """What each form carries, so that no other site's form is taken."""
        return self._derived("form")

    def is_token(self, given: str) -> bool:
        """Whether the text is the link's token; takes the same time for any text of a length."""
        return _same(given, self.token)

    async def open(self, request: Request, tokens: Tokens) -> Who | None:
        """Who brings a cookie; None where it is none, or the token that it was made of has been revoked."""
        given = request.cookies.get(self.cookie, "")
        name = given.rpartition(".")[0]
        known = (LINK, "") if name == LINK.name else await tokens.named(name) if name else None
        return known[0] if known is not None and _same(given, self.session(name, known[1])) else None

    def is_form(self, given: str) -> bool:
        """Whether the text is the form token."""
        return _same(given, self.form_token)

    def _derived(self, purpose: str) -> str:
        return hmac.new(self._key, f"{purpose}:{self.token}".encode(), sha256).hexdigest()


class Access:
    """Lets in who has the cookie, a link with a token, or the token itself as a program sends it; puts the headers on
    every answer. Who was let in is ``request.state.who``.

    Only names of ``hosts`` in the Host header are answered; others come from a site that resolves to this machine.
    """

    def __init__(self, app: ASGIApp, sessions: Sessions, tokens: Tokens, hosts: Sequence[str]) -> None:
        self._app, self._sessions, self._tokens, self._hosts = app, sessions, tokens, frozenset(hosts)
        self._asked: dict[str, tuple[float, int]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        if scope["method"] == "HEAD":  # the server leaves the body out (RFC 9110, 9.3.2)
            scope = {**scope, "method": "GET"}

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        left = _MOST_BYTES

        async def bounded() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, f"more than {_MOST_BYTES:,} bytes")
            return message

        answer = await self._answer(Request(scope))
        await (answer or self._app)(scope, bounded, guarded)

    async def _answer(self, request: Request) -> Response | None:
        """The answer where the application is not to be asked."""
        if _host(request.headers.get("host", "")) not in self._hosts:
            return PlainTextResponse("This name is not served here.", 421)
        try:
            if request.url.path.startswith(_API):
                return await self._program(request)
            if request.method == "GET" and ("token" in request.query_params or "lang" in request.query_params):
                return await self._entry(request)
            who = await self._sessions.open(request, self._tokens)
        except (RedisError, ArticlebotError):
            return PlainTextResponse("Redis is away: who you are cannot be told for now.\nRedis 暂不可用。\n", 503)
        if who is None:
            said = "Open the console by the link that `scrapy console` printed.\n请用 scrapy console 打印的链接打开。\n"
            return PlainTextResponse(as_typed(said), 401)
        request.state.who = who
        return None

    async def _program(self, request: Request) -> Response | None:
        """A request of the API: a token in ``Authorization``, in a feed's address, or for reading a cookie."""
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if not given and request.url.path.startswith(_FEEDS):
            kind, given = "bearer", request.query_params.get("token", "")
        who = await self._whose(given.strip()) if kind.lower() == "bearer" and given else None
        if who is None and not given and request.method == "GET":
            who = await self._sessions.open(request, self._tokens)
        if who is None:
            said = as_typed("send a token: Authorization: Bearer TOKEN (`scrapy console tokens add NAME` makes one)")
            return JSONResponse({"detail": said}, 401, {"WWW-Authenticate": "Bearer"})
        if (wait := self._too_many(who)) is not None:
            said = f"more than {_MOST_A_MINUTE} requests a minute by this token"
            return JSONResponse({"detail": said}, 429, {"Retry-After": f"{wait:.0f}"})
        request.state.who = who
        return None

    async def _whose(self, token: str) -> Who | None:
        return LINK if self._sessions.is_token(token) else await self._tokens.who(token)

    def _too_many(self, who: Who) -> float | None:
        """Seconds to wait where a token has asked too often within its minute."""
        now = time.monotonic()
        begun, number = self._asked.get(who.name, (now, 0))
        if now - begun >= _MINUTE_S:
            begun, number = now, 0
        self._asked[who.name] = begun, number + 1
        return max(1.0, begun + _MINUTE_S - now) if number >= _MOST_A_MINUTE else None

    async def _entry(self, request: Request) -> Response:
        """Turns what a link carries into cookies and leads to the same page without it."""
        kept = [(name, value) for name, value in request.query_params.multi_items() if name not in ("token", "lang")]
        path = "/" + request.url.path.lstrip("/\\")
        answer = RedirectResponse(path + (f"?{urlencode(kept)}" if kept else ""), 303)
        token, language = request.query_params.get("token"), request.query_params.get("lang")
        if token is not None:
            who = await self._whose(token)
            if who is None:
                return PlainTextResponse("This token is not valid (any more).\n此令牌无效或已过期。\n", 403)
            made_of = "" if who is LINK else digest(token)
            answer.set_cookie(
                self._sessions.cookie, self._sessions.session(who.name, made_of), httponly=True, samesite="lax"
            )
        if language in ("en", "zh"):
            answer.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR, httponly=True, samesite="lax")
        return answer


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())


def _host(header: str) -> str:
    """The name without its port."""
    if header.startswith("["):
        return header.partition("]")[0] + "]"
    return header.partition(":")[0].lower()
