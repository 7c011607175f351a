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


def check_transforms(towers: Sequence[RpuTransform], batch: int, program: RpuProgram, design: Design) -> int:
    """How many values of transforms agree with the definition: all, ``batch`` times n of each tower.

    Of the results r of random operands the sum of s^k·r_k over all k is compared for a random s: by the definition it
    is a sum over the operands, too, of which each has a factor that is a geometric series. A wrong value changes it,
    but for less than one s in q/n.

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
    """One transform, and what it is given."""

    def __init__(self, of: RpuTransform, rng: random.Random) -> None:
        self.of, self.s = of, rng.randrange(2, of.q)
        self.given = [rng.randrange(of.q) for _ in range(of.n)]

    def check(self, found: list[int], where: str) -> None:
        of = self.of
        if of.inverse:
            right, got = _inverse_sum(of, self.given, self.s), _sum(found, self.s, of.q)
        else:
            values = [found[digit_reversal(power, of.n)] for power in range(of.n)]
            right, got = _forward_sum(of, self.given, self.s), _sum(values, self.s, of.q)
        if right != got:
            raise MomagenError(f"{right:#x} by the definition", f"{got:#x}", f"{where}, the sum of all values")


def _sum(numbers: Sequence[int], s: int, q: int) -> int:
    """Σ s^k·r_k."""
    found = mpz(0)
    for each in reversed(numbers):
        found = (found * s + each) % q
    return int(found)


def _forward_sum(of: RpuTransform, coefficients: Sequence[int], s: int) -> int:
    """Of Y_k = Σ x_i·w^i·v^(i·k): (s^n - 1)·Σ x_i·w^i/(s·v^i - 1), v of order n, w its root of a negacyclic transform,
    else 1."""
    w = mpz(of.root if of.negacyclic else 1)
    v = w * w % of.q if of.negacyclic else mpz(of.root)
    turn, point, found = mpz(1), mpz(s), mpz(0)
    for each in coefficients:
        found = (found + each * turn * invert(point - 1, of.q)) % of.q
        turn, point = turn * w % of.q, point * v % of.q
    return int(found * (powmod(s, of.n, of.q) - 1) % of.q)


def _inverse_sum(of: RpuTransform, values: Sequence[int], s: int) -> int:
    """Of x_j = (Σ Y_k/p_k^j)/n, where p_k^n = ±1: (±s^n - 1)/n·Σ Y_k/(s/p_k - 1). The value at p_k lies at k with its
    bits reversed."""
    step = powmod(of.root, 2 if of.negacyclic else 1, of.q)
    point, found = mpz(of.root if of.negacyclic else 1), mpz(0)
    for power in range(of.n):
        found = (found + values[digit_reversal(power, of.n)] * point * invert(s - point, of.q)) % of.q
        point = point * step % of.q
    sign = -1 if of.negacyclic else 1
    return int(found * (sign * powmod(s, of.n, of.q) - 1) * invert(of.n, of.q) % of.q)
