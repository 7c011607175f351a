"""The limb representation of a transform's residues, the reason for it, and the cost of the alternative."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from momagen.kinds.modular.spec import Spec
from momagen.languages import MachineModel
from momagen.plan.choices import FULL_RADIX, STEPS, in_double, long_table, obstacle, taken
from momagen.plan.schedule.transform import TransformPlans
from momagen.plan.ways import plans

_TABLE = Path(__file__).with_name("limb_times.toml")
MOMA = "with carries between them, by MoMA's rules (19) to (29)"
OPTION = {"full": f"`--limbs full` selects full-radix limbs {MOMA}",
          "reduced": "`--limbs reduced` selects reduced-radix limbs, which need no carries"}  # fmt: skip
"""The effect of each value of the option ``--limbs``."""


class LimbTimes(NamedTuple):
    """The measured cycles per butterfly of both representations.

    Attributes:
        bits: The width of the modulus in the measurement.
        n: The number of points in the measurement.
        reduced: The cycles on reduced-radix limbs.
        full: The cycles on full-radix limbs.
        machine: The machine and the date of the measurement.
    """

    bits: int
    n: int
    reduced: float
    full: float
    machine: str


class Limbs(NamedTuple):
    """The representation of residues in one transform.

    Attributes:
        representation: The chosen representation.
        reason: The reason for the choice, as a clause that follows "because".
        option: A sentence about the option that selects the alternative; "" if there is no alternative.
        measured: The times of both representations, or None if they have not been measured.
    """

    representation: str
    reason: str
    option: str = ""
    measured: LimbTimes | None = None

    @property
    def speed(self) -> str:
        """The times of both representations as a sentence; "" if there is no alternative."""
        if self.measured is None:
            return "no times are stored for this width: generate both kernels to compare them" * bool(self.option)
        m = self.measured
        both = f"{m.reduced:.3g} cycles per butterfly on reduced-radix limbs, {m.full:.3g} on full-radix limbs"
        return f"{both} ({m.bits} bits, {m.n} points, {m.machine})"

    def to_dict(self) -> dict[str, object]:
        """Return plain data for JSON."""
        return {"representation": self.representation, "reason": self.reason, "alternative": self.option or None,
                "measured": self.measured and self.measured._asdict()}  # fmt: skip

    def __str__(self) -> str:
        parts = [f"{self.representation}, because {self.reason}", self.option, self.speed]
        return "\n".join(part for part in parts if part)


def limbs_of(spec: Spec) -> Limbs | None:
    """Return the limb representation of a transform on a CPU, or None for other kernels and machines."""
    target = spec.target
    if not spec.kind.has_passes or spec.sized or target.machine is not MachineModel.PROCESSOR:
        return None
    found = plans(spec)
    other = "reduced" if found.way == "words" else "full"
    shown, reason = _shown(spec, found), _reason(spec, found)
    return Limbs(shown, reason, OPTION[other], measured_for(spec)) if _has(spec, other, found) else Limbs(shown, reason)


def _has(spec: Spec, digits: str, found: TransformPlans) -> bool:
    """Return whether the value ``digits`` of the option ``--limbs`` selects another supported representation."""
    target = spec.target
    if digits == "full":
        return not (found.way == "steps" and _first(found).has_whole_words)
    return bool(target.digit or target.real) and not obstacle(spec)


def _first(found: TransformPlans) -> Any:
    """Return the plan of the first transform, whose type depends on the data flow."""
    return found.first


def _shown(spec: Spec, found: TransformPlans) -> str:
    """Return a description of the representation."""
    arith, plan = spec.arith, _first(found)
    if found.way == "tiles":
        kind = "floating-point limbs" if plan.inner.real else f"{plan.inner.word}-bit integer limbs"
        return f"{plan.inner.words} {kind} of radix 2^{plan.inner.word}"
    if found.way != "steps":
        return f"{arith.words} full-radix limb{'s' * (arith.words > 1)} of {arith.word} bits"
    if in_double(spec):
        return "one floating-point limb"
    kind = "full-radix limb of {} bits" if plan.has_whole_words else "{}-bit integer limb"
    return f"one {kind.format(plan.inner.word)}"


def _reason(spec: Spec, found: TransformPlans) -> str:
    """Return the reason for the representation, as a clause that follows "because"."""
    target, asked, plan = spec.target, spec.options.limbs, _first(found)
    if spec.options.schedule:
        return "the schedule states them"
    if asked:
        return f"`--limbs {asked}` was given"
    if found.way == "tiles":
        faster = "which takes fewer instructions at this width than full-radix limbs with carries"
        multiply = "fused multiply-adds of doubles" if plan.inner.real else f"{plan.inner.word}-bit multiply-adds"
        return f"`{target.name}` multiplies them by {multiply}, {faster}"
    if found.way == "steps":
        return f"a residue of {spec.width} bits fits in one limb, so that butterflies need no carries"
    return _reason_for_words(spec)


def _reason_for_words(spec: Spec) -> str:
    """Return the reason why residues stay in full-radix limbs."""
    target, options = spec.target, sorted(taken(spec).intersection(spec.options.names()) - STEPS)
    if not (target.digit or target.real):
        return f"`{target.name}` has no instructions for reduced-radix limbs"
    if options:
        return f"`--{options[0].replace('_', '-')}` requires full-radix limbs"
    if table := long_table(spec):
        return table.removeprefix(FULL_RADIX)
    if reason := obstacle(spec):
        return f"reduced-radix limbs do not support {reason}"
    return f"reduced-radix limbs are no faster on `{target.name}` at {spec.width} bits"


@cache
def _times() -> dict[str, list[LimbTimes]]:
    """Return the stored times by target."""
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    found: dict[str, list[LimbTimes]] = {}
    for row in table["time"]:
        measured = LimbTimes(row["bits"], table["n"], row["reduced"], row["full"], table["machine"])
        found.setdefault(row["target"], []).append(measured)
    return found


def measured_for(spec: Spec) -> LimbTimes | None:
    """Return the stored times of the same target at the nearest comparable width, or None."""
    near = [each for each in _times().get(spec.target.untuned, []) if _alike(spec, each.bits)]
    return min(near, key=lambda each: abs(each.bits - spec.width), default=None)


def _alike(spec: Spec, bits: int) -> bool:
    """Return whether moduli of ``bits`` bits have the same numbers of words and of limbs as the transform's modulus."""
    digit = spec.target.digit or 52
    return -(-bits // 64) == spec.row and -(-bits // digit) == -(-spec.width // digit)
