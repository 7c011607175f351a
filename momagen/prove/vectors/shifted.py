"""Element-wise kernels that compute modulo 2^s * q, for every shift s at once.

A kernel that multiplies by Barrett's method replaces q, if it is s bits shorter than the longest modulus, by
``c = 2^s * q``, and one factor x of each product by ``2^s * x``. The result r modulo c is a multiple of 2^s, and
``r / 2^s`` is the result modulo q. Here variable 0 of the checker, of which a proof is a polynomial, is c instead of q.
The kernel is executed for an unknown s of at least 1; the case without a shift is proven without this module.

- **Up.** ``2^s * x`` is a new number T, below c because x is below q.
- **Down.** A number r below c is proven to be congruent modulo c to a polynomial F in which each term contains a
  number T. With ``T = 2^s * x`` this is ``F = 2^s * G``. So r is ``2^s * G + 2^s * q * k`` for an integer k, and
  ``r / 2^s``, a new number Z, is congruent to G modulo q. It is below q because r is below ``2^s * q``.

Of T and Z, nothing else is used. A result must be one of the numbers Z whose G is the formula of the claim.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.simd.vectors import Lanes
from momagen.prove.c.types import SIZE, WORD, promoted
from momagen.prove.checker import ProofError
from momagen.prove.elementwise import Kernel
from momagen.prove.polynomial import added, constant, is_integral, plus
from momagen.prove.search import total_of
from momagen.prove.vectors.buffers import Buffers
from momagen.prove.vectors.shifts import DOWN, UP, ShiftLemmas
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.memory import Block
    from momagen.prove.c.parsed import Source
    from momagen.prove.claims import Claim
    from momagen.prove.facts import Facts
    from momagen.prove.polynomial import Polynomial

Key = tuple[frozenset[tuple[tuple[int, ...], Any]], ...]
LANES = re.compile(r"_mm(?:256|512|)_(sllv|srlv)_epi64")
"""The shifts of each lane of 64 bits by its own number of bits."""


class ShiftedKernel(Kernel):
    """A run of a kernel's ``create`` and ``execute`` for moduli that are shorter than the longest one.

    Attributes:
        shift: The number s.
        modulus: The words of q.
        shifted: The words of c.
        operands: The variables of the caller's numbers below q by their words.
        places: The array and the element of x, by the same words.
        ups: The words of each T by the words of x.
        unshifted: The variable of x by the variable of T.
        downs: The words of each Z by the words of r.
        congruent: The polynomial G by the words of Z.
        products: The same by the words of r, if r was proven before.
        buffers: The buffers that hold numbers T, and then numbers r.
    """

    def __init__(self, source: Source, claim: Claim, facts: Facts, lemmas: ShiftLemmas) -> None:
        super().__init__(source, claim, facts)
        self.lemmas = lemmas
        self.shift = self.words.variable("s", lemmas.shifts()[0], lemmas.shifts()[-1])
        self.modulus: list[Value] = []
        self.shifted: list[Value] = []
        self.operands: dict[Key, int] = {}
        self.places: dict[Key, tuple[str, Polynomial]] = {}
        self.ups: dict[Key, list[Value]] = {}
        self.unshifted: dict[int, int] = {}
        self.downs: dict[Key, list[Value]] = {}
        self.congruent: dict[Key, Polynomial] = {}
        self.products: dict[Key, Polynomial] = {}
        self.buffers = Buffers(self)

    def _modulus(self, constant: int | None = None) -> Pointer:
        """Return the argument q: an array with the words of a modulus that is shorter than the longest one."""
        if constant is not None:
            raise ProofError("a known modulus has a known shift")
        longest = self.claim.greatest >> 1
        self.modulus, self.shifted = self._words("short q", longest), self._modulus_words()
        self.facts.state_number("short q", self.modulus, ((self.claim.least,), (longest,)), 1 << self.claim.word)
        return self._array_of_modulus(self.modulus)

    def _residue(self, array: str, element: Polynomial) -> list[Value]:
        words = super()._residue(array, element)
        if array not in self.claim.operation.long:  # 2^s times a number that is not below q may be above c
            self.operands[_key(words)] = self.residues[array, frozenset(element.items())]
            self.places[_key(words)] = array, element
        return words

    # Where numbers are shifted.

    def call(self, name: str, arguments: list[Any]) -> Any:
        """Call a function of the source and return its result, which for ``short_by`` is the shift."""
        if name != "short_by":
            return self._call_with_buffers(name, arguments)
        self.lemmas.require(name, self.source.functions[name])
        declared = self.source.functions[name].decl.type
        if len(arguments) != 1 or not isinstance(arguments[0], Pointer):
            raise ProofError("short_by is not called with a pointer")
        pointer = self.convert(arguments[0], self.type(declared.args.params[0].type))
        if _key(self._loaded(pointer.block, pointer.offset, self.claim.words)) != _key(self.modulus):
            raise ProofError("short_by is called with something else than q")
        return self.convert(Number(self.lemmas.size, self.shift), self.type(declared.type))

    def _call_with_buffers(self, name: str, arguments: list[Any]) -> Any:
        """Call a function that may fill or read a buffer of shifted operands."""
        if self.buffers.computes(name, arguments):
            self.buffers.compute(name, arguments)
            return None
        if name == UP and arguments:
            self.buffers.begin(arguments[0])
        result = super().call(name, self.buffers.with_products(arguments) if name == DOWN else arguments)
        if name == UP and self.claim.words > 1 and len(arguments) == 4 and self._is_shift(arguments[3]):
            self.buffers.note_shifted(*arguments[:3])
        return result

    def _for(self, node: Any) -> None:
        is_shift = self.function in (UP, DOWN) and self.claim.words > 1 and not _contains_loop(node.stmt)
        if not is_shift or not self._is_shift(self._held("s")):
            super()._for(node)
            return
        if self.variable("s").of != self.lemmas.size:
            name = "size_t" if self.lemmas.size == SIZE else self.lemmas.size
            raise ProofError(f"the number of bits of a shift has another type than {name}")
        self.lemmas.require(self.function, node)
        to, t, count = self._held("z"), self.variable("t"), self.claim.words
        if not isinstance(to, Pointer) or to.block is t or (t.size.low, t.size.high) != (2 * count, 2 * count):
            raise ProofError("a shift does not copy its operand")
        held = self._loaded(t, self.words.constant(0), 2 * count)
        number, zeros = (held[count:], held[:count]) if self.function == UP else (held[:count], held[count:])
        if any(value.low or value.high for value in zeros):
            raise ProofError("a shift does not extend its operand by zeros")
        for i, word in enumerate(self.shifted_words(number) if self.function == UP else self._down(number)):
            offset = self.words.value_of(plus(to.offset.polynomial, constant(i)))
            to.block.store(offset, self.convert(Number(self.kind, word), to.block.of), self.facts)

    def _held(self, name: str) -> Any:
        return self.variable(name).load(self.words.constant(0), self.facts)

    def _is_shift(self, number: Any) -> bool:
        return getattr(getattr(number, "value", None), "polynomial", None) == self.shift.polynomial

    def _shift(self, op: str, a: Number, b: Number) -> Number:
        if not self._is_shift(b):
            return super()._shift(op, a, b)
        if self.claim.words > 1 or promoted(a.kind) != self.kind:
            raise ProofError("a shift by an unknown number of bits is not supported")
        (word,) = self.shifted_words([a.value]) if op == "<<" else self._down([a.value])
        return Number(self.kind, word)

    def intrinsic(self, name: str, operands: list[Any]) -> Any:
        """Return the result of an operation on vectors, also of a shift of all lanes by s, which is below 64."""
        found = LANES.fullmatch(name)
        if found is None or not all(isinstance(operand, Lanes) for operand in operands):
            return super().intrinsic(name, operands)
        vector, counts = (operand.of_width(64, self.words) for operand in operands)
        if not all(getattr(count, "polynomial", None) == self.shift.polynomial for count in counts):
            return super().intrinsic(name, operands)
        if self.kind != WORD or self.claim.words > 1 or not all(isinstance(lane, Value) for lane in vector):
            raise ProofError("a shift by an unknown number of bits is not supported")
        shifted = [self.shifted_words([lane]) if found[1] == "sllv" else self._down([lane]) for lane in vector]
        return Lanes(operands[0].kind, 64, tuple(lane for (lane,) in shifted))

    def _loaded(self, block: Block, start: Value, count: int) -> list[Value]:
        """Return the values of words of an array."""
        offsets = [self.words.value_of(plus(start.polynomial, constant(i))) for i in range(count)]
        held = [block.load(offset, self.facts) for offset in offsets]
        if not all(isinstance(number, Number) and number.kind == self.kind for number in held):
            raise ProofError("something else than words is shifted")
        return [number.value for number in held]

    # Shifted numbers.

    def shifted_words(self, words: list[Value]) -> list[Value]:
        """Return the words of 2^s times q, or times a number of the caller below q."""
        key = _key(words)
        if all(word.low == word.high == 0 for word in words):
            return words
        if key == _key(self.modulus):
            return self.shifted
        if key not in self.operands:
            raise ProofError("a number is shifted that is neither q nor an operand below q")
        if key not in self.ups:
            operand = self.facts.checker.variables[self.operands[key]].name
            self.ups[key], variable = self._new_number(f"2^s * {operand}")
            self.unshifted[variable] = self.operands[key]
            array, element = self.places[key]
            if array in self.claim.operation.vectors:
                numbers = [self.words.number_of(word) for word in self.ups[key]]
                self.inputs |= {number: (f"2^s * {array}", element, i) for i, number in enumerate(numbers)}
        return self.ups[key]

    def _down(self, words: list[Value]) -> list[Value]:
        """Return the words of a number below 2^s * q, which must be a multiple of 2^s, divided by 2^s."""
        if self.facts.is_trial:
            return self._new_number("r / 2^s")[0]
        key = _key(words)
        if key not in self.downs:
            congruent = self.products[key] if key in self.products else self._congruent_by_form(words)
            self.downs[key], _ = self._new_number("r / 2^s")
            self.congruent[_key(self.downs[key])] = congruent
        return self.downs[key]

    def product_at(self, element: Polynomial) -> list[Value]:
        """Return the words of a new number below c, which is 2^s times the formula of an element modulo c."""
        words = self._new_number("r")[0]
        self.products[_key(words)] = self._expected(element)
        return words

    def _new_number(self, name: str) -> tuple[list[Value], int]:
        """Return the words and the variable of a new secret number below c."""
        words = self._words(name, self.facts.checker.greatest)
        self.facts.secrets |= {self.words.number_of(word) for word in words}
        return words, self.facts.state_number(name, words, ((0,), (-1, 1)), 1 << self.claim.word)

    def _congruent_by_form(self, words: list[Value]) -> Polynomial:
        """Return the polynomial G of a number r, which is proven once for all numbers that are computed in one way."""
        polynomials = [word.polynomial for word in words]
        found = sorted(self.slices.variables_of(polynomials) & self.inputs.keys())
        element = self.inputs[found[0]][1] if found else {}
        form = self.slices.form(polynomials, element, self.inputs)
        if form in self.proven:
            return self._expected(element)
        congruent = self._congruent(words)
        with suppress(ProofError):
            if congruent == self._expected(element):
                self.proven.add(form)
        return congruent

    def _congruent(self, words: list[Value]) -> Polynomial:
        """Return the polynomial G of a number r, which must be below c."""
        polynomials = [word.polynomial for word in words]
        self.facts.ask(self.structure.update, self.slices.variables_of(polynomials))
        checker, total = self.facts.checker, total_of(words, 1 << self.claim.word)
        bounds = self.facts.bounds(total)
        if not checker.not_negative(bounds.low) or checker.minimum(added((0, 1), bounds.high, -1)) <= 0:
            raise ProofError("a number is not proven to be below 2^s * q")
        found = self.facts.residue(total).right
        rest = {m: c for m, c in found.items() if 0 not in m and (self._is_for_all or c % checker.least)}
        if not is_integral(rest) or not checker.is_multiple_of_q(self.facts.residue(plus(total, rest, -1))):
            raise ProofError("the residue of a number is not known")
        return {self._without_shift(m): c for m, c in rest.items()}

    @property
    def _is_for_all(self) -> bool:
        return self.facts.checker.least < self.facts.checker.greatest

    def _without_shift(self, monomial: tuple[int, ...]) -> tuple[int, ...]:
        """Return a product without the factor 2^s of one of its numbers."""
        at = next((i for i, variable in enumerate(monomial) if variable in self.unshifted), None)
        if at is None:
            raise ProofError("a number is not proven to be a multiple of 2^s")
        return tuple(sorted((*monomial[:at], self.unshifted[monomial[at]], *monomial[at + 1 :])))

    def _check(self, words: list[Value], element: Polynomial) -> None:
        """Check one element of the result."""
        if self.facts.is_trial:
            return
        self.elements += 1
        if self.buffers.is_computing:
            self._check_product(words, element)
            return
        if _key(words) not in self.congruent:
            raise ProofError("an element of the result is no quotient by 2^s")
        if self.congruent[_key(words)] != self._expected(element):
            raise ProofError(f"an element of the result is not proven to be {self.claim.operation.formula} modulo q")

    def _check_product(self, words: list[Value], element: Polynomial) -> None:
        """Check a number r that is stored into a buffer, which is shifted to the right later."""
        form = self.slices.form([word.polynomial for word in words], element, self.inputs)
        if form not in self.proven:
            if self._congruent(words) != self._expected(element):
                raise ProofError(f"a number is not proven to be 2^s times {self.claim.operation.formula}")
            self.proven.add(form)


def _key(words: list[Value]) -> Key:
    return tuple(frozenset(word.polynomial.items()) for word in words)


def _contains_loop(node: Any) -> bool:
    is_loop = isinstance(node, (c_ast.For, c_ast.While, c_ast.DoWhile))
    return is_loop or any(_contains_loop(child) for _, child in node.children())
