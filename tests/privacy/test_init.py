"""What ``init`` writes and says holds no value, no key that one record has alone, and no rare word."""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from canaries import MARK as CANARY
from canaries import assert_error_is_clean
from judged import lines
from openmed_rules.authoring.inference import choosing
from openmed_rules.authoring.inference.inferring import infer_rules
from openmed_rules.cli.boundary import run
from openmed_rules.errors import InternalError


def planted(number: int, *, kind: str = "cite", also: bool = True) -> dict[str, Any]:
    """A note with a canary in every value but the words of a type, and in a key of its own of every object.

    ``also``: one more key stands in every object of this note, and in no other note.
    """
    known = [f"{CANARY}-{number}-{k}" for k in range(4)]
    counter = count()

    def own() -> dict[str, Any]:
        members = {f"{CANARY}-{number}-{next(counter)}": known[0]}
        return {**members, f"{CANARY}_of_note_{number}": known[1]} if also else members

    return {
        **own(),
        "patient": f"{CANARY} patient {number}",
        "claims": [
            {
                **own(),
                "text": f"{CANARY} text [{known[0]}] and more words",
                "refs": [
                    {"type": kind, "ref": known[k], **own()},
                    {"type": "aside", "ref": f"{CANARY} aside", **own()},
                ],
            }
            for k in range(3)
        ],
        "facts": {name: {"value": f"{CANARY} value", **own()} for name in known},
        f"{CANARY}-facts-{number}": [{"id": name} for name in known],
    }


SAMPLES = {
    "many notes": [planted(number) for number in range(8)],
    "one note": [planted(0, also=False)],
    "types that are ids": [planted(number, kind=f"{CANARY}{number}") for number in range(8)],
    "a rare type": [planted(number, kind=f"{CANARY}" if number == 3 else "cite") for number in range(30)],
    "keyed by patient": [{f"{CANARY}-{number}": planted(number)} for number in range(8)],
    "nothing": [{CANARY: CANARY}],
}


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("switch", [[], ["--no-recognise"]], ids=["known", "unknown"])
def test_nothing_of_a_record_is_written(
    sample: str, switch: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file, rules = tmp_path / "notes.jsonl", tmp_path / "rules.yaml"
    file.write_text("".join(json.dumps(note) + "\n" for note in SAMPLES[sample]), encoding="utf-8")
    run(["init", str(file), "-o", str(rules), *switch])
    shown = capfd.readouterr()

    assert CANARY not in shown.out + shown.err
    assert not rules.exists() or CANARY not in rules.read_text(encoding="utf-8")


def test_the_rule_is_found_beside_them() -> None:
    found = infer_rules(lines(SAMPLES["many notes"], "notes"), name="ours")

    assert found.text is not None
    assert CANARY not in f"{found!r} {found.text} {found.questions}"
    assert "where: {type: cite}" in found.text


def test_no_error_holds_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*documents: object) -> None:
        raise KeyError(CANARY, documents)

    monkeypatch.setattr(choosing, "grow", fails)
    with pytest.raises(InternalError) as caught:
        infer_rules(lines(SAMPLES["many notes"], "notes"), name="ours", known_layouts=False)

    assert_error_is_clean(caught.value)


SHARED = {"claims_xq", "citations_xq", "type_xq", "fact_ref_xq", "facts_xq", "id_xq"}
FREQUENT = "cite_xq"


def worded(number: int) -> dict[str, Any]:
    """A note in which every key and every word of a type ends alike; some are its own, or rare."""
    names = [f"{CANARY}-{number}-{k}" for k in range(4)]
    own = {f"own{number}_xq": names[0], **({"seldom_xq": names[1]} if number == 3 else {})}

    def cited(k: int) -> list[dict[str, Any]]:
        other = "rare_xq" if (number, k) == (3, 0) else "aside_xq"
        aside = {**own, "type_xq": other, "fact_ref_xq": f"{CANARY} aside"}
        return [{**own, "type_xq": FREQUENT, "fact_ref_xq": names[k]}, aside]

    return {
        **own,
        "claims_xq": [{**own, "text_xq": f"word_xq {CANARY}", "citations_xq": cited(k)} for k in range(3)],
        "facts_xq": [{**own, "id_xq": name, "value_xq": f"value{number}_xq"} for name in names],
    }


def test_the_words_of_a_rule_file_are_keys_that_many_share_and_words_that_are_few_and_frequent() -> None:
    found = infer_rules(lines([worded(number) for number in range(30)], "notes"), name="ours", known_layouts=False)

    assert found.text is not None
    assert set(re.findall(r"\w+_xq", f"{found.text} {found.questions}")) == SHARED | {FREQUENT}
    assert CANARY not in found.text
    assert "look before you share it" in found.text.lower()
