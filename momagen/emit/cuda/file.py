"""A kernel's CUDA file and header."""

from __future__ import annotations

from momagen.emit.c.words import ChainSet
from momagen.lower.kernels import Lowered
from momagen.program.device import DeviceProgram
from momagen.program.statements import Static
from momagen.targets import Target
from momagen.templates import templates

from .functions import CudaExpressions, CudaFunction


def cuda_files(head: str, made: Lowered) -> tuple[str, str]:
    """The texts of both files; ``head``: the comment on top."""
    program, target, name = made.program, made.writer.target, made.spec.name
    assert isinstance(program, DeviceProgram)
    given = {
        "head": head, "name": name, "upper": name.upper(), "program": program, "spec": made.spec, "target": target,
        "functions": _functions(program, target),
    }  # fmt: skip
    return templates().get_template("cuda/kernel.cu.j2").render(given), "\n"


def _functions(program: DeviceProgram, target: Target) -> list[str]:
    """Arrays of constants, then functions and kernels."""
    texts = [_static(each, target) for each in program.statics.values()]
    for function in program.functions.values():
        texts.append("\n".join(CudaFunction(function, target, target, ChainSet()).lines()))
    return texts


def _static(found: Static, target: Target) -> str:
    words = ", ".join(map(CudaExpressions(target).literal, found.words))
    return f"static __device__ const uint32_t {found.name.text}[{len(found.words)}] = {{{words}}};"
