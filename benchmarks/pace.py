"""How fast a slot goes, and how often it is refused, at servers whose limits are known: what the learned pace is worth.

The real delays and paces, with a clock of their own. For each server and kind of refusal:
seconds a page, and refusals a page, over ``--runs`` runs of ``--pages`` pages that are answered.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import deque
from collections.abc import Callable
from statistics import mean

from articlebot.frontier.delays import DelayPolicy, Delays
from articlebot.frontier.pace import Pace, Paces

# Whether a page is answered: by its time since the last one, and by its time since the start, both in seconds.
Server = Callable[[float, float], bool]


def apart(least: float) -> Server:
    """A server that wants so many seconds between pages."""
    return lambda gap, at: gap >= least


def bucket(pages_per_s: float, burst: int) -> Server:
    """A token bucket, as those of nginx and HAProxy."""
    tokens = float(burst)

    def answers(gap: float, at: float) -> bool:
        nonlocal tokens
        tokens = min(burst, tokens + min(gap, at) * pages_per_s)
        allowed = tokens >= 1
        tokens -= allowed
        return allowed

    return answers


def quota(pages: int, seconds: float) -> Server:
    """So many pages in each period."""
    seen = [0, 0]

    def answers(gap: float, at: float) -> bool:
        period = int(at // seconds)
        seen[:] = period, seen[1] + 1 if seen[0] == period else 1
        return seen[1] <= pages

    return answers


def window(pages: int, seconds: float) -> Server:
    """So many pages in any such time, those that it answered alone."""
    answered: deque[float] = deque(maxlen=pages)

    def answers(gap: float, at: float) -> bool:
        if len(answered) == pages and at - answered[0] < seconds:
            return False
        answered.append(at)
        return True

    return answers


def away(since: float, until: float) -> Server:
    """A server in maintenance."""
    return lambda gap, at: not since <= at < until


def errs(share: float, seed: int) -> Server:
    """A server that refuses a share of all pages, however slowly it is asked."""
    rng = random.Random(seed)
    return lambda gap, at: rng.random() >= share


SERVERS: dict[str, Callable[[int], Server]] = {
    "a page each 1.5 s": lambda seed: apart(1.5),
    "a page each 3 s": lambda seed: apart(3),
    "a page each 10 s": lambda seed: apart(10),
    "bucket of 5, one each 3 s": lambda seed: bucket(1 / 3, 5),
    "bucket of 20, one each 5 s": lambda seed: bucket(1 / 5, 20),
    "30 pages in 300 s": lambda seed: quota(30, 300),
    "20 pages in any 60 s": lambda seed: window(20, 60),
    "away for 10 min, at once": lambda seed: away(1, 600),
    "away for 10 min, later": lambda seed: away(200, 800),
    "3% at random": lambda seed: errs(0.03, seed),
    "6% at random": lambda seed: errs(0.06, seed),
    "20% at random": lambda seed: errs(0.20, seed),
}


def crawl(
    answers: Server, status: int, pages: int, seed: int, *, policy: DelayPolicy, retry_after: float | None
) -> tuple[float, float]:
    """Seconds a page and refusals a page."""
    delays = Delays(policy, random.Random(seed))
    paces, text = Paces(delays), "0"
    clock, last, answered, refused = 0.0, -1e9, 0, 0
    while answered < pages:
        good = answers(clock - last, clock)
        answered, refused, last = answered + good, refused + (not good), clock
        kept = Pace.load(text)
        paces.told("a.test", kept)
        pace = paces.of_leased(
            "a.test", kept, clock, status=200 if good else status, retry_after=None if good else retry_after, mean=None
        )  # fmt: skip
        text = pace.dump()
        clock += max(delays.sample("a.test"), pace.back_off)
    return clock / pages, refused / pages


def main() -> None:
    """Prints a line for each server and kind of refusal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--mean", type=float, default=2.0, help="delay, in seconds")
    parser.add_argument("--retry-after", type=float, help="seconds that refusals ask for")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    policy = DelayPolicy(click_interval=args.mean / 2, mean=args.mean)
    rows = []
    for name, server in SERVERS.items():
        for status in (429, 503):
            runs = [
                crawl(server(seed), status, args.pages, seed, policy=policy, retry_after=args.retry_after)
                for seed in range(args.runs)
            ]
            seconds, refusals = (round(mean(column), 3) for column in zip(*runs, strict=True))
            rows.append({"server": name, "status": status, "seconds_a_page": seconds, "refusals_a_page": refusals})
    if args.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print(
            f"{row['server']:<28}{row['status']}  {row['seconds_a_page']:6.2f} s  {row['refusals_a_page']:.3f} refused"
        )


if __name__ == "__main__":
    main()
