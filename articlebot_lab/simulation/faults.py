"""What goes wrong in a schedule, fault by fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from articlebot_lab.simulation.clock import EPOCH
from articlebot_lab.simulation.plan import Fault
from articlebot_lab.simulation.worker import JOBS

if TYPE_CHECKING:
    from articlebot_lab.simulation.driver import World
    from articlebot_lab.simulation.worker import Worker


def strike(world: World, fault: Fault) -> None:
    """Lets a fault happen."""
    world.say(f"fault {fault}")
    _KINDS[fault.kind](world, fault)


def _worker(world: World, fault: Fault) -> Worker | None:
    there = [one for one in world.workers if not one.left]
    return there[fault.who % len(there)] if there else None


def _of_the_network(world: World, fault: Fault) -> None:
    if (worker := _worker(world, fault)) is not None:
        world.network.strike(worker, fault)


def _kill(world: World, fault: Fault) -> None:
    if (worker := _worker(world, fault)) is not None:
        world.gone(worker)
        world.later(fault.seconds, world.start)


def _leave(world: World, fault: Fault) -> None:
    if (worker := _worker(world, fault)) is not None:
        worker.leave()
        world.later(fault.seconds, world.start)


def _freeze(world: World, fault: Fault) -> None:
    if (worker := _worker(world, fault)) is not None:
        worker.frozen_until = max(worker.frozen_until, world.clock.now + fault.seconds)
        world.later(worker.frozen_until - world.clock.now, lambda: world.thaw(worker, bool(fault.who % 2)))


def _cut_off(world: World, fault: Fault) -> None:
    if (worker := _worker(world, fault)) is not None:
        worker.partitioned_until = world.clock.now + fault.seconds


def _partition(world: World, fault: Fault) -> None:
    for worker in world.workers:
        worker.partitioned_until = world.clock.now + fault.seconds


def _redis_dies(world: World, fault: Fault) -> None:
    _restart(world, fault)
    world.down_until = world.clock.now + fault.who / 12 * world.plan.lease_s * 1.5


def _restart(world: World, fault: Fault) -> None:
    if not world.servers.can_restart:
        return
    at = EPOCH + world.clock.now + world.skew - fault.seconds
    # What came at this very moment is on disk: only what is newer than so many seconds is lost.
    keep = sum(1 for entry in world.servers.log if entry.at <= at)
    lost = world.servers.restart(keep)
    world.say(f"Redis comes back without {len(lost)} commands")
    world.network.reset()
    world.book.forgotten(lost, keep, fault.seconds)
    if world.clock.now < world.full_until:
        world.servers.fill(True)


def _clock(world: World, fault: Fault) -> None:
    world.skew += fault.seconds
    world.book.clock_jumps(world.clock.now)


def _full(world: World, fault: Fault) -> None:
    def over() -> None:
        if world.clock.now >= world.full_until:
            world.servers.fill(False)

    world.full_until = world.clock.now + fault.seconds
    world.servers.fill(True)
    world.later(fault.seconds, over)


def _jobs(world: World, fault: Fault) -> None:
    if (worker := _worker(world, fault)) is not None:
        worker.follow([JOBS[fault.who % 2]])
        world.later(fault.seconds, lambda: None if worker.loop.dead else worker.follow(JOBS))


def _host(of: str) -> Callable[[World, Fault], None]:
    def do(world: World, fault: Fault) -> None:
        hosts: dict[str, float] = getattr(world.site, of)
        hosts[f"h{fault.who % world.plan.hosts}.test"] = world.clock.now + fault.seconds

    return do


def _error(world: World, fault: Fault) -> None:
    world.errors += 1 + fault.who % 4


_KINDS: dict[str, Callable[[World, Fault], None]] = {
    "lose call": _of_the_network, "lose answer": _of_the_network, "late call": _of_the_network,
    "late answer": _of_the_network, "kill": _kill, "freeze": _freeze, "leave": _leave, "redis dies": _redis_dies,
    "fail over": _restart, "partition": _partition, "cut off": _cut_off, "clock": _clock, "full": _full, "jobs": _jobs,
    "silent host": _host("silent"), "refusing host": _host("refusing"), "slow host": _host("slow"), "error": _error,
}  # fmt: skip
