from __future__ import annotations

import asyncio
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from articlebot.jobs.assignment import Assignment, Placed, plan

servers = st.sampled_from(["s1", "s2", "s3", "s4"])
job_names = st.integers(0, 30).map(lambda n: f"job{n}")


def site(job: str) -> str:
    return f"site{int(job[3:]) % 7}.test"


offers_of_all = st.dictionaries(
    servers, st.sets(job_names).map(lambda jobs: {job: site(job) for job in jobs}), min_size=1
)
placements = st.dictionaries(job_names, servers).map(
    lambda placed: {job: Placed(server, site(job), 1.0, "before") for job, server in placed.items()}
)


@given(placed=placements, offers=offers_of_all, data=st.data())
def test_every_known_job_is_on_a_live_server_that_knows_it_and_stays(placed, offers, data):
    joined = data.draw(st.sets(st.sampled_from(sorted(offers))))
    wanted = plan(placed, offers, joined, 2.0)
    assert wanted.keys() == {job for offer in offers.values() for job in offer}
    assert all(job in offers[place.server] for job, place in wanted.items())
    assert plan(wanted, offers, (), 3.0) == wanted
    if not joined:
        for job, place in placed.items():
            if job in offers.get(place.server, {}):
                assert wanted[job] == place


@given(number=st.integers(1, 60), among=st.integers(1, 6))
def test_new_jobs_are_spread_evenly_and_sites_apart(number, among):
    jobs = {f"job{n}": f"site{n // among}.test" for n in range(number)}
    wanted = plan({}, {f"s{n}": jobs for n in range(among)}, (), 1.0)
    pairs = Counter((place.server, place.site) for place in wanted.values())
    assert max(pairs.values()) == 1
    load = Counter(place.server for place in wanted.values())
    assert max(load.values()) - min(load[f"s{n}"] for n in range(among)) <= 1 + number // among


@given(number=st.integers(2, 40))
def test_who_joins_gets_a_share_and_no_more(number):
    jobs = {f"job{n}": f"site{n}.test" for n in range(number)}
    alone = plan({}, {"s1": jobs}, ("s1",), 1.0)
    both = plan(alone, {"s1": jobs, "s2": jobs}, ("s2",), 2.0)
    load = Counter(place.server for place in both.values())
    assert load["s2"] == number // 2
    moved = [job for job in jobs if both[job] != alone[job]]
    assert len(moved) == number // 2


async def test_a_run_gets_only_jobs_that_no_worker_for_ever_knows(client):
    assignment, jobs = Assignment(client), {"job1": "a.test", "job2": "b.test"}
    assert await assignment.mine("run", jobs, 1.0, passes=True) == frozenset(jobs)
    assert await assignment.mine("worker", {"job1": "a.test"}, 2.0) == {"job1"}
    assert await assignment.mine("run", jobs, 3.0, passes=True) == {"job2"}
    assert {row.job: row.reason for row in await assignment.table(3.0)}["job1"].startswith("run ends soon")
    await assignment.leave("run")
    await assignment.mine("worker", jobs, 4.0)
    assert await assignment.mine("run", jobs, 5.0, passes=True) == frozenset()
    await assignment.leave("worker")
    assert await assignment.mine("run", jobs, 6.0, passes=True) == frozenset(jobs)
    # Under the name of a run that has ended a worker may begin.
    assert len(await assignment.mine("worker", jobs, 7.0)) == 2
    await assignment.leave("run")
    assert len(await assignment.mine("run", jobs, 8.0)) == 1


async def test_a_dead_servers_jobs_move_and_return_with_it(client):
    assignment = Assignment(client, silence_s=30)
    jobs = {f"job{n}": f"site{n}.test" for n in range(6)}
    assert await assignment.mine("s1", jobs, 100.0) == frozenset(jobs)
    second = await assignment.mine("s2", jobs, 101.0)
    assert len(second) == 3
    first = await assignment.mine("s1", jobs, 110.0)
    assert first == frozenset(jobs) - second
    # s2 is silent for more than 30 s
    assert await assignment.mine("s1", jobs, 135.0) == frozenset(jobs)
    moved = {row.job: row for row in await assignment.table(135.0) if row.job in second}
    assert all(row.reason.startswith("s2 is gone") and row.alive for row in moved.values())
    assert await assignment.mine("s2", jobs, 150.0) == second
    assert {row.reason for row in await assignment.table(150.0) if row.server == "s2"} == {"s2 is back"}


async def test_a_server_that_leaves_hands_over_at_once(client):
    assignment = Assignment(client)
    jobs = {"job1": "a.test", "job2": "b.test"}
    await assignment.mine("s1", jobs, 1.0)
    await assignment.mine("s2", jobs, 1.0)
    await assignment.leave("s1")
    assert await assignment.mine("s2", jobs, 2.0) == frozenset(jobs)


async def test_servers_that_start_at_once_never_share_a_job(client):
    jobs = {f"job{n}": f"site{n}.test" for n in range(20)}
    assignments = [Assignment(client) for _ in range(5)]
    for at in range(3):
        owned = await asyncio.gather(*(one.mine(f"s{n}", jobs, 1.0 + at) for n, one in enumerate(assignments)))
    assert sorted(job for names in owned for job in names) == sorted(jobs)
    assert {len(names) for names in owned} == {4}


async def test_a_job_removed_from_the_files_is_forgotten(client):
    assignment = Assignment(client)
    await assignment.mine("s1", {"job1": "a.test", "job2": "b.test"}, 1.0)
    assert await assignment.mine("s1", {"job2": "b.test"}, 2.0) == {"job2"}
    assert [row.job for row in await assignment.table(2.0)] == ["job2"]
