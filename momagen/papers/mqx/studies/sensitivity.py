"""The effect of each part of a proposal: kernels on its variants, relative to the base (MQX paper, Figure 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from momagen.bench.measure.sample import spread
from momagen.isa.compare.workload import OPERATIONS, SIZES, Measured, Workload, cases, quantities

VARIANTS: Mapping[str, str] = {
    "avx512dq": "Base", "mqx_m": "+M", "mqx_c": "+C", "mqx": "+M,C", "mqx_mhc": "+Mh,C", "mqx_mcp": "+M,C,P",
}  # fmt: skip
"""The names of the variants in the figure, by target."""
WIDE_SIZES = (4096,)
BITS, WIDE = 124, (252, 380, 764)
"""The numbers of bits of moduli in the paper's container of 128 bits, and in containers of 256, 384 and 768
bits."""


def workloads(sizes: Sequence[int] = SIZES, wide: Sequence[int] = WIDE) -> list[Workload]:
    """Return the workloads of the study.

    They are transforms of all ``sizes`` and the operations at 124 bits, and transforms of one size and the
    operations at the ``wide`` moduli.
    """
    return [
        *cases(("ntt",), (BITS,), sizes), *cases(OPERATIONS, (BITS,), ()),
        *cases(("ntt", *OPERATIONS), wide, WIDE_SIZES),
    ]  # fmt: skip


@dataclass(frozen=True)
class Normalised:
    """A quantity of kernels on one target relative to the base, as the mean over all sizes and operations.

    Attributes:
        kind: The kind of kernels, as of :func:`kind_of`.
        bits: The number of bits of the modulus.
        target: The target.
        what: The quantity.
        over_base: The quantity over the quantity of the base.
    """

    kind: str
    bits: int
    target: str
    what: str
    over_base: float

    @property
    def title(self) -> str:
        """The name of the variant in the figure."""
        return VARIANTS.get(self.target, self.target)


def kind_of(case: Workload) -> str:
    """Return "BLAS" for the four operations, and otherwise the name of the kernel."""
    return case.kernel if case.has_points else "BLAS"


def normalised(found: Sequence[Measured], base: str) -> Iterator[Normalised]:
    """Yield the rows of the figure, relative to the target ``base``."""
    groups = dict.fromkeys((kind_of(row.case), row.case.bits) for row in found)
    for kind, bits in groups:
        rows = [row for row in found if (kind_of(row.case), row.case.bits) == (kind, bits)]
        bases = {row.case: _medians(row) for row in rows if row.target == base}
        for target in dict.fromkeys(row.target for row in rows):
            own = {row.case: _medians(row) for row in rows if row.target == target}
            for what in next(iter(own.values()), {}):
                if all(what in own[case] and what in bases[case] for case in own):
                    over = [own[case][what] / bases[case][what] for case in own]
                    yield Normalised(kind, bits, target, what, fmean(over))


def _medians(row: Measured) -> dict[str, float]:
    return {what: spread(values).median for what, values in quantities(row).items()}
