"""A target: what a machine does natively and how each operation is spelled. Data, which `read` reads."""

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
"""Operations that mean the same on digits as on words."""
ALWAYS = ("carry", "select")
"""Preludes that go in front of every kernel: hand-written functions use them, too."""


@dataclass(frozen=True, eq=False)
class Target:
    """One row of machines; every field is a key of the TOML file.

    Attributes:
        word: bits per word. lanes: words per register. registers: how many there are.
        host: the scalar target that does what is not worth a vector (tables, tails); itself for a scalar target.
        features: what the CPU must have, as /proc/cpuinfo names it. flags: what the compiler must be told.
        permutes: moves of lanes that are cheaper than the row for perm2, or stand for it where there is none.
        standins: the header with plain-C stand-ins for the intrinsics. options: alternatives of the rule table to take.
        sums: the same for kernels of sums on residues of one word, and how often their loops are unrolled.
        prelude: by operation, what goes in front of kernels that use it. chains: the longest carry chain printed as one
            statement. carries: the lines around the links of a chain, where operations are spelled as links.
        digit: bits of a digit with slack in a lane of ``word`` bits; 0 where kernels are made of whole words.
        real: bits at most of a digit held in a double; 0 where digits are integers in lanes.
        quotients: digits in doubles up to which a constant brings what it is over q, which costs words and operations
            and saves waiting; beyond, its products are divided by a Montgomery digit.
        tiles: the words, from and to, for which digits beat words: in "forward" and "inverse" transforms, and in
            "products" element by element; where one double holds a residue, they always do. "unfolded": the same of
            products beside folds by the form of a modulus that is known; "scaled": of those by a number.
        operands: digits from which on a stage reads its constants anew for every butterfly, as operands in memory; 0
            where it keeps them in registers, or near them.
        packed: bytes of a table, over the square of its digits, from which on its twiddles come as words, unpacked
            where they are used; 0: never.
        prefetch: bytes of all tables of a transform from which on the last pass over columns prefetches those of the
            rows; 0: never.
        saved: bytes of a table up to which twiddles stay whole where packed ones take a digit more.
        word_storage_from: bytes of a block of residues from which on these are stored as words, not as limbs,
            between the passes over the block; 0: never.
        longest: products in one chain of multiply-adds at most.
        codelet: operations of one codelet that compilers make within seconds; a radix that needs more is refused.
        piece: operations of a product, those of its word products alone, that is made in one piece; longer ones are
            calls; 0: as many as suits machines that multiply half words.
        columns: words of factors from which products are calls that sum them column by column; 0: never.
        across: words from which residues stand across lanes in sums, their carries found by masks; 0: never.
        widest: words up to which products of words, element by element, are faster in lanes than one at a time; 0: any.
        ahead: how many bytes ahead products of long vectors of one word ask for what comes next; 0: they do not.
        memory: from the nearest to the registers on: caches, their sizes and lines.
        threads: of a block where the machine runs a program in threads that share the nearest memory; 0: it has none.
        held: words of residues that one thread keeps in registers at most.
        sharing: blocks for which the nearest memory has to suffice; half as many where a residue is one word.
        resident: blocks that are to share a processor, by the bits of a residue up to which that holds; 1 beyond.
        radix: the largest radix of a pass on words, by the words of a residue up to which that holds; beyond, as the
            registers allow.
        architecture: of a GPU, as its compilers name it ("sm_90"); "" for any.
        interleaved: bits of an index that an array is interleaved by at once; 0: it is transposed.
        largest: residues of all columns of a matrix at most.
        minor: of arrays, elements that stand side by side in the last axis of every pass, as far as there are so many.
        engine: what multiplies matrices. dense: points up to which a transform is one; 0: transforms are butterflies.
        block: lanes at most of a block that one kernel takes through a matrix in the nearest memory; 0: none does.
        several: the target that has what residues of several words are made of; "": itself.
        rows: the target that kernels on the rows of an RNS basis compute with; "": itself.
        materialised: words of residues from which on a product is computed once for all that read it; 0: never.
        wide: what the compiler of arrays is told where residues have several words.
        design: the Ring Processing Unit that programs are scheduled for, as `momagen rpu --machine` names it.
        long: bytes of all vectors together from which on products prefetch, by kernel; else the second cache's.
        tested_on: what its kernels were tested on: hardware, an emulation, or their PTX on the CPU.
        purpose: "kernels", or "comparison": it is there to be compared, and stands in no list of targets to use.
        layouts: the targets that have shorter words than this one, by layout; heirs have none.
        inside: the target on whose digits, in lanes of two words, transforms of so many ``points``, from and to, go
            where none of their levels has to reduce values; "": they stay on words.
        instructions: those that it proposes, by operation. rule: rules of its own, which go before those of the tables.
        front: C in front of its kernels. results: "wrong" where proxies stand for what it proposes, else "right".
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
        """The one behind it, or itself where there is no other."""
        return self.memory[min(1, len(self.memory) - 1)]

    def radix_for(self, words: int) -> int:
        """Return the radix that the target states for residues of `words` words; 0 where it states none."""
        return min(((int(most), radix) for most, radix in self.radix.items() if words <= int(most)), default=(0, 0))[1]

    def legal(self, op: str, width: int) -> bool:
        """Whether the machine spells ``op`` on words of ``width`` bits."""
        return width == self.word and op in self.ops

    def legal_digit(self, op: str, width: int) -> bool:
        """Whether the machine has ``op`` on digits of ``width`` bits."""
        return width == self.digit and self.on_digits(op)

    def on_digits(self, op: str) -> bool:
        """Whether the machine has ``op`` on digits in lanes; halves of products as multiply-adds."""
        fused = FUSED.get(op)
        return fused in self.ops if fused else op in DIGIT_OPS and op in self.ops

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """For sorting, best first: more lanes, then what asks for more of the CPU, then wider words, then more
        operations."""
        return -self.lanes, -len(self.features), -self.word, -len(self.ops)

    @property
    def proxy(self) -> bool:
        """Whether proxies stand for proposed instructions: its kernels are timed, and their results are wrong."""
        return self.results == "wrong"

    @property
    def vector(self) -> bool:
        return self.lanes > 1

    @property
    def modular(self) -> bool:
        """Whether the machine computes modulo q: rules have nothing to do."""
        return LANGUAGES[self.syntax].modular

    @property
    def chains_products(self) -> bool:
        """Whether a product of words is added with a carry in and out, so that sums of products are carry chains."""
        return {"mad_low", "mad_high"} <= set(self.ops)

    @property
    def links(self) -> bool:
        """Whether carry chains are printed link by link, as the rows of operations have it."""
        return self.chains_products and bool(self.carries)

    @property
    def half_products(self) -> bool:
        """Whether high products of words are made of half words."""
        return not self.legal("mulhi", self.word)

    @property
    def copies(self) -> int:
        """How often a word stands in a table that all lanes get."""
        return 1 + ("broadcast_twice" in self.moves)

    @property
    def loads_halves(self) -> bool:
        """Whether halves of registers are loaded from two places, and stored to two."""
        return {"halves", "store_low", "store_high"} <= set(self.moves)

    def moving(self, lanes: tuple[int, ...]) -> tuple[int, str]:
        """What a permutation of lanes costs as the target's own moves, and its text; without these 2, and ""."""
        pairs, any_move = self.moves.get("pairs", ""), self.moves.get("shuffle", "")
        alone = "perm2" in self.ops
        cost, text = spell(lanes, tuple(self.permutes.values()), pairs, deep=not alone, other=any_move)
        return (cost, text) if text else (2, "")

    def cost(self, lanes: tuple[int, ...]) -> int:
        """What a permutation of lanes costs."""
        return self.moving(lanes)[0] if self.permutes else 2

    def spelling(self, op: str, lanes: tuple[int, ...] = ()) -> Spelling:
        """How ``op`` is written; a permutation of ``lanes`` as one of the target's own moves, where it is one."""
        text = self.moving(lanes)[1] if op == "perm2" and self.permutes else ""
        return Spelling((text,)) if text else self.ops[op]
