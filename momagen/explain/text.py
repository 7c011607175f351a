"""The text of explanations for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from momagen.emit import Source
from momagen.kernels.residues.theorems import Theorem
from momagen.rewrite import Rule, by_form, form_of
from momagen.rewrite import table as rule_table

from .counts.applied import applied, applied_rules
from .explanation import Explanation
from .notation import Line
from .steps import RewriteStep

WIDEST = 76
"""The largest number of columns of the notation; the rule is printed to the right of it."""


SPLITTING = {
    "left": "a at 2w bits", "right": "[a0, a1], each of w bits",
    "why": "a number of 2w bits is split into words: a = a0·2^w + a1",
    "source": "MoMA, Table 1 (19)–(21)",
}  # fmt: skip
"""Rule (19), which has no row in the table because it rewrites numbers instead of an operation."""


def chip(rule: Rule) -> str:
    """Return the number of a rule in the paper, or the name of a rule without a number."""
    return f"({rule.id})" if rule.id else rule.name


def rendered(told: Explanation, limit: int = 0) -> Text:
    """Return the whole explanation, with at most ``limit`` lines of each step (0: all lines)."""
    text = Text()
    machine = told.target
    text.append(f"{told.aside}\n\n" if told.aside else "", "bold yellow")
    text.append(f"{told.op}, {told.widths}, on {machine.name} ({machine.title})\n", "bold")
    text.append(f"q = {told.form}, baked in\n" if told.form else "", "bold")
    for number, step in enumerate(told.steps, 1):
        text.append("\n").append_text(_step(number, step, limit))
    _summary(text, told)
    _code(text, told, limit)
    return text


def _step(number: int, step: RewriteStep, limit: int) -> Text:
    text = Text()
    made = ", ".join(f"{rule.label} ×{count}" if count > 1 else rule.label for rule, count in step.rules_applied)
    text.append(f"{number}  ", "bold cyan").append(f"{step.title or made}\n", "bold")
    shown = step.lines[:limit] if limit else step.lines
    edge = min(WIDEST, max((len(str(line)) for line in shown), default=0) + 4)
    for line in shown:
        text.append_text(_line(line, edge, "(19)" if step.splits and line is shown[0] else ""))
    if len(shown) < len(step.lines):
        text.append(f"    … {len(step.lines) - len(shown)} more lines\n", "dim")
    return text


def _line(line: Line, edge: int, note: str) -> Text:
    text, words = Text("    "), str(line)
    text.append(words, "" if line.fresh or line.rule is None else "dim")
    label = chip(line.rule) if line.fresh and line.rule else note
    return text.append(" " * max(2, edge - len(words)) + label if label else "", "magenta").append("\n")


def _summary(text: Text, told: Explanation) -> None:
    text.append("\nrewrite rules applied\n", "bold")
    for rule, count in told.rules_applied:
        text.append(f"    {count:>5} × ").append(f"{rule.label:<32}", "magenta")
        text.append(f"{reason_of(rule, told.by_form)}\n", "dim")
    total = sum(told.operations.values())
    text.append(f"\noperations on {told.target.word}-bit words: {total}\n", "bold")
    text.append("    " + counted(told.operations.most_common()) + "\n")


def reason_of(rule: Rule | Theorem, forms: Mapping[str, str]) -> str:
    """Return the reason why a rule is correct, after the form of the modulus if the rule depends on it."""
    form = forms.get(rule.label)
    return f"q = {form}: {rule.why}" if form else rule.why


def counted(pairs: list[tuple[str, int]]) -> str:
    """Return the counts as text, such as ``mul ×4, add ×3``."""
    return ", ".join(f"{name} ×{count}" for name, count in pairs)


def _code(text: Text, told: Explanation, limit: int) -> None:
    text.append(f"\n{told.target.name}\n", "bold")
    shown = told.code[:limit] if limit else told.code
    for line in shown:
        text.append(f"    {line.text}\n")
    if len(shown) < len(told.code):
        text.append(f"    … {len(told.code) - len(shown)} more lines\n", "dim")


def kernel(source: Source) -> str:
    """Return the text about a kernel; see :func:`momagen.explain.kernel_text`."""
    spec = source.spec
    arith = spec.arith
    words = f"{arith.words} word{'s' * (arith.words > 1)} of {arith.word} bits"
    lines = [f"{source.name}: {words} per residue, {source.moduli}", ""]
    found = applied(source.rules_applied)
    rules, known = applied_rules(source.rules_applied), len(rule_table().rules)
    forms = by_form((rule for rule, _ in rules), arith.modulus) if arith.modulus else {}
    if arith.modulus and (form := form_of(arith.modulus)):
        lines.insert(1, f"q = {form}, baked in")
    lines += [f"rewrite rules applied: {sum(count for _, count in rules)} times, {len(rules)} of {known}"]
    lines += [f"{count:>8} × {rule.label:<32}{reason_of(rule, forms)}" for rule, count in found]
    total = sum(source.operations.values())
    lines += ["", f"operations on words, one pass over all codelets: {total}"]
    lines += [f"{count:>8} × {op}" for op, count in source.operations.most_common()]
    return "\n".join([*lines, *([""] * bool(source.notes)), *source.notes]) + "\n"
