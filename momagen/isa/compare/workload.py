"""Instruction sets compared, kernel by kernel: instructions counted, port floors on CPUs, and cycles where it runs."""

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
from momagen.kinds.modular.sizes import check_size
from momagen.kinds.modular.spec import Spec
from momagen.runtime import Compiler
from momagen.screen.progress import Report as Progress
from momagen.screen.progress import part_of
from momagen.targets import Target, load_target

from .timing import runs_here, side_by_side

KERNELS = ("ntt", "intt", "vadd", "vsub", "vmul", "axpy")
"""What is compared by default: both transforms, and the four operations of the MQX paper."""
OPERATIONS = KERNELS[2:]
POINTS, ELEMENTS = 1024, 1024
SIZES = tuple(1 << log for log in range(10, 18))
"""The paper's, of transforms."""
HERE = "this CPU"
FloorOf = Callable[[Work], Floor]


@dataclass(frozen=True)
class Workload:
    """A kernel, the bits of its modulus, and its points or elements."""

    kernel: str
    bits: int
    n: int

    def __str__(self) -> str:
        return f"{self.kernel}, {self.bits} bits, {self.n} {'elements' if self.kernel in BLAS else 'points'}"

    def spec(self, target: Target) -> Spec:
        """What is asked for on ``target``."""
        blas = self.kernel in BLAS
        return make_spec(
            self.kernel if blas else "ntt", n=0 if blas else self.n, modulus_bits=self.bits, target=target,
            inverse=self.kernel == "intt",
        )  # fmt: skip

    @property
    def batch(self) -> int:
        """Transforms or elements of one call."""
        return self.n if self.kernel in BLAS else 1


class Asked(NamedTuple):
    """What is compared.

    Attributes:
        targets: the base first. cases: on each of them.
        cpus: by name, their port floors. timed: whether kernels that this CPU can run are timed, beside its own floor.
    """

    targets: Sequence[Target]
    cases: Sequence[Workload]
    cpus: Mapping[str, FloorOf] = MappingProxyType({})
    timed: bool = True
    compiler: Compiler | None = None


@dataclass(frozen=True)
class Measured:
    """One kernel on one target, per butterfly or element.

    Attributes:
        target: as asked. projected: whether proxies stand for instructions that do not exist.
        work: instructions by class. floors: by CPU. cycles: in every round; none where this CPU cannot run it.
        missing: why there is nothing, where the target refuses the kernel.
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
        """All of them, those of addresses and loops too."""
        return self.work.instructions if self.work else None

    def data(self) -> dict[str, object]:
        """For JSON."""
        floors = {cpu: {"cycles": found.cycles, "by": found.by} for cpu, found in self.floors.items()}
        median = asdict(spread(self.cycles)) if self.cycles else None
        return {
            "kernel": self.case.kernel, "bits": self.case.bits, "n": self.case.n, "target": self.target,
            "projected": self.projected, "instructions": self.instructions, "floors": floors, "cycles": median,
            "spills": self.work.spills if self.work else None, "missing": self.missing,
        }  # fmt: skip


def targets_named(names: Iterable[str]) -> list[Target]:
    """The targets of a comparison, by name or TOML file, with ``:proxy`` for a proxy build.

    Raises:
        MomagenError: A target does not exist, or its file is invalid.
    """
    return [load_target(name) for name in names]


def cases(kernels: Sequence[str], bits: Sequence[int], sizes: Sequence[int]) -> list[Workload]:
    """Return every kernel at every width: transforms at every size, and the others on ``ELEMENTS`` elements.

    Raises:
        MomagenError: a kernel is unknown, or a size is not a transform size.
    """
    if unknown := [kernel for kernel in kernels if kernel not in (*KERNELS, *BLAS)]:
        raise among("one of the kernels", dict.fromkeys((*KERNELS, *BLAS)), unknown[0], "kernel")
    for n in sizes:
        check_size(n)
    found = [
        Workload(kernel, width, n)
        for width, kernel in product(bits, kernels) for n in ([ELEMENTS] if kernel in BLAS else sizes)
    ]  # fmt: skip
    return list(dict.fromkeys(found))


def compare(
    asked: Asked, progress: Progress = lambda part, what: None, once: Once[Measured] = afresh
) -> list[Measured]:
    """Return every case on every target, in order; ``once`` may know the rows of a case already.

    Raises:
        MomagenError: A target does not exist, no target supports a kernel, or the compiler or objdump is missing.
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
        raise build_error(f"none of the targets has this kernel ({rows[0].missing})", str(case))
    times = side_by_side(sources, asked.compiler, case.batch) if asked.timed else {}
    return [replace(row, cycles=times.get(row.target, ())) for row in rows]


def _counted(case: Workload, target: Target, asked: Asked, sources: dict[str, Source]) -> Measured:
    """One kernel on one target, not timed; its source is added to ``sources``."""
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
    """What the port floor of a CPU is called among quantities."""
    return f"port floor, {cpu}"


def quantities(row: Measured) -> dict[str, Sequence[float]]:
    """What is known of a kernel, by its name: the numbers of all rounds, or one."""
    counted = {"instructions": [row.work.instructions]} if row.work else {}
    floors = {floor_name(cpu): [found.cycles] for cpu, found in row.floors.items() if found.cycles is not None}
    return {**counted, **floors, **({"cycles": row.cycles} if row.cycles else {})}


def ratios(row: Measured, base: Measured) -> dict[str, Spread]:
    """How many times less than ``base`` it takes, by quantity; round by round where both were timed."""
    own, other = quantities(row), quantities(base)
    return {what: ratio(other[what], own[what]) for what in own if what in other}
