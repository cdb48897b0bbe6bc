"""Deterministic simulation of the frontier: real workers, real scripts, a real Redis, and a time that a seed decides.

``run`` plays one schedule, ``shrink`` makes one that fails as short as it gets; ``python -m articlebot_lab.simulation``
does both.
"""

from articlebot_lab.simulation.driver import Outcome, run
from articlebot_lab.simulation.plan import Plan, plan_of
from articlebot_lab.simulation.servers import Servers
from articlebot_lab.simulation.shrink import shrink

__all__ = ["Outcome", "Plan", "Servers", "plan_of", "run", "shrink"]
