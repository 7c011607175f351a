"""What a kernel as compiled does for one butterfly or element: it runs once, with a counter in each of its loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from momagen.bench.measure.built import Built, planned
from momagen.bench.measure.kernel import units
from momagen.emit import Source
from momagen.runtime import Compiler, missing_features
from momagen.runtime.call import compile_kernel

from .blocks import by_text, executions, marked
from .spills import spills
from .uops import Use, uses
from .without_avx512 import counted

JUMPS = "j"
"""A conditional jump is issued together with the comparison before it."""


@dataclass(frozen=True)
class Work:
    """Per butterfly or element.

    Attributes:
        uses: instructions by class. instructions: all of them.
        stores, loads: of registers, to the stack frame and back, because there were not enough of them.
    """

    uses: Mapping[Use, float]
    instructions: float
    stores: float = 0.0
    loads: float = 0.0

    @property
    def spills(self) -> float:
        """Both."""
        return self.stores + self.loads


def work(source: Source, compiler: Compiler | None, batch: int) -> Work:
    """What one call of the compiled kernel runs on ``batch`` transforms, products or elements, or would run.

    Raises:
        MomagenError: no objdump, no compiler, or a kernel that cannot be counted on a CPU that lacks so much.
    """
    missing = missing_features(source.spec.target.features)
    counts = counted(source, compiler, batch, missing) if missing else executions(built(source, compiler), batch)
    return per_unit(by_text(counts), units(source.spec, batch))


def built(source: Source, compiler: Compiler | None) -> Built:
    """The marked kernel."""
    return planned(compile_kernel(marked(source), compiler))


def per_unit(counts: Mapping[str, int], count: int) -> Work:
    """From how often every instruction ran while ``count`` butterflies or elements were done."""
    total: Counter[Use] = Counter()
    moved: Counter[str] = Counter()
    for text, times in counts.items():
        for use in uses(text):
            total[use] += times
        for access in spills(text):
            moved[access] += times
    issued = sum(times for text, times in counts.items() if not text.startswith(JUMPS))
    by_class = {use: times / count for use, times in total.items()}
    return Work(by_class, issued / count, moved["store"] / count, moved["load"] / count)
