"""A kernel's CUDA file."""

from __future__ import annotations

from collections.abc import Mapping

from momagen.emit.c.words import ChainSet
from momagen.program import Function
from momagen.program.device import DeviceProgram
from momagen.program.statements import Static
from momagen.targets import Target

from .functions import CudaExpressions, CudaFunction


def device_text(program: DeviceProgram, target: Target) -> str:
    """All functions and kernels of a program."""
    texts = [_static(each, target) for each in program.statics.values()]
    for function in program.functions.values():
        texts.append("\n".join(CudaFunction(function, target, target, ChainSet()).lines()))
    return "\n\n".join(texts)


def _static(found: Static, target: Target) -> str:
    words = ", ".join(map(CudaExpressions(target).literal, found.words))
    return f"static __device__ const uint32_t {found.name.text}[{len(found.words)}] = {{{words}}};"
