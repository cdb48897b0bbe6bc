"""Addresses of a site's own files under hosts that no reader can reach."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from articlebot.urls import same_site

_LOOPBACK = r"127(?:\.\d{1,3}){3}"
# The machine itself, and names that are kept for examples (RFC 2606): settings that nobody has filled in.
_NOWHERE = re.compile(
    rf"https?://(?:localhost|{_LOOPBACK}|\[::1\]|0\.0\.0\.0|(?:www\.|blog\.)?example\.(?:com|net|org))(?![\w.-])", re.I
)
_ON_LOOPBACK = re.compile(rf"https?://{_LOOPBACK}(?![\w.-])")


def under_own(url: str, base: str) -> str:
    """An address that a feed or sitemap names, under the host that sent it where nobody else can reach its own.

    Args:
        url: absolute, as the file has it.
        base: the file's. Whoever was reached on the loopback may name its other hosts, and a site its own.
    """
    if not _NOWHERE.match(url) or same_site(url, base) or (_ON_LOOPBACK.match(url) and _ON_LOOPBACK.match(base)):
        return url
    here = urlsplit(base)
    return urlsplit(url)._replace(scheme=here.scheme, netloc=here.netloc).geturl()
