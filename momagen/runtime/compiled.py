"""The functions create, execute and destroy of a compiled kernel, called through ctypes."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from momagen.data import folder
from momagen.emit import Source
from momagen.emit.claim import claim_of, state
from momagen.emit.codes import BAD_MODULUS, BAD_ROOT, NO_MEMORY, SIZED_CODES, refusal, text
from momagen.errors import MomagenError, build_error
from momagen.kinds.modular.spec import Spec
from momagen.kinds.modular.threads import MOST
from momagen.params.words import Words, to_words
from momagen.runtime.border import Border, Own
from momagen.runtime.compile import compile_shared
from momagen.runtime.compiler import Compiler, find_compiler
from momagen.runtime.features import missing_features
from momagen.runtime.load import load
from momagen.targets import Target

addressof, view = ctypes.addressof, ctypes.c_char.from_buffer
Argument = ctypes.c_void_p | ctypes.c_size_t
Result = ctypes.c_int | ctypes.c_void_p | ctypes.c_size_t
SHORT = 1024
"""The largest emulated transform that is compiled and run in less time with -O0 than with -O1, at every width."""


@dataclass(frozen=True)
class Compiled:
    """The loaded library of a kernel.

    Attributes:
        spec: The specification of the kernel.
        name: The prefix of its functions.
        library: The library.
        compiler: The compiler.
        missing: The CPU features of the target that this CPU lacks, so that stand-ins replace their instructions.
        moduli: A description of the moduli that it serves.
        size: The number of points that ``create`` takes, or 0 if it takes none.
    """

    spec: Spec
    name: str
    library: ctypes.CDLL
    compiler: Compiler
    missing: tuple[str, ...]
    moduli: str
    size: int = 0

    def at(self, spec: Spec) -> Compiled:
        """Return the same library for ``spec``, which is one of its sizes."""
        return replace(self, spec=spec, size=spec.n)

    def plan(self, modulus: int, root: int) -> Plan:
        """Return the plan for one modulus and root; element-wise kernels ignore the root.

        Raises:
            MomagenError: The build does not serve this modulus, the root is invalid, or there is not enough memory.
        """
        return Plan(self, modulus, root)


class Plan:
    """A kernel's plan for one modulus, which is destroyed with this object and may be used by several threads."""

    def __init__(self, compiled: Compiled, modulus: int, root: int) -> None:
        spec = compiled.spec
        self.words, self.modulus, self.root = spec.row, modulus, root
        self.border = Border(spec)
        given = {BAD_MODULUS: modulus, BAD_ROOT: root} if spec.n else {BAD_MODULUS: modulus}
        for code, number in given.items():
            if number >> spec.arith.held:
                raise refusal(compiled, code, modulus, root)
        numbers = [self.border.own(to_words([number], self.words)) for number in given.values()]
        why = ctypes.c_int()
        sizes, pointers = [compiled.size] * (compiled.size > 0), [ctypes.c_void_p] * (len(numbers) + 1)
        create = function_of(compiled, "create", [ctypes.c_size_t] * len(sizes) + pointers, ctypes.c_void_p)
        address = create(*sizes, *(number.ctypes.data for number in numbers), ctypes.addressof(why))
        if not address:
            raise refusal(compiled, named(why.value), modulus, root)
        self.address = int(address)
        self.destroy = weakref.finalize(self, function_of(compiled, "destroy", [ctypes.c_void_p], None), self.address)
        vectors = [ctypes.c_void_p] * (len(spec.ranges.operands) + 2)
        self.function = function_of(compiled, "execute", [*vectors, ctypes.c_size_t], ctypes.c_int)

    def execute(self, result: Words, *inputs: Words, count: int) -> None:
        """Write ``count`` transforms, products or residues to ``result``, which may be one of ``inputs``.

        Args:
            result: The array for the result.
            *inputs: The scalars, then the vectors. Every array is uint64 in native order, aligned, and contiguous; it
                is copied if the kernel has other words.
            count: The number of transforms, products or residues.

        Raises:
            MomagenError: There is not enough memory, for kernels that need scratch memory.
        """
        if not self.border.alike:
            self._execute_on_copies(result, inputs, count)
        elif code := self.function(self.address, address(result), *map(address, inputs), count):
            raise failed(code)

    def _execute_on_copies(self, result: Words, inputs: tuple[Words, ...], count: int) -> None:
        """Execute the kernel on copies in the kernel's own words."""
        own = self.border.copies([result, *inputs])
        if code := self.function(self.address, *(array.ctypes.data for array in own), count):
            raise failed(code)
        self.border.back(own[0], result.reshape(-1, self.words))


def failed(code: int) -> MomagenError:
    """Return the error for a code other than 0 that ``execute`` returned."""
    expected = "enough memory for the scratch buffer" if named(code) == NO_MEMORY else "the return code 0"
    return MomagenError(expected, text(code), "execute")


def address(array: Own) -> int:
    """Return the address of a contiguous array.

    This is ``array.ctypes.data``, in a third of its time if the array is writeable.
    """
    try:
        return addressof(view(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):  # read-only or empty
        return array.ctypes.data


def threads_of(compiled: Compiled, plan: Plan, threads: int = 0) -> int:
    """Return the number of threads, which is set to ``threads`` if that is not 0; no call may run meanwhile.

    Raises:
        MomagenError: The kernel was built without the option ``threads``, or the number is not from 1 to 1024.
    """
    if not compiled.spec.threads:
        problem = "the kernel was generated for one thread"
        raise build_error(problem, compiled.name, "generate it with the option `threads`")
    if not 0 <= threads <= MOST:
        raise MomagenError(f"a number from 1 to {MOST}", threads, "threads")
    set_threads = function_of(compiled, "threads", [ctypes.c_void_p, ctypes.c_size_t], ctypes.c_size_t)
    return int(set_threads(plan.address, threads))


def compile_c(
    source: Source, compiler: Compiler | str | None = None, seconds: float | None = None, *, native: bool = False,
    level: str = "",
) -> Compiled:  # fmt: skip
    """Compile and load a C ``source``; see :func:`momagen.runtime.call.compile_kernel` for arguments and errors."""
    target = source.spec.target
    compiler = compiler if isinstance(compiler, Compiler) else find_compiler(compiler)
    missing = () if native else tuple(missing_features(target.features))
    several = source.spec.threads > 0 and os.name == "posix"
    flags, includes = ["-std=c99", *["-pthread"] * several], {f"{source.name}.h": source.header}
    if missing:
        level = level or ("-O0" if source.spec.elements <= SHORT else "-O1")
        flags, includes = [*flags, "-DMOMAGEN_STANDINS", level, "-lm"], {**includes, **stand_ins(target, missing)}
    else:
        flags += target.flags
    unverified = state(source.source, claim_of(source.spec), verified=False)  # one cached build before and after
    path = compile_shared(
        unverified, name=source.name, flags=flags, includes=includes, compiler=compiler, seconds=seconds
    )
    size = source.spec.n if source.spec.sized else 0
    return Compiled(source.spec, source.name, load(path), compiler, missing, source.moduli, size)


def stand_ins(target: Target, missing: Sequence[str]) -> dict[str, str]:
    """Return the header with plain C for the intrinsics of ``target``, by its name.

    Raises:
        MomagenError: There is none.
    """
    if not target.standins:
        problem = f"this CPU lacks {', '.join(missing)}, and the target has no stand-ins that emulate it"
        raise build_error(problem, f"target {target.name}")
    return {target.standins: (folder("templates") / "standins" / target.standins).read_text(encoding="utf-8")}


def function_of(
    compiled: Compiled, verb: str, arguments: list[type[Argument]], result: type[Result] | None
) -> Callable[..., Any]:
    """Return the C function NAME_verb.

    Raises:
        MomagenError: The library does not have it.
    """
    try:
        function = compiled.library[f"{compiled.name}_{verb}"]
    except AttributeError:
        raise build_error(f"the library does not export {compiled.name}_{verb}", compiled.name) from None
    function.argtypes = arguments
    function.restype = result
    return function


def named(code: int) -> str:
    """Return the name of a code, or its number if it has none."""
    return [*SIZED_CODES][code] if 0 <= code < len(SIZED_CODES) else str(code)
