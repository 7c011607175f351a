"""Section 5.5 of the MQX paper: products of two-word numbers by Karatsuba's rule, or by schoolbook.

The first takes three products of words, the other four. Both are rules for whole products. A product with a twiddle by
Shoup's quotient has none: of each of its three it takes the half that it needs, and there is nothing to choose. So
transforms are compared under Montgomery's reduction, which takes the whole product first, as the paper's Barrett does;
products of vectors take it anyway. All is on full words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from momagen.bench.report.kept import Once, afresh
from momagen.isa.compare.workload import SIZES
from momagen.screen.progress import Report as Progress
from momagen.screen.progress import part_of, silent

from .figures import PaperFigure, figure_of, races
from .protocol import LENGTH
from .races import Request
from .ratios import compared
from .rows import FigureRow
from .tiers import Tier, tiers_of

TARGETS = ("c", "avx2_words", "avx512dq", "mqx:proxy")
"""The paper's."""
WAYS = {"karatsuba": "karatsuba_words", "schoolbook": "schoolbook"}
"""What each is called, and the option's value."""
WHOLE = {"ntt": {"limbs": "full", "reduction": "montgomery"}, "vmul": {"limbs": "full"}}
"""By kernel, the options with which it takes whole products."""
TITLE = "Section 5.5, {}: Karatsuba against schoolbook, {}-bit modulus"


def products(
    request: Request, targets: Sequence[str] = TARGETS, sizes: Sequence[int] = SIZES, progress: Progress = silent,
    once: Once[FigureRow] = afresh,
) -> list[PaperFigure]:  # fmt: skip
    """Transforms of ``sizes`` points, and products of vectors of 1,024 elements: both ways on every target.

    The ratios are Karatsuba's times, floors and counts over schoolbook's. ``request`` says all but the contestants.

    Raises:
        MomagenError: an unknown target, no compiler, or a size that is no power of two.
    """
    chosen = tiers_of(targets)
    lengths: Mapping[str, Sequence[int]] = {"ntt": sizes, "vmul": (LENGTH,)}
    return [
        _both_ways(kernel, lengths[kernel], chosen, request, part_of(progress, at, len(WHOLE)), once)
        for at, kernel in enumerate(WHOLE)
    ]


def _both_ways(
    kernel: str, sizes: Sequence[int], chosen: Sequence[Tier], request: Request, progress: Progress,
    once: Once[FigureRow],
) -> PaperFigure:  # fmt: skip
    own = replace(request, tiers=tiers(chosen, kernel), baselines=())
    title = TITLE.format(kernel, request.bits)
    figure = figure_of(f"products_{kernel}", title, races((kernel,), sizes, own), own, progress, once)
    pairs = [(titled(tier.name, "karatsuba"), titled(tier.name, "schoolbook")) for tier in chosen]
    found = [compared(pair, figure.rows, {}) for pair in pairs]
    return replace(figure, ratios=tuple(each for each in found if each.by))


def tiers(chosen: Sequence[Tier], kernel: str) -> list[Tier]:
    """Every tier with each way to multiply, for one kernel."""
    return [
        Tier(tier.target, {**WHOLE[kernel], "multiply": value}, titled(tier.name, way))
        for tier in chosen for way, value in WAYS.items()
    ]  # fmt: skip


def titled(target: str, way: str) -> str:
    """What a target with a way to multiply is called."""
    return f"{target}, {way}"
