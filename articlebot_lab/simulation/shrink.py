"""Makes a schedule that fails as short as it gets, by playing it with less."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from articlebot_lab.simulation.plan import Plan


def shrink(plan: Plan, fails: Callable[[Plan], bool]) -> Plan:
    """The plan with the fewest faults, workers and steps that still fails.

    Args:
        fails: plays a plan.
    """
    plan = _fewer_faults(plan, fails)
    for workers in range(1, plan.workers):
        if fails(less := replace(plan, workers=workers)):
            plan = less
            break
    low, high = 1, plan.steps
    while low < high:  # halving finds one that fails, if not always the very shortest
        middle = (low + high) // 2
        if fails(replace(plan, steps=middle)):
            high = middle
        else:
            low = middle + 1
    plan = replace(plan, steps=high) if fails(replace(plan, steps=high)) else plan
    return _fewer_faults(plan, fails)


def _fewer_faults(plan: Plan, fails: Callable[[Plan], bool]) -> Plan:
    size = max(1, len(plan.faults) // 2)
    while plan.faults:
        numbers = [one.number for one in plan.faults]
        for i in range(0, len(numbers), size):
            less = plan.keeping(set(numbers) - set(numbers[i : i + size]))
            if fails(less):
                plan = less
                break
        else:
            if size == 1:
                break
            size //= 2
        size = min(size, max(1, len(plan.faults)))
    return plan
