"""The races of ``momagen bench --sweep``: the kernels of all targets and the baselines, over sizes and widths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle

import numpy as np

from momagen.bench.measure.baselines import LIBRARIES, Baseline
from momagen.bench.measure.built import planned
from momagen.bench.measure.clock import Reading, TimedCall, usual
from momagen.bench.measure.kernel import calls_per_sample, random_residues, sampler, summary, timed_call, units
from momagen.bench.measure.machine import families
from momagen.bench.measure.sample import interleave
from momagen.bench.report.point import Point
from momagen.bench.x86.floor import Floor, port_floor
from momagen.emit import generate
from momagen.errors import MomagenError, build_error
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.params.words import Words
from momagen.runtime import Compiler, find_compiler, missing_features
from momagen.runtime.call import compile_kernel
from momagen.targets import Target

from .grid import Grid, Race

PLACES, ROOM = 8, 64 << 20
"""The largest number of placements of an element-wise kernel's buffers, and the largest total size of one
contestant's buffers in bytes."""


@dataclass(frozen=True)
class SweepEntry:
    """A contestant of a race.

    Attributes:
        calls: The same call on several placements of its buffers; empty if it cannot run, in which case
            ``note`` says why.
        output: Its result on the common input, or None if it is not compared with the others.
        baseline: Whether it is a baseline.
        unordered: Whether the order of its transformed values is unspecified.
        floor: The port floor, or None.
        note: A remark.
    """

    calls: Sequence[TimedCall] = ()
    output: Words | None = None
    baseline: bool = False
    unordered: bool = False
    floor: Floor | None = None
    note: str = ""


def sweep_race(race: Race, grid: Grid) -> list[Point]:
    """Return the points of all contestants of a race.

    Points of contestants that could not run have no figures.
    """
    entries = contestants(race, grid)
    batch = race.n if not race.spec.n else 1
    per_call = units(race.spec, batch)
    runs = {name: in_rotation(entry.calls, per_call) for name, entry in entries.items() if entry.calls}
    found = interleave(runs, repetitions=grid.rounds, seconds=grid.seconds) if runs else {}
    wrong = different(entries)
    where = (race.kernel, race.spec.width, race.n)
    best = usual([reading for readings in found.values() for reading in readings]) if found else None
    points = {
        name: Point(*where, name, entry.baseline, floor=entry.floor, wrong=name in wrong, note=entry.note)
        for name, entry in entries.items()
    }
    for name, readings in found.items():
        ns, cycles, wall = summary(readings, best)
        points[name] = replace(points[name], ns=ns, cycles=cycles, wall=wall)
    return list(points.values())


def in_rotation(calls: Sequence[TimedCall], count: int) -> Callable[[], Reading]:
    """Return a function that takes one sample of each of ``calls`` in turn, and returns it per unit.

    Args:
        calls: The calls.
        count: The number of units in a call.
    """
    each = calls_per_sample(calls[0])
    turns = cycle([sampler(call, count, each) for call in calls])
    return lambda: next(turns)()


def placements(race: Race) -> int:
    """Return the number of buffer placements on which a kernel is measured, one per round.

    1 for transforms and products.

    The pages on which vectors are placed change the speed of the second-level cache by up to a half, so that
    the result of one placement would be random.
    """
    if race.spec.n:
        return 1
    size = 8 * race.spec.row * race.n * (len(race.spec.ranges.vectors) + 1)
    return max(1, min(PLACES, ROOM // size))


def contestants(race: Race, grid: Grid) -> dict[str, SweepEntry]:
    """Return the contestants by name. Those that cannot run have a note that says why."""
    entries: dict[str, SweepEntry] = {}
    for name, baseline, make in makers(race, grid):
        try:
            entries[name] = make()
        except MomagenError as error:
            entries.setdefault(name, SweepEntry(baseline=baseline, note=reason(error)))
    return entries


def reason(error: MomagenError) -> str:
    """Return the first line of a compiler's output if the error is a compiler's, otherwise the whole error."""
    return error.hint.split("; ")[0] if error.got.startswith("exit code") and error.hint else str(error)


def makers(race: Race, grid: Grid) -> Iterator[tuple[str, bool, Callable[[], SweepEntry]]]:
    """Yield the name of every possible contestant, whether it is a baseline, and a function that returns its entry."""
    compiler = find_compiler(grid.compiler)
    for target in grid.chosen_targets():
        yield str(target), False, partial(generated, race, target, compiler, grid)
    native = compiler if compiler.kind != "zig" else next(iter(families().values()), compiler)
    for name, row in LIBRARIES.items():
        if grid.plain or race.spec.columns > 1 or (grid.baselines and name not in grid.baselines):
            continue
        yield row.title, True, partial(yardstick, race, name, native if row.libraries else compiler)
    for rival in grid.rivals:
        yield rival.stem.removeprefix("lib"), True, partial(yardstick, race, str(rival), compiler)


def generated(race: Race, target: Target, compiler: Compiler, grid: Grid) -> SweepEntry:
    """Return the kernel for ``target`` with the options that the grid chooses, and its port floor.

    If the CPU lacks features of the target, the kernel does not run. Its floor is computed if the grid names
    the target.

    Raises:
        MomagenError: The CPU lacks features and no floor is requested, or the kernel cannot be generated or
            compiled.
    """
    spec, lacking = race.spec, missing_features(target.features)
    if lacking and not (grid.targets and grid.floors):
        raise build_error(f"this CPU lacks {', '.join(lacking)}, which the target needs", f"target {target}")
    plain = make_spec(
        spec.kind, n=spec.n, modulus=spec.modulus, root=spec.root if spec.n else None, target=target,
        negacyclic=spec.negacyclic, columns=spec.columns, inverse=spec.inverse, blowup=spec.blowup,
        coset=spec.coset, input_order=spec.input_order,
    )  # fmt: skip
    own = grid.choose(plain)
    source, batch = generate(own), 1 if spec.n else race.n
    floor, note = None, ""
    if grid.floors:
        floor, note = bound(lambda: port_floor(source, compiler, batch, grid.elsewhere))
    options = ", ".join(own.options.phrases())
    told = f"only counted: no {', '.join(lacking)}" if lacking else ""
    told += f"; floor of {grid.elsewhere.cpu}" * bool(lacking and grid.elsewhere.cpu)
    note = "; ".join(filter(None, [options, told, note]))
    if lacking:
        return SweepEntry(floor=floor, note=note)
    kernel = planned(compile_kernel(source, compiler))
    given = operands(race)
    output = np.zeros((len(given["x"]) // spec.elements * spec.results, spec.row), np.uint64)
    kernel.tables.execute(output, *given.values(), count=batch)
    calls = [timed_call(kernel, batch, in_place=spec.kind.has_inverse) for _ in range(placements(race))]
    return SweepEntry(calls, output, floor=floor, note=note)


def bound(find: Callable[[], Floor]) -> tuple[Floor | None, str]:
    """Return the floor, or None and the reason why it is unknown."""
    try:
        return find(), ""
    except MomagenError as error:
        return None, str(error)


def yardstick(race: Race, name: str, compiler: Compiler) -> SweepEntry:
    """Return a baseline as a contestant.

    A baseline that offers only cyclic or only negacyclic transforms runs those that it offers, and its output
    is not compared.

    Raises:
        MomagenError: The baseline does not offer the kernel, or cannot be compiled.
    """
    given = operands(race)
    try:
        baseline, note = Baseline(name, race.spec, compiler, race.n), ""
    except MomagenError as refused:
        other = other_ring(race.spec) if race.spec.n else None
        try:
            baseline = Baseline(name, other or race.spec, compiler, race.n)
        except MomagenError:
            raise refused from None
        note = "negacyclic" if other and other.negacyclic else "cyclic"
    if race.spec.kind.has_inverse:
        output = given["x"].copy()
        baseline.transform(output)
    else:
        output = baseline.apply(given.get("a"), given["x"], given.get("y"))
    calls = [baseline.call(given)]
    for _ in range(placements(race) - 1):
        another = Baseline(name, race.spec, compiler, race.n)
        another.put(given.get("a"), given["x"], given.get("y"))
        calls.append(another.call(operands(race)))
    return SweepEntry(calls, None if note else output, True, baseline.unordered, note=note)


def other_ring(spec: Spec) -> Spec:
    """Return the specification modulo x^n + 1 instead of x^n - 1, or the reverse, which has as many butterflies."""
    negacyclic = not spec.negacyclic
    return make_spec(spec.kind, n=spec.n, modulus=spec.modulus, negacyclic=negacyclic, inverse=spec.inverse)


def operands(race: Race) -> dict[str, Words]:
    """Return the common input by name: random numbers in the ranges of the operands."""
    spec, batch = race.spec, 1 if race.spec.n else race.n
    ranges, most = spec.ranges, (1 << spec.arith.held) - 1
    tops = {name: min(ranges.top(factor, spec.modulus), most) for name, factor in ranges.operands.items()}
    return {
        name: random_residues(spec, top, batch if name in ranges.vectors else 1, seed)
        for seed, (name, top) in enumerate(tops.items(), 1)
    }


def different(entries: dict[str, SweepEntry]) -> set[str]:
    """Return the names of the contestants whose output differs from the first one's."""
    compared = {name: entry for name, entry in entries.items() if entry.output is not None}
    first = next(iter(compared.values())).output if compared else None
    return {name for name, entry in compared.items() if first is not None and not same(entry, first)}


def same(entry: SweepEntry, first: Words) -> bool:
    """Return whether the outputs agree; unordered outputs are sorted before they are compared."""
    assert entry.output is not None
    if entry.unordered:
        return sorted(map(tuple, entry.output.tolist())) == sorted(map(tuple, first.tolist()))
    return np.array_equal(entry.output, first)
