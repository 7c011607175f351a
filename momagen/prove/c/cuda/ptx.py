"""The meaning of PTX in inline assembly: 32-bit arithmetic with a carry, and sums of pairs of words.

The definitions are those of NVIDIA's manual *Parallel Thread Execution ISA*, sections "Extended-Precision Integer
Arithmetic Instructions" and "Integer Arithmetic Instructions". The condition code holds one flag, CC.CF: the carry of
a sum or the borrow of a difference. It is not kept from one assembly statement to the next, because the compiler may
place other instructions between them.

A 64-bit register is a pair of 32-bit words, low word first. A sum of pairs is the sum of the low words with its carry
into the sum of the high words, so that both are modelled as words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from momagen.prove.c.bits import by_flag
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import plus, times
from momagen.prove.words import variable_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.words import Value, Words

BITS = 32
CARRY, BORROW = "carry", "borrow"
Pair = tuple["Value", "Value"]

TOKEN = re.compile(r"\s*([A-Za-z_][\w.]*|\.\w+|%\d+|0x[0-9a-fA-F]+|\d+|[{};,])")
SUM = re.compile(r"(add|sub)(c?)(\.cc)?\.u32")
PAIR_SUM = re.compile(r"(add|sub)(c?)\.u64")
PRODUCT = re.compile(r"mad(c?)\.(lo|hi)(\.cc)?\.u32")


@dataclass
class Register:
    """An operand of an assembly statement.

    Attributes:
        bits: The bits of its C type.
        value: The value that it holds, or None before the first store.
        is_output: Whether the statement may change it.
    """

    bits: int
    value: Value | None
    is_output: bool


def run(template: str, operands: list[Register], words: Words) -> None:
    """Execute a template on its operands, the outputs of which change.

    Raises:
        ProofError: An instruction or an operand is not known, or a value is read before it was stored.
    """
    _Statement(operands, words).execute(_instructions(template))


def _instructions(template: str) -> list[list[str]]:
    """Return the tokens of each instruction; a block of instructions begins with ``{`` and ends with ``}``."""
    tokens, at = [], 0
    text = template.rstrip()
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise ProofError(f"the assembly {text[at:at + 20]!r} is not supported")
        tokens.append(found.group(1))
        at = found.end()
    found_lines: list[list[str]] = [[]]
    for token in tokens:
        if token == ";":
            found_lines.append([])
        elif token in "{}" and not found_lines[-1]:
            found_lines[-1:] = [[token], []]
        else:
            found_lines[-1].append(token)
    if found_lines.pop():
        raise ProofError("an instruction of assembly does not end with a semicolon")
    return found_lines


class _Statement:
    """The state of one assembly statement: its operands, the registers of the open block, and the condition code."""

    def __init__(self, operands: list[Register], words: Words) -> None:
        self.operands, self.words = operands, words
        self.pairs: dict[str, Pair | None] | None = None
        self.flag: tuple[str, Value] | None = None

    def execute(self, instructions: list[list[str]]) -> None:
        """Execute all instructions."""
        for tokens in instructions:
            if tokens == ["{"] and self.pairs is None:
                self.pairs = {}
            elif tokens == ["}"] and self.pairs is not None:
                self.pairs = None
            else:
                self._step(tokens)
        if self.pairs is not None:
            raise ProofError("a block of assembly does not end")

    def _step(self, tokens: list[str]) -> None:
        name, rest = tokens[0], tokens[1:]
        for pattern, step in STEPS:
            if found := pattern.fullmatch(name):
                step(self, found, _operands(rest))
                return
        if name == ".reg" and rest[:1] == [".b64"] and self.pairs is not None:
            self.pairs |= dict.fromkeys(_single(operand) for operand in _operands(rest[1:]))
            return
        raise ProofError(f"the instruction {name} is not supported")

    # Operands.

    def _value(self, tokens: list[str]) -> Value:
        """Return the word that an operand holds."""
        text = _single(tokens)
        if not text.startswith("%"):
            number = _number(text)
            if not 0 <= number < 1 << BITS:
                raise ProofError(f"the constant {text} has more than {BITS} bits")
            return self.words.constant(number)
        value = self._register(text).value
        if value is None:
            raise ProofError(f"assembly reads {text}, which has no value")
        return value

    def _register(self, text: str) -> Register:
        number = int(text[1:]) if re.fullmatch(r"%\d+", text) else -1
        if not 0 <= number < len(self.operands):
            raise ProofError(f"assembly has no operand {text}")
        if self.operands[number].bits != BITS:
            raise ProofError(f"the operand {text} of assembly has another width")
        return self.operands[number]

    def _store(self, tokens: list[str], value: Value) -> None:
        text = _single(tokens)
        register = self._register(text)
        if not register.is_output:
            raise ProofError(f"assembly changes the input {text}")
        register.value = value

    def _pair(self, tokens: list[str]) -> Pair:
        held = self.pairs.get(_single(tokens)) if self.pairs is not None else None
        if held is None:
            raise ProofError(f"assembly reads {' '.join(tokens)}, which has no value")
        return held

    def _store_pair(self, tokens: list[str], pair: Pair) -> None:
        text = _single(tokens)
        if self.pairs is None or text not in self.pairs:
            raise ProofError(f"assembly has no register {text}")
        self.pairs[text] = pair

    # Instructions.

    def _carry_in(self, kind: str) -> Value:
        """Return the condition code, which an instruction of the same kind must have set."""
        if self.flag is None or self.flag[0] != kind:
            raise ProofError(f"assembly uses a {kind} that is not set")
        return self.flag[1]

    def _added(self, kind: str, a: Value, b: Value, carry: Value | None) -> tuple[Value, Value]:
        """Return the carry and the word of a + b + carry, or the borrow and the word of a - b - carry."""
        if kind == CARRY:
            return self.words.sum([a, b, *([carry] if carry is not None else [])], BITS, "add")
        borrow = self.words.constant(0) if carry is None else carry
        terms = [a, b, borrow]
        flag = by_flag(lambda x, y, z: int(x < y + z), terms, self.words)
        word = by_flag(lambda x, y, z: (x - y - z) % (1 << BITS), terms, self.words)
        if flag is not None and word is not None:
            return flag, word
        if b.is_constant and b.low == 0:
            b, borrow = borrow, b
        return self.words.difference(a, b, borrow, BITS, "sub")

    def _sum(self, found: re.Match[str], operands: list[list[str]]) -> None:
        target, a, b = _three(operands)
        kind = CARRY if found[1] == "add" else BORROW
        carry = self._carry_in(kind) if found[2] else None
        flag, word = self._added(kind, self._value(a), self._value(b), carry)
        self._finish(target, word, kind, flag if found[3] else None)

    def _product(self, found: re.Match[str], operands: list[list[str]]) -> None:
        if len(operands) != 4:
            raise ProofError("mad has another number of operands than four")
        target, a, b, c = operands
        if found[2] == "lo" and not found[1] and not found[3]:
            self._store(target, self._low_product(self._value(a), self._value(b), self._value(c)))
            return
        high, low = self.words.product(self._value(a), self._value(b), BITS, "mad")
        carry = self._carry_in(CARRY) if found[1] else None
        flag, word = self._added(CARRY, low if found[2] == "lo" else high, self._value(c), carry)
        self._finish(target, word, CARRY, flag if found[3] else None)

    def _low_product(self, a: Value, b: Value, c: Value) -> Value:
        """Return the low word of a * b + c, for which a factor -q modulo 2^32 may be taken as -q."""
        for factor, other in ((a, b), (b, a)):
            index = self.words.operation_of.get(variable_of(factor))
            operation = None if index is None else self.words.operations[index]
            if operation is not None and operation.low == variable_of(factor) and operation.weight == -(1 << BITS):
                negative = self.words.dividend(operation)
                if self.words.value_of(negative).high <= 0:
                    total = plus(times(negative, other.polynomial), c.polynomial)
                    return self.words.wrap(self.words.value_of(total), BITS, "mad")[1]
        return self._added(CARRY, self.words.product(a, b, BITS, "mad")[1], c, None)[1]

    def _finish(self, target: list[str], word: Value, kind: str, flag: Value | None) -> None:
        self._store(target, word)
        if flag is not None:
            self.flag = kind, self.words.constant(flag.low) if flag.is_constant else flag

    def _pair_sum(self, found: re.Match[str], operands: list[list[str]]) -> None:
        target, a, b = _three(operands)
        kind = CARRY if found[1] == "add" else BORROW
        carry = self._carry_in(kind) if found[2] else None
        (a_low, a_high), (b_low, b_high) = self._pair(a), self._pair(b)
        between, low = self._added(kind, a_low, b_low, carry)
        self._store_pair(target, (low, self._added(kind, a_high, b_high, between)[1]))

    def _move(self, _found: re.Match[str], operands: list[list[str]]) -> None:
        """Compose a pair of words, or decompose it: ``mov.b64 a, {low, high}`` or ``mov.b64 {low, high}, a``."""
        if len(operands) != 2 or (len(operands[0]) > 1) == (len(operands[1]) > 1):
            raise ProofError("this form of mov.b64 is not supported")
        target, source = operands
        if len(source) > 1:
            low, high = _parts(source)
            self._store_pair(target, (self._value([low]), self._value([high])))
            return
        names = _parts(target)
        if names[0] == names[1]:
            raise ProofError("mov.b64 stores both words into one register")
        for name, value in zip(names, self._pair(source), strict=True):
            self._store([name], value)

    def _lowest_bit(self, _found: re.Match[str], operands: list[list[str]]) -> None:
        target, a, b = _three(operands)
        if _single(b) not in ("1", "0x1"):
            raise ProofError("and.b32 with another number than 1 is not supported")
        value = self._value(a)
        simple = by_flag(lambda x: x & 1, [value], self.words)
        self._store(target, self.words.low_bits(value, 1, "and") if simple is None else simple)


STEPS: tuple[tuple[re.Pattern[str], Callable[[_Statement, re.Match[str], list[list[str]]], None]], ...] = (
    (SUM, _Statement._sum),
    (PRODUCT, _Statement._product),
    (PAIR_SUM, _Statement._pair_sum),
    (re.compile(r"mov\.b64"), _Statement._move),
    (re.compile(r"and\.b32"), _Statement._lowest_bit),
)
"""The instructions and what they do."""


def _operands(tokens: list[str]) -> list[list[str]]:
    """Return the tokens of each operand; a pair in braces is one operand."""
    found: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += {"{": 1, "}": -1}.get(token, 0)
        if token == "," and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    if depth or not all(found):
        raise ProofError("the operands of an instruction of assembly are not supported")
    return found


def _three(operands: list[list[str]]) -> tuple[list[str], list[str], list[str]]:
    if len(operands) != 3:
        raise ProofError("an instruction of assembly has another number of operands than three")
    return operands[0], operands[1], operands[2]


def _single(tokens: list[str]) -> str:
    if len(tokens) != 1:
        raise ProofError(f"the operand {' '.join(tokens)} of assembly is not supported")
    return tokens[0]


def _parts(tokens: list[str]) -> tuple[str, str]:
    """Return the two words of a pair in braces."""
    if len(tokens) != 5 or [tokens[0], tokens[2], tokens[4]] != ["{", ",", "}"]:
        raise ProofError(f"the operand {' '.join(tokens)} of assembly is not supported")
    return tokens[1], tokens[3]


def _number(text: str) -> int:
    if not re.fullmatch(r"0|[1-9]\d*|0x[0-9a-fA-F]+", text):
        raise ProofError(f"the operand {text} of assembly is not supported")
    return int(text, 0)
