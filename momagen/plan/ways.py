"""The way of a transform, and of the transforms of a product: "steps", "tiles" or "words"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from momagen.kernels.elementwise.base_product import points_factor
from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.options.declared import OptionGroup, names_of
from momagen.kinds.modular.spec import Spec
from momagen.languages import MachineModel
from momagen.lazy import on_call

from .choices import able, long_table, no_room, stepped, taken, tiled
from .word_plan import WordPlan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .digit_passes import DigitPasses
    from .step_plan import StepPlan
    from .thread_plan import ThreadPlan

Plan: TypeAlias = "WordPlan | DigitPasses | StepPlan | ThreadPlan"  # an array plan is one on words
PLANS: dict[str, Callable[..., Plan]] = {
    "words": WordPlan,
    "tiles": on_call("momagen.plan.digit_passes", "DigitPasses"),
    "steps": on_call("momagen.plan.step_plan", "StepPlan"),
    "threads": on_call("momagen.plan.thread_plan", "ThreadPlan"),
    "arrays": on_call("momagen.plan.array_plan", "ArrayPlan"),
    "matrices": on_call("momagen.plan.matrix_plan", "MatrixPlan"),
}
"""How each way is planned; only the plan that is used is imported."""
by_matrices: Callable[[Spec], bool] = on_call("momagen.plan.matrix_plan", "by_matrices")
WAYS = {
    "steps": "one limb per residue", "tiles": "reduced-radix limbs",
    **dict.fromkeys(("words", "threads", "arrays"), "full-radix limbs"),
    "matrices": "parts of residues in matrix products, full-radix limbs between them",
}  # fmt: skip
"""The limbs of each data flow, for reports."""
SLOWER = "; the default is usually faster"
"""The end of a note on options that select another data flow."""
LIMITS = (
    Limit(lambda spec: not spec.target.engine and "".join(spec.options.names(OptionGroup.MATRICES)[:1]), "{1}",
          "`{1}` is not available on {0.target}, which has no matrix engines", 'use `target="jax"`'),
)  # fmt: skip
"""The options that no data flow of a target has."""
WORDWISE = ("words", "threads", "arrays")
"""Those on whole words, which hold points that are not fully reduced."""


class TransformPlans(NamedTuple):
    """How the transforms of one kernel are computed.

    Attributes:
        way: The data flow of all of them, a key of ``PLANS``.
        by_prefix: Their plans, by the prefix of the names of their functions: "" if there is one transform.
    """

    way: str
    by_prefix: Mapping[str, Plan]

    @property
    def first(self) -> Plan:
        """The plan of the only transform, or of the first one."""
        return next(iter(self.by_prefix.values()))


def way(spec: Spec) -> str:
    """Return the data flow of a kernel's transforms, which is the same for all of them.

    Raises:
        MomagenError: An option requires a data flow that the kernel does not support.
    """
    check(spec, LIMITS)
    return WAY_ON[spec.target.machine](spec)


def _on_processor(spec: Spec) -> str:
    """Return "steps" if residues fit one word, "tiles" if the target has limbs with slack that pay, else "words"."""
    transforms = spec.kind.transforms(spec).values()
    return "steps" if all(map(stepped, transforms)) else "tiles" if all(map(tiled, transforms)) else "words"


WAY_ON: dict[MachineModel, Callable[[Spec], str]] = {
    **dict.fromkeys((MachineModel.PROCESSOR, MachineModel.MODULAR), _on_processor),
    MachineModel.THREADS: lambda spec: "threads",
    MachineModel.ARRAYS: lambda spec: "matrices" if by_matrices(spec) else "arrays",
}
"""The choice of the data flow on each model of machines; modular machines have programs of their own."""


def plans(spec: Spec) -> TransformPlans:
    """Return the plans of the transforms of a kernel.

    Points on words are reduced only as far as necessary: their product x·y must be below q·R and fit the words.
    """
    own = way(spec)
    points = points_factor(spec.arith, spec.degree) if own in WORDWISE else 1
    transforms = spec.kind.transforms(spec, points, min(spec.arith.room, 2))
    joined = spec.kind.joins_transforms
    return TransformPlans(
        own, {f"{name}_" * bool(name): PLANS[own](each, joined) for name, each in transforms.items()}
    )


def reasons(spec: Spec, own: str) -> list[str]:
    """Return why the kernel, whose data flow is ``own``, does not have another one that a user may expect."""
    one = len(spec.kind.transforms(spec)) == 1
    found = []
    if one and able(spec) and no_room(spec) and spec.arith.words == 1:
        found.append(f"a modulus of {spec.width} bits leaves no headroom in a word for register-blocked passes")
    found += _wished(spec, own)
    if one and own == "words" and spec.options.limbs is None and (reason := long_table(spec)):
        found.append(reason)
    return found


def _wished(spec: Spec, own: str) -> list[str]:
    """Return which options or columns keep the kernel from the way, or the words, that it takes by itself."""
    wishes = {"limbs", "quotients", *taken(spec), *names_of(OptionGroup.TILING)}
    asked = spec.options.only(wishes).phrases()
    asked += [f"{spec.columns} columns"] * (spec.columns > 1)
    usual = way(replace(spec, options=spec.options.without(*wishes), columns=1))
    found = [f"limbs: {WAYS[own]} instead of {WAYS[usual]}, because of {', '.join(asked)}{SLOWER}"] * (own != usual)
    return found + longer_words(spec)


def longer_words(spec: Spec) -> list[str]:
    """Return which options of digits keep the kernel from the shorter words that its width would have."""
    asked = spec.options.only(names_of(OptionGroup.LIMBS, OptionGroup.TILING)).phrases()
    word, short = (target.word for target in (spec.target, spec.target.narrower(spec.width)))
    note = f"limbs: {word}-bit words instead of {short}-bit words, because of {', '.join(asked)}{SLOWER}"
    return [note] * (word > short and bool(asked))
