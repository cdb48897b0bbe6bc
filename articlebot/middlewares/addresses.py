"""Keeps the crawl out of private networks: a page may link to whatever it likes, a router's console included."""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.resolver import dnscache
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError
from twisted.internet.interfaces import IResolverSimple
from zope.interface import implementer

from articlebot.errors import RefusedError
from articlebot.jobs import Job
from articlebot.jobs.book import followed_by, jobs_changed
from articlebot.jobs.visit import META_KEY
from articlebot.runtime.component import Component

logger = logging.getLogger(__name__)
_MOST_HOSTS = 50_000
# How long a name's address is used: the life of most records in DNS is 5 minutes or more.
_KEPT_S = 300.0
# End with an IPv4 address: NAT64's own prefix (RFC 6052) and the one for local use (RFC 8215), and "compatible" ones.
_WITH_IPV4 = tuple(map(ipaddress.IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "::/96")))


class AddressesMiddleware(Component):
    """Refuses addresses that are not public, unless the job or ``ARTICLEBOT_ALLOW_PRIVATE`` allows them.

    Each request's host is looked up before, redirects included, and the reactor's resolver is made to refuse private
    addresses when the connection is made: a name that answers with one address here and another there gains nothing.
    The address of the answer is compared once more. Of requests through a proxy only those to a written address are
    looked at: the proxy resolves names, and may be private itself. It stands after Scrapy's proxy middleware for that.

    What a job allows is its own hosts, and for itself alone: a redirect to any other private host is refused.

    Stats: ``articlebot/addresses/refused_at_connect``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._allowed = self._runtime.config.general.allow_private
        self._allowed_hosts: set[str] = set()
        self._proxies: set[str] = set()
        crawler.signals.connect(self.engine_started, signals.engine_started)
        crawler.signals.connect(self._jobs_changed, jobs_changed)

    def engine_started(self) -> None:
        """Puts the check between the connections and the resolver of Scrapy's settings."""
        from twisted.internet import reactor  # noqa: PLC0415 - importing it earlier would install the wrong one

        pluggable: Any = reactor
        checked = _CheckedResolver(self._refuses_at_connect)
        checked.inner = pluggable.installResolver(checked)
        self._crawler.signals.connect(
            lambda: pluggable.installResolver(checked.inner), signals.engine_stopped, weak=False
        )

    def _refuses_at_connect(self, host: str, address: str) -> bool:
        if self._allowed or is_public(address) or host in self._allowed_hosts or host in self._proxies:
            return False
        self._runtime.count("addresses/refused_at_connect")
        return True

    async def process_request(self, request: Request) -> None:
        """Nothing.

        Raises:
            IgnoreRequest: the host's address is not public.
        """
        host, proxy = urlsplit(request.url).hostname, request.meta.get("proxy")
        if proxy:
            self._proxies.add(urlsplit(proxy).hostname or "")
        if self._allowed or host is None or self._allows(request, host):
            return
        if proxy and written_address(host) is None:
            return
        if not await self._is_public(host):
            raise IgnoreRequest(f"private address: {host}")

    def process_response(self, request: Request, response: Response) -> Response:
        """The answer, unless it came from a private address after all."""
        address = getattr(response, "ip_address", None)
        host = urlsplit(request.url).hostname or ""
        if self._allowed or address is None or request.meta.get("proxy") or self._allows(request, host):
            return response
        if not is_public(str(address)):
            raise IgnoreRequest(f"private address: {host} answered from {address}")
        return response

    def _allows(self, request: Request, host: str) -> bool:
        """Whether the request's job allows private addresses, and the host is one of its own."""
        book, kept = followed_by(self._crawler.spider), request.meta.get(META_KEY)
        if book is None:
            return False
        # robots.txt is of no job: one whose pages are there and that allows it is enough.
        job = book.get(kept.get("job", "")) if kept else None
        allows = any(one.allow_private and _owns(one, request.url) for one in ([job] if job else [] if kept else book))
        if allows:
            self._allowed_hosts.add(host)  # the connection asks by host alone
        return allows

    def _jobs_changed(self) -> None:
        self._allowed_hosts.clear()  # a download that is cut off by this is tried again, and asks again

    async def _is_public(self, host: str) -> bool:
        if (written := written_address(host)) is not None:
            return is_public(written)
        from twisted.internet import reactor  # noqa: PLC0415 - importing it earlier would install the wrong one

        try:
            found = await maybe_deferred_to_future(reactor.resolve(host))  # type: ignore[arg-type]
        except PrivateAddress:
            return False
        except Exception as error:
            # The download fails on the same name, with a reason that is counted there.
            logger.debug("%s cannot be looked up: %s", host, error)
            return True
        return is_public(str(found))


class PrivateAddress(DNSLookupError):
    """A name's address is not public."""


@implementer(IResolverSimple)
class _CheckedResolver:
    """Asks another resolver, which kept its answers for ever, anew, and keeps private addresses to itself."""

    inner: Any

    def __init__(self, refuses: Callable[[str, str], bool]) -> None:
        self._refuses = refuses
        self._until: dict[str, float] = {}

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802 - Twisted's name
        """The address of a name."""
        now = monotonic()
        if now >= self._until.get(name, 0.0):
            dnscache.pop(name, None)
            if len(self._until) >= _MOST_HOSTS:
                self._until.clear()
            self._until[name] = now + _KEPT_S
        looked_up: Deferred[str] = self.inner.getHostByName(name, timeout)
        return looked_up.addCallback(self._checked, name)

    def _checked(self, address: str, name: str) -> str:
        if self._refuses(name, address):
            raise PrivateAddress(f"{name} is {address}")
        return address


def is_public(address: str) -> bool:
    """Whether an address is reachable from anywhere: not private, loopback, link-local (cloud metadata), reserved."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    inner = _inner(found) or found
    return inner.is_global and not inner.is_multicast and not found.is_multicast


def written_address(host: str) -> str | None:
    """The address that a host is, however it is spelled (``0x7f.1``, ``2130706433``); None for a name."""
    try:
        return str(ipaddress.ip_address(host.strip("[]").partition("%")[0]))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host.rstrip(".")))
    except (OSError, ValueError):
        return None


def _inner(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to: mapped, of NAT64, of 6to4 or of Teredo."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if any(address in network for network in _WITH_IPV4):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def _owns(job: Job, url: str) -> bool:
    try:
        return job.owns(url)
    except RefusedError:
        return False
