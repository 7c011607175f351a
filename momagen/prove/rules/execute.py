"""The execution of the right side of a rule on integers that are variables of a proof.

Each operation of the right side is taken at its meaning: it gets variables for its results, with the facts that its
meaning states about them, after its precondition is proven. The operations on words are executed by
:mod:`momagen.prove.words`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import constant, plus, scaled, times, variables
from momagen.prove.rules.lemmas import Lemmas
from momagen.prove.rules.notation import (
    Assumed,
    Comparison,
    Identifier,
    LimbList,
    Line,
    Node,
    Numeral,
    Operator,
    Repetition,
    RuleAssignment,
)
from momagen.prove.rules.numbers import compute, holds
from momagen.prove.rules.rows import OperationMeaning, definitions
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from momagen.prove.rules.facts import RuleFacts

COMPARISON = {"<": "lt", "≤": "le", "=?": "eq"}
LOGIC = {"∧": "and", "∨": "or", "¬": "not"}
HEADS = {**COMPARISON, **LOGIC, "<<": "shl", ">>": "shr", "⌊⌋": "shr", "mod 2^": "low", "if": "select"}
CARRIES = {("+", 2): "add", ("+", 3): "addc", ("-", 2): "sub", ("-", 3): "subb"}
SUMS = {("+", 2): "addlo", ("+", 3): "addclo", ("-", 2): "sublo", ("-", 3): "subblo"}


@dataclass(frozen=True)
class OperandValue:
    """A value of the right side, with the number of its limbs; a known number has none."""

    value: Value
    limbs: int
    is_flag: bool = False
    is_part: bool = False


class Execution:
    """The right side of one rule, executed line by line.

    Args:
        facts: The proof.
        width: The bits of a limb, called w in the rule.
        numbers: The values of the other names of distances.
        known: The values of the arguments by name.
    """

    def __init__(self, facts: RuleFacts, width: int, numbers: dict[str, int], known: dict[str, OperandValue]) -> None:
        self.facts, self.width, self.known = facts, width, dict(known)
        self.powers: dict[str, Value] = {}
        self.lemmas = Lemmas(facts, [])
        self.arguments: dict[str, Value] = {}
        self.targets = set[str]()
        self.numbers = {name: facts.words.constant(value) for name, value in {**numbers, "w": width}.items()}

    def run(self, lines: Sequence[Line]) -> None:
        """Execute lines.

        Raises:
            ProofError: A precondition or an assumption was not proven.
        """
        for line in lines:
            if isinstance(line, Repetition):
                for i in range(self._distance(line.count)):
                    self.numbers["i"] = self.facts.words.constant(i)
                    self.run(line.body)
            elif isinstance(line, Assumed):
                self._assumed(line)
            else:
                self._assign(line)
            self.lemmas.advance(self.scope_of_lemmas)

    @property
    def scope_of_lemmas(self) -> dict[str, Value]:
        """The names that a lemma may use: arguments of the operation, numbers, and what the right side computed."""
        known = {name: held.value for name, held in self.known.items()}
        return {**{n: v for n, v in {**self.arguments, **self.numbers}.items() if n not in self.targets}, **known}

    def _distance(self, node: Node | None) -> int:
        scope = {**{name: held.value for name, held in self.known.items() if held.value.is_constant}, **self.numbers}
        return 0 if node is None else self.facts.number(node, scope)

    def _assumed(self, line: Assumed) -> None:
        names = {**{name: held.value for name, held in self.known.items()}, **self.numbers}
        sign = "<" if line.is_strict else "≤"
        what = Comparison(sign, Identifier(line.name), line.bound)
        if line.is_absolute:
            what = Comparison(sign, Operator("abs", (Identifier(line.name),)), line.bound)
        self.facts.prove(what, names)
        self.facts.assume(what, names)

    # Assignments.

    def _assign(self, line: RuleAssignment) -> None:
        targets = line.targets
        found = self._results(line.value, targets) if isinstance(line.value, Operator) else [self.operand(line.value)]
        if targets[-1].bits is not None:
            bits = self._distance(targets[-1].bits)
            parts = self.facts.divide(found[0].value, self.facts.words.constant(1 << bits), targets[0].text)
            found = [OperandValue(part, 1, is_part=True) for part in parts]
        if found[0].is_part:
            for target, part in zip(targets, found, strict=True):
                self._bind(target, part)
            return
        if targets[0].is_flag:
            if not found[0].is_flag:
                raise ProofError(f"{targets[0].text} must be a flag")
            self._bind(targets[0], found[0])
            targets, found = targets[1:], found[1:]
        if targets:
            self._bind_limbs(targets, found)

    def _bind(self, target: Identifier, held: OperandValue) -> None:
        if target.text not in ("_", "0"):
            self.known[target.text] = held

    def _bind_limbs(self, targets: Sequence[Identifier], found: list[OperandValue]) -> None:
        whole = found[0] if len(found) == 1 else self._join(found)
        if whole.is_flag or (len(targets) == 1 and whole.limbs <= 1):
            self._bind(targets[0], whole)
            return
        count = max(len(targets), whole.limbs)
        limbs = self.split(whole.value, count)[count - len(targets) :]
        if targets[0].text == "_" and targets[-1].text not in ("_", "0"):
            self._settle(limbs[-1], self.width, 0)
        for target, limb in zip(targets, limbs, strict=True):
            self._bind(target, OperandValue(limb, 1))

    def split(self, value: Value, count: int) -> list[Value]:
        """Return the limbs of a number, the high one first."""
        limbs = []
        for _ in range(count - 1):
            value, low = self.facts.words.divide(value, 1 << self.width, "limb")
            limbs.append(low)
        return [value, *reversed(limbs)]

    def _join(self, parts: list[OperandValue]) -> OperandValue:
        total, limbs = constant(0), 0
        for part in parts:
            size = max(part.limbs, 1)
            total = plus(scaled(total, 1 << self.width * size), part.value.polynomial)
            limbs += size
        return OperandValue(self.facts.value(total), limbs)

    # Expressions.

    def operand(self, node: Node) -> OperandValue:
        """Return the value of an expression, which is the low part of an operation with two results."""
        if isinstance(node, Numeral):
            return OperandValue(self.facts.words.constant(node.value), 0)
        if isinstance(node, Identifier):
            if node.text in self.known:
                held = self.known[node.text]
                return replace(held, value=self.facts.refreshed(held.value))
            return OperandValue(self.facts.evaluate(node, self.numbers), 0)
        if isinstance(node, LimbList):
            return self._join([self.operand(item) for item in node.items])
        (result,) = self._results(node, ())
        return result

    def _is_flag(self, node: Node) -> bool:
        if isinstance(node, Identifier):
            return node.is_flag or (node.text in self.known and self.known[node.text].is_flag)
        return isinstance(node, Operator) and (node.head in COMPARISON or node.head in LOGIC)

    def _limbs(self, node: Node) -> int:
        if isinstance(node, Identifier) and node.text in self.known:
            return self.known[node.text].limbs
        return len(node.items) if isinstance(node, LimbList) else 1

    def _results(self, node: Operator, targets: Sequence[Identifier]) -> list[OperandValue]:
        name, args, attribute = self.operation(node, targets)
        held = [self.operand(arg) for arg in args]
        limbs = max(1, *(each.limbs for each in held))
        if name == "shl" and isinstance(attribute, Identifier) and attribute.text in self.powers:
            product = self.facts.multiply(held[0].value, self.powers[attribute.text])
            return [OperandValue(self.modulo(product, limbs * self.width, "shl"), limbs)]
        row = definitions().get(name)
        if row is None or len(row.kinds) != len(held):
            raise ProofError(f"there is no operation {name} of {len(held)} arguments")
        made = self.apply(row, limbs * self.width, [each.value for each in held], self._distance(attribute))
        is_part = len(made) > 1 and set(row.result_kinds) == {"i"}
        return [
            OperandValue(value, 1 if kind == "f" else limbs, kind == "f", is_part)
            for value, kind in zip(made, row.result_kinds, strict=True)
        ]

    def operation(self, node: Operator, targets: Sequence[Identifier]) -> tuple[str, tuple[Node, ...], Node | None]:
        """Return the name of the operation that an expression denotes, its arguments and its attribute."""
        carry = bool(targets) and targets[0].is_flag
        if node.head in ("+", "-"):
            return self._sum(node, carry)
        if node.head == "·":
            whole = len(targets) - carry >= 2 * max(self._limbs(each) for each in node.args)
            return "mul" if whole else "mullo", node.args, None
        if node.head == "⌊⌋" and isinstance(node.args[0], Operator) and node.args[0].head == "·":
            factors = node.args[0].args
            if self._distance(node.attribute) != self.width * max(self._limbs(each) for each in factors):
                raise ProofError("this is not the high half of a product")
            return "mulhi", factors, None
        if node.head == "mod":
            value, modulus = node.args
            if isinstance(value, Operator) and value.head in ("+", "-"):
                return "addmod" if value.head == "+" else "submod", (*value.args, modulus), None
            if isinstance(value, LimbList) and self._is_flag(value.items[0]):
                rest = value.items[1:]
                return "reduce", (value.items[0], rest[0] if len(rest) == 1 else LimbList(rest), modulus), None
        first = node.args[0]
        if node.head == ">>" and len(targets) == 1 and isinstance(first, LimbList) and len(first.items) == 2:
            return "shrd", first.items, node.attribute
        return HEADS.get(node.head, node.head), node.args, node.attribute

    def _sum(self, node: Operator, carry: bool) -> tuple[str, tuple[Node, ...], None]:
        terms = self._terms(node)
        words = [part for _, part in terms if not self._is_flag(part)]
        flags = [part for _, part in terms if self._is_flag(part)]
        zero: tuple[Node, ...] = (Numeral(0),)
        if len(words) <= 2 and len(flags) <= 1 and len({sign for sign, _ in terms[1:]}) == 1:
            parts = (*words, *zero * (2 - len(words)), *flags)
        elif carry:
            raise ProofError("a sum with a carry has too many terms")
        else:
            left, right = node.args
            parts = (left, *zero, right) if self._is_flag(right) else node.args
        return (CARRIES if carry else SUMS)[node.head, len(parts)], parts, None

    def _terms(self, node: Node) -> list[tuple[str, Node]]:
        if isinstance(node, Operator) and node.head in ("+", "-"):
            return [*self._terms(node.args[0]), (node.head, node.args[1])]
        return [("+", node)]

    # Operations.

    def apply(self, row: OperationMeaning, width: int, args: list[Value], k: int) -> list[Value]:
        """Return the results of an operation, after its precondition is proven."""
        facts, words = self.facts, self.facts.words
        for kind, arg in zip(row.kinds, args, strict=True):
            self.check_range(kind, arg, width)
        names = self.scope(row, width, args, k)
        for what in row.requires:
            facts.prove(what, names)
        if row.name in ("add", "addc"):
            return [*words.sum(args, width, row.name)]
        if row.name in ("sub", "subb"):
            borrow = args[2] if len(args) > 2 else words.constant(0)
            return [*words.difference(args[0], args[1], borrow, width, row.name)]
        if row.name == "mul":
            return [*words.product(args[0], args[1], width, row.name)]
        if row.name in ("addlo", "addclo", "sublo", "subblo"):
            sign = 1 if row.name.startswith("add") else -1
            total = args[0].polynomial
            for arg in args[1:]:
                total = plus(total, arg.polynomial, sign)
            return [self.modulo(facts.value(total), width, row.name)]
        if row.name in ("addif", "subif"):
            change = scaled(times(args[0].polynomial, args[2].polynomial), 1 if row.name == "addif" else -1)
            return [self.modulo(facts.value(plus(args[1].polynomial, change)), width, row.name)]
        if row.name == "shl":
            return [self.modulo(facts.value(scaled(args[0].polynomial, 1 << k)), width, row.name)]
        found = self.assumed(row, names, width)
        if row.name in ("shrd", "mullo"):
            self._settle(found[0], width, 0)
        return found

    def modulo(self, total: Value, width: int, name: str) -> Value:
        """Return a value modulo 2^width, and try to prove which integer it is."""
        word = self.facts.divide(total, self.facts.words.constant(1 << width), name)[1]
        self._settle(word, width, 3 if name in ("addlo", "sublo") else 0)
        return word

    def _settle(self, word: Value, width: int, splits: int) -> None:
        """Try to prove which integer a word is, now or when a proof needs it."""
        self.facts.levels = 0
        if not self.facts.settle(word, width) and not (splits and self.facts.settle(word, width, splits)):
            self.facts.pending.append((word, width))

    def check_range(self, kind: str, arg: Value, width: int) -> None:
        """Prove that an argument is a word or a flag, if the operation takes one."""
        if kind == "w":
            if arg.low < 0:
                self.facts.prove_natural(arg.polynomial)
            if arg.high >> width:
                self.facts.prove_natural(plus(constant((1 << width) - 1), arg.polynomial, -1))
        elif kind == "f" and not 0 <= arg.low <= arg.high <= 1:
            raise ProofError("a flag may have a third value")

    def scope(self, row: OperationMeaning, width: int, args: Sequence[Value], k: int) -> dict[str, Value]:
        """Return the names that the meaning of an operation uses, with their values."""
        words = self.facts.words
        names = {"w": words.constant(width), "k": words.constant(k), **dict(zip(row.args, args, strict=True))}
        for line in row.used_lets:
            names[line.targets[0].text] = self.facts.evaluate(line.value, names)
        return names

    def assumed(self, row: OperationMeaning, names: dict[str, Value], width: int) -> list[Value]:
        """Return new variables for the results of an operation, about which its meaning is assumed."""
        facts, exact = self.facts, set()
        ends: dict[str, tuple[list[Value], list[Value]]] = {name: ([], []) for name in row.results}
        nearby: dict[str, tuple[Value, Value | None]] = {}
        for what in row.means:
            match what:
                case Comparison("=", Identifier(name), right) if name in row.results:
                    names[name] = facts.evaluate(right, names)
                    if row.result_kinds[row.results.index(name)] == "f":
                        names[name] = facts.flag(names[name].polynomial, row.name)
                    exact.add(name)
                case Comparison("≡" | "≈", Identifier(name), right, modulus) if name in row.results:
                    by = facts.evaluate(modulus, names) if modulus else None
                    nearby[name] = facts.evaluate(right, names), by
        for what in row.means:
            for name in row.results:
                if what.sign in ("<", "≤") and name not in exact:
                    strict = what.sign == "<"
                    if what.right == Identifier(name):
                        parts = facts.parts_of(what.left, "max")
                        ends[name][0].extend(self._shifted(part, names, strict) for part in parts)
                    if what.left == Identifier(name):
                        parts = facts.parts_of(what.right, "min")
                        ends[name][1].extend(self._shifted(part, names, -strict) for part in parts)
        if row.parts is not None:
            most = facts.evaluate(row.parts, names)
            least = facts.value(scaled(most.polynomial, -1))
            ends = {name: ([least], [most]) for name in row.results}
        for name, kind in zip(row.results, row.result_kinds, strict=True):
            if name not in exact:
                names[name] = self._declared(row, name, kind, names, ends[name], nearby.get(name), width)
        for what in row.means:
            if not (what.sign == "=" and isinstance(what.left, Identifier) and what.left.text in exact):
                facts.assume(what, names)
                if row.parts is not None and what.sign == "=":
                    low = names[row.results[1]].polynomial
                    facts.linear.defined[max(variables(low))] = len(facts.checker.equations) - 1
        if row.wraps:
            radix = facts.words.constant(1 << int(names["k"].low))
            return [facts.divide(names[name], radix)[1] for name in row.results]
        return [names[name] for name in row.results]

    def _shifted(self, node: Node, names: dict[str, Value], by: int) -> Value:
        value = self.facts.evaluate(node, names)
        return self.facts.value(plus(value.polynomial, constant(by)))

    def _declared(self, row: OperationMeaning, name: str, kind: str, names: dict[str, Value],
                  ends: tuple[list[Value], list[Value]], nearby: tuple[Value, Value | None] | None,
                  width: int) -> Value:  # fmt: skip
        facts = self.facts
        is_held = kind in "wf" and not row.wraps  # a result that wraps may be negative
        least = [0] if is_held else [end.low for end in ends[0]]
        greatest = [(1 << width) - 1 if kind == "w" else 1] if is_held else [end.high for end in ends[1]]
        if nearby and (not least or not greatest):
            around = max(abs(nearby[0].low), abs(nearby[0].high)) + 2
            least, greatest = least or [-2 * around], greatest or [2 * around]
        if not least or not greatest:
            raise ProofError(f"the meaning of {row.name} does not bound {name}")
        low: Any = (max(least),)
        high: Any = (min(greatest),)
        for at, parts in enumerate(ends):
            for part in parts:
                in_q = facts.by_q(part.polynomial)
                if in_q is not None:
                    if at == 0 and facts.checker.not_above(low, in_q):
                        low = in_q
                    if at == 1 and facts.checker.not_above(in_q, high):
                        high = in_q
        if row.parts is not None:
            return facts.declare(f"{row.name}.{name}", low, high, ConcretePart(facts, name, row, names, width))
        return facts.declare(f"{row.name}.{name}", low, high, ConcreteChoice(facts, name, row, names, ends, nearby))


@dataclass(frozen=True)
class ConcreteChoice:
    """The rule by which a concrete run chooses one of the results that a meaning allows."""

    facts: RuleFacts
    name: str
    row: OperationMeaning
    names: dict[str, Value]
    ends: tuple[list[Value], list[Value]]
    nearby: tuple[Value, Value | None] | None

    def __call__(self, at: Any) -> int:
        rng = self.facts.rng
        low = max((at(end.polynomial) for end in self.ends[0]), default=None)
        high = min((at(end.polynomial) for end in self.ends[1]), default=None)
        if low is None or high is None:
            return self._near(at)
        if self.nearby is not None and self.nearby[1] is not None:
            modulus = at(self.nearby[1].polynomial)
            low += (at(self.nearby[0].polynomial) - low) % modulus
            if low > high:
                raise ProofError(f"{self.row.name} has no result")
            most = (high - low) // modulus
            return int(low + modulus * rng.choice([0, most, rng.randint(0, most)]))
        if low > high:
            raise ProofError(f"{self.row.name} has no result")
        return int(rng.choice([low, high, rng.randint(int(low), int(high))]))

    def _near(self, at: Any) -> int:
        """Return one of the integers near the stated value for which the meaning holds."""
        if self.nearby is None:
            raise ProofError(f"no value of {self.name} is known")
        around = int(at(self.nearby[0].polynomial))
        numbers = {name: int(at(value.polynomial)) for name, value in self.names.items() if name != self.name}
        candidates = [around - 1, around, around + 1]
        self.facts.rng.shuffle(candidates)
        for candidate in candidates:
            if all(holds(what, {**numbers, self.name: candidate}) for what in self.row.means):
                return candidate
        raise ProofError(f"{self.row.name} has no result")


@dataclass(frozen=True)
class ConcretePart:
    """The rule by which a concrete run chooses the parts of a number c0·2^w + c1."""

    facts: RuleFacts
    name: str
    row: OperationMeaning
    names: dict[str, Value]
    width: int

    def __call__(self, at: Any) -> int:
        what, radix = self.row.means[0], 1 << self.width
        numbers = {name: int(at(value.polynomial)) for name, value in self.names.items()
                   if name not in self.row.results}  # fmt: skip
        total = compute(what.right, numbers)
        found = [total]
        if what.modulus is not None:
            modulus = compute(what.modulus, numbers)
            found = [total % modulus, total % modulus - modulus] if total % modulus else [0]
        total = self.facts.rng.choice(found)
        if self.name == self.row.results[0]:
            return int(total // radix + self.facts.rng.choice([-1, 0, 1]))
        return int(total - at(self.names[self.row.results[0]].polynomial) * radix)


__all__ = ["Execution", "OperandValue", "replace"]
