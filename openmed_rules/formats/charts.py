"""Small charts as inline SVG: what they show is also said in words, for those who do not see them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_WIDE = 1000
"""The inner width of a chart: it is as wide as its place, whatever that is."""


def meter(share: float, *, least: float | None, good: bool, label: str) -> str:
    """A ratio between 0 and 1 as a bar, with a mark at the ``least`` that is asked for.

    ``label`` says the same in words.
    """
    shapes = [_bar(0, 1, "track"), _bar(0, share, "good" if good else "bad")]
    if least is not None:
        shapes.append(f'<rect class="limit" x="{max(_at(least) - 6, 0)}" y="0" width="6" height="24"/>')
    return _chart(shapes, label)


def bar(share: float, *, good: bool, label: str) -> str:
    """One share of a whole as a bar."""
    # What is there shows, however small its share is.
    shown = max(share, 0.008) if share else 0
    return _chart([_bar(0, 1, "track"), _bar(0, shown, "warn" if good else "bad")], label)


def columns(counts: Sequence[int], *, label: str) -> str:
    """Counts as columns beside each other, as high as their share of the highest."""
    highest, width = max(counts, default=0) or 1, _WIDE // max(len(counts), 1)
    shapes = [
        f'<rect class="track" x="{number * width}" y="99" width="{width - 8}" height="1"/>'
        f'<rect class="warn" x="{number * width}" y="{100 - high}" width="{width - 8}" height="{high}"/>'
        for number, count in enumerate(counts)
        for high in [-(-count * 96 // highest)]
    ]
    head = f'<svg class="columns" viewBox="0 0 {_WIDE} 100" preserveAspectRatio="none" role="img"'
    return f'{head} aria-label="{escape(label)}">{"".join(shapes)}</svg>'


def steps(shares: Sequence[float], *, label: str) -> str:
    """Ratios between 0 and 1 one after the other, as a line with a dot at each."""
    last = max(len(shares) - 1, 1)
    places = [(round(number * (_WIDE - 40) / last) + 20, round(90 - share * 80)) for number, share in enumerate(shares)]
    line = " ".join(f"{across},{down}" for across, down in places)
    dots = "".join(
        f'<rect class="good" x="{across - 8}" y="{down - 4}" width="16" height="8"/>' for across, down in places
    )
    head = f'<svg class="columns" viewBox="0 0 {_WIDE} 100" preserveAspectRatio="none" role="img"'
    track = f'<rect class="track" x="0" y="99" width="{_WIDE}" height="1"/>'
    return f'{head} aria-label="{escape(label)}">{track}<polyline class="way" points="{line}"/>{dots}</svg>'


def stack(parts: Iterable[tuple[str, int]], *, label: str) -> str:
    """Counts side by side, each with the class it is drawn in."""
    parts = [(kind, count) for kind, count in parts if count]
    total = sum(count for _, count in parts)
    shapes, start = [_bar(0, 1, "track")], 0
    for kind, count in parts:
        shapes.append(_bar(start / total, (start + count) / total, kind))
        start += count
    return _chart(shapes, label)


def _bar(start: float, end: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{_at(start)}" y="4" width="{_at(end) - _at(start)}" height="16"/>'


def _at(share: float) -> int:
    return round(min(max(share, 0.0), 1.0) * _WIDE)


def _chart(shapes: Iterable[str], label: str) -> str:
    head = f'<svg viewBox="0 0 {_WIDE} 24" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
    return f"{head}{''.join(shapes)}</svg>"
