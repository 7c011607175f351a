"""The verification of a context: its C functions are compared with their definitions, level by level."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np

from momagen.clib import Library
from momagen.errors import build_error
from momagen.runtime import compile_program, find_compiler, missing_features
from momagen.runtime.compile import keep_sources
from momagen.runtime.load import load
from momagen.verify import Report
from momagen.verify.report import Found, Tally

from .bound import BoundContext, Words
from .cases import ContextCase, build_cases, build_trials
from .definition import ContextDefinition, Rows
from .methods import Methods

LARGEST = 0.2
"""The fraction of polynomials whose residues are all the largest ones."""
DEGREES = (2, 16)
"""The numbers of coefficients of the contexts that are tried."""


def verify_context(
    library: Library, files: dict[str, str], name: str, methods: Methods, lengths: Sequence[int], max_n: int,
    *, seed: int = 0, compiler: str | None = None,
) -> Report:  # fmt: skip
    """Compile the context for this machine and compare its functions with their definitions.

    Args:
        library: The kernels.
        files: All texts of the package, by path.
        name: The prefix of the functions.
        methods: How ModUp converts digits and ModDown divides sums.
        lengths: The widths in bits of the moduli that are tried.
        max_n: The largest n.
        seed: The seed of the random residues.
        compiler: The compiler (default: the one that momagen finds).

    Returns:
        The report.
    """
    start, tally, rng = time.perf_counter(), Tally(), random.Random(seed)
    functions = load(compile_context(library, files, name, compiler))
    mismatch = None
    try:
        for n in sorted({min(degree, max_n) for degree in DEGREES}):
            for trial in build_trials(lengths, n):
                bound = BoundContext(functions, name, n, *trial)
                definition = ContextDefinition(n, *trial, bound.roots, methods)
                for level in range(1, len(trial.q) + 1):
                    _compare(bound, definition, level, tally, rng)
    except Found as found:
        mismatch = found.mismatch
    counts = dict(tally.methods)
    return Report(name, tally.vectors, (), counts, (*tally.moduli,), (), time.perf_counter() - start, mismatch)


def compile_context(library: Library, files: dict[str, str], name: str, compiler: str | None = None) -> str:
    """Compile the context with the kernels of this machine's best ISA variant, and return the shared library's path.

    Raises:
        MomagenError: This machine supports none of the ISA variants.
    """
    works = [variant for variant in library.variants if not missing_features(variant.target.features)]
    if not works:
        names = ", ".join(variant.name for variant in library.variants)
        problem = f"this CPU supports none of the ISA variants {names}"
        raise build_error(problem, "targets", "add the target c, or pass --no-verify")
    best, own = works[0].name, {source.name for source in library.sources}
    kept = {member.sources[[v.name for v in member.variants].index(best)].name for member in library.members}
    texts = {
        PurePosixPath(path).name: text for path, text in files.items()
        if path.endswith((".c", ".h")) and PurePosixPath(path).parent.name in ("src", "include")
    }  # fmt: skip
    texts = {path: text for path, text in texts.items() if (stem := path[:-2]) not in own or stem in kept}
    others = [variant.upper for variant in library.variants if variant.name != best]
    flags = ["-std=gnu99", *(f"-D{name.upper()}_KERNELS_WITHOUT_{each}" for each in others), "-shared"]
    chosen = find_compiler(compiler)
    place = keep_sources("context", texts, flags, chosen)
    sources = [place / path for path in texts if path.endswith(".c")]
    return str(compile_program(sources, name=name, flags=flags, include_dirs=[place], compiler=chosen))


def _compare(bound: BoundContext, definition: ContextDefinition, level: int, tally: Tally, rng: random.Random) -> None:
    """Compare all operations at one level, on random residues and on the largest ones.

    Raises:
        Found: A value is incorrect.
    """

    def draw(moduli: Sequence[int]) -> Rows:
        largest = rng.random() < LARGEST
        return [[q - 1 if largest else rng.randrange(q) for _ in range(definition.n)] for q in moduli]

    tally.moduli.update(dict.fromkeys((*definition.q, *definition.p)))
    lengths = ", ".join(str(q.bit_length()) for q in (*definition.q, *definition.p))
    for case in build_cases(definition, level, draw):
        vector = f"level {level}, n = {definition.n}, moduli of {lengths} bits"
        tally.enter(vector, definition.q[0], edge=False)
        got = run_case(bound, case).reshape(-1, definition.n).tolist()
        for row, (seen, right) in enumerate(zip(got, case.expected, strict=True)):
            q = definition.list_moduli(level, True)[row % (len(case.expected) // case.polynomials)]
            tally.compare(case.operation, f"{vector}, row {row}", q, seen, right, range(definition.n))


def run_case(bound: BoundContext, case: ContextCase) -> Words:
    """Return the result of a call of the C library."""
    operands = [_stack_rows(each) for each in case.operands]
    match case.operation:
        case "rescale" | "mod_down" | "decompose":
            return getattr(bound, case.operation)(*operands, case.level)  # type: ignore[no-any-return]
        case "keyswitch":
            return bound.keyswitch(operands[0], _stack_rows(case.key), case.level)
        case "keyswitch_digits":
            return bound.keyswitch_digits(_stack_rows(case.digits), case.g, _stack_rows(case.key), case.level)
        case "dot":
            return bound.dot(operands[0::2], operands[1::2], case.level, case.extended)
        case operation:
            return bound.apply(operation, *operands, level=case.level, extended=case.extended, g=case.g or None)


def _stack_rows(rows: object) -> Words:
    """Return rows as a uint64 array."""
    return np.array(rows, np.uint64)
