"""The rule table: rules grouped by the operation that they rewrite, each checked to shrink.

Rewriting ends: a rule may only produce narrower operations, or lower-ranked ones of its own width.
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


class RuleTable:
    """All rules, by the operation they rewrite, in the order of the files; checked when their operation is first asked
    for."""

    def __init__(self, rules: list[Rule]) -> None:
        self.rules = rules
        self._by_op: dict[str, list[Rule]] = {}

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def of(self, op: str) -> list[Rule]:
        if op not in self._by_op:
            found = [rule for rule in self.rules if rule.op == op]
            for rule in found:
                check_shrinks(rule)
            self._by_op[op] = found
        return self._by_op[op]

    def find(self, key: str) -> list[Rule]:
        """The rules with this id or name.

        Raises:
            MomagenError: there is none.
        """
        found = [rule for rule in self.rules if key and key in (rule.id, rule.name)]
        if not found:
            raise MomagenError(f"a rule id or name ({', '.join(r.id or r.name for r in self.rules)})", key, "rule")
        return found


def measure(op: str, digits: int) -> tuple[int, int]:
    """What must fall at every rewriting: the widest result in digits, then the rank of the operation."""
    return digits * OPS[op].spread, OPS[op].rank


def check_shrinks(rule: Rule) -> None:
    """Refuse a rule whose right-hand side asks for an operation that is not smaller, or does not define its results.

    Raises:
        MomagenError: naming file, rule and text.
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
    """The shipped rule table; in front of it the rules ``own`` of a target."""
    return RuleTable([*own, *_shipped()])


@lru_cache(maxsize=1)
def _shipped() -> list[Rule]:
    return [rule for name in FILES for rule in load_file(folder("rules") / name)]


@lru_cache(maxsize=16)
def table_columns(op: str) -> tuple[str, ...]:
    """What a table holds of a constant factor v so that the shipped rule reduces products ``op`` by it: the operations
    of ``CONSTANTS`` on v, and "" for v itself."""
    (rule, *_) = table().of(op)
    factor = rule.names[OPS[op].fixed[0]][0]
    columns = tuple(each.head for each in _asked(rule.derived) if str(each.args[0]) == factor)
    return ("",) * any(factor in map(str, each.args) for each in _asked(rule.body)) + columns


def _asked(statements: Sequence[Statement]) -> list[Apply]:
    return [each.value for each in statements if isinstance(each, Equation) and isinstance(each.value, Apply)]
