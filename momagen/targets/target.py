"""A target: the operations that a machine has, and the spelling of each, as data that ``read`` reads from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from momagen.languages import LANGUAGES
from momagen.rewrite import Rule
from momagen.rewrite.engine.accumulate import FUSED

from .engine import Engine
from .memory import Memory
from .permutes import PermuteFamily, spell
from .spelling import Proposal, Spelling

DIGIT_OPS = frozenset({
    "plus", "minus", "umin", "umax", "sar", "sal", "clear", "negative", "bit", "low", "select", "word", "shr",
})  # fmt: skip
"""The operations that have the same meaning on reduced-radix limbs as on words."""
ALWAYS = ("carry", "select")
"""The preludes of every kernel, because hand-written functions use them, too."""


@dataclass(frozen=True, eq=False)
class Target:
    """A machine for which kernels are generated; every field is a key of the TOML file.

    Attributes:
        word: The width of a word in bits.
        lanes: The number of words in a register.
        registers: The number of registers.
        host: The scalar target for parts that do not use vectors, such as tables and remainders; a scalar target is its
            own host.
        features: The features that the CPU must have, as /proc/cpuinfo names them.
        flags: The flags of the compiler.
        scheduled: The kinds of kernels whose instructions gcc orders before it allocates registers, which spares most
            spills; clang always does.
        permutes: Moves of lanes that are cheaper than the row for perm2, or replace it if there is none.
        standins: The header with plain-C stand-ins for the intrinsics.
        options: The preferred alternatives of the rule table.
        sums: The same for element-wise sums on residues of one word, and the number of copies of their loop bodies.
        prelude: The text before kernels that use an operation, by operation.
        chains: The length of the longest carry chain that is printed as one statement.
        carries: The lines around the links of a chain, for operations that are spelled as links.
        digit: The width in bits of a reduced-radix limb in a lane of ``word`` bits; 0 if kernels use full-radix limbs.
        real: The largest width in bits of a floating-point limb; 0 if limbs are integers.
        quotients: The largest number of floating-point limbs for which a constant has its quotient by q, which costs
            memory and operations and shortens dependences; beyond it, products are reduced by Montgomery's method.
        tiles: The range of words in which reduced-radix limbs are faster than full-radix limbs, for "forward" and
            "inverse" transforms, and for element-wise "products". Residues of one floating-point limb always use it.
            "unfolded" is the range for products next to folds by the form of a known modulus, "scaled" that for
            products by a number.
        operands: The number of limbs from which on a pass reads its constants from memory for every butterfly instead
            of keeping them in registers; 0: never.
        packed: The size of a table in bytes, divided by the square of the number of limbs, from which on its twiddles
            are stored as words and unpacked where they are used; 0: never.
        prefetch: The size of all tables of a transform in bytes from which on the last pass over columns prefetches the
            tables of the rows; 0: never.
        saved: The size of a table in bytes up to which twiddles are stored whole if packed ones need a limb more.
        word_storage_from: The size in bytes of a block of residues from which on they are stored as words instead of
            limbs between passes over the block; 0: never.
        longest: The largest number of products in one chain of multiply-adds.
        codelet: The largest number of operations of a codelet that compilers handle within seconds; a radix that needs
            more is rejected.
        piece: The largest number of operations of a product (those of its word products alone) that is generated
            inline; longer products are calls; 0: chosen for machines that multiply half words.
        columns: The number of words of a factor from which on products are calls that sum them column by column; 0:
            never.
        across: The number of words from which on residues span lanes in sums, with carries found by masks; 0: never.
        widest: The largest number of words for which element-wise products on words are faster in lanes; 0: any.
        ahead: The number of bytes by which products of long vectors of one word prefetch ahead; 0: they do not.
        memory: The caches, from the one nearest to the registers outwards.
        threads: The number of threads in a block, on machines whose threads share the nearest memory; 0: none.
        held: The largest number of words of residues that one thread keeps in registers.
        sharing: The number of blocks that share the nearest memory; half as many if a residue is one word.
        resident: The number of blocks that share a processor, by the largest width of a residue in bits; 1 for wider
            ones.
        radix: The largest radix of a pass on words, by the largest number of words of a residue; for longer ones, the
            registers decide.
        architecture: The architecture of a GPU, as its compilers name it ("sm_90"), or "" for any.
        interleaved: The number of bits of an index by which an array is interleaved at once; 0: it is transposed.
        largest: The largest number of residues of all columns of a matrix.
        minor: For arrays, the number of consecutive elements in the last axis of every pass, if there are that many.
        engine: The matrix engines.
        dense: The largest number of points of a transform that is one matrix; 0: transforms use butterflies.
        block: The largest number of lanes of a block that one kernel multiplies by a matrix in the nearest memory; 0:
            none.
        several: The target for residues of several words, or "" for this one.
        rows: The target for kernels on the rows of an RNS basis, or "" for this one.
        materialised: The number of words of residues from which on a product is computed once for all its uses; 0:
            never.
        wide: Options of the compiler of arrays for residues of several words.
        design: The Ring Processing Unit for which programs are scheduled, as `momagen rpu --machine` names it.
        long: The size in bytes of all vectors from which on products prefetch, by kernel; by default, that of the
            second cache.
        tested_on: The hardware or the emulation on which its kernels were tested.
        purpose: "kernels", or "comparison" for a target that is only compared with others and is in no list of targets
            to use.
        layouts: The targets with shorter words, by layout; targets that inherit this one have none.
        inside: The target on whose limbs, in lanes of two words, transforms of ``points`` are computed if none of their
            levels reduces values, or "" if they are computed on words.
        instructions: The proposed instructions, by operation.
        rule: The target's own rules, which precede those of the tables.
        front: The C text before its kernels.
        results: "wrong" if proxies replace the proposed instructions, otherwise "right".
    """

    name: str
    title: str
    word: int
    lanes: int
    syntax: str
    types: Mapping[str, str]
    moves: Mapping[str, str]
    ops: Mapping[str, Spelling]
    memory: tuple[Memory, ...]
    registers: int = 16
    host: str = ""
    headers: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    scheduled: tuple[str, ...] = ()
    standins: str = ""
    intrinsics: str = ""
    attribute: str = ""
    architecture: str = ""
    design: str = ""
    tested_on: str = ""
    purpose: str = "kernels"
    prelude: Mapping[str, str] = field(default_factory=dict)
    permutes: Mapping[str, PermuteFamily] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    sums: Mapping[str, str] = field(default_factory=dict)
    chains: int = 0
    carries: Mapping[str, str] = field(default_factory=dict)
    digit: int = 0
    longest: int = 8
    codelet: int = 12000
    piece: int = 0
    columns: int = 0
    across: int = 0
    widest: int = 0
    ahead: int = 0
    real: int = 0
    quotients: int = 1
    operands: int = 0
    packed: int = 0
    prefetch: int = 0
    saved: int = 0
    word_storage_from: int = 0
    threads: int = 0
    held: int = 0
    largest: int = 1 << 26
    sharing: int = 1
    minor: int = 0
    interleaved: int = 0
    several: str = ""
    rows: str = ""
    materialised: int = 0
    dense: int = 0
    block: int = 0
    engine: tuple[Engine, ...] = ()
    wide: Mapping[str, bool] = field(default_factory=dict)
    resident: Mapping[str, int] = field(default_factory=dict)
    radix: Mapping[str, int] = field(default_factory=dict)
    tiles: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    long: Mapping[str, int] = field(default_factory=dict)
    layouts: Mapping[str, str] = field(default_factory=dict)
    inside: str = ""
    points: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    instructions: Mapping[str, Proposal] = field(default_factory=dict)
    rule: tuple[Rule, ...] = ()
    front: tuple[str, ...] = ()
    results: str = "right"

    @property
    def first(self) -> Memory:
        """The nearest memory."""
        return self.memory[0]

    @property
    def second(self) -> Memory:
        """The memory after the nearest one, or the nearest one if it is the only one."""
        return self.memory[min(1, len(self.memory) - 1)]

    def radix_for(self, words: int) -> int:
        """Return the radix that the target states for residues of ``words`` words, or 0 if it states none."""
        return min(((int(most), radix) for most, radix in self.radix.items() if words <= int(most)), default=(0, 0))[1]

    def legal(self, op: str, width: int) -> bool:
        """Return whether the machine spells ``op`` on words of ``width`` bits."""
        return width == self.word and op in self.ops

    def legal_digit(self, op: str, width: int) -> bool:
        """Return whether the machine has ``op`` on limbs of ``width`` bits."""
        return width == self.digit and self.on_digits(op)

    def on_digits(self, op: str) -> bool:
        """Return whether the machine has ``op`` on reduced-radix limbs; half products are spelled as multiply-adds."""
        fused = FUSED.get(op)
        return fused in self.ops if fused else op in DIGIT_OPS and op in self.ops

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """The sort key of targets, best first: more lanes, more CPU features, wider words, more operations."""
        return -self.lanes, -len(self.features), -self.word, -len(self.ops)

    @property
    def proxy(self) -> bool:
        """Whether proxies replace proposed instructions, so that results are incorrect by design."""
        return self.results == "wrong"

    @property
    def vector(self) -> bool:
        """Whether the machine has vectors."""
        return self.lanes > 1

    @property
    def modular(self) -> bool:
        """Whether the machine computes modulo q, so that no rule applies."""
        return LANGUAGES[self.syntax].modular

    @property
    def chains_products(self) -> bool:
        """Whether products of words are added with a carry in and out, so that sums of products are carry chains."""
        return {"mad_low", "mad_high"} <= set(self.ops)

    @property
    def links(self) -> bool:
        """Whether carry chains are printed link by link, as the rows of operations define them."""
        return self.chains_products and bool(self.carries)

    @property
    def half_products(self) -> bool:
        """Whether high products of words are computed from half words."""
        return not self.legal("mulhi", self.word)

    @property
    def copies(self) -> int:
        """The number of copies of a word in a table whose entries are broadcast to all lanes."""
        return 1 + ("broadcast_twice" in self.moves)

    @property
    def loads_halves(self) -> bool:
        """Whether the halves of a register can be loaded from, and stored to, two addresses."""
        return {"halves", "store_low", "store_high"} <= set(self.moves)

    def moving(self, lanes: tuple[int, ...]) -> tuple[int, str]:
        """Return the cost and the text of a permutation of lanes by the target's own moves.

        A target without such moves returns 2 and "".
        """
        pairs, any_move = self.moves.get("pairs", ""), self.moves.get("shuffle", "")
        alone = "perm2" in self.ops
        cost, text = spell(lanes, tuple(self.permutes.values()), pairs, deep=not alone, other=any_move)
        return (cost, text) if text else (2, "")

    def cost(self, lanes: tuple[int, ...]) -> int:
        """Return the cost of a permutation of lanes."""
        return self.moving(lanes)[0] if self.permutes else 2

    def spelling(self, op: str, lanes: tuple[int, ...] = ()) -> Spelling:
        """Return the spelling of ``op``; the target's own moves spell a permutation of ``lanes`` if they can."""
        text = self.moving(lanes)[1] if op == "perm2" and self.permutes else ""
        return Spelling((text,)) if text else self.ops[op]
