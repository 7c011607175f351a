"""What a program of choices is: ``pick(lo, hi)`` is any integer of that range."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Pick: TypeAlias = Callable[[int, int], int]
Case: TypeAlias = tuple[int, tuple[int, ...]]
"""The attribute k and the arguments."""
Program: TypeAlias = Callable[[Pick, int], Case]


class EmptyRangeError(Exception):
    """A choice among nothing: the choices before it lead to no valid input."""
