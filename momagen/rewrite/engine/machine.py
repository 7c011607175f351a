"""The properties of a machine on which rewriting depends, and the trace of a rewriting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Legal = Callable[[str, int], bool]
"""A function ``legal(op, width)`` that returns whether a machine has an operation."""
DEFAULTS: dict[str, str] = {
    "multiply": "schoolbook", "compare": "borrow", "carry": "unsigned", "borrow": "comparison", "product": "words",
    "shoup": "exact",
}  # fmt: skip
"""The alternatives of the rule table that apply if neither a request nor a target selects others."""


@dataclass
class Trace:
    """The rules that were applied and the theorems that codelets rely on.

    Attributes:
        rules_applied: The number of applications by the label of the rule or theorem.
        derived: For the name of each input that contains a derived constant, the operation that derives it,
            its attribute k, and its argument, which is the name of an input, or "v1" for the number 1.
    """

    rules_applied: Counter[str] = field(default_factory=Counter)
    derived: dict[str, tuple[str, int, str]] = field(default_factory=dict)

    def add(self, other: Trace) -> None:
        """Add the rules and constants of another trace."""
        self.rules_applied += other.rules_applied
        self.derived |= other.derived


@dataclass(frozen=True)
class Machine:
    """The properties of a target on which rewriting depends.

    Attributes:
        word: The number of bits of a word, or of a reduced-radix limb.
        legal: The function ``legal(op, width)`` that returns whether the target has an operation.
        choices: The alternatives of the rule table that the target prefers, by the names of choices.
        lane: The number of bits of a lane that holds a reduced-radix limb, or 0.
        piece: The largest number of operations of a product, counting those of its word products only, that
            is not generated as a procedure, or 0 for the default of :mod:`momagen.rewrite.engine.procedures`.
        columns: The number of words of factors from which on products are calls of procedures that compute
            column by column, or 0 if they never are.
        digits: The kind of limbs: "slack" for reduced-radix limbs, "real" for floating-point limbs, "chains"
            for words whose sums of products become carry chains, or "" for words.
    """

    word: int
    legal: Legal
    choices: Mapping[str, str] = field(default_factory=dict)
    lane: int = 0
    piece: int = 0
    columns: int = 0
    digits: str = ""
