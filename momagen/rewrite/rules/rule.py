"""Rules: rows of ``rules/*.toml``, both sides parsed and checked."""

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
KEYS = {"id", "name", "from", "derive", "to", "why", "source", "when", "form", "choice", "identity", "slack"}


def _names(pattern: Expr) -> list[str]:
    """The names that an argument on the left-hand side binds, high digit first."""
    parts = pattern.items if isinstance(pattern, Digits) else (pattern,)
    return [part.text for part in parts if isinstance(part, Variable)]


@dataclass(frozen=True, eq=False)
class Rule:
    """One row. What it is rewritten to is read when it is first asked for: most kernels apply few rules.

    Attributes:
        id, name: the equation number in the paper, where it has one, and a name of our own.
        op: the operation that the left-hand side is; ``digits`` of them per word argument.
        patterns: the argument names, digit by digit.
        derive: the text that defines constants, of fixed arguments alone.
        form: the form of a known argument, whose exponents and numbers have names in ``when`` and on the right.
        when: when it applies; ``choice`` "option:value" is an alternative that an option must pick.
        identity: it holds as an identity of polynomials in z = 2^w.
        slack: it holds for digits with slack, as ``digits.slack`` says; ``check_slack`` proves it.
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
        """Of each argument, the names of its digits."""
        return tuple(map(_names, self.patterns))

    @cached_property
    def shape(self) -> Form | None:
        """What ``form`` asks for; None where it asks for nothing."""
        return parse_form(self.form, self.where)

    @cached_property
    def shaped(self) -> int:
        """The argument that ``form`` is about."""
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
        """How often everything is done that is repeated."""
        return [each.count for each in self.body if isinstance(each, Repeat)]

    @property
    def asked(self) -> str:
        """The right-hand side with the constants that it derives, for people."""
        return f"{self.derive}\n{self.right}" if self.derive else self.right

    @property
    def where(self) -> str:
        return f"{self.file}, rule {self.label}"

    @property
    def label(self) -> str:
        return f"({self.id}) {self.name}" if self.id else self.name

    def chosen(self, choices: Mapping[str, str]) -> bool:
        """Return whether the choices pick this alternative; a rule without a choice stands for all."""
        choice, _, value = self.choice.partition(":")
        return not choice or choices.get(choice) == value


def parse_rule(row: Mapping[str, object], file: str) -> Rule:
    """The rule of one TOML row, all of it read.

    Raises:
        MomagenError: an unknown or missing key, or text outside the notation (file, rule and text are named).
    """
    rule = _rule(row, file)
    _ = rule.shape, rule.guard, rule.derived, rule.body
    return rule


def _rule(row: Mapping[str, object], file: str) -> Rule:
    """The rule of one TOML row, whose left-hand side is read.

    Raises:
        MomagenError: an unknown or missing key, or text outside the notation in that.
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
    statements = parse_statements(text, where)
    if len(statements) != 1 or not isinstance(statements[0], Equation):
        raise MomagenError("one assignment on the left-hand side", text, where)
    return statements[0]


def _check_derived(derived: tuple[Statement, ...], rule: Rule) -> None:
    """Constants are operations on what is known before the data: fixed arguments, or constants before."""
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
    """A left-hand side stands for every instruction of its operation: its arguments are names, its distance is k."""
    for part in (part for arg in found.args for part in (arg.items if isinstance(arg, Digits) else (arg,))):
        if not isinstance(part, Variable):
            raise MomagenError("names or brackets of names as arguments", str(part), where)
    if found.distance not in (None, Variable("k")):
        raise MomagenError("the distance k", found.distance, where)


def load_file(path: Path) -> list[Rule]:
    """The rules of one file, in order; ``check_shrinks`` reads the rest of each.

    Raises:
        MomagenError: the file cannot be read or is not TOML.
    """
    rows = read_toml(path, "a rule file in TOML", path.name).get("rule", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise MomagenError("[[rule]] tables", type(rows).__name__, path.name)
    found = []
    for row in rows:
        with shallow(" ".join(map(str, row.values())), path.name):
            found.append(_rule(row, path.name))
    return found
