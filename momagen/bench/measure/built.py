"""Functions that generate, compile and discard the kernels of benchmarks."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from momagen.emit import Source, generate
from momagen.kinds.modular.spec import Spec
from momagen.runtime import Compiler
from momagen.runtime.call import compile_kernel
from momagen.runtime.compiled import Compiled, Plan

T = TypeVar("T")


@dataclass(frozen=True)
class Built:
    """A loaded kernel with the plan for the modulus and root of its specification.

    It implements :class:`momagen.bench.measure.kernel.Runnable`.

    Attributes:
        compiled: The loaded kernel.
        tables: The plan.
    """

    compiled: Compiled
    tables: Plan

    @property
    def spec(self) -> Spec:
        """The specification of the kernel."""
        return self.compiled.spec


def planned(compiled: Compiled) -> Built:
    """Return a compiled kernel with the plan for the modulus and root of its specification."""
    return Built(compiled, compiled.plan(compiled.spec.modulus, compiled.spec.told_root))


def build(spec: Spec, compiler: Compiler | None = None) -> Built:
    """Return the compiled kernel of a specification, from the compile cache if it contains the kernel."""
    return planned(compile_kernel(generate(spec), compiler))


def unseen(source: Source) -> Source:
    """Return the source with a random comment, so that no compile cache contains it.

    The function :func:`discard` deletes its library.
    """
    return replace(source, source=f"{source.source}/* {secrets.token_hex(16)} */\n")


def library_path(compiled: Compiled) -> Path:
    """Return the path of the shared library of a compiled kernel."""
    return Path(compiled.library._name)


def discard(compiled: Compiled) -> None:
    """Delete the folder of a library in the compile cache. The library stays loaded."""
    shutil.rmtree(library_path(compiled).parent, ignore_errors=True)


def timed(action: Callable[[], T]) -> tuple[float, T]:
    """Return the duration of ``action`` in seconds, and its result."""
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result
