"""Kernels that compute the constants and tables of a plan on the device, with one thread for each entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from momagen.kinds.modular.making.coset import coset_twiddle
from momagen.lower.setup.turns import twiddle_exponents
from momagen.plan.schedule.types import Breakdown, Schedule, Step
from momagen.program import Expr
from momagen.program.device import Launch

from .writer import DeviceWriter

NONE = 64
"""The value in place of ``doublings`` for twiddles without a factor of the coset."""
MAKERS = 128
"""The number of threads in a block of the kernels that compute tables."""
SECTOR = 8
"""The number of words that memory moves at once, to a multiple of which the tables are aligned."""


@dataclass(frozen=True)
class Exponent:
    """The exponent of one twiddle, which is affine in the bits of an entry's index.

    Attributes:
        first: The exponent if no bit is set.
        steps: The number that each bit adds, the lowest bit first.
        scaled: Whether the twiddle contains the factor of all results.
        doublings: If it is not None, the twiddle contains the factor g^(2^doublings) for a coset g.
    """

    first: int
    steps: Sequence[int]
    scaled: bool = False
    doublings: int | None = None

    def on_coset(self) -> Exponent:
        """Return the exponent of a transform on a coset, if this one belongs to the negacyclic transform."""
        doublings, first = coset_twiddle(self.first)
        assert doublings is not None or not any(self.steps)
        assert not any(step & (2 << (doublings or 0)) - 1 for step in self.steps)
        return Exponent(first, [step // 2 for step in self.steps], self.scaled, doublings)

    def back(self, order: int) -> Exponent:
        """Return the same exponent for the inverse of the root."""
        return Exponent(-self.first % order, [-step % order for step in self.steps], self.scaled)


def exponents(done: Step, of: Breakdown) -> list[Exponent]:
    """Return the exponents of the twiddles of a pass, in the order in which its codelet numbers them.

    The exponents of an inverse transform are those of the inverse of the root.

    Args:
        done: The step.
        of: The transform, which is negacyclic if it is one on a coset.
    """
    order, sign, found = of.order_of_root, -1 if of.inverse else 1, list[Exponent]()
    for t in range(int(not done.scaled), done.radix * (2 if done.table.weights else 1)):
        (first, *steps), scaled = twiddle_exponents(done, t, of)
        found.append(Exponent(sign * first % order, [sign * each % order for each in steps], scaled))
    return found


class DeviceTables:
    """A writer of the kernels that compute a plan for some transforms.

    Attributes:
        writer: The writer of the program.
        schedules: The steps of the transforms.
        order: The order of the root.
        stride: The number of words from one residue to the next.
        entry: The number of words of an entry.
        places: For each transform, the offset of the table of each step, in words.
        size: The number of words of all tables.
        bits: The logarithm of the order of the root.
        low: The number of low bits of an exponent, for each value of which a power is computed in advance.
    """

    def __init__(self, writer: DeviceWriter, schedules: Sequence[Schedule]) -> None:
        self.writer, self.schedules, self.order = writer, schedules, schedules[0].breakdown.order_of_given_root
        self.stride, self.entry = writer.stride, writer.stride * len(writer.arith.columns)
        self.places, self.size = list[list[int]](), 0
        for schedule in schedules:
            sizes = [-(-each.entries * self.entry // SECTOR) * SECTOR for each in schedule.computing]
            *places, self.size = accumulate(sizes, initial=self.size)
            self.places.append(places)
        self.bits = self.order.bit_length() - 1
        self.low = (self.bits + 1) // 2

    def write(self) -> list[Launch]:
        """Write the kernels, and return their launches."""
        found = [self._kernel("put_device_powers", "put_powers", self.powers // self.stride)]
        for schedule, places in zip(self.schedules, self.places, strict=True):
            of = schedule.breakdown
            for done, place in zip(schedule.computing, places, strict=True):
                each = exponents(done, of)
                each = [one.on_coset() for one in each] if of.coset else each
                if of.inverse != self.schedules[0].breakdown.inverse:  # the plan contains the other root
                    each = [one.back(self.order) for one in each]
                found.append(self._table(f"put_table_{len(found) - 1}", each, len(done.table.bits), place))
        return found

    def _table(self, name: str, each: Sequence[Exponent], bits: int, place: int) -> Launch:
        """Write the kernel that computes the table of one pass, and return its launch."""
        self.scaling = [t for t, one in enumerate(each) if one.scaled]
        given = {
            "firsts": [one.first for one in each], "all_steps": [step for one in each for step in one.steps] or [0],
            "all_doublings": [NONE if one.doublings is None else one.doublings for one in each], "none": NONE,
            "twiddles": len(each), "bits": bits, "place": place, "scaled": bool(self.scaling), "scales": self._scales,
        }  # fmt: skip
        return self._kernel("put_device_table", name, len(each) << bits, **given)

    @property
    def powers(self) -> int:
        """The number of words of scratch memory of these kernels."""
        return ((1 << self.low) + (1 << self.bits - self.low)) * self.stride

    def _scales(self, t: Expr) -> Expr:
        """Return the condition that twiddle t contains the factor of all results.

        These twiddles are adjacent.
        """
        last = self.scaling[-1]
        assert self.scaling == [*range(self.scaling[0], last + 1)]
        return (t <= last) if self.scaling[0] == 0 else (t > self.scaling[0] - 1).both(t <= last)

    def _kernel(self, text: str, name: str, count: int, **given: object) -> Launch:
        numbers = {"low": self.low, "high": self.bits - self.low, "table_words": self.size, "entry": self.entry}
        self.writer.write(text, name, **numbers, **given)
        return Launch(name, MAKERS, -(-count // MAKERS))
