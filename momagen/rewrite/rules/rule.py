"""Rules: the rows of ``rules/*.toml``, with both sides parsed and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from momagen.errors import MomagenError, among
from momagen.ir import OPS
from momagen.rewrite.notation.arithmetic import Guard
from momagen.rewrite.notation.classify import OperationForm, digits_of, shape
from momagen.rewrite.notation.forms import Form, parse_form
from momagen.rewrite.notation.parser import parse_guard, parse_statements
from momagen.rewrite.notation.syntax import Apply, Digits, Equation, Expr, Repeat, Statement, Variable
from momagen.tables import read_toml, shallow

_TEXTS = ("id", "name", "why", "source", "derive", "form", "when", "choice")
KEYS = {"id", "name", "from", "derive", "to", "why", "source", "when", "form", "choice", "identity", "slack", "lemmas"}
"""The keys of a rule. Only ``momagen.prove`` reads ``lemmas``."""


def _names(pattern: Expr) -> list[str]:
    """Return the names that an argument on the left-hand side binds, the name of the high limb first."""
    parts = pattern.items if isinstance(pattern, Digits) else (pattern,)
    return [part.text for part in parts if isinstance(part, Variable)]


@dataclass(frozen=True, eq=False)
class Rule:
    """One rule of a rule file.

    The right-hand side is parsed when it is first used, since most kernels apply few rules.

    Attributes:
        id: The number of the equation in the paper, or "".
        name: The name of the rule.
        file: The name of the file.
        left: The left-hand side as it is written.
        right: The right-hand side as it is written.
        why: The reason why the rule is correct.
        source: The publication, or the rules from which the rule follows.
        op: The operation that the rule replaces.
        digits: The number of limbs of each word argument.
        patterns: The arguments of the left-hand side, which are names or brackets of the names of limbs.
        targets: The names of the results.
        derive: The text that defines constants, which depend on fixed arguments only.
        form: The form of an argument that is known when the code is generated. ``when`` and the right-hand
            side may use the names of its exponents and numbers.
        when: The condition under which the rule applies.
        choice: An alternative "option:value" that must be selected for the rule to apply, or "".
        identity: Whether the rule also holds as an identity of polynomials in z = 2^w.
        slack: Whether the rule holds for reduced-radix limbs as :mod:`momagen.rewrite.digits.slack` defines
            it. The function ``check_slack`` tests this.
    """

    id: str
    name: str
    file: str
    left: str
    right: str
    why: str
    source: str
    op: str
    digits: int
    patterns: tuple[Expr, ...]
    targets: tuple[Variable, ...]
    derive: str
    form: str
    when: str
    choice: str
    identity: bool
    slack: bool

    @cached_property
    def names(self) -> tuple[list[str], ...]:
        """The names of the limbs of each argument."""
        return tuple(map(_names, self.patterns))

    @cached_property
    def shape(self) -> Form | None:
        """The form that an argument must have, or None."""
        return parse_form(self.form, self.where)

    @cached_property
    def shaped(self) -> int:
        """The index of the argument that must have the form, or -1."""
        return self.names.index([self.shape.name]) if self.shape else -1

    @cached_property
    def guard(self) -> Guard:
        """The comparisons of ``when``."""
        return parse_guard(self.when, self.where)

    @cached_property
    def derived(self) -> tuple[Statement, ...]:
        """The statements of ``derive``."""
        found = tuple(parse_statements(self.derive, self.where))
        _check_derived(found, self)
        return found

    @cached_property
    def body(self) -> tuple[Statement, ...]:
        """The statements of the right-hand side."""
        return tuple(parse_statements(self.right, self.where))

    @cached_property
    def repeats(self) -> list[Expr]:
        """The number of iterations of each ``repeat`` on the right-hand side."""
        return [each.count for each in self.body if isinstance(each, Repeat)]

    @property
    def asked(self) -> str:
        """The right-hand side with the constants that it derives, as text for readers."""
        return f"{self.derive}\n{self.right}" if self.derive else self.right

    @property
    def where(self) -> str:
        """The file and the label of the rule, for errors."""
        return f"{self.file}, rule {self.label}"

    @property
    def label(self) -> str:
        """The number and the name of the rule."""
        return f"({self.id}) {self.name}" if self.id else self.name

    def chosen(self, choices: Mapping[str, str]) -> bool:
        """Return whether the rule has no choice, or the choices select it."""
        choice, _, value = self.choice.partition(":")
        return not choice or choices.get(choice) == value


def parse_rule(row: Mapping[str, object], file: str) -> Rule:
    """Return the rule of one TOML row, with all its parts parsed.

    Args:
        row: The row.
        file: The name of the file, for errors.

    Raises:
        MomagenError: A key is unknown or missing, or a text is outside the notation. The message names the
            file, the rule and the text.
    """
    rule = _rule(row, file)
    _ = rule.shape, rule.guard, rule.derived, rule.body
    return rule


def _rule(row: Mapping[str, object], file: str) -> Rule:
    """Return the rule of one TOML row, with only its left-hand side parsed.

    Raises:
        MomagenError: A key is unknown or missing, or the left-hand side is outside the notation.
    """
    where = f"{file}, rule {row.get('name', '?')}"
    for key in ("name", "from", "to", "why"):
        if key not in row:
            raise MomagenError(f"the key “{key}”", ", ".join(row) or "nothing", where)
    if unknown := set(row) - KEYS:
        raise among("keys among", sorted(KEYS), ", ".join(sorted(unknown)), where)
    head = _left(str(row["from"]), where)
    found = shape(head.value, head.targets, {}, where)
    widths = [digits_of(a, {}) for a, kind in zip(found.args, OPS[found.op].args, strict=True) if kind != "f"]
    _check_left(found, f"{where}: {row['from']!r}")
    texts = {key: str(row.get(key, "")).strip() for key in _TEXTS}
    return Rule(
        file=file, left=str(row["from"]), right=str(row["to"]).strip(), op=found.op,
        digits=max(widths, default=len(head.targets)), patterns=found.args, targets=head.targets,
        identity=bool(row.get("identity")), slack=bool(row.get("slack")), **texts,
    )  # fmt: skip


def _left(text: str, where: str) -> Equation:
    """Return the only assignment of a left-hand side."""
    statements = parse_statements(text, where)
    if len(statements) != 1 or not isinstance(statements[0], Equation):
        raise MomagenError("one assignment on the left-hand side", text, where)
    return statements[0]


def _check_derived(derived: tuple[Statement, ...], rule: Rule) -> None:
    """Check that constants are operations on fixed arguments or on previous constants."""
    known, where = {name for at in OPS[rule.op].fixed for name in rule.names[at]}, rule.where
    for statement in derived:
        if not isinstance(statement, Equation) or not isinstance(statement.value, Apply):
            raise MomagenError("one operation for each constant", str(statement), f"{where}, derive")
        read = [str(arg) for arg in statement.value.args]
        if data := [name for name in read if name not in known]:
            expected = f"only arguments known before the data ({', '.join(sorted(known)) or 'there are none'})"
            raise MomagenError(expected, ", ".join(data), f"{where}, derive")
        known |= {target.text for target in statement.targets}


def _check_left(found: OperationForm, where: str) -> None:
    """Check that a left-hand side matches all instructions of its operation.

    Its arguments must be names or brackets of names, and its distance must be k.
    """
    for part in (part for arg in found.args for part in (arg.items if isinstance(arg, Digits) else (arg,))):
        if not isinstance(part, Variable):
            raise MomagenError("names or brackets of names as arguments", str(part), where)
    if found.distance not in (None, Variable("k")):
        raise MomagenError("the distance k", found.distance, where)


def load_file(path: Path) -> list[Rule]:
    """Return the rules of one file in order. Their right-hand sides are checked later by ``check_shrinks``.

    Raises:
        MomagenError: The file cannot be read, is not TOML, or contains an invalid rule.
    """
    rows = read_toml(path, "a rule file in TOML", path.name).get("rule", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise MomagenError("[[rule]] tables", type(rows).__name__, path.name)
    found = []
    for row in rows:
        with shallow(" ".join(map(str, row.values())), path.name):
            found.append(_rule(row, path.name))
    return found
