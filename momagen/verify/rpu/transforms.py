"""The verification of a transform's program against the definition, on the functional simulator."""

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
    """Compare the values of transforms with the definition, and return their number, n for each member of each batch.

    For the results r of random operands, the sum of s^k·r_k over all k is compared for a random s. By the definition it
    is also a sum over the operands, each of which has a factor that is a geometric series. An incorrect value changes
    the sum, except for less than a fraction n/q of all s.

    Args:
        towers: The transforms, one for each modulus.
        batch: The number of transforms for each modulus.
        program: The program.
        design: The machine on which it runs.

    Raises:
        MomagenError: A value is incorrect.
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
    """One transform and its operand."""

    def __init__(self, of: RpuTransform, rng: random.Random) -> None:
        self.of, self.s = of, rng.randrange(2, of.q)
        self.given = [rng.randrange(of.q) for _ in range(of.n)]

    def check(self, found: list[int], where: str) -> None:
        """Check the values of one transform.

        Raises:
            MomagenError: A value is incorrect.
        """
        of = self.of
        if of.inverse:
            right, got = _inverse_sum(of, self.given, self.s), _sum(found, self.s, of.q)
        else:
            values = [found[digit_reversal(power, of.n)] for power in range(of.n)]
            right, got = _forward_sum(of, self.given, self.s), _sum(values, self.s, of.q)
        if right != got:
            raise MomagenError(f"{right:#x} by the definition", f"{got:#x}", f"{where}, the sum of all values")


def _sum(numbers: Sequence[int], s: int, q: int) -> int:
    """Return Σ s^k·r_k."""
    found = mpz(0)
    for each in reversed(numbers):
        found = (found * s + each) % q
    return int(found)


def _forward_sum(of: RpuTransform, coefficients: Sequence[int], s: int) -> int:
    """Return that sum for Y_k = Σ x_i·w^i·v^(i·k), which is (s^n - 1)·Σ x_i·w^i/(s·v^i - 1).

    v has order n, and w is the root of a negacyclic transform, otherwise 1.
    """
    w = mpz(of.root if of.negacyclic else 1)
    v = w * w % of.q if of.negacyclic else mpz(of.root)
    turn, point, found = mpz(1), mpz(s), mpz(0)
    for each in coefficients:
        found = (found + each * turn * invert(point - 1, of.q)) % of.q
        turn, point = turn * w % of.q, point * v % of.q
    return int(found * (powmod(s, of.n, of.q) - 1) % of.q)


def _inverse_sum(of: RpuTransform, values: Sequence[int], s: int) -> int:
    """Return that sum for x_j = (Σ Y_k/p_k^j)/n with p_k^n = ±1, which is (±s^n - 1)/n·Σ Y_k/(s/p_k - 1).

    The value at p_k has the bit-reversed index of k.
    """
    step = powmod(of.root, 2 if of.negacyclic else 1, of.q)
    point, found = mpz(of.root if of.negacyclic else 1), mpz(0)
    for power in range(of.n):
        found = (found + values[digit_reversal(power, of.n)] * point * invert(s - point, of.q)) % of.q
        point = point * step % of.q
    sign = -1 if of.negacyclic else 1
    return int(found * (sign * powmod(s, of.n, of.q) - 1) * invert(of.n, of.q) % of.q)
