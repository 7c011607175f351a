"""What modules for JAX do as JAX traces them: equations, products of digits, operations on vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

ARITHMETIC = {
    "add", "sub", "mul", "and", "or", "not", "lt", "le", "eq", "min", "select_n", "shift_left", "shift_right_logical",
}  # fmt: skip


def mulhi(a: Any, b: Any) -> Any:
    """High words by halves of 16 bits."""
    low, high = (a & 0xFFFF, b & 0xFFFF), (a >> 16, b >> 16)
    middle = low[0] * high[1] + ((low[0] * low[1]) >> 16)
    other = high[0] * low[1] + (middle & 0xFFFF)
    return high[0] * high[1] + (middle >> 16) + (other >> 16)


def equations(jaxpr: Any) -> Iterator[Any]:
    """All of them, those of called functions too."""
    for each in jaxpr.eqns:
        inner = [value for value in each.params.values() if hasattr(value, "jaxpr") or hasattr(value, "eqns")]
        yield from (one for value in inner for one in equations(getattr(value, "jaxpr", value)))
        if not inner:
            yield each


def traced(source: str, tables: Any, shape: Sequence[int]) -> list[Any]:
    """The equations of a module on arrays of a shape, with high words by halves."""
    import jax

    names: dict[str, Any] = {}
    exec(source, names)
    names["mulhi"] = mulhi
    x = tuple(jax.ShapeDtypeStruct(tuple(shape), "uint32") for _ in range(names["WORDS"]))
    return [*equations(jax.make_jaxpr(names["traced"])(tables, x).jaxpr)]


def size(value: Any) -> int:
    """Elements of an array."""
    return prod(value.aval.shape)


def products(found: Sequence[Any]) -> Counter[str]:
    """Of digits, each with a sum, by their type."""
    total = Counter[str]()
    for each in found:
        if each.primitive.name == "dot_general":
            (inner, _), _ = each.params["dimension_numbers"]
            left = each.invars[0]
            total[str(left.aval.dtype)] += size(each.outvars[0]) * prod(left.aval.shape[axis] for axis in inner)
    return total


def operations(found: Sequence[Any], axis: int) -> int:
    """On elements of arrays that have an axis so long."""
    total = 0
    for each in found:
        name, goal = each.primitive.name, each.outvars[0]
        carry = name == "convert_element_type" and each.invars[0].aval.dtype == bool
        if (name in ARITHMETIC or carry) and axis in goal.aval.shape:
            total += size(goal)
    return total
