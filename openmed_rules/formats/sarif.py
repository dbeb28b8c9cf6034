"""The report as SARIF 2.1.0: each reason that fails the gate is a result at a line of the rule file."""

from __future__ import annotations

import json
import string
from hashlib import sha256
from pathlib import PurePath
from typing import Any, Final

from openmed_rules import __version__
from openmed_rules.formats.reasons import Concern, Spot, failures, let_be, spots_left
from openmed_rules.formats.wording import VERDICTS, besides, printable, ratios, waiver_words
from openmed_rules.results.places import Place
from openmed_rules.results.report import Report

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_PLAIN: Final = frozenset(f"{string.ascii_letters}{string.digits}-._~/".encode())


def render_sarif(report: Report) -> str:
    """One run, in ASCII. The places in the inputs are the related locations of its results."""
    found = [*failures(report), *let_be(report)]
    rules = {concern.reason: concern.meaning for concern in found}
    run = {
        "tool": {
            "driver": {
                "name": "openmed-rules",
                "version": __version__,
                "rules": [{"id": reason, "shortDescription": {"text": words}} for reason, words in rules.items()],
            }
        },
        "invocations": [_invocation(report)],
        "results": [_result(report, concern, [*rules].index(concern.reason)) for concern in found],
        "columnKind": "unicodeCodePoints",
        "properties": {
            "rules": printable(report.rules.name),
            "rulesSha256": report.rules.sha256,
            "verdict": report.verdict,
            "cases": report.cases.total,
            "placesLeft": spots_left(report),
            **({"told": list(map(printable, told))} if (told := list(besides(report))) else {}),
            **{ratio.name: ratio.percent for ratio in ratios(report)},
        },
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _invocation(report: Report) -> dict[str, Any]:
    if report.verdict != "not_evaluated":
        return {"executionSuccessful": True}
    message = {"text": VERDICTS[report.verdict][1]}
    return {
        "executionSuccessful": False,
        "toolExecutionNotifications": [{"level": "error", "message": message}],
    }


def _result(report: Report, concern: Concern, index: int) -> dict[str, Any]:
    identity = f"{report.rules.name}\n{concern.reason}".encode("utf-8", "surrogatepass")
    counts = f": {printable(concern.found)}" if concern.lines else ""
    result = {
        "ruleId": concern.reason,
        "ruleIndex": index,
        "level": "warning" if concern.standing == "warning" else "error",
        "message": {"text": f"{printable(report.rules.name)}: {concern.meaning}{counts}"},
        "locations": [{"physicalLocation": _location(concern.rule_line)}] if concern.rule_line else [],
        "partialFingerprints": {"rulesAndReason/v1": sha256(identity).hexdigest()},
    }
    if concern.spots:
        result["relatedLocations"] = [_related(spot, number) for number, spot in enumerate(concern.spots)]
    if concern.standing == "waived":
        result["suppressions"] = [{"kind": "external", "justification": _waived(report, concern.reason)}]
    return result


def _waived(report: Report, reason: str) -> str:
    """Why, until when and by whom: of the waiver of this reason, or else of every one in use."""
    used = [waiver for waiver in report.waivers if waiver.state == "used"]
    named = [waiver for waiver in used if waiver.reason == reason] or used
    return "; ".join(
        f"{printable(waiver.because)} ({printable(waiver.owner)}, {waiver_words(waiver)})" for waiver in named
    )


def _related(spot: Spot, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "physicalLocation": _location(spot.place),
        "message": {"text": spot.numbers},
        "properties": {name: value for name, value in spot.known.items() if name not in {"file", "line"}},
    }


def _location(place: Place) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.file)}}
    if place.line is not None:
        location["region"] = {"startLine": place.line}
    return location


def _uri(file: str) -> str:
    """A file name as a URI: relative where it is."""
    path = PurePath(file)
    letters = path.as_posix().encode("utf-8", "surrogateescape")
    escaped = "".join(chr(letter) if letter in _PLAIN else f"%{letter:02X}" for letter in letters)
    if not path.is_absolute():
        return escaped
    return f"file://{escaped}" if escaped.startswith("/") else f"file:///{escaped}"
