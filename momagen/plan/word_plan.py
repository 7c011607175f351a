"""Plans of transforms on words: any data flow, in passes that each go over all data."""

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
"""Words of a residue up to which radix-4 codelets on vectors fit the instruction cache."""
LAYOUTS = {USER: "residues", LANES: "words by lane"}


def asked_of(spec: Spec, radix: int, even: bool = False, algorithm: str = "") -> tuple[Formula, Choose]:
    """The transform of ``spec`` as a formula, and how it is broken down to kernels of ``radix``, or fewer ``even``;
    ``algorithm``: another than that of ``spec``."""
    ring = {"inverse": spec.inverse, "negacyclic": spec.splits, "natural": spec.order == "natural"}
    return asked(algorithm or spec.algorithm, spec.n, radix, even=even, **ring)


LIMITS = (
    Limit(lambda spec: spec.options.quotients == "table" and spec.arith.kind == "montgomery" and spec.arith.held - 1,
          "quotients", '`quotients="table"` is not available for a modulus of {0.arith.bits} bits',
          "omit `quotients`, or use a modulus of at most {1} bits"),
)  # fmt: skip
"""The options that transforms on whole words lack."""


@dataclass(frozen=True)
class WordPlan:
    """The plan of one transform; ``product``: one of those that make a product of polynomials, between which points
    stay in bit-reversed order, in the layout that vectors like."""

    spec: Spec
    product: bool = False

    shortest = 0
    """Moduli have more bits than these."""

    def __post_init__(self) -> None:
        check(self.spec, LIMITS)

    @property
    def layout(self) -> str:
        """Of points between transforms; remainders stay as residues."""
        return LANES if self.spec.degree == 1 else USER

    @cached_property
    def target(self) -> Target:
        return self.spec.target

    @cached_property
    def arith(self) -> Arith:
        """How words hold residues."""
        return replace(self.spec.arith, half_products=self.target.half_products)

    @property
    def lanes(self) -> int:
        """Of its vectors: 1 where columns are no power of two and fewer than the target's, or butterflies of a pass
        are."""
        lanes, columns = self.target.lanes, self.spec.columns
        few = columns & columns - 1 or self.spec.elements < 2 * lanes
        return 1 if columns < lanes and few else lanes

    @property
    def radix(self) -> int:
        """The largest radix of a pass that n, columns and lanes allow.

        The target may state one. Otherwise it is 4 if the registers hold four residues, and 2 if they do not, or if
        long chains of operations run better side by side in butterflies of radix 2.
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
        """Notes on it, for people."""
        if self.product:
            return []
        columns, lanes = self.spec.columns, self.lanes
        left = [f"scalar code for {columns % lanes} of {columns} columns"] * (columns % lanes > 0 and columns > lanes)
        return [*left, *self.flow.notes() * (self.spec.algorithm != RING)]

    @property
    def held(self) -> str:
        """How residues are held, for people."""
        limbs = f"{self.arith.words} full-radix limb{'s' * (self.arith.words > 1)} of {self.arith.word} bits"
        return f"{limbs}, q of up to {self.arith.bits} bits"

    @property
    def why(self) -> str:
        """Which properties of the machine decided."""
        stated = self.target.radix_for(self.arith.words)
        return f"radix     {'set by the target' if stated else f'limited by {self.target.registers} registers'}"

    def planned(self) -> list[PlannedPass]:
        """The passes in the order in which they run."""
        passes, source = list[PlannedPass](), "x"
        for step, goal in zip(self.flow.steps, self.flow.targets(), strict=True):
            if isinstance(step, Move):
                passes.append(PlannedPass("", f"{source}, residues", f"{goal}, residues", note="reorders"))
            else:
                passes.append(self._pass(step, source, goal))
            source = goal
        return passes

    def _pass(self, done: Pass, source: str, goal: str) -> PlannedPass:
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
