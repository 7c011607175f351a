"""Baselines, with which generated kernels are compared.

A baseline is a hand-written kernel or another library behind the C functions that
``scripts/baselines/README.md`` describes, or a user's own shared library with the same functions.
"""

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
    """The description of a baseline: how its C or C++ file is compiled and linked.

    Attributes:
        title: The name of the baseline in tables.
        language: The compiler flags that select its language.
        libraries: The linker flags of the libraries that it needs.
        root: The environment variable that may name the installation prefix of the library, or "".
        folders: Subfolders of ``include`` that must be on the include path, because the library's headers
            include each other relative to them.
    """

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
"""The baselines by the names of their files. The name of a file is also the prefix of its functions, which
``scripts/baselines/README.md`` describes."""

PREFIXES = (Path("/usr/local"), Path("/usr"))
"""The installation prefixes of the system, which are searched for headers that compilers do not find by
default."""
LOADED = {"a", "x", "y"}
"""The operands that a baseline can receive. Baselines do not offer kernels with other operands."""


class Baseline:
    """A baseline's plan for one kernel. The plan is freed together with this object.

    Args:
        name: A key of ``LIBRARIES``, or the path of a user's shared library, which ends in ".so".
        spec: The kernel, with its modulus and root.
        compiler: The compiler of the baseline, or None for the default one.
        length: The number of elements of an element-wise kernel.

    Raises:
        MomagenError: The baseline cannot be compiled (GMP is not installed, for instance), or it does not
            offer the kernel.
    """

    def __init__(self, name: str, spec: Spec, compiler: Compiler | None = None, length: int = 0) -> None:
        self.spec, self.n, self.path = spec, spec.n or length, Path(name) if name.endswith(".so") else None
        self.name = self.path.stem.removeprefix("lib") if self.path else name
        self.library = load(self.path) if self.path else load_baseline(name, compiler)
        self.function = self._function("run", 2)
        self.plan = self._create()

    @property
    def title(self) -> str:
        """The name of the baseline in tables."""
        return LIBRARIES[self.name].title if self.name in LIBRARIES else self.name

    @property
    def unordered(self) -> bool:
        """Whether the order of its transformed values is unspecified, so that they are compared as a set."""
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
        """Return the result of a kernel other than a transform.

        The operands and the result are converted to and from the representation of the baseline's library.
        """
        self.put(a, x, y)
        z = np.zeros_like(x)
        self.function(z.ctypes.data, self.plan)
        self._function("store", 2)(z.ctypes.data, self.plan)
        return z

    def put(self, a: Words | None, x: Words, y: Words | None) -> None:
        """Store operands in the plan, in the representation of the library.

        None means that the kernel lacks the operand.
        """
        self._function("load", 4)(self.plan, *(None if word is None else word.ctypes.data for word in (a, x, y)))

    def call(self, given: Mapping[str, Words]) -> TimedCall:
        """Return a call that can be timed, and that has new operands every time.

        A transform reads the results of the last call in ``given["x"]``. An element-wise kernel reads the
        last results if the baseline exports ``P_next``. All other calls read random operands, which
        ``P_load`` stores before each call; its time is subtracted.

        Args:
            given: The operands of the first call, by name.
        """
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
        MomagenError: The library does not export it.
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
    """Return the name by which baselines know the kernel."""
    return str(spec.kind) if not spec.n else f"{'i' * spec.inverse}{spec.kind}{'_negacyclic' * spec.negacyclic}"


def load_baseline(name: str, compiler: Compiler | None = None) -> ctypes.CDLL:
    """Return the shared library of a baseline, compiled with -O3 as generated kernels of the target c are.

    Raises:
        MomagenError: The baseline cannot be compiled or loaded with any of the possible libraries. The error
            is the one for the first of them.
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
    """Yield the possible compiler and linker flags of a baseline, best first.

    The first flags select the library under the prefix that the baseline's environment variable names, or the
    library of the system if the variable is not set. FLINT is also found inside the package python-flint.
    """
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
        MomagenError: The prefix does not exist. The library of the system is not used instead, because the
            user named another one.
    """
    if not (prefix / "include").is_dir():
        expected = f"an installation prefix with the folders include and lib for {row.title}"
        raise MomagenError(expected, prefix, "baseline")
    for folder_ in (prefix / "lib", prefix / "lib64"):
        headers = (prefix / "include", *(prefix / "include" / name for name in row.folders))
        place = (*(f"-I{name}" for name in headers), f"-L{folder_}", f"-Wl,-rpath,{folder_}")
        yield (*place, *row.libraries)
        yield (*place, row.libraries[0], "-lcpu_features", *row.libraries[1:])
