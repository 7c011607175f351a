"""From C text to something callable: compilers, the compile cache, CPU features, loading."""

from __future__ import annotations

from momagen.build import cache
from momagen.build.compile import compile_program, compile_shared
from momagen.build.compiler import Compiler, find_compiler, list_compilers
from momagen.build.features import cpu_features, missing_features
from momagen.build.load import load

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
