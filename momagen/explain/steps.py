"""The derivation, cut at every depth: what the program reads after each step of rewriting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from momagen.ir import Block, Instr, Value, leaves
from momagen.rewrite import Rule

from .naming import Names
from .notation import Line, Writer
from .record import Node, Recorded


@dataclass(frozen=True)
class Step:
    """The whole program after one step.

    Attributes:
        title: what happened. level: bits per digit. fired: the rules of this step, how often.
    """

    title: str
    level: int
    lines: tuple[Line, ...]
    fired: tuple[tuple[Rule, int], ...] = ()

    @property
    def splits(self) -> bool:
        """Whether the step only took numbers apart into digits: rule (19)."""
        return not self.fired and self.title.startswith("digits")


class _View:
    """One pass as seen from its end: which operations lived on, under which names."""

    def __init__(self, done: Recorded, names: Names) -> None:
        self.final = {id(r): instr for instr in done.block.instrs for r in instr.results}
        self.alive = _used(done.block)
        dead = {key: flag for key, flag in done.flags.items() if key not in self.alive}
        self.writer = Writer(names, stands_for=dead)
        self.roots = [node for root in done.roots for node in self._visible(root)]
        self.layers = _layers(self.roots)
        for group in (g for layer in self.layers for node in layer for g in _groups(node)):
            names.group(group, self.alive)
        names.settle()

    def _visible(self, node: Node) -> list[Node]:
        """``node`` with only what lived on below it; what an identity made, in its place."""
        children = [c for child in node.children for c in self._visible(child)]
        if node.rule is None and node.children:
            return children
        if not children and not any(self._kept(instr) for instr in node.instrs):
            return []
        node.children = children
        return [node]

    def _kept(self, instr: Instr) -> bool:
        return any(id(r) in self.final for r in instr.results)

    def fired(self, depth: int) -> tuple[tuple[Rule, int], ...]:
        """The rules that lead from one depth to the next."""
        return tuple(Counter(node.rule for node in self.layers[depth - 1] if node.rule).items())

    def cut(self, depth: int) -> tuple[Line, ...]:
        return tuple(line for root in self.roots for line in self._cut(root, depth, None))

    def _cut(self, node: Node, depth: int, rule: Rule | None) -> Iterator[Line]:
        if not node.children:
            for i, instr in enumerate(node.instrs):
                if self._kept(instr):
                    path = f"{node.path}.{i}" if len(node.instrs) > 1 else node.path
                    yield self._stays(self._instr(instr), path, rule, depth == 0)
        elif depth == 0:
            tokens = self.writer.line(node.op, node.width, node.args, node.k, node.results)
            yield Line(tokens, node.op, node.path, rule, fresh=True)
        else:
            for child in node.children:
                yield from self._cut(child, depth - 1, node.rule)

    def _instr(self, instr: Instr) -> Instr:
        """The instruction as dead code left it."""
        return next(self.final[id(r)] for r in instr.results if id(r) in self.final)

    def _stays(self, instr: Instr, path: str, rule: Rule | None, fresh: bool) -> Line:
        tokens = self.writer.line(instr.op, instr.w, instr.args, instr.k, instr.results)
        return Line(tokens, instr.op, path, rule, fresh)


def _layers(nodes: list[Node]) -> list[list[Node]]:
    """The nodes by depth."""
    layers = []
    while nodes:
        layers.append(nodes)
        nodes = [child for node in nodes for child in node.children]
    return layers


def _groups(node: Node) -> list[list[Value]]:
    """The results that share a letter: both halves of a product; else each on its own. Flags stand alone."""
    parts = [list(leaves(r)) for r in node.results]
    parts = [parts[0] + parts[1]] if node.op == "mul" else parts
    return parts + [[r] for instr in node.instrs for r in instr.results]


def _used(block: Block) -> set[int]:
    read = [a for instr in block.instrs for a in instr.args] + list(block.outputs.values())
    return {id(leaf) for value in read for leaf in leaves(value)}


def steps(block: Block, passes: list[Recorded], names: Names, width: int) -> Iterator[Step]:
    """Every step, from the operation as asked to the target's words; steps that change nothing are left out."""
    wide = Writer(names, bits=True)
    lines = tuple(
        Line(wide.line(i.op, i.w, i.args, i.k, i.results), i.op, str(at)) for at, i in enumerate(block.instrs)
    )
    yield Step("as asked", width, lines)
    for done in passes:
        narrower = done.level < names.level
        names.split(done.known, done.level)
        view = _View(done, names)
        if narrower:
            yield Step(f"digits of {done.level} bits", done.level, view.cut(0))
        for depth in range(1, len(view.layers)):
            yield Step("", done.level, view.cut(depth), view.fired(depth))
