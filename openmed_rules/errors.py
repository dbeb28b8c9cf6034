"""What every error of this package is, and the table of codes that problems bear."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Outcome = TypeVar("Outcome")


class RulesError(Exception):
    """The base of every error that this package raises on purpose; none holds a value of a record."""

    exit_code = 2


class CodedError(RulesError):
    """One problem with its code, and a message that names files and words of the caller only."""

    def __init__(self, code: str, message: str) -> None:
        """``code``: one of ``CODES``."""
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        """``code: message``."""
        return f"{self.code}: {self.message}"


class UsageError(CodedError):
    """A call that cannot work as it stands: inputs that do not go together, a name that is not known."""


class InputError(CodedError):
    """An input that is missing, or that cannot be read at all."""

    exit_code = 3


class OutputError(CodedError):
    """An output that cannot be written."""

    exit_code = 3


class InternalError(CodedError):
    """A fault of this package itself."""

    exit_code = 70


class GateError(AssertionError):
    """A gate that did not let a run through; ``reasons`` are its codes."""

    def __init__(self, *reasons: str) -> None:
        """``reasons``: the codes of what failed."""
        super().__init__(*reasons)
        self.reasons = reasons

    def __str__(self) -> str:
        """The reasons, one after the other."""
        return f"the gate failed: {', '.join(self.reasons)}"


def contained(
    doing: str, work: Callable[Arguments, Outcome], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Outcome | BaseException:
    """What ``work`` returns, or the error to raise for it, from a frame that holds no record; raises nothing.

    The frames that an error has passed may hold a record, and so may the errors behind it: one of ours, or what ends
    the program (an interruption), comes back without them. Any other is told by its type alone; ``doing`` says
    meanwhile what.
    """
    try:
        return work(*args, **kwargs)
    except RulesError as error:
        return bare(error)
    except Exception as error:  # noqa: BLE001 - what it says may hold a record
        return InternalError("OMR-901", f"{type(error).__name__} while {doing}")
    except BaseException as ending:  # noqa: BLE001 - the caller raises it
        return bare(ending)


def bare(error: BaseException) -> BaseException:
    """An error without the frames that it has passed, and without the errors behind it."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


CODES = {
    "OMR-101": "the text is not YAML; most often a path lacks its quotes",
    "OMR-102": "the rule file is not UTF-8",
    "OMR-103": "the rule file is too long",
    "OMR-104": "a character that cannot stand in a rule file",
    "OMR-105": "the rule file is empty",
    "OMR-106": "a second document in one rule file",
    "OMR-107": "values nested too deep, or aliases that multiply",
    "OMR-108": "a tag of YAML",
    "OMR-109": "one anchor stands twice",
    "OMR-110": "an alias without its anchor, or an anchor without a value",
    "OMR-111": "a merge key",
    "OMR-112": "a key that is no text",
    "OMR-113": "one key stands twice in a mapping",
    "OMR-114": "a value without quotes on which readers of YAML differ",
    "OMR-115": "a comment that may have been meant as part of the value",
    "OMR-116": "more values than a rule file may hold",
    "OMR-117": "a key or value that is too long",
    "OMR-118": "more problems than are told at once",
    "OMR-201": "a key that is none of the rule language, or stands elsewhere in it",
    "OMR-202": "a key that is needed is missing",
    "OMR-203": "a value of a type that cannot stand there",
    "OMR-204": "a value that is empty, too long, too small, or of more than one line",
    "OMR-205": "a word that is none of those that can stand there",
    "OMR-206": "no tolerance: it is a count, a percentage, or any",
    "OMR-207": "keys that do not go together, or one without another",
    "OMR-208": "a version of the rule language that is not known",
    "OMR-209": "a reason that cannot be tolerated",
    "OMR-210": "a reason that is none",
    "OMR-211": "a reason that is not tolerated by class",
    "OMR-212": "a day that is none",
    "OMR-301": "a path that cannot be read, or that uses what paths do not have",
    "OMR-302": "a pattern that the engine does not accept",
    "OMR-303": "a pattern without the groups that are needed",
    "OMR-304": "a pattern that is too long",
    "OMR-305": "more paths than a rule file may hold",
    "OMR-306": "more patterns than a rule file may hold",
    "OMR-401": "merge without an id",
    "OMR-402": "citations that name their claim, and claims without an id",
    "OMR-403": "a citation whose id reads nothing of it",
    "OMR-404": "a kind with neither id nor span",
    "OMR-405": "a kind without where before another",
    "OMR-406": "default as a label",
    "OMR-407": "find_all in a rule file that does not say that it reads text",
    "OMR-411": "something is said of the evidence input, and no collection reads it",
    "OMR-412": "join on one side only",
    "OMR-413": "failed_cases beside per: batch",
    "OMR-414": "a tolerance for a class that no class rule knows",
    "OMR-415": "two tests of one name",
    "OMR-416": "a test expects numbers of a report that the rules do not ask for",
    "OMR-417": "one word stands twice in a list",
    "OMR-421": "a collection of evidence names no kind, and another does",
    "OMR-422": "a kind that the other side lacks",
    "OMR-423": "within on one side only",
    "OMR-424": "evidence is read from where the citations stand",
    "OMR-501": "no built-in layout has that name",
    "OMR-502": "the rule file does not exist",
    "OMR-503": "the rule file cannot be read",
    "OMR-504": "extends leads out of the root",
    "OMR-505": "extends goes round in a circle",
    "OMR-506": "extends goes over too many files",
    "OMR-507": "a rule file that is extended is no mapping",
    "OMR-508": "the files that are extended hold too much together",
    "OMR-509": "a file of a test stands outside of the root",
    "OMR-510": "a file that is none of ours, and may be an input",
    "OMR-601": "the file does not exist",
    "OMR-602": "the file or directory is empty, or nothing matches the name",
    "OMR-603": "the file cannot be read",
    "OMR-604": "the compressed file is damaged or was cut short",
    "OMR-605": "a .zst file needs the package zstandard",
    "OMR-606": "a table needs the package pyarrow",
    "OMR-607": "the table has no column of that name",
    "OMR-608": "the file is no Parquet file, or it is damaged",
    "OMR-611": "the text is not UTF-8",
    "OMR-612": "the text is not JSON",
    "OMR-613": "the document is nested too deep",
    "OMR-614": "an object has two members of one name",
    "OMR-615": "a field that is read holds NaN, half a surrogate pair, too long an integer, or itself",
    "OMR-616": "the case that it is paired with could not be read",
    "OMR-617": "the record's own code failed, or it is no record",
    "OMR-618": "a number that is NaN or an infinity, which JSON has not",
    "OMR-621": "the rules read an evidence input, and there is none",
    "OMR-622": "there is an evidence input, and no collection of the rules reads it",
    "OMR-623": "there are more or fewer evidence cases than summary cases, and no join says which meet",
    "OMR-624": "standard input is named more than once",
    "OMR-625": "one record where many are expected",
    "OMR-626": "no problem has that code",
    "OMR-627": "no format has that name, or the name of its file is missing",
    "OMR-628": "two results go to one place, or none goes to a place that is named",
    "OMR-629": "a column is named, and the input is no table",
    "OMR-631": "no document of the sample could be read",
    "OMR-632": "several evidence documents, and not one for each document of the summary",
    "OMR-633": "the file that a new rule file should become exists already",
    "OMR-634": "no citation of the sample names a record, so no rule could be inferred",
    "OMR-641": "what is asked for does not go with Spark",
    "OMR-642": "the package pyspark is not installed",
    "OMR-701": "the output cannot be written",
    "OMR-801": "the project file has no gate of that name",
    "OMR-802": "there is no project file",
    "OMR-803": "a baseline of another schema version",
    "OMR-804": "a baseline that other rules measured",
    "OMR-805": "a run of which nothing can be recorded",
    "OMR-806": "a baseline that would get looser without a reason",
    "OMR-807": "baseline update is not told what to record, or why in one line",
    "OMR-811": "a waiver that reaches too far ahead",
    "OMR-812": "two gates of one name",
    "OMR-813": "a format that is none",
    "OMR-831": "claims are kept because they cite something, so that uncited ones vanish",
    "OMR-832": "positions that start anew in every enclosing array",
    "OMR-833": "ids or offsets that may repeat in another of the enclosing arrays",
    "OMR-834": "an alternative that never counts, since one before it is always there",
    "OMR-835": "an ignored kind that does not name what it ignores",
    "OMR-836": "a pattern that loses a number of a marker in brackets",
    "OMR-837": "a capture that may capture nothing",
    "OMR-838": "a [*] at the end of records, which is dropped anyhow",
    "OMR-841": "a gate that cannot fail",
    "OMR-842": "a gate that does not notice that nothing is cited at all",
    "OMR-851": "a rule file without tests",
    "OMR-852": "tests of which none expects the gate to fail",
    "OMR-853": "a literal under not that occurs in no test",
    "OMR-854": "a convention of counting that no test notices",
    "OMR-855": "more work than is done to look for warnings",
    "OMR-901": "a fault of this package itself",
    "OMR-902": "a process that judged a part of the input died",
    "OMR-903": "a Spark job did not come to its end",
}
"""Every problem by its code, which never changes its meaning."""


def meaning(code: str) -> str:
    """What a code means, in one line."""
    return CODES[code]
