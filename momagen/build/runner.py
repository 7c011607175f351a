"""What runs a kernel, whatever its language: the one way by which calls, verification and benchmarks reach it."""

from __future__ import annotations

from typing import Protocol

from momagen.kernels.spec.spec import Spec
from momagen.params.words import Words


class RunnerPlan(Protocol):
    """What a kernel keeps for one modulus and root; see :class:`momagen.build.compiled.Plan`."""

    @property
    def words(self) -> int: ...
    @property
    def modulus(self) -> int: ...
    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Write ``count`` transforms, products or residues to ``result``, which may be one of ``inputs``."""


class Runner(Protocol):
    """A kernel that can be called, or a row of it; see :class:`momagen.build.compiled.Compiled`."""

    @property
    def spec(self) -> Spec: ...
    @property
    def name(self) -> str: ...
    @property
    def missing(self) -> tuple[str, ...]:
        """CPU features whose instructions stand-ins do."""

    def plan(self, modulus: int, root: int) -> RunnerPlan:
        """Raises :class:`momagen.errors.MomagenError` where the kernel does not serve the modulus, or the root is
        wrong."""
