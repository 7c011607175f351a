"""The built-in functions of CUDA that generated device code calls, as NVIDIA's manuals define them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.c.bits import choose, is_flag
from momagen.prove.c.cuda.vectors import BITS, packed
from momagen.prove.c.memory import Number
from momagen.prove.c.simd.compare import minimum
from momagen.prove.c.types import Integer
from momagen.prove.checker import ProofError
from momagen.prove.polynomial import plus, scaled, variables
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.c.machine import Machine
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.words import Words

FUNNEL = 32
"""The bits of a word of a funnel shift."""


def _words(machine: Machine, kind: Integer, numbers: tuple[Any, ...]) -> list[Value]:
    """Return the values of arguments, converted to the type of the parameters."""
    converted = [machine.convert(number, kind) for number in numbers]
    values = [number.value for number in converted]
    if not all(isinstance(value, Value) and value.low >= 0 for value in values):
        raise ProofError("an argument of a built-in function is not a finished word")
    return values


def _high_product(bits: int) -> Callable[..., Any]:
    kind = Integer(bits)

    def high(machine: Machine, *numbers: Any) -> Number:
        a, b = _words(machine, kind, numbers)
        return Number(kind, machine.words.product(a, b, bits, "mulhi")[0])

    return high


def _funnel_right(machine: Machine, *numbers: Any) -> Number:
    """Return the low word of ``(2^32 * high + low) / 2^k``; the count k is taken modulo 32."""
    low, high = _words(machine, Integer(FUNNEL), numbers[:2])
    by, words = machine.number(numbers[2]) % FUNNEL, machine.words
    if by == 0:
        return Number(Integer(FUNNEL), low)
    upper = words.shift_left(high, FUNNEL - by, FUNNEL, "funnel")
    return Number(Integer(FUNNEL), words.join(upper, words.shift_right(low, by, FUNNEL, "funnel")))


def _minimum(machine: Machine, *numbers: Any) -> Number:
    """Return the lesser of two words of one unsigned type; other overloads of ``min`` are not supported."""
    kinds = {number.kind for number in numbers if isinstance(number, Number)}
    if len(numbers) != 2 or len(kinds) != 1:
        raise ProofError("min is called with arguments of two types")
    kind = kinds.pop()
    if kind not in (Integer(32), Integer(64)):
        raise ProofError("min is called with arguments that are not words")
    a, b = _words(machine, kind, numbers)
    for first, second in ((a, b), (b, a)):
        if (chosen := _minimum_of_near(first, second, kind.bits, machine.words)) is not None:
            return Number(kind, chosen)
    return Number(kind, minimum(a, b, machine.words))


def _minimum_of_near(a: Value, b: Value, bits: int, words: Words) -> Value | None:
    """Return the lesser of a and b if b is congruent to a - c modulo 2^w for 0 <= c < 2^w.

    If a is at least c, then b is a - c. Otherwise b is a - c + 2^w and greater than a.
    """
    change = _expanded(plus(b.polynomial, a.polynomial, -1), bits, words)
    if variables(b.polynomial) == variables(a.polynomial) or not -(1 << bits) < change.low <= change.high <= 0:
        return None
    less = Value(scaled(change.polynomial, -1), -change.high, -change.low)
    flag, word = words.difference(a, less, words.constant(0), bits, "min")
    if flag.is_constant:
        return a if flag.low else word
    return choose(flag, a, word, words) if is_flag(flag, words) else None


def _expanded(total: Polynomial, bits: int, words: Words) -> Value:
    """Return a number that is congruent modulo 2^bits, in which low words are replaced by what they are parts of."""
    for number in sorted(words.operation_of, reverse=True):
        operation = words.operations[words.operation_of[number]]
        if operation.low == number and abs(operation.weight) == 1 << bits and (number,) in total:
            total = plus(total, plus(words.dividend(operation), {(number,): 1}, -1), total[number,])
            if -(1 << bits) < (value := words.value_of(total)).low <= value.high <= 0:
                return value
    return words.value_of(total)


def _make(name: str) -> Callable[..., Any]:
    def make(_machine: Machine, *numbers: Any) -> Any:
        return packed(name, list(numbers))

    return make


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "__umulhi": (2, _high_product(32)),
    "__umul64hi": (2, _high_product(64)),
    "__funnelshift_r": (3, _funnel_right),
    "min": (2, _minimum),
    **{f"make_{name}": (count, _make(name)) for name, (_, count) in BITS.items()},
}
"""The built-in functions: the number of their arguments, and their meaning."""


def call(name: str, machine: Machine, arguments: list[Any]) -> Any:
    """Call a built-in function."""
    count, function = FUNCTIONS[name]
    if len(arguments) != count:
        raise ProofError(f"{name} is called with another number of arguments than {count}")
    return function(machine, *arguments)
