"""The model of the protocols: it holds, each fault put in is found, and simulated runs are runs of it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace

import pytest

from articlebot.frontier.scripts import source
from articlebot_lab.model import Outbox, Protocol, check, outbox, protocol
from articlebot_lab.model.rules import LEASED, QUEUED, Rules, Server
from articlebot_lab.model.trace import Follower
from articlebot_lab.simulation import Servers, driver, plan_of, run
from articlebot_lab.simulation.plan import Fault

_STEPS = 200


@pytest.mark.parametrize(("workers", "hosts", "crashes"), [(3, 3, 0), (2, 2, 1), (2, 3, 1)])
def test_the_frontier_keeps_its_promises(workers, hosts, crashes):
    result = check(Protocol(workers, hosts, crashes))
    assert not result.wrong, "\n".join(result.trace)
    assert result.states > 800


@pytest.mark.skipif("ARTICLEBOT_TEST_LONG" not in os.environ, reason="some minutes of one core")
@pytest.mark.timeout(0)
def test_the_frontier_keeps_its_promises_within_the_whole_bound():
    result = check(Protocol(3, 3, 2))
    assert not result.wrong, "\n".join(result.trace)


def test_the_outbox_keeps_its_promises():
    result = check(Outbox(3, 3, 2))
    assert not result.wrong, "\n".join(result.trace)
    assert result.states > 1000


# How many crashes it takes, and so which of them: the least at which it is found.
_FAULTS = {
    "a host is not taken": (0, "count as taken"),
    "a parent is not taken": (0, "count as taken"),
    "a lease is not checked": (1, "count as leased"),
    "words have no number": (1, "beside each other"),
    "a host does not rest": (0, "before its host has rested"),
    "the dead keep their hosts": (1, "count as taken"),
    "the dead keep their pages": (1, "count as leased"),
    "a comparison forgets what was said": (2, "beside each other"),
    "links are marked and not queued": (0, "count as leased"),
    "links are stored after the page is done": (0, "never seen"),
    "done is done after a restart": (1, "never seen"),
    "a worker begins in doubt": (1, "beside each other"),
    "a download outlives its lease": (1, "beside each other"),
}


@pytest.mark.parametrize("fault", protocol.FAULTS)
def test_a_fault_of_the_frontier_is_found(fault):
    crashes, told = _FAULTS[fault]
    # Two crashes and three hosts are many states; the one fault that needs two is found with two hosts.
    result = check(Protocol(2, 3 if crashes < 2 else 2, crashes, faults=[fault]))
    assert told in result.wrong
    assert not crashes or not check(Protocol(2, 2, crashes - 1, faults=[fault])).wrong
    assert len(result.trace) > 1


@pytest.mark.parametrize("fault", outbox.FAULTS)
def test_a_fault_of_the_outbox_is_found(fault):
    assert check(Outbox(2, 2, 1, faults=[fault])).wrong


class _Stuck(Protocol):
    """A worker whose answer is lost waits for it."""

    def _compare(self, state, number, worker):
        return iter(())


def test_work_that_cannot_come_to_its_end_is_found_with_the_shortest_way_there():
    result = check(_Stuck(1, 1, 0))
    assert result.wrong == "the work never comes to its end"
    assert len(result.trace) == 2
    assert "the answer is lost" in result.trace[1]


def test_which_worker_is_which_does_not_count():
    one, three = check(Protocol(1, 1, 0)), check(Protocol(3, 1, 0))
    assert one.states < three.states < 8 * one.states


# -- runs of the simulation -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def servers():
    with Servers() as made:
        yield made


def test_simulated_runs_are_runs_of_the_model(servers):
    for seed in range(25):
        plan = plan_of(seed, _STEPS)
        follower = Follower(plan, servers)
        outcome = run(plan, servers, follower.look)
        assert not outcome.wrong, f"python -m articlebot_lab.model --trace {seed}"
        assert follower.steps > _STEPS / 2


_BY_HAND = {
    "a slot is not freed": ("settle", "set_loose(slot, parent, said_at + number)", "local _ = 0"),
    "what is done stays": ("settle", "redis.call('HDEL', leases, member)", "local _ = 0"),
    "a host is not taken": ("take", "set_running(slot, parent)", "local _ = 0"),
    "a parent is not taken": ("take", "set_running(slot, parent)", "set_running(slot)"),
    "a page of two is lost": ("take", "if not record then return end", "if not record or left == 2 then return end"),
    "the dead keep what they had": ("reap", "put_back(member, id, parent, rank, slot, worker, allowed, reason)", ""),
    "the living are buried": ("reap", "now - tonumber(ARGV[5])", "now - tonumber(ARGV[5]) / 8"),
    "links are marked and not queued": ("admit", "fresh = fresh + 1", "fresh = fresh + 2"),
    "numbers are not kept": ("settle", "if is_heard('said', worker, ARGV[7]) then return {0, {}, 0} end", ""),
}


def _changed(name):
    script, old, new = _BY_HAND[name]
    text = source(script)
    begin = text.index("\n-- ", text.index("local function is_new"))  # of the script's own part
    assert old in text[begin:]
    return text[:begin] + text[begin:].replace(old, new)


def _plans():
    """Plans as drawn and, in turn with them, such that lose answers and fail pages all the time: that a word is heard
    twice and strikes a newer lease takes both close together."""
    for seed in range(30):
        plan, rng = plan_of(seed, _STEPS), random.Random(seed)
        yield plan
        kinds = ("lose answer", "error")
        places = sorted(rng.randrange(_STEPS) for _ in range(60))
        faults = (Fault(number, step, rng.choice(kinds), rng.randrange(12), 0.0) for number, step in enumerate(places))
        yield replace(plan, hosts=2, workers=2, faults=tuple(faults))


@pytest.mark.parametrize("name", _BY_HAND)
def test_a_script_with_a_fault_is_no_run_of_the_model(servers, monkeypatch, name):
    monkeypatch.setattr(driver, "broken", lambda *_: [])  # found by the model alone
    servers.change({_BY_HAND[name][0]: _changed(name)})
    try:
        for plan in _plans():
            if told := [one for one in run(plan, servers, Follower(plan, servers).look).wrong if "of the model" in one]:
                break
        assert told
    finally:
        servers.change({})


# -- the command ------------------------------------------------------------------------------------------------------


def _typed(*words):
    return subprocess.run(
        [sys.executable, "-m", "articlebot_lab.model", *words], capture_output=True, text=True, check=False
    )


def test_the_command_tells_what_it_explored():
    made = _typed("--workers", "2", "--hosts", "2", "--crashes", "1", "--json")
    assert made.returncode == 0
    told = json.loads(made.stdout)
    assert told["frontier"]["wrong"] == told["outbox"]["wrong"] == ""
    assert told["frontier"]["states"] == check(Protocol(2, 2, 1)).states


def test_the_command_prints_the_shortest_way_to_a_fault():
    made = _typed("--workers", "2", "--hosts", "2", "--crashes", "0", "--fault", "a host does not rest")
    assert made.returncode == 1
    assert "begins before its host has rested" in made.stdout
    assert len(made.stdout.splitlines()) < 20


def test_the_command_holds_a_run_to_the_model(tmp_path):
    assert _typed("--trace", "0").returncode == 0
    script = tmp_path / "take.lua"
    script.write_text(_changed("a host is not taken"))
    made = _typed("--trace", "0", "--script", f"take={script}", "--json")
    assert made.returncode == 1
    assert json.loads(made.stdout)["seed"] == 0


def test_an_unknown_fault_is_refused():
    made = _typed("--fault", "nothing")
    assert made.returncode == 2
    assert "one of a host is not taken" in made.stderr


def test_a_page_that_was_said_to_be_done_is_not_taken_anew():
    rules = Rules([(0,)])
    server = Server(QUEUED, "r", ((),), (0,))
    assert rules.compare(server, 0, [0], [0], 0).pages == LEASED
    assert rules.compare(server, 0, [0], [], 0).pages == QUEUED
