"""What a user asks for, checked once, and the same everywhere after."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from momagen.errors import MomagenError, among
from momagen.params import (
    check_modulus,
    check_order,
    check_root,
    default_prime,
    prime_of,
    primitive_root,
    root_of_generator,
)
from momagen.params.primes import MAX_BITS

from .algorithms import check_algorithm
from .arith import Arith, scheme
from .blas import COMPARED, KERNELS, Setting, default_product
from .compare import COMPARES, DEFAULT
from .frame import Choices
from .kinds import ALGORITHM, BITS, BLAS, CHOICES, KINDS, ORDERS, check_shape, check_size
from .ranges import Ranges, check_ranges, ranges_of


@dataclass(frozen=True)
class Spec:
    """A kernel to generate: what, how wide, where. Use :func:`make_spec`.

    Attributes:
        kind: one of ``KINDS``. n: points; 0 for BLAS. bits: the width class that was asked for.
        modulus, root: the parameters it is verified with; the generated code takes them at run time.
        order: "bitrev" (natural on one side, bit-reversed on the other) or "natural" (both sides).
        options: alternatives of the rule table and of the kernels ("multiply", "reduction", "input_factor", …).
        serves: bits of the longest modulus of the build, where that of this kernel is shorter; else 0.
    """

    kind: str
    n: int
    bits: int
    modulus: int
    root: int
    target: str
    inverse: bool = False
    negacyclic: bool = False
    order: str = "bitrev"
    options: dict[str, str] = field(default_factory=dict)
    serves: int = 0

    @property
    def width(self) -> int:
        """The width of the moduli that one build serves: all odd q below 2^width."""
        return self.serves or self.modulus.bit_length()

    @property
    def widths(self) -> str:
        """How wide residues are, in the papers' words: "128-bit container, 124-bit modulus"."""
        return f"{self.arith.held}-bit container, {self.width}-bit modulus"

    @property
    def arith(self) -> Arith:
        """How residues are held, and multiplied by constants: without Shoup's quotients in Montgomery form."""
        chosen = "" if self.kind == "vmul" else scheme(self.options)
        return Arith(self.width, 64, chosen, self.modulus if self.baked else 0)

    @property
    def baked(self) -> bool:
        """Whether the build serves its own modulus only."""
        return self.options.get("bake", "no") == "yes"

    @property
    def algorithm(self) -> str:
        """The data flow of a transform."""
        return self.options.get("algorithm", ALGORITHM[self.order])

    @property
    def product(self) -> str:
        """How vmul multiplies."""
        return self.options.get("reduction") or default_product(self.arith)

    @property
    def ranges(self) -> Ranges:
        """Where operands and results lie."""
        return ranges_of(self.kind, self.options, self.arith.held)

    @property
    def cmp(self) -> str:
        """How a conditional kernel compares: a name in ``COMPARES``."""
        return self.options.get("cmp", DEFAULT)

    @property
    def choices(self) -> Choices:
        """How an element-wise codelet is made."""
        return Choices(self.product, self.cmp, self.ranges.input, self.ranges.output)

    @property
    def formula(self) -> str:
        """What a BLAS kernel computes, for people: "a·x + y modulo q"."""
        row = KERNELS[self.kind]
        text = row.formula.replace("{x > bound}", COMPARES[self.cmp].text)
        return f"{text} modulo {'q' if row.modular else f'2^{self.arith.held}'}"

    def meaning(self, q: int, *operands: int) -> int:
        """One element of a BLAS kernel's result for the modulus q, by definition, on integers of any library."""
        return KERNELS[self.kind].meaning(Setting(q, 1 << self.arith.held, COMPARES[self.cmp]), *operands)

    @property
    def barrett(self) -> bool:
        """Whether products are Barrett's, whose constant is for moduli of one length: shorter ones are shifted."""
        return self.kind == "vmul" and self.product == "barrett"

    @property
    def moduli(self) -> str:
        """The moduli that one build serves."""
        if self.baked:
            return f"q = {self.modulus:#x} only"
        return f"every odd q below 2^{self.width}"

    @property
    def name(self) -> str:
        """The kernel's file name and C prefix."""
        parts = [("i" if self.inverse else "") + self.kind + (str(self.n) if self.n else "")]
        parts += [self.cmp] * (self.kind in COMPARED) + ["negacyclic"] * self.negacyclic
        parts += ["natural"] * (self.order == "natural") + self.ranges.parts + [f"{self.width}b"]
        return "_".join([*parts, *["baked"] * self.baked, self.target.split("/")[-1].removesuffix(".toml")])

    @property
    def order_of_root(self) -> int:
        """n, or 2n for the negacyclic transform."""
        return 2 * self.n if self.negacyclic else self.n

    def command(self) -> str:
        """The command line that makes this kernel."""
        words = ["momagen", *(["blas", self.kind] if self.kind in BLAS else [self.kind])]
        words += ["--n", str(self.n)] if self.n else []
        words += self._modulus_words()
        words += ["--inverse"] * self.inverse + ["--negacyclic"] * self.negacyclic
        words += ["--order", self.order] if self.order != "bitrev" else []
        for key, value in sorted(self.options.items()):
            words += [f"--{key.replace('_', '-')}", value]
        return shlex.join([*words, "--target", self.target])

    def _modulus_words(self) -> list[str]:
        """The arguments for the modulus and the root; for a longer one where the build serves that."""
        if self.serves:
            return ["--modulus-bits", str(self.serves)]
        return ["--modulus", hex(self.modulus), *(["--root", hex(self.root)] if self.n else [])]


def make_spec(
    kind: str, *, n: int = 0, bits: int | None = None, modulus: int | None = None, root: int | None = None,
    target: str = "c", inverse: bool = False, negacyclic: bool = False, order: str = "bitrev",
    options: dict[str, str] | None = None, modulus_bits: int | None = None, generator: int | None = None,
    serves: int = 0,
) -> Spec:  # fmt: skip
    """The checked specification; the prime and the root are chosen where they are not given.

    Without a modulus: the largest prime q with 2n | q - 1, of exactly ``modulus_bits`` bits, or below 2^(bits - 4).
    The root: ω as given, or g^((q - 1)/order) of a ``generator`` g, or the smallest primitive one.

    Raises:
        MomagenError: anything that does not fit together, in one line.
    """
    if kind not in KINDS:
        raise among("a kernel among", KINDS, kind, "kernel")
    if order not in ORDERS:
        raise among("an order among", ORDERS, order, "order")
    blas = kind in BLAS
    check_shape(kind, inverse=inverse, negacyclic=negacyclic, order=order != "bitrev")
    check_size(n, blas)
    q = _modulus(bits, modulus_bits, modulus, n, negacyclic)
    if blas and generator is not None:
        raise MomagenError(f"none for {kind}, which has no root", generator, "generator")
    w = 0
    if not blas:
        check_order(n, q, negacyclic, "n")
        w = _root(root, generator, 2 * n if negacyclic else n, q)
    if serves and not q.bit_length() < serves <= MAX_BITS:
        raise MomagenError(f"0, or bits from {q.bit_length() + 1} to {MAX_BITS}", serves, "serves")
    spec = Spec(kind, n, bits or q.bit_length(), q, w, target, inverse, negacyclic, order, dict(options or {}), serves)
    _check_choices(spec)
    _check_algorithm(spec)
    return spec


def with_options(spec: Spec, options: Mapping[str, str]) -> Spec:
    """``spec`` with more options, or others, checked like those of :func:`make_spec`."""
    changed = replace(spec, options={**spec.options, **options})
    _check_choices(changed)
    _check_algorithm(changed)
    return changed


def with_modulus(spec: Spec, modulus: int, root: int | None) -> Spec:
    """``spec`` for another modulus of the same build, checked like that of :func:`make_spec`."""
    other = make_spec(
        spec.kind, n=spec.n, modulus=modulus, root=root, inverse=spec.inverse, negacyclic=spec.negacyclic,
        order=spec.order,
    )  # fmt: skip
    length = modulus.bit_length()
    if length > spec.width:
        raise MomagenError(f"a modulus of at most {spec.width} bits", f"{length} bits", "modulus")
    return replace(spec, modulus=modulus, root=other.root, serves=spec.width if length < spec.width else 0)


def _check_choices(spec: Spec) -> None:
    for option, kinds in CHOICES.items():
        known, wanted = kinds.get(spec.kind, ()), spec.options.get(option)
        if wanted is not None and wanted not in known:
            none = MomagenError(f"none for {spec.kind}", wanted, option)
            raise among("one of", known, wanted, option) if known else none
    _ = spec.arith.kind  # refuses a reduction that the width cannot bear
    check_ranges(spec.ranges, spec.arith)


def _check_algorithm(spec: Spec) -> None:
    if "algorithm" in spec.options and spec.kind != "ntt":
        raise MomagenError("a choice for ntt only", spec.options["algorithm"], "algorithm")
    check_algorithm(spec.algorithm)


def _root(root: int | None, generator: int | None, order: int, q: int) -> int:
    """The root of unity of that order: as given, by a generator, or the smallest."""
    if root is not None and generator is not None:
        raise MomagenError("a root or a generator", "both", "generator")
    if generator is not None:
        return root_of_generator(generator, order, q)
    if root is None:
        return primitive_root(order, q)
    check_root(root, order, q, "root")
    return root


def _modulus(bits: int | None, modulus_bits: int | None, modulus: int | None, n: int, negacyclic: bool) -> int:
    if bits is modulus_bits is modulus is None:
        raise MomagenError("bits, modulus_bits or a modulus", "none of them", "modulus")
    if modulus is not None:
        check_modulus(modulus, "modulus")
        _check_lengths(bits, modulus_bits, modulus.bit_length())
        return modulus
    if bits is not None and not BITS[0] <= bits <= BITS[1]:
        raise MomagenError(f"between {BITS[0]} and {BITS[1]} bits", bits, "bits")
    if modulus_bits is None:
        assert bits is not None
        return default_prime(bits, max(n, 1), negacyclic)
    if bits is not None and modulus_bits > bits:
        raise MomagenError(f"at most the {bits} bits of the container", modulus_bits, "modulus_bits")
    return prime_of(modulus_bits, max(n, 1))


def _check_lengths(bits: int | None, modulus_bits: int | None, length: int) -> None:
    """Refuse a modulus of another length than was asked for beside it."""
    if bits is not None and length > bits:
        raise MomagenError(f"a modulus of at most {bits} bits", f"{length} bits", "modulus")
    if modulus_bits not in (None, length):
        raise MomagenError(f"a modulus of {modulus_bits} bits", f"{length} bits", "modulus")
