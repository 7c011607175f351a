"""The return codes of create and execute, in kernels and in libraries, and the errors that Python raises for them."""

from __future__ import annotations

from typing import Protocol

from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec

OK, BAD_MODULUS, BAD_ROOT, NO_MEMORY, NULL_POINTER = "OK", "BAD_MODULUS", "BAD_ROOT", "NO_MEMORY", "NULL_POINTER"
CODES = {
    OK: "no error",
    BAD_MODULUS: "the kernel does not support this modulus; the header states the supported moduli",
    BAD_ROOT: "the root is not below the modulus, or does not have the order that the header states",
    NO_MEMORY: "out of memory",
    NULL_POINTER: "a required pointer is NULL",
}
"""The descriptions of the codes, in the order of the enum in the header, whose numbers begin at 0."""
BAD_SIZE = "BAD_SIZE"
SIZED_CODES = CODES | {
    BAD_SIZE: "the kernel does not support this number of points; the header states the supported numbers"
}
"""The codes of a kernel whose ``create`` takes the number of points."""
LIBRARY_CODES = SIZED_CODES | {
    BAD_SIZE: "the header does not allow this number of points, words or digits",
    "NO_VARIANT": "no ISA variant that is available on this machine has this kernel",
}
"""The codes of a library of several kernels, in the order of its enum."""
CUDA_CODES = CODES | {
    "TOO_LONG": "more transforms, elements or moduli than launches support, or vectors larger than the address space",
    "MISALIGNED": "a pointer is not aligned to 16 bytes",
    "HOST_POINTER": "a pointer refers to host memory instead of GPU memory",
    "OTHER_DEVICE": "the plan or a vector is not on the current GPU",
    "NO_DEVICE": "there is no GPU, or its driver is too old for this version of CUDA",
    "BAD_DEVICE": "the GPU is older than the compiled architectures, or has too little shared memory",
    "FAILED": "CUDA reported an error, in a launch or before it",
}
"""The codes of a kernel on a GPU."""
ROWS_CODES = CUDA_CODES | {
    "TOO_LONG": "more columns than a launch supports",
    "MISALIGNED": "a pointer is not aligned to the size of a residue",
}
"""The codes of a kernel on the rows of a basis on a GPU."""
UNKNOWN = "unknown error code"
"""The description of every other number."""


def text(number: int) -> str:
    """Return the description of the code with this number."""
    return [*SIZED_CODES.values()][number] if 0 <= number < len(SIZED_CODES) else UNKNOWN


class Serving(Protocol):
    """A kernel that serves some moduli."""

    @property
    def spec(self) -> Spec:
        """The specification."""

    @property
    def name(self) -> str:
        """The name of the kernel."""

    @property
    def moduli(self) -> str:
        """A description of the moduli that the kernel supports."""


class Refused(MomagenError):
    """The error for a call of ``create`` that returned no plan.

    Attributes:
        code: The name of its return code.
    """

    def __init__(self, code: str, expected: str, got: object, where: str) -> None:
        super().__init__(expected, got, where)
        self.code = code


def refusal(kernel: Serving, code: str, modulus: int | str, root: int | str) -> Refused:
    """Return the error for a call of ``create`` that returned ``code``.

    Args:
        kernel: The kernel.
        code: The name of the return code.
        modulus: The modulus that was passed.
        root: The root that was passed.
    """
    reasons: dict[str, tuple[str, object, str]] = {
        BAD_MODULUS: (f"a modulus that {kernel.name} supports, {kernel.moduli}", modulus, "modulus"),
        BAD_ROOT: (f"a root of order {kernel.spec.order_of_root} modulo {modulus}", root, "root"),
        NO_MEMORY: ("memory for the tables", "none", "create"),
    }
    return Refused(code, *reasons.get(code, ("a plan, or a known error code", code, "create")))
