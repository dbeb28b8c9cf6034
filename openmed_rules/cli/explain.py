"""``explain``: where the paths of a rule file end, and why citations fail."""

from __future__ import annotations

import click

from openmed_rules.authoring.explain import explain, explanation_lines
from openmed_rules.cli.streams import show
from openmed_rules.errors import UsageError
from openmed_rules.formats.wording import printable
from openmed_rules.ruleset.loader import load_rule_file
from openmed_rules.running.files import INPUT_FORMATS, STDIN, InputFormat, find_files
from openmed_rules.running.reading import read_documents

NOT_READ = 3


@click.command("explain")
@click.option("-r", "--rules", "rule_file", required=True, metavar="RULES", help="A rule file or a built-in layout.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--evidence", multiple=True, metavar="FILE", help="The second input; may be given again.")
@click.option("--input-format", type=click.Choice(INPUT_FORMATS), help="How the inputs are laid out.")
@click.option("--root", metavar="DIR", help="Where `extends` may reach.")
def explain_command(
    *,
    rule_file: str,
    inputs: tuple[str, ...],
    evidence: tuple[str, ...],
    input_format: InputFormat | None,
    root: str | None,
) -> int:
    """Tell where in INPUT... each path of a rule file ends, why citations fail, and what would mend it.

    It tells counts, types and words of the rule file, and nothing that stands in the inputs. All of them are held in
    memory: a sample will do.

    Exit code: 0 whatever the gate says, 2 wrong use or rule file, 3 an input that is missing or unreadable.
    """
    if [*inputs, *evidence].count(STDIN) > 1:
        raise UsageError("OMR-624", "standard input can be read only once")
    file = load_rule_file(rule_file, root=root)
    summary = list(read_documents(find_files(inputs, input_format)))
    others = list(read_documents(find_files(evidence, input_format))) if evidence else None
    explanation = explain(file, summary, others)
    show("".join(f"{printable(line)}\n" for line in explanation_lines(explanation)))
    return NOT_READ if explanation.report.cases.unreadable or not explanation.report.cases.total else 0
