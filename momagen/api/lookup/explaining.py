"""The function ``momagen.explain``, which shows how an operation, a kernel's element or a transform is rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, Unpack

from momagen.api.makers import AnyOptions
from momagen.api.native import resolved
from momagen.api.request import taking
from momagen.errors import among, build_error
from momagen.explain import ELEMENTS, OPERATIONS, Explanation, element
from momagen.explain import operation as explained_operation
from momagen.explain.explained_transform import ExplainedTransform, explained
from momagen.kinds.modular.options.declared import OptionGroup, names_of
from momagen.kinds.modular.options.reading import written_value
from momagen.kinds.modular.typed import PresetName
from momagen.renamed import renewed
from momagen.runtime.native import NATIVE, tuned_candidates
from momagen.values.numbers import integer
from momagen.values.targets import TargetName, requested_target
from momagen.values.texts import flag, text

TRANSFORM = "ntt"
"""The kind of kernel whose plan is explained."""
EXPLAINED = (*OPERATIONS, *ELEMENTS, TRANSFORM)
"""Everything that can be explained."""
CHOSEN = ("algorithm", "radix", "limbs", *names_of(OptionGroup.MATRICES))
"""The options that only a transform has."""
WIDTH, POINTS = 128, 4096
"""The default width of the container in bits, and the default number of points."""
Explained: TypeAlias = Explanation | ExplainedTransform


@taking(AnyOptions)
def explain(
    operation: str, *, n: int | str | None = None, bits: int | str | None = None, modulus_bits: int | str | None = None,
    modulus: int | str | None = None, target: TargetName = "c", inverse: bool = False, negacyclic: bool = False,
    order: str | None = None, columns: int | str | None = None, depth: int | str | None = None,
    preset: PresetName | None = None, layout: str | None = None, **options: Unpack[AnyOptions],
) -> Explained:  # fmt: skip
    """Explain how an operation, an element of a BLAS kernel or a transform becomes operations on a target's words.

    This is ``momagen explain`` in Python. A notebook displays the result; elsewhere ``print(result.text())`` prints the
    steps, and ``result.html()`` returns a page.

    Args:
        operation: "add", "mul", "addmod", "mulmod", "butterfly", …; a BLAS kernel such as "vmul", of which one element
            is explained; or "ntt", whose plan and codelets are explained.
        n: The number of points of the transform (default: 4096). Only "ntt" takes ``n``, ``inverse``, ``negacyclic``,
            ``order``, ``columns``, ``depth``, ``preset`` and ``layout``, whose meaning is that of :func:`momagen.ntt`.
        bits: The width of the numbers, or of the container of a modulus (default: 128).
        modulus_bits: The width of the modulus (default: 4 bits less than the container).
        modulus: A known modulus, as if it were baked into the kernel; it excludes ``bits`` and ``modulus_bits``.
        target: The target whose words are used, as for :func:`momagen.ntt`.
        inverse: Whether the transform is an inverse one.
        negacyclic: Whether the ring of the transform is Z_q[x]/(x^n + 1).
        order: The order of the transform's values: "bitrev" (the default) or "natural".
        columns: The number of columns of the transform.
        depth: The number of butterfly levels of the transform.
        preset: The transform of a standard, such as "ml-kem".
        layout: The words of the transform's arrays: "u16", "u32" or "u64".
        **options: The choices between implementations that are used, such as ``reduction`` and ``multiply``.

    Returns:
        An ``Explanation`` with its ``steps`` and ``operations``, or for "ntt" an ``ExplainedTransform`` with its
        ``plan``, ``breakdown`` and ``codelets``.

    Raises:
        MomagenError: The operation is unknown, or the arguments do not fit it.

    Examples:
        >>> import momagen as mg
        >>> result = mg.explain("addmod", bits=128, target="c64")
        >>> result.operations["addlo"]
        2
        >>> mg.explain("ntt", n=1024, bits=128, target="avx512ifma").plan.passes[0].steps
        [2, 1, 1]
    """
    text(operation, "operation")
    shape = {
        "n": n, "depth": depth, "preset": preset, "columns": columns, "inverse": flag(inverse, "inverse"),
        "negacyclic": flag(negacyclic, "negacyclic"), "order": order, "layout": layout,
    }  # fmt: skip
    width = {"bits": bits, "modulus_bits": modulus_bits, "modulus": modulus}
    size = {name: integer(value, name) for name, value in width.items() if value is not None}
    chosen = {name: written_value(name, value) for name, value in renewed(options).items() if value is not None}
    _check(operation, {**shape, **{name: chosen.get(name) for name in CHOSEN}}, size)
    if operation not in (*ELEMENTS, TRANSFORM):
        return _operation(operation, size, target, chosen)
    usual = {} if size or preset else {"bits": WIDTH}
    usual |= {"n": POINTS} if operation == TRANSFORM and not preset and n is None else {}
    baked = {"bake": "yes"} if "modulus" in size else {}
    found = resolved(operation, target=target, **{**size, **shape, **usual}, **{**chosen, **baked})
    return explained(found) if operation == TRANSFORM else element(found)


def _check(operation: str, of_transform: Mapping[str, object], size: Mapping[str, int]) -> None:
    """Reject an unknown operation, arguments that only a transform has, and a width next to a modulus.

    Raises:
        MomagenError: The arguments do not fit the operation.
    """
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
    """Return the explanation of an operation on integers."""
    machine = tuned_candidates()[0] if isinstance(target, str) and target == NATIVE else requested_target(target)
    return explained_operation(operation, target=machine, options=options, **{"bits": WIDTH, **size})
