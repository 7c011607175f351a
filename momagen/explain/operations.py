"""The operations that can be explained.

Each of them is a block with one wide operation, with the letters of the papers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from momagen.errors import MomagenError, among
from momagen.ir import OPS, Block, Builder, Value, join
from momagen.kernels.butterflies.codelets import codelet
from momagen.kernels.residues.arith import Arith, scheme
from momagen.kinds.limits import check
from momagen.kinds.modular.making.limits import QUOTIENTS
from momagen.params.choice import BITS
from momagen.params.primes import HEADROOM
from momagen.rewrite import Machine, Trace, reduce_products, table

PRODUCTS = ("barrett", "montgomery", "shoup")
"""The reductions of ``mulmod``. The papers use the first one."""

BUTTERFLIES = ("ct", "gs", "butterfly")
OPEN = {"reduction": ("mulmod", *BUTTERFLIES), "quotients": BUTTERFLIES}
"""The options that do not choose rules, and the operations that have them."""

LETTERS = {"x0": "x", "x1": "y", "v1": "v", "u": "v′", "qi": "q′", "y0": "X", "y1": "Y"}
"""The names of a codelet's inputs and outputs, with the letters of the papers."""


@dataclass(frozen=True)
class ResidueOptions:
    """The options of an operation modulo q that do not choose rules; None stands for an option that is not set.

    Attributes:
        reduction: One of ``PRODUCTS`` for ``mulmod``, or the scheme of a butterfly.
        quotients: The origin of the quotients of a butterfly, "table" or "computed".
    """

    reduction: str | None = None
    quotients: str | None = None


def divided(options: Mapping[str, str]) -> tuple[dict[str, str], ResidueOptions]:
    """Return the options that choose rules, and the other options."""
    rules = {name: value for name, value in options.items() if name not in OPEN}
    return rules, ResidueOptions(**{name: value for name, value in options.items() if name in OPEN})


@dataclass(frozen=True)
class Question:
    """A request to explain an operation.

    Attributes:
        op: The operation.
        bits: The width of the numbers; for modular operations, the width of the container.
        word: The width of a word of the target in bits.
        options: The options that do not choose rules.
        half_products: The attribute of :class:`Arith` with the same name.
        modulus_bits: The width of the modulus; None means 4 bits less than the container.
        modulus: A baked-in modulus, or 0.
        special: The attribute of :class:`Arith` with the same name.
    """

    op: str
    bits: int
    word: int
    options: ResidueOptions = ResidueOptions()
    half_products: bool = False
    modulus_bits: int | None = None
    modulus: int = 0
    special: str = ""

    @property
    def width(self) -> int:
        """The width of the operation, word·2^j bits for the smallest sufficient j."""
        return Arith(self.bits, self.word).width

    @property
    def length(self) -> int:
        """The width of the modulus in bits."""
        return self.bits - HEADROOM if self.modulus_bits is None else self.modulus_bits

    @property
    def modular(self) -> bool:
        """Whether the operation has a modulus."""
        return OPERATIONS[self.op] is not _plain

    @property
    def widths(self) -> str:
        """The widths as text."""
        return f"{self.bits}-bit container, {self.length}-bit modulus" if self.modular else f"{self.bits}-bit numbers"


def _outputs(b: Builder, op: str, results: tuple[Value, ...], width: int) -> Block:
    """Return the finished block.

    Its word result (both halves of a product) is c, and a carry or a comparison is δ.
    """
    kinds = OPS[op].results
    words = tuple(v for v, kind in zip(results, kinds, strict=True) if kind != "f")
    for flag in (v for v, kind in zip(results, kinds, strict=True) if kind == "f"):
        b.output("δ", flag)
    if words:
        b.output("c", join(words, width) if len(words) > 1 else words[0])
    return b.block


def _plain(ask: Question) -> Block:
    """Return the block of an operation on any numbers below 2^bits and any flags."""
    b, top = Builder(), (1 << ask.bits) - 1
    letters = iter("ab")
    kinds = OPS[ask.op].args
    args = [b.input("δ", 0, 1, "flag") if kind == "f" else b.input(next(letters), 0, top) for kind in kinds]
    return _outputs(b, ask.op, b.emit(ask.op, ask.width, *args), ask.width)


def _sum(ask: Question) -> Block:
    """Return the block of a modular sum or difference for a, b < q < 2^length."""
    b, top = Builder(), (1 << ask.length) - 1
    args = [b.input("a", 0, top - 1), b.input("b", 0, top - 1), b.input("q", 3, top)]
    return _outputs(b, ask.op, b.emit(ask.op, ask.width, *args), ask.width)


def _barrett(ask: Question) -> Block:
    """Return the block of Barrett's product for a, b < q of exactly k bits, and μ = ⌊2^(2k+3)/q⌋."""
    k = ask.length
    b, low, top = Builder(), (1 << (k - 1)) + 1, (1 << k) - 1
    mu = b.input("μ", (1 << 2 * k + 3) // top, (1 << 2 * k + 3) // low)
    args = [b.input("a", 0, top - 1), b.input("b", 0, top - 1), b.input("q", low, top), mu]
    return _outputs(b, "barrett", b.emit("barrett", ask.width, *args, k=k), ask.width)


def _montgomery(ask: Question) -> Block:
    """Return the block of Montgomery's product for a, b < q and q' = 1/q modulo 2^k.

    The exponent k is the number of bits of the words that hold q.
    """
    held = Arith(ask.bits, ask.word).held
    b, top = Builder(), (1 << ask.length) - 1
    args = [b.input("a", 0, top - 1), b.input("b", 0, top - 1), b.input("q", 3, top), b.input("q′", 1, (1 << held) - 1)]
    return _outputs(b, "montgomery", b.emit("montgomery", ask.width, *args, k=held), ask.width)


def _lazy(ask: Question) -> Arith:
    check(ask, [QUOTIENTS])
    chosen = scheme(ask.options.quotients, ask.options.reduction)
    return Arith(
        ask.length, ask.word, chosen, ask.modulus, half_products=ask.half_products, special=ask.special
    )  # fmt: skip


def _shoup(ask: Question) -> Block:
    """Return the block of Shoup's product for any y that fits the words, v < q < 2^length and v' = ⌊v·2^w/q⌋."""
    arith, b = Arith(ask.length, ask.word, half_products=ask.half_products), Builder()
    y, v = b.input("y", 0, (1 << arith.held) - 1), b.input("v", 0, arith.top - 1)
    top = b.one("shl", arith.width, b.input("v′", 0, (1 << arith.held) - 1), k=arith.width - arith.held)
    args = (y, v, top, b.input("q", 3, arith.top))
    return _outputs(b, "shoup", b.emit("shoup", ask.width, *args, k=arith.k), ask.width)


def _product(ask: Question) -> Block:
    how = ask.options.reduction or PRODUCTS[0]
    if how not in PRODUCTS:
        raise among("one of", PRODUCTS, how, "reduction")
    return OPERATIONS[how](ask)


def _lettered(block: Block) -> Block:
    inputs = {LETTERS.get(name, name): value for name, value in block.inputs.items()}
    return Block(inputs, block.instrs, {LETTERS.get(name, name): value for name, value in block.outputs.items()})


def reduced(block: Block, machine: Machine, trace: Trace) -> Block:
    """Return ``block`` with products modulo q reduced by rules; the same block if it has none."""
    found = reduce_products(block, table(), machine, trace)
    return block if found is block else _lettered(found)


def _ct(ask: Question) -> Block:
    """Return the Cooley–Tukey butterfly in the first level of a transform modulo q < 2^length."""
    return _lettered(codelet(_lazy(ask), 2, 1, last=0).block)


def _gs(ask: Question) -> Block:
    """Return the Gentleman–Sande butterfly in the first level of an inverse transform modulo q < 2^length."""
    return _lettered(codelet(_lazy(ask), 2, 1, last=0, back=True).block)


OPERATIONS: dict[str, Callable[[Question], Block]] = {
    **dict.fromkeys(("add", "addc", "sub", "subb", "mul", "mulhi", "mullo", "lt", "le", "eq", "select"), _plain),
    "addmod": _sum, "submod": _sum, "mulmod": _product,
    "barrett": _barrett, "montgomery": _montgomery, "shoup": _shoup, "ct": _ct, "gs": _gs, "butterfly": _ct,
}  # fmt: skip


SPARE = {"barrett": HEADROOM, "shoup": 1}
"""The number of bits by which the container must be wider than the modulus, by product."""


def _check_modulus(ask: Question) -> None:
    if ask.modulus_bits is None:
        return
    if not ask.modular:
        raise MomagenError(f"no value, as {ask.op} has no modulus", ask.modulus_bits, "modulus_bits")
    product = ask.options.reduction or PRODUCTS[0] if ask.op == "mulmod" else ask.op
    most = ask.bits - SPARE.get(product, 0)
    if not 2 <= ask.modulus_bits <= most:
        raise MomagenError(f"between 2 and {most} bits in a {ask.bits}-bit container", ask.modulus_bits, "modulus_bits")


def asked(ask: Question) -> Block:
    """Return the block of the requested operation.

    Raises:
        MomagenError: The operation is unknown, the width is outside 8…2048 bits, the modulus does not fit the
            container, or the operation does not have an option.
    """
    if ask.op not in OPERATIONS:
        raise among("one of the operations", OPERATIONS, ask.op, "operation")
    _check_modulus(ask)
    if ask.modulus and ask.op not in BUTTERFLIES:
        raise MomagenError(f"one of {', '.join(BUTTERFLIES)}, ntt for a known modulus", ask.op, "modulus")
    if not BITS[0] <= ask.bits <= BITS[1]:
        raise MomagenError(f"between {BITS[0]} and {BITS[1]} bits", ask.bits, "bits")
    for option, value in vars(ask.options).items():
        if value is not None and ask.op not in OPEN[option]:
            raise MomagenError(f"no value, as {ask.op} does not have this option", value, option)
    return OPERATIONS[ask.op](ask)
