"""Plots as inline SVG: drawn from numbers only, coloured by classes of the style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from markupsafe import Markup, escape

# Beside and above the axes there is room for figures of 19 units: a phone shows a plot at half its size.
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640, 178, 46, 30, 14


class Series(NamedTuple):
    """One line or one layer of bars; ``style`` is its class, ``values`` hold None where nothing is known."""

    name: str
    style: str
    values: Sequence[float | None]


def bars(series: Sequence[Series], labels: Sequence[str], title: str, nothing: str = "") -> Markup:
    """Stacked bars, one for each label; ``nothing`` stands in their place where there are none."""
    count = len(labels)
    tops = [sum(s.values[i] or 0 for s in series) for i in range(count)]
    most, out = _ceiling(max(tops, default=0)), []
    step = (_WIDTH - _LEFT) / max(1, count)
    for i in range(count):
        bottom = 0.0
        for one in series:
            value = one.values[i] or 0
            if value:
                y, height = _y(bottom + value, most), _y(bottom, most) - _y(bottom + value, most)
                out.append(
                    f'<rect class="{one.style}" x="{_LEFT + i * step + step * 0.1:.1f}" y="{y:.1f}" '
                    f'width="{step * 0.8:.1f}" height="{height:.1f}"><title>{escape(labels[i])} '
                    f"{escape(one.name)}: {value:,.4g}</title></rect>"
                )
                bottom += value
    return _framed("".join(out) or _word(nothing), most, labels, title, series)


def lines(series: Sequence[Series], labels: Sequence[str], title: str, nothing: str = "") -> Markup:
    """Lines over the labels; a gap where a value is None, and ``nothing`` where all are."""
    known = [value for one in series for value in one.values if value is not None]
    most, out = _ceiling(max(known, default=0)), []
    step = (_WIDTH - _LEFT) / max(1, len(labels))
    for one in series:
        path, pen = [], "M"
        neighbours = zip((None, *one.values[:-1]), one.values, (*one.values[1:], None), strict=True)
        for i, (before, value, after) in enumerate(neighbours if one.values else ()):
            if value is None:
                pen = "M"
                continue
            x, y = _LEFT + (i + 0.5) * step, _y(value, most)
            if before is None and after is None:  # would be a line of no length
                out.append(f'<circle class="{one.style}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
                continue
            path.append(f"{pen}{x:.1f} {y:.1f}")
            pen = "L"
        out.append(f'<path class="line {one.style}" d="{"".join(path)}"/>')
    return _framed("".join(out) if known else _word(nothing), most, labels, title, series)


def heat_map(
    values: Sequence[Sequence[float | None]], rows: Sequence[str], closed: Sequence[Sequence[bool]], title: str
) -> Markup:
    """A cell for each weekday (row) and hour (column); None where nothing was seen.

    Cells that are ``closed`` (outside the windows) are framed by a dashed line.
    """
    most = max((value for row in values for value in row if value is not None), default=0) or 1
    out, cell, left = [], 24, 52
    for y, row in enumerate(values):
        out.append(f'<text class="tick" x="{left - 6}" y="{y * cell + 16}" text-anchor="end">{escape(rows[y])}</text>')
        for x, value in enumerate(row):
            level = "none" if value is None else str(min(5, ceil(5 * value / most)))
            shut = " closed" if closed[y][x] else ""
            shown = "-" if value is None else f"{value:.2f}"
            out.append(
                f'<rect class="heat-{level}{shut}" x="{left + x * cell + 1}" y="{y * cell + 1}" width="{cell - 2}" '
                f'height="{cell - 2}"><title>{escape(rows[y])} {x}:00: {shown}</title></rect>'
            )
    hours = range(0, 24, 3)
    out += [f'<text class="tick" x="{left + x * cell + 2}" y="{7 * cell + 14}">{x}:00</text>' for x in hours]
    return Markup(  # noqa: S704 - all that is not a number is escaped above
        f'<svg class="plot heat" viewBox="0 0 {left + 24 * cell} {7 * cell + 20}" role="img" '
        f'aria-label="{escape(title)}">{"".join(out)}</svg>'
    )


def _word(text: str) -> str:
    """A text in the middle of a plot."""
    x, y = (_LEFT + _WIDTH) / 2, (_HEIGHT - _BOTTOM + _TOP) / 2 - 8
    return f'<text class="tick" x="{x:.0f}" y="{y:.0f}" text-anchor="middle">{escape(text)}</text>' if text else ""


def _framed(inner: str, most: float, labels: Sequence[str], title: str, series: Sequence[Series]) -> Markup:
    out = []
    for share in (0, 0.5, 1):
        y = _y(most * share, most)
        out.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH}"/>')
        out.append(
            f'<text class="tick" x="{_LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{_short(most * share)}</text>'
        )
    every = max(1, -(-len(labels) // 6))
    step = (_WIDTH - _LEFT) / max(1, len(labels))
    for i in range(0, len(labels), every):
        x = _LEFT + (i + 0.5) * step
        anchor = "end" if x > _WIDTH - 40 else "middle"
        place = f'x="{_WIDTH if anchor == "end" else x:.1f}" y="{_HEIGHT - 5}" text-anchor="{anchor}"'
        odd = " odd" if i // every % 2 else ""
        out.append(f'<text class="tick{odd}" {place}>{escape(labels[i])}</text>')
    legend = "".join(f'<span class="key {s.style}">{escape(s.name)}</span>' for s in series)
    return Markup(  # noqa: S704 - all that is not a number is escaped above
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">'
        f'{"".join(out)}{inner}</svg><p class="legend">{legend}</p>'
    )


def _y(value: float, most: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * value / most


def _ceiling(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, …"""
    step = 1.0
    while step * 10 < value:
        step *= 10
    return next((step * k for k in (1, 2, 5, 10) if step * k >= value), step * 10)


def _short(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"
