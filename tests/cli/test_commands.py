"""The command line around its commands: help, version, wrong use, faults of our own."""

from __future__ import annotations

import pytest

from openmed_rules import __version__
from openmed_rules.cli import boundary
from openmed_rules.cli.boundary import run
from openmed_rules.cli.commands import COMMANDS
from openmed_rules.errors import CODES


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], *([name, "--help"] for name in COMMANDS)], ids=" ".join)
def test_help_is_a_result(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 0

    shown = capsys.readouterr()
    assert shown.out.startswith("Usage: openmed-rules ")
    assert "--debug" in shown.out
    assert shown.err == ""


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    run(["--help"])
    shown = capsys.readouterr().out

    assert all(f"\n  {name} " in shown for name in COMMANDS)


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"openmed-rules {__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["chek"], ["--no-such-option"], ["explain-code"], ["explain-code", "x"]])
def test_wrong_use_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2

    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_explained(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain-code", code.lower()]) == 0
    assert capsys.readouterr().out.startswith(f"{code}: ")


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        (KeyboardInterrupt(), 130, "openmed-rules: interrupted\n"),
        (boundary.Terminated(), 143, "openmed-rules: terminated\n"),
        (ZeroDivisionError("words"), 70, "openmed-rules: internal error: ZeroDivisionError\n"),
        (RecursionError("words"), 70, "openmed-rules: internal error: RecursionError\n"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_what_ends_a_run_from_inside_is_told_without_its_words(
    fault: BaseException,
    code: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(_code: str) -> None:
        raise fault

    monkeypatch.setattr("openmed_rules.cli.codes.explained", fail)

    assert run(["explain-code", "OMR-601"]) == code
    assert capsys.readouterr() == ("", told)


@pytest.mark.parametrize("arguments", [["--debug", "explain-code", "OMR-601"], ["explain-code", "OMR-601", "--debug"]])
def test_debug_tells_where_and_not_what(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_code: str) -> None:
        raise ZeroDivisionError("words")

    monkeypatch.setattr("openmed_rules.cli.codes.explained", fail)

    assert run(arguments) == 70
    shown = capsys.readouterr().err
    assert " in explain_code_command\n" in shown
    assert "words" not in shown
    assert "site-packages" not in shown
