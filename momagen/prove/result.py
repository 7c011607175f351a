"""The outcome of an attempt to prove a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Result:
    """The outcome of an attempt to prove a kernel.

    Attributes:
        name: The kernel.
        claim: What was to be proven, or an empty text if the prover has no claim for such kernels.
        problem: Why it was not proven, or an empty text.
        digest: The SHA-256 hash of the source, as hexadecimal digits.
        compilers: The compilers whose variants of the helper functions are covered.
        paths: The number of paths through the functions that were proven.
        elements: The number of elements of results that were checked on these paths.
        seconds: The time that the attempt took.
    """

    name: str
    claim: str
    problem: str
    digest: str
    compilers: tuple[str, ...]
    paths: int
    elements: int
    seconds: float

    @property
    def is_proven(self) -> bool:
        """Whether the claim is proven."""
        return not self.problem

    def text(self) -> str:
        """Return the outcome as a few lines."""
        if not self.is_proven:
            return f"{self.name}: NOT PROVEN: {self.problem}"
        checks = f"{self.paths} paths and {self.elements} elements of results"
        return (
            f"{self.name}: PROVEN ({checks}, {self.seconds:.1f} s)\n"
            f"  {self.claim}\n"
            f"  Covered: the source as {', '.join(self.compilers)} see it. Not proven: the compiler."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as values of JSON."""
        return {
            "name": self.name,
            "proven": self.is_proven,
            "claim": self.claim,
            "problem": self.problem or None,
            "sha256": self.digest,
            "compilers": list(self.compilers),
            "paths": self.paths,
            "elements": self.elements,
            "seconds": round(self.seconds, 3),
        }
