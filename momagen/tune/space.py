"""What the tuner may choose: an axis for each option that leaves results as they are, and one for the compiler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from momagen.kernels.spec.kinds import values
from momagen.kernels.spec.spec import Spec
from momagen.kernels.spec.typed import RULES, TILING
from momagen.plan.choices import tiled
from momagen.targets import load_target

ON_WORDS = ("radix", "algorithm", "reduction", "unroll", *RULES)
"""Options of kernels on whole words."""
INTEGERS = ("chain", "twiddles")
"""Options that only digits in integers have."""
ON_DIGITS = ("digits", "interleave", "quotients", *TILING)
"""Options that only targets with digits have, or that others call by another name: a reduction says of quotients."""
CLASHES = {"quotients": "reduction", "reduction": "quotients"}
"""Options of which a kernel has one."""
AXES = (
    "digits", "interleave", "quotients", "levels", "paired", "constants", "chain", "group", "twiddles", "storage",
    "radix", "algorithm", "compiler", "reduction", "unroll", "multiply", "compare", "product", "borrow", "carry",
)  # fmt: skip
"""In the order in which they are searched: first what has most to give."""
SEARCHED = tuple(axis for axis in AXES if axis != "compiler")
"""The options among them: what wisdom may say."""


@dataclass(frozen=True)
class TriedOptions:
    """Options beside those that were given, and the name of a compiler; "" for the usual one."""

    options: Mapping[str, str] = field(default_factory=dict)
    compiler: str = ""

    def but(self, axis: str, value: str) -> TriedOptions:
        """The same but for one axis."""
        if axis == "compiler":
            return TriedOptions(self.options, value)
        return TriedOptions({**self.options, axis: value}, self.compiler)

    def __str__(self) -> str:
        words = [f"{name} {value}" for name, value in sorted(self.options.items())]
        return ", ".join([*words, *[f"by {self.compiler}"] * bool(self.compiler)]) or "the default"


def axes(spec: Spec, compilers: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every axis with its values, for the kernel ``spec`` as it was given; ``compilers`` beside the usual one."""
    target = load_target(spec.target)
    for axis in AXES:
        if (axis in ON_DIGITS and not (target.digit or target.real)) or (axis in INTEGERS and not target.digit):
            continue
        known = ("", *compilers) if axis == "compiler" else values(spec.kind, axis)
        if len(known) > 1 and axis not in spec.options:
            yield axis, known


def matters(axis: str, spec: Spec) -> bool:
    """Whether an axis can change the kernel ``spec``: those of tiles only tiles, those of words only words."""
    if CLASHES.get(axis) in spec.options:
        return False
    if axis not in (*TILING, *ON_WORDS):
        return True
    return (axis in TILING) == (spec.kind == "ntt" and tiled(spec))
