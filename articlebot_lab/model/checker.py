"""Looks at every state that a model can reach, the nearest first."""

from __future__ import annotations

import time
from array import array
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, Protocol, TypeVar

S = TypeVar("S", bound=Hashable)


class Model(Protocol[S]):
    """A model: where it begins, what may happen, and what must hold."""

    def initial(self) -> S:
        """The first state."""

    def actions(self, state: S) -> Iterator[tuple[str, S]]:
        """What may happen next: a name for the trace, and the state after it."""

    def broken(self, state: S) -> str:
        """What is not as it must be, else an empty text."""

    def is_over(self, state: S) -> bool:
        """Whether all work is done."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a check found.

    Args:
        states, steps: how many there are; as far as the search came, where something is wrong.
        depth: how many steps the farthest state is away from the first.
        seconds: that it took.
        wrong: what was found; empty where nothing was.
        trace: the shortest way there, a line for each step.
    """

    states: int
    steps: int
    depth: int
    seconds: float
    wrong: str = ""
    trace: tuple[str, ...] = ()


def check(model: Model[S]) -> Result:
    """Explores a model completely, or until something is wrong; from every state all work can come to its end."""
    return _Search(model).run()


class _Search(Generic[S]):
    """States by number, each with the one that it was first reached from, and all steps between them."""

    def __init__(self, model: Model[S]) -> None:
        self._model, self._began = model, time.monotonic()
        self._states: list[S] = []
        self._numbers: dict[S, int] = {}
        self._reached_from, self._depths = array("l"), array("l")
        self._froms, self._tos = array("l"), array("l")

    def run(self) -> Result:
        wrong = self._add(self._model.initial(), -1)
        number = 0
        while not wrong and number < len(self._states):
            for _, state in self._model.actions(self._states[number]):
                known = self._numbers.get(state)
                if known is None:
                    known = len(self._states)
                    if wrong := self._add(state, number):
                        break
                self._froms.append(number)
                self._tos.append(known)
            number += 1
        if wrong:
            return self._result(wrong, len(self._states) - 1)
        stuck = self._stuck()
        return self._result("the work never comes to its end" if stuck >= 0 else "", stuck)

    def _add(self, state: S, reached_from: int) -> str:
        self._numbers[state] = len(self._states)
        self._states.append(state)
        self._reached_from.append(reached_from)
        self._depths.append(0 if reached_from < 0 else self._depths[reached_from] + 1)
        return self._model.broken(state)

    def _stuck(self) -> int:
        """The first state from which no end can be reached; -1 where there is none."""
        begin, before = self._backwards()
        ends = bytearray(self._model.is_over(state) for state in self._states)
        open_ = [number for number, is_end in enumerate(ends) if is_end]
        while open_:
            number = open_.pop()
            for place in range(begin[number], begin[number + 1]):
                if not ends[other := before[place]]:
                    ends[other] = 1
                    open_.append(other)
        return ends.find(0)

    def _backwards(self) -> tuple[array[int], array[int]]:
        """The steps by the state that they lead to: where those of each begin, and where they come from."""
        begin = array("l", bytes(8 * (len(self._states) + 1)))
        for number in self._tos:
            begin[number + 1] += 1
        for number in range(len(self._states)):
            begin[number + 1] += begin[number]
        place, before = array("l", begin), array("l", bytes(8 * len(self._tos)))
        for origin, number in zip(self._froms, self._tos, strict=True):
            before[place[number]] = origin
            place[number] += 1
        return begin, before

    def _result(self, wrong: str, last: int) -> Result:
        seconds = round(time.monotonic() - self._began, 1)
        trace = tuple(self._way(last)) if wrong else ()
        return Result(len(self._states), len(self._tos), max(self._depths), seconds, wrong, trace)

    def _way(self, last: int) -> Iterator[str]:
        numbers = [last]
        while self._reached_from[numbers[-1]] >= 0:
            numbers.append(self._reached_from[numbers[-1]])
        numbers.reverse()
        yield str(self._states[0])
        for origin, number in pairwise(numbers):
            actions = self._model.actions(self._states[origin])
            name = next(name for name, state in actions if state == self._states[number])
            yield f"{name}: {self._states[number]}"
