"""What makes the constants and tables of a plan on the device: every thread one entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from momagen.formula.transforms import digit_reversal
from momagen.kernels.flow.index_bits import Phase
from momagen.kernels.flow.ntt_flow import Pass
from momagen.plan.thread_plan import ThreadPlan
from momagen.program import Expr
from momagen.program.device import Launch

from .writer import DeviceWriter

MAKERS = 128
"""Threads of a block that makes entries."""
SECTOR = 8
"""Words that memory moves at once: tables begin where one does."""


@dataclass(frozen=True)
class Exponent:
    """The exponent of one twiddle: what it is without a bit of the entry's number, and what every bit adds.

    Attributes:
        scaled: whether it brings the factor of all results.
    """

    first: int
    steps: Sequence[int]
    scaled: bool = False


def exponents(done: Pass, order: int, inverse: bool) -> list[Exponent]:
    """Those of the twiddles of a pass, in the order in which its codelet counts them; ``order``: that of the root.

    Twiddle 2^l + b of the heap splits factor b of 2^l: N·(radix·heap ± rev(b))/2^(l + 1) of the order N. The heap is
    affine in the bits of the entry, as are what all results share and the weights.
    """
    sign, radix = -1 if inverse else 1, done.radix

    def affine(form: Phase) -> list[int]:
        return [int(sign * form.get(frozenset(term), 0) * order) for term in ((), *((b,) for b in done.table_bits))]

    heap, common, weight = (affine(form) for form in (done.heap, done.flow.common, done.weights))
    found = list[Exponent]()

    def put(times: int, of: Sequence[int], turn: int = 0, shared: bool = False, scaled: bool = False) -> None:
        values = [times * a + shared * b for a, b in zip(of, common, strict=True)]
        first, *steps = (value % order for value in (values[0] + turn, *values[1:]))
        found.append(Exponent(first, steps, scaled))

    scaled = done.flow.scaled
    if done.scaled:
        put(0, heap, 0, True, scaled)
        put(radix // 2, heap, 0, True, scaled)
    for level in range(int(done.scaled), radix.bit_length() - 1):
        for b in range(1 << level):
            put(radix >> level + 1, heap, digit_reversal(b, 1 << level) * (order // 2 >> level))
    if done.weights:
        for t in range(radix):
            put(t, weight, 0, True, scaled)
    return found


class DeviceTables:
    """Writes the kernels that make a plan.

    Attributes:
        places: where the table of each pass begins, and where the last ends, in words.
    """

    def __init__(self, writer: DeviceWriter, plan: ThreadPlan) -> None:
        self.writer, self.plan = writer, plan
        self.order, self.passes = plan.spec.order_of_root, [each.done for each in plan.passes]
        self.entry = plan.stride * len(writer.arith.columns)
        sizes = [-(-done.entries() * self.entry // SECTOR) * SECTOR for done in self.passes]
        self.places = [*accumulate(sizes, initial=0)]
        self.bits = self.order.bit_length() - 1
        self.low = (self.bits + 1) // 2

    def write(self) -> list[Launch]:
        """Their launches."""
        powers = (1 << self.low) + (1 << self.bits - self.low)
        found = [self._kernel("put_device_powers", "put_powers", powers)]
        for number, (done, place) in enumerate(zip(self.passes, self.places, strict=False)):
            each = exponents(done, self.order, self.plan.spec.inverse)
            bits = len(done.table_bits)
            self.scaling = [t for t, one in enumerate(each) if one.scaled]
            given = {
                "firsts": [one.first for one in each], "all_steps": [step for one in each for step in one.steps] or [0],
                "twiddles": len(each), "bits": bits, "place": place, "scaled": bool(self.scaling),
                "scales": self._scales,
            }  # fmt: skip
            found.append(self._kernel("put_device_table", f"put_table_{number}", len(each) << bits, **given))
        return found

    @property
    def powers(self) -> int:
        """Words that they work in."""
        return ((1 << self.low) + (1 << self.bits - self.low)) * self.plan.stride

    def _scales(self, t: Expr) -> Expr:
        """Whether twiddle t brings the factor of all results: one of neighbours does."""
        last = self.scaling[-1]
        assert self.scaling == [*range(self.scaling[0], last + 1)]
        return (t <= last) if self.scaling[0] == 0 else (t > self.scaling[0] - 1).both(t <= last)

    def _kernel(self, text: str, name: str, count: int, **given: object) -> Launch:
        numbers = {"low": self.low, "high": self.bits - self.low, "table_words": self.places[-1], "entry": self.entry}
        self.writer.write(text, name, **numbers, **given)
        return Launch(name, MAKERS, -(-count // MAKERS))
