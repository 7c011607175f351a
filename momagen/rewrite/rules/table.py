"""The rule table: every rule checked to shrink, grouped by the operation that it rewrites."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from momagen.data import folder
from momagen.errors import MomagenError

from .rule import Rule, load_file
from .termination import check_shrinks

FILES = (
    "moma.toml", "multiply.toml", "across.toml", "modular.toml", "reduction.toml", "butterfly.toml", "slack.toml",
    "real.toml", "word.toml",
)


class RuleTable:
    """All rules, by the operation they rewrite, in the order of the files."""

    def __init__(self, rules: list[Rule]) -> None:
        self.rules = rules
        self._by_op: dict[str, list[Rule]] = {}
        for rule in rules:
            self._by_op.setdefault(rule.op, []).append(rule)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def of(self, op: str) -> list[Rule]:
        return self._by_op.get(op, [])

    def find(self, key: str) -> list[Rule]:
        """The rules with this id or name.

        Raises:
            MomagenError: there is none.
        """
        found = [rule for rule in self.rules if key and key in (rule.id, rule.name)]
        if not found:
            raise MomagenError(f"a rule id or name ({', '.join(r.id or r.name for r in self.rules)})", key, "rule")
        return found


@lru_cache(maxsize=1)
def table() -> RuleTable:
    """The shipped rule table, every rule checked to shrink."""
    rules = [rule for name in FILES for rule in load_file(folder("rules") / name)]
    for rule in rules:
        check_shrinks(rule)
    return RuleTable(rules)
