"""What is wrong with a rule file though it is well formed: one function for one warning."""

from __future__ import annotations

from openmed_rules.authoring.lint.leniency import LENIENCY
from openmed_rules.authoring.lint.reading import READING
from openmed_rules.authoring.lint.subject import Subject
from openmed_rules.authoring.lint.testing import TESTING
from openmed_rules.ruleset.loader import RuleFile
from openmed_rules.ruleset.problems import Problem


def lint(file: RuleFile) -> tuple[Problem, ...]:
    """Every warning about ``file``, sorted by place; its tests are run, and may answer a warning."""
    subject = Subject(file)
    faults = (fault for check in (*READING, *LENIENCY, *TESTING) for fault in check(subject))
    problems = dict.fromkeys(map(file.marks.problem, faults))
    return tuple(sorted(problems, key=lambda problem: (problem.mark, problem.code)))
