"""What a rule file of the right shape says that cannot be meant: one function for one rule of the language.

Each check names the sections that it reads, so that a fault in one section hides only what depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias

from openmed_rules.ruleset.bounds import MAX_PROBLEMS
from openmed_rules.ruleset.model import Citations, Claims, Composite, Evidence, Form, Place
from openmed_rules.ruleset.problems import Fault, KeyPath, did_you_mean
from openmed_rules.ruleset.sections import COLLECTIONS, AnyPart, Part, Sections
from openmed_rules.ruleset.sides import evidence_is_not_the_citations, kinds_meet, within_on_both_sides
from openmed_rules.ruleset.words import BY_CLASS

Check: TypeAlias = Callable[[Sections], Iterable[Fault]]


def meaning_faults(data: Mapping[str, Any], broken: Collection[str] = ()) -> list[Fault]:
    """What cannot be meant in ``data``, as far as it does not depend on the ``broken`` sections.

    Only as much is looked for as is told, and one more.
    """
    sections = Sections(data)
    broken = {*broken, *(name for name in COLLECTIONS if name not in data)}
    checks = [check for reads, check in CHECKS if not any(name in broken for name in reads)]
    return list(islice((fault for check in checks for fault in check(sections)), MAX_PROBLEMS + 1))


# --- collections ------------------------------------------------------------------------------


def citations_have_records(sections: Sections) -> Iterator[Fault]:
    """Only with ``siblings`` the claim's neighbours are the citations themselves."""
    for part in sections.citations:
        if not part.rule.records and not part.rule.siblings:
            yield Fault("OMR-202", (*part.place, "records"), "records is missing")


def merged_have_ids(sections: Sections) -> Iterator[Fault]:
    """``merge`` joins what has the same id."""
    parts: list[AnyPart] = [*sections.claims, *sections.evidence]
    for part in parts:
        if part.said.get("merge") and not part.said.keys() & {"id", "kinds"}:
            message = "merge needs id beside it: what has the same id is joined"
            yield Fault("OMR-401", (*part.place, "merge"), message, at_key=True)


def edges_find_claims(sections: Sections) -> Iterator[Fault]:
    """A citation that names its claim needs claims with ids."""
    if any(part.rule.id for part in sections.claims):
        return
    for part in sections.citations:
        if part.rule.claim:
            hint = "write `id` under `claims`"
            yield Fault("OMR-402", (*part.place, "claim"), "no claim has an id", hint=hint, at_key=True)


def citations_read_a_field(sections: Sections) -> Iterator[Fault]:
    """A citation whose id were its own position would cite "record n", whatever it says."""
    for part in sections.citations:
        ids = [((*part.place, "id"), part.rule.id)]
        ids += [((*part.place, "kinds", kind.name, "id"), kind.id) for kind in part.rule.kinds]
        for place, locator in ids:
            if not all(map(_reads_a_field, locator)):
                message = "the id of a citation is its own position or pointer, and reads nothing of it"
                yield Fault("OMR-403", place, message, hint="write the path of a field")


def _reads_a_field(form: Form) -> bool:
    if isinstance(form, Composite):
        return any(_reads_a_field(inner) for part in form.parts for inner in part)
    return not isinstance(form, Place) or form.what == "key"


def kinds_are_told_apart(sections: Sections) -> Iterator[Fault]:
    """A kind has a reference of its own; one that takes all the rest comes last."""
    parts: list[Part[Citations] | Part[Evidence]] = [*sections.citations, *sections.evidence]
    for part in parts:
        for number, kind in enumerate(part.rule.kinds, 1):
            place = (*part.place, "kinds", kind.name)
            if not kind.id and not kind.span and not kind.ignore:
                yield Fault("OMR-404", place, f"the kind {kind.name} has neither id nor span", at_key=True)
            if not kind.where and number < len(part.rule.kinds):
                message = f"the kind {kind.name} takes all that follow: only the last may lack where"
                yield Fault("OMR-405", place, message, at_key=True)


def labels_are_plain(sections: Sections) -> Iterator[Fault]:
    """A class has one name, and ``default`` is taken."""
    parts: list[Part[Claims] | Part[Evidence]] = [*sections.claims, *sections.evidence]
    for part in parts:
        if part.rule.class_rule is not None:
            place = (*part.place, "class", "labels")
            yield from _repeated(part.rule.class_rule.labels, place)
            if "default" in part.rule.class_rule.labels:
                message = "default is no label: in tolerances it stands for every class without an entry"
                yield Fault("OMR-406", (*place, part.rule.class_rule.labels.index("default")), message)


def text_is_read_openly(sections: Sections) -> Iterator[Fault]:
    """``find_all`` reads text, and a rule set that does says so."""
    if sections.data.get("reads_text"):
        return
    for part in sections.collections:
        hops = [((*part.place, "follow", n), hop) for n, hop in enumerate(part.said.get("follow", ()))]
        for place, said in ((part.place, part.said), *hops):
            for where, form in _each(said.get("records", []), (*place, "records")):
                if isinstance(form, dict) and "find_all" in form:
                    hint = "write `reads_text: true` at the top"
                    message = "find_all reads text, and the rule file does not say so"
                    yield Fault("OMR-407", (*where, "find_all"), message, hint=hint, at_key=True)


# --- inputs, policy, reports, tests -----------------------------------------------------------


def evidence_input_is_read(sections: Sections) -> Iterator[Fault]:
    """What is said of the evidence input needs a collection that reads it."""
    if "evidence" in sections.section("inputs") and not sections.reads_evidence_input:
        hint = "write `in: evidence` on the collection that stands there"
        message = "no collection reads the evidence input"
        yield Fault("OMR-411", ("inputs", "evidence"), message, hint=hint, at_key=True)


def joins_have_two_sides(sections: Sections) -> Iterator[Fault]:
    """Cases meet by an id of each side."""
    inputs = sections.section("inputs")
    sides = [side for side in ("summary", "evidence") if "join" in inputs.get(side, {})]
    if len(sides) == 1:
        other = "evidence" if sides == ["summary"] else "summary"
        hint = f"write `join` under `inputs: {{{other}: ...}}` too"
        yield Fault("OMR-412", ("inputs", sides[0], "join"), "join on one side only", hint=hint, at_key=True)


def failed_cases_are_cases(sections: Sections) -> Iterator[Fault]:
    """With ``per: batch`` no case fails by itself."""
    policy = sections.section("policy")
    if policy.get("per") == "batch" and "failed_cases" in policy:
        message = "failed_cases does not go with per: batch, where no case fails by itself"
        yield Fault("OMR-413", ("policy", "failed_cases"), message, at_key=True)


def tolerated_classes_exist(sections: Sections) -> Iterator[Fault]:
    """A tolerance by class names labels that a class rule knows."""
    policy = sections.section("policy")
    sides: list[list[Part[Claims]] | list[Part[Evidence]]] = [sections.claims, sections.evidence]
    for reason, parts in zip(BY_CLASS, sides, strict=True):
        rules = [part.rule.class_rule for part in parts if part.rule.class_rule is not None]
        known = {label for rule in rules for label in rule.labels}
        for block in ("tolerate", "warn"):
            entry = policy.get(block, {}).get(reason)
            for label in entry if isinstance(entry, dict) else ():
                if label in known or label == "default":
                    continue
                expected = "one of the labels of `class`" if known else "a `class` on the collection"
                message = f"no class is called {label}"
                place = ("policy", block, reason, label)
                yield Fault("OMR-414", place, message, expected, did_you_mean(label, known), at_key=True)


def reports_are_named_once(sections: Sections) -> Iterator[Fault]:
    """Each report is written once."""
    return _repeated(sections.data.get("reports", ()), ("reports",))


def tests_fit_the_rules(sections: Sections) -> Iterator[Fault]:
    """A test has the inputs that the rules read, and expects numbers of reports that they ask for."""
    tests = sections.data.get("tests", ())
    reports = sections.data.get("reports", ("citations", "coverage"))
    names: set[str] = set()
    for number, test in enumerate(tests):
        place = ("tests", number)
        if test["name"] in names:
            message = f"a second test is called {test['name']}"
            yield Fault("OMR-415", (*place, "name"), message)
        names.add(test["name"])
        for report in {"citations", "coverage"} - set(reports):
            if report in test["expect"]:
                message = f"the rules do not ask for the {report} report"
                yield Fault("OMR-416", (*place, "expect", report), message, at_key=True)
        for where, given in _test_inputs(test, place):
            has_evidence = isinstance(given, dict) and "evidence" in given
            if has_evidence and not sections.reads_evidence_input:
                message = "no collection reads the evidence input"
                yield Fault("OMR-411", (*where, "evidence"), message, at_key=True)
            elif sections.reads_evidence_input and not has_evidence:
                message = "evidence is missing: a collection reads the evidence input"
                yield Fault("OMR-202", (*where, "evidence"), message)


def _test_inputs(test: Mapping[str, Any], place: KeyPath) -> list[tuple[KeyPath, Any]]:
    """The mappings in which a test names its inputs."""
    if "cases" in test:
        return _each(test["cases"], (*place, "cases"))
    if "file" in test:
        return _each(test["file"], (*place, "file"))
    return [(place, test)]


def _each(data: Any, place: KeyPath) -> list[tuple[KeyPath, Any]]:  # noqa: ANN401 - plain data
    """What may be one or a list, each with its place."""
    if isinstance(data, list):
        return [((*place, number), item) for number, item in enumerate(data)]
    return [(place, data)]


def _repeated(words: Iterable[str], place: KeyPath) -> Iterator[Fault]:
    """Words of a list that stand in it twice."""
    seen: set[str] = set()
    for number, word in enumerate(words):
        if word in seen:
            yield Fault("OMR-417", (*place, number), f"{word} stands here twice")
        seen.add(word)


CHECKS: tuple[tuple[tuple[str, ...], Check], ...] = (
    (("citations",), citations_have_records),
    (("claims", "evidence"), merged_have_ids),
    (("claims", "citations"), edges_find_claims),
    (("citations",), citations_read_a_field),
    (("citations", "evidence"), kinds_are_told_apart),
    (("citations", "evidence"), kinds_meet),
    (("citations", "evidence"), within_on_both_sides),
    (COLLECTIONS, evidence_is_not_the_citations),
    (("claims", "evidence"), labels_are_plain),
    ((*COLLECTIONS, "reads_text"), text_is_read_openly),
    ((*COLLECTIONS, "inputs"), evidence_input_is_read),
    (("inputs",), joins_have_two_sides),
    (("policy",), failed_cases_are_cases),
    (("policy", "claims", "evidence"), tolerated_classes_exist),
    (("reports",), reports_are_named_once),
    ((*COLLECTIONS, "tests", "reports"), tests_fit_the_rules),
)
"""Every check, after the sections that it reads."""
