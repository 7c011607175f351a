"""The choice between reduced-radix limbs, register-blocked passes and full-radix limbs for a transform.

The target, the width of the modulus, the number of points and the options determine the choice.
"""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kernels.residues.double_digits import LONGEST
from momagen.kernels.residues.double_digits import one_double as in_one
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.kernels.residues.single_digit import LANE, longest
from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.options.declared import OptionGroup, names_of
from momagen.kinds.modular.spec import Spec
from momagen.plan.planners.limb_choices import usual_twiddles
from momagen.plan.schedule.depth_first.limbs import limbs_of
from momagen.plan.tiles import few, fits

TAKEN = frozenset(names_of(OptionGroup.MODULUS, OptionGroup.WORDS, OptionGroup.RULES))
"""The options that only transforms on full-radix limbs support; see :func:`taken` for the options of a modulus."""
FULL_RADIX = "limbs: full-radix limbs, because "
"""The beginning of a note on a transform that stays on full-radix limbs."""
STEPS = frozenset({"levels", "interleave_blocks"})
"""The options of cache-blocked passes that register-blocked passes support, too."""
TABLE = 2 << 30
"""The largest size in bytes of a table of constants in floating-point limbs, unless an option requests these
limbs."""
SUMS = {"plus", "minus", "sal"}
"""The operations of sums of values of either sign."""
NEEDS = (
    frozenset({"mullo", "mulhalf", "umin", "umax", *SUMS}),
    frozenset({"mullo", "redc", "redc_signed", "umin", "umax", *SUMS}),
    frozenset({"mullo", "mulhi", "mullos", "mulhis", "umin", "umax", *SUMS}),
    frozenset({"smulhalf", "swaphalves", "select_top", "signed", *SUMS}),
)
"""The sets of operations for register-blocked passes, of which the target must have one.

The first is for words of 64 bits: shorter words need high products.
"""


def tiled(spec: Spec) -> bool:
    """Return whether the transform has cache-blocked passes over reduced-radix limbs.

    It has them if an option requests them, or if they are faster on the target, their tables are not too
    long, and no option selects another data flow.

    Raises:
        MomagenError: An option requests reduced-radix limbs, which this transform does not support, or the
            options exclude one another.
    """
    check(spec, LIMITS)
    if spec.options.limbs == "full" or obstacle(spec):
        return False
    goes = bool(spec.options.names(OptionGroup.TILING, OptionGroup.LIMBS)) or (_pays(spec) and not long_table(spec))
    if goes:
        check(spec, LIMITS_OF_CONSTANTS)
    return goes


def _hindered(asked: Sequence[str], spec: Spec) -> Sequence[str]:
    """Return an option that requests reduced-radix limbs, and the reason why the transform does not support them.

    The result is empty if the transform supports them, or if ``asked`` contains no option.
    """
    return [*asked, reason] if asked and (reason := obstacle(spec)) else []


def _pays(spec: Spec) -> bool:
    """Return whether the transform is faster on reduced-radix limbs of the target, or on one floating-point limb."""
    least, most = spec.target.tiles.get("inverse" if spec.inverse else "forward", (1, 0))
    return least <= spec.arith.words <= most or one_double(spec)


def long_table(spec: Spec) -> str:
    """Return why the transform stays on full-radix limbs although floating-point limbs would be faster, or "".

    The reason is the size of the tables, since the words of a constant grow with the square of the number of
    limbs.
    """
    target = spec.target
    if obstacle(spec) or not target.real or not _pays(spec):
        return ""
    size = 8 * limbs_of(spec, False, usual_twiddles(spec, False)).apart_words * spec.n
    return f"{FULL_RADIX}constants in floating-point limbs would take {size / 2**30:.1f} GiB" if size > TABLE else ""


def obstacle(spec: Spec) -> str:
    """Return the reason why the transform does not support reduced-radix limbs, or "" if it supports them."""
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
    """Return whether one floating-point limb holds a residue, which takes fewer operations than a word."""
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
"""The combinations of options and transforms that reduced-radix limbs do not support."""
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
"""The combinations of options for constants that codelets on reduced-radix limbs do not support."""


def able(spec: Spec) -> bool:
    """Return whether register-blocked passes are possible, if a residue fits one word.

    The target must have the operations, the data must fill its vectors, and no option may select another data
    flow.
    """
    target, options = spec.target, spec.options
    free = _for_others(spec).isdisjoint(options.names()) and options.limbs != "full"
    needed = NEEDS[target.word < LANE :]
    capable = any(target.ops.keys() >= needs for needs in needed) or in_double(spec)
    return capable and free and fills(spec)


def _for_others(spec: Spec) -> set[str]:
    """Return the options that register-blocked passes do not support.

    Passes on floating-point limbs support fewer options, because they process one block of rows at a time.
    """
    return {*taken(spec), *names_of(OptionGroup.TILING)} - (STEPS - {"interleave_blocks"} if in_double(spec) else STEPS)


def taken(spec: Spec) -> frozenset[str]:
    """Return the options that exclude both reduced-radix limbs and register-blocked passes.

    An option that bakes in the modulus excludes them only if full-radix limbs have a special scheme for this
    modulus.
    """
    return TAKEN.difference(names_of(OptionGroup.MODULUS) if spec.arith.plain else ())


def fills(spec: Spec) -> bool:
    """Return whether the residues fill at least two vectors, or the columns do not share vectors with other rows."""
    lanes = spec.target.lanes
    if in_double(spec):
        return fits(spec.n, lanes, spec.columns)
    return lanes > 1 and (spec.elements >= 2 * lanes or not few(spec.columns, lanes))


def stepped(spec: Spec) -> bool:
    """Return whether the transform has register-blocked passes.

    A residue is then one integer limb of the target. If it does not fit such a limb, it is one floating-point
    limb, or else one word.
    """
    digit = spec.target.digit
    words = spec.width > digit and (spec.options.limbs is not None or spec.options.quotients == "computed")
    return able(spec) and not words and (in_double(spec) or not no_room(spec))


def by_signed_halves(spec: Spec) -> bool:
    """Return whether register-blocked passes hold residues as signed words with products of signed half words."""
    return NEEDS[-1] <= spec.target.ops.keys()


def in_double(spec: Spec) -> bool:
    """Return whether register-blocked passes hold residues in doubles.

    They do if one double holds a residue, and an integer limb of the target does not.
    """
    return spec.width > spec.target.digit and one_double(spec)


def no_room(spec: Spec) -> bool:
    """Return whether register-blocked passes lack headroom in a word for the modulus.

    A word must hold the sum of a residue and a product. On targets with signed words, it must also hold an
    input with a sign.
    """
    target = spec.target
    beyond = by_signed_halves(spec) and spec.ranges.input << spec.width > 1 << target.word - 1
    return beyond or spec.width > longest(target.digit, target.word)
