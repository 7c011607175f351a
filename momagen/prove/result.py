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
        compilers: The compilers whose variants of the helper functions are covered; none for B512 programs.
        paths: The number of paths through the functions that were proven.
        elements: The number of elements of results that were checked on these paths.
        seconds: The time that the attempt took.
        inputs: The SHA-256 hash of the manifest and of the preprocessed source as each compiler sees it.
        is_replayed: Whether the steps came from a certificate instead of a search.
        machine: What machine code is covered, or an empty text.
    """

    name: str
    claim: str
    problem: str
    digest: str
    compilers: tuple[str, ...]
    paths: int
    elements: int
    seconds: float
    inputs: str = ""
    is_replayed: bool = False
    machine: str = ""

    @property
    def is_proven(self) -> bool:
        """Whether the claim is proven."""
        return not self.problem

    def __bool__(self) -> bool:
        """Return whether the claim is proven."""
        return self.is_proven

    def __str__(self) -> str:
        """Return the outcome as a few lines."""
        return self.text()

    def text(self) -> str:
        """Return the outcome as a few lines."""
        if not self.is_proven:
            where = " by the certificate" if self.is_replayed else ""
            return f"{self.name}: NOT PROVEN{where}: {self.problem}"
        checks = f"{self.paths} paths and {self.elements} elements of results"
        how = "PROVEN by its certificate" if self.is_replayed else "PROVEN"
        return (
            f"{self.name}: {how} ({checks}, {self.seconds:.1f} s)\n"
            f"  {self.claim}\n"
            f"  {self._covered()}"
        )

    def header(self) -> str:
        """Return what is proven, for the first comment of the source."""
        return f"Proven: {self.claim} {self._covered()}"

    def _covered(self) -> str:
        if not self.compilers:
            return "Covered: the program. Not proven: the machine that runs it."
        if self.machine:
            seen = f"the source as seen by {'; '.join(self.compilers)}, and {self.machine}"
            return f"Covered: {seen}. Not proven: what the compiler made of the other functions."
        host = " and the host code" if self.compilers == ("NVRTC",) else ""
        return f"Covered: the source as seen by {'; '.join(self.compilers)}. Not proven: the compiler{host}."

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as values of JSON."""
        return {
            "name": self.name,
            "proven": self.is_proven,
            "claim": self.claim,
            "problem": self.problem or None,
            "method": "certificate" if self.is_replayed else "search",
            "sha256": self.digest,
            "inputs": self.inputs or None,
            "compilers": list(self.compilers),
            "machine": self.machine or None,
            "paths": self.paths,
            "elements": self.elements,
            "seconds": round(self.seconds, 3),
        }
