"""The CUDA file and the header of a kernel."""

from __future__ import annotations

from momagen.lower.kernels import Lowered
from momagen.program.device import DeviceProgram, RowsProgram
from momagen.program.statements import Static
from momagen.targets import Target
from momagen.templates import templates

from ..codes import CUDA_CODES, UNKNOWN
from .functions import ALIGNED, CudaExpressions, CudaFunction
from .host import ROOM, device_interface, most_moduli, rows, vectors, works

INVERSE = "newton"
"""The name of the function that computes 1/q. Its result follows q directly, and is not aligned if a residue
has an odd number of words."""


def cuda_files(head: str, made: Lowered) -> tuple[str, str]:
    """Return the texts of the CUDA file and the header.

    Args:
        head: The comment at the top of both files.
        made: The lowered kernel.
    """
    program, target, name = made.program, made.target, made.spec.name
    assert isinstance(program, DeviceProgram)
    most = most_moduli(program)
    public = device_interface(made.spec, name, made.moduli, target.types["word"], works(program), most)
    names = vectors(made.spec, program)
    given = {
        **public, "public": public.values(), "head": head, "name": name, "upper": name.upper(), "program": program,
        "spec": made.spec, "target": target, "functions": functions_of(program, target), "root": made.spec.n > 0,
        "setup": rows(program.setup, names), "run": rows(program.run, names), "vectors": names,
        "needed": [{ROOM: "room"}.get(each, each) for each in names], "count": public["room"].arguments[-1].name,
        "most_operands": max(len(launch.operands) for launch in program.run), "result": made.spec.ranges.result,
        "stride": program.stride, "words": made.writer.arith.words, "codes": CUDA_CODES, "unknown_code": UNKNOWN,
        "most_moduli": most, "word": target.types["word"],
        "bytes": max(program.size, program.room, program.stride) * target.word // 8,
    }  # fmt: skip
    source, header = (templates().get_template(f"cuda/{file}.j2").render(given) for file in ("kernel.cu", "kernel.h"))
    return source, header


KERNELS_ALONE = """typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define MG_KERNEL extern "C" __global__
"""
"""The declarations that replace the headers for NVRTC."""


def cuda_kernels(program: DeviceProgram | RowsProgram, target: Target) -> str:
    """Return the source of the kernels for NVRTC, without host code."""
    return "\n".join([KERNELS_ALONE, *functions_of(program, target)])


def functions_of(program: DeviceProgram | RowsProgram, target: Target) -> list[str]:
    """Return the texts of the arrays of constants, then the texts of the functions and kernels."""
    texts = [_static(each, target) for each in program.statics.values()]
    for name, function in program.functions.items():
        apart = 1 if name == INVERSE else program.stride
        texts.append("\n".join(CudaFunction(function, target, apart).lines()))
    return texts


def _static(found: Static, target: Target) -> str:
    """Return the definition of an array of constants in the memory of the device."""
    words = ", ".join(map(CudaExpressions(target).literal, found.words))
    type_ = target.types["word"]
    return f"static __device__ {ALIGNED}const {type_} {found.name.text}[{len(found.words)}] = {{{words}}};"
