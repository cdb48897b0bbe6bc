"""What feeds, sitemaps, list pages and reprints tell of changes of other pages, and what that is worth.

After Busa-Fekete and others, "Optimal crawling under noisy change-indicating signals" (2025), and Kolobov and others,
"Staying up to date with online content changes using reinforcement learning for scheduling" (2019). Of a page's changes
a share is signalled (recall), so without a signal it changes that much more seldom. A signal is true with some
probability (precision), so each one makes it as likely that the page has changed as a long wait does.

Neither is believed before visits have shown it. What counts is not how often a page with a signal had changed, but how
much more often than one without: signals at all times, or at random, say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, NamedTuple

from articlebot.errors import StateError
from articlebot.recrawl.edits import SPANS
from articlebot.recrawl.observation import Kind

VERSION = 1
# The kinds, a bit each in a page's record: the time that a feed or sitemap states of it, its headline on the page that
# names it, its place there, and a near-duplicate of it that changed.
STATED, HEADLINE, PLACE, REPRINT = 1, 2, 4, 8
KINDS = (STATED, HEADLINE, PLACE, REPRINT)
NAMES = {
    STATED: "stated time (updated, lastmod)", HEADLINE: "headline", PLACE: "place on its list page",
    REPRINT: "the text of a reprint",
}  # fmt: skip

# Signals or changes that weigh as much as what is believed beforehand: nothing of all sites, their worth of one site.
_PRIOR = 4.0
# Changes expected without a signal before the visits without one are the measure: where signals are many, few visits
# have none, and these are short ones, which find less than their share.
_EVEN = 20.0
# Of what was counted, so many standard deviations are held against a signal. Beliefs are many (sites, kinds, paces), so
# that of those at two deviations some are chance: noise cost three regimes up to 3.7% (benchmarks.recrawl_signals).
_DOUBT = 3.0
# What is left of a belief that is no stronger than chance makes them is no belief.
_LEAST_RIGHT, _MOST_QUIET = 0.2, 0.9
# What was counted fades by this for each change found or signal seen: sites change their habits.
FADE, FADE_ALL = 0.98, 0.998
# However well a site signals, its pages are looked at this much as often as their own pace asks (squared).
_LEAST_QUIET = 0.1
_SUREST = 0.99
# What is believed is worked out anew after so many visits to a site, or to all.
_TOLD_FOR = 16


class Worth(NamedTuple):
    """What the signals about pages of one kind, site and pace are worth.

    Attributes:
        quiet: by what the rate of changes is to be multiplied while there is no signal, 0 to 1.
        right: probability that a signal tells of a change, by its kind.
    """

    quiet: float = 1.0
    right: tuple[float, ...] = (0.0,) * len(KINDS)


class Heard(NamedTuple):
    """One visit, as the worth of signals is judged by it.

    Attributes:
        kind: of the page.
        place: its pace or age, see ``hearing.place``.
        signals: bits of the signals since the visit before.
        chance: probability of a change without knowing of any signal.
        changed: whether there was one.
    """

    kind: Kind
    place: int
    signals: int
    chance: float
    changed: bool


# By place, of visits without a signal: changes expected and found; of those with one: visits, expected and found.
_ROW = 5
Rows = list[list[float]]


class Record:
    """What was heard about the pages of one site, by kind of page and of signal. Nothing of kinds never heard."""

    def __init__(self) -> None:
        self.rows: dict[tuple[Kind, int], Rows] = {}

    def note(self, heard: Heard, fade: float) -> Record:
        """Counts a visit; the record itself."""
        for signal in KINDS:
            rows = self.rows.get((heard.kind, signal))
            given = bool(heard.signals & signal)
            if rows is None:
                if not given:
                    continue
                rows = self.rows[heard.kind, signal] = [[0.0] * _ROW for _ in range(SPANS)]
            row = rows[heard.place]
            if given or heard.changed:
                row[:] = [fade * value for value in row]
            if given:
                row[2] += 1.0
                row[3] += heard.chance
                row[4] += heard.changed
            else:
                row[0] += heard.chance
                row[1] += heard.changed
        return self

    def to_json(self) -> dict[str, Any]:
        """As JSON, versioned."""
        rows = {
            f"{int(kind)} {signal}": [[float(f"{value:.4g}") for value in row] for row in rows]
            for (kind, signal), rows in self.rows.items()
        }
        return {"version": VERSION, "rows": rows}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Record:
        """The record written by ``to_json``.

        Raises:
            StateError: of another version, or damaged.
        """
        if kept.get("version") != VERSION:
            raise StateError(f"signals of version {kept.get('version')!r}; this articlebot reads {VERSION}")
        record = cls()
        try:
            for name, rows in kept["rows"].items():
                kind, signal = map(int, name.split())
                if signal not in KINDS or [len(row) for row in rows] != [_ROW] * SPANS:
                    raise StateError("signals are damaged")
                record.rows[Kind(kind), signal] = [[float(value) for value in row] for row in rows]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise StateError(f"signals are damaged: {error}") from None
        return record


class Signals:
    """What is known of the signals of all sites; the crawl and the simulator keep one each."""

    def __init__(self) -> None:
        self.all = Record()
        self.sites: dict[str, Record] = {}
        self._told: dict[tuple[str, Kind], tuple[int, tuple[Worth, ...] | None]] = {}
        self._usual: dict[Kind, tuple[int, dict[int, list[Belief]]]] = {}
        self._notes = 0

    def worth(self, site: str, kind: Kind) -> tuple[Worth, ...] | None:
        """What signals about the site's pages of a kind are worth, by place; None where none was ever heard."""
        told = self._told.get((site, kind))
        if told is None or self._notes - told[0] >= _TOLD_FOR:
            told = self._told[site, kind] = self._notes, self._work_out(site, kind)
        return told[1]

    def take(self, site: str | None, record: Record) -> None:
        """Goes by what was counted before, of a site or (None) of all."""
        if site is None:
            self.all = record
        else:
            self.sites[site] = record
        self._told.clear()
        self._usual.clear()

    def note(self, site: str, heard: Heard) -> None:
        """Counts a visit."""
        record = self.sites.get(site)
        if record is None:
            if not heard.signals:
                return
            record = self.sites[site] = Record()
        self._notes += 1
        record.note(heard, FADE)
        self.all.note(heard, FADE_ALL)

    def _work_out(self, site: str, kind: Kind) -> tuple[Worth, ...] | None:
        record = self.sites.get(site)
        known = [signal for signal in KINDS if record is not None and (kind, signal) in record.rows]
        if record is None or not known:
            return None
        usual = self._of_all(kind)
        beliefs = {
            signal: [
                _believed(row, before) for row, before in zip(record.rows[kind, signal], usual[signal], strict=True)
            ]
            for signal in known
        }
        return tuple(_worth({signal: beliefs[signal][place] for signal in known}) for place in range(SPANS))

    def _of_all(self, kind: Kind) -> dict[int, list[Belief]]:
        told = self._usual.get(kind)
        if told is None or self._notes - told[0] >= _TOLD_FOR:
            found = {
                signal: [_believed(row, Belief()) for row in self.all.rows.get((kind, signal), [[0.0] * _ROW] * SPANS)]
                for signal in KINDS
            }
            told = self._usual[kind] = self._notes, found
        return told[1]


class Belief(NamedTuple):
    """Of one kind of signal: as in ``Worth``."""

    quiet: float = 1.0
    right: float = 0.0


def _believed(row: list[float], before: Belief) -> Belief:
    """What the counts of a place say, drawn towards what was believed before and held in doubt.

    Changes are compared with those expected, and visits with a signal with those without: where pages change more than
    their own past says, both do.
    """
    due, found, signalled, due_then, found_then = row
    if found + found_then <= 0.0 or due + due_then <= 0.0:
        return before if not signalled else Belief(before.quiet, before.right * _PRIOR / (_PRIOR + signalled))
    usual = (found + found_then) / (due + due_then)
    without = (found + _PRIOR * usual * before.quiet) / (due + _PRIOR)
    doubt = _DOUBT * sqrt(found + 1.0) / (due + _PRIOR)
    quiet = min(max((without + doubt) / usual, _LEAST_QUIET), 1.0)
    by_chance = min((found + _EVEN * usual) / (due + _EVEN) * due_then, signalled)
    spread = sqrt(max(found_then * (1.0 - found_then / signalled), 0.25)) if signalled else 0.0
    more = found_then - by_chance - _DOUBT * spread + _PRIOR * before.right
    right = more / (signalled - by_chance + _PRIOR)
    return Belief(quiet, min(max(right, 0.0), _SUREST))


def _worth(beliefs: Mapping[int, Belief]) -> Worth:
    """What the kinds of signals are worth together; the silence of one that is no better than chance says nothing."""
    proved = {signal: one for signal, one in beliefs.items() if one.right > _LEAST_RIGHT}
    quiet = min((one.quiet for one in proved.values()), default=1.0)
    return Worth(
        quiet if quiet < _MOST_QUIET else 1.0,
        tuple(proved[signal].right if signal in proved else 0.0 for signal in KINDS),
    )


def tells(worth: tuple[Worth, ...] | None, signals: int) -> bool:
    """Whether any of some signals may move a visit: most never do, and need no further look."""
    return worth is not None and any(
        one.right[number] > 0.0 for one in worth for number, kind in enumerate(KINDS) if signals & kind
    )
