"""Codelets as functions of arrays: a residue is a tuple of its words, the low one first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from momagen.ir import Block, words
from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.residues.arith import Arith
from momagen.lower.phases import lower
from momagen.rewrite import Trace
from momagen.targets import Target

from .constants import derived_text
from .rows import ArrayRows

STEP = "    "


class TableUse(NamedTuple):
    """A constant that a codelet reads.

    Attributes:
        input: its name. own: whether it depends on a twiddle. twiddle: which. text: what it is, of v and q.
    """

    input: str
    own: bool
    twiddle: str
    text: str


@dataclass(frozen=True)
class ArrayCodelet:
    """A function; its operands are the legs, then what ``uses`` says."""

    name: str
    lines: list[str]
    uses: list[TableUse]


@dataclass
class ArrayCodelets:
    """All codelets of a module, each once."""

    target: Target
    arith: Arith
    trace: Trace = field(default_factory=Trace)
    operations: Counter[str] = field(default_factory=Counter)
    found: dict[int, ArrayCodelet] = field(default_factory=dict)

    def of(self, codelet: Codelet) -> ArrayCodelet:
        """The function of a butterfly."""
        if id(codelet) not in self.found:
            operands = [f"x{i}" for i in range(codelet.radix)]
            results = [f"y{i}" for i in range(codelet.radix)]
            self.found[id(codelet)] = self.text(f"butterfly{len(self.found) + 1}", codelet.block, operands, results)
        return self.found[id(codelet)]

    def text(self, name: str, block: Block, operands: list[str], results: list[str]) -> ArrayCodelet:
        """The function of any block, with these operands."""
        trace = Trace()
        done = lower(block, self.target, trace)
        self.trace.add(trace)
        self.operations.update(instr.op for instr in done.instrs)
        rows, uses = ArrayRows(self.target), list[TableUse]()
        for key in done.inputs:
            if key not in operands:
                uses.append(self._use(key, trace))
        lines = [f"def {name}({', '.join([*operands, *(use.input for use in uses)])}):"]
        for key, value in done.inputs.items():
            for at, word in enumerate(words(value, self.target.word, self.arith.words)):
                if not word.is_const:
                    rows.called(word, f"{key}[{at}]")
        lines += [STEP + line for line in rows.lines(done)]
        made = (words(done.outputs[key], self.target.word, self.arith.words) for key in results)
        tuples = [f"({', '.join(map(rows.name, some))},)" for some in made]
        return ArrayCodelet(name, [*lines, f"{STEP}return {', '.join(tuples)}{',' * (len(tuples) == 1)}"], uses)

    def _use(self, key: str, trace: Trace) -> TableUse:
        """An input that is no operand: a twiddle, q, or what rules derive of them."""
        op, k, argument = trace.derived.get(key, ("", 0, key))
        own = argument != "q"
        of = "v" if own else "q"
        return TableUse(key, own, argument if own else "", derived_text(op, k, of) if op else of)
