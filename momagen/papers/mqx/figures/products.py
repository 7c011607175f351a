"""Section 5.5 of the MQX paper: products of two-word numbers by Karatsuba's rule or by the schoolbook rule.

The former takes three products of words, the latter four. Both are rules for whole products. A Shoup product
by a twiddle has no whole product: it computes three halves of products, so there is no choice. Transforms are
therefore compared with Montgomery's reduction, which computes the whole product first, as the paper's Barrett
reduction does. Products of vectors compute it in any case. All residues have full-radix limbs.
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
"""The targets of the paper."""
WAYS = {"karatsuba": "karatsuba_words", "schoolbook": "schoolbook"}
"""The names of the rules, and the values of the option."""
WHOLE = {"ntt": {"limbs": "full", "reduction": "montgomery"}, "vmul": {"limbs": "full"}}
"""The options with which each kernel computes whole products."""
TITLE = "Section 5.5, {}: Karatsuba against schoolbook, {}-bit modulus"


def products(
    request: Request, targets: Sequence[str] = TARGETS, sizes: Sequence[int] = SIZES, progress: Progress = silent,
    once: Once[FigureRow] = afresh,
) -> list[PaperFigure]:  # fmt: skip
    """Return the figures of transforms and of products of vectors of 1,024 elements, with both rules on every target.

    The ratios are times, port floors and counts with Karatsuba's rule over those with the schoolbook rule.

    Args:
        request: How the contestants are measured; the contestants are those of this section.
        targets: The names of the targets.
        sizes: The numbers of points of transforms.
        progress: A function that reports progress.
        once: A function that returns the known rows of a race, or measures them.

    Raises:
        MomagenError: A target is unknown, there is no compiler, or a size is not a power of two.
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
    """Return every tier with each rule for products, for one kernel."""
    return [
        Tier(tier.target, {**WHOLE[kernel], "multiply": value}, titled(tier.name, way))
        for tier in chosen for way, value in WAYS.items()
    ]  # fmt: skip


def titled(target: str, way: str) -> str:
    """Return the name of a target with a rule for products."""
    return f"{target}, {way}"
