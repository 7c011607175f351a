"""The rule table: rules by the operation that they replace, each of which is checked to shrink.

Rewriting terminates because a rule may only lead to narrower operations, or to operations of the same width
with a lower rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from momagen.data import folder
from momagen.errors import MomagenError
from momagen.ir import OPS
from momagen.rewrite.notation.syntax import Apply, Equation, Statement

from .right_side import right_side
from .rule import Rule, load_file

FILES = (
    "moma.toml",
    "multiply.toml",
    "across.toml",
    "modular.toml",
    "reduction.toml",
    "butterfly.toml",
    "solinas.toml",
    "signed.toml",
    "fold.toml",
    "sums.toml",
    "halves.toml",
    "slack.toml",
    "narrow.toml",
    "real.toml",
    "word.toml",
)
"""The files of the table, in the order in which their rules are tried."""


class RuleTable:
    """Rules by the operation that they replace, in the order of the files.

    The rules for an operation are checked when the operation is first looked up.

    Attributes:
        rules: All rules in order.
    """

    def __init__(self, rules: list[Rule]) -> None:
        self.rules = rules
        self._by_op: dict[str, list[Rule]] = {}

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def of(self, op: str) -> list[Rule]:
        """Return the rules that replace an operation, in the order in which they are tried.

        Raises:
            MomagenError: A rule does not shrink, or its right-hand side is invalid.
        """
        if op not in self._by_op:
            found = [rule for rule in self.rules if rule.op == op]
            for rule in found:
                check_shrinks(rule)
            self._by_op[op] = found
        return self._by_op[op]

    def find(self, key: str) -> list[Rule]:
        """Return the rules with the given id or name.

        Raises:
            MomagenError: There is no such rule.
        """
        found = [rule for rule in self.rules if key and key in (rule.id, rule.name)]
        if not found:
            raise MomagenError(f"a rule id or name ({', '.join(r.id or r.name for r in self.rules)})", key, "rule")
        return found


def measure(op: str, digits: int) -> tuple[int, int]:
    """Return the measure that every rewriting decreases: the limbs of the widest result, then the rank."""
    return digits * OPS[op].spread, OPS[op].rank


def check_shrinks(rule: Rule) -> None:
    """Check that a rule only leads to smaller operations, defines its results, and uses known names.

    Raises:
        MomagenError: It does not. The message names the file, the rule and the text.
    """
    own, side = measure(rule.op, rule.digits), right_side(rule)
    for step in side.steps:
        if step.what in OPS and measure(step.what, step.digits) >= own:
            text = f"{step.what} on {step.digits} limb{'s' * (step.digits > 1)} in {rule.right!r}"
            raise MomagenError(f"only operations smaller than {rule.left!r} (so that rewriting ends)", text, rule.where)
    try:
        rule.guard.holds(side.numbers)
    except KeyError as missing:
        wanted = f"one of {', '.join(side.numbers)} in “{rule.guard.text}”"
        raise MomagenError(wanted, missing.args[0], rule.where) from None


@lru_cache(maxsize=16)
def table(own: tuple[Rule, ...] = ()) -> RuleTable:
    """Return the rule table of momagen, preceded by the rules ``own`` of a target."""
    return RuleTable([*own, *_shipped()])


@lru_cache(maxsize=1)
def _shipped() -> list[Rule]:
    """Return the rules of momagen in order."""
    return [rule for name in FILES for rule in load_file(folder("rules") / name)]


@lru_cache(maxsize=16)
def table_columns(op: str) -> tuple[str, ...]:
    """Return the constants of a factor v that a table must contain for products by ``op``.

    They are the operations of ``CONSTANTS`` on v that the first rule for ``op`` derives, and "" for v if the
    rule uses v itself.
    """
    (rule, *_) = table().of(op)
    factor = rule.names[OPS[op].fixed[0]][0]
    columns = tuple(each.head for each in _asked(rule.derived) if str(each.args[0]) == factor)
    return ("",) * any(factor in map(str, each.args) for each in _asked(rule.body)) + columns


def _asked(statements: Sequence[Statement]) -> list[Apply]:
    """Return the operations of all assignments."""
    return [each.value for each in statements if isinstance(each, Equation) and isinstance(each.value, Apply)]
