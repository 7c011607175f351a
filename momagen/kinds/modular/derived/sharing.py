"""How threads share a call: whole transforms or elements, or parts of one transform."""

from __future__ import annotations

from momagen.kinds.modular.spec import Spec

GRAIN = 1 << 14
"""Words of the butterflies or elements in the smallest part of a call that is worth a thread: tens of microseconds."""
SPLIT = 1 << 18
"""Residues of all columns from which on one transform is split among threads; below, whole ones are dealt out."""


def work_of(spec: Spec) -> int:
    """Return the number of butterflies or elements of one result."""
    return max(1, spec.kind.work(spec))


def smallest_part(spec: Spec) -> int:
    """Transforms, products or elements in the smallest part of a call that is worth a thread."""
    return max(1, GRAIN // (work_of(spec) * spec.arith.words))


def is_split(spec: Spec) -> bool:
    """Whether threads do one transform together, rather than each some rows of several."""
    return spec.threads > 0 and spec.kind.splits_among_threads and not spec.basis and spec.elements >= SPLIT
