"""The name of a kernel's files, and the prefix of its functions."""

from __future__ import annotations

from momagen.kernels.elementwise.forms import MONTGOMERY
from momagen.kernels.elementwise.frame import CENTRING
from momagen.kinds.modular.fields import SpecFields
from momagen.kinds.modular.ranges import range_parts
from momagen.targets import Target

from .details import name_parts


def stem(spec: SpecFields) -> str:
    """Return the name of a kernel without its target."""
    ranges = range_parts(spec.kind.usual_factors, spec.options)
    end = [*["natural"] * (spec.order == "natural"), *ranges, f"{spec.width}b"]
    return "_".join([*_size(spec), *name_parts(spec), *_residues(spec), *end, *["baked"] * spec.baked])


def _size(spec: SpecFields) -> list[str]:
    """Return the parts of the name for the kind, the points and the columns."""
    points = f"_any{spec.n}" if spec.sized else str(spec.length or "")
    points += f"_depth{spec.depth}" * (spec.degree > 1)
    compared = [spec.options.cmp or CENTRING] * spec.kind.expression.compared
    return [f"{'i' * spec.inverse}{spec.kind}{points}", *compared, *[f"columns{spec.across}"] * (spec.across > 1)]


def _residues(spec: SpecFields) -> list[str]:
    """Return the parts of the name for several moduli, and for the form of residues if it was requested."""
    form, bits = spec.options.form, spec.options.form_bits
    return [*["rns"] * bool(spec.basis), *[MONTGOMERY] * (form == MONTGOMERY), *([] if bits is None else [f"r{bits}"])]


def named_for(stem: str, target: Target) -> str:
    """Return the name for a target, which may be the path of a file."""
    return f"{stem}_{str(target).split('/')[-1].replace('.toml', '').replace(':', '_')}"
