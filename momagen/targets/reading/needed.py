"""The check that a target has the operations to which rules reduce all others."""

from __future__ import annotations

from momagen.errors import build_error

from ..target import Target

Needs = tuple[str, ...]
"""Operations of which a target must have one."""


def _each(names: str) -> tuple[Needs, ...]:
    """Return the need of each operation in a text that separates their names by blanks."""
    return tuple((name,) for name in names.split())


WORDS: tuple[Needs, ...] = (*_each("addlo sublo and or not select word shr shl low"), ("lt", "lts"))
"""What operations on words need."""
INTEGER_LIMBS = _each("fmalo fmahi sal")
"""What integer limbs need in addition."""
REAL_LIMBS = _each("radd rsub rmul rfms rfnma real unreal plus sal")
"""What floating-point limbs need in addition."""


def check_needed(target: Target, where: str) -> None:
    """Check that a target has the operations that its kernels need.

    Raises:
        MomagenError: It lacks one; the message names it.
    """
    for key, needed in (("", WORDS), ("digit", INTEGER_LIMBS), ("real", REAL_LIMBS)):
        if key and not getattr(target, key):
            continue
        for ways in needed:
            if target.ops.keys().isdisjoint(ways):
                names, why = " or ".join(f"`{op}`" for op in ways), f", because `{key}` is not 0" * bool(key)
                raise build_error(f"a target needs a row {names} in [ops]{why}", where)
