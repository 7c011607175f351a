"""Dividing a function into straight-line parts and the loops around them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
COMPARISONS = {"memcmp", "mg_same"}
"""The functions that compare two residues."""
Group = tuple[bool, list[Any], frozenset[str]]
"""Whether some statements are straight, the statements (one, if not), and the names that occur after them."""


class ControlFlow:
    """Which statements of a source are straight: they contain no loop, and call no function that contains one.

    Loops that contain ``return`` or consist of one assignment are allowed: they read a few words. A straight statement
    may branch.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._straight: dict[Any, bool] = {}
        self._groups: dict[Any, list[Group]] = {}

    def is_straight(self, node: Any) -> bool:
        """Return whether a statement or expression is straight."""
        if node not in self._straight:
            self._straight[node] = self._is_straight(node)
        return self._straight[node]

    def _is_straight(self, node: Any) -> bool:
        if isinstance(node, LOOPS) and not returns(node) and not isinstance(_only(node.stmt), c_ast.Assignment):
            return False
        if isinstance(node, c_ast.FuncCall) and not self.is_straight_function(node.name.name):
            return False
        return all(self.is_straight(child) for _, child in node.children())

    def is_straight_function(self, name: str) -> bool:
        """Return whether a function is straight; functions of the library are."""
        function = self.source.functions.get(name)
        return function is None or self.is_straight(function.body)

    def is_alone(self, _item: Any) -> bool:
        """Return whether a straight statement is a group of its own; none has to be."""
        return False

    def groups(self, compound: Any) -> list[Group]:
        """Return the statements of a block in groups.

        A statement that compares residues begins a group, so that what it compares is known.
        """
        if compound not in self._groups:
            self._groups[compound] = self._found(compound.block_items or [])
        return self._groups[compound]

    def _found(self, items: list[Any]) -> list[Group]:
        groups: list[tuple[bool, list[Any]]] = []
        for item in items:
            is_straight = self.is_straight(item)
            follows = is_straight and groups and groups[-1][0] and not _compares(item)
            if follows and not self.is_alone(item) and not self.is_alone(groups[-1][1][0]):
                groups[-1][1].append(item)
            else:
                groups.append((is_straight, [item]))
        found, later = [], frozenset[str]()
        for is_straight, members in reversed(groups):
            found.append((is_straight, members, later))
            later = later.union(*(names(member) for member in members))
        return found[::-1]


def _only(statement: Any) -> Any:
    """Return the only statement of a block, or a statement itself."""
    items = statement.block_items or [] if isinstance(statement, c_ast.Compound) else [statement]
    return items[0] if len(items) == 1 else None


def returns(node: Any) -> bool:
    """Return whether a statement contains ``return``."""
    return isinstance(node, c_ast.Return) or any(returns(child) for _, child in node.children())


def _compares(node: Any) -> bool:
    is_call = isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") in COMPARISONS
    return is_call or any(_compares(child) for _, child in node.children())


@lru_cache(maxsize=1 << 16)
def names(node: Any) -> frozenset[str]:
    """Return the names of the variables and functions that a statement contains."""
    own = frozenset({node.name}) if isinstance(node, c_ast.ID) else frozenset()
    return own.union(*(names(child) for _, child in node.children()))
