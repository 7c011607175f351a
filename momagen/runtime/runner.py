"""The interface by which calls, verification and benchmarks run a kernel, whatever its language."""

from __future__ import annotations

from typing import Protocol

from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words


class RunnerPlan(Protocol):
    """A plan for one modulus and root; see :class:`momagen.runtime.compiled.Plan`."""

    @property
    def words(self) -> int:
        """The number of 64-bit words of a residue."""

    @property
    def modulus(self) -> int:
        """The modulus."""

    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Write ``count`` transforms, products or residues to ``result``, which may be one of ``inputs``."""


class Runner(Protocol):
    """A kernel that can be called, or a row of it; see :class:`momagen.runtime.compiled.Compiled`."""

    @property
    def spec(self) -> Spec:
        """The specification of the kernel."""

    @property
    def name(self) -> str:
        """The name of the kernel."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The CPU features whose instructions are emulated."""

    def plan(self, modulus: int, root: int) -> RunnerPlan:
        """Return the plan for a modulus and a root.

        Raises:
            MomagenError: The kernel does not serve the modulus, or the root is invalid.
        """
