"""A rewriting pass that records its derivation: a tree of operations, whose children were introduced by rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from momagen.ir import Block, Instr, Value
from momagen.rewrite import Machine, Rule, RuleTable, Trace
from momagen.rewrite.engine.engine import RewritePass
from momagen.rewrite.engine.passes import levels


@dataclass(eq=False)
class Node:
    """One operation of a pass.

    Attributes:
        op: The name of the operation.
        width: The width of the operation in bits.
        args: The arguments.
        k: The constant of the operation.
        path: The indices from an instruction of the first block to this node, through all passes. The path of
            an ancestor is a prefix.
        rule: The rule that rewrote it, or None if it was not rewritten or if an identity replaced it by its
            children.
        results: The results.
        children: The operations that the rule introduced.
        instrs: The instructions that the builder appended for an operation that was not rewritten.
    """

    op: str
    width: int
    args: tuple[Value, ...]
    k: int
    path: str
    rule: Rule | None = None
    results: tuple[Value, ...] = ()
    children: list[Node] = field(default_factory=list)
    instrs: list[Instr] = field(default_factory=list)


class Recorder(RewritePass):
    """A rewriting pass that stores its derivation tree in ``roots``.

    Attributes:
        paths: The paths of the values of the previous pass, by ``id``.
        roots: The trees of the operations of the block.
    """

    def __init__(self, table: RuleTable, machine: Machine, level: int, trace: Trace, paths: dict[int, str]) -> None:
        super().__init__(table, machine, level, trace)
        self.paths, self.roots = paths, list[Node]()
        self._stack: list[Node] = []

    def _copy(self, instr: Instr) -> None:
        self._path = next(self.paths[id(r)] for r in instr.results if id(r) in self.paths)
        super()._copy(instr)

    def emit(self, op: str, width: int, *args: Value, k: int = 0) -> tuple[Value, ...]:
        """Emit an operation as the base class does, and append its node to the tree."""
        beside = self._stack[-1].children if self._stack else self.roots
        path = f"{self._stack[-1].path}.{len(beside)}" if self._stack else self._path
        node = Node(op, width, args, k, path)
        beside.append(node)
        self._stack.append(node)
        start = len(self.builder.block.instrs)
        node.results = super().emit(op, width, *args, k=k)
        self._stack.pop()
        if not node.children:
            node.instrs = self.builder.block.instrs[start:]
        return node.results

    def _apply(self, rule: Rule, width: int, args: Sequence[Value], k: int) -> tuple[Value, ...]:
        self._stack[-1].rule = rule
        return super()._apply(rule, width, args, k)

    def flags(self) -> dict[int, Value]:
        """Return the flag of each word that holds a flag, by ``id`` of the word."""
        return {id(i.results[0]): i.args[0] for i in self.builder.block.instrs if i.op == "word"}


@dataclass
class Recorded:
    """The record of one pass.

    Attributes:
        level: The number of bits of a limb.
        roots: The derivation trees.
        block: The block after the pass, without dead code.
        known: The new values of the old values, by ``id``.
        flags: The flag of each word that holds a flag, by ``id`` of the word.
    """

    level: int
    roots: list[Node]
    block: Block
    known: dict[int, Value]
    flags: dict[int, Value]


def leaves_of(node: Node) -> Iterator[Node]:
    """Yield the operations that were not rewritten, in order."""
    if node.instrs:
        yield node
    for child in node.children:
        yield from leaves_of(child)


def record(block: Block, table: RuleTable, machine: Machine, trace: Trace) -> list[Recorded]:
    """Return the records of all passes over ``block`` that :func:`momagen.rewrite.rewrite` runs."""
    paths = {id(r): str(i) for i, instr in enumerate(block.instrs) for r in instr.results}
    passes = []
    for level in levels(block.width, machine.word):
        recorder = Recorder(table, machine, level, trace, paths)
        block = recorder.run(block)
        passes.append(Recorded(level, recorder.roots, block, recorder.known, recorder.flags()))
        paths = {
            id(r): f"{leaf.path}.{i}" if len(leaf.instrs) > 1 else leaf.path
            for root in recorder.roots
            for leaf in leaves_of(root)
            for i, instr in enumerate(leaf.instrs)
            for r in instr.results
        }
    return passes
