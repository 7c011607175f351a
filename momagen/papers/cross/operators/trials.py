"""HE operators and their kernels as trials: each result is compared with integers before it is timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import jax

from momagen.he.kernels import RnsKernels, places
from momagen.he.operators import added, galois, multiplied, rescaled, rotated, subtracted
from momagen.he.parameters import HeParameters
from momagen.params.words import Words

from ..race.entries import OURS, JaxEntry
from ..race.problems import JaxProblem
from ..race.trials import JaxTrial
from ..sweeps.kernels import called, loaded
from ..sweeps.limbs import drawn, last
from . import integers
from .needs import KERNELS, NAMES, kernel_needs, operator_needs, vectors

NUMBER = 60
"""The approximate number of bytes that a residue of a ciphertext or key occupies during a race."""
Run = Callable[..., Any]
Operands = tuple[Any, ...]


def operator_trials(section: str, p: HeParameters, target: str, which: Sequence[str], **more: Any) -> list[JaxTrial]:
    """Return a trial for each operator, on ciphertexts with all limbs."""
    return [
        JaxTrial(section, f"{section} {p.name} {name}", f"{NAMES[name]}, {shown(p)}",
              NUMBER * p.degree * p.limbs * (2 + p.digits), partial(_operator, p, name),
              {OURS: partial(_run, p, target, name, _operator_run)}, counts={OURS: partial(operator_needs, p, name)},
              **more)
        for name in which
    ]  # fmt: skip


def kernel_trials(section: str, p: HeParameters, target: str, **more: Any) -> list[JaxTrial]:
    """Return a trial for each kernel, on a ciphertext with all limbs; conversions convert the first digit."""
    return [
        JaxTrial(section, f"{section} {p.name} {name}", f"{name}, {shown(p)}", NUMBER * p.degree * p.limbs,
              partial(_kernel, p, name), {OURS: partial(_run, p, target, name, _kernel_run)},
              counts={OURS: partial(kernel_needs, p, name)}, per=vectors(p, name), **more)
        for name in KERNELS
    ]  # fmt: skip


def shown(p: HeParameters) -> str:
    """Return a description of a parameter set."""
    return f"N = {p.degree}, L = {p.limbs}, dnum = {p.digits}"


def others(p: HeParameters) -> tuple[int, ...]:
    """Return the moduli to which the first digit is converted."""
    return p.moduli[p.digit :] + p.auxiliary


def _numbers(p: HeParameters) -> tuple[Words, ...]:
    """Return two ciphertexts and a key."""
    x, y = (drawn(p.moduli, (2, p.degree), seed) for seed in (1, 2))
    return x, y, drawn(p.moduli + p.auxiliary, (p.digits, 2, p.degree), 3)


def _problem(
    p: HeParameters, name: str, given: tuple[Words, ...], expected: Words, basis: tuple[int, ...]
) -> JaxProblem:
    return JaxProblem(name, shown(p), p.degree, p.bits, p.limbs, 1, basis, given, last(expected))


def _operator(p: HeParameters, name: str) -> JaxProblem:
    x, y, key = _numbers(p)
    key = key[: len(p.parts(p.limbs))]
    makers: Mapping[str, Callable[[], Words]] = {
        "add": lambda: (x + y) % integers.tops(p.moduli),
        "subtract": lambda: (x + integers.tops(p.moduli) - y) % integers.tops(p.moduli),
        "multiply": lambda: integers.multiplied(p, x, y, key),
        "rescale": lambda: integers.divided(x, p.moduli, p.limbs - 1),
        "rotate": lambda: integers.rotated(p, x, galois(p.degree, 1), key),
    }  # fmt: skip
    given = {"add": (x, y), "subtract": (x, y), "multiply": (x, y, key), "rescale": (x,), "rotate": (x, key)}[name]
    basis = p.moduli[: p.limbs - (name == "rescale")]
    return _problem(p, NAMES[name], given, makers[name](), basis)


def _kernel(p: HeParameters, name: str) -> JaxProblem:
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
    runs: Mapping[str, Run] = {"add": added, "subtract": subtracted, "multiply": multiplied, "rescale": rescaled,
                               "rotate": rotated}  # fmt: skip
    return partial(runs[name], kernels, p), given


def _kernel_run(kernels: RnsKernels, p: HeParameters, name: str, given: Operands) -> tuple[Run, Operands]:
    if name == "permute":
        return kernels.permute, (*given, jax.device_put(places(p.degree, galois(p.degree, 1))))
    if name == "convert":
        return partial(kernels.convert, moduli=p.moduli[: p.digit], to=others(p)), given
    return partial(getattr(kernels, name), moduli=p.moduli), given


def _run(
    p: HeParameters, target: str, name: str, made: Callable[..., tuple[Run, Operands]], problem: JaxProblem
) -> JaxEntry:
    """Return a contestant that is compiled, with its kernels, by its first call."""
    kernels = RnsKernels(p.degree, target)
    run, operands = made(kernels, p, name, tuple(map(loaded, problem.given)))
    return called(jax.jit(run), *operands)
