"""Hosts that do not answer: their slot rests for growing pauses between single probes. Pure decisions.

No answer means a timeout, a refused connection, or a name without an address. Every HTTP status is an answer. Each
pause is twice the last, so it is never much longer than the silence before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from articlebot.errors import FAULT_OF

_SILENCES = frozenset({"timeout", "dns", "refused_connection"})
# A name without an address gets one in minutes at best, where a server is back in seconds: it rests so much longer.
_NO_NAME = 4.0
# Pages that a host answers, 2 s apart, in the time that one which hangs takes: its limit of 30 s and a pause of 10 s.
_BEHIND_A_HANG = 20
# In a request's history, which counts towards quarantine all but these; ``lua/slots.lua`` knows it too.
NO_ANSWER = "no answer: "
# Sent to Scrapy's signals with ``request`` and ``fault`` when a request goes back because its host did not answer, or
# refused it for haste or load.
unanswered = object()


def fault_of(error: Exception) -> str | None:
    """Which kind of silence an error is; None where it is none."""
    fault = FAULT_OF.get(type(error).__name__)
    return fault if fault in _SILENCES else None


@dataclass(frozen=True, slots=True)
class Silence:
    """A host that does not answer.

    Args:
        host: its name.
        since: the first request without an answer, epoch seconds by Redis' clock.
        at: the last one.
        probes: how many there were.
        fault: what the last one ended with.
    """

    host: str
    since: float
    at: float
    probes: int
    fault: str

    def pause(self, first: float, longest: float) -> float:
        """Seconds until the next probe: the first pause, doubled with each probe, up to the longest."""
        slow = _NO_NAME if self.fault == "dns" else 1.0
        return float(min(longest, slow * first * 2.0 ** min(self.probes - 1, 40)))

    def dump(self) -> str:
        """The text that is stored."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def load(cls, text: str | bytes | None) -> Silence | None:
        """The silence of a stored text; None for none, or one that this version does not read."""
        try:
            return cls(**json.loads(text)) if text else None
        except (ValueError, TypeError):
            return None


def after(before: Silence | None, host: str, fault: str, at: float) -> Silence:
    """The silence after one more request without an answer, at an epoch time."""
    return Silence(host, before.since if before else at, at, before.probes + 1 if before else 1, fault)


def is_to_blame(before: Silence | None, reasons: Iterable[str], patience: int) -> bool:
    """Whether a request without an answer is given up, rather than kept until its host answers.

    A page that hangs while its host answers others would stop the host again and again, so it is given up. What happens
    while the host is known to be silent does not count against the page.

    Args:
        before: the host's silence before this request.
        reasons: why the request came back before.
        patience: how often it may come back for want of an answer; 0 gives it up in any case.
    """
    if not patience:
        return True
    return before is None and sum(reason.startswith(NO_ANSWER) for reason in reasons) >= patience


def places_behind(silence: Silence, before: Silence | None) -> int:
    """How many others of its host come before a request that had no answer is sent again.

    The next probe is another page, should this one hang alone, and these get the time that it takes; further back with
    each, should several hang. And not to the end: what comes first is still to come soon when the host answers.

    Args:
        silence: the host's, with this request; ``before``: without it.
    """
    return _BEHIND_A_HANG if before is None else silence.probes
