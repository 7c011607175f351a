"""Candidates of the tuner: generated, identified by their code, compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from momagen.bench.measure.kernel import Buffers, buffers
from momagen.build.call import compile_kernel
from momagen.emit import Source, generate
from momagen.kernels.spec.make_spec import with_options
from momagen.kernels.spec.spec import Spec

from .compilers import AnyCompiler, on_arrays
from .running import Running, batch_of
from .space import TriedOptions, matters

HEAD, ARRAY_HEAD = "*/", '"""\n'
"""What ends the comment that a kernel's text begins with."""


@dataclass(frozen=True)
class Workshop:
    """Makes one kernel in many ways; ``compilers`` by name, the usual one under ""."""

    spec: Spec
    compilers: Mapping[str, AnyCompiler]

    @cached_property
    def buffers(self) -> Buffers:
        """The same for all candidates: where memory lies makes up to 3 % between two runs of one kernel."""
        return buffers(self.spec, self.spec.modulus, batch_of(self.spec))

    def draft(self, choice: TriedOptions) -> Drafted:
        """The kernel as ``choice`` would have it.

        Raises:
            MomagenError: there is no such kernel.
        """
        chosen = with_options(self.spec, choice.options)
        return Drafted(generate(chosen), self.compilers[choice.compiler], self.buffers)


@dataclass(frozen=True)
class Drafted:
    """A generated kernel and its compiler; a :class:`momagen.tune.search.Draft`."""

    source: Source
    compiler: AnyCompiler
    buffers: Buffers

    @property
    def code(self) -> str:
        """The text below its first comment, which names the options; and the compiler."""
        end = ARRAY_HEAD if on_arrays(self.source.spec) else HEAD
        return f"{self.compiler}\n{self.source.source.partition(end)[2]}"

    def matters(self, axis: str) -> bool:
        """Whether the axis can change this kernel."""
        return matters(axis, self.source.spec)

    def build(self, seconds: float | None) -> Running:
        """The kernel, compiled within ``seconds``."""
        return Running(compile_kernel(self.source, self.compiler, seconds), self.buffers)
