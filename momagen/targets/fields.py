"""The data of a target: the machine's numbers, and the spelling of each operation, as a TOML file states them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from momagen.rewrite import Rule

from .cores import CoreFamily
from .engine import Engine
from .memory import Memory
from .permutes import PermuteFamily
from .spelling import Proposal, Spelling


@dataclass(frozen=True, eq=False)
class TargetFields:
    """The fields of a target; those other than ``front``, ``results`` and ``requested`` are keys of the TOML file.

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
        cores: The core families for which other values are faster; targets that inherit this one have none.
        inside: The target on whose limbs, in lanes of two words, transforms of ``points`` are computed if none of their
            levels reduces values, or "" if they are computed on words.
        instructions: The proposed instructions, by operation.
        rule: The target's own rules, which precede those of the tables.
        front: The C text before its kernels.
        results: "wrong" if proxies replace the proposed instructions, otherwise "right".
        requested: The text by which the target was requested: a name, the path of a file, or one of these with
            ":proxy" or ":" and a core family; "" for a target that was not loaded as it is.
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
    cores: Mapping[str, CoreFamily] = field(default_factory=dict)
    inside: str = ""
    points: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    instructions: Mapping[str, Proposal] = field(default_factory=dict)
    rule: tuple[Rule, ...] = ()
    front: tuple[str, ...] = ()
    results: str = "right"
    requested: str = field(default="", repr=False)
