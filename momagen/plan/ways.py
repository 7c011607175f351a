"""The choice of the data flow of a transform, and of the transforms of a product, and the plans for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from momagen.errors import MomagenError
from momagen.formula.breakdown import DENSE
from momagen.kernels.elementwise.base_product import points_factor
from momagen.kernels.residues.arith import FULL_LIMBS
from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.derived.hints import SLOWER, longer_words
from momagen.kinds.modular.options.declared import OptionGroup, names_of
from momagen.kinds.modular.spec import Spec
from momagen.languages import MachineModel
from momagen.lazy import on_call

from .choices import able, long_table, no_room, obstacle, stepped, taken, tiled
from .schedule.codec import from_json
from .schedule.transform import ScheduledTransform, TransformPlans
from .schedule.types import ONE_LIMB
from .word_plan import WordPlan

PLANS: dict[str, Callable[..., ScheduledTransform]] = {
    "words": WordPlan,
    "tiles": on_call("momagen.plan.planners.reduced_radix", "limb_plan"),
    "steps": on_call("momagen.plan.planners.single_limb", "step_plan"),
    "threads": on_call("momagen.plan.thread_plan", "ThreadPlan"),
    "arrays": on_call("momagen.plan.array_plan", "ArrayPlan"),
    "matrices": on_call("momagen.plan.planners.matrices", "matrix_plan"),
}
"""The constructor of the plans for each data flow; only the module of the plan in use is imported."""
by_matrices: Callable[[Spec], bool] = on_call("momagen.plan.planners.matrices", "by_matrices")
WAYS = {
    "steps": "one limb per residue", "tiles": "reduced-radix limbs",
    **dict.fromkeys(("words", "threads", "arrays"), "full-radix limbs"),
    "matrices": "parts of residues in matrix products, full-radix limbs between them",
}  # fmt: skip
"""The limbs of each data flow, for reports."""
STATED = ("radix", *names_of(OptionGroup.TILING, OptionGroup.MATRICES))
"""The options that a schedule states."""
LIMITS = (
    Limit(lambda spec: not spec.target.engine and "".join(spec.options.names(OptionGroup.MATRICES)[:1]), "{1}",
          "`{1}` is not available on {0.target}, which has no matrix engines", 'use `target="jax"`'),
    Limit(lambda spec: spec.options.schedule and next(iter(spec.options.only(STATED).names()), ""), "schedule",
          "`schedule` cannot be combined with `{1}`, which the schedule states", "omit `{1}`"),
)  # fmt: skip
"""The options that no data flow of a target supports."""
WORDWISE = ("words", "threads", "arrays")
"""The data flows on full-radix limbs, in which the points of a product need not be fully reduced."""


def way(spec: Spec) -> str:
    """Return the data flow of a kernel's transforms, which is the same for all of them.

    Raises:
        MomagenError: An option requires a data flow that the kernel does not support.
    """
    check(spec, LIMITS)
    return WAY_ON[spec.target.machine](spec)


def _on_processor(spec: Spec) -> str:
    """Return the data flow on a processor: "steps", "tiles" or "words".

    It is "steps" if residues fit one word or limb, "tiles" if reduced-radix limbs are faster, and otherwise
    "words".
    """
    if text := spec.options.schedule:
        return _of_schedule(spec, from_json(text).residues)
    transforms = spec.kind.transforms(spec).values()
    return "steps" if all(map(stepped, transforms)) else "tiles" if all(map(tiled, transforms)) else "words"


def _of_schedule(spec: Spec, residues: str) -> str:
    """Return the data flow of a schedule with this representation of residues.

    Raises:
        MomagenError: Residues cannot be represented in this way.
    """
    if residues == FULL_LIMBS:
        return "words"
    bare = replace(spec, options=spec.options.without("schedule"))
    steps, one = _on_processor(bare) == "steps", residues in ONE_LIMB
    if steps and one:
        return "steps"
    if one or spec.options.limbs == "full" or obstacle(bare):
        raise MomagenError(" or ".join([FULL_LIMBS, *ONE_LIMB * steps]), residues, "schedule.residues")
    return "tiles"


def _on_arrays(spec: Spec) -> str:
    """Return the data flow on arrays: "matrices" or "arrays"."""
    text = spec.options.schedule
    dense = spec.target.engine and from_json(text).breakdown.algorithm == DENSE if text else by_matrices(spec)
    return "matrices" if dense else "arrays"


WAY_ON: dict[MachineModel, Callable[[Spec], str]] = {
    MachineModel.PROCESSOR: _on_processor,
    MachineModel.MODULAR: lambda spec: "words",
    MachineModel.THREADS: lambda spec: "threads",
    MachineModel.ARRAYS: _on_arrays,
}
"""The function that chooses the data flow for each model of machines. Machines with modular arithmetic have
separate programs."""


def plans(spec: Spec) -> TransformPlans:
    """Return the plans of the transforms of a kernel.

    Points on full-radix limbs are reduced only as far as necessary: their product x·y must be below q·R and
    fit the words.

    Raises:
        MomagenError: An option requires a data flow that the kernel does not support.
    """
    own = way(spec)
    points = points_factor(spec.arith, spec.degree) if own in WORDWISE else 1
    transforms = spec.kind.transforms(spec, points, min(spec.arith.room, 2))
    joined = spec.kind.joins_transforms
    return TransformPlans(own, {f"{name}_" * bool(name): PLANS[own](each, joined) for name, each in transforms.items()})


def reasons(spec: Spec, own: str) -> list[str]:
    """Return notes that state why the kernel does not have a data flow that a user may expect.

    Args:
        spec: The specification of the kernel.
        own: The data flow of the kernel, a key of ``PLANS``.
    """
    one = len(spec.kind.transforms(spec)) == 1
    found = []
    if one and able(spec) and no_room(spec) and spec.arith.words == 1:
        found.append(f"a modulus of {spec.width} bits leaves no headroom in a word for register-blocked passes")
    found += _wished(spec, own)
    if one and own == "words" and spec.options.limbs is None and (reason := long_table(spec)):
        found.append(reason)
    return found


def _wished(spec: Spec, own: str) -> list[str]:
    """Return notes on options or columns that keep the kernel from the default data flow or from shorter words.

    Args:
        spec: The specification of the kernel.
        own: The data flow of the kernel, a key of ``PLANS``.
    """
    wishes = {"limbs", "quotients", "schedule", *taken(spec), *names_of(OptionGroup.TILING)}
    asked = spec.options.only(wishes).phrases()
    asked += [f"{spec.columns} columns"] * (spec.columns > 1)
    usual = way(replace(spec, options=spec.options.without(*wishes), columns=1))
    found = [f"limbs: {WAYS[own]} instead of {WAYS[usual]}, because of {', '.join(asked)}{SLOWER}"] * (own != usual)
    return found + longer_words(spec)
