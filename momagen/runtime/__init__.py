"""The compilation of C sources to libraries that Python can call: compilers, the cache, CPU features and loading.

:func:`find_compiler` selects a compiler, :func:`compile_shared` compiles a source through the cache, and :func:`load`
loads the library. :func:`missing_features` lists the CPU features of a target that this CPU lacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momagen.lazy import on_demand

if TYPE_CHECKING:
    from momagen.runtime import cache
    from momagen.runtime.compile import compile_program, compile_shared
    from momagen.runtime.compiler import Compiler, find_compiler, list_compilers
    from momagen.runtime.features import cpu_features, missing_features
    from momagen.runtime.load import load
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "momagen.runtime.compile": ("compile_program", "compile_shared"),
            "momagen.runtime.compiler": ("Compiler", "find_compiler", "list_compilers"),
            "momagen.runtime.features": ("cpu_features", "missing_features"),
            "momagen.runtime.load": ("load",),
        },
    )

__all__ = [
    "Compiler",
    "cache",
    "compile_program",
    "compile_shared",
    "cpu_features",
    "find_compiler",
    "list_compilers",
    "load",
    "missing_features",
]
