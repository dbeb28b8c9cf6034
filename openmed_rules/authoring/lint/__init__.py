"""What is wrong with a rule file though it is well formed: one function for one warning."""

from __future__ import annotations

from openmed_rules.authoring.lint.effort import EffortSpent, at_most
from openmed_rules.authoring.lint.leniency import LENIENCY
from openmed_rules.authoring.lint.reading import READING
from openmed_rules.authoring.lint.subject import Subject
from openmed_rules.authoring.lint.testing import TESTING
from openmed_rules.ruleset.bounds import MAX_CALLS
from openmed_rules.ruleset.loader import RuleFile
from openmed_rules.ruleset.problems import Fault, Problem


def lint(file: RuleFile) -> tuple[Problem, ...]:
    """Every warning about ``file``, sorted by place; its tests are run, and may answer a warning.

    Tests whose inputs stand in other files are not: nothing is read but the rule file and what it extends.
    """
    subject = Subject(file)
    faults: list[Fault] = []
    try:
        with at_most(MAX_CALLS):
            for check in (*LENIENCY, *READING, *TESTING):
                faults += check(subject)
    except EffortSpent:
        message = "this rule file or its tests are more work than is done here, so not every warning was looked for"
        faults.append(Fault("OMR-855", ("tests",), message, hint="write smaller tests, or paths with fewer .."))
    problems = dict.fromkeys(map(file.marks.problem, faults))
    return tuple(sorted(problems, key=lambda problem: (problem.mark, problem.code)))
