"""The step from a user's arguments, whose numbers may be integers or expressions, to a checked specification."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial, wraps
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from momagen.arguments import checked_arguments
from momagen.errors import MomagenError, build_error, nearest
from momagen.kinds.modular.make_spec import make_spec, modular_kind
from momagen.kinds.modular.options.reading import read_options
from momagen.kinds.modular.options.record import OptionGroup
from momagen.kinds.modular.options.values import OPTIONS
from momagen.kinds.modular.presets import REFERENCE, filled, reference
from momagen.kinds.modular.spec import Spec
from momagen.plan.choices import STEPS, stepped
from momagen.plan.options.defaults import without_defaults
from momagen.renamed import renewed
from momagen.runtime.native import NATIVE
from momagen.targets import Target
from momagen.values.moduli import basis_of
from momagen.values.numbers import integer
from momagen.values.targets import TargetName, requested_target, target_name
from momagen.values.texts import flag, text, text_or

from .native import best

Made = TypeVar("Made", bound=Callable[..., object])
ANY, MAX_N = "any", 1 << 17
"""The value of n that requests all sizes, and the largest of these sizes by default."""
ARGUMENTS = (
    "n", "max_n", "bits", "modulus_bits", "modulus", "moduli", "root", "roots", "generator", "inverse", "negacyclic",
    "order", "columns", "coset", "automorphism", "depth", "preset", "montgomery", "blowup", "input_order", "layout",
    "target", "wisdom",
)  # fmt: skip
"""The arguments of the functions that build kernels, other than options."""
UNSAID = {"coset": 0, "automorphism": 1, "montgomery": 0}
"""The values that None means, for arguments that have a fixed default."""
SAID = ("columns", "blowup")
"""Numbers that are always passed."""
LONG = (OptionGroup.LIMBS, OptionGroup.TILING)
"""The groups of options that require longer words and their limbs."""


def specify(
    kind: str, *, n: object = 0, bits: object = None, modulus: object = None, root: object = None,
    target: TargetName = "c", inverse: bool = False, negacyclic: bool = False, order: str = "bitrev",
    options: Mapping[str, object] | None = None, modulus_bits: object = None, generator: object = None,
    max_n: object = None, moduli: object = None, roots: object = None, columns: object = 1,
    coset: object = None, automorphism: object = None, depth: object = None, preset: object = None,
    montgomery: object = None, blowup: object = 1, input_order: str = "", layout: str | None = None,
) -> Spec:  # fmt: skip
    """Return the checked specification of a kernel.

    This is :func:`momagen.kinds.modular.make_spec.make_spec`, but numbers may be expressions such as "2^255-19", and
    "native" is replaced by the target that it selects, so that the specification means the same on every machine.

    Args:
        kind: The kind of kernel: "ntt", "polymul", "basemul", "lde" or the name of an element-wise kernel.
        n: The number of points, or "any" for every size up to ``max_n`` (default: 2^17).
        bits: The width of the container.
        modulus: The modulus.
        root: The root of unity.
        target: The target.
        inverse: Whether the transform is an inverse one.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1).
        order: The order of the values.
        options: The options.
        modulus_bits: The width of the modulus.
        generator: The generator of the multiplicative group.
        max_n: The largest size if n is "any".
        moduli: The moduli of an RNS basis, or the number of the largest primes of a width.
        roots: The roots of these moduli.
        columns: The number of columns.
        coset: The number g of a coset.
        automorphism: The exponent g of an automorphism.
        depth: The number of butterfly levels.
        preset: A standard's transform, which sets modulus, root, size and number of levels.
        montgomery: The exponent k of a factor 2^k, or "reference".
        blowup: The factor by which a low-degree extension grows its operand.
        input_order: The order of the operand of a low-degree extension.
        layout: The words of the kernel's arrays: "u16", "u32" or "u64". By default, the target selects them by the
            width of the modulus, unless an option requires limbs.

    Raises:
        MomagenError: An argument is invalid, an option is unknown, or ``make_spec`` rejects the combination.
    """
    said = filled(preset, {
        "n": n, "max_n": max_n, "depth": depth, "modulus_bits": modulus_bits, "modulus": modulus, "moduli": moduli,
        "root": root, "roots": roots, "generator": generator, "negacyclic": negacyclic,
    })  # fmt: skip
    for name, value in {"kind": kind, "order": order, "input_order": input_order}.items():
        text(value, name)
    one = ("modulus_bits", "modulus", "root", "generator")
    given = _numbers({"bits": bits, **{name: said[name] for name in one}})
    own = modular_kind(kind)
    chosen = read_options(own, _known(options or {}))
    back, negated, machine = flag(inverse, "inverse"), flag(said["negacyclic"], "negacyclic"), target_name(target)
    points, sized = _points(said["n"], max_n)
    asks_reference = isinstance(montgomery, str) and montgomery == REFERENCE
    factor = reference(preset, own, inverse=back) if asks_reference else montgomery
    given |= _numbers({"columns": columns, "coset": coset, "blowup": blowup, "automorphism": automorphism,
                       "depth": said["depth"], "montgomery": factor})  # fmt: skip
    given |= _basis(moduli, roots, given, points)
    make = partial(
        make_spec, own, n=points, inverse=back, negacyclic=negated, order=order,
        options=chosen, sized=sized, input_order=input_order, **given,
    )  # fmt: skip
    words = text_or("", layout, "layout")
    fixed = not words and bool(chosen.names(*LONG))
    fit = partial(_with_layout, make, words, fixed)
    return best(fit) if machine == NATIVE else fit(requested_target(machine))


def _numbers(values: Mapping[str, object]) -> dict[str, Any]:
    """Return the values as integers, and for None the value that it means."""
    unsaid = {name: UNSAID.get(name) for name, value in values.items() if value is None and name not in SAID}
    return {name: unsaid[name] if name in unsaid else integer(value, name) for name, value in values.items()}


def _basis(moduli: object, roots: object, given: Mapping[str, Any], points: int) -> dict[str, Any]:
    """Return the arguments of several moduli; an empty mapping if there is one modulus."""
    if moduli is None and roots is not None:
        raise build_error("`roots` can only be used with `moduli`", "roots", "use `root` for a single modulus")
    depth = given["depth"]
    most = points if depth is None else min(points, 1 << max(0, min(depth, 30)))
    return {} if moduli is None else basis_of(moduli, roots, given, most)


def _with_layout(make: Callable[..., Spec], layout: str, fixed: bool, target: Target) -> Spec:
    """Return the specification for a target, or for the variant of it that has the words of the layout.

    Args:
        make: A function that returns the specification for a target.
        layout: The requested layout, or "".
        fixed: Whether the other target is used only if it supports the requested options.
        target: The target.
    """
    spec = make(target=target)
    other = target.narrower(spec.width, layout)
    if other is target:
        return without_defaults(spec)
    found = without_defaults(make(target=other))
    asked = found.options.names(*LONG)
    able = not asked or (STEPS.issuperset(asked) and len(spec.kind.transforms(spec)) == 1 and stepped(found))
    return found if able or not fixed else without_defaults(spec)


def _points(n: object, max_n: object) -> tuple[int, bool]:
    """Return the number of points, or the largest one, and whether the kernel serves any size up to it."""
    if n is None:
        raise build_error("the number of points is missing", "n", "specify `n` or `preset`")
    if isinstance(n, str) and n == ANY:
        return (MAX_N if max_n is None else integer(max_n, "max_n")), True
    if max_n is not None:
        raise build_error(f'`max_n` can only be used with `n="{ANY}"`', "max_n", "omit `max_n`")
    return integer(n, "n"), False


def _known(given: Mapping[str, object]) -> dict[str, object]:
    """Return the options that are set, by their present names.

    Raises:
        MomagenError: An option is unknown; the message suggests the nearest argument or option.
    """
    known, given = sorted(OPTIONS), renewed(given)
    for name in given:
        if name in ARGUMENTS:
            raise build_error(f"`{name}` does not apply to this kernel", name, f"omit `{name}`")
        if name not in known:
            near = nearest(name, [*ARGUMENTS, *known])
            raise MomagenError(f"one of the options {', '.join(known)}", name, "options", near=near)
    return {name: value for name, value in given.items() if value is not None}


def taking(options: type) -> Callable[[Made], Made]:
    """Return a decorator that shows the keys of ``options`` in the signature of a function, and checks its keywords.

    Args:
        options: The TypedDict of the options that the function takes as ``**options``.
    """

    def shown(maker: Made) -> Made:
        signature = inspect.signature(maker)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            for name, annotation in _annotations(options).items()
        ]
        maker.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        checked = checked_arguments(maker, (*ARGUMENTS, *OPTIONS))

        @wraps(checked)
        def call(*operands: Any, **given: Any) -> object:
            return checked(*operands, **renewed(given))

        return cast(Made, call)

    return shown


def _annotations(options: type) -> dict[str, str]:
    """Return the names and the types of the keys of a TypedDict, including inherited ones, as signatures show them."""
    return {name: shown_type(hint) for name, hint in get_type_hints(options).items()}


def shown_type(hint: Any) -> str:
    """Return a type as source code writes it, such as "Literal[2, 4] | None"."""
    if get_origin(hint) in (Union, UnionType):
        return " | ".join(map(shown_type, get_args(hint)))
    name = hint.__name__ if isinstance(hint, type) else str(hint).removeprefix("typing.")
    return "None" if hint is NoneType else name
