"""A kernel in Python: generated at once, compiled when first needed, called like a function."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from momagen.bench.kernel import Result, bench_kernel
from momagen.build import Compiler, find_compiler, missing_features
from momagen.build.call import Compiled, Plan, compile_kernel
from momagen.emit import Source
from momagen.explain import kernel_text
from momagen.files import path_of
from momagen.kernels.make_spec import with_modulus, with_options
from momagen.kernels.spec import Spec
from momagen.notebook import watched
from momagen.params.words import Words
from momagen.targets import Target, load_target
from momagen.tune import Advice
from momagen.verify import Progress, Report, verify

from .call import Caller
from .display import as_html, as_line
from .generated import generated
from .manifest import write
from .points import check_transform, exponents, points
from .request import count, duration, integer


class Kernel:
    """A generated kernel; call it on arrays or on integers.

    Called with its operands: transforms as ``k(x)``, products as ``k(x, y)``; of BLAS, scalars first, as ``k(a, x, y)``
    for a·x + y (``k.operands`` names them). Made by :func:`momagen.ntt`, :func:`momagen.blas`, :func:`momagen.polymul`
    and :func:`momagen.load`. Several threads may use one kernel.
    """

    def __init__(self, generated: Source, compiled: Compiled | None = None, wisdom: Advice | None = None) -> None:
        self.generated = generated
        self.wisdom = wisdom
        self.target: Target = load_target(generated.spec.target)
        self._lock = threading.RLock()
        self._compiled = compiled
        self._plan: Plan | None = None
        self._caller: Caller | None = None

    @property
    def spec(self) -> Spec:
        """What was asked for."""
        return self.generated.spec

    @property
    def name(self) -> str:
        """The base name of the kernel's files, and the prefix of its C functions."""
        return self.generated.name

    @property
    def source(self) -> str:
        """The C file."""
        return self.generated.source

    @property
    def header(self) -> str:
        """The header file."""
        return self.generated.header

    @property
    def modulus(self) -> int:
        """The prime q."""
        return self.spec.modulus

    @property
    def root(self) -> int:
        """The root of unity; 0 for BLAS."""
        return self.spec.root

    @property
    def n(self) -> int:
        """Points of the transform; 0 for BLAS."""
        return self.spec.n

    @property
    def operands(self) -> tuple[str, ...]:
        """What a call takes, in order: scalars, then vectors."""
        return tuple(self.spec.ranges.operands)

    @property
    def words(self) -> int:
        """64-bit words of a residue."""
        return self.spec.arith.words

    @property
    def fired(self) -> Counter[str]:
        """How often each rule fired, by its label."""
        return self.generated.fired

    @property
    def operations(self) -> Counter[str]:
        """Word operations of all codelets, by kind."""
        return self.generated.operations

    @property
    def notes(self) -> list[str]:
        """What else is worth knowing."""
        return self.generated.notes

    @property
    def emulated(self) -> bool:
        """Whether this CPU lacks the target's features, so that plain-C stand-ins do the work."""
        missing = self._compiled.missing if self._compiled else missing_features(self.target.features)
        return bool(missing)

    @property
    def compiled(self) -> Compiled:
        """The loaded library; compiled when first asked for."""
        return self.compile()

    @property
    def plan(self) -> Plan:
        """The tables for this kernel's modulus and root; made when first asked for, destroyed with the kernel."""
        with self._lock:
            if self._plan is None:
                self._plan = self.compiled.plan(self.modulus, self.root)
            return self._plan

    def compile(self, compiler: Compiler | str | None = None) -> Compiled:
        """Compile and load now, where that has not been done: with ``compiler``, else with the one that wisdom names,
        else with what find_compiler finds.

        Raises:
            MomagenError: no compiler, or it refuses; a CPU that lacks features for which there are no stand-ins.
        """
        with self._lock:
            if self._compiled is None:
                known = self.wisdom.compiler if self.wisdom and compiler is None else compiler
                chosen = known if isinstance(known, Compiler) else find_compiler(known)
                self._compiled = compile_kernel(self.generated, chosen)
            return self._compiled

    def __call__(self, *operands: Any, out: Words | None = None) -> Any:
        """The result, in the kind of the first vector that is no list.

        ====================================================  ================================================
        a vector may be                                       and comes back as
        ====================================================  ================================================
        a uint64 array of words, (…, n, words), low first     a uint64 array of that shape
        where words is 1, an array of any integers, (…, n)    a uint64 array of that shape
        where it is more, an array of integers but uint64     an object array of Python integers, (…, n)
        an object array of integers, (…, n)                   an object array of Python integers, (…, n)
        lists, tuples or ranges of integers, nested (…, n)    lists of Python integers
        bytes, memoryview of bytes: little-endian words       bytes
        bytearray: little-endian words                        bytearray
        ====================================================  ================================================

        BLAS has no axis n; its scalars are integers, or uint64 arrays of their words. Leading axes are batches; arrays
        may have any strides, alignment and byte order. Every number is checked to be in the kernel's range, below the
        modulus unless factors say otherwise.

        Args:
            out: a uint64 array for the result, which is then what comes back; it may be an operand, but may not overlap
                one in part.

        Raises:
            MomagenError: another number, kind or shape of operands, a mask, a value out of its range (the first is
                named), or an ``out`` that overlaps in part.
        """
        return (self._caller or self.caller)(operands, out)

    @property
    def caller(self) -> Caller:
        """What calls the kernel; made when first asked for."""
        if self._caller is None:
            self._caller = Caller(self.compiled, self.plan)
        return self._caller

    def with_modulus(self, modulus: int | str, root: int | str | None = None) -> Kernel:
        """The same build for another modulus that it serves, with the smallest root of unity unless one is given.

        Raises:
            MomagenError: a modulus that the build does not serve, or one that does not fit the transform.
        """
        other = with_modulus(self.spec, integer(modulus, "modulus"), None if root is None else integer(root, "root"))
        made = Kernel(replace(self.generated, spec=other), self.compiled, self.wisdom)
        _ = made.plan  # refuses moduli that are too short for the build
        return made

    def inverse(self) -> Kernel:
        """The transform back, with the same modulus, root, ring, order, target and options: k.inverse()(k(x)) is x.

        Where this kernel asked wisdom, that one asks the same file.

        Raises:
            MomagenError: no transform.
        """
        check_transform(self.spec)
        added = self.wisdom.row.options if self.wisdom and self.wisdom.row else {}
        own = {option: value for option, value in self.spec.options.items() if option not in added}
        back = with_options(replace(self.spec, inverse=not self.spec.inverse, options=own), {})
        source, advice = generated(back, self.wisdom.path if self.wisdom else False)
        return Kernel(source, wisdom=advice)

    @cached_property
    def order(self) -> npt.NDArray[np.int64]:
        """Which point each value of a transform is at: an array e of shape (n,), read-only.

        Value j, of what comes out or (inverse) goes in, is the polynomial's at ω^e[j]; ω is the root, of order 2n where
        the transform is negacyclic.

        Raises:
            MomagenError: no transform.
        """
        return exponents(self.spec)

    def points(self) -> list[int]:
        """ω^e modulo q for each e of ``order``: value j is the polynomial's at points()[j]."""
        return points(self.spec)

    def explain(self) -> str:
        """What made this kernel: its words, the rules that fired, its word operations, and what wisdom said."""
        return kernel_text(self.generated) + (f"\nwisdom: {self.wisdom}" if self.wisdom else "")

    def verify(self, *, seed: int = 0, progress: Progress | None = None) -> Report:
        """Compare with gmpy2; see :func:`momagen.verify.verify`. A notebook shows a bar without ``progress``."""
        with watched(progress) as told:
            return verify(self, seed=count(seed, "seed"), progress=told)

    def bench(self, *, repetitions: int = 101, seconds: float = 1.0) -> Result:
        """Time it; see :func:`momagen.bench.kernel.bench_kernel`."""
        return bench_kernel(self, repetitions=count(repetitions, "repetitions", 1), seconds=duration(seconds))

    def save(self, folder: str | Path) -> Path:
        """Write NAME.c, NAME.h and NAME.json, from which :func:`momagen.load` makes the kernel again; gives the folder.

        Raises:
            MomagenError: the folder cannot be written; then nothing is.
        """
        return write(self.generated, path_of(folder, "save"))

    def __reduce__(self) -> tuple[type[Kernel], tuple[Source, None, Advice | None]]:
        """Pickled and copied as text; what takes it compiles it again, or finds it in the cache."""
        return Kernel, (self.generated, None, self.wisdom)

    def __repr__(self) -> str:
        return as_line(self.generated, emulated=self.emulated)

    def _repr_html_(self) -> str:
        return as_html(self.generated, self.wisdom, emulated=self.emulated)
