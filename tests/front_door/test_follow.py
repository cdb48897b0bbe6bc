"""The job folder is followed: what is written into it while two workers run takes effect within ten seconds."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.front_door.door import Door
from tests.front_door.site import SmallSite, article, front, news

# Seconds; as many visits of a list page that the workers visit each second, so that a machine which holds them up holds
# up this clock too.
PROMISED = 10


class Clock(SmallSite):
    """A site whose list page is due each second, and never sooner."""

    def ticks(self) -> int:
        return len(self.hits_of("/"))

    def wait(self, until: int) -> None:
        soon(lambda: self.ticks() >= until)


class Worker:
    """A crawl for ever in a process of its own, whose log is read while it runs."""

    def __init__(self, door: Door) -> None:
        self.process = door.begin("crawl", "article", "-a", f"jobs={door.folder / 'jobs'}")
        self.lines: list[str] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.lines.extend(self.process.stderr)

    def says(self, *words: str) -> int:
        """How many lines of its log have all the words."""
        return sum(all(word in line for word in words) for line in list(self.lines))

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(300)
        self.reader.join(10)
        return code


@contextmanager
def workers(door: Door, number: int) -> Iterator[list[Worker]]:
    running = [Worker(door) for _ in range(number)]
    try:
        yield running
    finally:
        for one in running:
            if one.process.poll() is None:
                one.process.kill()
                one.process.wait()
            one.reader.join(10)
            for stream in (one.process.stdout, one.process.stderr):
                assert stream is not None
                stream.close()


def soon(what: Callable[[], Any], said: Callable[[], str] = str) -> None:
    """Returns when something holds."""
    begun = asked = time.monotonic()
    while not what():
        assert time.monotonic() - begun < 300, said()
        time.sleep(max(0.05, 2 * (time.monotonic() - asked)))  # some ask by typing a command
        asked = time.monotonic()


def queued(door: Door, site: SmallSite) -> int:
    """How many requests for a site wait."""
    slots = door.json("frontier", "show")["longest"]
    return sum(int(slot["queued"]) for slot in slots if slot["name"] == site.url.removeprefix("http://"))


QUICK = """
[group.quick]
interval = "2s"
min_interval = "1s"
max_interval = "2s"
recrawl_articles = false

[group.clock]
interval = "1s"
min_interval = "1s"
max_interval = "1s"
recrawl_articles = false

[group.slow]
interval = "1h"
recrawl_articles = false
delay = "3s"
"""
SITE = '[[site]]\nname = "{name}"\ngroup = "{group}"\nlist_pages = ["{url}"]\n'


def test_the_folder_is_followed_by_all_workers(door: Door) -> None:
    alpha, beta, gamma = (SmallSite(news(n, prefix=name)) for n, name in ((2, "Alpha"), (2, "Beta"), (40, "Gamma")))
    with alpha, beta, gamma, Clock(news(1, prefix="Clock")) as clock:
        alpha.pages["/sport"] = front({})
        alpha.pages["/2026/11/21/late-match.html"] = article("A late match on the harbour field")
        door.file("jobs/groups.toml", QUICK)
        door.file("jobs/clock.toml", SITE.format(name="clock", group="clock", url=f"{clock.url}/"))
        door.file("jobs/alpha.toml", SITE.format(name="alpha", group="quick", url=f"{alpha.url}/"))
        with workers(door, 2) as both:
            _run(door, both, alpha, beta, gamma, clock)
        _stopped(door, alpha, beta, gamma)


def _run(
    door: Door, both: list[Worker], alpha: SmallSite, beta: SmallSite, gamma: SmallSite, clock: Clock
) -> None:  # fmt: skip
    def log() -> str:
        return "\n".join("".join(one.lines)[-3000:] for one in both)

    def in_time(what: Callable[[], Any], begun: int) -> None:
        soon(what, log)
        assert clock.ticks() - begun < PROMISED, log()

    def all_say(*words: str) -> None:
        in_time(lambda: all(one.says(*words) for one in both), clock.ticks())

    soon(lambda: all(one.says("Following 2 sites") for one in both) and len(alpha.hits_of("/")) > 2, log)

    # Added.
    in_beta = SITE.format(name="beta", group="quick", url=f"{beta.url}/")
    begun = clock.ticks()
    door.file("jobs/beta.toml", in_beta)
    in_time(lambda: beta.hits_of("/"), begun)
    all_say("followed: beta")

    # One changed, one broken, one added, all at once.
    begun = clock.ticks()
    door.file(
        "jobs/alpha.toml", SITE.format(name="alpha", group="quick", url=f"{alpha.url}/sport") + 'category = "x"\n'
    )
    door.file("jobs/beta.toml", in_beta + 'intervall = "2s"\n')
    door.file("jobs/gamma.toml", SITE.format(name="gamma", group="slow", url=f"{gamma.url}/"))
    in_time(lambda: alpha.hits_of("/sport") and gamma.hits_of("/"), begun)
    all_say("followed: gamma", "changed: alpha")
    # Fetched by none who has not seen that the job names its class now.
    alpha.pages["/sport"] = front({"/2026/11/21/late-match.html": "A late match on the harbour field"})
    soon(lambda: alpha.hits_of("/2026/11/21/late-match.html"), log)
    all_say("ERROR", "beta.toml:5: site[0].intervall: unknown key", "stays in force")
    clock.wait(begun + PROMISED)
    changed = time.monotonic()
    seen = len(beta.hits_of("/"))
    soon(lambda: len(beta.hits_of("/")) > seen + 1, log)
    assert not [at for at in alpha.hits_of("/") if at > changed]
    assert all(one.says("beta.toml:5") == 1 for one in both)

    # Paused by command, with pages in the queue.
    wrong = door.type("jobs", "pause", "gama")
    assert wrong.returncode == 2
    assert "did you mean gamma?" in wrong.stdout + wrong.stderr
    soon(lambda: len(gamma.hits) > 2, log)
    assert door.json("jobs", "pause", "gamma") == [{"name": "gamma", "paused": True, "was_paused": False}]
    begun = clock.ticks()
    all_say("not followed: gamma")
    clock.wait(begun + PROMISED)
    paused, wait = len(gamma.hits), queued(door, gamma)
    assert wait > 3
    (row,) = door.json("jobs", "list", str(door.folder / "jobs/groups.toml"), str(door.folder / "jobs/gamma.toml"))
    assert (row["name"], row["paused"], row["next_due"]) == ("gamma", "command", None)

    # Paused by file, and removed.
    begun = clock.ticks()
    door.file(
        "jobs/alpha.toml", SITE.format(name="alpha", group="quick", url=f"{alpha.url}/sport") + "enabled = false\n"
    )
    (door.folder / "jobs/beta.toml").unlink()
    all_say("not followed: alpha, beta")
    clock.wait(begun + PROMISED)
    late = time.monotonic()
    clock.wait(clock.ticks() + 4)
    assert not [hit for site in (alpha, beta) for hit in site.hits if hit.at > late]
    assert len(gamma.hits) == paused
    assert queued(door, gamma) == wait

    # Resumed, then paused over the end.
    assert door.json("jobs", "resume", "gamma") == [{"name": "gamma", "paused": False, "was_paused": True}]
    in_time(lambda: len(gamma.hits) > paused, clock.ticks())
    # One worker may have fetched before the other has seen that it may.
    soon(lambda: all(one.says("have changed: followed: gamma") == 2 for one in both), log)
    assert door.type("jobs", "pause", "gamma", "beta").returncode == 0
    soon(lambda: all(one.says("not followed: gamma") == 2 for one in both), log)
    # A file that could not be taken is an error that somebody must mend.
    assert [one.end() for one in both] == [1, 1], log()


def _stopped(door: Door, alpha: SmallSite, beta: SmallSite, gamma: SmallSite) -> None:
    jobs = f"jobs={door.folder / 'jobs'}"
    hits = [len(site.hits) for site in (alpha, beta, gamma)]
    done = door.type("crawl", "article", "-a", jobs, "-a", "until=idle")
    assert done.returncode == 0, done.stderr[-3000:]
    assert [len(site.hits) for site in (alpha, beta, gamma)] == hits
    status = door.json("status")
    assert (status["paused"], status["frontier"]["quarantined"]) == (["beta", "gamma"], 0)
    # List pages of the others may wait too; and none is passed over where the run had ended before it looked at them.
    assert status["frontier"]["passed"] <= 3
    assert status["frontier"]["queued"] > 0

    # A job that is forgotten begins from nothing when it comes back; one that was paused goes on.
    refused = door.type("jobs", "forget", "alpha")
    assert refused.returncode == 2
    assert "not paused" in refused.stdout + refused.stderr
    soon(lambda: door.type("jobs", "forget", "beta").returncode == 0)
    door.file("jobs/beta.toml", SITE.format(name="beta", group="quick", url=f"{beta.url}/"))
    door.file("jobs/groups.toml", QUICK.replace('delay = "3s"', "delay = 0"))
    assert door.type("jobs", "resume", "gamma").returncode == 0
    # Its group has changed since gamma was followed: its list page is visited before its hour is over.
    lists = len(gamma.hits_of("/"))
    time.sleep(max(0.0, gamma.hits_of("/")[-1] + 17.0 - time.monotonic()))  # a page visited just now is left alone
    done = door.type("crawl", "article", "-a", jobs, "-a", "until=idle")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Changed since they were followed last: gamma" in done.stderr
    assert lists < len(gamma.hits_of("/")) <= lists + 2  # one may have been queued when it was paused
    assert len(beta.hits_of("/2026/11/20/beta-number-0.html")) == 2
    assert all(len(gamma.hits_of(f"/2026/11/20/gamma-number-{n}.html")) == 1 for n in range(40))
    archived = [(row["job"], row["title"], row["category"]) for row in door.archived() if row["job"] != "clock"]
    assert len(archived) == len(set(archived)) == 2 + 1 + 2 + 40
    assert ("alpha", "A late match on the harbour field", "x") in archived


def test_what_a_renamed_job_leaves_behind_is_taken_over_once_its_old_name_is_forgotten(door: Door) -> None:
    with SmallSite(news(4)) as site:

        def known(name: str) -> tuple[int, int]:
            """Pages known to the job after a crawl that visits the front page, and articles in the archive."""
            jobs = door.file("jobs.toml", f'[[site]]\nname = "{name}"\nlist_pages = ["{site.url}/"]\n')
            door.type("frontier", "visit", f"{site.url}/")
            assert door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle").returncode == 0
            (row,) = door.json("jobs", "list", str(jobs))
            return row["pages"], len(door.archived())

        assert known("old") == (5, 4)
        assert known("new") == (1, 4)
        assert door.type("jobs", "pause", "old").returncode == 0
        soon(lambda: door.type("jobs", "forget", "old").returncode == 0)
        assert known("new") == (5, 4)
    assert {row["version"] for row in door.archived()} == {1}


def test_a_job_that_is_paused_for_a_season_goes_on_where_it_stopped(door: Door) -> None:
    module = "articlebot.extensions.recrawl"
    # As if three months had passed, and no hour since the last look.
    season = {f"{module}:_JOB_DAYS": 1e-6, f"{module}:_SWEEP_S": 0.001}
    with SmallSite(news(3)) as site:
        block = f'[[site]]\nname = "NAME"\nlist_pages = ["{site.url}/"]\n'
        file, command = block.replace("NAME", "by_file"), block.replace("NAME", "by_command")
        command = command.replace("127.0.0.1", "localhost")
        jobs = door.file("jobs.toml", file + command)
        assert door.type("crawl", "--jobs", str(jobs), constants=season).returncode == 0
        known = {row["name"]: row["pages"] for row in door.json("jobs", "list", str(jobs))}
        door.file("jobs.toml", f"{file}enabled = false\n{command}")
        assert door.type("jobs", "pause", "by_command").returncode == 0
        assert door.type("crawl", "--jobs", str(jobs), constants=season).returncode == 0
        assert {row["name"]: row["pages"] for row in door.json("jobs", "list", str(jobs))} == known
        assert min(known.values()) > 0


def test_nobody_is_told_any_more_of_a_job_that_was_taken_out_or_forgotten(door: Door) -> None:
    with SmallSite(news(3)) as site:
        good = f'[[site]]\nname = "good"\nlist_pages = ["{site.url}/"]\n'
        wrong = [f'[[site]]\nname = "{name}"\nlist_pages = ["{site.url}/{name}/"]\n' for name in ("out", "off")]
        jobs = str(door.file("jobs.toml", "".join((good, *wrong))))
        assert door.type("crawl", "--jobs", jobs).returncode == 3
        assert {one["job"] for one in door.json("status")["findings"]} == {"out", "off"}
        door.file("jobs.toml", f"{good}{wrong[1]}enabled = false\n")
        assert door.type("crawl", "--jobs", jobs).returncode == 0
        status = door.type("status", "--json")
        assert (status.returncode, *(json.loads(status.stdout)[key] for key in ("findings", "alerts"))) == (0, [], [])
        door.file("jobs.toml", f"{good}{wrong[0]}")
        assert door.type("crawl", "--jobs", jobs).returncode == 3
        assert door.type("status").returncode == 1
        assert door.type("jobs", "pause", "out").returncode == 0
        soon(lambda: door.type("jobs", "forget", "out").returncode == 0)
        assert door.type("status").returncode == 0


def test_a_page_that_is_to_be_visited_of_a_paused_job_is_refused_or_waits(door: Door) -> None:
    pages = {**news(3), "/hidden/report.html": article("A hidden report from the harbour town")}
    with SmallSite(pages) as site:
        hidden = f"{site.url}/hidden/report.html"
        block = f'[[site]]\nname = "daily"\nlist_pages = ["{site.url}/"]\n'
        jobs = str(door.file("jobs.toml", block))

        def crawl() -> str:
            done = door.type("crawl", "--jobs", jobs)
            assert done.returncode == 0, done.stderr[-3000:]
            return done.stderr

        def refused() -> str:
            done = door.type("frontier", "visit", hidden)
            assert done.returncode == 2
            return done.stderr

        crawl()
        assert door.type("frontier", "visit", hidden).returncode == 0
        assert door.type("jobs", "pause", "daily").returncode == 0
        told = door.json("explain", f"{site.url}/")
        assert (told["next_visit"], told["recrawl"]["next_at"], told["recrawl"]["due_in_s"]) == (None, None, None)
        assert "Its job daily is paused" in told["why"]
        assert "Refused" not in crawl()
        assert "job daily is paused, and nothing of it is visited: scrapy jobs resume daily" in refused()
        assert door.type("jobs", "resume", "daily").returncode == 0
        door.file("jobs.toml", f"{block}enabled = false\n")
        crawl()
        assert "job daily has enabled = false in its file" in refused()
        assert not site.hits_of("/hidden/report.html")
        door.file("jobs.toml", block)
        crawl()
        assert len(site.hits_of("/hidden/report.html")) == 1
    assert len(door.archived()) == 4


def test_what_appears_meanwhile_does_not_wait_for_all_that_a_site_had_before(door: Door) -> None:
    pages = news(60, prefix="Old")
    new = "/2026/12/01/the-new-one.html"
    shown = str(pages["/"])
    pages[new] = article("The new one from the harbour")
    row = f"<li><h2><a href='{new}'>The new one from the harbour</a></h2></li>"
    with SmallSite(pages) as site:
        site.pages["/"] = lambda: shown.replace("<ul>", f"<ul>{row}") if len(site.hits) > 15 else shown
        group = '[group.clock]\ndelay = "0.3s"\ninterval = "1s"\nmin_interval = "1s"\nmax_interval = "1s"\n'
        jobs = door.file("jobs.toml", group + SITE.format(name="town", group="clock", url=f"{site.url}/"))
        crawl = ("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=forever", "-a", "seconds=25")
        assert door.type(*crawl).returncode == 0
        asked = [hit.path for hit in site.hits]
        appeared = next(n for n, path in enumerate(asked) if path == "/" and n > 15)
        assert asked.index(new) <= appeared + 8  # of the few that were handed out before
