"""Names for what went wrong with a download, and whether asking again can help."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from scrapy.exceptions import IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from articlebot.errors import FAULT_OF, PUT_OFF, ROBOTS_UNREACHABLE

# Of a request that is queued again.
PUT_OFF_REASON = "put_off"
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_REASONS = {
    **FAULT_OF, "DownloadCancelledError": "too_large", "CancelledError": "too_large",
    # Of a body that is not packed as its header says (`error` is zlib's and Brotli's), and of an address in Location.
    **dict.fromkeys(("error", "ZstdError", "BadGzipFile", "EOFError", "ValueError", "UnicodeError"), "garbled_http"),
}  # fmt: skip
_PERMANENT = frozenset({"too_large", "robots", "redirects", "decompression_bomb", "private_address", "unsupported_url"})


class Fault(NamedTuple):
    """A short name for a stat, and whether the same request would fail again."""

    reason: str
    permanent: bool
    status: int | None = None


def fault_of(failure: Failure) -> Fault:
    """What became of a failed request."""
    error: Any = failure.value
    if isinstance(error, HttpError):
        status = error.response.status
        return Fault(f"http_{status}", 400 <= status < 500 and status not in (408, 425, 429), status)
    if isinstance(error, IgnoreRequest):
        reason = _ignored(str(error))
    elif tls := _tls(str(error)):
        reason = tls
    else:
        # Twisted counts up what went wrong, the cause first; Scrapy wraps it from 2.15 on.
        counted = getattr(error.__cause__ or error, "reasons", ())
        names = [*(one.type.__name__ for one in counted), type(error).__name__]
        name = next((one for one in names if one in _REASONS), names[-1])
        reason = _REASONS.get(name) or _WORD.sub("_", name).lower().removesuffix("_error")
    return Fault(reason, reason in _PERMANENT)


def _tls(text: str) -> str:
    """What is wrong with the host's TLS, by the text of an error; "" where that is not at fault."""
    if "certificate verify failed" in text or "VerificationError" in text:
        return "bad_certificate"
    # So OpenSSL begins what it says, and so it says that the answer is no TLS, such as plain HTTP.
    return "" if "SSL routines" not in text else "no_tls" if "wrong version number" in text else "tls_refused"


def _ignored(text: str) -> str:
    lowered = text.lower()
    if lowered.startswith("private address"):
        return "private_address"
    if lowered.startswith(PUT_OFF):
        return PUT_OFF_REASON
    if text.startswith(ROBOTS_UNREACHABLE):
        return _tls(text) or "robots_unreachable"
    if "robots" in lowered:
        return "robots"
    if "redirect" in lowered:
        return "redirects"
    if "exceed" in lowered or "decompress" in lowered or "size" in lowered:
        return "decompression_bomb"
    return "ignored"
