"""The state of a processor: registers, flags, and the values of operands."""

from __future__ import annotations

from dataclasses import dataclass
from operator import eq, le, lt
from typing import TYPE_CHECKING, Any

from momagen.prove.c.bits import by_flag, is_flag, opposite_of
from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.simd.compare import sign
from momagen.prove.checker import ProofError
from momagen.prove.machine.contents import HERE, MachineWord, Partial, as_value, held_by, hold
from momagen.prove.machine.divisions import state_once, state_quotients, state_remainder
from momagen.prove.machine.instructions.decode import GENERAL, Immediate, Memory, RegisterPart
from momagen.prove.machine.space import Space
from momagen.prove.polynomial import combine, plus, scaled
from momagen.prove.words import Value, variable_of

if TYPE_CHECKING:
    from momagen.prove.c.memory import Block
    from momagen.prove.machine.host import Host
    from momagen.prove.machine.image import Image
    from momagen.prove.polynomial import Polynomial

WORD_BITS = 64
FEW = 16
"""A public number below this one is distinguished from all others."""
ORDERS = {"==": eq, "<": lt, "<=": le}
OPPOSITE = {"ne": "e", "ae": "b", "a": "be", "ns": "s", "ge": "l", "g": "le"}
"""The conditions that are the opposites of others."""


@dataclass(frozen=True)
class StatusFlags:
    """The flags after an instruction, as far as they are defined.

    Attributes:
        places: The operands whose difference the flags describe: the operands of a comparison, or a result and None
            for 0.
        left: The first operand of the comparison, or the result.
        right: The second operand, or None.
        bits: The width of the operands.
        carry: The carry flag of an instruction that does not compare; None if it is not defined.
        has_signs: Whether the flags for signed comparisons describe the difference: nothing overflowed.
        result: The result that the instruction stored, or None if it stored no result.
    """

    places: tuple[Any, Any]
    left: Any
    right: Any
    bits: int
    carry: Value | None = None
    has_signs: bool = True
    result: Any = None


@dataclass(frozen=True)
class Decision:
    """A condition: a flag, and the inequalities that follow from the values of the flag.

    Attributes:
        flag: The flag.
        implied: Two polynomials: the first is at least 0 if the condition is false, the second if it is true.
        apart: A public number that is 0 if the flag is ``equal``, and otherwise not 0, or None.
        equal: The flag that says that the number is 0.
    """

    flag: Value
    implied: tuple[Polynomial, Polynomial] | None = None
    apart: Polynomial | None = None
    equal: bool = True

    def opposite(self) -> Decision:
        """Return the opposite condition."""
        implied = self.implied and (self.implied[1], self.implied[0])
        return Decision(opposite_of(self.flag), implied, self.apart, not self.equal)


class Cpu:
    """Registers, flags and memory.

    Args:
        program: The run, with its blocks and facts.
        image: The shared object.

    Attributes:
        registers: The general registers; each is a block for one number.
        flags: The flags, or None if none of them is defined.
    """

    def __init__(self, program: Host, image: Image) -> None:
        self.program, self.image = program, image
        self.facts, self.words = program.facts, program.words
        self.space = Space(program, image)
        self.registers: dict[str, MachineWord] = {name: MachineWord(name, self.words) for name in GENERAL}
        self.registers["rsp"] = self.space.pointer
        self.flags: StatusFlags | None = None
        self._settled: dict[int, int] = {}
        """The values of public variables that are known on this path."""
        self._equal: dict[int, Polynomial] = {}
        """Expressions that are equal to variables on this path, and that replace the variables in addresses."""

    def blocks(self) -> list[Block]:
        """Return all registers and words of the stack."""
        return [*(b for name, b in self.registers.items() if name != "rsp"), *self.space.blocks()]

    # Operands.

    def register(self, operand: Any) -> MachineWord:
        """Return the register that an operand names."""
        if not isinstance(operand, RegisterPart) or operand.name not in self.registers:
            raise ProofError("an operand of this instruction is not supported")
        return self.registers[operand.name]

    def read(self, operand: Any) -> Any:
        """Return the content of an operand."""
        if isinstance(operand, Immediate):
            return self.words.constant(operand.value % (1 << operand.bits))
        if isinstance(operand, Memory):
            return self.space.load(self.address(operand), operand.bits)
        content = held_by(self.register(operand))
        known = self._settled.get(variable_of(content)) if isinstance(content, Value) else None
        return self._low_part(content if known is None else self.words.constant(known), operand.bits)

    def _low_part(self, content: Any, bits: int) -> Any:
        if isinstance(content, Partial):
            if bits > content.bits:
                raise ProofError("a register is read of which only a part is known")
            return content.value if bits == content.bits else self.narrow(content.value, bits)
        return content if bits == WORD_BITS else self.narrow(as_value(content), bits)

    def number(self, operand: Any) -> Value:
        """Return the number that an operand holds."""
        return as_value(self.read(operand))

    def narrow(self, value: Value, bits: int) -> Value:
        """Return a number modulo 2^bits."""
        if 0 <= value.low <= value.high < 1 << bits:
            return value
        known = by_flag(lambda x: x % (1 << bits), [value], self.words)
        return known if known is not None else self.words.low_bits(value, bits, "low part")

    def write(self, operand: Any, content: Any) -> None:
        """Store a content in an operand. The upper half of a register is 0 after its lower half was written."""
        if isinstance(operand, Memory):
            self.space.store(self.address(operand), content, operand.bits)
            return
        register = self.register(operand)
        if operand.bits < WORD_BITS and not isinstance(content, Value):
            raise ProofError("a part of a register is written with something else than a number")
        if operand.bits == 8:
            content = self._with_low_byte(register, content)
        elif operand.bits == 16:
            raise ProofError("a write of the low 16 bits of a register")
        if operand.name == "rsp":
            self.space.set_top(content)
        else:
            hold(register, content)

    def _with_low_byte(self, register: MachineWord, byte: Value) -> Any:
        """Return the content of a register after its low byte was written; other bytes must be known or are unknown."""
        held = register.cells.get(HERE)
        before = held.value if isinstance(held, Number) else None  # of a partial number, the upper bytes are not known
        if isinstance(before, Value) and before.is_constant:
            return self.words.value_of(plus(byte.polynomial, {(): before.low >> 8 << 8} if before.low >> 8 else {}))
        return Partial(byte, 8)

    def address(self, operand: Any) -> Pointer:
        """Return the pointer to the memory that an operand designates."""
        found = self.effective(operand)
        if not isinstance(found, Pointer):
            raise ProofError("an access to memory through something that is not a pointer")
        offset = found.offset.polynomial
        for variable, equal in self._equal.items():
            if (variable,) in offset:
                offset = plus({m: c for m, c in offset.items() if m != (variable,)}, equal, offset[variable,])
        return found if offset is found.offset.polynomial else Pointer(found.block, self.words.value_of(offset))

    def effective(self, operand: Any) -> Any:
        """Return the address that an operand computes: a pointer, or a sum modulo 2^64."""
        if not isinstance(operand, Memory):
            raise ProofError("an operand of this instruction is not supported")
        if operand.base == "rip" and not operand.index:
            return Pointer(self.space.static, self.words.constant(operand.displacement))
        parts = [(held_by(self.registers_by_name(name)), scale) for name, scale in self._parts(operand)]
        if not parts:
            raise ProofError("an absolute address is not supported")
        pointers = [part for part, scale in parts if isinstance(part, Pointer) and scale == 1]
        numbers = [(part, scale) for part, scale in parts if scale > 1 or not isinstance(part, Pointer)]
        shift: Polynomial = {(): operand.displacement} if operand.displacement else {}
        terms = [(scale, as_value(part).polynomial) for part, scale in numbers]
        if len(pointers) > 1:
            raise ProofError("a sum of two pointers")
        if pointers:
            total = combine([(1, pointers[0].offset.polynomial), (1, shift), *terms])
            return Pointer(pointers[0].block, self.words.value_of(total))
        if not shift and (not operand.base or (operand.base == operand.index and operand.scale == 1)):
            doubles = 1 if operand.base else operand.scale.bit_length() - 1
            return self.words.shift_left(as_value(numbers[0][0]), doubles, WORD_BITS, "lea")
        return self.sum([self.words.value_of(scaled(p, s)) for s, p in terms] + [self.words.value_of(shift)])[1]

    def registers_by_name(self, name: str) -> MachineWord:
        """Return the register with a name."""
        if name not in self.registers:
            raise ProofError(f"the register {name} is not supported in an address")
        return self.registers[name]

    @staticmethod
    def _parts(operand: Memory) -> list[tuple[str, int]]:
        return [part for part in ((operand.base, 1), (operand.index, operand.scale)) if part[0]]

    # Sums and differences. If the numbers are public, it may be known that nothing wraps.

    def sum(self, terms: list[Value], bits: int = WORD_BITS) -> tuple[Value, Value]:
        """Return the carry and the word of a sum."""
        total = combine((1, term.polynomial) for term in terms)
        if (exact := self._exact(total, bits)) is not None:
            carry = plus(total, exact.polynomial, -1).get((), 0) >> bits
            return self.words.constant(int(carry)), exact
        known = by_flag(lambda *numbers: sum(numbers) % (1 << bits), terms, self.words)
        wraps = by_flag(lambda *numbers: sum(numbers) >> bits, terms, self.words)
        if known is not None and wraps is not None:
            return wraps, known
        return self.words.sum(terms, bits, "add")

    def difference(self, a: Value, b: Value, borrow: Value, bits: int) -> tuple[Value, Value]:
        """Return the borrow and the word of a difference."""
        total = combine([(1, a.polynomial), (-1, b.polynomial), (-1, borrow.polynomial)])
        if not total:
            return self.words.constant(0), self.words.constant(0)
        if a.polynomial == b.polynomial and not borrow.is_constant:
            return borrow, self.words.value_of(scaled(borrow.polynomial, (1 << bits) - 1))
        known = by_flag(lambda x, y, z: (x - y - z) % (1 << bits), [a, b, borrow], self.words)
        wraps = by_flag(lambda x, y, z: int(x - y - z < 0), [a, b, borrow], self.words)
        if known is not None and wraps is not None:
            return wraps, known
        if (exact := self._exact(total, bits)) is not None:
            wrapped = int(plus(exact.polynomial, total, -1).get((), 0)) >> bits
            return self.words.constant(wrapped), exact
        if b.is_constant and b.low == 0:
            b, borrow = borrow, b
        return self.words.difference(a, b, borrow, bits, "subtract")

    def _exact(self, total: Polynomial, bits: int) -> Value | None:
        """Return a public sum modulo 2^bits if the bounds determine which multiple of 2^bits must be subtracted."""
        if not self.facts.is_public(total):
            return None
        offset = int(total.get((), 0))
        near = plus(total, {(): -(offset + (1 << bits - 1) >> bits << bits)})
        value = self.words.value_of({m: c for m, c in near.items() if c})
        most = (1 << bits) - 1
        if value.low < 0 and not self.facts.is_not_negative(value.polynomial):
            return None
        if value.high > most and not self.facts.is_not_negative(plus({(): most}, value.polynomial, -1)):
            return None
        return Value(value.polynomial, max(value.low, 0), min(value.high, most))

    # Conditions.

    def condition(self, code: str) -> Decision:
        """Return the condition with a name such as ``b`` or ``ne``, which the flags decide."""
        if code in OPPOSITE:
            return self.condition(OPPOSITE[code]).opposite()
        if code not in CONDITIONS:
            raise ProofError(f"the condition {code} is not supported")
        if self.flags is None:
            raise ProofError("a condition uses flags that are not defined")
        found: Decision = CONDITIONS[code](self, self.flags)
        return found

    def carry(self) -> Value:
        """Return the carry flag as a variable or a number."""
        flag = self.condition("b").flag
        if flag.is_constant or is_flag(flag, self.words):
            return flag
        return self.words.select(opposite_of(flag), self.words.constant(0), self.words.constant(1), "carry")

    def compare(self, op: str, flags: StatusFlags) -> Decision:
        """Return whether the operands of a comparison are in an order."""
        a, b = flags.left, flags.right if flags.right is not None else self.words.constant(0)
        if isinstance(a, Pointer) or isinstance(b, Pointer):
            return self._compare_pointers(op, a, b)
        apart = plus(as_value(a).polynomial, as_value(b).polynomial, -1)
        if apart.keys() <= {()}:
            return Decision(self.words.constant(int(ORDERS[op](int(apart.get((), 0)), 0))))
        if as_value(b).is_constant and (settled := self.settled(as_value(a))) is not None:
            return Decision(self.words.constant(int(ORDERS[op](settled, as_value(b).low))))
        found = self.program.compare(op, as_value(a), as_value(b), flags.bits)
        return Decision(*found, apart if op == "==" and self.facts.is_public(apart) else None)

    def decide(self, decision: Decision, where: str) -> bool:
        """Return whether a condition holds on this path, and state the inequalities that follow."""
        taken = self.facts.decide(decision.flag, decision.implied, where)
        if decision.apart is None or decision.flag.is_constant:
            return taken
        signs = [decision.apart, scaled(decision.apart, -1)]
        if taken == decision.equal:
            for number in signs:
                state_once(self.facts, number)
        else:
            for number in [each for each in signs if self.facts.is_not_negative(each)]:
                state_once(self.facts, plus(number, {(): -1}))
        for remainder, value in self._settled.items():
            state_quotients(self.facts, remainder, value)
        return taken

    def holds_number(self, operand: Any) -> bool:
        """Return whether an operand is a part of a register that holds a number."""
        return isinstance(operand, RegisterPart) and isinstance(self.register(operand).cells.get(HERE), Number)

    def settle(self, operand: Any) -> None:
        """Decide which number a register contains if only a few are possible, before parts of it are used."""
        held = self.register(operand).cells.get(HERE) if isinstance(operand, RegisterPart) else None
        if isinstance(held, Number) and isinstance(held.value, Value) and not held.value.is_constant:
            self.settled(held.value)

    def settled(self, value: Value) -> int | None:
        """Return the value of a public variable on this path, or None if more than a few values are possible."""
        if value.low < 0 or variable_of(value) < 0 or not self.facts.is_public(value.polynomial):
            return None
        low, high = value.low, min(value.high, FEW - 1)
        if value.high > high and not self.facts.is_not_negative(plus({(): high}, value.polynomial, -1)):
            return None
        while low < high:
            middle = (low + high + 1) // 2
            flag, implied = self.program.compare("<", value, self.words.constant(middle))
            low, high = (low, middle - 1) if self.facts.decide(flag, implied, "a small number") else (middle, high)
        if variable_of(value) not in self._settled:
            self._settled[variable_of(value)] = low
            self._equal |= state_remainder(self.facts, variable_of(value), low)
        return low

    def _compare_pointers(self, op: str, a: Any, b: Any) -> Decision:
        """Compare pointers: a pointer to an object is not NULL; pointers into one object differ as their offsets do."""
        pointer, other = (a, b) if isinstance(a, Pointer) else (b, a)
        if op == "==" and isinstance(other, Value) and other.is_constant and other.low == 0:
            self.space.require_inside(pointer)
            return Decision(self.words.constant(0))
        if op == "==" and isinstance(other, Pointer) and other.block is pointer.block:
            apart = self.words.value_of(plus(pointer.offset.polynomial, other.offset.polynomial, -1))
            if apart.is_constant:
                return Decision(self.words.constant(int(apart.low % (1 << WORD_BITS) == 0)))
        raise ProofError("this comparison of pointers is not supported")

    def is_less(self, flags: StatusFlags) -> Decision:
        """Return the carry flag of a comparison: a difference of secret numbers borrows."""
        if flags.carry is not None:
            return Decision(flags.carry)
        if flags.right is None:
            raise ProofError("a condition uses the carry flag, which is not defined")
        if isinstance(flags.left, Value) and isinstance(flags.right, Value):
            apart = plus(flags.left.polynomial, flags.right.polynomial, -1)
            if not self.facts.is_public(apart):
                return Decision(self.difference(flags.left, flags.right, self.words.constant(0), flags.bits)[0])
        return self.compare("<", flags)

    def is_less_or_equal(self, flags: StatusFlags) -> Decision:
        """Return whether the carry flag or the zero flag is set."""
        if flags.carry is None:
            if flags.right is None:
                raise ProofError("a condition uses the carry flag, which is not defined")
            return self.compare("<=", flags)
        if flags.carry.is_constant and flags.carry.low == 0:
            return self.compare("==", flags)
        raise ProofError("this condition is not supported")

    def is_negative(self, flags: StatusFlags) -> Decision:
        """Return the sign flag."""
        if flags.right is not None:
            raise ProofError("the sign of a comparison is not supported")
        return Decision(sign(as_value(flags.left), flags.bits, self.words))

    def is_less_signed(self, flags: StatusFlags) -> Decision:
        """Return whether the first operand is less, as a signed number."""
        self._check_signs(flags)
        return self.compare("<", flags)

    def is_at_most_signed(self, flags: StatusFlags) -> Decision:
        """Return whether the first operand is less or equal, as a signed number."""
        self._check_signs(flags)
        return self.compare("<=", flags)

    def _check_signs(self, flags: StatusFlags) -> None:
        """Check that the operands are the same numbers with and without a sign."""
        operands = [flags.left, *([flags.right] if flags.right is not None else [])]
        if not flags.has_signs or any(as_value(operand).high >> flags.bits - 1 for operand in operands):
            raise ProofError("a signed comparison of numbers that may be negative is not supported")


CONDITIONS: dict[str, Any] = {
    "e": lambda cpu, flags: cpu.compare("==", flags),
    "b": Cpu.is_less,
    "be": Cpu.is_less_or_equal,
    "s": Cpu.is_negative,
    "l": Cpu.is_less_signed,
    "le": Cpu.is_at_most_signed,
}
"""The conditions, as Intel's manual names them."""
