"""What create and execute answer, in every kernel and in libraries of several."""

from __future__ import annotations

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
    "NO_VARIANT": "no ISA variant of the library that may be used here has this kernel and works"
}
"""The codes of a library of several kernels, in the order of its enum."""
UNKNOWN = "no code of this kernel"
"""The text of any other number."""


def text(number: int) -> str:
    """The text of a code by its number."""
    return [*SIZED_CODES.values()][number] if 0 <= number < len(SIZED_CODES) else UNKNOWN
