"""The one place where errors become messages and exit codes."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from openmed_rules.cli.streams import escape_unknown_letters, tell
from openmed_rules.errors import CodedError, RulesError

WRONG_USE = 2
OWN_FAULT = 70
INTERRUPTED = 130
TERMINATED = 143

_PACKAGE = Path(__file__).parents[1]


class Terminated(BaseException):
    """The run was told to end; it is no ``Exception``, so that nothing on the way takes it for one."""


def main() -> NoReturn:
    """Runs the command that was typed, and ends with its exit code."""
    sys.exit(_interruptible(_run_as_process))


def run(arguments: Sequence[str]) -> int:
    """Runs one command and gives its exit code; whatever happens is told without a value of a record."""
    return _interruptible(lambda: _invoke(arguments))


def _run_as_process() -> int:
    """Runs the command that was typed; what no longer is in its hands a signal ends at once, and without a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    signal.signal(signal.SIGTERM, _stop)
    escape_unknown_letters()
    try:
        return _invoke(sys.argv[1:])
    finally:
        _leave_signals()


def _interruptible(command: Callable[[], int]) -> int:
    try:
        return command()
    except KeyboardInterrupt:
        tell("openmed-rules: interrupted\n")
        return INTERRUPTED
    except Terminated:
        tell("openmed-rules: terminated\n")
        return TERMINATED


def _invoke(arguments: Sequence[str]) -> int:
    if sys.flags.optimize > 1:
        tell("openmed-rules: Python runs without docstrings (-OO, PYTHONOPTIMIZE=2), which Cerberus needs\n")
        return WRONG_USE
    import click

    from openmed_rules.cli.commands import debugging, openmed_rules

    context = None
    try:
        context = openmed_rules.make_context("openmed-rules", list(arguments))
        with context:
            return int(openmed_rules.invoke(context) or 0)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.ClickException as error:
        usage = f"{error.ctx.get_usage()}\n" if isinstance(error, click.UsageError) and error.ctx else ""
        tell(f"{usage}openmed-rules: {error.format_message()}\n")
        return WRONG_USE
    except CodedError as error:
        from openmed_rules.formats.wording import printable

        tell(f"{printable(str(error))}\n")
        return error.exit_code
    except RulesError as error:
        from openmed_rules.formats.wording import printable_lines

        tell(f"{printable_lines(str(error))}\n")
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - what an unknown error says may hold a record, so it ends here
        frames = "".join(f"  {frame}\n" for frame in _own_frames(error)) if debugging(context) else ""
        tell(f"openmed-rules: internal error: {type(error).__name__}\n{frames}")
        return OWN_FAULT


def _own_frames(error: BaseException) -> Iterator[str]:
    """Where in this package an error passed, without what stood there."""
    trace = error.__traceback__
    while trace:
        code = trace.tb_frame.f_code
        file = Path(code.co_filename)
        if file.is_relative_to(_PACKAGE):
            yield f"{file.relative_to(_PACKAGE.parent)}:{trace.tb_lineno} in {code.co_name}"
        trace = trace.tb_next


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    """Ends the run, which takes its unfinished outputs away; a second signal does not wait for that."""
    _leave_signals()
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated


def _leave_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_DFL)
