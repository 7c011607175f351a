"""Compare transforms of several lengths with the shortest one, with their port floor, and with and without prefetching.

``python scripts/bench_lengths.py`` times the forward transforms of the widths and lengths below for ``--target``, all
lengths of a width by turns in one process, and before that compares some values of each with the definition. Times are
medians of the CPU time of ``--seconds`` of rounds for one butterfly, of which a transform has n/2·log2(n); ratios are
medians over the rounds, with the quartiles. A second kernel of each length differs in the option ``prefetch``.
``--write`` writes the table to docs/concepts/plans.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Literal

from page_table import arguments, deliver

import momagen as mg
from momagen.bench.measure.clock import Reading, TimedCall
from momagen.bench.measure.kernel import calls_per_sample, default_batch, sampler, summary, timed_call, units
from momagen.bench.measure.sample import interleave
from momagen.bench.x86.floor import port_floor
from momagen.params.words import from_words
from momagen.plan.schedule.depth_first.reduced_radix import LimbTransform
from momagen.plan.ways import plans
from momagen.verify.oracle import Definition
from momagen.verify.vectors import random_residues

PAGE = Path(__file__).parents[1] / "docs" / "concepts" / "plans.md"
LENGTHS = (12, 14, 16, 18, 20)
"""The binary logarithms of the numbers of points."""
HEADS = ("bits", "points", "tables", "time", "÷ 2^{}", "÷ floor", "÷ without prefetching")


def kernel(bits: int, log_n: int, target: str, prefetch: Literal["no"] | None = None) -> mg.Kernel:
    """Return a kernel that agrees with the definition."""
    k = mg.ntt(1 << log_n, modulus_bits=bits, target=target, negacyclic=True, prefetch=prefetch)
    x, places = random_residues(k.spec.elements, k.modulus, k.words, (0, 1)), [0, 1, k.n // 2 + 1, k.n - 1]
    if from_words(k(x)[places]) != Definition(k.spec, k.modulus, k.root).outputs(x, places):
        raise SystemExit(f"{k.name}: wrong")
    return k


def prefetches(k: mg.Kernel) -> bool:
    """Return whether a pass of the kernel prefetches the table of another one."""
    plan = plans(k.spec).first
    return isinstance(plan, LimbTransform) and any(one.prefetched for one in plan.passes)


def run(k: mg.Kernel) -> Callable[[], Reading]:
    """Return a function that takes one sample for each butterfly."""
    batch = default_batch(k.spec)
    call: TimedCall = timed_call(k, batch)
    return sampler(call, units(k.spec, batch), calls_per_sample(call))


def ratio(above: Sequence[Reading], below: Sequence[Reading]) -> str:
    """Return the median and the quartiles of the ratios of all rounds."""
    low, middle, high = quantiles(a.ns / b.ns for a, b in zip(above, below, strict=True))
    return f"{middle:.2f} ({low:.2f}, {high:.2f})"


def rows(bits: int, target: str, lengths: Sequence[int], seconds: float) -> Iterator[str]:
    """Yield the lines of one width."""
    kernels = {log_n: kernel(bits, log_n, target) for log_n in lengths}
    plain = {log_n: kernel(bits, log_n, target, prefetch="no") for log_n, k in kernels.items() if prefetches(k)}
    runs = {(log_n, which): run(k) for which, each in enumerate((plain, kernels)) for log_n, k in each.items()}
    found = interleave(runs, repetitions=1000, seconds=seconds)
    for log_n in lengths:
        k, own = kernels[log_n], found[log_n, True]
        floor = port_floor(k.generated, k.compiled.compiler, default_batch(k.spec)).cycles
        assert floor is not None
        ns, size = median(each.ns for each in own), k.plan.bytes(k.plan.table)
        _, cycles, _ = summary(own)
        assert cycles is not None
        cells = [f"{size / (1 << 20):.3g} MiB", f"{ns:.2f} ns", ratio(own, found[lengths[0], True])]
        cells += [f"{cycles.median / floor:.2f}", ratio(own, found[log_n, False]) if log_n in plain else "–"]
        yield f"| {' | '.join([str(bits), f'2^{log_n}', *cells])} |"


def table(widths: Sequence[int], target: str, lengths: Sequence[int], seconds: float) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| {' | '.join(HEADS).format(lengths[0])} |"
    yield "|" + "---|" * len(HEADS)
    for bits in widths:
        yield from rows(bits, target, lengths, seconds)


def main() -> None:
    """Print the table, or write it to the page."""
    parser = arguments(__doc__, PAGE)
    parser.add_argument("--target", default="avx2")
    parser.add_argument("--bits", default="124,254", help="widths of the moduli (default: %(default)s)")
    parser.add_argument("--log-n", default=",".join(map(str, LENGTHS)), help="lengths (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=8.0, help="of each width (default: %(default)s)")
    given = parser.parse_args()
    widths, lengths = ([*map(int, text.split(","))] for text in (given.bits, given.log_n))
    deliver({"lengths": table(widths, given.target, lengths, given.seconds)}, PAGE, given.write)


if __name__ == "__main__":
    main()
