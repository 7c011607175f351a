"""A transform's program against the definition, on the functional simulator."""

from __future__ import annotations

import random
from collections.abc import Sequence

from gmpy2 import invert, mpz, powmod

from momagen.errors import MomagenError
from momagen.formula.transforms import digit_reversal
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.machine.design import Design
from momagen.rpu.programs.transform import RpuTransform
from momagen.simulate.functional import Functional

FEW = 16
"""Coefficients of what an inverse transform is tried on; each takes n powers."""


def check_transforms(towers: Sequence[RpuTransform], batch: int, program: RpuProgram, design: Design) -> int:
    """How many values of transforms agree with the definition: all, ``batch`` times n of each tower.

    Values of an inverse are those of a few known coefficients, and what comes out must be those and zeros. Of a forward
    transform Y of random x, the sum of s^k·Y_k over all k is compared for a random s: it is a sum over x, too, since
    Y_k = Σ x_i·w^i·v^(i·k) and the powers of s·v^i add up to (s^n - 1)/(s·v^i - 1). A wrong value changes it, but for
    less than one s in q/n.

    Raises:
        MomagenError: one does not.
    """
    n, machine = towers[0].n, Functional(program, design.vdm_bytes, design.sdm_bytes)
    members = [_Member(of, random.Random(n * batch + number)) for of in towers for number in range(batch)]
    machine.put("x", [each for member in members for each in member.given])
    machine.run()
    found = machine.get("y")
    for number, member in enumerate(members):
        member.check(found[number * n : number * n + n], f"transform {number}")
    return len(found)


class _Member:
    """One transform: what it is given, and what that gives by the definition."""

    def __init__(self, of: RpuTransform, rng: random.Random) -> None:
        self.of, self.s = of, rng.randrange(2, of.q)
        self.given = [rng.randrange(of.q) for _ in range(of.n)]
        places = [0, 1, of.n // 2, of.n - 1, *rng.sample(range(of.n), FEW - 4)]
        self.few = {place: self.given[place] for place in places}
        if of.inverse:
            powers = [_point(of, k) for k in range(of.n)]
            self.given = [int(sum(c * powmod(p, at, of.q) for at, c in self.few.items()) % of.q) for p in powers]

    def check(self, found: list[int], where: str) -> None:
        of = self.of
        if not of.inverse:
            sums = _sum_of_values(of, found, self.s), _sum_by_definition(of, self.given, self.s)
            if sums[0] != sums[1]:
                raise MomagenError(
                    f"{sums[1]:#x} by the definition", f"{sums[0]:#x}", f"{where}, the sum of all values"
                )
        elif wrong := [place for place in range(of.n) if found[place] != self.few.get(place, 0)]:
            right = self.few.get(wrong[0], 0)
            raise MomagenError(f"{right:#x} by the definition", f"{found[wrong[0]]:#x}", f"{where}, value {wrong[0]}")


def _point(of: RpuTransform, place: int) -> mpz:
    """Where value ``place``, in bit-reversed order, is taken."""
    power = digit_reversal(place, of.n)
    return powmod(of.root, 2 * power + 1 if of.negacyclic else power, of.q)


def _sum_of_values(of: RpuTransform, values: list[int], s: int) -> int:
    """Σ s^k·Y_k, where Y_k lies at k with its bits reversed."""
    found = mpz(0)
    for power in reversed(range(of.n)):
        found = (found * s + values[digit_reversal(power, of.n)]) % of.q
    return int(found)


def _sum_by_definition(of: RpuTransform, coefficients: list[int], s: int) -> int:
    """(s^n - 1)·Σ x_i·w^i/(s·v^i - 1): v of order n, w its root of a negacyclic transform, else 1."""
    w = mpz(of.root if of.negacyclic else 1)
    v = w * w % of.q if of.negacyclic else mpz(of.root)
    turn, point, found = mpz(1), mpz(s), mpz(0)
    for each in coefficients:
        found = (found + each * turn * invert(point - 1, of.q)) % of.q
        turn, point = turn * w % of.q, point * v % of.q
    return int(found * (powmod(s, of.n, of.q) - 1) % of.q)
