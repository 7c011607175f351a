"""The program after each step of rewriting, which is the derivation tree cut at each depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from momagen.ir import Block, Instr, Value, leaves
from momagen.rewrite import Rule

from .naming import Names
from .notation import Line, Writer
from .record import Node, Recorded

Shown = tuple[Instr | Node, str, Rule | None, bool]
"""An operation with its path, the rule that introduced it, and whether the rule was applied in this step."""


@dataclass(frozen=True)
class RewriteStep:
    """The whole program after one step.

    Attributes:
        title: A description of the step; "" for a step that applies rules.
        level: The number of bits of a limb.
        lines: The program.
        rules_applied: The rules of this step, with the number of their applications.
    """

    title: str
    level: int
    lines: tuple[Line, ...]
    rules_applied: tuple[tuple[Rule, int], ...] = ()

    @property
    def splits(self) -> bool:
        """Whether the step only splits numbers into limbs, by rule (19)."""
        return not self.rules_applied and self.title.startswith("limbs")


class _View:
    """A view of one pass after it is complete: the operations that were not removed, with their names."""

    def __init__(self, done: Recorded, names: Names) -> None:
        self.final = {id(r): instr for instr in done.block.instrs for r in instr.results}
        self.alive = _used(done.block)
        dead = {key: flag for key, flag in done.flags.items() if key not in self.alive}
        self.writer = Writer(names, stands_for=dead)
        self.roots = [node for root in done.roots for node in self._visible(root)]
        self.layers = _layers(self.roots)
        self.around = {value: nodes for root in self.roots for value, nodes in _around(root, ())}
        for group in (g for layer in self.layers for node in layer for g in _groups(node)):
            names.group(group, self.alive)
        names.settle()

    def _visible(self, node: Node) -> list[Node]:
        """Return ``node`` with its remaining descendants, or their list if an identity replaced the node."""
        children = [c for child in node.children for c in self._visible(child)]
        if node.rule is None and node.children:
            return children
        if not children and not any(self._kept(instr) for instr in node.instrs):
            return []
        node.children = children
        return [node]

    def _kept(self, instr: Instr) -> bool:
        return any(id(r) in self.final for r in instr.results)

    def rules_applied(self, depth: int) -> tuple[tuple[Rule, int], ...]:
        """Return the rules that lead from one depth to the next."""
        return tuple(Counter(node.rule for node in self.layers[depth - 1] if node.rule).items())

    def cut(self, depth: int) -> tuple[Line, ...]:
        """Return the program at one depth, together with deeper operations if their results are used twice."""
        opened: set[int] = set()
        while more := self._hidden(depth, opened):
            opened |= more
        return tuple(self._line(*shown) for shown in self._shown(depth, opened))

    def _hidden(self, depth: int, opened: set[int]) -> set[int]:
        """Return the nodes that contain values which the program at this depth reads but does not define."""
        made, read = set[int](), set[int]()
        for shown, *_ in self._shown(depth, opened):
            made |= {id(leaf) for value in shown.results for leaf in leaves(value)}
            read |= {id(leaf) for value in shown.args for leaf in leaves(value)}
        return {id(node) for value in read - made for node in self.around.get(value, ())} - opened

    def _shown(self, depth: int, opened: set[int]) -> Iterator[Shown]:
        return (shown for root in self.roots for shown in self._cut(root, depth, None, opened))

    def _cut(self, node: Node, depth: int, rule: Rule | None, opened: set[int]) -> Iterator[Shown]:
        if not node.children:
            for i, instr in enumerate(node.instrs):
                if self._kept(instr):
                    path = f"{node.path}.{i}" if len(node.instrs) > 1 else node.path
                    yield self._instr(instr), path, rule, depth == 0
        elif depth <= 0 and id(node) not in opened:
            yield node, node.path, rule, True
        else:
            for child in node.children:
                yield from self._cut(child, depth - 1, node.rule, opened)

    def _line(self, shown: Instr | Node, path: str, rule: Rule | None, fresh: bool) -> Line:
        width = shown.width if isinstance(shown, Node) else shown.w
        tokens = self.writer.line(shown.op, width, shown.args, shown.k, shown.results)
        return Line(tokens, shown.op, path, rule, fresh)

    def _instr(self, instr: Instr) -> Instr:
        """Return the instruction as it is after dead-code elimination."""
        return next(self.final[id(r)] for r in instr.results if id(r) in self.final)


def _layers(nodes: list[Node]) -> list[list[Node]]:
    """Return the nodes by depth."""
    layers = []
    while nodes:
        layers.append(nodes)
        nodes = [child for node in nodes for child in node.children]
    return layers


def _around(node: Node, above: tuple[Node, ...]) -> Iterator[tuple[int, tuple[Node, ...]]]:
    """Yield the values that are computed below ``node``, each with the nodes that contain it."""
    for instr in node.instrs if not node.children else ():
        yield from ((id(result), above) for result in instr.results)
    for child in node.children:
        yield from _around(child, (*above, node))


def _groups(node: Node) -> list[list[Value]]:
    """Return the results that share a letter: both halves of a product, and otherwise each result by itself."""
    parts = [list(leaves(r)) for r in node.results]
    parts = [parts[0] + parts[1]] if node.op == "mul" else parts
    return parts + [[r] for instr in node.instrs for r in instr.results]


def _used(block: Block) -> set[int]:
    read = [a for instr in block.instrs for a in instr.args] + list(block.outputs.values())
    return {id(leaf) for value in read for leaf in leaves(value)}


def whole(title: str, block: Block, names: Names, rules_applied: Iterable[tuple[Rule, int]] = ()) -> RewriteStep:
    """Return a step in which no number is split yet."""
    wide = Writer(names, bits=True)
    lines = (Line(wide.line(i.op, i.w, i.args, i.k, i.results), i.op, str(at)) for at, i in enumerate(block.instrs))
    return RewriteStep(title, names.level, tuple(lines), tuple(rules_applied))


def steps(passes: list[Recorded], names: Names) -> Iterator[RewriteStep]:
    """Yield every step of ``passes`` that changes the program, down to the words of the target."""
    for done in passes:
        narrower = done.level < names.level
        names.split(done.known, done.level)
        view = _View(done, names)
        if narrower:
            yield RewriteStep(f"limbs of {done.level} bits", done.level, view.cut(0))
        for depth in range(1, len(view.layers)):
            yield RewriteStep("", done.level, view.cut(depth), view.rules_applied(depth))
