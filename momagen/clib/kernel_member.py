"""A transform, product or element-wise kernel of a library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from momagen.bench.measure.fresh import CHAINED, fresh
from momagen.emit import generate
from momagen.emit.c.file import Declaration, interface
from momagen.emit.codes import CODES
from momagen.kinds.modular.derived.inner import of_modulus, of_size
from momagen.kinds.modular.derived.sharing import smallest_part, work_of
from momagen.kinds.modular.parameters import SharedParameters
from momagen.kinds.modular.spec import Spec
from momagen.kinds.parameter import parameters_of
from momagen.kinds.values import is_basis

from .known_answers import LENGTH, answers
from .member import MacroConstant, Member
from .request import Wanted
from .tried_kernel import TriedKernel
from .variants import Variant

TRIED = (2, 16, 256, 1024)
"""The sizes that a library's own test tries of a transform of any size."""
SHORT = 1 << 12
"""The number of words in the smallest part of a call for one thread, if the size is known at run time only."""
LONG = 1 << 25
"""The number of word products of a transform from which on a library's tests do the least.

Such a transform takes some tens of milliseconds.
"""


@dataclass(frozen=True)
class VariantSpec(Spec):
    """A specification whose files and functions have the name ``symbol``.

    Attributes:
        symbol: The name.
        made_by: The command that generates the library.
    """

    symbol: str = ""
    made_by: str = ""

    @property
    def name(self) -> str:
        """The name of the files and functions."""
        return self.symbol

    def command(self) -> str:
        """Return the command that generates the library."""
        return self.made_by

    def check_command(self, suffix: str) -> str:
        """Return the command that generates the library, which verifies each of its kernels."""
        return self.made_by


FIRST = ("columns", "montgomery", "blowup", "coset", "inverse", "negacyclic", "order")
"""The parameters that the TOML file of a library states first; others follow in the order of their declarations."""


@dataclass(frozen=True)
class KernelMember(Member):
    """A transform, product or element-wise kernel.

    With several moduli, each variant serves one modulus, and the plan of the library holds one variant's plan for each.

    Attributes:
        spec: The request, for the best variant.
    """

    spec: Spec

    @property
    def template(self) -> str:
        """The template of the file that selects a variant."""
        return "basis.c" if self.spec.basis else "kernel.c"

    @property
    def what(self) -> str:
        """A description of the kernel."""
        return self.spec.kind.describe(self.spec)

    @cached_property
    def functions(self) -> Mapping[str, Declaration]:
        """The public functions, by verb."""
        return self._declared(self.spec)

    @cached_property
    def of_variant(self) -> Mapping[str, Declaration]:
        """The functions of one variant, which serves one modulus, other than ``destroy``, by verb."""
        found = self._declared(replace(self.spec, basis=(), roots=()))
        return {verb: found[verb] for verb in ("create", "execute")}

    def _declared(self, spec: Spec) -> Mapping[str, Declaration]:
        """Return the declarations of the functions of ``spec``."""
        return interface(spec, self.symbol, self.moduli, self.word)

    @property
    def constants(self) -> Sequence[MacroConstant]:
        """The macros of the header."""
        spec, thing = self.spec, self.spec.kind.thing
        found = [MacroConstant("WORDS", spec.arith.words, f"the number of {spec.arith.word}-bit words of a residue")]
        if spec.sized:
            return [*found, MacroConstant("MAX_N", spec.length, f"the largest number of residues of a {thing}")]
        if spec.n:
            one = "column" if spec.across > 1 else thing
            found.append(MacroConstant("N", spec.length, f"the number of residues of one {one}"))
        if spec.blowup > 1:
            found.append(MacroConstant("BLOWUP", spec.blowup, "the number of outputs for each input"))
        if spec.across > 1:
            found.append(MacroConstant("COLUMNS", spec.across, "the number of columns of one transform"))
        return found

    @property
    def codes(self) -> Sequence[str]:
        """The error codes of the variants' functions."""
        return [*CODES]

    def details(self) -> dict[str, Any]:
        """Return the values that the templates use for such kernels."""
        spec, words = self.spec, self.spec.arith.words
        return {
            "words": words, "unit": spec.elements * words, "rooted": bool(spec.n), "sized": spec.sized,
            "steps": dict.fromkeys(spec.ranges.vectors, spec.elements * words)
                     | {spec.ranges.result: spec.results * words},
            "sums": spec.sums, "basis": bool(spec.basis), "grain": SHORT if spec.sized else smallest_part(spec),
            "by_counts": "",
            "passed": {"execute": ["plan", "z", *[f"in[{i}]" for i in range(len(spec.ranges.operands))], "count"]},
        }  # fmt: skip

    def description(self) -> Iterator[tuple[str, object]]:
        """Yield the keys and values of the kernel in a TOML file."""
        spec = self.spec
        yield "kind", spec.kind.name
        if spec.n:
            yield from [("n", "any"), ("max_n", spec.n)] if spec.sized else [("n", spec.length)]
        if spec.basis:
            yield "moduli", [*map(hex, spec.basis)]
            yield from [("roots", [*map(hex, spec.roots)])] * (spec.n > 0)
        else:
            yield "modulus", hex(spec.modulus)
            yield from [("root", hex(spec.root))] * (spec.n > 0)
        if spec.degree > 1:
            yield "depth", spec.depth
        shared = parameters_of(SharedParameters)
        for name in dict.fromkeys((*FIRST, *shared)):
            value = spec.across if name == "columns" else getattr(spec, name)
            if not is_basis(shared[name]) and not shared[name].is_usual(value):
                yield name, hex(value) if name == "coset" else value
        yield from sorted(spec.options.texts().items())

    def facts(self) -> dict[str, object]:
        """Return the properties of the kernel that the command line prints as JSON."""
        spec = self.spec
        return {
            "kind": spec.kind.name, "n": spec.n, "columns": spec.columns, "modulus": hex(spec.modulus),
            "root": hex(spec.root), "words": spec.row,
        }  # fmt: skip


def kernel_member(wanted: Wanted, library: str, own: tuple[Variant, ...], made_by: str) -> KernelMember:
    """Generate the kernel ``wanted`` for its variants.

    Args:
        wanted: The request for the kernel.
        library: The name of the library.
        own: The kernel's variants, best first.
        made_by: The command that generates the library.
    """
    values = {field.name: getattr(wanted.spec, field.name) for field in fields(Spec)}
    symbols = {variant.target: f"{library}_{wanted.name}_{variant.name}" for variant in own}
    specs = [
        VariantSpec(**{**values, "target": target}, symbol=name, made_by=made_by) for target, name in symbols.items()
    ]
    rows = [of_modulus(spec, spec.basis.index(spec.modulus)) if spec.basis else spec for spec in specs]
    sources, whole = tuple(map(generate, rows)), replace(wanted.spec, target=own[0].target)
    return KernelMember(wanted.name, library, own, sources, tuple(_trials(wanted.name, library, whole)), whole)


def _trials(name: str, library: str, whole: Spec) -> Iterator[TriedKernel]:
    """Yield the kernel, or some of its sizes, as the tests try it."""
    one = of_modulus(whole, whole.basis.index(whole.modulus)) if whole.basis else whole
    for spec in [of_size(one, n) for n in TRIED if n in one.sizes] if one.sized else [one]:
        grain, brief, ranges = smallest_part(spec), _products(spec) > LONG, spec.ranges
        numbers = [*["q", "root"][: 1 + (spec.n > 0)], "why"]
        sizes = [str(spec.n)] * whole.sized + ["1"] * bool(whole.basis)
        unit = LENGTH if spec.sums else spec.elements
        yield TriedKernel(
            name + f"_{spec.n}" * whole.sized, name, f"{library}_{name}", spec.arith, tuple(answers(spec)),
            ", ".join([*sizes, *numbers]), (1,) * len(ranges.operands), unit,
            gives=LENGTH if spec.sums else spec.results, scalars=len(ranges.scalars),
            work=spec.kind.unit, works=work_of(spec),
            count=1 if spec.n or spec.sums else LENGTH, batch=2 if brief or spec.sums else 3 * grain + 2, brief=brief,
            in_place="1" if spec.blowup > 1 else "SIZE_MAX", output=ranges.output, odd=spec.odd,
            rooted=bool(spec.n), chained=fresh(spec, spec.modulus) == CHAINED, max_n=whole.n * whole.sized,
            basis=bool(whole.basis), spec=spec,
        )  # fmt: skip


def _products(spec: Spec) -> int:
    """Return the approximate number of word products of one transform, product or element."""
    transforms, levels = spec.kind.transform_count, (spec.n * spec.blowup).bit_length()
    return max(transforms * spec.results // 2 * levels, 1) * spec.arith.words**2
