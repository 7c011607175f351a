"""The comparison of instruction sets on several kernels.

The quantities are instruction counts, port floors on CPUs, and cycles on this CPU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from momagen.bench.measure.sample import Spread, ratio, spread
from momagen.bench.report.kept import Once, afresh
from momagen.bench.x86 import issue
from momagen.bench.x86.floor import Floor, floor
from momagen.bench.x86.work import Work, work
from momagen.emit import Source, generate
from momagen.errors import MomagenError, among, build_error
from momagen.kinds.modular.lists import BLAS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.names.directed import kernel_named
from momagen.kinds.modular.sizes import check_size
from momagen.kinds.modular.spec import Spec
from momagen.runtime import Compiler
from momagen.screen.progress import Report as Progress
from momagen.screen.progress import part_of
from momagen.targets import Target, load_target

from .timing import runs_here, side_by_side

KERNELS = ("ntt", "intt", "vadd", "vsub", "vmul", "axpy")
"""The kernels that are compared by default: both transforms, and the four operations of the MQX paper."""
OPERATIONS = KERNELS[2:]
POINTS, ELEMENTS = 1024, 1024
SIZES = tuple(1 << log for log in range(10, 18))
"""The sizes of transforms in the MQX paper."""
HERE = "this CPU"
FloorOf = Callable[[Work], Floor]


@dataclass(frozen=True)
class Workload:
    """A kernel of a width and a size.

    Attributes:
        kernel: The name of the kernel.
        bits: The width of the modulus in bits.
        n: The number of points or elements.
    """

    kernel: str
    bits: int
    n: int

    @property
    def has_points(self) -> bool:
        """Whether ``n`` is a number of points."""
        return kernel_named(self.kernel).kind.has_points

    def __str__(self) -> str:
        return f"{self.kernel}, {self.bits} bits, {self.n} {'points' if self.has_points else 'elements'}"

    def spec(self, target: Target) -> Spec:
        """Return the specification of the kernel for ``target``."""
        kind, inverse = kernel_named(self.kernel)
        n = self.n if self.has_points else 0
        return make_spec(kind, n=n, modulus_bits=self.bits, target=target, inverse=inverse)

    @property
    def batch(self) -> int:
        """The number of transforms or elements in one call."""
        return 1 if self.has_points else self.n


class Asked(NamedTuple):
    """A request for a comparison.

    Attributes:
        targets: The targets. The first one is the base of the comparison.
        cases: The kernels that are compared on each of them.
        cpus: The functions that compute port floors, by the names of the CPUs.
        timed: Whether kernels that this CPU can run are timed, and their port floors on this CPU are
            computed.
        compiler: The compiler, or None for the default one.
    """

    targets: Sequence[Target]
    cases: Sequence[Workload]
    cpus: Mapping[str, FloorOf] = MappingProxyType({})
    timed: bool = True
    compiler: Compiler | None = None


@dataclass(frozen=True)
class Measured:
    """The measurements of one kernel on one target, per butterfly or element.

    Attributes:
        case: The kernel.
        target: The name of the target.
        projected: Whether proxies replace instructions that no CPU has.
        work: The instructions by class, or None.
        floors: The port floors by CPU.
        cycles: The cycles in every round; empty if this CPU cannot run the kernel.
        missing: The reason why there are no measurements if the target does not support the kernel, otherwise
            "".
    """

    case: Workload
    target: str
    projected: bool
    work: Work | None = None
    floors: Mapping[str, Floor] = field(default_factory=dict)
    cycles: Sequence[float] = ()
    missing: str = ""

    @property
    def instructions(self) -> float | None:
        """The number of all instructions, including the instructions of loops and addresses."""
        return self.work.instructions if self.work else None

    def data(self) -> dict[str, object]:
        """Return the measurements as plain data for JSON."""
        floors = {cpu: {"cycles": found.cycles, "by": found.by} for cpu, found in self.floors.items()}
        median = asdict(spread(self.cycles)) if self.cycles else None
        return {
            "kernel": self.case.kernel, "bits": self.case.bits, "n": self.case.n, "target": self.target,
            "projected": self.projected, "instructions": self.instructions, "floors": floors, "cycles": median,
            "spills": self.work.spills if self.work else None, "missing": self.missing,
        }  # fmt: skip


def targets_named(names: Iterable[str]) -> list[Target]:
    """Return the targets of a comparison.

    Args:
        names: The names of targets or paths of TOML files; ``:proxy`` after a name selects its proxy build.

    Raises:
        MomagenError: A target does not exist, or its file is invalid.
    """
    return [load_target(name) for name in names]


def cases(kernels: Sequence[str], bits: Sequence[int], sizes: Sequence[int]) -> list[Workload]:
    """Return every kernel at every width.

    Args:
        kernels: The names of the kernels.
        bits: The widths of the moduli in bits.
        sizes: The sizes of transforms. The other kernels have ``ELEMENTS`` elements.

    Raises:
        MomagenError: A kernel is unknown, or a size is not a transform size.
    """
    if unknown := [kernel for kernel in kernels if kernel not in (*KERNELS, *BLAS)]:
        raise among("one of the kernels", dict.fromkeys((*KERNELS, *BLAS)), unknown[0], "kernel")
    for n in sizes:
        check_size(n)
    counts = {kernel: sizes if kernel_named(kernel).kind.has_points else [ELEMENTS] for kernel in kernels}
    found = [Workload(kernel, width, n) for width, kernel in product(bits, kernels) for n in counts[kernel]]
    return list(dict.fromkeys(found))


def compare(
    asked: Asked, progress: Progress = lambda part, what: None, once: Once[Measured] = afresh
) -> list[Measured]:
    """Return the measurements of every case on every target, in order.

    Args:
        asked: The request.
        progress: A function that is called with the part done and a label.
        once: A function that returns the rows of a case from an earlier run, or measures them.

    Raises:
        MomagenError: A target does not exist, no target supports a kernel, or the compiler or objdump is
            missing.
    """
    found = list[Measured]()
    for at, case in enumerate(asked.cases):
        found += once(str(case), partial(_compared, case, asked, part_of(progress, at, len(asked.cases))))
    return found


def _compared(case: Workload, asked: Asked, progress: Progress) -> list[Measured]:
    """Return one case on every target."""
    rows, sources = list[Measured](), dict[str, Source]()
    for target in asked.targets:
        progress(len(rows) / len(asked.targets), f"{case}: {target}")
        rows.append(_counted(case, target, asked, sources))
    if all(row.missing for row in rows):
        raise build_error(f"no target supports this kernel ({rows[0].missing})", str(case))
    times = side_by_side(sources, asked.compiler, case.batch) if asked.timed else {}
    return [replace(row, cycles=times.get(row.target, ())) for row in rows]


def _counted(case: Workload, target: Target, asked: Asked, sources: dict[str, Source]) -> Measured:
    """Return one case on one target without times, and add its source to ``sources``."""
    build, name = target.timed_build, str(target)
    projected = build.proxy
    try:
        source = sources[name] = generate(case.spec(build))
    except MomagenError as refused:
        return Measured(case, name, projected, missing=str(refused))
    done = work(source, asked.compiler, case.batch)
    floors = {cpu: floor_of(done) for cpu, floor_of in asked.cpus.items()}
    if asked.timed and runs_here(build):
        floors[HERE] = floor(done, issue.rates())
    return Measured(case, name, projected, done, floors)


def floor_name(cpu: str) -> str:
    """Return the name of the quantity for the port floor of a CPU."""
    return f"port floor, {cpu}"


def quantities(row: Measured) -> dict[str, Sequence[float]]:
    """Return the known quantities of a kernel by name, each as the values of all rounds or as one value."""
    counted = {"instructions": [row.work.instructions]} if row.work else {}
    floors = {floor_name(cpu): [found.cycles] for cpu, found in row.floors.items() if found.cycles is not None}
    return {**counted, **floors, **({"cycles": row.cycles} if row.cycles else {})}


def ratios(row: Measured, base: Measured) -> dict[str, Spread]:
    """Return the quantities of ``base`` divided by the quantities of ``row``, by name.

    If both were timed, the ratios of cycles are computed per round.
    """
    own, other = quantities(row), quantities(base)
    return {what: ratio(other[what], own[what]) for what in own if what in other}
