"""Plans of transforms on full-radix limbs: any data flow, in passes that each process all data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from momagen.formula.breakdown import RING, Choose, asked, expand
from momagen.formula.expression import Formula
from momagen.kernels.flow.data_flow import Move
from momagen.kernels.flow.layouts import LANES, USER
from momagen.kernels.flow.ntt_flow import Flow, Pass, flow
from momagen.kernels.residues.arith import SIGNED, Arith
from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.spec import Spec
from momagen.targets import Target

from .tree import BLOCK, COLUMN, LANE, LEG, LOOP, PlannedPass

SHORT = 2
"""The largest number of words of a residue for which radix-4 codelets on vectors fit the instruction cache."""
LAYOUTS = {USER: "residues", LANES: "words by lane"}


def asked_of(spec: Spec, radix: int, even: bool = False, algorithm: str = "") -> tuple[Formula, Choose]:
    """Return the formula of a transform, and the function that chooses the breakdown rules for it.

    Args:
        spec: The specification of the transform.
        radix: The largest radix of a butterfly.
        even: Whether radices are as equal as possible.
        algorithm: The data flow, or "" for the specification's data flow.
    """
    ring = {"inverse": spec.inverse, "negacyclic": spec.splits, "natural": spec.order == "natural"}
    return asked(algorithm or spec.algorithm, spec.n, radix, even=even, **ring)


LIMITS = (
    Limit(lambda spec: spec.options.quotients == "table" and spec.arith.kind == "montgomery" and spec.arith.held - 1,
          "quotients", '`quotients="table"` is not available for a modulus of {0.arith.bits} bits',
          "omit `quotients`, or use a modulus of at most {1} bits"),
)  # fmt: skip
"""The options that transforms on full-radix limbs do not support."""


@dataclass(frozen=True)
class WordPlan:
    """A plan of one transform.

    Attributes:
        spec: The specification of the transform.
        product: Whether the transform is part of a product of polynomials. Its points then stay in
            bit-reversed order, in the layout that vector code processes fastest.
    """

    spec: Spec
    product: bool = False

    shortest = 0
    """The number of bits that every modulus exceeds."""

    def __post_init__(self) -> None:
        check(self.spec, LIMITS)

    @property
    def layout(self) -> str:
        """The layout of the points between the transforms of a product.

        Remainders modulo x^d - z have the user's layout.
        """
        return LANES if self.spec.degree == 1 else USER

    @cached_property
    def target(self) -> Target:
        """The target."""
        return self.spec.target

    @cached_property
    def arith(self) -> Arith:
        """The representation and multiplication of residues."""
        return replace(self.spec.arith, half_products=self.target.half_products)

    @property
    def lanes(self) -> int:
        """The number of lanes of vectors, or 1 for scalar code.

        Code is scalar if there are fewer columns than lanes, and either the number of columns is not a power
        of two, or the data does not fill two vectors.
        """
        lanes, columns = self.target.lanes, self.spec.columns
        few = columns & columns - 1 or self.spec.elements < 2 * lanes
        return 1 if columns < lanes and few else lanes

    @property
    def radix(self) -> int:
        """The largest radix of a pass that the number of points, the columns and the lanes allow.

        The target may state the radix. Otherwise it is 4 if the registers hold four residues; it is 2 if they
        do not, or if long chains of operations are faster in neighbouring radix-2 butterflies.
        """
        a, spec, lanes = self.arith, self.spec, self.lanes
        four = 4 * a.words <= self.target.registers and (lanes == 1 or (a.words <= SHORT and a.kind != SIGNED))
        usual = self.target.radix_for(a.words) or (4 if four else 2)
        return min(spec.options.radix or usual, spec.n // max(1, lanes // spec.columns))

    @cached_property
    def flow(self) -> Flow:
        """The passes with their codelets."""
        spec, ranges = self.spec, self.spec.ranges
        return flow(
            self.arith, expand(*asked_of(spec, self.radix)), lanes=self.lanes, m_in=ranges.input, m_out=ranges.output,
            points=self.layout if self.product else USER, columns=spec.columns,
        )  # fmt: skip

    @property
    def notes(self) -> Sequence[str]:
        """Notes on the plan for reports."""
        if self.product:
            return []
        columns, lanes = self.spec.columns, self.lanes
        left = [f"scalar code for {columns % lanes} of {columns} columns"] * (columns % lanes > 0 and columns > lanes)
        return [*left, *self.flow.notes() * (self.spec.algorithm != RING)]

    @property
    def held(self) -> str:
        """A description of the representation of residues."""
        limbs = f"{self.arith.words} full-radix limb{'s' * (self.arith.words > 1)} of {self.arith.word} bits"
        return f"{limbs}, q of up to {self.arith.bits} bits"

    @property
    def why(self) -> str:
        """The property of the machine that determines the radix."""
        stated = self.target.radix_for(self.arith.words)
        return f"radix     {'set by the target' if stated else f'limited by {self.target.registers} registers'}"

    def planned(self) -> list[PlannedPass]:
        """Return the passes in the order of execution."""
        passes, source = list[PlannedPass](), "x"
        for step, goal in zip(self.flow.steps, self.flow.targets(), strict=True):
            if isinstance(step, Move):
                passes.append(PlannedPass("", f"{source}, residues", f"{goal}, residues", note="reorders"))
            else:
                passes.append(self._pass(step, source, goal))
            source = goal
        return passes

    def _pass(self, done: Pass, source: str, goal: str) -> PlannedPass:
        """Return the description of a pass that reads and writes the named buffers."""
        columns, length = done.columns, len(done.flow.load)
        places = dict.fromkeys(range(length), LOOP)
        places |= dict.fromkeys((bit for bit in done.table_bits if bit in done.outer), BLOCK)
        places |= dict.fromkeys(done.lane_bits, LANE) | dict.fromkeys(done.flow.legs, LEG)
        load, store = (done.load, done.store) if done.lanes > 1 else (USER, USER)
        beside = COLUMN * (columns.count - 1).bit_length() + LANE * (columns.lanes.bit_length() - 1)
        notes = [f"{columns.rest.count} columns one by one"] if columns.rest else []
        notes += ["permutes lanes"] * (done.networks > 0) + ["in place"] * (done.in_place and source == goal)
        return PlannedPass(
            "".join(places[bit] for bit in reversed(range(length))) + beside, f"{source}, {LAYOUTS[load]}",
            f"{goal}, {LAYOUTS[store]}", (len(done.flow.legs),), done.entries(),
            done.entries() * self.arith.twiddle_words, note=", ".join(notes),
        )  # fmt: skip
