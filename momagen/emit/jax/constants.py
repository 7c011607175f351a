"""Constants that rewrite rules derive, as Python expressions on integers.

The meaning of each operation is in rules/constants.toml.
"""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.rewrite.notation.parser import RuleParser
from momagen.rewrite.notation.syntax import Apply, Expr, Literal, Variable
from momagen.rewrite.rules.operations import declared

OPERATORS = {"·": "*", "*": "*", "/": "//", "mod": "%", "+": "+", "-": "-", "<<": "<<", ">>": ">>"}
"""The operators of rules and their spelling in Python."""


def derived_text(op: str, k: int, argument: str) -> str:
    """Return the Python expression of a derived constant.

    Args:
        op: The operation that derives it from ``argument``, and perhaps from q.
        k: The attribute of the operation, such as a number of bits.
        argument: The expression of the operation's argument.
    """
    row = declared("constants.toml")[op]
    means = row.row["means"].split(";")[0].split("=", 1)[1]
    first = row.row["args"].split(":")[0].split()[0]
    names = {"k": str(k), "q": "q", **({first: argument} if first != "q" else {})}
    return _text(RuleParser(means, f"constant {op}").value(), names)


def _text(expr: Expr, names: dict[str, str]) -> str:
    """Return an expression of a rule in Python.

    Raises:
        MomagenError: The expression has an operation that modules do not support.
    """
    match expr:
        case Literal(value):
            return str(value)
        case Variable(name) if name in names:
            return names[name]
        case Apply("2^", (power,)):
            return f"(1 << {_text(power, names)})"
        case Apply("2^", (), power) if power is not None:
            return f"(1 << {_text(power, names)})"
        case Apply("mod 2^", (a, n)):
            return f"({_text(a, names)} % (1 << {_text(n, names)}))"
        case Apply("mod 2^", (a,), n) if n is not None:
            return f"({_text(a, names)} % (1 << {_text(n, names)}))"
        case Apply("inverse", (a, n)):
            return f"pow({_text(a, names)}, -1, {_text(n, names)})"
        case Apply(head, (a, b)) if head in OPERATORS:
            return f"({_text(a, names)} {OPERATORS[head]} {_text(b, names)})"
    raise MomagenError("a constant of sums, products, quotients and powers of two", str(expr), "jax")
