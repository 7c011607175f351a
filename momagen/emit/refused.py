"""Why a kernel gives no plan."""

from __future__ import annotations

from typing import Protocol

from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec

from .codes import BAD_MODULUS, BAD_ROOT, NO_MEMORY


class Serving(Protocol):
    """A kernel that serves some moduli."""

    @property
    def spec(self) -> Spec: ...
    @property
    def name(self) -> str: ...
    @property
    def moduli(self) -> str: ...


class Refused(MomagenError):
    """create gave no plan; ``code`` is the name of its error code."""

    def __init__(self, code: str, expected: str, got: object, where: str) -> None:
        super().__init__(expected, got, where)
        self.code = code


def refusal(kernel: Serving, code: str, modulus: int | str, root: int | str) -> Refused:
    """What to raise where create answers ``code``."""
    reasons: dict[str, tuple[str, object, str]] = {
        BAD_MODULUS: (f"a modulus that {kernel.name} serves, {kernel.moduli}", modulus, "modulus"),
        BAD_ROOT: (f"a root of order {kernel.spec.order_of_root} modulo {modulus}", root, "root"),
        NO_MEMORY: ("memory for the tables", "none", "create"),
    }
    return Refused(code, *reasons.get(code, ("a plan, or a code that says why not", code, "create")))
