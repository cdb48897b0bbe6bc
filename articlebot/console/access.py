"""Who may see the console: the token, the cookie it becomes, the names the server answers to, the headers it sends."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from hashlib import sha256
from urllib.parse import urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
LANGUAGE_COOKIE = "articlebot_language"
_YEAR = 365 * 86400


class Sessions:
    """The token (a new one where none is given) and what is derived of it.

    The port is part of the cookie's name, since browsers keep cookies of all ports of a host together.
    """

    def __init__(self, token: str | None, port: int) -> None:
        self.token = token or secrets.token_urlsafe(24)
        self.cookie = f"articlebot_console_{port}"
        self._key = secrets.token_bytes(32)

    @property
    def session(self) -> str:
        """The cookie's value: does not give the token away, and ends with the process."""
        return self._derived("session")

    @property
    def form_token(self) -> str:
        """What each form carries, so that no other site's form is taken."""
        return self._derived("form")

    def is_token(self, given: str) -> bool:
        """Whether the text is the token; takes the same time for any text of a length."""
        return _same(given, self.token)

    def is_open(self, request: Request) -> bool:
        """Whether a request brings the cookie."""
        return _same(request.cookies.get(self.cookie, ""), self.session)

    def is_form(self, given: str) -> bool:
        """Whether the text is the form token."""
        return _same(given, self.form_token)

    def _derived(self, purpose: str) -> str:
        return hmac.new(self._key, f"{purpose}:{self.token}".encode(), sha256).hexdigest()


class Access:
    """Lets in who has the cookie or a link with the token; puts the headers on every answer.

    Only names of ``hosts`` in the Host header are answered; others come from a site that resolves to this machine.
    """

    def __init__(self, app: ASGIApp, sessions: Sessions, hosts: Sequence[str]) -> None:
        self._app, self._sessions, self._hosts = app, sessions, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._answer(Request(scope))
        await (answer or self._app)(scope, receive, guarded)

    def _answer(self, request: Request) -> Response | None:
        """The answer where the application is not to be asked."""
        if _host(request.headers.get("host", "")) not in self._hosts:
            return PlainTextResponse("This name is not served here.", 421)
        if request.method == "GET" and ("token" in request.query_params or "lang" in request.query_params):
            return self._entry(request)
        if not self._sessions.is_open(request):
            return PlainTextResponse(
                "Open the console by the link that `scrapy console` printed.\n请用 scrapy console 打印的链接打开。\n",
                401,
            )
        return None

    def _entry(self, request: Request) -> Response:
        """Turns what a link carries into cookies and leads to the same page without it."""
        kept = [(name, value) for name, value in request.query_params.multi_items() if name not in ("token", "lang")]
        path = "/" + request.url.path.lstrip("/\\")
        answer = RedirectResponse(path + (f"?{urlencode(kept)}" if kept else ""), 303)
        token, language = request.query_params.get("token"), request.query_params.get("lang")
        if token is not None:
            if not self._sessions.is_token(token):
                return PlainTextResponse("This token is not valid (any more).\n此令牌无效或已过期。\n", 403)
            answer.set_cookie(self._sessions.cookie, self._sessions.session, httponly=True, samesite="lax")
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
