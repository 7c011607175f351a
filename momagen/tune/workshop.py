"""The candidates of the tuner: they are generated, identified by their code, and compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from momagen.bench.measure.kernel import Buffers, buffers
from momagen.emit import Source, generate
from momagen.kinds.modular.make_spec import with_options
from momagen.kinds.modular.spec import Spec
from momagen.runtime.call import compile_kernel

from .compilers import AnyCompiler, on_arrays
from .running import Running, batch_of
from .space import TriedOptions, matters

HEAD, ARRAY_HEAD = "*/", '"""\n'
"""The ends of the comment with which a kernel's source begins."""


@dataclass(frozen=True)
class Workshop:
    """A generator of candidates for one kernel.

    Attributes:
        spec: The specification.
        compilers: The compilers by name; the usual one has the name "".
    """

    spec: Spec
    compilers: Mapping[str, AnyCompiler]

    @cached_property
    def buffers(self) -> Buffers:
        """The buffers of all candidates: positions in memory change the time of one kernel by up to 3 %."""
        return buffers(self.spec, self.spec.modulus, batch_of(self.spec))

    def draft(self, choice: TriedOptions) -> Drafted:
        """Return the kernel with the options of ``choice``.

        Raises:
            MomagenError: There is no such kernel.
        """
        chosen = with_options(self.spec, choice.options)
        return Drafted(generate(chosen), self.compilers[choice.compiler], self.buffers)


@dataclass(frozen=True)
class Drafted:
    """A generated kernel and its compiler; see :class:`momagen.tune.contest.Draft`.

    Attributes:
        source: The generated source.
        compiler: The compiler.
        buffers: The buffers on which it is timed.
    """

    source: Source
    compiler: AnyCompiler
    buffers: Buffers

    @property
    def code(self) -> str:
        """The compiler, and the source below its first comment, which names the options."""
        end = ARRAY_HEAD if on_arrays(self.source.spec) else HEAD
        return f"{self.compiler}\n{self.source.source.partition(end)[2]}"

    def matters(self, axis: str) -> bool:
        """Return whether the option can change this kernel."""
        return matters(axis, self.source.spec)

    def build(self, seconds: float | None) -> Running:
        """Return the kernel, compiled within ``seconds``.

        Raises:
            MomagenError: It cannot be compiled.
        """
        return Running(compile_kernel(self.source, self.compiler, seconds), self.buffers)
