"""The choices of the tuner: every option that does not change results, and the compiler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from momagen.errors import among, build_error
from momagen.kinds.modular.options.declared import OptionFields, OptionGroup, names_of
from momagen.kinds.modular.spec import Spec
from momagen.kinds.parameter import parameters_of
from momagen.kinds.registry import kinds
from momagen.kinds.titles import TUNING
from momagen.languages import MachineModel
from momagen.lower.arrays.program import TAKEN
from momagen.plan.choices import tiled
from momagen.targets import Target

RULES, TILING, MATRICES = map(names_of, (OptionGroup.RULES, OptionGroup.TILING, OptionGroup.MATRICES))
ON_WORDS = names_of(OptionGroup.WORDS, OptionGroup.RULES)
"""The options of kernels on full-radix limbs."""
INTEGERS = ("chain", "twiddles")
"""The options that only reduced-radix limbs in integers have."""
ON_DIGITS = ("quotients", *names_of(OptionGroup.LIMBS), *TILING)
"""The options that apply only to targets with reduced-radix limbs, or whose choice another option makes elsewhere."""
CLASHES = {"quotients": "reduction", "reduction": "quotients"}
"""Pairs of options of which a kernel has one."""
FLOW = ("radix", "algorithm")
"""The options of butterflies, which a transform on arrays replaces by those of matrices."""
REPLACED = {**dict.fromkeys(FLOW, MATRICES), **dict.fromkeys(MATRICES, FLOW)}
"""The options that are dropped when another option is chosen."""
ORDER = (
    "limbs", "interleave", "quotients", "levels", "interleave_butterflies", "constants", "chain", "interleave_blocks",
    "twiddles", "storage", "prefetch", "radix", "algorithm", "compiler", "reduction", "unroll", "multiply", "compare",
    "product", "borrow", "carry", *MATRICES,
)  # fmt: skip
"""The order of the search: options with the largest effect first, options that compile slowest last."""
DECLARED = (
    each.name for each in parameters_of(OptionFields).values() if each.param.group == TUNING and not each.is_file
)  # fmt: skip
AXES = tuple(dict.fromkeys((*ORDER, *DECLARED)))
"""The options that are searched; options that the order does not state come last."""
SEARCHED = tuple(axis for axis in AXES if axis != "compiler")
"""The options that wisdom may contain."""


@dataclass(frozen=True)
class TriedOptions:
    """The options of a candidate, in addition to those that were passed.

    Attributes:
        options: The options.
        compiler: The name of the compiler, or "" for the usual one.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    compiler: str = ""

    def but(self, axis: str, value: str) -> TriedOptions:
        """Return the same choice with another value of one option, without the options that this option replaces."""
        if axis == "compiler":
            return TriedOptions(self.options, value)
        kept = {name: own for name, own in self.options.items() if name not in REPLACED.get(axis, ())}
        return TriedOptions({**kept, axis: value}, self.compiler)

    def __str__(self) -> str:
        words = [f"{name} {value}" for name, value in sorted(self.options.items())]
        return ", ".join([*words, *[f"by {self.compiler}"] * bool(self.compiler)]) or "the default"


def tuned_kinds() -> tuple[str, ...]:
    """Return the names of the kinds of kernels whose options are searched."""
    return tuple(name for name, kind in kinds().items() if kind.command.is_tuned)


def check_tuned(kind: str) -> None:
    """Check that options of a kind of kernels are searched.

    Raises:
        MomagenError: The kind does not exist, or none of its options are searched.
    """
    tuned = tuned_kinds()
    if kind in tuned:
        return
    if kind in kinds():
        problem = f"kernels of the kind {kind} have no options that are searched"
        raise build_error(problem, "kernel", f"tune one of {', '.join(tuned)}")
    raise among("one of the kernels", tuned, kind, "kernel")


def axes(spec: Spec, compilers: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield every option that can be searched, with its values.

    Args:
        spec: The specification as it was requested.
        compilers: The compilers other than the usual one.
    """
    target = spec.target
    for axis in AXES:
        known = ("", *compilers) if axis == "compiler" else spec.kind.option_values.get(axis, ())
        if axis == "engine":
            known = tuple(each.name for each in target.engine if each.name in known)
        if len(known) > 1 and axis not in spec.options.names() and _has(target, axis) and not _replaced(spec, axis):
            yield axis, known


def _has(target: Target, axis: str) -> bool:
    """Return whether kernels of the target can have the option."""
    if target.machine is MachineModel.ARRAYS and axis not in TAKEN:
        return False
    if axis in ON_DIGITS:
        return bool(target.digit or (target.real and axis not in INTEGERS))
    if axis in MATRICES:
        return bool(target.block if axis == "fused" else target.engine)
    return True


def _replaced(spec: Spec, axis: str) -> bool:
    """Return whether an option that was passed replaces this one."""
    return any(spec.options.to_dict().get(name, False) for name in REPLACED.get(axis, ()))


def matters(axis: str, spec: Spec) -> bool:
    """Return whether an option can change the kernel ``spec``, by the limbs that it uses."""
    if CLASHES.get(axis) in spec.options.names():
        return False
    if axis not in (*TILING, *ON_WORDS):
        return True
    return (axis in TILING) == (spec.kind.has_passes and tiled(spec))
