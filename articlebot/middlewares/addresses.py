"""Keeps the crawl out of private networks: a page may link to whatever it likes, a router's console included."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from articlebot.errors import RefusedError
from articlebot.jobs import Job
from articlebot.jobs.book import followed_by, jobs_changed
from articlebot.jobs.visit import META_KEY
from articlebot.middlewares.resolver import Resolver
from articlebot.runtime.component import Component

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
        self._resolver = Resolver(crawler, self._refuses_at_connect)
        crawler.signals.connect(self.engine_started, signals.engine_started)
        crawler.signals.connect(self._jobs_changed, jobs_changed)

    def engine_started(self) -> None:
        """Puts the check between the connections and the resolver of Scrapy's settings."""
        from twisted.internet import reactor  # noqa: PLC0415 - importing it earlier would install the wrong one

        self._crawler.signals.connect(self._resolver.install(reactor), signals.engine_stopped, weak=False)

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
        if address is None or request.meta.get("proxy"):
            return response
        if not (self._allowed or is_public(str(address)) or self._allows(request, host)):
            raise IgnoreRequest(f"private address: {host} answered from {address}")
        self._resolver.answered(host, str(address))
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
        # Of a name without an address the download fails, with a reason that is counted there.
        found = await self._resolver.addresses(host)
        return not found or any(map(is_public, found))


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
