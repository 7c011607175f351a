"""The languages in which kernels are printed, and what kernels in each can do."""

from __future__ import annotations

from dataclasses import dataclass

COMPILED = "c"
"""The name of the compiled language, C."""
CUDA = "cuda"
"""The name of the language of GPUs."""
JAX = "jax"
"""The name of the language of kernels on arrays, which XLA compiles."""
B512 = "b512"
"""The name of the assembly language of Ring Processing Units."""


@dataclass(frozen=True)
class Language:
    """The properties of one language.

    Attributes:
        words: The widths in bits of the words that it can print.
        suffixes: The endings of the names of a kernel's files, the source first.
        longest: The largest number of points of a transform (0: any).
        families: Whether one source may serve every size, and one plan every modulus of a basis. Otherwise a transform
            has one size, and each modulus of a basis has a plan of its own.
        modular: Whether its instructions compute modulo q on vectors of any number of lanes, so that targets spell
            operations only, but neither types nor moves.
        form: The key of a target that its programs require, "threads" or "minor", or "" if they are statements for a
            processor.
        temporaries: Whether the spelling of an operation in a target may have statements before its result.
    """

    words: tuple[int, ...]
    suffixes: tuple[str, ...]
    longest: int = 0
    families: bool = False
    modular: bool = False
    form: str = ""
    temporaries: bool = True


LANGUAGES = {
    # Of 16 bits with a cast behind every operation, as C promotes them to int.
    COMPILED: Language((16, 32, 64), (".c", ".h"), families=True),
    CUDA: Language((32, 64), (".cu", ".h"), form="threads"),
    # Beyond, a transform takes minutes.
    "python": Language((64,), (".py",), longest=4096, temporaries=False),
    JAX: Language((32, 64), (".py",), form="minor"),
    B512: Language((128,), (".s",), longest=65536, modular=True),
}
"""The languages by the key ``syntax`` of targets; :mod:`momagen.emit.kernel` has their printers."""
