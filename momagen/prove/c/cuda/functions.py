"""The built-in functions of CUDA that generated device code calls, as NVIDIA's manuals define them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.c.cuda.vectors import BITS, packed
from momagen.prove.c.memory import Number
from momagen.prove.c.simd.compare import minimum
from momagen.prove.c.types import Integer
from momagen.prove.checker import ProofError
from momagen.prove.words import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.c.machine import Machine

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
    return Number(kind, minimum(a, b, machine.words))


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
