"""The addresses of a name: all of both kinds, those that may be asked, the one that answered last first."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from itertools import chain, zip_longest
from time import monotonic
from typing import Any

from scrapy.crawler import Crawler
from scrapy.resolver import CachingThreadedResolver, dnscache
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver, IHostResolution, IResolutionReceiver
from twisted.internet.threads import deferToThreadPool
from zope.interface import implementer

from articlebot.urls import is_address

_MOST_HOSTS = 50_000
# How long a name's addresses are used: the life of most records in DNS is 5 minutes or more.
_KEPT_S = 300.0

Look = Callable[[str], Awaitable[list[str]]]


@implementer(IHostnameResolver)
class Resolver:
    """Stands between connections and the resolver of Scrapy's settings.

    Scrapy's own, where no other is set, gives one IPv4 address alone. Here a connection gets them all and tries one
    after the other, as browsers do (RFC 8305), so that neither a dead one nor IPv6 without a route costs a page.

    Args:
        crawler: whose settings say how long a name may take, and whether what was found is kept.
        refuses: whether a host's address may not be asked.
    """

    def __init__(self, crawler: Crawler, refuses: Callable[[str, str], bool]) -> None:
        self._timeout = crawler.settings.getfloat("DNS_TIMEOUT")
        self._kept_s = _KEPT_S if crawler.settings.getbool("DNSCACHE_ENABLED") else 0.0
        self._refuses = refuses
        self._look: Look = _from_system
        self._known: dict[str, tuple[list[str], float]] = {}
        self._answered: dict[str, str] = {}

    def install(self, reactor: Any) -> Callable[[], None]:
        """Takes its place in a reactor; calling what is returned gives it back."""
        theirs = None if isinstance(reactor.resolver, CachingThreadedResolver) else reactor.nameResolver
        if theirs is not None:
            self._look = lambda name: _from(theirs, name)
        before = reactor.installNameResolver(self)
        return lambda: reactor.installNameResolver(before)

    def answered(self, host: str, address: str) -> None:
        """Notes which address a host has answered from, to ask there first."""
        if len(self._answered) >= _MOST_HOSTS:
            self._answered.clear()
        self._answered[host] = address

    async def addresses(self, name: str) -> list[str]:
        """All addresses of a name; none where nobody knows it, or nobody says in time."""
        found, until = self._known.get(name, ([], 0.0))
        if monotonic() >= until:
            dnscache.pop(name, None)  # where Scrapy's resolvers keep them for ever
            try:
                found = [name] if is_address(name) else await asyncio.wait_for(self._look(name), self._timeout)
            except TimeoutError:
                found = []
            if len(self._known) >= _MOST_HOSTS:
                self._known.clear()
            if found:
                self._known[name] = found, monotonic() + self._kept_s
        return found

    def resolveHostName(  # noqa: N802 - Twisted's name
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        """Gives a connection the addresses that it may try, in their order."""
        resolution = _Resolution(hostName)
        resolutionReceiver.resolutionBegan(resolution)

        async def resolve() -> None:
            found = [one for one in await self.addresses(hostName) if not self._refuses(hostName, one)]
            for one in in_turn(found, self._answered.get(hostName)):
                address = (IPv6Address if ":" in one else IPv4Address)(transportSemantics, one, portNumber)  # type: ignore[arg-type]
                if addressTypes is None or isinstance(address, tuple(addressTypes)):
                    resolutionReceiver.addressResolved(address)
            resolutionReceiver.resolutionComplete()

        deferred_from_coro(resolve())
        return resolution


def in_turn(addresses: Sequence[str], first: str | None) -> list[str]:
    """Addresses in the order in which they are tried: both kinds by turns (RFC 8305, 4), each in the system's order."""
    kind = ":" in addresses[0] if addresses else False
    same, other = ([one for one in addresses if (":" in one) is is_v6] for is_v6 in (kind, not kind))
    turns = [one for one in chain.from_iterable(zip_longest(same, other)) if one is not None]
    return sorted(dict.fromkeys(turns), key=lambda one: one != first)


@implementer(IHostResolution)
class _Resolution:
    def __init__(self, name: str) -> None:
        self.name = name

    def cancel(self) -> None:
        raise NotImplementedError


async def _from_system(name: str) -> list[str]:
    from twisted.internet import reactor  # noqa: PLC0415 - importing it earlier would install the wrong one

    plain: Any = reactor
    asked = deferToThreadPool(plain, plain.getThreadPool(), socket.getaddrinfo, name, None, 0, socket.SOCK_STREAM)
    try:
        return [str(one[4][0]) for one in await maybe_deferred_to_future(asked)]
    except (OSError, UnicodeError):  # the latter for a name that cannot be one
        return []


async def _from(resolver: Any, name: str) -> list[str]:
    found: list[str] = []
    complete: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()

    @implementer(IResolutionReceiver)
    class Receiver:
        def resolutionBegan(self, resolutionInProgress: Any) -> None:  # noqa: N802, N803
            pass

        def addressResolved(self, address: Any) -> None:  # noqa: N802
            found.append(address.host)

        def resolutionComplete(self) -> None:  # noqa: N802
            if not complete.done():
                complete.set_result(found)

    resolver.resolveHostName(Receiver(), name)
    return await complete
