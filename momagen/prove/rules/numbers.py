"""The notation of the rule files on known integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.prove.checker import ProofError
from momagen.prove.rules.notation import Comparison, Identifier, LimbList, Node, Numeral, Operator

if TYPE_CHECKING:
    from collections.abc import Mapping


def compute(node: Node, names: Mapping[str, int]) -> int:
    """Return the value of an expression whose names have known values.

    Raises:
        KeyError: A name has no value.
    """
    if isinstance(node, Numeral):
        return node.value
    if isinstance(node, Identifier):
        return names[node.text]
    if isinstance(node, LimbList):
        total = 0
        for item in node.items:
            total = (total << names["w"]) + compute(item, names)
        return total
    far = 0 if node.attribute is None else (compute(node.attribute, names))
    if node.head == "sum":
        return sum(compute(node.args[0], {**names, "i": i}) for i in range(far))
    if node.head == "if":
        return compute(node.args[1 if compute(node.args[0], names) else 2], names)
    args = [compute(arg, names) for arg in node.args]
    return apply_operator(node.head, args, far)


def apply_operator(head: str, args: list[int], far: int) -> int:
    """Return the result of an operator on known integers; ``far`` is its distance, if it has one."""
    a, b = args[0], args[-1]
    match head:
        case "+":
            return a + b
        case "-":
            return a - b
        case "·":
            return a * b
        case "/":
            return a // b
        case "mod":
            return a % b
        case "<<":
            return a << far
        case ">>" | "⌊⌋":
            return a >> far
        case "mod 2^":
            return a % (1 << far)
        case "2^":
            return 1 << a
        case "<" | "≤" | "=" | "=?" | ">" | "≥":
            return int(compare(head, a, b))
        case "∧":
            return a & b
        case "∨":
            return a | b
        case "¬":
            return 1 - a
        case "min":
            return min(args)
        case "max":
            return max(args)
        case "abs":
            return abs(a)
        case "bits":
            return a.bit_length()
        case "inverse":
            return pow(a, -1, b)
    raise ProofError(f"{head} cannot be computed")


def compare(sign: str, a: int, b: int) -> bool:
    """Return whether a comparison of two integers holds."""
    return {"<": a < b, "≤": a <= b, "=": a == b, "=?": a == b, ">": a > b, "≥": a >= b}[sign]


def holds(what: Comparison, names: Mapping[str, int]) -> bool:
    """Return whether a comparison holds for known integers."""
    if what.sign == "≈":
        return True
    left, right = compute(what.left, names), compute(what.right, names)
    if what.sign == "≡":
        assert what.modulus is not None
        return (left - right) % compute(what.modulus, names) == 0
    return compare(what.sign, left, right)


def names_in(*nodes: Node | None) -> set[str]:
    """Return the names that expressions use."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Identifier):
            found.add(node.text)
        elif isinstance(node, LimbList):
            found |= names_in(*node.items)
        elif isinstance(node, Operator):
            found |= names_in(*node.args, node.attribute)
    return found


def used(what: Comparison) -> set[str]:
    """Return the names that a comparison uses."""
    return names_in(what.left, what.right, what.modulus)
