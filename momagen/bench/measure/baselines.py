"""Yardsticks: hand-written kernels, other libraries behind the same functions (``scripts/baselines``), a user's own."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from momagen.data import folder
from momagen.errors import MomagenError, build_error
from momagen.kinds.modular.spec import Spec
from momagen.params import to_words
from momagen.params.words import Words
from momagen.runtime import Compiler, compile_shared, load

from .clock import TimedCall, make_call
from .fresh import CHAINED, REFILLED, drawn_vectors, fresh

C, CPP = ("-std=gnu99",), ("-x", "c++", "-std=c++17")


@dataclass(frozen=True)
class BaselineRow:
    """A baseline's title, its language's flags, the libraries it is linked with, the variable that may name the folder
    where they were installed, and folders of its ``include`` that headers name each other from."""

    title: str
    language: tuple[str, ...] = C
    libraries: tuple[str, ...] = ()
    root: str = ""
    folders: tuple[str, ...] = ()


LIBRARIES: dict[str, BaselineRow] = {
    "scalar_word": BaselineRow("hand-written"),
    "scalar_shoup": BaselineRow("hand-written"),
    "gmp_mpz": BaselineRow("GMP mpz", C, ("-lgmp",)),
    "flint_nmod": BaselineRow("FLINT nmod", C, ("-lflint",)),
    "flint_fmpz": BaselineRow("FLINT fmpz_mod", C, ("-lflint",)),
    "ntl": BaselineRow("NTL", CPP, ("-lntl", "-lgmp", "-lstdc++", "-lm"), "NTL_ROOT"),
    "hexl": BaselineRow("HEXL", CPP, ("-lhexl", "-lstdc++", "-lm"), "HEXL_ROOT"),
    "openfhe": BaselineRow(
        "OpenFHE", CPP, ("-lOPENFHEcore", "-lstdc++", "-lm"), "OPENFHE_ROOT", ("openfhe", "openfhe/core")
    ),
}
"""Every baseline by its file's name, which begins its functions' names. ``scripts/baselines/README.md`` lists those."""

PREFIXES = (Path("/usr/local"), Path("/usr"))
"""Where the system's libraries are, for those that compilers do not find by themselves."""
LOADED = {"a", "x", "y"}
"""What a baseline can be given: kernels that take more have none."""


class Baseline:
    """A baseline's plan for one kernel; it ends with this object.

    Args:
        name: one of ``LIBRARIES``, or a user's shared library. spec: the kernel, modulus and root. length: elements of
            a vector kernel.

    Raises:
        MomagenError: the compiler refuses (GMP is missing, for instance), or it does not offer the kernel.
    """

    def __init__(self, name: str, spec: Spec, compiler: Compiler | None = None, length: int = 0) -> None:
        self.spec, self.n, self.path = spec, spec.n or length, Path(name) if name.endswith(".so") else None
        self.name = self.path.stem.removeprefix("lib") if self.path else name
        self.library = load(self.path) if self.path else load_baseline(name, compiler)
        self.function = self._function("run", 2)
        self.plan = self._create()

    @property
    def title(self) -> str:
        """What tables call it."""
        return LIBRARIES[self.name].title if self.name in LIBRARIES else self.name

    @property
    def unordered(self) -> bool:
        """Whether a transform's order is its own."""
        return hasattr(self.library, f"{self.name}_unordered")

    def _function(self, verb: str, pointers: int) -> Any:
        return library_function(self.library, self.name, verb, pointers)

    def _create(self) -> int:
        spec, words = self.spec, self.spec.row
        create, free = self._function("plan", 0), self._function("free", 1)
        create.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p]
        create.restype = ctypes.c_void_p
        q, root = to_words([spec.modulus, spec.root], words)
        kernel, plain = offered(spec), spec.order == "bitrev" and {*spec.ranges.operands} <= LOADED
        plan: int | None = create(kernel.encode(), self.n, words, q.ctypes.data, root.ctypes.data) if plain else None
        if not plan:
            raise build_error(f"the baseline {self.name} does not offer the kernel {spec.name}", "baseline")
        weakref.finalize(self, free, plan)
        return plan

    def transform(self, x: Words) -> None:
        """Transform ``x`` of shape (n, words) in place."""
        self.function(x.ctypes.data, self.plan)

    def apply(self, a: Words | None, x: Words, y: Words | None) -> Words:
        """The result of a kernel that is no transform, through the library's own form."""
        self.put(a, x, y)
        z = np.zeros_like(x)
        self.function(z.ctypes.data, self.plan)
        self._function("store", 2)(z.ctypes.data, self.plan)
        return z

    def put(self, a: Words | None, x: Words, y: Words | None) -> None:
        """Give the plan its operands; None where the kernel has no such one."""
        self._function("load", 4)(self.plan, *(None if word is None else word.ctypes.data for word in (a, x, y)))

    def call(self, given: Mapping[str, Words]) -> TimedCall:
        """The timed call, on operands that no other had: a transform on what the last one left in ``given["x"]``, a
        vector kernel on the last results (P_next), all else on random ones (P_load, whose time is taken off)."""
        a, x, y = (given.get(name) for name in ("a", "x", "y"))
        renewal = self._renewal()
        return make_call(
            "in_place", self.function, self.plan, z=given["x"], a=a, x=x, y=y, keep=(self,), renewal=renewal
        )

    def _renewal(self) -> dict[str, int]:
        if self.spec.kind.recurs == "never" and self.spec.n:
            return {"fresh": CHAINED}
        vectors = len(self.spec.ranges.vectors)
        turn = getattr(self.library, f"{self.name}_next", None) if not self.spec.n else None
        if turn is not None and fresh(self.spec, self.spec.modulus) == CHAINED:
            return {"fresh": CHAINED, "turn": _address(turn), "vectors": vectors}
        drawn = {"size": self.n, "seed": 5, **vars(drawn_vectors(self.spec, self.spec.modulus))}
        return {"fresh": REFILLED, "load": _address(self._function("load", 4)), "vectors": vectors, **drawn}


def library_function(library: ctypes.CDLL, name: str, verb: str, pointers: int) -> Any:
    """Return the function ``name_verb`` of a baseline's library, which takes ``pointers`` pointers.

    Raises:
        MomagenError: the library does not export it.
    """
    try:
        function = library[f"{name}_{verb}"]
    except AttributeError:
        raise build_error(f"the library does not export the function {name}_{verb}", name) from None
    function.argtypes, function.restype = [ctypes.c_void_p] * pointers, None
    return function


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def offered(spec: Spec) -> str:
    """The kernel's name among baselines."""
    return str(spec.kind) if not spec.n else f"{'i' * spec.inverse}{spec.kind}{'_negacyclic' * spec.negacyclic}"


def load_baseline(name: str, compiler: Compiler | None = None) -> ctypes.CDLL:
    """The shared library of a baseline, at -O3 as a generated kernel of target c is.

    Raises:
        MomagenError: it does not compile or load with any of the libraries that would do; what the first one lacks.
    """
    row = LIBRARIES[name]
    source = next(folder("scripts/baselines").glob(f"{name}.c*")).read_text(encoding="utf-8")
    refusals: list[MomagenError] = []
    for libraries in linked(row):
        try:
            return load(compile_shared(source, name=name, flags=[*row.language, *libraries], compiler=compiler))
        except MomagenError as error:
            refusals.append(error)
    raise refusals[0]


def linked(row: BaselineRow) -> Iterator[tuple[str, ...]]:
    """What to link with, best first: the library where its variable says, else the system's; for FLINT also the one
    inside python-flint."""
    prefix = os.environ.get(row.root, "") if row.root else ""
    yield from _installed(Path(prefix).expanduser(), row) if prefix else [_of_system(row)]
    found = importlib.util.find_spec("flint") if "-lflint" in row.libraries else None
    for place in (found.submodule_search_locations or []) if found else []:
        for library in sorted(Path(place).parent.glob("python_flint.libs/libflint*.so*")):
            yield (f"-L{library.parent}", f"-l:{library.name}", f"-Wl,-rpath,{library.parent}")


def _of_system(row: BaselineRow) -> tuple[str, ...]:
    places = (prefix / "include" / folder_ for prefix in PREFIXES for folder_ in row.folders)
    return (*(f"-I{place}" for place in places if place.is_dir()), *row.libraries)


def _installed(prefix: Path, row: BaselineRow) -> Iterator[tuple[str, ...]]:
    """Yield compiler flags for the libraries under a prefix, without and with the dependencies of static libraries.

    Raises:
        MomagenError: the prefix does not exist; the system's library must not replace a library that the user named.
    """
    if not (prefix / "include").is_dir():
        expected = f"an installation prefix with the folders include and lib for {row.title}"
        raise MomagenError(expected, prefix, "baseline")
    for folder_ in (prefix / "lib", prefix / "lib64"):
        headers = (prefix / "include", *(prefix / "include" / name for name in row.folders))
        place = (*(f"-I{name}" for name in headers), f"-L{folder_}", f"-Wl,-rpath,{folder_}")
        yield (*place, *row.libraries)
        yield (*place, row.libraries[0], "-lcpu_features", *row.libraries[1:])
