"""The step from values as users write them to a request for a kernel modulo q."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from momagen.errors import MomagenError, build_error, nearest
from momagen.kinds.modular.options.reading import read_options
from momagen.kinds.modular.options.values import OPTIONS
from momagen.kinds.modular.parameters import ModularShorthand, modular_parameters
from momagen.kinds.modular.presets import REFERENCE, filled, reference
from momagen.kinds.parameter import parameters_of
from momagen.kinds.values import is_basis, parsed
from momagen.renamed import renewed
from momagen.values.moduli import basis_of
from momagen.values.numbers import integer

from .request import KernelRequest, requested

if TYPE_CHECKING:
    from momagen.kinds.modular.kinds.modular_kind import ModularKind

SHORTHAND = tuple(parameters_of(ModularShorthand))
ANY, MAX_N = "any", 1 << 17
"""The value of n that requests all sizes, and the largest of these sizes by default."""


def read_request(kind: ModularKind, values: Mapping[str, object]) -> KernelRequest:
    """Return the request for values as users write them.

    Raises:
        MomagenError: A value is missing or invalid, or a name is unknown or does not apply to the kind.
    """
    given = filled({name: value for name, value in renewed(values).items() if value is not None})
    _check_names(kind, given)
    options = read_options(kind, {name: value for name, value in given.items() if name in OPTIONS})
    given |= _points(kind, given)
    if isinstance(factor := given.get("montgomery"), str) and factor == REFERENCE:
        given["montgomery"] = reference(given, kind)
    fields = {each.field: parsed(kind.parameters.get(name, each), given.get(name))
              for name, each in modular_parameters().items() if not (is_basis(each) or name in SHORTHAND)}
    sized = "max_n" in given
    return requested(kind, options=options, sized=sized, **{**fields, **_basis(given, fields)})


def _check_names(kind: ModularKind, given: Mapping[str, object]) -> None:
    """Check that all names are known, and that names of shorthand apply to the kind.

    Requests contain no shorthand, so later checks do not see these names.

    Raises:
        MomagenError: A name is unknown, or a shorthand does not apply to the kind.
    """
    for name in given:
        if name in SHORTHAND and name not in kind.parameters:
            raise build_error(f"`{name}` does not apply to {kind}", name, f"omit `{name}`")
        if name not in OPTIONS and name not in modular_parameters():
            own = [*kind.parameters, *kind.option_values]
            expected = f"only the parameters of {kind}: {', '.join(own)}"
            raise MomagenError(expected, name, name, near=nearest(name, own))


def _points(kind: ModularKind, given: Mapping[str, object]) -> dict[str, object]:
    """Return the number of points, and the largest one if the kernel serves any size up to it."""
    if "n" not in given and kind.has_points:
        raise build_error("the number of points is missing", "n", "specify `n` or `preset`")
    if isinstance(n := given.get("n"), str) and n == ANY:
        most = integer(given.get("max_n", MAX_N), "max_n")
        return {"n": most, "max_n": most}
    if "max_n" in given:
        raise build_error(f'`max_n` can only be used with `n="{ANY}"`', "max_n", "omit `max_n`")
    return {}


def _basis(given: Mapping[str, object], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that depend on several moduli, or an empty mapping for one modulus."""
    moduli, roots, points = given.get("moduli"), given.get("roots"), fields["n"]
    if moduli is None and roots is not None:
        raise build_error("`roots` can only be used with `moduli`", "roots", "use `root` for a single modulus")
    depth = fields["depth"]
    most = points if depth is None else min(points, 1 << max(0, min(depth, 30)))
    return {} if moduli is None else basis_of(moduli, roots, fields, most)
