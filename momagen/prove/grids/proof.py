"""Proving the claims of element-wise kernels for CUDA."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from momagen.prove.c.cuda.program import INDEX, CudaProgram
from momagen.prove.checker import ProofError
from momagen.prove.grids.kernel import GridKernel
from momagen.prove.vectors.proof import Kernels, all_moduli, check_excluded
from momagen.prove.vectors.shifted import ShiftedKernel

if TYPE_CHECKING:
    from momagen.prove.c.cuda.source import Device
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.grids.claim import GridClaim

COMPILER = "NVRTC"


class ShiftedGridKernel(GridKernel, ShiftedKernel):
    """A run of the launches for moduli that are shorter than the longest one."""


KERNELS = Kernels(GridKernel, ShiftedGridKernel, CudaProgram, INDEX, "set-up")


def prove_grid(device: Device, claim: GridClaim, guide: Guide) -> Counter[str]:
    """Prove the claim of an element-wise kernel for CUDA.

    Returns:
        The number of paths and of elements that were checked.
    """
    launches = claim.launches
    for launch in (*launches.setup, *launches.run):
        most = device.kernels.get(launch.kernel, 0)
        if not 0 < launch.threads <= most:
            raise ProofError(f"{launch.kernel} is launched with {launch.threads} threads and admits {most}")
    if not launches.run:
        raise ProofError("there is no launch")
    refusals = check_excluded(device.source, claim, COMPILER, guide, KERNELS)
    return all_moduli(device.source, claim, COMPILER, guide, KERNELS) + Counter(paths=refusals)
