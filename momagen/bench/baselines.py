"""The hand-written transforms of ``scripts/baselines``: yardsticks with the layout and order of a generated one."""

from __future__ import annotations

import ctypes
import weakref
from pathlib import Path

from momagen.bench.clock import Call, make_call
from momagen.build import Compiler, compile_shared, load
from momagen.data import folder
from momagen.errors import MomagenError
from momagen.kernels.spec import Spec
from momagen.params import to_words
from momagen.params.words import Words

LIBRARIES: dict[str, tuple[str, ...]] = {"scalar_shoup": (), "gmp_mpz": ("-lgmp",)}
"""Every baseline and what it is linked with."""
WORDS = 2
LARGEST = 1 << 124


class Baseline:
    """A baseline's plan for one modulus, root and size; it ends with this object.

    Functions, for the name P: ``P_plan(n, q, root)``, ``P_ntt(x, plan)`` in place, ``P_free(plan)``.

    Raises:
        MomagenError: the compiler refuses (GMP is missing, for instance), or the transform is none that it can do.
    """

    def __init__(self, name: str, spec: Spec, compiler: Compiler | None = None) -> None:
        if spec.kind != "ntt" or spec.inverse or spec.negacyclic or spec.order != "bitrev" or spec.modulus >= LARGEST:
            raise MomagenError("a forward cyclic transform below 2^124, bit-reversed out", spec.name, name)
        self.spec, self.name = spec, name
        self.library = load(compile_baseline(name, compiler))
        self.function = self.library[f"{name}_ntt"]
        self.function.argtypes, self.function.restype = [ctypes.c_void_p] * 2, None
        self.plan = self._create()

    def _create(self) -> int:
        create, free = self.library[f"{self.name}_plan"], self.library[f"{self.name}_free"]
        create.argtypes, create.restype = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p], ctypes.c_void_p
        free.argtypes, free.restype = [ctypes.c_void_p], None
        q, root = to_words([self.spec.modulus, self.spec.root], WORDS)
        plan: int | None = create(self.spec.n, q.ctypes.data, root.ctypes.data)
        if not plan:
            raise MomagenError("a plan", "no memory", self.name)
        weakref.finalize(self, free, plan)
        return plan

    def transform(self, x: Words) -> None:
        """Transform ``x`` of shape (n, 2) in place."""
        self.function(x.ctypes.data, self.plan)

    def call(self, x: Words) -> Call:
        """The same, to be timed; every call transforms what the last one left."""
        return make_call("in_place", self.function, self.plan, z=x, keep=(self,))


def compile_baseline(name: str, compiler: Compiler | None = None) -> Path:
    """The shared library of a baseline, with the flags that a generated kernel of target c gets."""
    source = (folder("scripts/baselines") / f"{name}.c").read_text(encoding="utf-8")
    return compile_shared(source, name=name, flags=["-std=c99", *LIBRARIES[name]], compiler=compiler)
