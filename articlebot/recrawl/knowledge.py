"""What visits teach about a site: the hours in which it publishes, and how often its pages change."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Any

from articlebot.errors import StateError
from articlebot.recrawl.blend import TAIL, best_power, blended, note
from articlebot.recrawl.edits import due, expected, own_factor, span
from articlebot.recrawl.level import Level, doubt, habits, office_rates, own_worth, steady_edits, week_rates
from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import Params
from articlebot.recrawl.profile import HOURS, Profile
from articlebot.recrawl.state import PageState, among, changes_due

VERSION = 1
# Page-days of a site that weigh as much as all other sites.
_RATE_WEIGHT = 3.0
# Days: longer gaps say nothing about the hour of a list page, and little about the day of a document.
_LONGEST_GAP = {Kind.LIST: 0.5, Kind.DOCUMENT: 4.0}
_HALF_LIFE = 28.0
# Items that say as much of a site's hours as all other sites.
_HOURS_WEIGHT = 30.0
_WEEK_ITEMS = 40.0


class Knowledge:
    """What was learned of the sites of one job, and the parameters that follow from it.

    Args:
        base: the job's parameters; profile and prior are filled in per site and kind.
    """

    def __init__(self, base: Params) -> None:
        self.base = base
        self.levels: dict[tuple[str, Kind], Level] = {}
        self._above: dict[Kind, Level] = {kind: Level() for kind in Kind}
        self._told: dict[tuple[str, Kind], Params] = {}
        self._documents: Profile | None = None
        self._hours: dict[str, Profile] = {}
        self._next_at = 0.0
        self._visits = 0
        self._faded_at: float | None = None
        self._stated: tuple[float, float] | None = None

    def params(self, site: str, kind: Kind, now: float) -> Params:
        """The parameters for a page; worked out anew every two hours."""
        # The sums over all sites are worth their cost only after about as many visits as there are sites.
        late = now >= self._next_at and self._visits >= len(self.levels)
        if late or now < self._next_at - self.base.day_s / 12:
            self._refresh(now)
        found = self._told.get((site, kind))
        if found is None:
            found = self._told[site, kind] = self._work_out(site, kind)
        return found

    def rebase(self, base: Params) -> None:
        """Takes other job parameters, such as another scale, and keeps what was learned."""
        if base != self.base:
            self.base = base
            self._told.clear()

    def stated_since(self, interval: float, now: float) -> float:
        """Since when the job states this interval, epoch seconds; one that differs from the last counts from now."""
        if self._stated is None or self._stated[0] != interval:
            self._stated = interval, now
        return self._stated[1]

    def observe(self, site: str, state: PageState | None, observation: Observation, after: PageState) -> None:
        """Counts a visit.

        Args:
            state: the page's state before the visit.
            after: and after it.
        """
        kind, day = observation.kind, self.base.day_s
        least = 1 if kind is Kind.ARTICLE else 2
        if state is None or state.fetches < least or observation.outcome in ("failed", "gone"):
            return
        self._visits += 1
        days = (observation.at - state.last_at) / day
        if days <= 0.0:
            return
        level = self.levels.get((site, kind))
        if level is None:
            level = self.levels[site, kind] = Level()
        if kind is Kind.ARTICLE:
            # Their intervals grow with age by more than any bound on a ratio allows: they are left as they are.
            self._count_edits(level, site, state, observation, after)
        else:
            self._count_costs(level, site, state, observation)
            weight = min(days, 7.0)
            level.log_rate += weight * log((after.slow_x + 0.3) / (after.slow_t / day + 0.3))
            level.rate_days += weight
        if kind is not Kind.ARTICLE and days <= _LONGEST_GAP[kind]:
            self._count_hours(level, site, state, observation)

    def to_json(self) -> dict[str, Any]:
        """Everything learned, versioned."""
        return {
            "version": VERSION,
            "faded_at": self._faded_at,
            "stated": self._stated,
            "levels": [[site, int(kind), level.to_json()] for (site, kind), level in self.levels.items()],
        }

    def load(self, kept: Mapping[str, Any]) -> None:
        """Takes over what ``to_json`` gave.

        Raises:
            StateError: of another version, or damaged.
        """
        if kept.get("version") != VERSION:
            raise StateError(f"site profiles of version {kept.get('version')!r}; this articlebot reads {VERSION}")
        try:
            self.levels = {(site, Kind(kind)): Level.from_json(level) for site, kind, level in kept["levels"]}
            self._faded_at = kept["faded_at"]
            interval, since = kept.get("stated") or (0.0, 0.0)
            self._stated = (float(interval), float(since)) if interval else None
        except (KeyError, TypeError, ValueError) as error:
            raise StateError(f"site profiles are damaged: {error}") from None
        self._next_at = 0.0
        self._visits = len(self.levels)

    def _refresh(self, now: float) -> None:
        day = self.base.day_s
        self._told.clear()
        self._documents = None
        self._hours.clear()
        self._next_at = now + day / 12
        self._visits = 0
        if self._faded_at is None or now < self._faded_at:
            self._faded_at = now
        elif now - self._faded_at > day:
            keep = 0.5 ** ((now - self._faded_at) / day / _HALF_LIFE)
            self._faded_at = now
            for level in self.levels.values():
                level.fade(keep)
        self._above = {kind: Level() for kind in Kind}
        for (_, kind), level in self.levels.items():
            self._above[kind].add(level)

    def _work_out(self, site: str, kind: Kind) -> Params:
        above, level = self._above[kind], self.levels.get((site, kind), Level())
        params = self.base
        if kind is Kind.LIST and sum(above.hour_items) > 0.0:
            params = params._replace(profile=self._profile(site, above, level))
        if kind is Kind.DOCUMENT:
            params = params._replace(profile=self._week(above))
        if kind is Kind.ARTICLE:
            params = params._replace(
                edits=habits(above, level), steady=steady_edits(above, level), own=own_worth(above)
            )
        else:
            params = params._replace(blend=blended(above.costs, lists=kind is Kind.LIST))
        if above.rate_days >= 1.0:
            mean = above.log_rate / above.rate_days
            mean = (level.log_rate + _RATE_WEIGHT * mean) / (level.rate_days + _RATE_WEIGHT)
            params = params._replace(prior_rate=exp(mean) / params.day_s)
        return params

    def _profile(self, site: str, above: Level, level: Level) -> Profile | None:
        """The site's hours, as far as they have told when the next items came."""
        rates = week_rates(above, level)
        self._hours[site] = profile = Profile(rates, self.base.day_s, self.base.utcoffset)
        sums = above.hour_costs
        if level is not above:
            share = _HOURS_WEIGHT / (_HOURS_WEIGHT + sums[0])
            sums = [own + share * usual for own, usual in zip(level.hour_costs, sums, strict=True)]
        power = best_power(sums, tail=TAIL)
        if power == 1.0:
            return profile
        return Profile([rate**power for rate in rates], self.base.day_s, self.base.utcoffset) if power else None

    def _week(self, above: Level) -> Profile:
        """The working week of documents, one for all sites: a site's own are too few to show theirs."""
        if self._documents is None:
            rates = office_rates(above)
            self._hours[""] = Profile(rates, self.base.day_s, self.base.utcoffset)
            power = best_power(above.hour_costs, prior=_WEEK_ITEMS)
            self._documents = Profile([rate**power for rate in rates], self.base.day_s, self.base.utcoffset)
        return self._documents

    def _count_costs(self, level: Level, site: str, state: PageState, observation: Observation) -> None:
        kind, seconds, own = observation.kind, observation.at - state.last_at, state.interval
        if own <= 0.0:
            return
        items = float(observation.new_items) if observation.outcome == "changed" else 0.0
        level.costs[9] += seconds * self.base.scale / own
        told = self._told.get((site, kind))
        if told is not None and told.blend is not None:
            even = 0.0
            if kind is Kind.DOCUMENT:
                items, even = self._weighed(level, state, seconds, items, told.blend.even * self.base.scale)
            elif kind is Kind.LIST:
                items = min(items, told.blend.most_items(self.base.scale))
            note(level.costs, told.blend.ratio(own, self.base.scale), items, seconds, even)
        elif told is not None:
            note(level.costs, 1.0, 0.0, seconds)
        if kind is Kind.LIST and (profile := self._hours.get(site)) is not None:
            pace = profile.pace(state.last_at, observation.at)
            if pace > 0.0:
                note(level.hour_costs, seconds / pace, items, seconds)
        elif kind is Kind.DOCUMENT and (profile := self._hours.get("")) is not None:
            work = profile.work(state.last_at, observation.at)
            # Where several changes are due in a visit's time, finding one says nothing of the day.
            weight = 1.0 / (1.0 + changes_due(state, seconds)) ** 2
            note(level.hour_costs, seconds / work, weight * min(items, 1.0), weight * seconds)

    def _weighed(
        self, level: Level, state: PageState, seconds: float, items: float, interval: float
    ) -> tuple[float, float]:
        """Changes that a visit to a document counts for, and those due in an even interval, as ``note`` takes them."""
        awaited = changes_due(state, seconds)
        if awaited > 1.0:
            level.quiet[0] += exp(-awaited)
            level.quiet[1] += not items
        if not items:
            return 0.0, 0.0
        doubted = max(1.0, awaited) ** doubt(self._above[Kind.DOCUMENT])
        return among(awaited), doubted * awaited / seconds * interval

    def _count_edits(
        self, level: Level, site: str, state: PageState, observation: Observation, after: PageState
    ) -> None:
        hour, born = self.base.day_s / 24, after.first_at
        age, quiet = max(0.0, state.last_at - born) / hour, max(0.0, state.last_at - state.changed_at) / hour
        hours = (observation.at - state.last_at) / hour
        even = expected(age, quiet, hours)
        level.edits_expected = [a + b for a, b in zip(level.edits_expected, even, strict=True)]
        changed = observation.outcome == "changed"
        if changed:
            level.edits_seen[span(max(0.0, after.changed_at - born) / hour)] += 1.0
        told = self._told.get((site, Kind.ARTICLE))
        if told is not None:
            by_age = sum(habit * number for habit, number in zip(told.edits, even, strict=True))
            better = (
                _told_by(told.steady.rate * hours, changed) - _told_by(by_age, changed) if told.steady.rate else 0.0
            )
            level.steady = [a + b for a, b in zip(level.steady, (hours, float(changed), better), strict=True)]
            awaited = due(age, quiet, hours, told.edits, told.steady)
            chance, own = 1.0 - exp(-awaited), own_factor(age, state.slow_x, told.edits, told.steady)
            sums = chance, chance * own, chance * own * own, own * changed, 1.0 * changed
            level.own = [a + b for a, b in zip(level.own, sums, strict=True)]

    def _count_hours(self, level: Level, site: str, state: PageState, observation: Observation) -> None:
        day, offset = self.base.day_s, self.base.utcoffset
        told = self._told.get((site, observation.kind))
        profile = told.profile if told is not None else None
        start, end = state.last_at, observation.at
        gained = float(observation.new_items) if observation.outcome == "changed" else 0.0
        if told is not None and told.blend is not None:
            gained = min(gained, told.blend.most_items(self.base.scale))
        rate = (state.x + 0.3) / (state.t + 0.3 * day)
        work = profile.work(start, end) if profile is not None else end - start
        # The hour of a document's change is not asked for: whole days save the steps.
        hour_s, step = day / 24, 1 if observation.kind is Kind.LIST else 24
        at, end = start + offset, end + offset
        while at < end:
            hour = int(at / hour_s)
            until = min((hour // step + 1) * step * hour_s, end)
            if until <= at:
                break
            share = (until - at) * (profile.rates[hour % HOURS] if profile is not None else 1.0) / work
            expected = rate * (until - at)
            level.hour_items[hour % 24] += gained * share
            level.hour_expected[hour % 24] += expected
            level.day_items[hour // 24 % 7] += gained * share
            level.day_expected[hour // 24 % 7] += expected
            at = until


def _told_by(due: float, changed: bool) -> float:
    """Log-likelihood of what a visit found where so many changes were due."""
    return log(max(1.0 - exp(-due), 1e-6)) if changed else -due
