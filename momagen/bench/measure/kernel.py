"""The time of a compiled kernel, which the C loop of clock.c calls on buffers of random residues."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

import numpy as np

from momagen.errors import MomagenError, build_error
from momagen.html import card, grid
from momagen.kinds.modular.names.directed import kernel_named
from momagen.kinds.modular.spec import Spec
from momagen.languages import COMPILED
from momagen.params.words import Words, to_words
from momagen.runtime.border import Border
from momagen.runtime.compiled import Compiled, Plan, threads_of

from .clock import SAME, Reading, TimedCall, make_call, quiet, steady
from .fresh import drawn_vectors, fresh, limit_of, scalars
from .sample import Spread, interleave, spread

SAMPLE_NS = 300_000
"""The duration of a sample in nanoseconds: much longer than the resolution of the clock, and much shorter
than a time slice of the scheduler."""
BUFFER_BYTES = 1 << 14
"""The size in bytes of a buffer in calls of short transforms and element-wise kernels. Three such buffers fit
any first-level cache."""
UNTIMED = "emulated kernels are not timed"
PAGE, LINE = 4096, 64
"""The size in bytes of a page, in which addresses with the same offset alias, and of a cache line."""
SHAPES = {1: ("transform", "x"), 2: ("pair", "xy"), 3: ("scaled_pair", "axy")}
"""The argument list in clock.c, and the names of the inputs there, by the number of inputs."""
Buffers = tuple[Words, Words, Words]
"""The buffers x, y and z."""


class Runnable(Protocol):
    """A compiled kernel with a plan, which can be timed."""

    @property
    def compiled(self) -> Compiled:
        """The compiled kernel."""

    @property
    def tables(self) -> Plan:
        """The plan."""


@dataclass(frozen=True)
class Result:
    """The time of a kernel, as :meth:`momagen.Kernel.bench` returns it.

    Each :class:`Spread` has the median, the 10th and 90th percentile and the number of samples.

    Attributes:
        kernel: The name of the kernel.
        unit: "butterfly" for transforms (n/2·log2 n of them in every column), "element" for element-wise kernels and
            products.
        ns: Nanoseconds per unit, of the thread's CPU time, or of wall time if several threads compute a call.
        cycles: Cycles per unit, or None if the latencies of this machine are unknown.
        batch: The number of transforms, products or elements in a call.
        calls: The number of calls in a sample.
        wall: Nanoseconds of wall time per unit, which are more than ``ns`` if the thread shared its core.
        threads: The number of threads that compute a call; 0 for a kernel without the option ``threads``.
        cpu: Nanoseconds of CPU time per unit, summed over all threads, for a kernel with the option ``threads``.
    """

    kernel: str
    unit: str
    ns: Spread
    cycles: Spread | None
    batch: int
    calls: int
    wall: Spread
    threads: int = 0
    cpu: Spread | None = None

    @property
    def repetitions(self) -> int:
        """The number of samples."""
        return self.ns.count

    def to_dict(self) -> dict[str, object]:
        """Return plain data for JSON."""
        return asdict(self)

    def _repr_html_(self) -> str:
        """Return the table that Jupyter shows."""
        own = "wall ns" if self.cpu else "ns"
        named = {own: self.ns, "cycles": self.cycles, "wall ns": self.wall}
        named |= {f"ns {self.summed}": self.cpu} if self.cpu else {}
        found = [(name, *(f"{v:.3g}" for v in (s.median, s.low, s.high))) for name, s in named.items() if s]
        title = f"{self.kernel}: time per {self.unit}, {self.ns.count} samples"
        return card(title, (), grid(("", "median", "10 %", "90 %"), found))

    @property
    def summed(self) -> str:
        """A description of the time ``cpu``."""
        return f"of CPU time per {self.unit}, summed over {self.threads} thread{'s' * (self.threads != 1)}"

    def __str__(self) -> str:
        cycles = f", {self.cycles.median:.2f} cycles" if self.cycles else ""
        span = f"{self.ns.low:.3f} to {self.ns.high:.3f}{cycles}"
        if self.cpu:
            wall = f"{self.ns.median:.3f} ns of wall time per {self.unit} ({span})"
            return f"{wall}; {self.cpu.median:.3f} ns {self.summed}"
        return f"{self.ns.median:.3f} ns per {self.unit} ({span}; wall {self.wall.median:.3f})"


def bench_kernel(kernel: Runnable, *, repetitions: int = 101, seconds: float = 1.0) -> Result:
    """Time a kernel.

    Args:
        kernel: The kernel.
        repetitions: The largest number of samples, each of 0.3 ms or one call.
        seconds: The time in seconds after which no sample begins.

    Returns:
        The time.

    Raises:
        MomagenError: The kernel is emulated, so that its time says nothing about the target's hardware.
    """
    spec, missing = kernel.compiled.spec, kernel.compiled.missing
    if missing:
        raise build_error(f"this CPU lacks {', '.join(missing)}, and {UNTIMED}", spec.name)
    batch = default_batch(spec)
    call = timed_call(kernel, batch)
    calls = calls_per_sample(call)
    run = sampler(call, units(spec, batch), calls)
    readings = interleave({"kernel": run}, repetitions=repetitions, seconds=seconds)["kernel"]
    ns, cycles, wall = summary(readings)
    cpu = spread([reading.cpu for reading in quiet(readings)]) if spec.threads else None
    team = threads_of(kernel.compiled, kernel.tables) if spec.threads else 0
    return Result(kernel.compiled.name, unit(spec), ns, cycles, batch, calls, wall, team, cpu)


def buffers(spec: Spec, modulus: int, batch: int) -> tuple[Words, Words, Words]:
    """Return buffers for calls of a kernel.

    Returns:
        x and y with random numbers in the ranges of the operands, and z for the results. They have the size
        for ``batch`` transforms, products or elements.
    """
    names, grows = (spec.ranges.vectors * 2)[:2], spec.results // spec.elements
    x, y = (random_residues(spec, limit_of(spec, modulus, name), batch, seed) for seed, name in enumerate(names, 1))
    return placed(x, 0), placed(y, 1), placed(np.zeros((len(x) * grows, *x.shape[1:]), x.dtype), 2)


def added(spec: Spec, modulus: int, batch: int) -> Words:
    """Return a third vector that is filled as the vectors of :func:`buffers` are."""
    return placed(random_residues(spec, limit_of(spec, modulus, spec.ranges.vectors[-1]), batch, 4), 1)


def placed(words: Words, third: int) -> Words:
    """Return a copy of an array at a fixed offset from the start of a page.

    The speed of short loops depends on the offsets of their buffers by up to a half: a store that crosses a
    cache line takes two accesses, and a load waits for an earlier store if the low bits of their addresses
    are equal.

    Args:
        words: The array.
        third: The offset in thirds of a page, rounded down to a cache line.
    """
    room = np.zeros(words.nbytes + 2 * PAGE, np.uint8)
    start = -room.ctypes.data % PAGE + third * (PAGE // 3 // LINE * LINE)
    found = room[start : start + words.nbytes].view(np.uint64).reshape(words.shape)
    found[...] = words
    return found


def kernel_call(
    kernel: Runnable, batch: int, *, in_place: bool = False, given: Buffers | None = None, numbers: int = 1,
    renewal: Mapping[str, int] = SAME,
) -> TimedCall:  # fmt: skip
    """Return a timed call of the kernel's function ``execute``.

    If the words of the kernel are narrower than the words of the buffers, the call reads converted copies,
    which are the same in every call.

    Args:
        kernel: The kernel.
        batch: The number of transforms, products or elements.
        in_place: Whether the result replaces x.
        given: The buffers; by default, new ones from :func:`buffers`.
        numbers: The number of entries in the array of each scalar. Each call reads one of them.
        renewal: The fields of the job that determine the operands of later calls; see :func:`make_call`.

    Raises:
        MomagenError: The kernel is not compiled C.
    """
    spec, plan = kernel.compiled.spec, kernel.tables
    if (syntax := spec.target.syntax) != COMPILED:
        raise MomagenError("a compiled kernel", f"a kernel in {syntax}", "bench")
    x, y, z = given or buffers(spec, plan.modulus, batch)
    z = x if in_place else z
    limits = [limit_of(spec, plan.modulus, name) for name in spec.ranges.scalars]
    count = numbers + spec.rows - 1
    fixed = [not_zero(residues(spec.row, limit, count, seed)) for seed, limit in enumerate(limits, 3)]
    fixed += [added(spec, plan.modulus, batch)] * (len(spec.ranges.vectors) > 2)
    inputs = [*fixed, x, y][: len(spec.ranges.operands)]
    shape, places = SHAPES[len(inputs)]
    shape = "product" if spec.n and len(inputs) > 1 else shape
    function = kernel.compiled.library[f"{kernel.compiled.name}_execute"]
    arrays: Sequence[Words] = [z, *inputs]
    if not (border := Border(spec)).alike:
        arrays, renewal = border.copies(arrays), SAME
    pointers = dict(zip(("z", *places), arrays, strict=True))
    team = spec.threads > 0
    return make_call(shape, function, plan.address, count=batch, keep=(kernel,), renewal=renewal, team=team, **pointers)


def timed_call(kernel: Runnable, batch: int, *, in_place: bool = False, given: Buffers | None = None) -> TimedCall:
    """Return a timed call of the kernel's function ``execute`` with new operands in every call.

    Args:
        kernel: The kernel.
        batch: The number of transforms, products or elements.
        in_place: Whether the result replaces x.
        given: The buffers; by default, new ones from :func:`buffers`.
    """
    spec, modulus = kernel.compiled.spec, kernel.tables.modulus
    ring = scalars(spec)
    renewal = {"fresh": fresh(spec, modulus), "vectors": len(spec.ranges.vectors), "ring": ring, "seed": 5}
    renewal |= {"size": batch * spec.rows * spec.elements, **vars(drawn_vectors(spec, modulus))}
    return kernel_call(kernel, batch, in_place=in_place, given=given, numbers=ring, renewal=renewal)


def sampler(call: TimedCall, count: int, calls: int) -> Callable[[], Reading]:
    """Return a function that takes one sample of ``calls`` calls and returns it per unit.

    A call has ``count`` units.
    """
    return lambda: call.time(calls) / count


def calls_per_sample(call: TimedCall, sample_ns: float = SAMPLE_NS) -> int:
    """Return the number of calls that take about ``sample_ns`` nanoseconds, judged by the shortest of three trials.

    A trial of less than a nanosecond, whose time is below the resolution of the clock, counts as one
    nanosecond.
    """
    return max(1, round(sample_ns / max(1.0, min(call.time(1).ns for _ in range(3)))))


def summary(readings: list[Reading], best: float | None = None) -> tuple[Spread, Spread | None, Spread]:
    """Return the summaries of nanoseconds, cycles and nanoseconds of wall time.

    Args:
        readings: The readings. Nanoseconds are summarised over those that were taken while no other thread
            shared the core, cycles over those among them during which the clock frequency was constant, and
            wall time over all.
        best: The pace of an unshared core; see :func:`quiet`.

    Returns:
        The three summaries; the second one is None if no cycles are known.
    """
    chosen = quiet(readings, best)
    cycles = [r.cycles for r in steady(chosen) if r.cycles is not None]
    return spread([r.ns for r in chosen]), spread(cycles) if cycles else None, spread([r.wall for r in readings])


def unit(spec: Spec) -> str:
    """Return the unit of a kernel's time, "butterfly" or "element"."""
    return spec.kind.unit


def unit_of(kernel: str) -> str:
    """Return the unit of a kernel with this name, such as "vmul", or "intt" for the inverse transform."""
    return kernel_named(kernel).kind.unit


def units(spec: Spec, batch: int) -> int:
    """Return the number of butterflies or elements in one call of ``batch`` transforms, products or elements."""
    return batch * spec.rows * spec.kind.work(spec)


def default_batch(spec: Spec, size: int = BUFFER_BYTES) -> int:
    """Return the number of transforms, products or elements that fill ``size`` bytes, at least one."""
    return max(1, size // (8 * spec.row * spec.rows * spec.results))


def random_residues(spec: Spec, modulus: int, batch: int, seed: int) -> Words:
    """Return random residues for ``batch`` operands modulo every modulus, as an array of shape (…, words).

    The residues are below ``modulus``, or below the smallest modulus of the basis. Their highest word is
    below that of the bound.
    """
    return residues(spec.row, min([modulus, *spec.basis]), batch * spec.rows * spec.elements, seed)


def residues(words: int, limit: int, count: int, seed: int) -> Words:
    """Return ``count`` random numbers as an array of shape (count, words).

    Their highest word is below the highest word of ``limit``, so that they are below ``limit``.
    """
    values = np.random.default_rng(seed).integers(0, 1 << 64, (count, words), dtype=np.uint64)
    top = (limit.bit_length() - 1) // 64
    values[:, top] %= to_words([limit], words)[0, top]
    values[:, top + 1 :] = 0
    return values


def not_zero(numbers: Words) -> Words:
    """Replace zeros by ones in place, and return the array.

    A factor of zero would make all later results of a chain zero.
    """
    numbers[:, 0] += ~numbers.any(axis=1)
    return numbers
