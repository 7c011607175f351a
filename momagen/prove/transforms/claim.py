"""What a generated transform must do, stated from the request for the kernel alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gmpy2 import mpz, powmod

from momagen.prove.checker import ProofError
from momagen.prove.claims import InWords, sizes_of
from momagen.prove.transforms.definitions import are_values, interpolated, moved, product_modulo, values_at_all

if TYPE_CHECKING:
    from momagen.prove.transforms.field import RandomField

PLAIN = {"coset": 0, "blowup": 1, "input_order": "", "basis": [], "roots": [], "sized": False, "serves": 0}
"""The only values that a claim covers of these fields of a request."""
SAME_RESULT = {
    "algorithm", "borrow", "carry", "chain", "compare", "constants", "dense", "engine", "factors", "fused",
    "interleave",
    "interleave_blocks", "interleave_butterflies", "levels", "limbs", "multiply", "prefetch", "product", "quotients",
    "radix", "reduction", "schedule", "storage", "sums", "threads", "twiddles", "unroll",
}  # fmt: skip
"""The options that change how a transform is computed, but not its result or its arguments."""
LEAST = 3
"""The least modulus that a transform may support."""
LOG_BATCH = 50
"""The binary logarithm of the greatest number of vectors in a claim."""
FORWARD = "the values at the powers of {root} of {polynomial} modulo {ring}, in {order} order"
INVERSE = "{polynomial} modulo {ring} whose values at the powers of {root}, in {order} order, are x"
"""What transforms compute from x."""
NO_CLAIM = "there is no claim for these options yet"
CHANCE = "The congruence is checked at a random point; an incorrect one passes with a probability below 2^-64."


@dataclass(frozen=True)
class Moduli:
    """The moduli of a proof.

    Attributes:
        least: The least one.
        greatest: The greatest one.
        parity: What q modulo 2 is; None if it may be both.
    """

    least: int
    greatest: int
    parity: int | None


@dataclass(frozen=True)
class Transform(InWords):
    """The claim of a transform.

    ``create`` accepts every q of ``moduli`` that does not divide the number of the coset, and every root below q whose
    power N/2 is -1 modulo q, unless an allocation fails, and no others. ``execute`` transforms any number of vectors of
    residues below q. A vector is a polynomial, and its transform the values at the powers of the root that ``powers``
    gives, as residues below q. An inverse transform computes the polynomial from the values.

    Attributes:
        name: The prefix of the functions.
        n: The number of residues of a vector, a power of two.
        bits: The bits of the longest modulus.
        words: The words of a residue.
        word: The bits of a word.
        is_inverse: Whether values are transformed into coefficients.
        is_negacyclic: Whether the polynomials are taken modulo X^n + 1 instead of X^n - 1.
        is_reversed: Whether the values are in bit-reversed order.
        columns: The number M of columns of a vector, which is a matrix of n rows, row after row. Each is transformed.
        degree: 1, or M if the n rows are the coefficients of one polynomial modulo the factors X^M - root^e.
        automorphism: The odd number g below the order if the polynomial is a(X^g) in the place of a.
        exponent: The exponent k if the result is multiplied by 2^k.
        coset: The number G if the values are those at G times the powers of the root; 0 if there is none.
    """

    name: str
    n: int
    bits: int
    words: int
    word: int
    is_inverse: bool
    is_negacyclic: bool
    is_reversed: bool
    columns: int = 1
    degree: int = 1
    automorphism: int = 1
    exponent: int = 0
    coset: int = 0

    @property
    def moduli(self) -> Moduli:
        """The moduli that ``create`` accepts."""
        return Moduli(LEAST, (1 << self.bits) - 1, 1)

    @property
    def order(self) -> int:
        """The order N of the root."""
        return 2 * self.n if self.is_negacyclic else self.n

    def powers(self) -> list[int]:
        """Return the exponent e of each value: the value is that of the polynomial at root^e."""
        places = _places(self.n, self.is_reversed)
        return [2 * place + 1 for place in places] if self.is_negacyclic else places

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of the result and of the operands, in the order of the arguments."""
        return ("y", "x")

    @property
    def length(self) -> int:
        """The number of residues of a vector."""
        return self.n * self.columns

    @property
    def result_length(self) -> int:
        """The number of residues of a result."""
        return self.length

    def layouts(self) -> list[tuple[int, ...]]:
        """Return which of the result and the operands may be the same array, as numbers of arrays, all different last.

        The result may be the same array as an operand, and operands may be the same array.
        """
        found: list[tuple[int, ...]] = [(0,)]
        for _ in self.roles[1:]:
            found = [(*layout, at) for layout in found for at in range(max(layout) + 2)]
        return found

    def check(self, field: RandomField, operands: list[list[Any]], result: list[Any]) -> None:
        """Compare the residues of a result with the definition of the transform.

        Raises:
            ProofError: They differ.
        """
        factor = powmod(2, -self.exponent, field.prime)
        scaled = [residue * factor % field.prime for residue in result]
        coefficients, values = (scaled, *operands) if self.is_inverse else (*operands, scaled)
        for column in range(self.columns):
            if not self._are_values(field, coefficients[column :: self.columns], values[column :: self.columns]):
                raise ProofError("the result is not the transform of the operand")

    def _are_values(self, field: RandomField, coefficients: list[Any], values: list[Any]) -> bool:
        """Return whether a column of coefficients and a column of values belong together."""
        g, inverse = self.automorphism, pow(self.automorphism, -1, self.order)
        if self.is_inverse:
            original = moved(field, coefficients, inverse, self.is_negacyclic)
            return are_values(field.with_power_of_root(g), original, values, self.powers())
        image = moved(field, coefficients, g, self.is_negacyclic)
        if self.coset:
            image = [c * powmod(self.coset, i, field.prime) % field.prime for i, c in enumerate(image)]
        return are_values(field.with_power_of_root(inverse), image, values, self.powers())

    @property
    def ring(self) -> str:
        """The polynomial modulo which polynomials are taken."""
        return f"X^{self.n * self.degree} {'+' if self.is_negacyclic else '-'} 1"

    def what(self) -> str:
        """Return what is computed from x."""
        if self.degree > 1:
            return self._remainders()
        template = INVERSE if self.is_inverse else FORWARD
        polynomial, root, where = ("the polynomial" if self.is_inverse else "the polynomial x"), "root", ""
        g = self.automorphism
        if g > 1 and self.is_inverse:
            polynomial, root = f"a(X^{g}) for the polynomial a", f"w = root^{g}"
        elif g > 1:
            polynomial, root = f"a(X^{g})", f"w = root^{pow(g, -1, self.order)}"
            where = ", for the polynomial a with the coefficients x"
        if self.coset:
            root = f"root, times {self.coset},"
        order = "bit-reversed" if self.is_reversed else "natural"
        found = template.format(polynomial=polynomial, root=root, ring=self.ring, order=order)
        return f"{self._factor}{found}{where}{self._each_column}"

    @property
    def _factor(self) -> str:
        """The factor of the result."""
        return f"2^{self.exponent} times " if self.exponent else ""

    @property
    def _each_column(self) -> str:
        """What the parts of a vector are."""
        return f", for each column of matrices of {self.columns} columns" if self.columns > 1 else ""

    def _remainders(self) -> str:
        """Return what an incomplete transform computes from x."""
        whole, parts = ("y", "x") if self.is_inverse else ("x", "y")
        which = f"the polynomial modulo {self.ring}" if self.is_inverse else "the remainders of the polynomial x"
        return (
            f"{self._factor}{which}, where {parts}[{self.degree} j + i], for j < {self.n}, are the coefficients of the"
            f" remainder of {whole} modulo X^{self.degree} - root^e, and {self.exponents}"
        )

    @property
    def exponents(self) -> str:
        """What the exponent e is of the factor number j."""
        place, where = ("rev(j)", " and rev reverses the bits of j") if self.is_reversed else ("j", "")
        return f"e is 2 {place} + 1{where}" if self.is_negacyclic else f"e is {place}{where}"

    @property
    def sharing(self) -> str:
        """Which arrays may be the same."""
        return "y may be the same array as x."

    def text(self) -> str:
        """Return the claim as a sentence."""
        result, *operands = self.roles
        is_any = self.coset & self.coset - 1 == 0  # only such a number has no odd divisor
        without = "" if is_any else f" that does not divide {self.coset}"
        rest = "" if is_any else f" Nothing is said of q that divide {self.coset}."
        return (
            f"For every odd q with 2 < q < 2^{self.bits}{without}, every root < q with"
            f" root^{self.order // 2} = -1 (mod q) and every batch <= 2^{LOG_BATCH}:"
            f" {result} = {self.what()} (mod q), and {result} < q,"
            f" if {', '.join(operands)} < q. {self.sharing}"
            f" No branch and no address in execute depends on {' or '.join(operands)}."
            f" create accepts these q and roots, unless an allocation fails, and no others.{rest}"
            f" create returns an error if one pointer is NULL, and execute does if batch > 0. {CHANCE}"
        )


@dataclass(frozen=True)
class Extension(Transform):
    """The claim of a low-degree extension: from values of a polynomial to its values at more points, on a coset.

    Attributes:
        blowup: The number of results per value.
        is_input_reversed: Whether the operand is in bit-reversed order.
    """

    blowup: int = 1
    is_input_reversed: bool = False

    @property
    def order(self) -> int:
        """The order N of the root."""
        return self.n * self.blowup

    @property
    def result_length(self) -> int:
        """The number of residues of a result."""
        return self.length * self.blowup

    def powers(self) -> list[int]:
        """Return the exponent e of each result: it is the value of the polynomial at G * root^e."""
        return _places(self.order, self.is_reversed)

    def layouts(self) -> list[tuple[int, ...]]:
        """Return which arrays may be the same: none."""
        return [(0, 1)]

    def check(self, field: RandomField, operands: list[list[Any]], result: list[Any]) -> None:
        """Compare the residues of a result with the definition of the extension.

        Raises:
            ProofError: They differ.
        """
        (x,) = operands
        for column in range(self.columns):
            values = [x[column :: self.columns][place] for place in _places(self.n, self.is_input_reversed)]
            found = interpolated(field, values, powmod(field.root, self.blowup, field.prime))
            moved_to = [c * powmod(self.coset, i, field.prime) % field.prime for i, c in enumerate(found)]
            moved_to += [mpz(0)] * (self.order - self.n)
            if not are_values(field, moved_to, result[column :: self.columns], self.powers()):
                raise ProofError("the result is not the low-degree extension of the operand")

    @property
    def sharing(self) -> str:
        """Which arrays may be the same."""
        return "y and x may not overlap."

    def what(self) -> str:
        """Return what is computed from x."""
        orders = ["bit-reversed" if each else "natural" for each in (self.is_reversed, self.is_input_reversed)]
        return (
            f"the values at {self.coset} times the powers of root, in {orders[0]} order, of the polynomial of degree"
            f" less than {self.n} with the values x at the powers of root^{self.blowup}, in {orders[1]} order"
            f"{self._each_column}"
        )


@dataclass(frozen=True)
class PolynomialProduct(Transform):
    """The claim of a product of polynomials x and y, modulo X^n - 1 or X^n + 1, or modulo the factors X^d - root^e(j).

    Attributes:
        is_blockwise: Whether the product is one modulo the factors, whose degree d is the number of columns.
    """

    is_blockwise: bool = False

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of the result and of the operands, in the order of the arguments."""
        return ("z", "x", "y")

    def check(self, field: RandomField, operands: list[list[Any]], result: list[Any]) -> None:
        """Compare the residues of a result with the definition of the product.

        Raises:
            ProofError: They differ.
        """
        x, y = operands
        if not self._is_product(field, x, y, result):
            raise ProofError("the result is not the product of the operands")

    def _is_product(self, field: RandomField, x: list[Any], y: list[Any], z: list[Any]) -> bool:
        if not self.is_blockwise:
            values = (values_at_all(field, polynomial, self.is_negacyclic) for polynomial in (x, y, z))
            return all((a * b - c) % field.prime == 0 for a, b, c in zip(*values, strict=True))
        expected: list[Any] = []
        factor = powmod(2, self.exponent, field.prime)
        for j, e in enumerate(self.powers()):
            block = slice(j * self.degree, (j + 1) * self.degree)
            expected += product_modulo(field, x[block], y[block], powmod(field.root, e, field.prime))
        return [residue * factor % field.prime for residue in expected] == z

    @property
    def sharing(self) -> str:
        """Which arrays may be the same."""
        return "z may be the same array as x or y, and x as y."

    def what(self) -> str:
        """Return what is computed from x and y."""
        if not self.is_blockwise:
            return f"the product of the polynomials x and y modulo {self.ring}"
        return (
            f"for each j < {self.n}, {self._factor}the product of the polynomials with the coefficients"
            f" x[{self.degree} j + i] and y[{self.degree} j + i] modulo X^{self.degree} - root^e, where"
            f" {self.exponents}"
        )


def _places(n: int, is_reversed: bool) -> list[int]:
    """Return the numbers below a power of two n, in bit-reversed or natural order."""
    bits = n.bit_length() - 1
    return [int(f"{j:0{bits}b}"[::-1], 2) if is_reversed and bits else j for j in range(n)]


def transform_of(manifest: dict[str, Any]) -> Transform:
    """Return the claim of a saved transform from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    spec = manifest["spec"]
    _require_plain({**spec, "coset": 0})
    is_other = spec["inverse"] or spec["negacyclic"] or spec["automorphism"] != 1 or spec["degree"] > 1
    if spec["coset"] and is_other:
        raise ProofError(NO_CLAIM)
    ring, columns, degree, moves = _ring_of(spec), spec["columns"], spec["degree"], spec["automorphism"]
    if degree not in (1, columns) or (degree > 1 and moves != 1) or (spec["montgomery"] and not spec["inverse"]):
        raise ProofError(NO_CLAIM)
    order = spec["n"] << ring[0]
    options = {"columns": columns, "degree": degree, "automorphism": moves % order}
    options |= {"exponent": spec["montgomery"], "coset": spec["coset"]}
    return Transform(manifest["name"], spec["n"], *sizes_of(spec), spec["inverse"], *ring, **options)


def extension_of(manifest: dict[str, Any]) -> Extension:
    """Return the claim of a saved low-degree extension from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    spec = manifest["spec"]
    _require_plain({**spec, "coset": 0, "blowup": 1, "input_order": ""})
    plain = {"inverse": False, "negacyclic": False, "automorphism": 1, "degree": 1, "montgomery": 0}
    if any(spec[name] != value for name, value in plain.items()) or spec["coset"] < 1:
        raise ProofError(NO_CLAIM)
    fields = {name: spec[name] for name in ("columns", "coset", "blowup")}
    is_reversed = spec["input_order"] == "bitrev"
    sizes = spec["n"], *sizes_of(spec), False, *_ring_of(spec)
    return Extension(manifest["name"], *sizes, **fields, is_input_reversed=is_reversed)


def product_of(manifest: dict[str, Any]) -> PolynomialProduct:
    """Return the claim of a saved product of polynomials from the request in its manifest.

    Raises:
        ProofError: The prover has no claim for such a request yet.
    """
    spec = manifest["spec"]
    is_blockwise = spec["kind"] == "basemul"
    _require_plain(spec)
    degree = spec["degree"]
    if spec["inverse"] or spec["automorphism"] != 1 or spec["columns"] != degree:
        raise ProofError(NO_CLAIM)
    if not is_blockwise and (degree > 1 or spec["montgomery"]):
        raise ProofError(NO_CLAIM)
    options = {"columns": degree, "degree": degree, "exponent": -spec["montgomery"], "is_blockwise": is_blockwise}
    return PolynomialProduct(manifest["name"], spec["n"], *sizes_of(spec), False, *_ring_of(spec), **options)


def _require_plain(spec: dict[str, Any]) -> None:
    if any(spec[name] != value for name, value in PLAIN.items()) or set(spec["options"]) - SAME_RESULT:
        raise ProofError(NO_CLAIM)
    if spec["n"] & spec["n"] - 1 or spec["n"] < 2:
        raise ProofError("there is no claim for this number of points yet")


def _ring_of(spec: dict[str, Any]) -> tuple[bool, bool]:
    return spec["negacyclic"], spec["order"] == "bitrev"
