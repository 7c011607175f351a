"""What is known of a generated kernel before a compiler has seen it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from momagen.arguments import checked_methods
from momagen.emit import Source
from momagen.files import path_of
from momagen.kernels.spec.spec import Spec
from momagen.lazy import on_call
from momagen.targets import Target, load_target

from .manifest import write

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from momagen.plan import TransformPlan
    from momagen.tune import Advice

exponents: Callable[[Spec], npt.NDArray[np.int64]] = on_call("momagen.api.calls.points", "exponents")
points: Callable[[Spec], list[int]] = on_call("momagen.api.calls.points", "points")
kernel_text: Callable[[Source], str] = on_call("momagen.explain", "kernel_text")
plan_for: Callable[[Spec], TransformPlan] = on_call("momagen.explain.explained_transform", "plan_for")


@checked_methods
class Described:
    """A kernel's texts, parameters, order and origin.

    Attributes:
        generated: the texts, and what they were made from. wisdom: what `momagen tune` had found, where it was asked.
        target: what they are for. spec: what was asked for; of a transform of any size, one size where that was.
    """

    def __init__(self, generated: Source, wisdom: Advice | None = None, spec: Spec | None = None) -> None:
        self.generated = generated
        self.wisdom = wisdom
        self.spec = spec or generated.spec
        self.target: Target = load_target(generated.spec.target)

    @property
    def name(self) -> str:
        """The base name of the kernel's files, and the prefix of its C functions."""
        return self.generated.name

    @property
    def source(self) -> str:
        """The C file."""
        return self.generated.source

    @property
    def header(self) -> str:
        """The header file."""
        return self.generated.header

    @property
    def modulus(self) -> int:
        """The prime q."""
        return self.spec.modulus

    @property
    def moduli(self) -> tuple[int, ...]:
        """The moduli of a residue number system; of another kernel its own."""
        return self.spec.basis or (self.modulus,)

    @property
    def root(self) -> int:
        """The root of unity; 0 for BLAS. With an automorphism its C is told a power of it, ``spec.told_root``."""
        return self.spec.root

    @property
    def n(self) -> int:
        """Points of the transform, of one of any size the most, or coefficients of an incomplete one; 0 for BLAS."""
        return self.spec.length

    @property
    def operands(self) -> tuple[str, ...]:
        """What a call takes, in order: scalars, then vectors."""
        return tuple(self.spec.ranges.operands)

    @property
    def words(self) -> int:
        """64-bit words of a residue."""
        return self.spec.row

    @property
    def rules_applied(self) -> Counter[str]:
        """How often each rewrite rule was applied, by its label."""
        return self.generated.rules_applied

    @property
    def operations(self) -> Counter[str]:
        """Word operations of all codelets, by kind."""
        return self.generated.operations

    @property
    def notes(self) -> list[str]:
        """What else is worth knowing."""
        return self.generated.notes

    @cached_property
    def order(self) -> npt.NDArray[np.int64]:
        """Which point each value of a transform is at: an array e of shape (n,), read-only.

        Value j, of what comes out or (inverse) goes in, is the polynomial's at ω^e[j]; ω is the root, of order 2n where
        the transform is negacyclic. With an automorphism the polynomial whose values come out is a(x^g); values that go
        in are those of a.

        Raises:
            MomagenError: no transform.
        """
        return exponents(self.spec)

    def points(self) -> list[int]:
        """ω^e modulo q for each e of ``order``: value j is the polynomial's at points()[j]."""
        return points(self.spec)

    @cached_property
    def plan(self) -> TransformPlan:
        """The plan: the passes of a transform of one size, and where every bit of an index lives in them; print it.

        Raises:
            MomagenError: another kernel.
        """
        return plan_for(self.spec)

    @property
    def formula(self) -> str:
        """What the passes of a transform compute, as a product of sparse matrices."""
        return self.plan.formula

    def explain(self) -> str:
        """What made this kernel: its words, the rewrite rules applied, its word operations, and what wisdom said."""
        return kernel_text(self.generated) + (f"\nwisdom: {self.wisdom}" if self.wisdom else "")

    def save(self, folder: str | Path) -> Path:
        """Write NAME.c, NAME.h and NAME.json, from which :func:`momagen.load` makes the kernel again; gives the folder.

        Raises:
            MomagenError: the folder cannot be written; then nothing is.
        """
        return write(self.generated, path_of(folder, "save"))
