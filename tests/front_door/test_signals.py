"""A feed that says when its articles change has them visited sooner; one that says so always changes nothing."""

from __future__ import annotations

import signal
import time
from datetime import UTC, datetime
from statistics import median

import pytest

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Page, SmallSite, article, front

_ARTICLES, _EACH_S, _FEWEST = 30, 2.0, 15
# Changes are looked at that are so old: younger ones may have no visit yet that would be late.
_BEFORE_S = 20.0, 60.0


def _now() -> float:
    return datetime.now(UTC).timestamp()


class Changing:
    """A site whose articles change in turn, one every two seconds, and whose feed states that, or always now."""

    def __init__(self, *, lies: bool) -> None:
        self.begun, self.begun_at, self.lies = time.monotonic(), _now(), lies
        self.paths = [f"/2026/11/20/report-number-{n}.html" for n in range(_ARTICLES)]

    def edition(self, number: int) -> int:
        """How often an article has changed."""
        return int(((time.monotonic() - self.begun) / _EACH_S - number) // _ARTICLES + 1)

    def pages(self) -> dict[str, Page]:
        made: dict[str, Page] = {"/feed.xml": self.feed}
        for number, path in enumerate(self.paths):
            made[path] = lambda number=number: article(f"Report {number} in edition {self.edition(number)} of the town")
        return made

    def feed(self) -> str:
        rows = []
        for number, path in enumerate(self.paths):
            changed = self.begun_at + ((self.edition(number) - 1) * _ARTICLES + number) * _EACH_S
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_now() if self.lies else changed))
            rows.append(f"<entry><title>Report {number}</title><link href='{path}'/><updated>{at}</updated></entry>")
        return f"<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'>{''.join(rows)}</feed>"

    def waits(self, site: SmallSite) -> list[float]:
        """From each change of a while ago to the next visit of its article, or to now where there was none yet."""
        found, now = [], time.monotonic()
        for turn in range(int((now - self.begun) / _EACH_S)):
            at = self.begun + turn * _EACH_S
            if _BEFORE_S[0] < now - at < _BEFORE_S[1]:
                after = (hit for hit in site.hits_of(self.paths[turn % _ARTICLES]) if hit > at)
                found.append(min(after, default=now) - at)
        return found


def are_sooner(known: list[float], believed: list[float]) -> bool:
    """Whether changes that a feed states are seen far sooner: in .18 of the time, on a quiet machine and a busy one."""
    return min(len(known), len(believed)) >= _FEWEST and median(known) < 0.4 * median(believed)


def test_a_feed_that_tells_the_truth_moves_visits_and_one_that_lies_does_not(door: Door) -> None:
    true, false = Changing(lies=False), Changing(lies=True)
    with SmallSite(true.pages()) as honest, SmallSite(false.pages()) as lying:
        urls = {"honest": honest.url, "lying": lying.url.replace("127.0.0.1", "localhost")}
        jobs = "".join(
            f'[[site]]\nname = "{name}"\nfeeds = ["{url}/feed.xml"]\ninterval = 1\nmin_interval = 1\nmax_interval = 1\n'
            for name, url in urls.items()
        )
        often = {
            "ARTICLEBOT_RECRAWL_MIN_INTERVAL": "0.5", "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "15",
            "ARTICLEBOT_RECRAWL_DAY_S": "864",
        }  # fmt: skip
        crawl = door.begin("crawl", "article", "-a", f"jobs={door.file('jobs.toml', jobs)}", env=often)
        try:
            wait_for(lambda: bool(lying.hits and honest.hits))
            # How long it takes to learn what a feed is worth depends on how much else the machine does.
            wait_for(lambda: are_sooner(true.waits(honest), false.waits(lying)), seconds=600)
        finally:
            crawl.send_signal(signal.SIGINT)
            said = crawl.communicate(timeout=300)[1]
        assert crawl.returncode == 0, said[-3000:]
    signals = door.json("status")["last_run"]["signals"]
    assert signals["moved"] > 0, signals
    assert len(lying.hits) < 1.2 * len(honest.hits)
    # Of pages that were visited last the feed has said nothing since.
    told = (door.json("explain", urls["lying"] + path) for path in false.paths)
    said_of = next(one for one in told if one["signals"])
    assert not said_of["sooner_by_signal"]


@pytest.mark.parametrize(("setting", "hears"), [("1", True), ("0", False)])
def test_signals_can_be_turned_off(door: Door, setting: str, hears: bool) -> None:
    site = Changing(lies=True)
    with SmallSite(site.pages()) as served:
        every = "interval = 1\nmin_interval = 1\nmax_interval = 1\n"
        job = f'[[site]]\nname = "a"\nfeeds = ["{served.url}/feed.xml"]\n{every}'
        crawl = door.begin(
            "crawl", "article", "-a", f"jobs={door.file('jobs.toml', job)}", env={"ARTICLEBOT_RECRAWL_SIGNALS": setting}
        )
        try:
            wait_for(lambda: all(served.hits_of(path) for path in site.paths))
            read = len(served.hits_of("/feed.xml"))
            wait_for(lambda: len(served.hits_of("/feed.xml")) >= read + 5)
        finally:
            crawl.send_signal(signal.SIGINT)
            said = crawl.communicate(timeout=300)[1]
        assert crawl.returncode == 0, said[-3000:]
    signals = door.json("status")["last_run"]["signals"]
    assert (signals["heard"] > 0, signals["moved"]) == (hears, 0)


def test_a_reprint_that_is_corrected_is_a_signal_for_the_others(door: Door) -> None:
    path, title = "/2026/11/20/agency-report.html", "An agency's report from the harbour town"
    with SmallSite() as one, SmallSite() as two:
        for site in (one, two):
            site.pages |= {"/": front({path: title}), path: article(title)}
        sites = "".join(f'[[site]]\nname = "s{n}"\nlist_pages = ["{site.url}/"]\n' for n, site in enumerate((one, two)))
        crawl = ("crawl", "article", "-a", f"jobs={door.file('jobs.toml', sites)}", "-a", "until=idle")
        assert door.type(*crawl).returncode == 0
        assert door.json("explain", two.url + path)["signals"] == []
        one.pages[path] = article(title).replace("</article>", "<p>Correction: it was the other harbour.</p></article>")
        door.type("frontier", "visit", one.url + path)
        done = door.type(*crawl)
        assert "1 changes" in done.stderr, done.stderr
        told = {url: door.json("explain", url + path) for url in (one.url, two.url)}
    assert (told[one.url]["signals"], told[two.url]["signals"]) == ([], ["the text of a reprint"])
    assert "the text of a reprint changed since its last visit" in told[two.url]["why"]
    assert len(two.hits_of(path)) == 1  # no signal of its site has proved right so far
