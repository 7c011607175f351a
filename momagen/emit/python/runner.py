"""The runner of kernels in Python, which executes a module and keeps its arrays as plans."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words, to_words

from ..codes import refusal
from ..source import Source

RUNNING = "python"
"""The name that reports show in place of a compiler."""


@dataclass(frozen=True)
class PythonKernel:
    """The executed module of a kernel, which is a :class:`momagen.runtime.runner.Runner`.

    Attributes:
        spec: The specification.
        name: The name of the kernel.
        moduli: A description of the moduli that it supports.
        names: The global names of the module, with their values.
        compiler: The name that reports show in place of a compiler.
        missing: The CPU features that are emulated, of which there are none.
    """

    spec: Spec
    name: str
    moduli: str
    names: dict[str, Any] = field(repr=False)
    compiler: str = RUNNING
    missing: tuple[str, ...] = ()

    def plan(self, modulus: int, root: int) -> PythonPlan:
        """Return the plan for one modulus and root.

        Raises:
            MomagenError: The kernel does not support this modulus, or the root has another order.
        """
        return PythonPlan(self, modulus, root)


class PythonPlan:
    """The plan constants that a module computes for one modulus.

    Attributes:
        words: The number of words of a residue.
        modulus: The modulus.
        root: The root.
        arrays: The plan constants, as the function ``create`` of the module returns them.
    """

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
        """Compute ``count`` transforms, products or elements, and write the results to ``result``.

        Args:
            result: The array for the results, which may be one of ``inputs``.
            inputs: The operands.
            count: The number of transforms, products or elements.
        """
        self._execute(self.arrays, result.reshape(-1), *(array.reshape(-1) for array in inputs), count)


def run_module(source: Source) -> PythonKernel:
    """Execute the module ``source`` and return its kernel."""
    names: dict[str, Any] = {}
    exec(compile(source.source, f"{source.name}.py", "exec"), names)
    return PythonKernel(source.spec, source.name, source.moduli, names)
