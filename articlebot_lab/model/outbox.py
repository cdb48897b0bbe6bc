"""The outbox: versions that are written with their deliveries, and sinks that get each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

FAULTS = (
    "a version is written without its delivery", "a delivery is done before the sink is called",
    "a lease is not asked for", "an attempt has a key of its own", "a later version does not wait",
)  # fmt: skip

# Of a version: not written, waiting, delivered.
_NEW, _WAITS, _GONE = "nwg"


class Deliverer(NamedTuple):
    """A process that delivers.

    Attributes:
        mode: up, frozen or dead.
        version: that it has in hand, -1 for none.
        called: whether the sink has it.
        late: it has been frozen since it claimed that: its lease may be over.
    """

    mode: str = "up"
    version: int = -1
    called: bool = False
    late: bool = False


class State(NamedTuple):
    """All of it.

    Attributes:
        versions: a letter for each.
        got: how often each has had an effect at the sink.
        order: the versions in the order of their effects.
        owner: the deliverer that has the lease of the sink, -1 for none.
        crashes: how many more there may be.
    """

    versions: str
    got: tuple[int, ...]
    order: tuple[int, ...]
    deliverers: tuple[Deliverer, ...]
    owner: int
    crashes: int


class Outbox:
    """One article's versions, one sink that knows a delivery by its key, and some processes.

    Args:
        workers, versions: how many.
        crashes: how often a process dies, or is frozen beyond its lease.
        faults: what is done wrong, out of ``FAULTS``.
    """

    def __init__(self, workers: int = 3, versions: int = 3, crashes: int = 2, faults: Collection[str] = ()) -> None:
        self._workers, self._versions, self._crashes, self._faults = workers, versions, crashes, frozenset(faults)

    def initial(self) -> State:
        return State(
            _NEW * self._versions, (0,) * self._versions, (), (Deliverer(),) * self._workers, -1, self._crashes
        )

    def is_over(self, state: State) -> bool:
        return state.versions == _GONE * self._versions or all(one.mode == "dead" for one in state.deliverers)

    def broken(self, state: State) -> str:
        for version, letter in enumerate(state.versions):
            if letter == _GONE and not state.got[version]:
                return f"version {version} is gone from the outbox, and the sink never got it"
            if state.got[version] > 1:
                return f"version {version} had an effect {state.got[version]} times"
        if sum(one.version >= 0 and one.mode == "up" and not one.late for one in state.deliverers) > 1:
            return "two processes serve one sink"
        return "" if list(state.order) == sorted(state.order) else f"the sink got versions in the order {state.order}"

    def actions(self, state: State) -> Iterator[tuple[str, State]]:
        if (version := state.versions.find(_NEW)) >= 0:
            # One transaction: a crash leaves both or none, and the page is fetched again.
            yield f"version {version} is written", self._put(state, version, _WAITS)
            if "a version is written without its delivery" in self._faults and state.crashes:
                yield f"a crash after version {version}", self._put(state, version, _GONE)
        for number, one in enumerate(state.deliverers):
            if one.mode == "up":
                yield from self._deliver(state, number, one)
            elif one.mode == "frozen":
                yield f"{number} goes on", _with(state, number, one._replace(mode="up", late=one.version >= 0))
            if one.mode != "dead" and state.crashes:
                less = state._replace(crashes=state.crashes - 1)
                yield f"{number} dies", _with(less, number, Deliverer("dead"))
                yield f"{number} is frozen", _with(less, number, one._replace(mode="frozen"))
        if state.owner >= 0 and state.deliverers[state.owner].mode != "up":
            yield f"the lease of {state.owner} is over", state._replace(owner=-1)

    def _deliver(self, state: State, number: int, one: Deliverer) -> Iterator[tuple[str, State]]:
        if one.version < 0:
            yield from self._claim(state, number)
        elif not one.called:
            after = _with(state, number, one._replace(called=True))
            # A call that fails half-way may have had its effect: then all is as before, save for the sink.
            took = self._effect(after, one.version)
            yield f"{number} gives version {one.version} to the sink", took
            yield f"{number} gives version {one.version} to the sink, and hears an error", _idle(took, number)
        else:
            # By the number of the row, whoever has the lease by now.
            done = self._put(state, one.version, _GONE)
            yield f"{number} marks version {one.version} as delivered", _idle(done, number)

    def _claim(self, state: State, number: int) -> Iterator[tuple[str, State]]:
        may = state.owner in (-1, number) or "a lease is not asked for" in self._faults
        waiting = [version for version, letter in enumerate(state.versions) if letter == _WAITS]
        any_order = "a later version does not wait" in self._faults
        for version in (waiting if any_order else waiting[:1]) if may else ():
            after = _with(state._replace(owner=number), number, Deliverer("up", version))
            early = "a delivery is done before the sink is called" in self._faults
            yield f"{number} claims version {version}", self._put(after, version, _GONE) if early else after

    def _effect(self, state: State, version: int) -> State:
        if state.got[version] and "an attempt has a key of its own" not in self._faults:
            return state  # the sink knows the key
        got = (*state.got[:version], state.got[version] + 1, *state.got[version + 1 :])
        return state._replace(got=got, order=(*state.order, version))

    def _put(self, state: State, version: int, letter: str) -> State:
        return state._replace(versions=state.versions[:version] + letter + state.versions[version + 1 :])


def _with(state: State, number: int, one: Deliverer) -> State:
    return state._replace(deliverers=(*state.deliverers[:number], one, *state.deliverers[number + 1 :]))


def _idle(state: State, number: int) -> State:
    """With a deliverer that has nothing in hand; the lease is given back where it is still its own."""
    state = _with(state, number, Deliverer())
    return state._replace(owner=-1) if state.owner == number else state
