"""``momagen.explain``: one operation, one element of a BLAS kernel or one transform, rewritten step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, Unpack

from momagen.api.checks.arguments import flag, text
from momagen.api.numbers import integer
from momagen.api.request import TargetName, option_text, specify, taking, target_name
from momagen.build.native import NATIVE, candidates
from momagen.errors import among, build_error
from momagen.explain import ELEMENTS, OPERATIONS, Explanation, element
from momagen.explain import operation as explained_operation
from momagen.explain.explained_transform import ExplainedTransform, explained
from momagen.kernels.spec.typed import MATRICES, AnyOptions, PresetName

TRANSFORM = "ntt"
"""The kernel whose plan is explained."""
EXPLAINED = (*OPERATIONS, *ELEMENTS, TRANSFORM)
"""Everything that can be explained."""
CHOSEN = ("algorithm", "radix", "limbs", *MATRICES)
"""Options of which only a transform has a choice."""
WIDTH, POINTS = 128, 4096
"""The width of the container in bits, and the number of points, unless the caller asks for others."""
Explained: TypeAlias = Explanation | ExplainedTransform


@taking(AnyOptions)
def explain(
    operation: str, *, n: int | str | None = None, bits: int | str | None = None, modulus_bits: int | str | None = None,
    modulus: int | str | None = None, target: TargetName = "c", inverse: bool = False, negacyclic: bool = False,
    order: str | None = None, columns: int | str | None = None, depth: int | str | None = None,
    preset: PresetName | None = None, layout: str | None = None, **options: Unpack[AnyOptions],
) -> Explained:  # fmt: skip
    """Explain how an operation, an element of a BLAS kernel or a transform becomes operations on a target's words.

    This is ``momagen explain`` in Python. In a notebook the result shows itself; elsewhere ``print(told.text())``
    prints the steps, and ``told.html()`` returns a page.

    Args:
        operation: "add", "mul", "addmod", "mulmod", "butterfly", …; a BLAS kernel such as "vmul", of which one element
            is explained; or "ntt", whose plan and codelets are explained.
        bits: the width of the numbers, or of the container of a modulus (default: 128).
        modulus_bits: the width of the modulus (default: 4 bits less than the container).
        modulus: a known modulus, as where it is baked into the kernel; it excludes ``bits`` and ``modulus_bits``.
        target: the target whose words are used, as for :func:`momagen.ntt`.
        n: the points of the transform (default: 4096). Only "ntt" takes ``n``, ``inverse``, ``negacyclic``, ``order``,
            ``columns``, ``depth``, ``preset`` and ``layout``, whose meaning is that of :func:`momagen.ntt`.
        options: the alternatives of the kernel and of the rule table that are to be used, such as ``reduction`` and
            ``multiply``.

    Returns:
        An ``Explanation`` with its ``steps`` and ``operations``, or for "ntt" an ``ExplainedTransform`` with its
        ``plan``, ``breakdown`` and ``codelets``.

    Raises:
        MomagenError: The operation is unknown, or the arguments do not fit it.
    """
    text(operation, "operation")
    shape = {
        "n": n, "depth": depth, "preset": preset, "columns": columns, "inverse": flag(inverse, "inverse"),
        "negacyclic": flag(negacyclic, "negacyclic"), "order": order, "layout": layout,
    }  # fmt: skip
    width = {"bits": bits, "modulus_bits": modulus_bits, "modulus": modulus}
    size = {name: integer(value, name) for name, value in width.items() if value is not None}
    chosen = {name: option_text(name, value) for name, value in options.items() if value is not None}
    _check(operation, {**shape, **{name: chosen.get(name) for name in CHOSEN}}, size)
    if operation == TRANSFORM:
        return _transform(shape, size, target, chosen)
    return (_element if operation in ELEMENTS else _operation)(operation, size, target, chosen)


def _check(operation: str, of_transform: Mapping[str, object], size: Mapping[str, int]) -> None:
    """Refuse an unknown operation, arguments that only a transform has, and a width beside a modulus."""
    if operation not in EXPLAINED:
        raise among("one of the operations", EXPLAINED, operation, "operation")
    for name, value in of_transform.items():
        if operation != TRANSFORM and not (value is None or value is False):
            problem = f"`{name}` applies only to the operation {TRANSFORM}, not to {operation}"
            raise build_error(problem, name, f"omit `{name}`")
    if "modulus" in size and len(size) > 1:
        width = next(name for name in size if name != "modulus")
        raise build_error(f"`{width}` cannot be combined with `modulus`", width, "use one of the two")


def _operation(operation: str, size: Mapping[str, int], target: TargetName, options: Mapping[str, str]) -> Explanation:
    name = candidates()[0] if isinstance(target, str) and target == NATIVE else target_name(target)
    return explained_operation(operation, target=name, options=options, **{"bits": WIDTH, **size})


def _element(operation: str, size: Mapping[str, int], target: TargetName, options: Mapping[str, str]) -> Explanation:
    return element(specify(operation, target=target, options=_baked(options, size), **_width(size)))


def _transform(
    shape: Mapping[str, Any], size: Mapping[str, int], target: TargetName, options: Mapping[str, str]
) -> ExplainedTransform:
    usual = {"order": "bitrev", "columns": 1} | ({} if shape["preset"] else {"n": POINTS})
    asked = {**shape, **{name: value for name, value in usual.items() if shape[name] is None}}
    width = dict(size) if shape["preset"] else _width(size)
    return explained(specify(TRANSFORM, target=target, options=_baked(options, size), **width, **asked))


def _width(size: Mapping[str, int]) -> dict[str, Any]:
    return dict(size) if size else {"bits": WIDTH}


def _baked(options: Mapping[str, str], size: Mapping[str, int]) -> dict[str, str]:
    """Return the options with a known modulus baked in."""
    return {**options, "bake": "yes"} if "modulus" in size else dict(options)
