"""The time of one built kernel: the C loop of clock.c calls it on buffers of random residues."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

import numpy as np

from momagen.errors import MomagenError, build_error
from momagen.html import card, grid
from momagen.kinds.modular.spec import Spec
from momagen.languages import COMPILED
from momagen.params.words import Words, to_words
from momagen.runtime.border import Border
from momagen.runtime.compiled import Compiled, Plan, threads_of

from .clock import SAME, Reading, TimedCall, make_call, quiet, steady
from .fresh import drawn_vectors, fresh, limit_of, scalars
from .sample import Spread, interleave, spread

SAMPLE_NS = 300_000
"""A sample's length: far above the clock's grain, far below a scheduler's time slice."""
BUFFER_BYTES = 1 << 14
"""Short transforms and BLAS run on so many bytes per buffer: three of them fit any first-level cache."""
UNTIMED = "emulated kernels are not timed"
PAGE, LINE = 4096, 64
"""Bytes of a page, within which addresses end alike, and of a cache line."""
SHAPES = {1: ("transform", "x"), 2: ("pair", "xy"), 3: ("scaled_pair", "axy")}
"""By the number of inputs: the argument list in clock.c, and what that calls them."""
Buffers = tuple[Words, Words, Words]
"""x, y and z."""


class Runnable(Protocol):
    """What is timed: a compiled kernel with a plan."""

    @property
    def compiled(self) -> Compiled: ...
    @property
    def tables(self) -> Plan: ...


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
    """x and y with ``batch`` transforms, products or elements of random numbers of their ranges, and z for results."""
    names, grows = (spec.ranges.vectors * 2)[:2], spec.results // spec.elements
    x, y = (random_residues(spec, limit_of(spec, modulus, name), batch, seed) for seed, name in enumerate(names, 1))
    return placed(x, 0), placed(y, 1), placed(np.zeros((len(x) * grows, *x.shape[1:]), x.dtype), 2)


def added(spec: Spec, modulus: int, batch: int) -> Words:
    """A third vector, as :func:`buffers` makes the first two."""
    return placed(random_residues(spec, limit_of(spec, modulus, spec.ranges.vectors[-1]), batch, 4), 1)


def placed(words: Words, third: int) -> Words:
    """A copy that begins on a cache line, so many thirds of a page after a page does.

    Where buffers happen to lie decides by a half how fast short loops run: stores that cross lines cost one more, and
    loads wait for stores whose addresses end alike.
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
    """The kernel's execute on :func:`buffers` of its own, or on ``given`` ones; ``in_place``: z is x. A kernel whose
    words do not fill those of the buffers has copies, the same ones in every call.

    Args:
        numbers: in the array of each scalar; a call reads one. renewal: as :func:`make_call` has it.
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
    """The same, every call on operands that no other had."""
    spec, modulus = kernel.compiled.spec, kernel.tables.modulus
    ring = scalars(spec)
    renewal = {"fresh": fresh(spec, modulus), "vectors": len(spec.ranges.vectors), "ring": ring, "seed": 5}
    renewal |= {"size": batch * spec.rows * spec.elements, **vars(drawn_vectors(spec, modulus))}
    return kernel_call(kernel, batch, in_place=in_place, given=given, numbers=ring, renewal=renewal)


def sampler(call: TimedCall, count: int, calls: int) -> Callable[[], Reading]:
    """A function that takes one sample and gives it per unit, ``count`` units a call."""
    return lambda: call.time(calls) / count


def calls_per_sample(call: TimedCall, sample_ns: float = SAMPLE_NS) -> int:
    """Calls that last about ``sample_ns``, from the shortest of three trials; of less than a nanosecond, which is what
    asking the time took, as many as nanoseconds."""
    return max(1, round(sample_ns / max(1.0, min(call.time(1).ns for _ in range(3)))))


def summary(readings: list[Reading], best: float | None = None) -> tuple[Spread, Spread | None, Spread]:
    """Return nanoseconds of the quiet readings, against the ``best`` pace, cycles of those among them during which the
    clock stayed the same, and the wall's nanoseconds of all."""
    chosen = quiet(readings, best)
    cycles = [r.cycles for r in steady(chosen) if r.cycles is not None]
    return spread([r.ns for r in chosen]), spread(cycles) if cycles else None, spread([r.wall for r in readings])


def unit(spec: Spec) -> str:
    """What a kernel's time is counted in."""
    return spec.kind.unit


def unit_of(kind: str) -> str:
    """Return the unit of a kind of kernel, or of ``intt``, the inverse transform."""
    return "butterfly" if kind in ("ntt", "intt") else "element"


def units(spec: Spec, batch: int) -> int:
    """Butterflies or elements in one call."""
    return batch * spec.rows * spec.kind.work(spec)


def default_batch(spec: Spec, size: int = BUFFER_BYTES) -> int:
    """Transforms, products or elements that fill ``size`` bytes, at least one."""
    return max(1, size // (8 * spec.row * spec.rows * spec.results))


def random_residues(spec: Spec, modulus: int, batch: int, seed: int) -> Words:
    """The residues of ``batch`` operands of every modulus, (…, words): random words under a top word below that of
    ``modulus``, or of the least of several."""
    return residues(spec.row, min([modulus, *spec.basis]), batch * spec.rows * spec.elements, seed)


def residues(words: int, limit: int, count: int, seed: int) -> Words:
    """``count`` random numbers below ``limit``, which the words hold."""
    values = np.random.default_rng(seed).integers(0, 1 << 64, (count, words), dtype=np.uint64)
    top = (limit.bit_length() - 1) // 64
    values[:, top] %= to_words([limit], words)[0, top]
    values[:, top + 1 :] = 0
    return values


def not_zero(numbers: Words) -> Words:
    """The same, but 1 for 0: as a factor that would end a chain of calls."""
    numbers[:, 0] += ~numbers.any(axis=1)
    return numbers
