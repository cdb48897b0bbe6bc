"""What a policy is, and what all do alike with a visit: first ones, failures, pages that are gone, bounds, the end."""

from __future__ import annotations

import importlib
import random
from typing import Literal, Protocol, cast

from articlebot.errors import ConfigError
from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import Params
from articlebot.recrawl.state import PageState

# Outcomes that say nothing of the page's changes.
UNANSWERED = ("failed", "gone")
_MAX_FETCHES = 0xFFFF
_MAX_FAILURES = 0xFF
# Failures in a row after which a page is only probed: the waits before come to 256 of its intervals.
RETIRE_AFTER = 10
_POLICIES = "articlebot.recrawl.policies"
NAMES = {
    **dict.fromkeys(("default", "gain"), f"{_POLICIES}.gain.Gain"),
    **{name.lower(): f"{_POLICIES}.designs.{name}" for name in ("Ratio", "Additive", "Similarity", "Nutch", "Uniform")},
    "ratio_unbounded": f"{_POLICIES}.designs.Unbounded",
}


class Policy(Protocol):
    """A rule for when to visit a page again. Instances hold no state; a class path names a class without arguments."""

    def next_state(
        self, state: PageState | None, observation: Observation, params: Params, now: float, rng: random.Random
    ) -> PageState:
        """The page's state after a visit; its ``next_at`` lies within ``max_interval`` of the visit.

        Args:
            state: what was remembered, None at the first visit.
            observation: what the visit found.
            params: the job's and site's numbers.
            now: epoch seconds.
            rng: the only source of randomness.
        """
        ...


def policy(name: str) -> Policy:
    """The policy of a name (one of ``NAMES``) or of a class path such as ``mypackage.recrawl.Mine``.

    Raises:
        ConfigError: no such name, module or class, or it has no ``next_state``.
    """
    path = NAMES.get(name, name)
    module_name, _, class_name = path.rpartition(".")
    if not module_name:
        raise ConfigError(f"no recrawl policy {name!r}: use one of {', '.join(sorted(NAMES))}, or a class path")
    try:
        found = getattr(importlib.import_module(module_name), class_name)()
    except (ImportError, AttributeError, TypeError) as error:
        raise ConfigError(f"recrawl policy {name!r} cannot be loaded: {error}") from error
    if not callable(getattr(found, "next_state", None)):
        raise ConfigError(f"recrawl policy {name!r} has no next_state(state, observation, params, now, rng)")
    return cast(Policy, found)


def elapsed(state: PageState, observation: Observation) -> float:
    """Seconds since the last visit; 0 where the clock went backwards."""
    return max(0.0, observation.at - state.last_at)


def first_visit(observation: Observation, params: Params) -> PageState:
    """The state after the first visit of a page: the initial interval, t = 0 and x = 1."""
    at = observation.at
    interval = params.clamp(params.initial * params.scale)
    modified = observation.last_change_at
    return PageState(
        observation.kind, 1, 0, at, at, at + interval, 0.0, 1.0, interval,
        at if modified is None else min(modified, at), observation.content_hash, observation.fingerprint,
    )  # fmt: skip


def visited(
    state: PageState, observation: Observation, params: Params, *, t: float, x: float, gap: float,
    changed: bool, interval: float | None = None, slow_t: float = 0.0, slow_x: float = 0.0,
) -> PageState:  # fmt: skip
    """The state after a visit that got an answer.

    Args:
        gap: seconds until the next visit as the policy wants it; brought within the bounds here.
        changed: whether the visit counts as a change by the policy's rule.
        interval: the policy's own period, where it is not the gap.
    """
    at = observation.at
    bounded = params.clamp(gap)
    changed_at = state.changed_at
    if changed:
        modified = observation.last_change_at
        # A change seen now happened after the last visit; what the page says is believed within that span.
        changed_at = at if modified is None else min(max(modified, min(state.last_at, at)), at)
    return PageState(
        observation.kind, min(state.fetches + 1, _MAX_FETCHES), 0, min(state.first_at, at), at, at + bounded, t, x,
        bounded if interval is None else interval, min(changed_at, at),
        observation.content_hash or state.content_hash, observation.fingerprint or state.fingerprint, slow_t, slow_x,
    )  # fmt: skip


def unanswered(state: PageState | None, observation: Observation, params: Params, rng: random.Random) -> PageState:
    """The state after a failure or a 404/410: back-off, then retirement, with probes that may bring the page back.

    The first failure waits a quarter of the page's interval, each further one twice as long as the one before; for a
    page that is gone, four times as long. Jitter of a quarter either way keeps the pages of a site that was down from
    returning in one flood. ``last_at`` stays at the last visit with an answer. After ``RETIRE_AFTER`` failures in a row
    (half as many where it is gone) a page is retired: only probed, once per ``max_interval``, or ended (see ``ends``).
    What was learned (t, x, hashes, last change) is kept, so a page that returns goes on where it was.
    """
    at = observation.at
    if state is None:
        state = PageState(observation.kind, 0, 0, at, at, at, 0.0, 0.0, params.clamp(params.initial), at)
    failures = min(state.failures + 1, _MAX_FAILURES)
    if is_retired(failures, gone=observation.outcome == "gone"):
        gap = params.max_interval
    else:
        base = max(params.min_interval, min(state.interval, params.initial) / 4)
        growth = 2.0 if observation.outcome == "failed" else 4.0
        gap = params.clamp(base * growth ** min(failures - 1, 40)) * rng.uniform(0.75, 1.25)
    return state._replace(
        fetches=min(state.fetches + 1, _MAX_FETCHES), failures=failures, first_at=min(state.first_at, at),
        last_at=min(state.last_at, at), next_at=at + params.clamp(gap), changed_at=min(state.changed_at, at),
    )  # fmt: skip


def unjudged(state: PageState | None, observation: Observation, params: Params, rng: random.Random) -> PageState:
    """The state after a visit that most policies ignore: one without an answer, or a page's first."""
    if observation.outcome in UNANSWERED:
        return unanswered(state, observation, params, rng)
    return first_visit(observation, params)


def is_retired(failures: int, *, gone: bool = False) -> bool:
    """Whether a page with so many failures in a row is only probed any more."""
    return failures >= (RETIRE_AFTER // 2 if gone else RETIRE_AFTER)


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
