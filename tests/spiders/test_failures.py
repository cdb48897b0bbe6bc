from __future__ import annotations

import pytest
from OpenSSL.SSL import Error
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet.error import ConnectionDone, ConnectionRefusedError, DNSLookupError, TimeoutError
from twisted.python.failure import Failure
from twisted.web._newclient import ParseError, ResponseNeverReceived

from articlebot.errors import ROBOTS_UNREACHABLE
from articlebot.runtime.failures import fault_of


def http(status: int) -> HttpError:
    return HttpError(HtmlResponse("http://x.example/", status=status))


def _failed(*reasons: Exception) -> Exception:
    """As Scrapy wraps what Twisted counts up, under a name that this does not know."""
    error = Exception(str(reasons))
    error.__cause__ = ResponseNeverReceived([Failure(reason) for reason in reasons])
    return error


@pytest.mark.parametrize(
    ("error", "reason", "permanent"),
    [
        (http(403), "http_403", True),
        (http(429), "http_429", False),
        (http(503), "http_503", False),
        (TimeoutError(), "timeout", False),
        (DNSLookupError(), "dns", False),
        (ConnectionRefusedError(), "refused_connection", False),
        (IgnoreRequest("Forbidden by robots.txt"), "robots", True),
        (IgnoreRequest(f"{ROBOTS_UNREACHABLE} (503)"), "robots_unreachable", False),
        (IgnoreRequest(f"{ROBOTS_UNREACHABLE} ([('SSL routines', '', 'wrong version number')])"), "no_tls", False),
        (
            IgnoreRequest(f"{ROBOTS_UNREACHABLE} ([('SSL routines', '', 'certificate verify failed')])"),
            "bad_certificate",
            False,
        ),
        (IgnoreRequest(f"{ROBOTS_UNREACHABLE} ([<VerificationError(errors=[])>])"), "bad_certificate", False),
        (_failed(Error([("SSL routines", "", "tlsv1 alert internal error")])), "tls_refused", False),
        (IgnoreRequest("max redirections reached"), "redirects", True),
        (IgnoreRequest("private address: 10.0.0.1"), "private_address", True),
        (IgnoreRequest("the decompressed size exceeds the limit"), "decompression_bomb", True),
        (OSError("?"), "oserror", False),
        (_failed(ConnectionDone()), "cut_off", False),
        (_failed(ParseError("wrong number of parts", b"?"), ConnectionDone()), "garbled_http", False),
        (_failed(Error([("SSL routines", "", "certificate verify failed")])), "bad_certificate", False),
        (ValueError("Port could not be cast to integer value"), "garbled_http", False),
    ],
)
def test_failures_have_names(error: Exception, reason: str, permanent: bool) -> None:
    fault = fault_of(Failure(error))
    assert (fault.reason, fault.permanent) == (reason, permanent)
