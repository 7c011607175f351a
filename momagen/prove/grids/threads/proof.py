"""Proving the claims of transforms for CUDA."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from momagen.prove.c.source import seen_by
from momagen.prove.checker import ProofError
from momagen.prove.grids.proof import COMPILER
from momagen.prove.grids.threads.run import GridRun
from momagen.prove.transforms.claim import LEAST, Moduli
from momagen.prove.transforms.proof import TransformProof

if TYPE_CHECKING:
    from momagen.prove.c.cuda.source import Device
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.grids.threads.claim import GridTransform
    from momagen.prove.transforms.run import TransformRun


class GridTransformProof(TransformProof):
    """The proof of a transform for CUDA."""

    claim: GridTransform
    run_type: type[TransformRun] = GridRun

    def prove(self) -> None:
        """Prove the claim: what the launches of a call compute, and which moduli and roots set-up supports."""
        self._check_vectors()
        self._check_moduli()
        self._check_roots()

    def refuses_short_moduli(self) -> bool:
        """Return whether set-up is proven to refuse all moduli that need fewer words than the longest one."""
        greatest = (1 << self.claim.shortest) - 1
        if greatest < LEAST:
            return False
        run = self._new_run(Moduli(2, greatest, None))
        with suppress(ProofError):
            return run.create_from(run.modulus, run.any_root()) is None
        return False

    def _check_vectors(self) -> None:
        """Check the launches of a call for all layouts of its arrays."""
        for layout in reversed(self.claim.layouts()):
            run = self._new_run()
            if not isinstance(run, GridRun):
                raise TypeError("a transform for CUDA is run by launches")
            run.create_valid()
            self.elements += run.execute_vectors(layout)


def narrowed_to_long(device: Device, claim: GridTransform, seed: str, guide: Guide) -> GridTransform:
    """Return a claim, narrowed to moduli that need all words if set-up refuses all others."""
    with seen_by(COMPILER):
        is_long = GridTransformProof(device.source, claim, seed, guide).refuses_short_moduli()
    return claim.for_long_moduli() if is_long else claim


def prove_grid_transform(device: Device, claim: GridTransform, seed: str, guide: Guide) -> Counter[str]:
    """Prove the claim of a transform for CUDA.

    Args:
        device: The device code.
        claim: The claim.
        seed: What determines the random choices.
        guide: Where the proofs come from.

    Returns:
        The number of paths and of elements that were checked.
    """
    proof = GridTransformProof(device.source, claim, seed, guide)
    with seen_by(COMPILER):
        proof.prove()
    return Counter(paths=proof.runs, elements=proof.elements)
