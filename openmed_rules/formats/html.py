"""The report as one page that asks nothing of anybody: no script, no font, no picture from elsewhere."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files

from openmed_rules.errors import meaning
from openmed_rules.formats.charts import bar, columns, meter, stack, steps
from openmed_rules.formats.policy import Goal, goals, policy_words
from openmed_rules.formats.reasons import amount, words
from openmed_rules.formats.wording import (
    READS_TEXT,
    VERDICTS,
    Ratio,
    beside_baseline,
    besides,
    by_class,
    cases,
    class_count,
    counts,
    numbers,
    printable,
    ratios,
    share,
    standing,
    waiver_words,
)
from openmed_rules.results.baseline import Share
from openmed_rules.results.report import ReasonLine, Report

_SIGNS = {"passed": "\u2713", "failed": "\u2717", "not_evaluated": "\u2013"}


def render_html(report: Report) -> str:
    """The page: the verdict first, then the ratios, what failed, where, and by which policy. In ASCII."""
    style = files("openmed_rules.formats").joinpath("page.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    verdict, _ = VERDICTS[report.verdict]
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{_text(report.rules.name)}: {verdict}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
{_header(report)}
<main>
{_main(report)}
</main>
{_footer(report)}
</body>
</html>
"""
    return page.encode("ascii", "xmlcharrefreplace").decode("ascii")


# --- the parts of the page ----------------------------------------------------------------------------


def _header(report: Report) -> str:
    verdict, why = VERDICTS[report.verdict]
    reasons = ", ".join(f"<code>{_text(reason)}</code>" for reason in report.reasons)
    said = [_text(told) for told in (why, *besides(report)) if told]
    if reasons:
        said.append(reasons)
    said.append(f"{report.cases.total} {_plural('case', report.cases.total)}: {cases(report.cases)}")
    lines = "".join(f"<p>{line}</p>" for line in said)
    sign = f'<span aria-hidden="true">{_SIGNS[report.verdict]}</span>'
    word = f'<span class="word">{sign} {verdict}</span>'
    head = f"<h1>{word} <span>{_text(report.rules.name)}</span></h1>"
    return f'<header><div class="verdict {report.verdict}">{head}{lines}</div></header>'


def _main(report: Report) -> str:
    parts = [
        _ratios(report),
        _section(
            "What failed" + " in cases that may fail" * report.passed,
            _bars(line for line in report.lines if line.failed),
        ),
        *(
            _section(title, _bars(line for line in report.lines if line.found and standing(line) == kind))
            for kind, title in (("warning", "Warnings"), ("waived", "Waived"), ("tolerated", "Tolerated"))
        ),
        _section("Waivers", _waivers(report)),
        _section("Beside the baseline", _baseline(report)),
        _section("Trend", _trend(report)),
        _section("Drift", _drift(report)),
        _section("Cases", _cases(report)),
        _section("Distribution over cases", _distribution(report)),
        _section("Where to look", _positions(report)),
        _section("Unreadable", _unreadable(report)),
        _section(by_class(report), _classes(report)),
        _section("What the gate asks for", _policy(report)),
        _section("Evaluated", _evaluated(report)),
        _locators(report),
    ]
    return "\n".join(filter(None, parts))


def _ratios(report: Report) -> str:
    cards = [_card(ratio, goal) for ratio, goal in zip(ratios(report), goals(report), strict=True)]
    return f'<div class="two">{"".join(cards)}</div>' if cards else ""


def _card(ratio: Ratio, goal: Goal) -> str:
    held = '<span class="good-word">held</span>' if goal.holds else '<span class="bad-word">not held</span>'
    label = f"{ratio.name}: {ratio.percent}; asked for: {goal.asked}"
    chart = meter(goal.ratio, least=goal.least, good=goal.holds, label=printable(label))
    big = f'<p class="big">{ratio.percent}</p><p>{_text(ratio.share)}</p>'
    asked = f'<p class="soft">Asked for: {_text(goal.asked)}. {held}</p>'
    return f"<section><h2>{_text(ratio.name.capitalize())}</h2>{big}{chart}{asked}</section>"


def _distribution(report: Report) -> str:
    if report.cases.total <= 1:
        return ""
    return "".join(
        _spread(name, report.distribution[key])
        for key, name in (("citations", "citation coverage"), ("coverage", "fact recall"))
        if key in report.distribution
    )


def _spread(name: str, tenths: Sequence[int]) -> str:
    told = [f"{low * 10} %: {count}" for low, count in enumerate(tenths) if count]
    chart = columns(tenths, label=f"cases by {name}, from: {', '.join(told)}")
    scale = '<div class="row soft"><span>0 %</span><span>50 %</span><span>100 %</span></div>'
    return f"<h3>Cases by {name}</h3>{chart}{scale}"


def _bars(lines: Iterable[ReasonLine]) -> str:
    items = [f"<li>{_bar_of(line)}</li>" for line in lines]
    return f'<ul class="bars">{"".join(items)}</ul>' if items else ""


def _bar_of(line: ReasonLine) -> str:
    part = line.found / line.of if line.of else float(line.found > 0)
    found = f"{amount(line)} ({line.report})"
    chart = bar(part, good=not line.failed, label=f"{line.reason}: {found}")
    name = f"<span><code>{_text(line.reason)}</code></span><span>{_text(found)}</span>"
    tolerated = f"{words(line.reason)}; tolerated: {line.limit}"
    return f'<div class="row">{name}</div>{chart}<div class="soft">{_text(tolerated)}</div>'


def _waivers(report: Report) -> str:
    rows = [
        (
            f"<code>{_text(waiver.reason)}</code>",
            waiver_words(waiver),
            str(waiver.waived),
            _text(waiver.because),
            _text(waiver.owner),
        )
        for waiver in report.waivers
    ]
    return _table("Waivers", ("reason", "how long", "waived", "because", "owner"), rows) if rows else ""


def _baseline(report: Report) -> str:
    rows = [
        (
            _text(line.name),
            *beside_baseline(line),
            line.standing.replace("_", " "),
        )
        for line in (report.baseline.lines if report.baseline is not None else ())
    ]
    return _table("Beside the baseline", ("ratio", "recorded", "now", ""), rows) if rows else ""


def _trend(report: Report) -> str:
    return "".join(
        _way(name, [(point.name, point.ratios[key]) for point in report.trend if key in point.ratios])
        for key, name in (("citations.coverage", "Citation coverage"), ("coverage.recall", "Fact recall"))
    )


def _way(name: str, points: Sequence[tuple[str, Share]]) -> str:
    if not points:
        return ""
    told = ", ".join(f"{point} {share(ratio)}" for point, ratio in points)
    chart = steps([float(ratio.ratio) for _, ratio in points], label=printable(f"{name}: {told}"))
    rows = [(_text(point), share(ratio)) for point, ratio in points]
    return f"<h3>{name}</h3>{chart}" + _table(name, ("run", name.lower()), rows)


def _drift(report: Report) -> str:
    rows = [
        (f"<code>{_text(drift.locator)}</code>", _text(drift.what), share(drift.recorded), share(drift.found))
        for drift in (report.baseline.drift if report.baseline is not None else ())
    ]
    return _table("Drift", ("path", "what changed", "recorded", "now"), rows) if rows else ""


def _cases(report: Report) -> str:
    totals = report.cases
    if not totals.total:
        return ""
    parts = (
        ("good", "passed", totals.passed),
        ("bad", "failed", totals.failed),
        ("off", "unreadable", totals.unreadable),
    )
    chart = stack(((kind, count) for kind, _, count in parts), label=cases(totals))
    keys = (f'<li><span class="key-{kind}"></span>{name} {count}</li>' for kind, name, count in parts)
    return f'{chart}<ul class="keys">{"".join(keys)}</ul>'


def _positions(report: Report) -> str:
    rows = [
        (
            f"<code>{_text(str(position.place))}</code>",
            numbers(position),
            f"<code>{_text(position.reason).replace('_', '_<wbr>')}</code>",
        )
        for position in report.positions
    ]
    return (
        _table("Where to look", ("file", "place in it", "reason"), rows) + _more(report.positions_left) if rows else ""
    )


def _unreadable(report: Report) -> str:
    rows = [
        (
            f"<code>{_text(str(unreadable.place))}</code>",
            f'<span class="whole">{unreadable.code}</span>',
            _text(meaning(unreadable.code)),
        )
        for unreadable in report.unreadable
    ]
    left = report.cases.unreadable - len(rows)
    return _table("Unreadable", ("file", "code", "meaning"), rows) + _more(left) if rows else ""


def _classes(report: Report) -> str:
    shown = report.shown_classes()
    names = sorted({name for found in shown.values() for name in found})
    rows = [(_text(label), *(class_count(found[name]) for name in names)) for label, found in shown.items()]
    return _table("By class", ("class", *(name.replace("_", " ") for name in names)), rows) if rows else ""


def _policy(report: Report) -> str:
    return f"<ul>{''.join(f'<li>{_text(sentence)}</li>' for sentence in policy_words(report.policy))}</ul>"


def _evaluated(report: Report) -> str:
    said = [
        ("left out by where", counts(report.left_out)),
        ("joined by merge", counts(report.joined)),
        ("orphan citations", str(report.orphan_citations or "")),
        ("reads text", READS_TEXT if report.reads_text else ""),
        ("rules", f"{report.rules.name}, version {report.rules.version}"),
        ("sha256", report.rules.sha256),
    ]
    return f"<dl>{''.join(f'<dt>{name}</dt><dd>{_text(text)}</dd>' for name, text in said if text)}</dl>"


def _locators(report: Report) -> str:
    rows = [
        (f"<code>{_text(path)}</code>", str(found["tried"]), str(found["found"]))
        for path, found in (report.locators or {}).items()
    ]
    if not rows:
        return ""
    table = _table("Locators", ("path", "tried", "found"), rows)
    return f"<section><details><summary>Locators ({len(rows)})</summary>{table}</details></section>"


def _footer(report: Report) -> str:
    what = "Counts, codes and positions; nothing of what stood in a record."
    review = "A deterministic review aid: no clinical-quality certification, and no decision about care."
    return f"<footer><p>{what}</p><p>{review}</p><p>openmed-rules, {_text(report.rules.name)}</p></footer>"


# --- what they are made of ----------------------------------------------------------------------------


def _section(title: str, content: str) -> str:
    return f"<section><h2>{title}</h2>{content}</section>" if content else ""


def _table(name: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are markup already. A wide table scrolls by itself, also by the keyboard."""
    head = "".join(f'<th scope="col">{_text(title)}</th>' for title in header)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll" role="region" aria-label="{_text(name)}" tabindex="0">{table}</div>'


def _more(left: int) -> str:
    return f'<p class="soft">and {left} more</p>' if left > 0 else ""


def _plural(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"


def _text(text: str) -> str:
    """Text that marks up nothing."""
    return escape(printable(text))
