"""The proof that the machine code of ``execute`` satisfies the claim of an element-wise kernel."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING

from momagen.prove.c.source import seen_by
from momagen.prove.checker import ProofError
from momagen.prove.facts import Facts, Path
from momagen.prove.machine.image import Image
from momagen.prove.machine.kernel import CompiledSource, MachineKernel, ShiftedMachineKernel
from momagen.prove.machine.shifts import MachineShifts
from momagen.prove.vectors.proof import Kernels, all_paths, moduli_of

if TYPE_CHECKING:
    from momagen.prove.c.parsed import Source
    from momagen.prove.certificates.guide import Guide
    from momagen.prove.claims import Claim

IN_MACHINE_CODE = Kernels(MachineKernel, ShiftedMachineKernel)


def prove_machine(source: Source, code: bytes, claim: Claim, compiler: str, guide: Guide) -> Counter[str]:
    """Prove the claim of the machine code of ``execute``.

    Args:
        source: The source as the compiler sees it, whose ``create`` must be proven.
        code: The shared object that the compiler made of it.
        claim: The claim.
        compiler: The compiler, for messages.
        guide: Where the proofs come from.

    Returns:
        The number of paths and of elements that were checked.
    """
    image = Image(code)
    compiled = CompiledSource(**{field.name: getattr(source, field.name) for field in fields(source)}, image=image)
    runs = _all_moduli(compiled, claim, compiler, guide)
    for at in range(1, 3 + len(claim.operation.operands)):
        for path in Path.every():
            kernel = MachineKernel(compiled, claim, Facts(claim.least, claim.greatest, path, guide))
            with seen_by(compiler):
                if not kernel.refuses_null(at):
                    raise ProofError(f"pointer {at} of execute is not proven to be checked for NULL")
            runs.update(paths=1)
    return runs


def _all_moduli(source: CompiledSource, claim: Claim, compiler: str, guide: Guide) -> Counter[str]:
    """Prove a claim for all moduli at once, or for the longest ones and, by their shift, for all others."""
    prove = partial(all_paths, source, claim, compiler=compiler, guide=guide, kernels=IN_MACHINE_CODE)
    with suppress(ProofError):
        return prove((claim.least, claim.greatest))
    total = Counter[str]()
    lemmas = MachineShifts(source, claim, guide)
    for moduli in moduli_of(claim)[:2]:
        total += prove(moduli)
        total += prove(moduli, lemmas=lemmas)
    return total
