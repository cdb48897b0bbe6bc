"""What a policy is told besides state and observation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from articlebot.recrawl.blend import Blend
from articlebot.recrawl.edits import NEVER, SPANS, Steady

if TYPE_CHECKING:
    from articlebot.recrawl.profile import Profile
    from articlebot.recrawl.signals import Worth

DAY = 86400.0


class Params(NamedTuple):
    """The numbers of one job and site, handed to every policy.

    Attributes:
        initial: interval of a page of which nothing is known yet, seconds.
        stated_at: since when the job states ``initial`` (or it was learned for the job), epoch seconds. A policy with a
            prior of its own begins with ``initial`` and moves away as later visits show otherwise. None: nobody has
            stated it, and such a policy follows its own prior.
        min_interval: no page is visited more often, seconds.
        max_interval: the stated maximum: whatever a policy wants, each page is visited again within this, seconds.
        scale: the one knob: every interval is multiplied by it (the budget controller turns it). Bounds are not.
        weight: importance of the page; its interval is divided by the square root.
        rule, threshold: what counts as a change, see ``is_change``.
        day_s: length of a day in seconds; shorter where time is simulated. Constants that mean hours follow it.
        utcoffset: what to add to epoch seconds so that a day begins at local midnight, seconds.
        profile: when in the week the site publishes, None where not learned.
        prior_rate: changes per second that pages of this kind show on this site, 0 where not learned.
        edits: how many edits the site's articles show for each that is expected, by span of age (``edits.AGES``).
        steady: how likely it is that they are edited at one rate instead, and that rate.
        own: mean of what the articles' own edits say of their next ones, and how much of its spread is true, 0 to 1.
        blend: how far pages' own intervals count against an even one, None where not learned.
        heard: what signals of a change are worth, by place (``hearing.place``); None where there are none.
    """

    initial: float = DAY / 24
    min_interval: float = 60.0
    max_interval: float = 30 * DAY
    scale: float = 1.0
    weight: float = 1.0
    rule: Literal["exact", "simhash"] = "exact"
    threshold: int = 5
    day_s: float = DAY
    utcoffset: float = 0.0
    profile: Profile | None = None
    prior_rate: float = 0.0
    edits: tuple[float, ...] = (1.0,) * SPANS
    steady: Steady = NEVER
    own: tuple[float, float] = (1.0, 1.0)
    blend: Blend | None = None
    stated_at: float | None = None
    heard: tuple[Worth, ...] | None = None

    def clamp(self, interval: float) -> float:
        """The interval within the bounds; the maximum where it is not a number."""
        if math.isnan(interval):
            return self.max_interval
        return max(self.min_interval, min(interval, self.max_interval))
