"""Tiles whose digits are held in doubles: what differs is how words become digits, and results words again."""

from __future__ import annotations

from dataclasses import replace

from momagen.ir import Block, Builder, Instr, Value
from momagen.kernels.butterflies.levels import canonical
from momagen.kernels.residues.double_digits import RealArith, real_arith
from momagen.kernels.residues.single_double import one_real
from momagen.lower.body.sign import digits_of, sign
from momagen.lower.phases import lower_digits, lower_real

from .writer import TileWriter


class RealTileWriter(TileWriter):
    """Codelets on doubles, but for the last step: integers in lanes take x below q."""

    inner: RealArith

    def digits(self, levels: int, rests: bool = False) -> RealArith:
        bits, inverse, m_in, target = self.arith.bits, self.spec.inverse, self.spec.ranges.input, self.target
        first = 2 * (target.lanes.bit_length() - 1)
        many = real_arith(bits, target.real, levels, inverse, m_in, target.quotients, first, rests)
        found: RealArith = one_real(bits, levels, inverse, m_in) or many
        return replace(found, over=levels) if inverse and not self.between and found.divides else found

    def lowered(self, block: Block) -> Block:
        return self.counted(lower_real(block, self.target, self.trace, unit=self.inner.unit, digit=self.inner.word))

    def reduced(self, block: Block) -> Block:
        ends = tuple(name[1:] for name in block.outputs)
        held = self.inner if len(ends) > 1 else replace(self.inner, over=0)  # several are those of the last levels
        last = lower_digits(canonical(held, ends), self.target, self.trace, digit=self.inner.word)
        return self.counted(self._followed(self.lowered(block), last, ends))

    def _followed(self, first: Block, second: Block, ends: tuple[str, ...]) -> Block:
        """``second`` on the digits X of ``first``; its modulus is the input n, digits as integers."""
        wires, unit = list[Instr](), self.inner.unit
        for end in ends:
            outs, comes = digits_of(first.outputs[f"X{end}"]), digits_of(second.inputs[f"x{end}"])
            pairs = enumerate(zip(outs, comes, strict=True))
            wires += [Instr("unreal", 64, (out,), (come,), unit("x", at)) for at, (out, come) in pairs]
            wires += sign(outs, second.inputs[f"negative{end}"])
        inputs = {**first.inputs, "n": second.inputs["q"]}
        return Block(inputs, first.instrs + wires + second.instrs, second.outputs)

    def arrived(self, b: Builder, words: list[Value]) -> list[Value]:
        digits = super().arrived(b, words)
        return [b.one("real", self.target.word, d, k=self.inner.unit("x", at)) for at, d in enumerate(digits)]
