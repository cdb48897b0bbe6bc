"""When the visits to a page end: it has been quiet for long, or it is gone for good. Pure decisions."""

from __future__ import annotations

from typing import Literal

from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import Params
from articlebot.recrawl.state import PageState
from articlebot.recrawl.visit import is_retired

End = Literal["quiet", "gone"]


def end_of(before: PageState | None, after: PageState, seen: Observation, quiet_s: float) -> End | None:
    """Why a page is visited no more after a visit; None where it goes on.

    List pages never end; the job decides about them. Documents end only when they are gone: laws and reports are
    revised after years.

    Args:
        before: the state before the visit, None at the first.
        after: the state as the policy has it.
        seen: what the visit found.
        quiet_s: seconds without a change after which an article ends.
    """
    if seen.kind is Kind.LIST or before is None:
        return None
    retired = is_retired(after.failures, gone=seen.outcome == "gone")
    if seen.outcome == "gone" and retired:
        return "gone"
    quiet = seen.kind is Kind.ARTICLE and seen.at - after.changed_at >= quiet_s
    if quiet and (seen.outcome in ("unchanged", "not_modified") or (seen.outcome == "failed" and retired)):
        return "quiet"
    return None


def last_visit(after: PageState, params: Params, quiet_s: float) -> PageState:
    """The state with its next visit no later than the end of its quiet time; that visit may be the last."""
    ends_at = after.changed_at + quiet_s
    if after.kind is not Kind.ARTICLE or after.failures or not after.last_at < ends_at < after.next_at:
        return after
    return after._replace(next_at=max(ends_at, after.last_at + params.min_interval))
