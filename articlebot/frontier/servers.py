"""Which host names one server answers for: politeness may count by address, where many sites share a machine."""

from __future__ import annotations

import asyncio
import socket

from articlebot.urls import is_address

# Resolvers keep most answers longer; a site that moves is met at its new address soon enough.
_KEPT_S = 600.0
_MOST_HOSTS = 10_000
SERVER = "server "  # how the names of such slots begin


class Servers:
    """The addresses of hosts, as the machine's resolver knows them."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str | None, float]] = {}

    async def slot_of(self, host: str) -> str | None:
        """A name for the slot of the server that answers for a host; None where it cannot be told.

        Args:
            host: as a slot is named, with a port where that is not the scheme's own.
        """
        loop = asyncio.get_running_loop()
        name, known = _name_of(host), self._known.get(host)
        if known is None or known[1] < loop.time():
            try:
                address = name if is_address(name) else min(
                    str(found[4][0]) for found in await loop.getaddrinfo(name, None, type=socket.SOCK_STREAM)
                )  # fmt: skip
            except (OSError, ValueError):
                address = None  # the download will say so
            if len(self._known) >= _MOST_HOSTS:
                self._known.clear()
            known = self._known[host] = address and f"{SERVER}{address}", loop.time() + _KEPT_S
        return known[0]


def _name_of(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host
