"""What create and execute answer, in kernels and in libraries of several, and what is raised where that is no plan."""

from __future__ import annotations

from typing import Protocol

from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec

OK, BAD_MODULUS, BAD_ROOT, NO_MEMORY, NULL_POINTER = "OK", "BAD_MODULUS", "BAD_ROOT", "NO_MEMORY", "NULL_POINTER"
CODES = {
    OK: "no error",
    BAD_MODULUS: "the kernel does not serve this modulus; its header says which it serves",
    BAD_ROOT: "the root is not below the modulus, or not of the order that the kernel's header names",
    NO_MEMORY: "there is no memory",
    NULL_POINTER: "a null pointer, where a modulus, a root, a plan or a vector belongs",
}
"""The codes in the order of the header's enum, from 0 up, with their texts."""
BAD_SIZE = "BAD_SIZE"
SIZED_CODES = CODES | {BAD_SIZE: "the number of points is no power of two, or none that the kernel's header names"}
"""Those of a kernel whose number of points is an argument of create."""
LIBRARY_CODES = SIZED_CODES | {
    BAD_SIZE: "the header does not allow this number of points, words or digits",
    "NO_VARIANT": "no ISA variant that is available on this machine has this kernel",
}
"""The codes of a library of several kernels, in the order of its enum."""
CUDA_CODES = CODES | {
    "TOO_LONG": "more transforms, elements or moduli than launches can count, or vectors of more bytes than addresses",
    "MISALIGNED": "a pointer is no multiple of 16 bytes",
    "HOST_POINTER": "a pointer to the host's memory, where one to the memory of a GPU belongs",
    "OTHER_DEVICE": "the plan or a vector is on another GPU than the one in use",
    "NO_DEVICE": "there is no GPU, or no driver that is as new as this CUDA",
    "BAD_DEVICE": "the GPU is older than those that this was compiled for, or has too little shared memory",
    "FAILED": "CUDA reports an error, of a launch or of something before it",
}
"""The codes of a kernel on a GPU."""
ROWS_CODES = CUDA_CODES | {
    "TOO_LONG": "more columns than a launch can count",
    "MISALIGNED": "a pointer is no multiple of the size of a residue",
}
"""The codes of a kernel on the rows of a basis on a GPU."""
UNKNOWN = "no code of this kernel"
"""The text of any other number."""


def text(number: int) -> str:
    """The text of a code by its number."""
    return [*SIZED_CODES.values()][number] if 0 <= number < len(SIZED_CODES) else UNKNOWN


class Serving(Protocol):
    """A kernel that serves some moduli."""

    @property
    def spec(self) -> Spec: ...
    @property
    def name(self) -> str: ...
    @property
    def moduli(self) -> str: ...


class Refused(MomagenError):
    """create gave no plan; ``code`` is the name of its error code."""

    def __init__(self, code: str, expected: str, got: object, where: str) -> None:
        super().__init__(expected, got, where)
        self.code = code


def refusal(kernel: Serving, code: str, modulus: int | str, root: int | str) -> Refused:
    """What to raise where create answers ``code``."""
    reasons: dict[str, tuple[str, object, str]] = {
        BAD_MODULUS: (f"a modulus that {kernel.name} serves, {kernel.moduli}", modulus, "modulus"),
        BAD_ROOT: (f"a root of order {kernel.spec.order_of_root} modulo {modulus}", root, "root"),
        NO_MEMORY: ("memory for the tables", "none", "create"),
    }
    return Refused(code, *reasons.get(code, ("a plan, or a code that says why not", code, "create")))
