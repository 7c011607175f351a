"""A kernel of a library on the rows of an RNS basis: a conversion, a division or the inner product of key switching."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from momagen.emit.c.file import Declaration
from momagen.emit.c.rows import Private, codes_of, declared, declared_part, rows_source
from momagen.errors import MomagenError
from momagen.kinds.registry import kind_of
from momagen.kinds.rns.basis import RowsSpec
from momagen.lower.rns.kernels import BLOCK

from .known_answers import LENGTH
from .member import MacroConstant, Member
from .request import Wanted
from .rows_answers import ARITH, moduli_of, rows_answers
from .tried_kernel import TriedKernel
from .variants import Variant


@dataclass(frozen=True)
class RowsMember(Member):
    """A kernel on the rows of an RNS basis; threads share the columns of a call.

    Attributes:
        specs: The request for each variant.
    """

    specs: tuple[RowsSpec, ...]

    @property
    def template(self) -> str:
        """The template of the file that selects a variant."""
        return "rows.c"

    @property
    def spec(self) -> RowsSpec:
        """The request, for the best variant."""
        return self.specs[0]

    @property
    def what(self) -> str:
        """A description of the kernel."""
        return kind_of(self.spec).describe(self.spec)

    @cached_property
    def functions(self) -> Mapping[str, Declaration]:
        """The public functions, by verb."""
        return declared(self.spec, self.symbol, self.moduli, self.word)

    @cached_property
    def of_variant(self) -> Mapping[str, Declaration]:
        """The functions of one variant that the plan calls."""
        return {"create": self.functions["create"], "part": declared_part(self.spec, self.symbol, self.word)}

    @property
    def constants(self) -> Sequence[MacroConstant]:
        """The macros of the header."""
        found = [MacroConstant("WORDS", ARITH.words, f"the number of {ARITH.word}-bit words of a residue")]
        return found + [MacroConstant(name, *each) for name, each in self.spec.interface.constants.items()]

    @property
    def codes(self) -> Sequence[str]:
        """The error codes of the variants' functions."""
        return [*codes_of(self.spec)]

    def details(self) -> dict[str, Any]:
        """Return the values that the templates use for kernels on rows."""
        operands, extra = [*self.spec.interface.operands], self.spec.interface.permutations
        by_words = [word for each in operands for word in (each, "0")]
        by_rows = [word for each in operands for word in ("0", each)]
        tested = [f"in[{i}]" for i in range(len(operands))]
        tested_rows = [f"(const {self.word} *const *){each}" for each in tested]
        none = ["0"] * len(extra)
        return {
            "words": ARITH.words, "rooted": False, "sized": False, "sums": False, "basis": False, "grain": BLOCK,
            "checked": ["z", *operands],
            "parts": {"execute": ["plan", "z", "0", *by_words, *extra, "n"],
                      "execute_rows": ["plan", "0", "z", *by_rows, *extra, "n"]},
            "passed": {
                "execute": ["plan", "z", *tested, *none, "count"],
                "execute_rows": ["plan", "z", *tested_rows, *none, "count"],
            },
            "by_counts": _create(self.spec, [f"counts[{i}]" for i in range(len(counts_of(self.spec)))]),
        }  # fmt: skip

    def description(self) -> Iterator[tuple[str, object]]:
        """Yield the keys and values of the kernel in a TOML file."""
        yield "kind", self.spec.kind.name
        yield from self.spec.meaning().items()

    def facts(self) -> dict[str, object]:
        """Return the properties of the kernel that the command line prints as JSON."""
        return {**dict(self.description()), "words": ARITH.words}


def rows_member(wanted: Wanted, library: str, own: tuple[Variant, ...], made_by: str) -> RowsMember:
    """Generate the kernel ``wanted`` for its variants.

    Args:
        wanted: The request for the kernel.
        library: The name of the library.
        own: The kernel's variants, best first.
        made_by: The command that generates the library.

    Raises:
        MomagenError: The kernel cannot be generated for a variant.
    """
    specs = tuple(replace(wanted.spec, target=variant.target) for variant in own)
    names = [f"{library}_{wanted.name}_{variant.name}" for variant in own]
    try:
        sources = tuple(rows_source(spec, Private(name, made_by)) for spec, name in zip(specs, names, strict=True))
    except MomagenError as error:
        raise error.at(f"kernel {wanted.name}, {error.where}") from None
    return RowsMember(wanted.name, library, own, sources, (_trial(wanted.name, library, specs[0]),), specs)


def counts_of(spec: RowsSpec) -> tuple[int, ...]:
    """Return the numbers that ``create`` takes; the numbers of moduli come first."""
    kind = spec.kind
    return (*map(len, kind.bases(spec)), *(kind.numbers(spec)[each] for each in spec.interface.sizes))


def _create(spec: RowsSpec, counts: Sequence[str]) -> str:
    """Return the arguments of ``create`` in C, where q has the moduli of all bases."""
    interface, values = spec.interface, spec.kind.numbers(spec)
    arrays, bases = ["q", f"q ? q + {len(spec.moduli)} : 0"], len(interface.bases)
    numbers = [f"UINT64_C({values[each]})" for each in interface.numbers]
    pairs = [each for pair in zip(counts[:bases], arrays, strict=False) for each in pair]
    return ", ".join([*pairs, *counts[bases:], *numbers, "why"])


def _trial(name: str, library: str, spec: RowsSpec) -> TriedKernel:
    """Return the kernel as the tests try it; a unit is a column."""
    counts, interface = counts_of(spec), spec.interface
    return TriedKernel(
        name, name, f"{library}_{name}", ARITH, tuple(rows_answers(spec)),
        _create(spec, [*map(str, counts)]), tuple(map(len, spec.kind.tops(spec))),
        result_rows=len(spec.goals), works=len(spec.goals), count=LENGTH, batch=3 * BLOCK + 2,
        in_place="SIZE_MAX" if interface.is_in_place else "0", odd=interface.is_odd,
        moduli=len(moduli_of(spec)), counts=counts, bases=len(interface.bases), by_rows=True,
    )  # fmt: skip
