"""Proving the claims of element-wise kernels for CUDA."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from momagen.prove.c.cuda.program import INDEX, CudaProgram
from momagen.prove.checker import ProofError
from momagen.prove.grids.claim import GridClaim
from momagen.prove.grids.kernel import GridKernel
from momagen.prove.grids.odd import is_for_odd_moduli, prove_odd_grid
from momagen.prove.vectors.proof import Kernels, all_paths, check_excluded, moduli_of
from momagen.prove.vectors.shifted import ShiftedKernel
from momagen.prove.vectors.shifts import ShiftLemmas

if TYPE_CHECKING:
    from momagen.prove.c.cuda.source import Device
    from momagen.prove.c.parsed import Source
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.claims import Claim
    from momagen.prove.grids.launches import Launches

COMPILER = "NVRTC"


class ShiftedGridKernel(GridKernel, ShiftedKernel):
    """A run of the launches for moduli that are shorter than the longest one."""


KERNELS = Kernels(GridKernel, ShiftedGridKernel, "set-up")


def check_launches(device: Device, launches: Launches) -> None:
    """Check that there are launches, and that each has as many threads as its kernel admits."""
    for launch in (*launches.setup, *launches.run):
        most = device.kernels.get(launch.kernel, 0)
        if not 0 < launch.threads <= most:
            raise ProofError(f"{launch.kernel} is launched with {launch.threads} threads and admits {most}")
    if not launches.run or not launches.setup:
        raise ProofError("there is no launch")


def prove_grid(device: Device, claim: GridClaim, seed: str, guide: Guide) -> Counter[str]:
    """Prove the claim of an element-wise kernel for CUDA.

    Returns:
        The number of paths and of elements that were checked.
    """
    if any(launch.shared for launch in (*claim.launches.setup, *claim.launches.run)):
        raise ProofError("shared memory is not supported here")
    if claim.is_odd:
        return prove_odd_grid(device.source, claim, seed, COMPILER, guide)
    refusals = check_excluded(device.source, claim, COMPILER, guide, KERNELS)
    return _all_moduli(device.source, claim, guide) + Counter(paths=refusals)


def narrowed_to_odd(device: Device, claim: GridClaim, seed: str, guide: Guide) -> Claim:
    """Return a claim, narrowed to odd moduli if set-up refuses all others."""
    return claim.for_odd_moduli() if is_for_odd_moduli(device.source, claim, seed, guide) else claim


def _all_moduli(source: Source, claim: GridClaim, guide: Guide) -> Counter[str]:
    """Prove a claim for all moduli at once, or for the longest ones and, by their shift, for all others."""
    with suppress(ProofError):
        return all_paths(source, claim, (claim.least, claim.greatest), COMPILER, guide, kernels=KERNELS)
    lemmas = ShiftLemmas(source, claim.bits, claim.words, claim.word, guide, CudaProgram, INDEX)
    total = Counter[str]()
    for moduli in moduli_of(claim)[:2]:
        total += all_paths(source, claim, moduli, COMPILER, guide, kernels=KERNELS)
        total += all_paths(source, claim, moduli, COMPILER, guide, lemmas, KERNELS)
    return total
