"""Ports that extensions listen on while a crawl runs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from scrapy.utils.defer import maybe_deferred_to_future

if TYPE_CHECKING:
    from twisted.web.server import Site

logger = logging.getLogger(__name__)


def listen(what: str, site: Site, port: int, address: str) -> Any | None:
    """The listening port; None where it is taken, which is said as "No WHAT" and costs that, not the crawl."""
    from twisted.internet import error  # noqa: PLC0415 - Scrapy installs the reactor first
    from twisted.internet import reactor as installed  # noqa: PLC0415

    try:
        return cast(Any, installed).listenTCP(port, site, interface=address)
    except error.CannotListenError as failure:
        logger.error("No %s: %s", what, failure)
        return None


async def stop(port: Any | None) -> None:
    """Stops listening, where something does."""
    if port is not None:
        # asyncio's tasks cannot await a Deferred itself.
        await maybe_deferred_to_future(port.stopListening())
