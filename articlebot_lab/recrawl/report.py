"""What `scrapy simulate` prints: each policy on each trace, at the same number of fetches."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from articlebot.recrawl import policy
from articlebot.recrawl.budgets import Budget
from articlebot.recrawl.params import DAY
from articlebot_lab.recrawl.ceiling import CEILING, KnownRates
from articlebot_lab.recrawl.signals import Quality, counted, made
from articlebot_lab.recrawl.simulate import Replay, base_params, calibrate, fetches_wanted
from articlebot_lab.recrawl.tally import by_kind, summarise
from articlebot_lab.recrawl.traces import Trace

_SHARES = ("precision", "recall")
COLUMNS = (
    "trace", "policy", "stale_percent", "delay_mean_h", "delay_p50_h", "delay_p95_h", "age_mean_h", "captured_percent",
    "wasted_percent", "fetches",
)  # fmt: skip


def compared(
    paths: list[Path], names: list[str], rate: float, budget: float | None, seeds: int, *,
    quality: tuple[float, float] | None = None,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """The figures of each policy on each trace, the mean over the seeds; says on standard error what it is at.

    Args:
        rate: fetches per page and day, of every policy.
        budget: fetches a day in all, kept by the budget controller instead; None: `rate` counts.
        quality: precision and recall of signals of the changes, with which policies that weigh them run once more.

    Raises:
        StateError: a file is no trace.
        ConfigError: no policy has that name.
    """
    for path in paths:
        trace = Trace.load(path)
        for name in names:
            for shares in (None, quality) if quality and _hears(name) else (None,):
                print(f"{trace.name}: {name} ...", file=sys.stderr, flush=True)
                found = [_run(trace, name, rate, budget, seed, shares=shares) for seed in range(seeds)]
                row = {"trace": trace.name} if len(paths) > 1 else {}
                row |= _average(found)
                yield row if quality is None else {**row, "signals": shares and dict(zip(_SHARES, shares, strict=True))}


def _hears(name: str) -> bool:
    return name != CEILING and getattr(policy(name), "hears_signals", False)


def _run(
    trace: Trace, name: str, rate: float, budget: float | None, seed: int, *, shares: tuple[float, float] | None
) -> dict[str, Any]:
    per_page = rate if budget is None else max(budget / max(1, len(trace.pages)), 1e-3)
    rule = KnownRates(trace) if name == CEILING else policy(name)
    signals = made(trace, Quality(*shares), seed) if shares else ()
    params, began = base_params(per_page), time.process_time()
    if budget is not None and name != CEILING:
        run = Replay(trace, rule, params, seed, budget=Budget(budget, DAY), signals=signals)
        tallies, replayed = run.run(), sum(run.hours)
    else:
        found = calibrate(trace, rule, params, per_page, seed, signals=signals)
        tallies, replayed, wanted = found.tallies, found.replayed, fetches_wanted(trace, per_page)
        if abs(found.spent / wanted - 1.0) > 0.02:
            print(f"{trace.name}: {name} spends {found.spent:,} fetches, not {wanted:,.0f}", file=sys.stderr)
    row = summarise(name, tallies.values()).row()
    row["visits"], row["visits_per_s"] = replayed, round(replayed / max(time.process_time() - began, 1e-9))
    if shares:
        row["true_signals"], row["false_signals"] = counted(trace, signals)
    if trace.mixed:
        row["by_kind"] = {kind: result.row() for kind, result in by_kind(name, tallies).items()}
    return row


def _average(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The mean over seeds of every number; names stay."""
    out: dict[str, Any] = {}
    for key, first in rows[0].items():
        if isinstance(first, dict):
            out[key] = {kind: _average([row[key][kind] for row in rows]) for kind in first}
        elif isinstance(first, int | float) and not isinstance(first, bool):
            mean = statistics.fmean(row[key] for row in rows)
            out[key] = round(mean) if isinstance(first, int) else mean
        else:
            out[key] = first
    return out


def readable(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows as a table has them: `COLUMNS` in hours and percent, the kinds of a trace below each policy."""
    out = []
    for row in rows:
        out.append(_readable(row))
        out += [_readable({**result, "policy": f"  {kind}"}) for kind, result in row.get("by_kind", {}).items()]
    return out


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    def scaled(key: str, factor: float) -> float | None:
        return None if row[key] is None else row[key] * factor

    return {
        "trace": row.get("trace", ""), "policy": _named(row), "stale_percent": scaled("staleness", 100),
        "delay_mean_h": scaled("delay_mean_s", 1 / 3600), "delay_p50_h": scaled("delay_p50_s", 1 / 3600),
        "delay_p95_h": scaled("delay_p95_s", 1 / 3600), "age_mean_h": scaled("mean_age_s", 1 / 3600),
        "captured_percent": scaled("captured_share", 100), "wasted_percent": scaled("wasted_share", 100),
        "fetches": row["fetches"],
    }  # fmt: skip


def _named(row: dict[str, Any]) -> str:
    return f"{row['policy']} + signals" if row.get("signals") else row["policy"]
