"""Proofs of rules: the right side does what the meaning of the operation on the left side says, for all inputs."""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import Polynomial, constant, plus, scaled
from momagen.prove.rules.execute import Execution, OperandValue
from momagen.prove.rules.facts import RuleFacts
from momagen.prove.rules.forms import parse_modulus_form
from momagen.prove.rules.instances import Instance, instances, operation_of
from momagen.prove.rules.lemmas import Lemmas, parse_lemmas
from momagen.prove.rules.notation import Comparison, Identifier, Node, Numeral, Operator
from momagen.prove.rules.numbers import compute, names_in, used
from momagen.prove.rules.rows import OperationMeaning, RuleRow, limbs_of, names_of

if TYPE_CHECKING:

    from momagen.prove.words import Value

MODULI = ("q", "p", "m")
"""The names of arguments that are the modulus of a proof."""
ANY_SIZE = 4096
"""The bits of an integer of any size, more than those of any product of operands."""


@dataclass
class RuleResult:
    """What is known of one row.

    Attributes:
        file: The file of the row.
        name: The name of the row.
        claim: The statement: the operation, the conditions, and what holds for its results.
        status: "proven" or "open".
        reason: Why the row is open.
        instances: The number of widths and distances for which the claim was proven.
        widths: The widths of a limb or word in bits.
        is_complete: Whether these are all distances of each width.
        method: How the claim was proven.
        seconds: The time.
    """

    file: str
    name: str
    claim: str
    status: str = "open"
    reason: str = ""
    instances: int = 0
    widths: list[int] = field(default_factory=list)
    is_complete: bool = False
    method: str = "linear programs over the exact meanings of operations, and cases of flags"
    seconds: float = 0.0


class VacuousError(ProofError):
    """No input meets the conditions on a width and a distance."""


class RuleProof:
    """The proof of one instance of a row."""

    def __init__(self, row: RuleRow, instance: Instance, seed: int = 0) -> None:
        self.row, self.instance = row, instance
        self.operation, self.patterns, _ = operation_of(row)
        self.limbs = max(
            (limbs_of(p) for p, kind in zip(self.patterns, self.operation.kinds, strict=True) if kind != "f"),
            default=len(row.head.targets),
        )
        self.width = self.limbs * instance.width
        self.numbers = instance.known
        self.form = parse_modulus_form(row.form)
        self.powers: dict[str, Value] = {}
        modular = not self.operation.is_machine and self.operation.name != "csub"
        self.at = next((i for i, name in enumerate(self.operation.args) if name in MODULI and modular), None)
        least, greatest = self._moduli()
        self.facts = RuleFacts(least, greatest)
        self.facts.radix = 1 << self.width
        self.facts.rng = random.Random(seed)
        self.names: dict[str, Value] = {}

    # The statement.

    @property
    def scope_numbers(self) -> dict[str, int]:
        """The numbers that the precondition of the operation may use."""
        known = {name: self.numbers[name] for name, kind in zip(self.operation.args, self.operation.kinds, strict=True)
                 if kind == "n" and name in self.numbers}  # fmt: skip
        return {"w": self.width, "k": self.numbers["k"], **known}

    def form_numbers(self, inputs: dict[str, int]) -> dict[str, int]:
        """Return the exponents and numbers that ``form`` defines for concrete inputs."""
        if self.form is None or self.at is None:
            return {}
        found = self.form.exponents(inputs[self.operation.args[self.at]])
        if found is None or any(self.numbers.get(name, value) != value for name, value in found.items()):
            raise ProofError("the modulus has another form")
        return found

    def _shape(self) -> None:
        """State the form of the modulus."""
        assert self.form is not None
        facts, form = self.facts, self.form
        before = 1 << self.numbers[form.leading]
        total = constant(before)
        previous: Polynomial = constant(before)
        for sign, kind, name in form.terms:
            if kind == "one":
                total = plus(total, constant(sign))
                continue
            if kind == "number":
                value = facts.value(plus(constant(before), facts.modulus.polynomial, -1))
                self.names[name] = value
                return
            if name in self.numbers:
                value = facts.words.constant(1 << self.numbers[name])
            else:
                before //= 4
                value = facts.declare(f"2^{name}", (1,), (max(before, 1),), self._power(name))
                facts.not_negative(plus(previous, value.polynomial, -4))
                self.powers[name] = value
            total, previous = plus(total, value.polynomial, sign), value.polynomial
        facts.equate(plus(total, facts.modulus.polynomial, -1))

    def _power(self, name: str) -> Any:
        def found(at: Any) -> int:
            assert self.form is not None
            exponents = self.form.exponents(at({(0,): 1}))
            return 1 << (exponents or {name: 0})[name]

        return found

    def conditions(self) -> list[Comparison]:
        """Return ``when`` with the names of the operation's arguments."""
        renamed = {names_of(p)[0]: name for p, name in zip(self.patterns, self.operation.args, strict=True)
                   if limbs_of(p) == 1}  # fmt: skip
        return [
            Comparison(c.sign, _renamed(c.left, renamed), _renamed(c.right, renamed), None, c.text)
            for c in self.row.conditions
        ]

    def _any_size(self) -> int:
        """Return the greatest absolute value of an integer, which operations on words without signs limit."""
        bits = 2 * self.width + 61 if re.search(r"\bum(in|ax)\b", self.row.right) else ANY_SIZE
        return (1 << bits) - 1

    def _moduli(self) -> tuple[int, int]:
        """Return the least and the greatest modulus that the conditions on the modulus alone allow."""
        if self.at is None:
            return 1, 1
        name = self.operation.args[self.at]
        low, high = 1, self._any_size() if self._kind(self.at) == "i" else (1 << self.width) - 1
        if bits := self.numbers.get("bits"):
            low, high = 1 << bits - 1, (1 << bits) - 1
        if self.form is not None:
            leading = self.numbers[self.form.leading]
            low, high = 1 if self.form.powers else 1 << leading - 1, (1 << leading) - 1
            if not self.form.number and all(name in self.numbers for name in self.form.powers):
                sizes = {"1": 1, **{name: 1 << self.numbers[name] for name in self.form.powers}}
                low = high = (1 << leading) + sum(sign * sizes[name] for sign, _, name in self.form.terms)
        for numbers, what in self._all():
            if used(what) - {*numbers} == {name}:
                low, high = _limited(what, name, numbers, low, high)
        if low > high:
            raise VacuousError("no modulus meets the conditions")
        return low, high

    def _all(self) -> list[tuple[dict[str, int], Comparison]]:
        found = [(self.scope_numbers, what) for what in self.operation.requires]
        return found + [({**self.numbers, "w": self.instance.width}, what) for what in self.conditions()]

    def declare(self) -> dict[str, OperandValue]:
        """Introduce the arguments and assume the precondition. Return the names of the right side."""
        facts, known = self.facts, dict[str, OperandValue]()
        constants = {name: facts.words.constant(value) for name, value in self.scope_numbers.items()}
        self.names = dict(constants)
        for at, (name, kind) in enumerate(zip(self.operation.args, self.operation.kinds, strict=True)):
            if kind == "n" and name in constants:
                continue
            self.names[name] = facts.modulus if at == self.at else self._argument(name, self._kind(at))
        if self.form is not None:
            self._shape()
        for line in self.operation.used_lets:
            self.names[line.targets[0].text] = facts.evaluate(line.value, self.names)
        for what in self.operation.requires:
            facts.assume(what, self.names)
        outer = {**self.names, **{n: facts.words.constant(v) for n, v in self.numbers.items()}}
        outer["w"] = facts.words.constant(self.instance.width)
        for what in self.conditions():
            if used(what) - self.numbers.keys():
                facts.assume(what, outer)
        execution = Execution(facts, self.instance.width, self.numbers, {})
        for pattern, name, kind in zip(self.patterns, self.operation.args, self.operation.kinds, strict=True):
            parts = names_of(pattern)
            limbs = execution.split(self.names[name], len(parts))
            for part, limb in zip(parts, limbs, strict=True):
                known[part] = OperandValue(limb, 1, kind == "f")
        return known

    def _kind(self, at: int) -> str:
        """Return the kind of an argument: if its limbs have names, it is a number of words."""
        return "w" if limbs_of(self.patterns[at]) > 1 else self.operation.kinds[at]

    def _argument(self, name: str, kind: str) -> Value:
        """Introduce an argument with the bounds that the conditions state of it alone."""
        facts = self.facts
        lows: list[Any] = [(0,)] if kind in "wfn" else []
        highs: list[Any] = [((1 << self.width) - 1,)] if kind == "w" else [(1,)] if kind == "f" else []
        for numbers, what in self._all():
            if what.sign not in ("<", "≤"):
                continue
            strict = int(what.sign == "<")
            if what.left == Identifier(name) or what.left == Operator("abs", (Identifier(name),)):
                end = self._in_q(what.right, numbers)
                if end is not None:
                    highs.append(_minus(end, strict))
                    if what.left != Identifier(name):
                        lows.append(tuple(-c for c in _minus(end, strict)))
            if what.right == Identifier(name):
                end = self._in_q(what.left, numbers)
                if end is not None:
                    lows.append(_minus(end, -strict))
        lows, highs = lows or [(-self._any_size(),)], highs or [(self._any_size(),)]
        low, high = lows[0], highs[0]
        for other in lows[1:]:
            low = other if facts.checker.not_above(low, other) else low
        for other in highs[1:]:
            high = other if facts.checker.not_above(other, high) else high
        value = facts.declare(name, low, high)
        if kind == "i" and len(high) == 1:
            facts.bound_products(plus(constant(high[0]), value.polynomial, -1))
        return value

    def _in_q(self, node: Node, numbers: dict[str, int]) -> Any:
        """Return an expression as a polynomial in q, or None."""
        names = {n: self.facts.words.constant(v) for n, v in numbers.items()}
        if self.at is not None:
            names[self.operation.args[self.at]] = self.facts.modulus
        if names_in(node) - names.keys():
            return None
        try:
            return self.facts.by_q(self.facts.evaluate(node, names).polynomial)
        except ProofError:
            return None

    # The proof.

    def run(self) -> None:
        """Prove the row.

        Raises:
            ProofError: There is no proof.
        """
        known = self.declare()
        execution = Execution(self.facts, self.instance.width, self.numbers, known)
        execution.powers = self.powers
        execution.arguments = self.names
        execution.targets = self.row.targets
        execution.lemmas = Lemmas(self.facts, parse_lemmas(self.row.lemmas))
        execution.lemmas.advance(execution.scope_of_lemmas)
        execution.run(self.row.lines)
        for name, kind, value in zip(
            self.operation.results, self.operation.result_kinds, self.results(execution), strict=True
        ):
            if kind == "w":
                bits = self.numbers["k"] if self.operation.wraps else self.width
                self.facts.levels = 2
                self.facts.prove_natural(value.polynomial)
                self.facts.prove_natural(plus(constant((1 << bits) - 1), value.polynomial, -1))
                if self.operation.wraps:
                    integer = self.facts.represented(value, bits, "signed" in self.operation.name)
                    self.facts.prove_multiple(plus(value.polynomial, integer.polynomial, -1), constant(1 << bits))
                    value = integer
            if kind == "f" and not 0 <= value.low <= value.high <= 1:
                raise ProofError("a flag may have a third value")
            self.names[name] = value
        for what in (*self.operation.means, *self._bounds_of_parts()):
            try:
                self.facts.prove_quickly(what, self.names)
            except ProofError:
                self._settle()
                self.facts.prove(what, self.names)

    def _bounds_of_parts(self) -> list[Comparison]:
        """Return what is claimed of two results that are one number c0·2^w + c1."""
        if self.operation.parts is None:
            return []
        bound = self.operation.parts
        return [Comparison("≤", Operator("abs", (Identifier(name),)), bound, None, f"|{name}| ≤ parts")
                for name in self.operation.results]  # fmt: skip

    def _settle(self) -> None:
        """Try to prove which integers the results are."""
        for name in self.operation.results:
            for bits in {self.width, self.numbers["k"]} - {0}:
                self.facts.settle(self.names[name], bits, 4)

    def results(self, execution: Execution) -> list[Value]:
        """Return the results, joined from their limbs."""
        targets, kinds = list(self.row.head.targets), self.operation.result_kinds
        per_word = sum(not t.is_flag for t in targets) // max(len(kinds) - kinds.count("f"), 1)
        found = []
        for kind in kinds:
            total: Polynomial = {}
            for _ in range(1 if kind == "f" else per_word):
                limb = execution.known[targets.pop(0).text].value
                total = plus(scaled(total, 1 << self.instance.width), limb.polynomial)
            found.append(self.facts.value(total))
        return found


def _minus(end: Any, by: int) -> Any:
    return (end[0] - by, *end[1:]) if end else (-by,)


def _renamed(node: Node, names: dict[str, str]) -> Node:
    if isinstance(node, Identifier):
        return Identifier(names.get(node.text, node.text), node.is_flag)
    if isinstance(node, Operator):
        return Operator(node.head, tuple(_renamed(arg, names) for arg in node.args),
                        None if node.attribute is None else _renamed(node.attribute, names))  # fmt: skip
    return node


def _limited(what: Comparison, name: str, numbers: dict[str, int], low: int, high: int) -> tuple[int, int]:
    """Return the range of moduli that a comparison leaves, if it is linear in the modulus."""
    if isinstance(what.left, Operator) and what.left.head == "bits" and what.sign == "=":
        bits = compute(what.right, numbers)
        return max(low, 1 << max(bits - 1, 0)), min(high, (1 << bits) - 1)
    if isinstance(what.right, Operator) and what.right.head == ">>" and what.right.args[0] == Identifier(name):
        if what.sign == "<" and what.left == Numeral(0) and what.right.attribute is not None:
            low = max(low, 1 << compute(what.right.attribute, numbers))
        return low, high
    if low > high:
        return low, high
    facts = RuleFacts(low, high)
    names = {**{n: facts.words.constant(v) for n, v in numbers.items()}, name: facts.modulus}
    if what.sign not in ("<", "≤", "=") or (isinstance(what.left, Operator) and what.left.head.startswith("mod")):
        return low, high
    try:
        left, right = facts.evaluate(what.left, names).polynomial, facts.evaluate(what.right, names).polynomial
    except ProofError:
        return low, high
    gap = plus(plus(right, left, -1), constant(what.sign == "<"), -1)
    if set(gap) - {(), (0,)}:
        return low, high
    slope, offset = int(gap.get((0,), 0)), int(gap.get((), 0))
    if what.sign == "=" and slope:
        exact = -offset // slope
        return max(low, exact), min(high, exact)
    if slope > 0:
        return max(low, -(offset // slope)), high
    if slope < 0:
        return low, min(high, offset // -slope)
    return (low, high) if offset >= 0 else (low, low - 1)


def claim_of(row: RuleRow, operation: OperationMeaning) -> str:
    """Return the statement that a row claims, as a person reads it."""
    conditions = [text for text in (row.form, row.when, operation.required) if text]
    arguments = ", ".join(f"{name} ({KINDS[kind]})" for name, kind in zip(operation.args, operation.kinds, strict=True))
    given = f" with {' and '.join(conditions)}" if conditions else ""
    return f"{row.left.strip()}, which is {operation.name} of {arguments}{given}: {operation.text}"


KINDS = {"w": "word", "f": "flag", "i": "integer", "n": "known number", "m": "mask"}
"""The kinds of arguments by their letters."""


def prove_row(row: RuleRow, every: bool = False) -> RuleResult:
    """Prove one row for its widths and distances."""
    started = time.perf_counter()
    operation, _, _ = operation_of(row)
    result = RuleResult(row.file, row.name, claim_of(row, operation), is_complete=every)
    try:
        for instance in instances(row, every):
            try:
                RuleProof(row, instance).run()
            except VacuousError:
                continue
            except ProofError as error:
                raise ProofError(f"{dict(instance.numbers)}, w = {instance.width}: {error}") from None
            result.instances += 1
            if instance.width not in result.widths:
                result.widths.append(instance.width)
        result.status = "proven" if result.instances else "open"
        result.reason = "" if result.instances else "no width and distance meets the conditions"
    except (ProofError, KeyError, ValueError, RecursionError) as error:
        result.reason = str(error) or type(error).__name__
    result.seconds = time.perf_counter() - started
    return result


