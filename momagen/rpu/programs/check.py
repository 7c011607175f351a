"""A transform's program against the definition, on the functional simulator."""

from __future__ import annotations

import random

from gmpy2 import invert, mpz, powmod

from momagen.errors import MomagenError
from momagen.formula.transforms import digit_reversal
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.simulate.functional import Functional

from .transform import RpuTransform

FEW = 16
"""Coefficients of what an inverse transform is tried on; each takes n powers."""


def check_transform(of: RpuTransform, program: RpuProgram, vdm_bytes: int, sdm_bytes: int) -> int:
    """How many values of a transform agree with the definition: all n.

    Values of an inverse are those of a few known coefficients, and what comes out must be those and zeros. Of a forward
    transform Y of random x, the sum of s^k·Y_k over all k is compared for a random s: it is a sum over x, too, since
    Y_k = Σ x_i·w^i·v^(i·k) and the powers of s·v^i add up to (s^n - 1)/(s·v^i - 1). A wrong value changes it, but for
    less than one s in q/n.

    Raises:
        MomagenError: one does not.
    """
    rng, machine = random.Random(of.n), Functional(program, vdm_bytes, sdm_bytes)
    given = [rng.randrange(of.q) for _ in range(of.n)]
    few = {place: given[place] for place in [0, 1, of.n // 2, of.n - 1, *rng.sample(range(of.n), FEW - 4)]}
    if of.inverse:
        given = [int(sum(c * powmod(_point(of, k), at, of.q) for at, c in few.items()) % of.q) for k in range(of.n)]
    machine.put("x", given)
    machine.run()
    found = machine.get("y")
    if not of.inverse:
        s = rng.randrange(2, of.q)
        sums = (_sum_of_values(of, found, s), _sum_by_definition(of, given, s))
        if sums[0] != sums[1]:
            raise MomagenError(f"{sums[1]:#x} by the definition", f"{sums[0]:#x}", "the sum of all values")
    elif wrong := [place for place in range(of.n) if found[place] != few.get(place, 0)]:
        raise MomagenError(f"{few.get(wrong[0], 0):#x} by the definition", f"{found[wrong[0]]:#x}", f"value {wrong[0]}")
    return of.n


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
