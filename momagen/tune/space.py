"""What the tuner may choose: an axis for each option that leaves results as they are, and one for the compiler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from momagen.kernels.spec.kinds import values
from momagen.kernels.spec.spec import Spec
from momagen.kernels.spec.typed import MATRICES, RULES, TILING
from momagen.languages import JAX
from momagen.lower.arrays.program import TAKEN
from momagen.plan.choices import tiled
from momagen.targets import Target, load_target

ON_WORDS = ("radix", "algorithm", "reduction", "unroll", *RULES)
"""Options of kernels on whole words."""
INTEGERS = ("chain", "twiddles")
"""Options that only digits in integers have."""
ON_DIGITS = ("limbs", "interleave", "quotients", *TILING)
"""Options that only targets with digits have, or that others call by another name: a reduction says of quotients."""
CLASHES = {"quotients": "reduction", "reduction": "quotients"}
"""Options of which a kernel has one."""
FLOW = ("radix", "algorithm")
"""Options of butterflies, in whose place a transform on arrays has those of matrices."""
REPLACED = {**dict.fromkeys(FLOW, MATRICES), **dict.fromkeys(MATRICES, FLOW)}
"""Options that give way where another is chosen."""
AXES = (
    "limbs", "interleave", "quotients", "levels", "interleave_butterflies", "constants", "chain", "interleave_blocks",
    "twiddles", "storage", "prefetch", "radix", "algorithm", "compiler", "reduction", "unroll", "multiply", "compare",
    "product", "borrow", "carry", *MATRICES,
)  # fmt: skip
"""In the order in which they are searched: first what has most to give, last what takes longest to compile."""
SEARCHED = tuple(axis for axis in AXES if axis != "compiler")
"""The options among them: what wisdom may say."""


@dataclass(frozen=True)
class TriedOptions:
    """Options beside those that were given, and the name of a compiler; "" for the usual one."""

    options: Mapping[str, str] = field(default_factory=dict)
    compiler: str = ""

    def but(self, axis: str, value: str) -> TriedOptions:
        """The same but for one axis, and for what gives way to it."""
        if axis == "compiler":
            return TriedOptions(self.options, value)
        kept = {name: own for name, own in self.options.items() if name not in REPLACED.get(axis, ())}
        return TriedOptions({**kept, axis: value}, self.compiler)

    def __str__(self) -> str:
        words = [f"{name} {value}" for name, value in sorted(self.options.items())]
        return ", ".join([*words, *[f"by {self.compiler}"] * bool(self.compiler)]) or "the default"


def axes(spec: Spec, compilers: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every axis with its values, for the kernel ``spec`` as it was given; ``compilers`` beside the usual one."""
    target = load_target(spec.target)
    for axis in AXES:
        known = ("", *compilers) if axis == "compiler" else values(spec.kind, axis)
        if axis == "engine":
            known = tuple(each.name for each in target.engine if each.name in known)
        if len(known) > 1 and axis not in spec.options and _has(target, axis) and not _replaced(spec, axis):
            yield axis, known


def _has(target: Target, axis: str) -> bool:
    """Whether kernels of the target may have the option."""
    if target.syntax == JAX and axis not in TAKEN:
        return False
    if axis in ON_DIGITS:
        return bool(target.digit or (target.real and axis not in INTEGERS))
    if axis in MATRICES:
        return bool(target.block if axis == "fused" else target.engine)
    return True


def _replaced(spec: Spec, axis: str) -> bool:
    """Whether what was given takes the place of the option."""
    return any(spec.options.get(name, "no") != "no" for name in REPLACED.get(axis, ()))


def matters(axis: str, spec: Spec) -> bool:
    """Whether an axis can change the kernel ``spec``: those of tiles only tiles, those of words only words."""
    if CLASHES.get(axis) in spec.options:
        return False
    if axis not in (*TILING, *ON_WORDS):
        return True
    return (axis in TILING) == (spec.kind == "ntt" and tiled(spec))
