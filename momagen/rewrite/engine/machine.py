"""What rewriting must know of a machine, and what it tells of itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Legal = Callable[[str, int], bool]
DEFAULTS: dict[str, str] = {
    "multiply": "schoolbook", "compare": "borrow", "carry": "unsigned", "borrow": "comparison", "product": "words",
    "shoup": "exact",
}  # fmt: skip
"""What an option is that neither a request nor a target names."""


@dataclass
class Trace:
    """The rules applied, and the theorems that codelets rest on: a count per label.

    Attributes:
        derived: by the name of an input that holds a derived constant, the operation that derives it, its attribute k,
            and its argument: the name of an input, or "v1" for the number 1.
    """

    rules_applied: Counter[str] = field(default_factory=Counter)
    derived: dict[str, tuple[str, int, str]] = field(default_factory=dict)

    def add(self, other: Trace) -> None:
        """Note all that ``other`` did."""
        self.rules_applied += other.rules_applied
        self.derived |= other.derived


@dataclass(frozen=True)
class Machine:
    """What rewriting must know of a target: bits per word, the operations legal on a word, the alternatives to take.

    Attributes:
        choices: The alternatives of the rule table that it prefers, by the names of choices.
        lane: bits of what holds a word; more than the word's where a word is a digit with slack, else 0.
        digits: what a word is where it is no word: a digit with "slack", or a "real" one, in a double.
        piece: operations of a product, those of its word products alone, that is made in one piece; 0: as procedures
            have it.
        columns: words of factors from which products are calls that go column by column; 0: never.
    """

    word: int
    legal: Legal
    choices: Mapping[str, str] = field(default_factory=dict)
    lane: int = 0
    piece: int = 0
    columns: int = 0
    digits: str = ""
