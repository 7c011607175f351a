"""The languages that kernels are printed in, and what each may be asked for."""

from __future__ import annotations

from dataclasses import dataclass

COMPILED = "c"
"""The language that is compiled."""
CUDA = "cuda"
"""That of GPUs."""
JAX = "jax"
"""That of arrays, for XLA."""
B512 = "b512"
"""That of Ring Processing Units."""


@dataclass(frozen=True)
class Language:
    """A row of :data:`LANGUAGES`.

    Attributes:
        words: bits of a word that it prints. suffixes: how the names of a kernel's files end, its text first.
        longest: points of a transform at most; 0: any.
        families: whether one text may serve every size, and one plan every modulus of a basis. Without, a transform has
            one size, and each modulus of a basis a plan of its own.
        modular: whether its instructions compute modulo q on vectors of any number of lanes, so that targets spell
            operations alone, neither types nor moves.
        form: the key of a target that its programs need, "threads" or "minor"; "": they are statements of a processor.
        temporaries: whether a row of a target may have statements before its result.
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
"""By the syntax of a target; :mod:`momagen.emit.kernel` has what prints each."""
