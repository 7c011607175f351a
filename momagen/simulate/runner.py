"""Kernels of Ring Processing Units that can be called: the functional simulator executes their assembly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from gmpy2 import powmod

from momagen.emit import Source
from momagen.emit.codes import BAD_MODULUS, BAD_ROOT, refusal
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words, from_words
from momagen.rpu.isa.kernel import RpuKernel
from momagen.rpu.isa.kernel_text import read_kernel
from momagen.rpu.isa.program import RpuProgram
from momagen.rpu.isa.table import b512

from .functional import Functional

RUNNING = "simulator"
"""The text in place of the name of a compiler."""
PAIR, WORD_BYTES = 2, 16
"""The number of 64-bit words, and of bytes, in a word of memory."""


@dataclass(frozen=True)
class RpuRunner:
    """A kernel's program; see :class:`momagen.runtime.runner.Runner`.

    Attributes:
        spec: The specification.
        name: The name of the kernel.
        moduli: A description of the moduli that it serves.
        kernel: The program for any modulus.
        compiler: The text in place of the name of a compiler.
        missing: The CPU features that are emulated, which are none.
    """

    spec: Spec
    name: str
    moduli: str
    kernel: RpuKernel = field(repr=False)
    compiler: str = RUNNING
    missing: tuple[str, ...] = ()

    def plan(self, modulus: int, root: int) -> RpuPlan:
        """Return the plan for one modulus and root, which all towers use.

        Raises:
            MomagenError: The kernel does not serve this modulus, or the root is invalid.
        """
        return RpuPlan(self, [modulus] * self.kernel.towers, [root] * self.kernel.towers)

    def basis_plan(self) -> RpuPlan:
        """Return the plan of all moduli of the basis."""
        return RpuPlan(self, self.spec.basis, self.spec.told_roots)


class RpuPlan:
    """The moduli of a kernel and their tables."""

    def __init__(self, runner: RpuRunner, moduli: Sequence[int], roots: Sequence[int]) -> None:
        self.spec, self.kernel, self.words = runner.spec, runner.kernel, runner.spec.row
        self.moduli, self.modulus, self.roots, self.root = tuple(moduli), min(moduli), tuple(roots), roots[0]
        for q, root in zip(moduli, roots, strict=True):
            self._check(runner, q, root)

    @cached_property
    def _program(self) -> RpuProgram:
        """The program of a kernel without scalars."""
        return self.kernel.program(self.moduli, self.roots)

    def _check(self, runner: RpuRunner, q: int, root: int) -> None:
        """Check a modulus and its root.

        Raises:
            MomagenError: One of them is invalid.
        """
        order = self.kernel.order
        if not 2 <= q < 1 << b512().machine["bits"] or (order and not q % 2):
            raise refusal(runner, BAD_MODULUS, q, root)
        if order and (root >= q or powmod(root, order // 2, q) != q - 1):
            raise refusal(runner, BAD_ROOT, q, root)

    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Write ``count`` transforms, products or elements of each modulus to ``result``.

        The result may overwrite one of ``inputs``.
        """
        scalars, vectors = inputs[: len(self.kernel.scalars)], inputs[len(self.kernel.scalars) :]
        numbers = [from_words(each.reshape(-1, self.words)) for each in scalars]
        program = self._program if not numbers else self.kernel.program(self.moduli, self.roots, numbers)
        end = max(area.begin + area.words for area in program.areas.values())
        machine, areas = Functional(program, end * WORD_BYTES), self.spec.ranges
        rows, each = (count, self.spec.elements) if self.spec.n else (1, count)
        shape = rows, len(self.moduli), each, self.words
        goal, given = result.reshape(shape), [vector.reshape(shape) for vector in vectors]
        done = np.empty_like(goal)
        for row in range(rows):
            for begin in range(0, each, self._length):
                part = slice(begin, begin + self._length)
                for name, vector in zip(areas.vectors, given, strict=True):
                    self._put(machine, name, vector[row, :, part])
                machine.run()
                done[row, :, part] = self._get(machine, areas.result, done[row, :, part].shape[1])
        goal[...] = done

    @property
    def _length(self) -> int:
        """The number of elements of each modulus in one run."""
        return self.kernel.areas["x"].words // len(self.moduli)

    def _put(self, machine: Functional, name: str, part: Words) -> None:
        """Write rows of residues to the towers of an area, followed by zeros."""
        words = np.zeros((len(self.moduli), self._length, PAIR), np.uint64)
        words[:, : part.shape[1], : self.words] = part
        begin, count = self.kernel.areas[name]
        machine.vdm.words[begin : begin + count] = words.reshape(-1, PAIR)

    def _get(self, machine: Functional, name: str, length: int) -> Words:
        """Return rows of residues from the towers of an area."""
        begin, count = self.kernel.areas[name]
        words = machine.vdm.words[begin : begin + count].reshape(len(self.moduli), -1, PAIR)
        return words[:, :length, : self.words]


def run_b512(source: Source) -> RpuRunner:
    """Return the kernel of ``source`` as an object that can be called."""
    return RpuRunner(source.spec, source.name, source.moduli, read_kernel(source.source, source.name))
