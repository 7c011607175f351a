"""The element-wise kernel of which a kernel on the rows of RNS bases is made: terms a·x + y modulo each modulus."""

from __future__ import annotations

from momagen.errors import MomagenError
from momagen.kernels.rns.choice import format_of
from momagen.kinds.limits import check
from momagen.kinds.modular.fields import ROW
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.options.record import KernelOptions
from momagen.kinds.modular.spec import Spec
from momagen.targets import Target

from .basis import RowsSpec
from .targets import LIMITS_OF_TERMS, computing_target


def class_of(spec: RowsSpec) -> Spec:
    """Return the kernel of one product, whose width serves all moduli of both sides as their format shifts them.

    Raises:
        MomagenError: moduli of more than a word, or a target of another language.
    """
    target = _checked_target(spec)
    longest = (1 << max(spec.bits, format_of(target, spec.bits).bits)) - 1
    return _axpy(spec, target, longest)


def term_of(spec: RowsSpec) -> Spec:
    """Return the kernel of one term, for all moduli of both sides.

    Raises:
        MomagenError: moduli of more than a word, too many, or some that are too large to be residues modulo others.
    """
    target, least = _checked_target(spec), min(spec.goals)
    most, room = max(spec.sources), 1 << ROW - spec.bits
    factors = [m for m in (1, 2, 4, 8) if m <= room]
    able = [m for m in factors if most <= m * least]
    if not able:
        expected = f"moduli up to {factors[-1] * least}, because the smallest modulus of the result is {least}"
        raise MomagenError(expected, most, "moduli")
    return _axpy(spec, target, max(*spec.moduli, *spec.goals), able[0])


def _checked_target(spec: RowsSpec) -> Target:
    """Return the target that computes, which must have words that hold every modulus."""
    check(spec, LIMITS_OF_TERMS)
    return computing_target(spec.target)


def _axpy(spec: RowsSpec, target: Target, modulus: int, factor: int = 1) -> Spec:
    """Return the kernel a·x + y for moduli as long as ``modulus``, whose vectors are below factor·q."""
    options = KernelOptions(threads=spec.threads or None, input_factor=factor if factor > 1 else None)
    return make_spec("axpy", modulus=modulus, target=target, options=options)
