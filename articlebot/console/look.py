"""A look at a site before it is followed: what it offers, with samples, as ``scrapy doctor`` tells it."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from articlebot.errors import ConfigError
from articlebot.urls import typed_url

# The command ends by itself in half a minute; on a machine with much other work it may take longer.
_SECONDS = 120.0
_AT_ONCE = 2
_under_way: set[asyncio.subprocess.Process] = set()


async def look(site: str) -> dict[str, Any]:
    """What ``scrapy doctor --json`` says of a site; in a process of its own, since it crawls.

    Raises:
        ConfigError: it cannot be looked at, or others are just being looked at.
    """
    url = typed_url(site)
    if len(_under_way) >= _AT_ONCE:
        raise ConfigError(f"{_AT_ONCE} sites are being looked at: try again in half a minute")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "articlebot", "doctor", url, "--json",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _under_way.add(process)
    try:
        async with asyncio.timeout(_SECONDS):
            out, errors = await process.communicate()
        told: dict[str, Any] = json.loads(out)
    except TimeoutError:
        raise ConfigError(f"{url} could not be looked at within {_SECONDS:.0f} s") from None
    except ValueError:
        said = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise ConfigError(f"{url} could not be looked at: {said}") from None
    finally:
        _under_way.discard(process)
        if process.returncode is None:
            process.kill()
    return told
