"""The way of a transform, and of the transforms of a product: "steps", "tiles" or "words"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from momagen.errors import build_error
from momagen.kernels.elementwise.base_product import points_factor
from momagen.kinds.modular.options.record import OptionGroup, names_of
from momagen.kinds.modular.spec import Spec
from momagen.lazy import on_call

from .choices import able, long_table, no_room, stepped, taken, tiled
from .word_plan import WordPlan

if TYPE_CHECKING:
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
WORDWISE = ("words", "threads", "arrays")
"""Those on whole words, which hold points that are not fully reduced."""


def way(spec: Spec) -> str:
    """The way of the kernel: in threads where the target has them; on arrays where it has those, by matrices where it
    is asked for; in steps where residues fit one word; in tiles where the target has digits with slack and they pay;
    else on whole words. Both transforms of a product go the same way.

    Raises:
        MomagenError: an option asks for a way that the kernel cannot go.
    """
    target, asked = spec.target, spec.options.names(OptionGroup.MATRICES)
    if asked and not target.engine:
        problem = f"`{asked[0]}` is not available on {spec.target}, which has no matrix engines"
        raise build_error(problem, asked[0], 'use `target="jax"`')
    if (missing := spec.kind.missing_on_devices(spec)) and (target.threads or target.minor):
        raise build_error(f"{missing} not available on {spec.target}", "target", "use a target in C or Python")
    if target.threads:
        return "threads"
    if target.minor:
        return "matrices" if by_matrices(spec) else "arrays"
    transforms = spec.kind.transforms(spec).values()
    return "steps" if all(map(stepped, transforms)) else "tiles" if all(map(tiled, transforms)) else "words"


def plans(spec: Spec) -> dict[str, Plan]:
    """The plans of the transforms of ``spec``, by what the names of their functions begin with: "" where there is one.

    Points on words are reduced only as far as their product x·y < q·R and the words ask.
    """
    own = way(spec)
    points = points_factor(spec.arith, spec.degree) if own in WORDWISE else 1
    transforms = spec.kind.transforms(spec, points, min(spec.arith.room, 2))
    return {f"{name}_" * bool(name): PLANS[own](each, spec.kind.joins_transforms) for name, each in transforms.items()}


def reasons(spec: Spec) -> list[str]:
    """Why the kernel does not go another way, where a user may expect that."""
    own, one = way(spec), len(spec.kind.transforms(spec)) == 1
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
