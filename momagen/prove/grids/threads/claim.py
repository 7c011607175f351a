"""The claims of transforms for CUDA."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from momagen.prove.checker import ProofError
from momagen.prove.grids.claim import NONE, WORD, words_of
from momagen.prove.grids.launches import Launches, launches_of
from momagen.prove.transforms.claim import CHANCE, Moduli, Transform, transform_of


@dataclass(frozen=True)
class GridTransform(Transform):
    """The claim of a transform for CUDA.

    The launches of set-up store 0 as the status of every q of ``moduli`` with a root below q whose power N/2 is -1
    modulo q, and another status for all other numbers of as many words. For each of these q and roots, the launches of
    a call, one after the other, transform any number of vectors that the host code accepts.

    Attributes:
        launches: The launches, which the host code states.
        is_long: Whether only moduli that need all words that the longest one needs are supported.
    """

    launches: Launches = NONE
    is_long: bool = False

    @property
    def shortest(self) -> int:
        """The bits of the longest number that is too short for a modulus of a kernel that supports long ones only."""
        return (self.bits - 1) // self.word * self.word

    @property
    def moduli(self) -> Moduli:
        """The moduli that set-up supports."""
        whole = super().moduli
        return replace(whole, least=1 << self.shortest) if self.is_long else whole

    def for_long_moduli(self) -> GridTransform:
        """Return the claim for moduli that need all words that the longest one needs."""
        return replace(self, is_long=True)

    @property
    def group(self) -> int:
        """The number of vectors of a group, which some blocks transform together."""
        return self.launches.run[0].group or 1

    @property
    def last_group(self) -> int:
        """The greatest number of a group."""
        return (self.launches.most() - 1) // self.group

    def text(self) -> str:
        """Return the claim as a sentence."""
        setup = ", then ".join(launch.text() for launch in self.launches.setup)
        run = ", then ".join(launch.text("batch") for launch in self.launches.run)
        least = f"2^{self.shortest}" if self.is_long else "2"
        return (
            f"For every odd q with {least} < q < 2^{self.bits}, every root < q with"
            f" root^{self.order // 2} = -1 (mod q) and"
            f" every batch with 0 < batch <= {self.launches.most()}: y = {self.what()} (mod q), and y < q, if x < q,"
            f" after the launches {run}. {self.sharing} No branch and no address depends on x. No two threads access"
            " the same word without a barrier between them, except to read it, and all threads of a block reach every"
            f" barrier. Of the launches {setup}, the first one stores the status 0 for these q and roots, and another"
            f" status for all other numbers of {self.words} words. {CHANCE}"
        )


def grid_transform_of(manifest: dict[str, Any], text: str) -> GridTransform:
    """Return the claim of a saved transform from the request in its manifest and the launches in its source.

    Raises:
        ProofError: The prover has no claim for such a request yet, or the launches are not known.
    """
    claim = transform_of(manifest)
    if manifest["spec"]["target"] != "cuda" or claim.coset:
        raise ProofError("there is no claim for these options yet")
    known = {field.name: getattr(claim, field.name) for field in fields(Transform)}
    known |= {"words": words_of(claim.bits), "word": WORD}
    return GridTransform(**known, launches=launches_of(text))
