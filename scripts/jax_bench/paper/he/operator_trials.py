"""HE operators and their kernels as trials: each result is compared with integers before it is timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import jax

from momagen.he.kernels import RnsKernels, places
from momagen.he.operators import added, galois, multiplied, rescaled, rotated
from momagen.he.parameters import HeParameters
from momagen.params.words import Words

from ...entries import OURS, Entry
from ...problems import Problem
from ..limbs import drawn, last
from ..own import called, loaded
from ..trials import Trial
from . import operator_integers as integers
from .operator_needs import kernel_needs, operator_needs

OPERATORS = ("add", "multiply", "rescale", "rotate")
KERNELS = ("ntt", "intt", "multiply", "add", "permute", "convert")
NAMES = {"add": "HE-Add", "multiply": "HE-Mult", "rescale": "Rescale", "rotate": "Rotate"}
NUMBER = 60
"""Bytes that a residue of a ciphertext or key takes while it is in a race, about."""
Run = Callable[..., Any]
Operands = tuple[Any, ...]


def operator_trials(section: str, p: HeParameters, target: str, which: Sequence[str], **more: Any) -> list[Trial]:
    """A trial for each operator, on ciphertexts with all limbs."""
    return [
        Trial(section, f"{section} {p.name} {name}", f"{NAMES[name]}, {shown(p)}",
              NUMBER * p.degree * p.limbs * (2 + p.digits), partial(_operator, p, name),
              {OURS: partial(_run, p, target, name, _operator_run)}, counts={OURS: partial(operator_needs, p, name)},
              **more)
        for name in which
    ]  # fmt: skip


def kernel_trials(section: str, p: HeParameters, target: str, **more: Any) -> list[Trial]:
    """A trial for each kernel, on a ciphertext with all limbs; conversions on the first digit."""
    return [
        Trial(section, f"{section} {p.name} {name}", f"{name}, {shown(p)}", NUMBER * p.degree * p.limbs,
              partial(_kernel, p, name), {OURS: partial(_run, p, target, name, _kernel_run)},
              counts={OURS: partial(kernel_needs, p, name)}, per=vectors(p, name), **more)
        for name in KERNELS
    ]  # fmt: skip


def shown(p: HeParameters) -> str:
    """A set for a reader."""
    return f"N = {p.degree}, L = {p.limbs}, dnum = {p.digits}"


def vectors(p: HeParameters, name: str) -> int:
    """Vectors of N residues of one call, or pairs of limbs of a conversion."""
    return p.digit * p.limbs if name == "convert" else 2 * p.limbs


def others(p: HeParameters) -> tuple[int, ...]:
    """What the first digit is converted to."""
    return p.moduli[p.digit :] + p.auxiliary


def _numbers(p: HeParameters) -> tuple[Words, ...]:
    """Two ciphertexts and a key."""
    x, y = (drawn(p.moduli, (2, p.degree), seed) for seed in (1, 2))
    return x, y, drawn(p.moduli + p.auxiliary, (p.digits, 2, p.degree), 3)


def _problem(p: HeParameters, name: str, given: tuple[Words, ...], expected: Words, basis: tuple[int, ...]) -> Problem:
    return Problem(name, shown(p), p.degree, p.bits, p.limbs, 1, basis, given, last(expected))


def _operator(p: HeParameters, name: str) -> Problem:
    x, y, key = _numbers(p)
    key = key[: len(p.parts(p.limbs))]
    makers: Mapping[str, Callable[[], Words]] = {
        "add": lambda: (x + y) % integers.tops(p.moduli), "multiply": lambda: integers.multiplied(p, x, y, key),
        "rescale": lambda: integers.divided(x, p.moduli, p.limbs - 1),
        "rotate": lambda: integers.rotated(p, x, galois(p.degree, 1), key),
    }  # fmt: skip
    given = {"add": (x, y), "multiply": (x, y, key), "rescale": (x,), "rotate": (x, key)}[name]
    basis = p.moduli[: p.limbs - (name == "rescale")]
    return _problem(p, NAMES[name], given, makers[name](), basis)


def _kernel(p: HeParameters, name: str) -> Problem:
    x, y, _ = _numbers(p)
    q, digit = integers.tops(p.moduli), p.moduli[: p.digit]
    makers: Mapping[str, Callable[[], Words]] = {
        "ntt": lambda: integers.ntt(x, p.moduli), "intt": lambda: integers.intt(x, p.moduli),
        "multiply": lambda: x * y % q, "add": lambda: (x + y) % q,
        "permute": lambda: integers.turned(x, p.moduli, galois(p.degree, 1)),
        "convert": lambda: integers.convert(x[0, : p.digit], digit, others(p)),
    }  # fmt: skip
    given = {"multiply": (x, y), "add": (x, y), "convert": (x[0, : p.digit],)}.get(name, (x,))
    return _problem(p, name, given, makers[name](), others(p) if name == "convert" else p.moduli)


def _operator_run(kernels: RnsKernels, p: HeParameters, name: str, given: Operands) -> tuple[Run, Operands]:
    if name == "rotate":
        given = given[0], kernels.turn(galois(p.degree, 1), p.moduli), given[1]
    runs: Mapping[str, Run] = {"add": added, "multiply": multiplied, "rescale": rescaled, "rotate": rotated}
    return partial(runs[name], kernels, p), given


def _kernel_run(kernels: RnsKernels, p: HeParameters, name: str, given: Operands) -> tuple[Run, Operands]:
    if name == "permute":
        return kernels.permute, (*given, jax.device_put(places(p.degree, galois(p.degree, 1))))
    if name == "convert":
        return partial(kernels.convert, moduli=p.moduli[: p.digit], to=others(p)), given
    return partial(getattr(kernels, name), moduli=p.moduli), given


def _run(p: HeParameters, target: str, name: str, made: Callable[..., tuple[Run, Operands]], problem: Problem) -> Entry:
    """Compiled by its first call, which generates its kernels, too."""
    kernels = RnsKernels(p.degree, target)
    run, operands = made(kernels, p, name, tuple(map(loaded, problem.given)))
    return called(jax.jit(run), *operands)
