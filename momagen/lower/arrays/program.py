"""Kernels on arrays: their steps in order, and the contents of their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from momagen.formula.transforms import digit_reversal
from momagen.ir import Builder
from momagen.kernels.elementwise.blas import montgomery_product
from momagen.kernels.elementwise.frame import FOLDED
from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.options.declared import OptionGroup, names_of
from momagen.kinds.modular.spec import Spec
from momagen.lower.lengths import check_length
from momagen.plan.schedule.arrays import ArrayPass, array_passes
from momagen.plan.schedule.matrices import MatrixTransform
from momagen.plan.schedule.passes import step_codelet
from momagen.plan.schedule.transform import ScheduledTransform, TransformPlans
from momagen.plan.schedule.types import Bits

from .codelets import ArrayCodelet, ArrayCodelets
from .matrices import MatrixStep, matrix_steps
from .reductions import Reduction, product_reduction
from .twiddles import TwiddleArrays, twiddle_arrays

TAKEN = (
    *names_of(OptionGroup.MATRICES, OptionGroup.RULES, OptionGroup.FORM),
    "algorithm",
    "radix",
    "input_factor",
    "output_factor",
    "reduction",
    "cmp",
    "schedule",
)
"""The options that kernels on arrays support."""
LIMITS = (
    Limit(lambda spec: spec.montgomery,
          "montgomery", "`montgomery` is not available on {0.target}", "omit `montgomery`"),
    Limit(lambda spec: next((name for name in spec.options.names() if name not in TAKEN), ""),
          "{1}", "`{1}` is not available on {0.target}", "omit `{1}`"),
)  # fmt: skip
"""The restrictions of kernels on arrays."""
UP, DOWN, SAME = "up", "down", "same"
"""The factors that shift a modulus to the length of the kernel's moduli, and a result back; and 1 if nothing
is shifted."""


@dataclass(frozen=True)
class ArrayStep:
    """One pass.

    Attributes:
        codelet: The codelet of the butterflies.
        shape: The shape of the array.
        axis: The axis of the butterfly inputs in ``shape``.
        takes: The index along this axis of each operand.
        gives: The index along this axis of each result.
        tables: The twiddles.
        moved: The order of index bits into which the array is transposed first, or None if it is not.
    """

    codelet: ArrayCodelet
    shape: Sequence[int]
    axis: int
    takes: Sequence[int]
    gives: Sequence[int]
    tables: Sequence[TwiddleArrays]
    moved: Bits | None


@dataclass(frozen=True)
class ArrayProgram:
    """A kernel.

    Attributes:
        spec: The specification.
        codelets: The codelets of the kernel.
        transforms: The steps of each transform by its name, in order. An order of bits is a transposition.
        element: The codelet of an element-wise kernel, or the codelet that multiplies points.
        reduction: The reduction of a product by an engine, whose last codelet is ``element``; or None.
    """

    spec: Spec
    codelets: ArrayCodelets
    transforms: Mapping[str, Sequence[ArrayStep | MatrixStep]] = field(default_factory=dict)
    element: ArrayCodelet | None = None
    reduction: Reduction | None = None

    @property
    def elementwise(self) -> ArrayCodelet:
        """The codelet of an element-wise kernel."""
        assert self.element is not None
        return self.element


def array_program(spec: Spec, plans: TransformPlans | None) -> ArrayProgram:
    """Return the kernel of a specification, with its planned transforms if it has any.

    Raises:
        MomagenError: An option is not available on arrays.
    """
    check(spec, LIMITS)
    own, words = spec.target, spec.target.of_width(spec.width)
    choices = tuple(spec.options.rule_choices().items())
    codelets = ArrayCodelets(words, replace(spec.arith, modulus=0), own.materialised, choices)
    if not spec.n and spec.product == FOLDED:
        reduction = product_reduction(codelets, spec.ranges.input, spec.ranges.output)
        return ArrayProgram(spec, codelets, element=reduction.merged, reduction=reduction)
    if plans is None:
        return ArrayProgram(spec, codelets, element=_element(spec, codelets))
    made, planned = ArrayProgram(spec, codelets), plans.by_prefix
    transforms = {name.rstrip("_") or "transform": _steps(plan, codelets) for name, plan in planned.items()}
    if spec.kind.joins_transforms:
        forward, inverse = planned.values()
        product = montgomery_product(codelets.arith, forward.schedule.ranges[1], inverse.schedule.ranges[0]).block
        return replace(made, transforms=transforms, element=codelets.add("product", product, ["x", "y"], ["z"]))
    return replace(made, transforms=transforms)


def _steps(plan: ScheduledTransform, codelets: ArrayCodelets) -> Sequence[ArrayStep | MatrixStep]:
    if isinstance(plan, MatrixTransform):
        return matrix_steps(plan, codelets)
    return [_step(each, plan, codelets) for each in array_passes(plan.schedule)]


def _element(spec: Spec, codelets: ArrayCodelets) -> ArrayCodelet:
    block = spec.codelet(codelets.arith).block
    made = codelets.add("element", block, [name for name in spec.ranges.operands if name in block.inputs], ["z"])
    if spec.shifts:
        _add_shifts(codelets)
    return made


def _add_shifts(codelets: ArrayCodelets) -> None:
    """Add the codelets of x·2^s and z/2^s.

    The former fits the words. The latter is the high half of z·2^(w - s), or z if s is 0.
    """
    width, top = codelets.arith.width, (1 << codelets.arith.held) - 1
    b = Builder()
    b.output("z", b.one("mullo", width, b.input("x", 0, top), b.input(UP, 0, top)))
    codelets.add(UP, b.block, ["x"], ["z"])
    b = Builder()
    z, down, same = b.input("x", 0, top), b.input(DOWN, 0, 1 << width - 1), b.input(SAME, 0, 1)
    high, same = b.one("mulhi", width, z, down), b.one("mullo", width, z, same)
    b.output("z", b.one("addlo", width, high, same))
    codelets.add(DOWN, b.block, ["x"], ["z"])


def _step(each: ArrayPass | Bits, plan: ScheduledTransform, codelets: ArrayCodelets) -> ArrayStep | Bits:
    if not isinstance(each, ArrayPass):
        return each
    done = each.done
    made, plain = codelets.butterfly(step_codelet(done, plan.arith)), [each.place(leg) for leg in range(done.radix)]
    check_length(plan.spec, len(made.block.instrs), plan.spec.target.codelet)
    turned = [plain[digit_reversal(i, done.radix)] for i in range(done.radix)]
    takes, gives = (turned, plain) if done.late else (plain, turned)
    tables = [*twiddle_arrays(each, plan, made)]
    return ArrayStep(made, each.shape, each.leg_axis, takes, gives, tables, each.moved)
