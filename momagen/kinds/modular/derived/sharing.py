"""The distribution of a call among threads: whole transforms or elements, or parts of one transform."""

from __future__ import annotations

from momagen.kinds.modular.spec import Spec

GRAIN = 1 << 14
"""The number of words of the butterflies or elements in the smallest part of a call that is worth a thread.
It takes tens of microseconds."""
SPLIT = 1 << 18
"""The number of residues of all columns from which on threads share one transform. Threads compute shorter
transforms separately."""


def work_of(spec: Spec) -> int:
    """Return the number of butterflies or elements of one result."""
    return max(1, spec.kind.work(spec))


def smallest_part(spec: Spec) -> int:
    """Return the number of transforms, products or elements in the smallest part of a call that is worth a thread."""
    return max(1, GRAIN // (work_of(spec) * spec.arith.words))


def is_split(spec: Spec) -> bool:
    """Return whether threads share one transform, instead of computing different transforms."""
    return spec.threads > 0 and spec.kind.splits_among_threads and not spec.basis and spec.elements >= SPLIT
