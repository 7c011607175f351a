"""What a user asks for: the same everywhere once it is checked."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace

from momagen.formula.breakdown import RING
from momagen.kernels.elementwise.blas import COMPARED, KERNELS, default_product, elementwise
from momagen.kernels.elementwise.codelet import Elementwise
from momagen.kernels.elementwise.forms import CONVERSIONS, MONTGOMERY, factors
from momagen.kernels.elementwise.frame import CENTRING
from momagen.kernels.elementwise.inverses import KIND as INVERSE
from momagen.kernels.elementwise.products import PAIRED
from momagen.kernels.elementwise.sums import KIND as SUM
from momagen.kernels.residues.arith import SIGNED, SOLINAS, SPECIAL, Arith, scheme
from momagen.targets import Target, load_target, narrower, target_of

from .automorphism import undone
from .kinds import ALGORITHM, BLAS, LDE
from .ranges import OPTIONS, Ranges, factor
from .threads import GRAIN, SPLIT

GOLDILOCKS = (1 << 64) - (1 << 32) + 1
FULL = "montgomery"
"""The scheme whose values are residues below q behind every operation."""
ROW = 64
"""Bits per word of Python's arrays."""


def special_scheme(target: Target) -> str:
    """The scheme of transforms modulo 2^w - 2^(w/2) + 1 in one word, where that is baked in; "" for none: where whole
    products and carries cost one instruction each, Montgomery's is as good."""
    if target.lanes > 1:
        return SIGNED if {"smulhalf", "mulhalf"} <= target.ops.keys() else ""
    return SOLINAS if target.half_products and not (target.threads or target.minor) else ""


@dataclass(frozen=True)
class Spec:
    """A kernel to generate: what, how wide, where. Use :func:`momagen.kernels.spec.make_spec.make_spec`.

    Attributes:
        kind: one of ``KINDS``. n: points; 0 for BLAS. bits: the width class that was asked for.
        modulus, root: the parameters it is verified with; the generated code takes them at run time.
        order: "bitrev" (natural on one side, bit-reversed on the other) or "natural" (both sides).
        options: alternatives of the rule table and of the kernels ("multiply", "reduction", "input_factor", …).
        serves: bits of the longest modulus of the build, where that of this kernel is shorter; else 0.
        sized: whether the number of points is an argument of create: any power of two up to n.
        basis, roots: the moduli of a residue number system, whose number create is told, and a root for each;
            ``modulus`` is the longest of them. () for a kernel of one modulus.
        columns: of matrices of n rows, each column of which is transformed.
        coset: g, where a transform is of values at g·root^i, on a coset of the roots of unity; else 0.
        automorphism: g, odd and below the order of the root, where a transform gives values, or its inverse
            coefficients, of a(x^g) for those of a; else 1.
        degree: d, where a transform stops at factors x^d - z: polynomials of n·d coefficients are rows of d, of which
            each column is transformed; d divides ``columns``. 1 where factors are x - z.
        montgomery: k, where an inverse transform gives 2^k times the coefficients, or products are over 2^k; else 0.
        blowup: how many times as many values a low-degree extension gives as it takes; of its two transforms, too; else
            1. input_order: the order of the values that it takes; else "".
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
    sized: bool = False
    basis: tuple[int, ...] = ()
    roots: tuple[int, ...] = ()
    columns: int = 1
    coset: int = 0
    automorphism: int = 1
    degree: int = 1
    montgomery: int = 0
    blowup: int = 1
    input_order: str = ""

    @property
    def length(self) -> int:
        """Coefficients of a polynomial; points where the transform does not stop before; 0 for BLAS."""
        return self.n * self.degree

    @property
    def across(self) -> int:
        """Polynomials side by side: columns that are no coefficients of one polynomial."""
        return self.columns // self.degree

    @property
    def axes(self) -> tuple[int, ...]:
        """Of one vector as users have it: coefficients, then polynomials side by side; () for BLAS."""
        return (self.length,) * (self.n > 0) + (self.across,) * (self.across > 1)

    @property
    def depth(self) -> int:
        """Levels of butterflies."""
        return max(self.n, 1).bit_length() - 1

    @property
    def elements(self) -> int:
        """Residues of one transform of all columns, or one operand of a product; 1 for BLAS, which has any number."""
        return max(self.n, 1) * self.columns

    @property
    def results(self) -> int:
        """Residues of one result."""
        return self.elements * (self.blowup if self.kind == LDE else 1)

    @property
    def rows(self) -> int:
        """Vectors of residues in one operand: one for each modulus."""
        return len(self.basis) or 1

    @property
    def threads(self) -> int:
        """Threads that a plan begins with; 0 where calls are done by their callers alone."""
        return int(self.options.get("threads", 0))

    @property
    def works(self) -> int:
        """Butterflies of a transform, or elements of a product; 1 of an element."""
        products = dict.fromkeys(("polymul", "basemul", LDE), self.results)
        transforms = {"ntt": self.elements // 2 * self.depth, **products}
        return max(1, transforms.get(self.kind, 1))

    @property
    def grain(self) -> int:
        """Transforms, products or elements in the smallest part of a call that is worth a thread."""
        return max(1, GRAIN // (self.works * self.arith.words))

    @property
    def split(self) -> bool:
        """Whether threads do one transform together, rather than each some rows of several."""
        return self.threads > 0 and self.kind == "ntt" and not self.basis and self.elements >= SPLIT

    def of_modulus(self, at: int) -> Spec:
        """The kernel of one modulus of the basis, as the build does it."""
        q, root = self.basis[at], self.roots[at]
        serves = self.width if q.bit_length() < self.width else 0
        return replace(self, modulus=q, root=root, serves=serves, basis=(), roots=())

    @property
    def power_of_root(self) -> int:
        """The power of the root that create is told, for the automorphism x to x^g: g, or of an inverse 1/g."""
        return undone(self.automorphism, self.order_of_root) if self.inverse else self.automorphism

    def told(self, root: int, q: int) -> int:
        """What create is told where ``root`` modulo q is asked for; 0 for BLAS."""
        return pow(root, self.power_of_root, q) if self.n else 0

    @property
    def told_root(self) -> int:
        """What create is told for the modulus of this kernel."""
        return self.told(self.root, self.modulus)

    @property
    def told_roots(self) -> tuple[int, ...]:
        """What it is told for each modulus of the basis."""
        return tuple(self.told(root, q) for root, q in zip(self.roots, self.basis, strict=True))

    def back(self, options: dict[str, str]) -> Spec:
        """The other direction, with these options: what undoes the transform, and its automorphism too."""
        g = undone(self.automorphism, self.order_of_root)
        return replace(self, inverse=not self.inverse, options=options, automorphism=g, montgomery=0)

    @property
    def sizes(self) -> list[int]:
        """The numbers of points that the build has, the largest first; [0] for BLAS."""
        return [self.n >> i for i in range(self.n.bit_length() - 1)] if self.sized else [self.n]

    def of_size(self, n: int) -> Spec:
        """The transform of n points inside a sized one: its root is a power of the largest one's."""
        shorter = self.n // n
        root, g = pow(self.root, shorter, self.modulus), self.automorphism % (self.order_of_root // shorter)
        return replace(self, n=n, root=root, sized=False, automorphism=g)

    @property
    def width(self) -> int:
        """The width of the moduli that one build serves: all q below 2^width, or all odd ones."""
        return self.serves or self.modulus.bit_length()

    @property
    def widths(self) -> str:
        """How wide residues are, in the papers' words: "128-bit container, 124-bit modulus"."""
        return f"{self.arith.held}-bit container, {self.width}-bit modulus"

    @property
    def arith(self) -> Arith:
        """How residues are held, and multiplied by constants: by Montgomery where no table has Shoup quotients."""
        target, modulus = target_of(self.target, self.width), self.modulus if self.baked else 0
        chosen = FULL if target.modular else self._chosen
        special = special_scheme(target) if self.baked and self.kind in ("ntt", LDE) else ""
        return Arith(self.width, target.word, chosen, modulus, chains=target.chains_products, special=special)

    @property
    def _chosen(self) -> str:
        """The scheme that is asked for; products of vectors have none, but where they fold."""
        asked = scheme(self.options)
        folds = self.kind in PAIRED and (asked == SPECIAL or (not asked and self._folds))
        return asked if self.kind not in PAIRED else SPECIAL * folds

    @property
    def _folds(self) -> bool:
        """Whether products are folded where nothing else is asked for: not where digits are faster."""
        target = target_of(self.target, self.width)
        arith = Arith(self.width, target.word, modulus=self.modulus if self.baked else 0)
        least, most = target.tiles.get("unfolded", (0, 0))
        digits = "products" in target.tiles and least <= arith.words <= most
        able = self.kind in PAIRED and self.options.get("form") != MONTGOMERY and "digits" not in self.options
        return able and arith.folds and not self.native and not digits

    @property
    def layout(self) -> str:
        """What arrays of its words are called: "u32"."""
        return f"u{self.arith.word}"

    @property
    def row(self) -> int:
        """64-bit words of a residue in Python's arrays, whatever the words of the target."""
        return -(-self.width // ROW)

    @property
    def baked(self) -> bool:
        """Whether the build serves its own modulus only; it does by itself where the target has rules for that one."""
        chains = self.kind == "ntt" and load_target(self.target).chains_products
        own = "yes" if chains and not self.serves and self.modulus == GOLDILOCKS else "no"
        return self.options.get("bake", own) == "yes"

    @property
    def algorithm(self) -> str:
        """The data flow of a transform."""
        return self.options.get("algorithm", RING if self.coset or self.blowup > 1 else ALGORITHM[self.order])

    @property
    def splits(self) -> bool:
        """Whether the first level multiplies already: the ring is x^n + 1, or x^n - g^n."""
        return self.negacyclic or self.coset > 0

    @property
    def product(self) -> str:
        """How vmul multiplies."""
        usual = FULL if self.native else SPECIAL if self._folds else default_product(self.arith)
        return self.options.get("reduction") or usual

    @property
    def form(self) -> int:
        """k of Montgomery form x·2^k mod q, in which numbers come and go; 0: they are as they are."""
        on = self.kind in CONVERSIONS or self.options.get("form") == MONTGOMERY
        return int(self.options.get("form_bits", self.arith.held)) if on else 0

    def over(self, q: int) -> int:
        """What the product of two numbers is multiplied by modulo q: 1/R in Montgomery form, else 1."""
        return factors(self.form, q).get("I", 1)

    @property
    def lacking(self) -> int:
        """By how many bits products of points, which are over 2^held, are short of what the form asks for."""
        return self.arith.held - self.form

    @property
    def native(self) -> bool:
        """Whether the machine has modular arithmetic of its own."""
        return load_target(self.target).modular

    @property
    def ranges(self) -> Ranges:
        """Where operands and results lie."""
        taken, given = (factor(self.kind, option, self.options) for option in OPTIONS)
        return Ranges(self.kind, taken, given, self.arith.held)

    @property
    def cmp(self) -> str:
        """How a conditional kernel compares: a name in ``COMPARES``."""
        return self.options.get("cmp", CENTRING)

    def codelet(self, arith: Arith) -> Elementwise:
        """That of an element-wise kernel on such residues."""
        return elementwise(self.kind, arith, self.product, self.cmp, self.ranges.input, self.ranges.output, self.form)

    @property
    def formula(self) -> str:
        """What a BLAS kernel computes, for people: "a·x + y modulo q"."""
        row = KERNELS[self.kind].on(self.form)
        return f"{row.formula(self.cmp)} modulo {'q' if row.modular else f'2^{self.arith.held}'}{self.of_form}"

    @property
    def of_form(self) -> str:
        """What R is, for people; "" where there is none."""
        return f", R = 2^{self.form}" if self.form else ""

    def meaning(self, q: int, *operands: int) -> int:
        """One element of a BLAS kernel's result for the modulus q, by definition, on integers of any library."""
        row = KERNELS[self.kind].on(self.form)
        return row.meaning(q if row.modular else 1 << self.arith.held, self.cmp, *operands, form=self.form)

    @property
    def barrett(self) -> bool:
        """Whether products are by Barrett's reduction, for moduli of one length: shorter ones are shifted."""
        return self.kind in PAIRED and self.product == "barrett" and not self.form

    @property
    def prime(self) -> bool:
        """Whether q must be prime: where numbers are inverted."""
        return self.kind == INVERSE

    @property
    def sums(self) -> bool:
        """Whether the result is one number, a sum over all elements."""
        return self.kind == SUM

    @property
    def shifts(self) -> bool:
        """Whether a plan shifts moduli that are shorter."""
        return self.barrett and not self.baked

    @property
    def moduli(self) -> str:
        """The moduli that one build serves."""
        if self.baked:
            return f"q = {self.modulus:#x} only"
        which = "odd prime " if self.prime else "odd " * self.odd
        return f"every {which}q below 2^{self.width}"

    @property
    def odd(self) -> bool:
        """Whether q must be odd: for transforms, and where a product is Montgomery's and needs 1/q modulo R."""
        unbaked = self.arith.unbaked
        return self.kind not in BLAS or self.sums or (not self.native and self.codelet(unbaked).odd(unbaked.word))

    @property
    def name(self) -> str:
        """The kernel's file name and C prefix."""
        return f"{self.stem}_{self.target.split('/')[-1].replace('.toml', '').replace(':', '_')}"

    @property
    def stem(self) -> str:
        """The name without its target."""
        points = f"_any{self.n}" if self.sized else str(self.length or "")
        points += f"_depth{self.depth}" * (self.degree > 1)
        parts = [("i" if self.inverse else "") + self.kind + points]
        parts += [self.cmp] * (self.kind in COMPARED) + [f"columns{self.across}"] * (self.across > 1)
        parts += ["negacyclic"] * self.negacyclic + [f"coset{self.coset}"] * (self.coset > 0)
        parts += [f"blowup{self.blowup}"] * (self.blowup > 1) + ["from_bitrev"] * (self.input_order == "bitrev")
        parts += [f"automorphism{self.automorphism}"] * (self.automorphism > 1)
        parts += [f"montgomery{self.montgomery}"] * (self.montgomery > 0) + ["rns"] * bool(self.basis)
        parts += [MONTGOMERY] * ("form" in self.options and self.form > 0)
        parts += [f"r{self.form}"] * ("form_bits" in self.options)
        parts += ["natural"] * (self.order == "natural") + self.ranges.parts + [f"{self.width}b"]
        return "_".join([*parts, *["baked"] * self.baked])

    @property
    def power(self) -> str:
        """What x^n is in the ring of its polynomials, up to the sign: "1", or on a coset "7^16"."""
        return f"{self.coset}^{self.length}" if self.coset else "1"

    @property
    def order_of_root(self) -> int:
        """n, the points of the transform, or 2n for the negacyclic one; of a low-degree extension its values."""
        return (2 * self.n if self.negacyclic else self.n) * self.blowup

    def command(self) -> str:
        """The command line that makes this kernel."""
        words = ["momagen", *(["blas", self.kind] if self.kind in BLAS else [self.kind])]
        words += ["--n", "any", "--max-n", str(self.n)] if self.sized else ["--n", str(self.length)] if self.n else []
        words += ["--depth", str(self.depth)] * (self.degree > 1)
        words += ["--columns", str(self.across)] * (self.across > 1)
        words += self._modulus_words()
        words += ["--inverse"] * self.inverse + ["--negacyclic"] * self.negacyclic
        words += ["--coset", str(self.coset)] * (self.coset > 0)
        words += ["--blowup", str(self.blowup)] * (self.blowup > 1)
        words += ["--input-order", self.input_order] * (self.input_order == "bitrev")
        words += ["--automorphism", str(self.automorphism)] * (self.automorphism > 1)
        words += ["--montgomery", str(self.montgomery)] * (self.montgomery > 0)
        words += ["--order", self.order] if self.order != "bitrev" else []
        for key, value in sorted(self.options.items()):
            words += [f"--{key.replace('_', '-')}", value]
        words += ["--layout", self.layout] * (narrower(self.target, self.width) != self.target)
        return shlex.join([*words, "--target", self.target])

    def _modulus_words(self) -> list[str]:
        """The arguments for the modulus and the root; for a longer one where the build serves that."""
        if self.basis:
            roots = ["--roots", ",".join(map(hex, self.roots))] if self.n else []
            return ["--moduli", ",".join(map(hex, self.basis)), *roots]
        if self.serves:
            return ["--modulus-bits", str(self.serves)]
        return ["--modulus", hex(self.modulus), *(["--root", hex(self.root)] if self.n else [])]
