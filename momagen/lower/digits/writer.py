"""The writer of a transform on reduced-radix limbs, which are integers in lanes or doubles."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial

from momagen.ir import Block, Builder, Instr, Value, const
from momagen.kernels.butterflies.levels import canonical
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.lower.body.radix import to_digits
from momagen.lower.body.sign import digits_of, sign
from momagen.lower.depth_first import DepthFirstWriter
from momagen.lower.phases import lower_digits, lower_real
from momagen.lower.setup.entries import TransformConstants
from momagen.lower.writer import ProgramWriter
from momagen.plan.schedule.depth_first.reduced_radix import LimbTransform

from .constants import constants


class TileWriter(DepthFirstWriter):
    """A writer of one transform, whose vectors contain limbs and whose scalar functions work on words.

    Attributes:
        inner: The representation of residues by limbs.
        step: The number of words of a vector of residues as limbs.
        wide: The number of words of a vector of residues in the user's layout.
    """

    plan: LimbTransform

    def __init__(self, plan: LimbTransform, beside: ProgramWriter, name: str = "") -> None:
        super().__init__(plan, beside, name)
        self.inner = plan.inner
        self.step, self.wide = self.inner.words * plan.lanes, self.arith.words * plan.lanes

    @cached_property
    def constants(self) -> TransformConstants:
        """The plan constants that are derived from q, and the entries of tables."""
        return constants(self.inner, self.arith)

    @cached_property
    def given(self) -> dict[str, object]:
        """The values that the texts of functions use, by name."""
        own = {"tiles": 1, "inner": self.inner, "step": self.step, "wide": self.wide}
        return {**super().given, **own, "room": self.plan.room, "apart": self.plan.apart}

    def lowered(self, block: Block) -> Block:
        """Return ``block`` lowered to the target's operations on limbs."""
        a = self.inner
        lower = partial(lower_real, unit=a.unit, digit=a.word) if a.real else lower_digits
        return self._counted(lower(block, self.target, self.trace))

    def reduced(self, block: Block) -> Block:
        """Return ``block`` lowered, with results below q.

        Floating-point limbs are converted to integers for the last reduction.
        """
        if not self.inner.real:
            return self.lowered(block)
        ends = tuple(name[1:] for name in block.outputs)
        held = self.inner if len(ends) > 1 else replace(self.inner, over=0)  # several ends belong to the last levels
        last = lower_digits(canonical(held, ends), self.target, self.trace, digit=self.inner.word)
        return self._counted(_followed(self.inner, self.lowered(block), last, ends))

    def _counted(self, block: Block) -> Block:
        self.operations += block.counts()
        return block

    def arrived(self, b: Builder, words: list[Value]) -> list[Value]:
        """Return the limbs of a residue, as codelets expect them, from its words."""
        a, word = self.inner, self.target.word
        digits = to_digits(b, words, word, a.word, a.words)
        if not a.real:
            return digits
        return [b.one("real", word, digit, k=a.unit("x", at)) for at, digit in enumerate(digits)]


def _followed(a: ReducedRadix, first: Block, second: Block, ends: tuple[str, ...]) -> Block:
    """Return ``second`` applied to the limbs X that ``first`` returns.

    Args:
        a: The representation of residues, in which ``first`` returns doubles.
        first: The first block.
        second: The second block, on integers. Its modulus becomes the input n of the result.
        ends: The suffixes of the names of the outputs.
    """
    wires = list[Instr]()
    for end in ends:
        outs, comes = digits_of(first.outputs[f"X{end}"]), digits_of(second.inputs[f"x{end}"])
        outs += [const(0)] * (len(comes) - len(outs))
        pairs = enumerate(zip(outs, comes, strict=True))
        wires += [Instr("unreal", 64, (out,), (come,), a.unit("x", at)) for at, (out, come) in pairs]
        wires += sign(outs, second.inputs[f"negative{end}"])
    inputs = {**first.inputs, "n": second.inputs["q"]}
    return Block(inputs, first.instrs + wires + second.instrs, second.outputs)
