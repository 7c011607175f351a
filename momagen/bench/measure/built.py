"""Kernels for the suite: generated and compiled, where the time counts past the cache."""

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
    """A loaded kernel with the plan for its own modulus and root; a :class:`momagen.bench.measure.kernel.Runnable`."""

    compiled: Compiled
    tables: Plan

    @property
    def spec(self) -> Spec:
        """What it was generated for."""
        return self.compiled.spec


def planned(compiled: Compiled) -> Built:
    """``compiled`` with the plan for the modulus and root of its specification."""
    return Built(compiled, compiled.plan(compiled.spec.modulus, compiled.spec.told_root))


def build(spec: Spec, compiler: Compiler | None = None) -> Built:
    """The kernel of ``spec``, through the compile cache."""
    return planned(compile_kernel(generate(spec), compiler))


def unseen(source: Source) -> Source:
    """``source`` with a comment that no cache has seen; :func:`discard` what comes of it."""
    return replace(source, source=f"{source.source}/* {secrets.token_hex(16)} */\n")


def library_path(compiled: Compiled) -> Path:
    """The shared library's file."""
    return Path(compiled.library._name)


def discard(compiled: Compiled) -> None:
    """Delete the library with its folder in the cache; it stays loaded."""
    shutil.rmtree(library_path(compiled).parent, ignore_errors=True)


def timed(action: Callable[[], T]) -> tuple[float, T]:
    """Seconds that ``action`` took, and its result."""
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result
