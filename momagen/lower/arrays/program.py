"""From a specification to a kernel on arrays: its steps in order, and what its tables hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from momagen.errors import MomagenError
from momagen.formula.transforms import digit_reversal
from momagen.ir import Builder
from momagen.kernels.flow.index_bits import Phase
from momagen.kernels.flow.ntt_flow import Pass
from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.plan.array_plan import ArrayPass, ArrayPlan, Bits
from momagen.plan.ways import plans
from momagen.targets import load_target

from .codelets import MODULUS, ArrayCodelet, ArrayCodelets, DerivedConstant

TAKEN = ("algorithm", "radix", "input_factor", "output_factor", "reduction", "cmp")
"""Options that say something here."""
UP, DOWN = "up", "down"
"""Products that shift a modulus to the length that it is served at, and a result back."""


@dataclass(frozen=True)
class TwiddleArrays:
    """Twiddles of a pass, and what is derived of them.

    Attributes:
        first, steps: entry i is the root to the power first + Σ of steps[b] over the bits b of i, over n where
            ``scaled``. shape: beside an array without legs. constants: that codelets read.
    """

    first: int
    steps: Sequence[int]
    scaled: bool
    shape: Sequence[int]
    constants: Sequence[DerivedConstant]


@dataclass(frozen=True)
class ArrayStep:
    """One pass.

    Attributes:
        moved: in which order bits of the index are to be taken first; None where they stay. axis: of the legs, in
            ``shape``. takes, gives: the leg of each operand, and of each result.
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
        steps: of a transform; an order of bits is a transposition. element: of an element-wise kernel.
    """

    spec: Spec
    codelets: ArrayCodelets
    steps: Sequence[ArrayStep | Bits] = field(default=())
    element: ArrayCodelet | None = None


def array_program(spec: Spec) -> ArrayProgram:
    """The kernel that ``spec`` asks for.

    Raises:
        MomagenError: what is not made on arrays.
    """
    _check(spec)
    codelets = ArrayCodelets(load_target(spec.target), replace(spec.arith, modulus=0))
    if spec.kind in BLAS:
        return ArrayProgram(spec, codelets, element=_element(spec, codelets))
    (plan,) = plans(spec).values()
    assert isinstance(plan, ArrayPlan)
    return ArrayProgram(spec, codelets, [_step(each, spec, codelets) for each in plan.passes])


def _check(spec: Spec) -> None:
    place = f"target {spec.target}"
    if spec.columns > 1 or spec.coset or spec.kind == "polymul":
        raise MomagenError("a transform of one column on no coset, or an element-wise kernel", spec.stem, place)
    for name, value in spec.options.items():
        if name not in TAKEN:
            raise MomagenError(f"options among {', '.join(TAKEN)}", f"{name} = {value}", place)


def _element(spec: Spec, codelets: ArrayCodelets) -> ArrayCodelet:
    block = spec.codelet(codelets.arith).block
    made = codelets.add("element", block, [name for name in spec.ranges.operands if name in block.inputs], ["z"])
    if spec.shifts:
        _add_shifts(codelets)
    return made


def _add_shifts(codelets: ArrayCodelets) -> None:
    """x·2^s, which the words hold; and z/2^s, which is the high half of z·2^(w - s)."""
    arith = codelets.arith
    for name, op, top in ((UP, "mullo", (1 << arith.held) - 1), (DOWN, "mulhi", 1 << arith.width - 1)):
        b = Builder()
        b.output("z", b.one(op, arith.width, b.input("x", 0, (1 << arith.held) - 1), b.input(name, 0, top)))
        codelets.add(name, b.block, ["x"], ["z"])


def _step(each: ArrayPass | Bits, spec: Spec, codelets: ArrayCodelets) -> ArrayStep | Bits:
    if not isinstance(each, ArrayPass):
        return each
    done, (axis,) = each.done, each.legs
    made, plain = codelets.butterfly(done.codelet), range(done.radix)
    turned = [digit_reversal(i, done.radix) for i in plain]
    takes, gives = (turned, plain) if done.late else (plain, turned)
    return ArrayStep(made, each.shape, axis, takes, gives, [*_tables(each, spec, made)], each.moved)


def _tables(each: ArrayPass, spec: Spec, made: ArrayCodelet) -> Iterator[TwiddleArrays]:
    """By twiddle."""
    bits, shape = each.table()
    for twiddle in dict.fromkeys(constant.of for constant in made.constants if constant.of != MODULUS):
        form, scaled = _turn(each.done, int(twiddle[1:]))
        first, *steps = (int(form.get(frozenset(some), 0) * spec.order_of_root) for some in ((), *((b,) for b in bits)))
        yield TwiddleArrays(first, steps[::-1], scaled, shape, [one for one in made.constants if one.of == twiddle])


def _turn(done: Pass, t: int) -> tuple[Phase, bool]:
    """The turn of twiddle t of a butterfly of two legs, affine in the bits of its number, and whether it is over n."""
    common, scaled = done.flow.common, done.flow.scaled
    if t >= done.radix:
        return _sum(common, done.weights, t - done.radix), scaled
    if t == 0:
        return common, scaled
    return _sum(common if done.scaled else {}, done.heap, done.radix // 2), done.scaled and scaled


def _sum(one: Phase, other: Phase, times: int) -> Phase:
    """one + times · other."""
    return {term: (one.get(term, 0) + times * other.get(term, 0)) % 1 for term in {*one, *other}}  # type: ignore[misc]
