"""The types of which schedules consist. Every field is mandatory.

An *index bit* is named by its address bit in the operand: bit b of an element's address in x. An element
keeps its name when a step stores it at another address, so that permutations between steps only change
addresses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from momagen.kernels.flow.columns import Columns
from momagen.kernels.flow.index_bits import inverted

Bits = tuple[int, ...]
"""Index bits in an order."""
Turns = Mapping[frozenset[int], Fraction]
"""A turn that is a sum over the bits of an index: its constant term, for the empty set, and for each other set of bits
the term that is added if all of them are set. Only twiddles between matrices have sets of several bits."""

OPERAND, RESULT, SCRATCH, SHARED, REGISTERS = "x", "y", "t", "shared", "registers"
"""The memories: the operand, the result, scratch memory as long as the result, the memory of one block of threads,
and vector registers."""
TILE = "tile"
"""The memory for the elements of one iteration of a loop around several steps."""
DOUBLES, LONG = "doubles", "long"
"""The layouts of residues that are doubles, and of residues in lanes of several words."""
LIMB_MEMORY = "limbs"
"""The scratch memory for reduced-radix limbs between steps."""
LIMBS, OPEN_LIMBS = "limbs", "limbs with carries"
"""The layouts of vectors with one reduced-radix limb of each residue: after a carry normalisation, and before one."""
MODULAR_WORDS = "words"
"""The representation of residues by words of machines that compute modulo q."""
LIMB, RING, LONG_RING, WORD, DOUBLE, SIGNED = ONE_LIMB = (
    "limb", "limb without reductions", "long limb without reductions", "word", "double", "signed word",
)  # fmt: skip
"""Representations of residues by one limb: a limb whose values are reduced, or are not reduced because they fit, in a
lane of one word or of several words; one word; one double; one signed word."""
ARRAYS = "arrays"
"""The layout of residues with a separate array for each word."""
DIGITS = "digits"
"""The entry of the table of a product with a matrix: digits of all elements of the matrix."""
TIME, FREQUENCY = "time", "frequency"
"""The decimations: Cooley–Tukey butterflies x ± v·y, with results in bit-reversed order; or Gentleman–Sande
butterflies x + y, v·(x - y), with operands in bit-reversed order."""


@dataclass(frozen=True)
class Edge:
    """The operand, the result, or the values between two steps.

    Attributes:
        memory: The memory that holds them: the operand ``x``, the result ``y``, scratch memory ``t``, the memory
            ``shared`` of a block of threads, the memory ``tile`` of one iteration of a loop around several steps,
            scratch memory ``limbs`` for reduced-radix limbs, or vector ``registers``.
        layout: The layout of residues: ``user`` for residue after residue, ``lanes`` for vectors with one word of
            each residue, ``limbs`` for vectors with one reduced-radix limb of each residue, ``limbs with carries``
            for the same before a carry normalisation, ``arrays`` for one array for each word, ``doubles`` for one
            double for each residue, ``long`` for lanes that have several words of the target.
        order: The index bit at each address bit, the lowest address bit first. In the memory of a block it
            contains the bits of the block's elements.
        least: The values are at least -``least``·q.
        below: The values are below ``below``·q.
    """

    memory: str
    layout: str
    order: Bits
    least: int
    below: int

    @property
    def addresses(self) -> Bits:
        """The address bit of each index bit."""
        return inverted(self.order)


@dataclass(frozen=True)
class StepTable:
    """The twiddles of one step.

    Each entry contains the twiddles of one butterfly o, whose number consists of the index bits that are not
    operands. Operand l is multiplied by e(l·heap(o)) before the butterfly; with decimation in frequency, result l
    is multiplied by it instead. Result l is also multiplied by e(l·weights(o)), and all operands by
    e(common(o)). Here e(t) is the power of the root of unity that corresponds to e^(2πi·t).

    Attributes:
        entry: The numbers that an entry contains for each twiddle, as the rules for its products name them.
        bits: The index bits that number the entries, the lowest bit of that number first. If they contain bits
            of lanes, they begin with all of them.
        heap: The turn of the twiddles of the butterflies.
        weights: The turn of additional factors of the results.
        common: The turn of a factor of all operands.
        scaled: Whether all results are multiplied by 1/n.
    """

    entry: tuple[str, ...]
    bits: Bits
    heap: Turns
    weights: Turns
    common: Turns
    scaled: bool


@dataclass(frozen=True)
class Step:
    """Butterflies on all elements: each iteration loads operands, transforms them and stores the results.

    Each index bit is an operand bit, a lane bit or a loop bit, or it numbers the blocks of the step's nest or the
    iterations of a loop around the steps of this nest.

    Attributes:
        operands: The index bits that number the operands of a butterfly, the lowest bit of that number first.
        lanes: The index bits that number the lanes of a vector, the lowest bit first.
        loops: The index bits of the loops, innermost first. The threads of a block execute the iterations of the
            innermost loops.
        columns: The columns that one vector and the innermost loop process.
        decimation: ``time`` or ``frequency``.
        reduction: The scheme by which products are reduced.
        accepts: The codelet accepts operands below ``accepts``·q.
        limit: The results are reduced below ``limit``·q; 0: they are reduced no further than the butterflies do.
        table: The twiddles.
    """

    operands: Bits
    lanes: Bits
    loops: Bits
    columns: Columns
    decimation: str
    reduction: str
    accepts: int
    limit: int
    table: StepTable

    @property
    def radix(self) -> int:
        """The number of operands of a butterfly."""
        return 1 << len(self.operands)

    @property
    def late(self) -> bool:
        """Whether butterflies are Gentleman–Sande ones, with operands in bit-reversed order."""
        return self.decimation == FREQUENCY

    @property
    def scaled(self) -> bool:
        """Whether twiddle 0 is a factor of all operands: 1/n, or a twist."""
        return not self.table.weights and (self.table.scaled or bool(self.table.common))

    @property
    def twiddles(self) -> int:
        """The number of twiddles in an entry. Twiddle 0 is included only if it is a factor of all operands."""
        return self.radix * (2 if self.table.weights else 1) - (not self.scaled)

    @property
    def entries(self) -> int:
        """The number of twiddles in the table, with lanes counted one by one, or of elements of the matrix."""
        return self.radix**2 if DIGITS in self.table.entry else self.twiddles << len(self.table.bits)


@dataclass(frozen=True)
class Move:
    """A step that only moves or converts elements, from the edge before it to the edge after it.

    Attributes:
        loops: The index bits of the loops, innermost first, if the threads of a block execute their iterations.
    """

    loops: Bits


@dataclass(frozen=True)
class ThreadLaunch:
    """Consecutive steps that blocks of threads execute together.

    Attributes:
        steps: The number of steps.
        blocks: The index bits that number the blocks of one transform, the lowest bit of that number first.
        threads: The number of threads of a block.
        padding: Element i of shared memory is at offset i + ⌊i/2^p⌋ + ⌊i/4^p⌋ + … for p = ``padding``, to avoid bank
            conflicts; 1 if the steps do not use shared memory.
        resident: The number of blocks that should share a multiprocessor, which limits the registers of a thread.
        resident_multiplying: The same number if the launch also multiplies its results, in a product of
            polynomials; 0 for a transform alone.
    """

    steps: int
    blocks: Bits
    threads: int
    padding: int
    resident: int
    resident_multiplying: int


@dataclass(frozen=True)
class MatrixProduct:
    """Consecutive steps on arrays: a product with a matrix on an engine, and twiddles and moves around it.

    The step of the product has the matrix of all butterflies; the operands of the other steps are ().

    Attributes:
        steps: The number of steps.
        engine: The name of the engine.
        digit: The number of bits of the digits of residues and of the matrix.
        lanes: The number of columns of a block that one kernel converts from residues to residues, or 0 if digits,
            sums and residues are computed by separate kernels.
        fold: The name of the engine of a reduction by folding, or "".
    """

    steps: int
    engine: str
    digit: int
    lanes: int
    fold: str


@dataclass(frozen=True)
class Rectangles:
    """Consecutive steps on vectors that registers hold from the first load to the last store.

    Attributes:
        steps: The number of steps.
        blocks: The index bits that number the rectangles, the lowest bit of that number first.
    """

    steps: int
    blocks: Bits


@dataclass(frozen=True)
class Blocks:
    """Consecutive steps that a processor computes on one block of elements after another, depth first.

    Attributes:
        steps: The number of steps.
        blocks: The index bits that number the blocks, the lowest bit of that number first.
        columns: The index bits of a loop around all steps, the lowest first; () if each step has its own loops.
        together: The number of blocks, or of iterations of this loop, that are processed together.
    """

    steps: int
    blocks: Bits
    columns: Bits
    together: int


@dataclass(frozen=True)
class TileBlocks(Blocks):
    """Blocks whose tiles of vectors of reduced-radix limbs fit the first-level cache.

    Attributes:
        butterflies: The number of butterflies whose instructions are interleaved.
        constants: ``registers`` if a loop loads its constants once, or ``memory`` if every butterfly reads them.
        twiddles: The format of twiddles that differ by lane: ``whole``, with quotients by q if products use them;
            ``computed``, without quotients; or ``packed``, as words that are converted where they are used.
        chain: The largest number of products in one chain of multiply-adds.
        prefetch: The number of words of the twiddles of the next nest that every butterfly of two vectors prefetches.
    """

    butterflies: int
    constants: str
    twiddles: str
    chain: int
    prefetch: int


@dataclass(frozen=True)
class Breakdown:
    """The transform, and the rules that break it down.

    Attributes:
        algorithm: The data flow, a row of ``rules/algorithms.toml``.
        n: The number of points.
        radix: The largest number of operands of a butterfly.
        even: Whether radices are as equal as possible if n is not a power of ``radix``; false if this gives the
            same radices.
        radices: The radices in the order of the forward transform, if the planner chooses each of them;
            otherwise ().
        inverse: Whether it is an inverse transform, with the factor 1/n.
        negacyclic: Whether it is negacyclic.
        natural: Whether the values are in natural order instead of bit-reversed order.
        columns: The number of columns that are the lowest index bits, a power of two. (Further columns are not
            index bits.)
        coset: The values are those at g·ω^i for g = ``coset``, or 0 if they are not on a coset. The transform is then
            like a negacyclic one, with the powers of g in its twiddles.
        blocks: The number of blocks of n values that a low-degree extension computes from n coefficients, each with
            its own tables; otherwise 1.
        scale: The results of an inverse transform are multiplied by 2^``scale``; 0 for a forward transform.
    """

    algorithm: str
    n: int
    radix: int
    even: bool
    radices: Bits
    inverse: bool
    negacyclic: bool
    natural: bool
    columns: int
    coset: int
    blocks: int
    scale: int

    @property
    def order_of_root(self) -> int:
        """The order of the root of unity."""
        return self.n << self.negacyclic

    @property
    def order_of_given_root(self) -> int:
        """The order of the root that the caller gives. On a coset, powers of g take the place of roots of -1."""
        return (self.order_of_root >> (self.coset > 0)) * self.blocks

    @property
    def lifted(self) -> int:
        """The exponent of the power of two by which results are multiplied in addition to 1/n."""
        return self.scale + (self.n.bit_length() - 1) * self.inverse


@dataclass(frozen=True)
class Schedule:
    """The steps of one transform in the order of execution.

    Attributes:
        breakdown: The transform and its breakdown, of which each step computes one factor.
        residues: The representation of residues between steps: full-radix limbs, ``MODULAR_WORDS``, one of
            ``ONE_LIMB``, or the number, the kind and the radix of reduced-radix limbs.
        nests: The launches of threads, the rectangles of vectors in registers, the blocks that a processor
            computes depth first, or the products with matrices; () if each step processes all elements.
        steps: The steps.
        edges: The operand, the values between consecutive steps, and the result: one more than there are steps.
    """

    breakdown: Breakdown
    residues: str
    nests: tuple[ThreadLaunch | Rectangles | Blocks | TileBlocks | MatrixProduct, ...]
    steps: tuple[Step | Move, ...]
    edges: tuple[Edge, ...]

    @property
    def computing(self) -> list[Step]:
        """The steps that compute."""
        return [step for step in self.steps if isinstance(step, Step)]

    @property
    def columns(self) -> int:
        """The number of columns, whether they are index bits or not."""
        return self.breakdown.columns * self.computing[0].columns.row

    @property
    def elements(self) -> int:
        """The number of elements of all columns."""
        return self.breakdown.n * self.columns

    @property
    def ranges(self) -> tuple[int, int]:
        """The bounds of operands and of results, as multiples of q."""
        return self.edges[0].below, self.edges[-1].below
