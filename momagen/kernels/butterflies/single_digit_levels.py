"""Butterflies of several levels on residues that fit one digit, kept in registers.

Products leave values of either sign: x + t and x - t then need no constant. Twiddles stand in heap order, as in
`codelets`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from momagen.ir import Block
from momagen.kernels.residues.single_digit import Near, OneDigit, Range, Residues


@dataclass(frozen=True, eq=False)
class StepCodelet:
    """A block with inputs x0…, twiddles v1…, u1… and q, and outputs y0… within ``out``."""

    block: Block
    radix: int
    out: Range


class StepBuilder(Residues):
    """Builds one step."""

    def cooley_tukey(self, x: Near, y: Near, t: int) -> tuple[Near, Near]:
        """x + v·y and x - v·y; one of the two stays above 0 where x begins at 0."""
        if x.spread + self.arith.spread > self.arith.most:
            x = self.up(x, self.arith.most - self.arith.spread)
        v = self.product(y, t, int(x.lo == 0))
        return self.sum(x, v), self.difference(x, v)

    def plain(self, x: Near, y: Near) -> tuple[Near, Near]:
        """x + y and x - y."""
        return self.sum(x, y), self.difference(x, y)

    def gentleman_sande(self, x: Near, y: Near, t: int, c: int) -> tuple[Near, Near]:
        """x + y and c·q + v·(x - y); y is made to lie below x, so that the difference is a factor as it is."""
        while x.spread + y.spread > self.arith.most:
            if x.spread >= y.spread:
                x = self.up(x, -(-x.spread // 2))
            else:
                y = self.down(y, -(-y.spread // 2))
        y = self.moved(y, min(0, x.lo - y.hi))
        return self.sum(x, y), self.product(self.difference(x, y), t, c)

    def step(self, xs: list[Near]) -> StepCodelet:
        for i, x in enumerate(xs):
            self.b.output(f"y{i}", x.value)
        return StepCodelet(self.b.block, len(xs), (min(x.lo for x in xs), max(x.hi for x in xs)))


@lru_cache(maxsize=256)
def forward(
    arith: OneDigit, radix: int, given: Range, *, pairs: bool = True, lift: int = 0, last: int = 0, ones: bool = False
) -> StepCodelet:
    """Levels of Cooley–Tukey butterflies, natural order in, bit-reversed out.

    Args:
        pairs: whether twiddles come with their quotients by q, which take memory, or an operation each.
        ones: twiddles 1, 2, 4, … are 1, as at the beginning of x^n - 1.
        lift: multiples of q to add, so that no later level goes below 0. last: results below last·q where not 0.
    """
    maker = StepBuilder(arith, pairs)
    xs = [maker.input(f"x{i}", *given) for i in range(radix)]
    half, t = radix // 2, 1
    xs = [maker.moved(x, lift) if i < half else x for i, x in enumerate(xs)]
    while half:
        for block in range(t):
            for i in range(2 * half * block, 2 * half * block + half):
                x, y = xs[i], xs[i + half]
                # Beyond level 0 both would be lifted, and their difference not.
                plain = ones and not block and (t == 1 or not lift) and x.spread + y.spread <= arith.most
                xs[i], xs[i + half] = maker.plain(x, y) if plain else maker.cooley_tukey(x, y, t + block)
        t, half = 2 * t, half // 2
    return maker.step([maker.reduced(x, last) for x in xs] if last else maker.settled(xs, arith.most))


@lru_cache(maxsize=256)
def inverse(arith: OneDigit, radix: int, given: Range, *, pairs: bool = True, last: int = 0) -> StepCodelet:
    """Levels of Gentleman–Sande butterflies, bit-reversed order in, natural out.

    Args:
        last: results below last·q where not 0, and scaled by twiddle 0, 1/n. Twiddles of the first level carry it; so
            does twiddle radix + t, of later ones, for the only pair of block t that has met no product before.
    """
    maker = StepBuilder(arith, pairs)
    xs = [maker.input(f"x{i}", *given) for i in range(radix)]
    half, t = 1, radix // 2
    while t:
        for block in range(t):
            for i in range(2 * half * block, 2 * half * block + half):
                c = -1 if (i + half) & 2 * half and t > 1 else int(not last or t > 1)
                scales = last and half > 1 and i == 2 * half * block
                xs[i], xs[i + half] = maker.gentleman_sande(xs[i], xs[i + half], t + block + radix * bool(scales), c)
        t, half = t // 2, 2 * half
    if last:
        xs[0] = maker.product(xs[0], 0)
        return maker.step([maker.up(x, last) for x in xs])
    return maker.step(maker.settled(xs, arith.most // 2))
