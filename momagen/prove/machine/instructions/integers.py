"""The meanings of instructions on general registers, as Intel's manual states them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from momagen.prove.c.bits import bit_and, bit_or, bit_xor, by_flag, by_value, is_flag, opposite_of
from momagen.prove.c.memory import Pointer
from momagen.prove.checker import ProofError
from momagen.prove.machine.contents import HERE, Entry, Return, as_value, held_by, move
from momagen.prove.machine.cpu import OPPOSITE, WORD_BITS, Cpu, StatusFlags
from momagen.prove.machine.instructions.decode import Immediate, Memory, RegisterPart
from momagen.prove.polynomial import constant, plus, scaled
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.machine.instructions.decode import Instruction

STACK_POINTER = RegisterPart("rsp", WORD_BITS)
Meaning = Callable[[Cpu, Any], None]


def _result(cpu: Cpu, goal: Any, result: Any, bits: int, carry: Value | None, *, has_signs: bool = False) -> None:
    """Set the flags after an instruction that stores a result."""
    is_number = isinstance(result, Value)
    cpu.flags = StatusFlags((goal, None), result, None, bits, carry, has_signs, result) if is_number else None


# Moves.


def _mov(cpu: Cpu, i: Instruction) -> None:
    goal, source = i.operands
    if isinstance(goal, RegisterPart) and isinstance(source, RegisterPart) and goal.bits == source.bits == WORD_BITS:
        if "rsp" in (goal.name, source.name):
            cpu.write(goal, cpu.read(source))
        else:
            move(cpu.register(source), cpu.register(goal))
        return
    cpu.write(goal, cpu.read(source))


def _movsx(cpu: Cpu, i: Instruction) -> None:
    goal, source = i.operands
    value, half = cpu.number(source), 1 << source.bits - 1
    extended = by_flag(lambda x: (x + half) % (2 * half) - half & (1 << goal.bits) - 1, [value], cpu.words)
    if extended is None and value.high < half:
        extended = value
    if extended is None:
        raise ProofError("a number that may be negative is extended by its sign")
    cpu.write(goal, extended)


def _lea(cpu: Cpu, i: Instruction) -> None:
    found = cpu.effective(i.operands[1])
    if i.operands[0].bits < WORD_BITS:
        found = cpu.narrow(as_value(found), i.operands[0].bits)
    cpu.write(i.operands[0], found)


def _xchg(cpu: Cpu, i: Instruction) -> None:
    a, b = i.operands
    if isinstance(a, Memory) or isinstance(b, Memory):
        raise ProofError("an exchange with memory is not supported")
    first, second = cpu.read(a), cpu.read(b)
    cpu.write(a, second)
    cpu.write(b, first)


def _push(cpu: Cpu, i: Instruction) -> None:
    (source,) = i.operands
    cpu.space.push(cpu.read(source))
    if _is_register(source):
        move(cpu.register(source), cpu.space.slot(cpu.space.top()))


def _pop(cpu: Cpu, i: Instruction) -> None:
    """Take a word from the stack; a register that was saved holds the same object again, as loops expect."""
    (goal,) = i.operands
    slot = cpu.space.slots.get(cpu.space.top())
    cpu.write(goal, cpu.space.pop())
    if _is_register(goal) and slot is not None and HERE in slot.cells:
        move(slot, cpu.register(goal))


def _is_register(operand: Any) -> bool:
    """Return whether an operand is a whole register other than the stack pointer."""
    return isinstance(operand, RegisterPart) and operand.bits == WORD_BITS and operand != STACK_POINTER


def _leave(cpu: Cpu, _: Instruction) -> None:
    cpu.space.set_top(held_by(cpu.registers["rbp"]))
    cpu.write(RegisterPart("rbp", WORD_BITS), cpu.space.pop())


# Sums and differences.


def _add(cpu: Cpu, i: Instruction) -> None:
    goal, a, b = i.operands[0], cpu.read(i.operands[0]), cpu.read(i.operands[1])
    if isinstance(a, Pointer) or isinstance(b, Pointer):
        pointer, number = (a, as_value(b)) if isinstance(a, Pointer) else (b, as_value(a))
        total = plus(pointer.offset.polynomial, _signed(number).polynomial)
        cpu.write(goal, Pointer(pointer.block, cpu.words.value_of(total)))
        cpu.flags = None
        return
    carry, word = cpu.sum([as_value(a), as_value(b)], goal.bits)
    cpu.write(goal, word)
    _result(cpu, goal, word, goal.bits, carry)


def _signed(number: Value) -> Value:
    """Return a number that is added to a pointer; a constant with the sign bit becomes a negative number."""
    if number.is_constant and number.low >> WORD_BITS - 1:
        low = number.low - (1 << WORD_BITS)
        return Value(constant(low), low, low)
    return number


def _adc(cpu: Cpu, i: Instruction) -> None:
    goal = i.operands[0]
    carry, word = cpu.sum([cpu.number(goal), cpu.number(i.operands[1]), cpu.carry()], goal.bits)
    cpu.write(goal, word)
    _result(cpu, goal, word, goal.bits, carry)


def _sub(cpu: Cpu, i: Instruction) -> None:
    goal, a, b = i.operands[0], cpu.read(i.operands[0]), cpu.read(i.operands[1])
    if isinstance(a, Pointer):
        _sub_from_pointer(cpu, goal, a, b)
        return
    borrow, word = cpu.difference(as_value(a), as_value(b), cpu.words.constant(0), goal.bits)
    cpu.write(goal, word)
    is_public = cpu.facts.is_public(plus(as_value(a).polynomial, as_value(b).polynomial, -1))
    cpu.flags = StatusFlags((goal, None), a, b, goal.bits, None if is_public else borrow, result=word)


def _sub_from_pointer(cpu: Cpu, goal: Any, a: Pointer, b: Any) -> None:
    if isinstance(b, Pointer):
        if b.block is not a.block:
            raise ProofError("a difference of pointers into different arrays")
        total = plus(a.offset.polynomial, b.offset.polynomial, -1)
        if not cpu.facts.is_not_negative(total):
            raise ProofError("a difference of pointers that may be negative is not supported")
        value = cpu.words.value_of(total)
        if value.high >> WORD_BITS:
            raise ProofError("a difference of pointers that may be longer than a word is not supported")
        cpu.write(goal, Value(value.polynomial, max(value.low, 0), value.high))
    else:
        total = plus(a.offset.polynomial, _signed(as_value(b)).polynomial, -1)
        cpu.write(goal, Pointer(a.block, cpu.words.value_of(total)))
    cpu.flags = None


def _sbb(cpu: Cpu, i: Instruction) -> None:
    goal, source = i.operands
    borrow = cpu.carry()
    if isinstance(goal, RegisterPart) and goal == source:
        borrow, word = borrow, cpu.words.value_of(scaled(borrow.polynomial, (1 << goal.bits) - 1))
    else:
        borrow, word = cpu.difference(cpu.number(goal), cpu.number(source), borrow, goal.bits)
    cpu.write(goal, word)
    _result(cpu, goal, word, goal.bits, borrow)


def _neg(cpu: Cpu, i: Instruction) -> None:
    (goal,) = i.operands
    borrow, word = cpu.difference(cpu.words.constant(0), cpu.number(goal), cpu.words.constant(0), goal.bits)
    cpu.write(goal, word)
    _result(cpu, goal, word, goal.bits, borrow)


def _count(cpu: Cpu, i: Instruction) -> None:
    """Add or subtract 1; the carry flag stays as it is."""
    (goal,) = i.operands
    carry = cpu.flags.carry if cpu.flags is not None else None
    before, one, none = cpu.number(goal), cpu.words.constant(1), cpu.words.constant(0)
    is_more = i.name == "inc"
    _, word = cpu.sum([before, one], goal.bits) if is_more else cpu.difference(before, one, none, goal.bits)
    cpu.write(goal, word)
    _result(cpu, goal, word, goal.bits, carry)


# Comparisons.


def _cmp(cpu: Cpu, i: Instruction) -> None:
    a, b = i.operands
    cpu.flags = StatusFlags((a, b), cpu.read(a), cpu.read(b), a.bits)


def _test(cpu: Cpu, i: Instruction) -> None:
    a, b = i.operands
    none = cpu.words.constant(0)
    cpu.settle(a)
    if a == b:
        cpu.flags = StatusFlags((a, None), cpu.read(a), None, a.bits, none, result=cpu.read(a))
    else:
        bits = a.bits
        if isinstance(b, Immediate) and b.value >= 0 and cpu.holds_number(a):
            a = RegisterPart(a.name, WORD_BITS)  # the number is short, so that the upper part makes no difference
        result = bit_and(cpu.number(a), cpu.number(b), a.bits, cpu.words)
        cpu.flags = StatusFlags((None, None), as_value(result), None, bits, none)


def _set(code: str) -> Meaning:
    def meaning(cpu: Cpu, i: Instruction) -> None:
        cpu.write(i.operands[0], cpu.condition(code).flag)

    return meaning


def _cmov(code: str) -> Meaning:
    def meaning(cpu: Cpu, i: Instruction) -> None:
        goal, source = i.operands
        decision = cpu.condition(code)
        flag, chosen, other = decision.flag, cpu.read(source), cpu.read(goal)
        if flag.is_constant or cpu.facts.is_public(flag.polynomial):
            cpu.write(goal, chosen if cpu.decide(decision, i.text) else other)
            return
        if not is_flag(flag, cpu.words):
            flag, chosen, other = opposite_of(flag), other, chosen
        cpu.write(goal, cpu.words.select(flag, as_value(chosen), as_value(other), i.name))

    return meaning


# Bits.


def _bitwise(operation: Callable[..., Any]) -> Meaning:
    def meaning(cpu: Cpu, i: Instruction) -> None:
        goal, source = i.operands
        if goal == source and i.name == "xor":
            result: Any = cpu.words.constant(0)
        elif goal == source:
            result = cpu.read(goal)
        elif i.name == "and" and goal == STACK_POINTER:
            result = _aligned(cpu, cpu.number(source))
        else:
            a, b = cpu.read(goal), cpu.read(source)
            if isinstance(a, (Pointer, Entry, Return)) or isinstance(b, (Pointer, Entry, Return)):
                raise ProofError("a bitwise operation on an address")
            result = operation(cpu, a, b, goal.bits)
        cpu.write(goal, result)
        _result(cpu, goal, result, goal.bits, cpu.words.constant(0), has_signs=True)

    return meaning


def _and(cpu: Cpu, a: Any, b: Any, bits: int) -> Any:
    if isinstance(a, Value) and isinstance(b, Value):
        simple = by_value(lambda x, y: x & y, [a, b], cpu.words)
        known = _low_bits(cpu, a, b) if simple is None else simple
        if known is not None:
            return known
    return bit_and(a, b, bits, cpu.words)


def _aligned(cpu: Cpu, mask: Value) -> Pointer:
    """Return the stack pointer, rounded down to a multiple of a power of two up to 64."""
    size = (1 << WORD_BITS) - mask.low
    if not mask.is_constant or size not in (16, 32, 64):
        raise ProofError("this alignment of the stack pointer is not supported")
    top = cpu.space.top()
    return Pointer(cpu.space.stack, cpu.words.constant(top - (top + cpu.space.entry()) % size))


def _low_bits(cpu: Cpu, a: Value, b: Value) -> Value | None:
    """Return ``a & b`` if b is ``2^h - 2^k`` with k > 0, which clears the low bits of a, and those from bit h on."""
    if not b.is_constant or b.low <= 0 or b.low % 2:
        return None
    unit = b.low & -b.low
    end = b.low + unit
    if end & end - 1 or unit > 1 << WORD_BITS - 2:
        return None
    upper = cpu.narrow(a, end.bit_length() - 1)
    rest = cpu.words.low_bits(upper, unit.bit_length() - 1, "and")
    known = cpu.settled(rest)
    rest = rest if known is None else cpu.words.constant(known)
    return cpu.difference(upper, rest, cpu.words.constant(0), WORD_BITS)[1]


def _not(cpu: Cpu, i: Instruction) -> None:
    (goal,) = i.operands
    value, ones = cpu.number(goal), (1 << goal.bits) - 1
    cpu.write(goal, Value(plus(constant(ones), value.polynomial, -1), ones - value.high, ones - value.low))


def _shift(op: str) -> Meaning:
    def meaning(cpu: Cpu, i: Instruction) -> None:
        goal, source = i.operands
        count = cpu.number(source)
        if count.is_constant:
            count = cpu.words.constant(count.low % max(goal.bits, 32))
        elif count.high >= max(goal.bits, 32):
            raise ProofError("a shift by an unknown number of bits that may be greater than the width")
        result = cpu.program.shift_word(op, cpu.number(goal), count, goal.bits)
        cpu.write(goal, result)
        cpu.flags = None
        if count.low > 0:  # otherwise the flags may stay as they were
            _result(cpu, goal, result, goal.bits, None)

    return meaning


def _double_shift(*, is_left: bool) -> Meaning:
    def meaning(cpu: Cpu, i: Instruction) -> None:
        goal, source, by = i.operands
        count = cpu.number(by)
        if goal.bits != WORD_BITS or not count.is_constant or count.low % WORD_BITS == 0:
            raise ProofError("this shift of two words is not supported")
        first, second = cpu.number(goal), cpu.number(source)
        high, low = (first, second) if is_left else (second, first)
        number = count.low % WORD_BITS
        total = cpu.words.value_of(plus(scaled(high.polynomial, 1 << WORD_BITS), low.polynomial))
        shifted = cpu.words.shift_right(
            total, WORD_BITS - number if is_left else number, 2 * WORD_BITS, "shift"
        )
        cpu.write(goal, cpu.narrow(shifted, WORD_BITS))
        cpu.flags = None

    return meaning


# Products.


def _mul(cpu: Cpu, i: Instruction) -> None:
    (source,) = i.operands
    if source.bits < 32:
        raise ProofError("a product of short numbers is not supported")
    low, high = (RegisterPart(name, source.bits) for name in ("rax", "rdx"))
    above, below = cpu.words.product(cpu.number(low), cpu.number(source), source.bits, "mul")
    cpu.write(low, below)
    cpu.write(high, above)
    cpu.flags = None


def _mulx(cpu: Cpu, i: Instruction) -> None:
    high, low, source = i.operands
    above, below = cpu.words.product(
        cpu.number(RegisterPart("rdx", source.bits)), cpu.number(source), source.bits, "mulx"
    )
    cpu.write(low, below)
    cpu.write(high, above)


def _imul(cpu: Cpu, i: Instruction) -> None:
    if len(i.operands) < 2:
        raise ProofError("a signed product of two words is not supported")
    goal, *factors = i.operands if len(i.operands) == 3 else (i.operands[0], *i.operands)
    a, b = (cpu.number(factor) for factor in factors)
    cpu.write(goal, cpu.narrow(cpu.words.multiply(a, b), goal.bits))
    cpu.flags = None


def _nothing(_cpu: Cpu, _i: Instruction) -> None:
    pass


def _prefetch(cpu: Cpu, i: Instruction) -> None:
    """Load a cache line in advance, which changes no content; its address may lie outside all arrays."""
    found = cpu.effective(i.operands[0])
    if not isinstance(found, Pointer) or not cpu.facts.is_public(found.offset.polynomial):
        raise ProofError("the address of a prefetch depends on secret values")


CODES = ("e", "b", "be", "s", "l", "le", *OPPOSITE)
INTEGERS: dict[str, Meaning] = {
    "mov": _mov,
    "movabs": _mov,
    "movzx": _mov,
    "movsx": _movsx,
    "movsxd": _movsx,
    "lea": _lea,
    "xchg": _xchg,
    "push": _push,
    "pop": _pop,
    "leave": _leave,
    "add": _add,
    "adc": _adc,
    "sub": _sub,
    "sbb": _sbb,
    "neg": _neg,
    "inc": _count,
    "dec": _count,
    "cmp": _cmp,
    "test": _test,
    "and": _bitwise(_and),
    "or": _bitwise(lambda cpu, a, b, bits: bit_or(a, b, cpu.words)),
    "xor": _bitwise(lambda cpu, a, b, bits: bit_xor(a, b, cpu.words)),
    "not": _not,
    "shl": _shift("<<"),
    "shr": _shift(">>"),
    "shld": _double_shift(is_left=True),
    "shrd": _double_shift(is_left=False),
    "mul": _mul,
    "mulx": _mulx,
    "imul": _imul,
    **dict.fromkeys(("prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta"), _prefetch),
    "nop": _nothing,
    "endbr64": _nothing,
    **{f"set{code}": _set(code) for code in CODES},
    **{f"cmov{code}": _cmov(code) for code in CODES},
}
"""The meaning of each instruction, by the name that capstone gives it."""
