"""The languages in which kernels are printed, and what kernels in each can do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

COMPILED = "c"
"""The name of the compiled language, C."""
CUDA = "cuda"
"""The name of the language of GPUs."""
JAX = "jax"
"""The name of the language of kernels on arrays, which XLA compiles."""
B512 = "b512"
"""The name of the assembly language of Ring Processing Units."""


class MachineModel(StrEnum):
    """How the machines compute for which a language is printed."""

    PROCESSOR = "processor"
    """Statements on words or vectors of a fixed number of lanes."""
    THREADS = "threads"
    """Many threads that run one program, as on GPUs."""
    ARRAYS = "arrays"
    """Operations on whole arrays, as on TPUs."""
    MODULAR = "modular"
    """Instructions that compute modulo q on vectors of any number of lanes."""


REQUIRED_KEYS = {MachineModel.THREADS: "threads", MachineModel.ARRAYS: "minor"}
"""The key that the targets of such a machine require."""


@dataclass(frozen=True)
class Language:
    """The properties of one language.

    Attributes:
        words: The widths in bits of the words that it can print.
        suffixes: The endings of the names of a kernel's files, the source first.
        longest: The largest number of points of a transform (0: any).
        families: Whether one source may serve every size, and one plan every modulus of a basis. Otherwise a transform
            has one size, and each modulus of a basis has a plan of its own.
        machine: How the machines compute; targets of modular machines spell operations, but neither types nor moves.
        temporaries: Whether the spelling of an operation in a target may have statements before its result.
    """

    words: tuple[int, ...]
    suffixes: tuple[str, ...]
    longest: int = 0
    families: bool = False
    machine: MachineModel = MachineModel.PROCESSOR
    temporaries: bool = True


LANGUAGES = {
    # Of 16 bits with a cast behind every operation, as C promotes them to int.
    COMPILED: Language((16, 32, 64), (".c", ".h"), families=True),
    CUDA: Language((32, 64), (".cu", ".h"), machine=MachineModel.THREADS),
    # Beyond, a transform takes minutes.
    "python": Language((64,), (".py",), longest=4096, temporaries=False),
    JAX: Language((32, 64), (".py",), machine=MachineModel.ARRAYS),
    B512: Language((128,), (".s",), longest=65536, machine=MachineModel.MODULAR),
}
"""The languages by the key ``syntax`` of targets; :mod:`momagen.emit.kernel` has their printers."""
