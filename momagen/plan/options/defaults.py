"""The values of options that restate what a kernel does by default, so that passing them changes nothing.

Some options select another generator: `levels` selects passes over reduced-radix limbs, `radix` full-radix
limbs. An option that restates what the default generator does anyway must not select another one, which may
take twice as long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from momagen.kinds.modular.derived.inner import of_size
from momagen.kinds.modular.options.declared import OptionGroup, names_of
from momagen.kinds.modular.options.record import KernelOptions
from momagen.kinds.modular.options.values import OPTIONS
from momagen.kinds.modular.ranges import ANY
from momagen.kinds.modular.ranges import OPTIONS as FACTORS
from momagen.kinds.modular.spec import Spec

from ..planners.single_limb import StepPlanner
from ..schedule.transform import ScheduledTransform
from ..ways import plans
from ..word_plan import WordPlan

if TYPE_CHECKING:
    from ..schedule.depth_first.one_limb import StepTransform
    from ..schedule.depth_first.reduced_radix import LimbTransform

Values = dict[str, tuple[str, ...]]
"""The values of each option that restate what a kernel does."""
FLOW = frozenset(
    {"radix", "reduction", "quotients", "limbs", "unroll", *names_of(OptionGroup.TILING, OptionGroup.MATRICES)}
)
"""The options whose default a plan determines; they may select another generator."""


def without_defaults(spec: Spec) -> Spec:
    """Return `spec` without the options that request what the kernel does by default.

    The options that depend on a plan are omitted together or not at all, because one of them may restate what
    another one requested.
    """
    if spec.options.schedule:  # which no option restates
        return spec
    given = spec.options.texts().items()
    kept = spec.options.without(*(option for option, value in given if value == _fixed(spec, option)))
    flow, usual = kept.only(FLOW), kept.without(*FLOW)
    if flow.names() and not _chose_words(spec, flow) and _all_restate(flow, replace(spec, options=usual)):
        kept = usual
    return spec if kept == spec.options else replace(spec, options=kept)


def _chose_words(spec: Spec, options: KernelOptions) -> bool:
    """Return whether options of limbs have selected longer words than the width would have."""
    of_digits = options.names(OptionGroup.LIMBS, OptionGroup.TILING)
    return bool(of_digits) and spec.target.narrower(spec.width) is not spec.target


def _all_restate(options: KernelOptions, usual: Spec) -> bool:
    """Return whether the kernel without the `options` does what they request."""
    known = [defaults(each) for each in _sizes(usual)]
    return all(value in each.get(option, ()) for each in known for option, value in options.texts().items())


def _sizes(spec: Spec) -> list[Spec]:
    """Return the specification for each size that the kernel serves."""
    return [of_size(spec, n) for n in spec.sizes] if spec.sized else [spec]


def defaults(spec: Spec) -> Values:
    """Return the values that restate what the kernel of `spec` does, for every option that `spec` does not set."""
    found: Values = {option: (value,) for option in OPTIONS if (value := _fixed(spec, option))}
    if spec.kind.has_passes:
        own, planned = plans(spec)
        first, *others = [_planned(own, plan) for plan in planned.values()]
        for option, values in first.items():
            found[option] = tuple(value for value in values if all(value in each.get(option, ()) for each in others))
    named = spec.kind.option_values.keys() - {*spec.options.names()}
    return {name: values for name, values in found.items() if values and name in named}


def _fixed(spec: Spec, option: str) -> str:
    """Return the default of an option that does not depend on a plan; "" for another option."""
    if option in FIXED:
        return FIXED[option](spec)
    if option in FACTORS:
        return str(spec.kind.usual_factors[FACTORS.index(option)] or ANY)
    return ""


def _without(spec: Spec, option: str) -> Spec:
    """Return `spec` without an option."""
    return replace(spec, options=spec.options.without(option))


def _rule(spec: Spec, option: str) -> str:
    """Return the alternative of the rule table that the target prefers, or the first one."""
    return str(spec.target.options.get(option, OPTIONS[option][0]))


FIXED: Mapping[str, Callable[[Spec], str]] = {
    **{option: partial(_rule, option=option) for option in names_of(OptionGroup.RULES)},
    "bake": lambda spec: "yes" if _without(spec, "bake").baked else "no",
    "algorithm": lambda spec: "" if not spec.n else _without(spec, "algorithm").algorithm,
    "fused": lambda spec: "no",
    "form": lambda spec: "" if spec.expression.converts else "plain",
    "form_bits": lambda spec: str(spec.arith.held) if spec.form else "",
}
"""The functions that return the defaults of options that do not depend on a plan."""


def _planned(way: str, plan: ScheduledTransform) -> Values:
    """Return the values of options that restate a plan of this data flow."""
    said: dict[str, Callable[[Any], Values]] = {"steps": _of_steps, "tiles": _of_digits}
    return said[way](plan) if way in said else _of_words(way, plan)


def _of_steps(plan: StepTransform) -> Values:
    """Return the values that restate register-blocked passes over residues of one limb or word.

    These passes have no interleaved butterflies, and keep constants in registers.
    """
    whole, pairs = plan.has_whole_words, StepPlanner(plan.spec, plan.product).pairs
    columns = [each.levels for row in plan.chain[:-1] for each in row]
    deepest = max((each.levels for row in plan.chain for each in row), default=1)
    return {
        "limbs": ("full" if whole else "reduced",), "quotients": ("table" if pairs else "computed",),
        "radix": _up("radix", 1 << deepest), "interleave_blocks": (str(plan.together),),
        "levels": _up("levels", max(columns, default=0)), "twiddles": ("whole",) * pairs,
        "interleave_butterflies": ("no",),
        "constants": ("registers",), "storage": ("words" if whole else "limbs",), "prefetch": ("no",),
    }  # fmt: skip


def _of_digits(plan: LimbTransform) -> Values:
    """Return the values that restate cache-blocked passes over reduced-radix limbs."""
    inner, passes, prefetches = plan.inner, plan.tiles, any(each.prefetched for each in plan.passes)
    levels = max((each.levels for each in passes.columns), default=0)
    return {
        "limbs": ("reduced",), "interleave_butterflies": ("yes" if plan.paired else "no",),
        "prefetch": ("yes" if prefetches else "no",),
        "constants": ("memory" if plan.again else "registers",), "levels": _up("levels", levels),
        "interleave_blocks": (str(passes.rows.group),) * (passes.rows.across > 0 and not inner.single),
    }  # fmt: skip


def _of_words(way: str, plan: ScheduledTransform) -> Values:
    """Return the values that restate passes over full-radix limbs, or other data flows."""
    spec = plan.spec
    said: Values = {"limbs": ("full",)}
    if isinstance(plan, WordPlan) and way == "words":
        scheme = spec.arith.kind
        quotients = "computed" if scheme == "montgomery" else "table"
        said |= {"radix": (str(plan.radix),), "reduction": (scheme,), "quotients": (quotients,)}
    return said


def _up(option: str, least: int) -> tuple[str, ...]:
    """Return the values of an upper bound that are at least `least`, all of which leave the plan unchanged."""
    return tuple(value for value in OPTIONS[option] if int(value) >= least)
