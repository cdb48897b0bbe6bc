"""The default: every visit goes where one more of it gains most."""

from __future__ import annotations

import random
from math import sqrt
from typing import NamedTuple

from articlebot.recrawl.edits import interval, own_factor
from articlebot.recrawl.hearing import place
from articlebot.recrawl.observation import Kind, Observation, is_change
from articlebot.recrawl.params import Params
from articlebot.recrawl.state import PageState, among, changes_due
from articlebot.recrawl.visit import UNANSWERED, elapsed, unanswered, visited


class Memory(NamedTuple):
    """How fast the observed time and the changes in it fade, per visit with and without a change.

    Fading by visits, not by time, makes the memory of a page as long as its own pace.
    """

    changed: float
    unchanged: float


class Tuning(NamedTuple):
    """The numbers of the model; one set for all pages, learned on half of the pages of the change histories.

    docs/decisions/0005-recrawl-policies.md has what was tried. Times are in days where a field does not say otherwise.
    """

    list_fast: Memory = Memory(0.82, 0.992)
    list_slow: Memory = Memory(0.94, 0.999)
    list_fast_share: float = 0.6
    list_prior: float = 0.43
    list_prior_rate: float = 2.9
    # Days: at scale 1 a list page that gains one item a day is visited after so long; and the power of its rate. One
    # half is best for the mean delay; a little less costs it nothing that can be measured and shortens the longest.
    list_wait: float = 0.12
    list_power: float = 0.42
    # A stated interval weighs as many visits as this in what is believed.
    stated_visits: float = 12.0
    # The second visit tells most, and is made this much sooner while nothing is known of the job's other pages.
    second_visit: float = 0.2
    # Hours of staleness that a visit to an article has to end to be worth its cost, at scale 1.
    article_worth: float = 0.08
    document_fast: Memory = Memory(0.9, 0.995)
    document_slow: Memory = Memory(0.98, 0.9997)
    document_fast_share: float = 0.3
    document_prior: float = 0.4
    document_prior_days: float = 60.0
    document_reach: float = 0.3
    document_power: float = 0.35
    document_age_power: float = 0.2
    document_age_offset: float = 1.0
    hopeless: float = 0.5
    hopeless_rate: float = 0.03
    # Of an article or document whose changes are signalled: what one visit ends grows with the square of the wait.
    signalled_power: float = 0.5


TUNING = Tuning()


class Gain:
    """Intervals at which one more visit gains the same on every page, from a bias-corrected change rate.

    *List pages* are visited for the delay of their items. Its mean is least when the rate of visits follows the square
    root of the rate of items; the power is a little less, which shortens the longest delays. The rate is (x + a) / (t +
    a / prior): new items over observed time with a fixed prior, as the geometric mean of a fast and a slow memory. Time
    is counted, and the interval laid out, on the clock of the site's hour-of-week profile.

    *Articles* are corrected soon after they appear and rarely later. A visit is due when it is expected to end enough
    stale time. The hazard of an edit falls with the article's age and with the time since its last change
    (``last_change_at`` dates it where the page says so), and is multiplied by what the site's visits have shown.

    *Documents* follow their change rate with a power below one half. The longer they have been quiet, the later the
    next visit. Visits settle at the ends of working weeks. A page that changes faster than visits could follow cannot
    be kept fresh; it gets fewer visits, down to what finds the end of such a phase.

    Importance divides the interval by the square root of the weight. Every interval ends within ``max_interval``.

    *A stated interval* is the first one. The prior of a list page is then the rate at which that interval would be
    chosen. It keeps a share of the interval's logarithm, which each visit lessens; 12 visits weigh as much. The items
    alone cannot decide the share: at the rate of five minutes two quiet visits would settle it.

    Sources: Cho and Garcia-Molina, "Effective page refresh policies" (2003) for freshness and its bias-corrected rate
    estimators; Olston and Pandey, "Recrawl scheduling based on information longevity" (2008) for the marginal gain;
    the adaptive recrawl design (A) for t and x. docs/benchmarks.md has what it gains.
    """

    tuning = TUNING
    hears_signals = True

    def next_state(
        self, state: PageState | None, observation: Observation, params: Params, now: float, rng: random.Random
    ) -> PageState:
        if observation.outcome in UNANSWERED:
            return unanswered(state, observation, params, rng)
        tuning, kind = self.tuning, observation.kind
        if state is None or state.fetches == 0 or (state.kind is not kind and Kind.LIST in (state.kind, kind)):
            after = _first(state, observation)
        else:
            after = _count(state, observation, params, tuning)
        own = _own_gap(after, params, tuning)
        gap = _laid_out(own, after, params, tuning, rng)
        if params.heard is not None:
            gap = _without_signal(gap, after, params, tuning)
        gap = params.clamp(_near_stated(gap, state, after, params, tuning))
        # The blend is judged by what the page's own interval would have cost, so this one is kept.
        own = params.clamp(_near_stated(own, state, after, params, tuning))
        return after._replace(next_at=after.last_at + gap, interval=own)


def _own_gap(state: PageState, params: Params, tuning: Tuning) -> float:
    """What the page itself asks for, before other pages, importance and hours have their say."""
    if state.kind is Kind.LIST:
        return _list_gap(state, params, tuning)
    return _article_gap(state, params, tuning) if state.kind is Kind.ARTICLE else _document_gap(state, params, tuning)


def _laid_out(own: float, state: PageState, params: Params, tuning: Tuning, rng: random.Random) -> float:
    gap = own
    if params.blend is not None:
        gap = params.blend.of(own, params.scale)
    elif state.fetches == 1 and state.kind is not Kind.ARTICLE:
        gap *= tuning.second_visit
    gap /= sqrt(params.weight)
    if params.profile is None or state.kind is Kind.ARTICLE:
        return gap
    if state.kind is Kind.LIST:
        return params.profile.after(state.last_at, min(gap, params.max_interval))
    return params.profile.settle(state.last_at, gap, rng.random())


def _without_signal(gap: float, state: PageState, params: Params, tuning: Tuning) -> float:
    """The interval of a page whose changes are signalled: without a signal there are fewer to find."""
    assert params.heard is not None
    quiet = params.heard[place(state, state.last_at, params.day_s)].quiet
    power = tuning.list_power if state.kind is Kind.LIST else tuning.signalled_power
    longer: float = gap * quiet**-power
    return longer


def _first(state: PageState | None, observation: Observation) -> PageState:
    at = observation.at
    stated = observation.last_change_at
    modified = at if stated is None else min(stated, at)
    published = modified if observation.published_at is None else observation.published_at
    # An article is at least as old as what it says of its last change.
    first = min(published, modified) if observation.kind is Kind.ARTICLE else at
    return PageState(
        kind=observation.kind, fetches=1 if state is None else state.fetches + 1, first_at=first, last_at=at,
        changed_at=modified, content_hash=observation.content_hash, fingerprint=observation.fingerprint,
    )  # fmt: skip


def _count(state: PageState, observation: Observation, params: Params, tuning: Tuning) -> PageState:
    """The state with the visit counted in both memories; when to come back is not yet decided."""
    kind = observation.kind
    is_list = kind is Kind.LIST
    profile = params.profile
    if profile is not None and is_list:
        spent = profile.work(state.last_at, observation.at)
    else:
        spent = elapsed(state, observation)
    changed = is_change(observation, params.rule, params.threshold)
    fast, slow = (tuning.list_fast, tuning.list_slow) if is_list else (tuning.document_fast, tuning.document_slow)
    if changed:
        if is_list:
            gained = float(max(1, observation.new_items))
        else:
            gained = among(changes_due(state, spent)) if kind is Kind.DOCUMENT else 1.0
        keep, keep_slow = fast.changed, slow.changed
    else:
        gained = 0.0
        keep, keep_slow = fast.unchanged, slow.unchanged
    return visited(
        state, observation, params, t=keep * state.t + spent, x=keep * state.x + gained, gap=params.min_interval,
        changed=changed, slow_t=keep_slow * state.slow_t + spent, slow_x=keep_slow * state.slow_x + gained,
    )  # fmt: skip


def _list_gap(state: PageState, params: Params, tuning: Tuning) -> float:
    a, days = _list_prior(params, tuning)
    b = days * params.day_s
    fast = (state.x + a) / (state.t + b)
    slow = (state.slow_x + a) / (state.slow_t + b)
    rate = slow * (fast / slow) ** tuning.list_fast_share
    gap: float = params.scale * params.day_s * tuning.list_wait * (rate * params.day_s) ** -tuning.list_power
    return gap


def _list_prior(params: Params, tuning: Tuning) -> tuple[float, float]:
    """Items, and the days in which they are taken as seen, of a list page of which nothing is known."""
    if params.stated_at is None:
        return tuning.list_prior, tuning.list_prior / tuning.list_prior_rate
    rate = (params.initial / (params.day_s * tuning.list_wait)) ** (-1.0 / tuning.list_power)
    # A page stated as slow does not stay so for want of years: its prior weighs no more days than the usual one.
    days = tuning.list_prior / max(rate, tuning.list_prior_rate)
    return rate * days, days


def _near_stated(gap: float, before: PageState | None, after: PageState, params: Params, tuning: Tuning) -> float:
    """The interval drawn towards the stated one, the less the more visits were made since it was stated."""
    if params.stated_at is None:
        return gap
    visits = 0.0
    if before is not None and before.interval > 0.0:
        visits = min(after.fetches - 1.0, max(0.0, after.last_at - params.stated_at) / before.interval)
    share = tuning.stated_visits / (tuning.stated_visits + visits)
    drawn: float = (params.initial * params.scale) ** share * gap ** (1.0 - share)
    return drawn


def _article_gap(state: PageState, params: Params, tuning: Tuning) -> float:
    hour = params.day_s / 24
    age = max(0.0, state.last_at - state.first_at) / hour
    quiet = max(0.0, state.last_at - state.changed_at) / hour
    usual, true = params.own
    factor = usual + true * (own_factor(age, state.slow_x, params.edits, params.steady) - usual)
    worth = tuning.article_worth * params.scale**2
    longest = params.max_interval / hour
    wait = interval(age, quiet, factor, params.edits, params.steady, worth=worth, longest=longest)
    return wait * hour


def _document_gap(state: PageState, params: Params, tuning: Tuning) -> float:
    day = params.day_s
    a = tuning.document_prior
    b = a / (params.prior_rate * day) if params.prior_rate else a * tuning.document_prior_days
    fast = (state.x + a) / (state.t / day + b)
    slow = (state.slow_x + a) / (state.slow_t / day + b)
    rate: float = slow * (fast / slow) ** tuning.document_fast_share
    quiet = (max(0.0, state.last_at - state.changed_at) / day + tuning.document_age_offset) / 30.0
    reach = params.scale * tuning.document_reach
    gap: float = reach * rate**-tuning.document_power * quiet**tuning.document_age_power
    expected = min(gap * rate, 1e3)
    # The exact interval of equal marginal gain, u: 1 - (1 + u) exp(-u) = expected^2 / 2, by its series and beyond.
    slower = gap * (1.0 + tuning.hopeless * (expected / 3 + 0.3 * expected**2 + 0.1 * expected**4))
    longest: float = max(gap, reach * tuning.hopeless_rate**-0.5)
    return day * min(slower, longest)
