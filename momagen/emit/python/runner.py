"""Kernels in Python: a module that is run, and plans that are its arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words, to_words

from ..codes import refusal
from ..source import Source

RUNNING = "python"
"""Stands where another kernel names its compiler."""


@dataclass(frozen=True)
class PythonKernel:
    """A kernel's module, run once; a :class:`momagen.runtime.runner.Runner`."""

    spec: Spec
    name: str
    moduli: str
    names: dict[str, Any] = field(repr=False)
    compiler: str = RUNNING
    missing: tuple[str, ...] = ()

    def plan(self, modulus: int, root: int) -> PythonPlan:
        """Arrays for one modulus and root.

        Raises:
            MomagenError: the kernel does not serve this modulus, or the root is wrong.
        """
        return PythonPlan(self, modulus, root)


class PythonPlan:
    """The arrays that a module keeps for one modulus."""

    def __init__(self, kernel: PythonKernel, modulus: int, root: int) -> None:
        spec = kernel.spec
        self.words, self.modulus, self.root = spec.row, modulus, root
        numbers = {"BAD_MODULUS": modulus, "BAD_ROOT": root} if spec.n else {"BAD_MODULUS": modulus}
        for code, number in numbers.items():
            if number >> spec.arith.held:
                raise refusal(kernel, code, modulus, root)
        try:
            self.arrays = kernel.names["create"](*(to_words([number], self.words)[0] for number in numbers.values()))
        except ValueError as error:
            raise refusal(kernel, str(error), modulus, root) from None
        self._execute = kernel.names["execute"]

    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Write ``count`` transforms, products or residues to ``result``, which may be one of ``inputs``."""
        self._execute(self.arrays, result.reshape(-1), *(array.reshape(-1) for array in inputs), count)


def run_module(source: Source) -> PythonKernel:
    """The kernel whose module is ``source``, ready to be called."""
    names: dict[str, Any] = {}
    exec(compile(source.source, f"{source.name}.py", "exec"), names)
    return PythonKernel(source.spec, source.name, source.moduli, names)
