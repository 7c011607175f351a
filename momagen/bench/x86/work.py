"""The instructions that a compiled kernel executes per butterfly or element, counted in one call with marked loops."""

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
"""The prefix of jumps, which are not counted as instructions: a CPU issues a conditional jump together with
the comparison before it."""


@dataclass(frozen=True)
class Work:
    """The instructions of a kernel per butterfly or element.

    Attributes:
        uses: The number of instructions by class.
        instructions: The number of all instructions.
        stores: The number of registers that are spilled to the stack frame.
        loads: The number of spilled values that are loaded back.
    """

    uses: Mapping[Use, float]
    instructions: float
    stores: float = 0.0
    loads: float = 0.0

    @property
    def spills(self) -> float:
        """The number of spill stores and loads."""
        return self.stores + self.loads


def work(source: Source, compiler: Compiler | None, batch: int) -> Work:
    """Return the instructions that one call of the compiled kernel executes.

    If this CPU lacks AVX-512, the instructions are counted as a CPU with the target's features would execute them.

    Args:
        source: The generated source.
        compiler: The compiler, or None for the default one.
        batch: The number of transforms, products or elements in the call.

    Raises:
        MomagenError: There is no objdump or no compiler, or the kernel needs features that cannot be left
            out.
    """
    missing = missing_features(source.spec.target.features)
    counts = counted(source, compiler, batch, missing) if missing else executions(built(source, compiler), batch)
    return per_unit(by_text(counts), units(source.spec, batch))


def built(source: Source, compiler: Compiler | None) -> Built:
    """Return the compiled kernel with marks."""
    return planned(compile_kernel(marked(source), compiler))


def per_unit(counts: Mapping[str, int], count: int) -> Work:
    """Return the work per unit.

    Args:
        counts: The number of executions of every instruction.
        count: The number of butterflies or elements that were computed meanwhile.
    """
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
