"""Whose fault an outcome is: the proxy's, the site's ban of that proxy, or the site's own."""

from __future__ import annotations

from enum import StrEnum

from articlebot.errors import FAULT_OF

# Failures between the client and the proxy, by the names of ``spiders.failures``.
_OF_THE_WAY = frozenset(
    {"refused_connection", "cut_off", "download_failed", "tunnel", "garbled_http", "timeout", "dns"}
)
_BANS = frozenset({401, 403, 429, 451})  # said to the client, not of the page
# A proxy that cannot reach the site says so with these; so does the site's own front.
_GATEWAY = frozenset({502, 503, 504, 520, 521, 522, 523, 524})


class Verdict(StrEnum):
    """What an outcome says."""

    OK = "ok"
    PROXY = "proxy_fault"
    BAN = "ban"
    SITE = "site_fault"


def verdict(
    status: int | None, failure: str = "", *, wall: bool = False, site_fails: bool = False, site_refuses: bool = False
) -> Verdict:
    """Whose fault an outcome through a proxy is.

    A 304 or a 404 is an answer like any other: it shows that the proxy works.

    Args:
        status: of the answer, None where there was none; ``failure`` names then what went wrong.
        site_fails: other ways to the site fail too, so that this one proves nothing against its proxy.
        site_refuses: other ways are turned away as well.
    """
    if status is None:
        return Verdict.PROXY if failure in _OF_THE_WAY and not site_fails else Verdict.SITE
    if status == 407:
        return Verdict.PROXY
    if wall or status in _BANS:
        return Verdict.SITE if site_refuses else Verdict.BAN
    if status in _GATEWAY:
        return Verdict.SITE if site_fails else Verdict.PROXY
    return Verdict.SITE if status >= 500 else Verdict.OK


_REASONS = {
    **FAULT_OF, "TunnelError": "tunnel",
    "DownloadFailedError": "download_failed", "ResponseNeverReceived": "download_failed",
}  # fmt: skip


def failure_name(error: Exception) -> str:
    """The name of what went wrong with a download, "other" where it is nobody's way that failed."""
    return _REASONS.get(type(error).__name__, "other")
