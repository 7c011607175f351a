"""The time of a kernel on the rows of RNS bases: the C loop of clock.c calls it on random residues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from momagen.errors import build_error
from momagen.languages import COMPILED
from momagen.params.words import Words
from momagen.runtime.compiled import threads_of

from .clock import TimedCall, make_call, quiet
from .kernel import UNTIMED, Result, calls_per_sample, placed, sampler, summary
from .sample import interleave, spread

if TYPE_CHECKING:
    from momagen.kinds.kind import BuiltKernel

COLUMNS = 4096
"""The number of columns in a timed call, which is the number of coefficients of a typical polynomial in
homomorphic encryption."""
UNIT = "residue"
SHAPES = {1: ("transform", ("x",)), 2: ("scaled_pair", ("a", "x"))}
"""The argument list in clock.c, and the names of the operands there, by the number of operands. Unused
pointers are NULL."""


def bench_rows(kernel: BuiltKernel, tops: Sequence[Sequence[int]], *, repetitions: int, seconds: float) -> Result:
    """Time a kernel on 4096 columns.

    Args:
        kernel: The kernel.
        tops: For each operand, the exclusive upper bounds of the residues of each row.
        repetitions: The largest number of samples, each of 0.3 ms or one call.
        seconds: The time in seconds after which no sample begins.

    Returns:
        The time per residue of the result.

    Raises:
        MomagenError: The kernel is emulated or not compiled, so that its time means nothing.
    """
    spec, name = kernel.spec, kernel.name
    if kernel.target.syntax != COMPILED:
        raise build_error(f"bench() times compiled kernels, and this kernel is for {kernel.target.name}", name)
    if kernel.compiled.missing:
        raise build_error(f"this CPU lacks {', '.join(kernel.compiled.missing)}, and {UNTIMED}", name)
    call = _call(kernel, tops)
    calls = calls_per_sample(call)
    run = sampler(call, COLUMNS * len(spec.goals), calls)
    readings = interleave({"kernel": run}, repetitions=repetitions, seconds=seconds)["kernel"]
    ns, cycles, wall = summary(readings)
    cpu = spread([reading.cpu for reading in quiet(readings)]) if spec.threads else None
    team = threads_of(kernel.compiled, kernel.tables) if spec.threads else 0
    return Result(name, UNIT, ns, cycles, COLUMNS, calls, wall, team, cpu)


def _call(kernel: BuiltKernel, tops: Sequence[Sequence[int]]) -> TimedCall:
    """Return the call of the kernel's function ``execute`` on random residues."""
    result = placed(np.zeros((len(kernel.spec.goals) * COLUMNS, 1), np.uint64), 0)
    operands = [placed(_residues(rows, seed), 1 + seed) for seed, rows in enumerate(tops)]
    shape, names = SHAPES[len(tops)]
    function: Any = kernel.compiled.library[f"{kernel.name}_execute"]
    given: dict[str, Any] = dict(zip(names, operands, strict=True))
    return make_call(
        shape, function, kernel.tables.address, z=result, count=COLUMNS, keep=(kernel,), team=kernel.spec.threads > 0,
        **given,
    )  # fmt: skip


def _residues(tops: Sequence[int], seed: int) -> Words:
    """Return rows of random residues, each below its bound, as an array of one word per residue."""
    rng = np.random.default_rng(seed)
    rows = [rng.integers(0, top, COLUMNS, np.uint64) for top in tops]
    return np.concatenate(rows).reshape(-1, 1)
