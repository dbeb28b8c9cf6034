"""What the tests of a rule file leave open."""

from __future__ import annotations

from collections.abc import Iterator

from openmed_rules.authoring.lint.subject import Check, Subject, wheres_of
from openmed_rules.authoring.mutation import mutants_of, run_mutants
from openmed_rules.ruleset.problems import Fault

_CONVENTIONS = frozenset({"base flipped", "closed flipped"})


def there_are_tests(subject: Subject) -> Iterator[Fault]:
    """A rule file without a test of its own, or without one in which its gate fails."""
    if not subject.tests:
        message = "this rule file has no tests: nobody knows whether it reads anything"
        hint = "write one test that passes the gate and one that fails it, under `tests`"
        yield Fault("OMR-851", ("name",), message, hint=hint, at_key=True)
    elif not any(test.expect.get("passed") is False or test.expect.get("reasons") for test in subject.tests):
        message = "no test expects the gate to fail, so a gate that lets everything through would pass them all"
        hint = "write a test with `expect: {passed: false, reasons: [...]}`"
        yield Fault("OMR-852", ("tests",), message, hint=hint, at_key=True)


def unwanted_words_occur(subject: Subject) -> Iterator[Fault]:
    """A literal under ``not`` that is misspelt leaves everything in; only a test shows that it is not."""
    if not subject.tests or subject.tests_in_files:
        return
    for part in subject.sections.collections:
        for place, where in wheres_of(part):
            for test in (test for tests in where for test in tests if test.negated):
                for literal in test.wanted:
                    if literal is not None and (type(literal), literal) not in subject.test_values:
                        message = f"no test holds {literal}, so a misspelt word would not be noticed"
                        hint = "write a test with a record that this leaves out"
                        yield Fault("OMR-853", (*place, test.path.text), message, hint=hint)


def conventions_are_tested(subject: Subject) -> Iterator[Fault]:
    """Where counting begins, and whether an end is inclusive: wrong by one, and still inside of the list."""
    if not subject.tests or subject.tests_in_files or subject.run.failed:
        return
    mutants = [
        mutant
        for mutant in mutants_of(subject.file.data)
        if mutant.what in _CONVENTIONS and _is_said(subject, mutant.place)
    ]
    for _, mutant in run_mutants(subject.file, mutants).survivors:
        word = str(mutant.place[-1])
        message = f"no test notices when {word} is {str(mutant.value).lower()} here"
        hint = "write a test that cites the first and the last record"
        yield Fault("OMR-854", mutant.place, message, hint=hint, at_key=True)


def _is_said(subject: Subject, place: tuple[str | int, ...]) -> bool:
    """Whether the file says the convention, or the position to which it belongs; a plain span says none."""
    return place in subject.file.marks.spots or (*place[:-1], "place") in subject.file.marks.spots


TESTING: tuple[Check, ...] = (there_are_tests, unwanted_words_occur, conventions_are_tested)
"""The checks of this module."""
