"""What is verified: a build that gives plans, and plans that are executed."""

from __future__ import annotations

from typing import Protocol

from momagen.kernels.spec.spec import Spec
from momagen.params.words import Words


class Executable(Protocol):
    """A plan; see :class:`momagen.build.call.Plan`."""

    @property
    def words(self) -> int: ...
    @property
    def modulus(self) -> int: ...
    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Write ``count`` transforms, products or residues to ``result``."""


class Build(Protocol):
    """A kernel's build, or a row of it; see :class:`momagen.build.call.Compiled`."""

    @property
    def spec(self) -> Spec: ...
    @property
    def name(self) -> str: ...
    @property
    def missing(self) -> tuple[str, ...]: ...
    def plan(self, modulus: int, root: int) -> Executable:
        """The plan for one modulus."""
