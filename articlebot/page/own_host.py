"""Addresses of a site's own files under hosts that no reader can reach."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

# The machine itself, and names that are kept for examples (RFC 2606): settings that nobody has filled in.
_NOWHERE = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1|0\.0\.0\.0|(?:www\.|blog\.)?example\.(?:com|net|org)")


def under_own(url: str, base: str) -> str:
    """An address that a feed or sitemap names, under the host that sent it where nobody else can reach its own.

    Args:
        url: absolute, as the file has it.
        base: the file's.
    """
    there, here = urlsplit(url), urlsplit(base)
    if there.hostname == here.hostname or not _NOWHERE.fullmatch(there.hostname or ""):
        return url
    return there._replace(scheme=here.scheme, netloc=here.netloc).geturl()
