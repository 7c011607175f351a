"""Whether a transform goes on digits, or in steps: by its target, its width and size, and the options."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kernels.residues.double_digits import LONGEST
from momagen.kernels.residues.double_digits import one_double as in_one
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kernels.residues.single_digit import longest
from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.options.declared import OptionGroup, names_of
from momagen.kinds.modular.spec import Spec
from momagen.plan.digit_plan import DigitPlan
from momagen.plan.tiles import few, fits

TAKEN = frozenset(names_of(OptionGroup.MODULUS, OptionGroup.WORDS, OptionGroup.RULES))
"""Options that ask for another way."""
FULL_RADIX = "limbs: full-radix limbs, because "
"""The beginning of a note on a transform that stays on full-radix limbs."""
STEPS = frozenset({"levels", "interleave_blocks"})
"""Options of tiles that transforms in steps have, too."""
TABLE = 2 << 30
"""Bytes that a table of constants in doubles takes at most, unless tiles are asked for."""
NEEDS = (
    frozenset({"mullo", "mulhalf", "umin", "umax"}),
    frozenset({"mullo", "redc", "redc_signed", "umin", "umax"}),
    frozenset({"mullo", "mulhi", "mullos", "mulhis", "umin", "umax"}),
    frozenset({"smulhalf", "swaphalves", "select_top", "signed"}),
)
"""Operations that a target needs for transforms in steps: one of these sets."""


def tiled(spec: Spec) -> bool:
    """Whether the transform goes by tiles: asked for, or where the target's digits pay and nothing else was asked for.

    Raises:
        MomagenError: tiles are asked for, and this transform cannot go by them; or an option of tiles, without them.
    """
    check(spec, LIMITS)
    if spec.options.limbs == "full" or obstacle(spec):
        return False
    goes = bool(spec.options.names(OptionGroup.TILING, OptionGroup.LIMBS)) or (_pays(spec) and not long_table(spec))
    if goes:
        check(spec, LIMITS_OF_CONSTANTS)
    return goes


def _hindered(asked: Sequence[str], spec: Spec) -> Sequence[str]:
    """Return the option that asks for tiles and why the transform cannot have them; nothing if it can, or none asks."""
    return [*asked, reason] if asked and (reason := obstacle(spec)) else []


def _pays(spec: Spec) -> bool:
    least, most = spec.target.tiles.get("inverse" if spec.inverse else "forward", (1, 0))
    return least <= spec.arith.words <= most or one_double(spec)


def long_table(spec: Spec) -> str:
    """Why a transform whose digits would pay stays on words: what doubles would take, digits² of them per constant."""
    target = spec.target
    if obstacle(spec) or not target.real or not _pays(spec):
        return ""
    size = 8 * DigitPlan(spec).digits().apart_words * spec.n
    return f"{FULL_RADIX}constants in floating-point limbs would take {size / 2**30:.1f} GiB" if size > TABLE else ""


def obstacle(spec: Spec) -> str:
    """Why the transform cannot go by tiles; "" where it can."""
    target, asked = spec.target, sorted(taken(spec).intersection(spec.options.names()))
    small = not fits(spec.n, target.lanes, spec.columns)
    reasons = {
        f"the target {target.name}": not (target.digit or target.real),
        f"{spec.n} points in vectors of {target.lanes} lanes": small and spec.columns == 1,
        f"{spec.columns} columns in vectors of {target.lanes} lanes": small and spec.columns > 1,
        f"a modulus of {spec.width} bits, beyond the range of doubles": target.real > 0 and spec.width > LONGEST,
        f"the option {', '.join(asked)}": bool(asked),
        "packed twiddles in floating-point limbs": target.real > 0 and spec.options.twiddles == "packed",
        "chains of floating-point products": target.real > 0 and spec.options.chain is not None,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def one_double(spec: Spec) -> bool:
    """Whether one double holds a residue of a modulus of one word: fewer operations than on words."""
    levels = spec.n.bit_length() - 1
    asked = ReducedRadix(spec.arith.bits, levels=levels, doubling=spec.inverse, m_in=spec.ranges.input)
    return spec.target.real > 0 and in_one(asked) is not None


LIMITS = (
    Limit(lambda spec: spec.options.limbs == "full" and "".join(spec.options.names(OptionGroup.TILING)[:1]), "{1}",
          '`{1}` applies only to reduced-radix limbs and cannot be combined with `limbs="full"`',
          "omit one of the two"),
    Limit(lambda spec: spec.options.limbs != "full" and _hindered(spec.options.names(OptionGroup.TILING)[:1], spec),
          "{1[0]}", "`{1[0]}` requires reduced-radix limbs, which do not support {1[1]}", "omit `{1[0]}`"),
    Limit(lambda spec: spec.options.limbs == "reduced" and _hindered(("limbs",), spec),
          "limbs", '`limbs="reduced"` does not support {1[1]}', "omit `limbs`"),
)  # fmt: skip
"""The transforms that cannot have the tiles which an option asks for."""
LIMITS_OF_CONSTANTS = (
    Limit(lambda spec: spec.options.quotients == "computed" and one_double(spec), "quotients",
          '`quotients="computed"` is not available if one floating-point limb holds a residue',
          'use `quotients="table"` or `limbs="full"`'),
    Limit(lambda spec: spec.options.twiddles == "packed" and spec.options.quotients, "quotients",
          '`quotients` cannot be combined with `twiddles="packed"`, which determines the quotients',
          "omit `quotients`"),
    Limit(lambda spec: spec.options.twiddles == "whole" and spec.options.quotients == "computed", "quotients",
          '`quotients="computed"` cannot be combined with `twiddles="whole"`, which stores quotients',
          "omit one of the two"),
    Limit(lambda spec: spec.options.interleave_butterflies and spec.options.constants == "memory", "constants",
          '`constants="memory"` cannot be combined with `interleave_butterflies="yes"`',
          'use `constants="registers"`'),
)  # fmt: skip
"""The places of constants that codelets on reduced-radix limbs do not have."""


def able(spec: Spec) -> bool:
    """Whether transforms go by steps on the target, where residues fit one word: nothing else may be asked for."""
    target, options = spec.target, spec.options
    free = _for_others(spec).isdisjoint(options.names()) and options.limbs != "full"
    capable = any(target.ops.keys() >= needs for needs in NEEDS) or in_double(spec)
    return capable and free and fills(spec)


def _for_others(spec: Spec) -> set[str]:
    """Return the options that steps do not have; those on doubles take one block of rows at a time."""
    return {*taken(spec), *names_of(OptionGroup.TILING)} - (STEPS - {"interleave_blocks"} if in_double(spec) else STEPS)


def taken(spec: Spec) -> frozenset[str]:
    """Options that ask for another way than digits or steps: a modulus that is baked in does where words have a scheme
    of its own for it."""
    return TAKEN.difference(names_of(OptionGroup.MODULUS) if spec.arith.plain else ())


def fills(spec: Spec) -> bool:
    """Whether residues fill two vectors, or columns need not."""
    lanes = spec.target.lanes
    if in_double(spec):
        return fits(spec.n, lanes, spec.columns)
    return lanes > 1 and (spec.elements >= 2 * lanes or not few(spec.columns, lanes))


def stepped(spec: Spec) -> bool:
    """Whether the transform goes by steps: on one digit, or where none holds a residue on one double, else one word."""
    digit = spec.target.digit
    words = spec.width > digit and (spec.options.limbs is not None or spec.options.quotients == "computed")
    return able(spec) and not words and (in_double(spec) or not no_room(spec))


def by_signed_halves(spec: Spec) -> bool:
    """Whether steps hold residues as signed words, whose products are made of signed halves."""
    return NEEDS[-1] <= spec.target.ops.keys()


def in_double(spec: Spec) -> bool:
    """Whether steps hold residues in doubles: where one does, and no digit in a lane."""
    return spec.width > spec.target.digit and one_double(spec)


def no_room(spec: Spec) -> bool:
    """Whether residues leave no room in a word beside a product, or what comes none for a sign where words have one."""
    target = spec.target
    beyond = by_signed_halves(spec) and spec.ranges.input << spec.width > 1 << target.word - 1
    return beyond or spec.width > longest(target.digit, target.word)
