"""Kernels and every maker's options as types: editors complete them, type checkers check them, ``help`` shows them.

They repeat the values in the tables beside this file and import none of them; None stands for an option not given.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, TypedDict, TypeVar, get_args, get_type_hints

Made = TypeVar("Made", bound=Callable[..., object])
Algorithm = (
    Literal["ring", "cooley_tukey", "gentleman_sande", "pease", "korn_lambiotte", "stockham", "stockham_dif"] | None
)
Elementwise = Literal[
    "vadd", "vsub", "vmul", "axpy", "scal", "vadds", "vsubs", "vneg", "reduce", "cmpadd", "cmpsub"
]  # fmt: skip
Order = Literal["bitrev", "natural"]
Switch = bool | Literal["no", "yes"] | None


class RuleOptions(TypedDict, total=False):
    """Alternatives of the rule table; what every kernel has."""

    multiply: Literal["schoolbook", "karatsuba"] | None
    compare: Literal["borrow", "less"] | None
    carry: Literal["unsigned", "signed"] | None
    borrow: Literal["comparison", "top"] | None
    product: Literal["words", "halves"] | None
    bake: Switch
    unroll: Literal[1, 2, 4, 8] | None
    output_factor: Literal[1, 2, 4, 8] | None


class PolynomialOptions(RuleOptions, total=False):
    """Options of :func:`momagen.polymul`."""

    radix: Literal[2, 4, 8, 16] | None
    quotients: Literal["table", "computed"] | None
    reduction: Literal["about", "lazy", "tight", "montgomery"] | None
    input_factor: Literal[1, 2, 4, 8] | None


class DataFlowOptions(TypedDict, total=False):
    """How a transform goes through memory."""

    algorithm: Algorithm
    levels: Literal[2, 3, 4, 5, 6] | None
    group: Literal[1, 2, 4, 8] | None
    paired: Switch
    constants: Literal["registers", "memory"] | None
    chain: Literal[8, 16, 32, 64] | None
    twiddles: Literal["whole", "packed"] | None
    storage: Literal["digits", "words"] | None


class TransformOptions(PolynomialOptions, DataFlowOptions, total=False):
    """Options of :func:`momagen.ntt`."""

    digits: Literal["full", "slack"] | None


class ElementwiseOptions(RuleOptions, total=False):
    """Options of :func:`momagen.blas`."""

    reduction: Literal["about", "lazy", "tight", "wide", "montgomery", "barrett"] | None
    digits: Literal["full", "slack"] | None
    interleave: Literal[1, 2, 3, 4, 6, 8] | None
    cmp: Literal["eq", "lt", "le", "ne", "nlt", "nle", "true", "false"] | None
    input_factor: Literal[1, 2, 4, 8, "any"] | None


class AnyOptions(ElementwiseOptions, DataFlowOptions, total=False):
    """Options of :func:`momagen.tune`: those of the kind that is tuned."""

    radix: Literal[2, 4, 8, 16] | None
    quotients: Literal["table", "computed"] | None


def written(value: object) -> str:
    """An option's value as the tables write it."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@cache
def listed(options: type) -> dict[str, tuple[str, ...]]:
    """The options of a TypedDict of this file, each with its values as the tables write them."""
    return {
        name: tuple(written(value) for part in get_args(hint) for value in get_args(part))
        for name, hint in get_type_hints(options).items()
    }


def taking(options: type) -> Callable[[Made], Made]:
    """Show the keys of ``options``, which a maker takes as its last argument, in its signature."""

    def shown(maker: Made) -> Made:
        signature = inspect.signature(maker)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            for name, annotation in _annotations(options).items()
        ]
        maker.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        return maker

    return shown


def _annotations(options: type) -> dict[str, Any]:
    """The names and types of a TypedDict and what it stands on, as they are written."""
    return {name: getattr(kind, "__forward_arg__", kind) for name, kind in options.__annotations__.items()}
