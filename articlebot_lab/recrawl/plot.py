"""Plots of simulations; they need matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from articlebot.errors import ConfigError


def bars(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draws mean delay and staleness of each policy, a group of bars per trace.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    plt = _pyplot()
    labels = [f"{row.get('trace', '')} {row['policy']}".strip() for row in rows]
    figure, axes = plt.subplots(1, 2, figsize=(9, 0.6 + 0.28 * len(rows)), sharey=True)
    for axis, title, key, factor in (
        (axes[0], "mean delay, hours", "delay_mean_s", 1 / 3600),
        (axes[1], "stale, percent", "staleness", 100.0),
    ):
        axis.barh(labels, [(row[key] or 0.0) * factor for row in rows], color="#3b6ea5")
        axis.set_title(title, fontsize=9)
        axis.tick_params(labelsize=7)
    axes[0].invert_yaxis()
    figure.tight_layout()
    figure.savefig(path, dpi=70)
    plt.close(figure)


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]], real: Sequence[tuple[float, float]], title: str, path: Path
) -> None:
    """Draws the period at each visit over the days, and the page's real one as a dashed line.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    plt = _pyplot()
    figure, axis = plt.subplots(figsize=(7, 3.4))
    for name, points in series.items():
        axis.plot([x for x, _ in points], [y for _, y in points], label=name, linewidth=0.9)
    axis.plot([x for x, _ in real], [y for _, y in real], "k--", label="real period", linewidth=1.2)
    axis.set_yscale("log")
    axis.set_xlabel("day", fontsize=8)
    axis.set_ylabel("period, hours", fontsize=8)
    axis.set_title(title, fontsize=9)
    axis.legend(fontsize=7)
    axis.tick_params(labelsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=70)
    plt.close(figure)


def _pyplot() -> Any:
    try:
        import matplotlib  # noqa: PLC0415
    except ImportError:
        raise ConfigError("plots need matplotlib: pip install 'articlebot-lab[plot]'") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    return plt
