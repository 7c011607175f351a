"""The writer of a device's program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from momagen.kinds.modular.spec import Spec
from momagen.lower.writer import ProgramWriter
from momagen.plan.schedule.types import Breakdown
from momagen.program import Expr, Function, Number, Type
from momagen.program.device import BLOCK, ROW, ROWS, THREAD

KEPT = ("square", "complement", "one", "generator", "scale", "coset")
"""The plan constants that follow q and 1/q, each as long as a residue. Only transforms on a coset have the
last one."""


class DeviceWriter(ProgramWriter):
    """A writer of the functions of a device's program.

    Attributes:
        stride: The number of words from one residue to the next.
        transforms: The transforms of the program.
        places: The offsets of the constants of ``KEPT``, by name.
        constants: The number of words of all constants of a modulus.
        kept: The offsets of the constants that codelets read, by name.
    """

    def __init__(self, spec: Spec, shortest: int, stride: int, transforms: Sequence[Breakdown] = ()) -> None:
        super().__init__(spec, shortest)
        self.stride, self.transforms, words = stride, transforms, self.arith.words
        first = -(-2 * words // stride) * stride  # scalar functions read 1/q directly after q
        kept = KEPT if transforms and transforms[0].coset else KEPT[:-1]
        self.places = {name: first + at * stride for at, name in enumerate(kept)}
        self.constants = first + len(kept) * stride
        self.kept = {"q": 0, "qi": words, "n": self.places["complement"]}

    @property
    def row(self) -> Expr:
        """The index of the modulus. A kernel for several moduli has separate blocks for each."""
        return ROW if self.spec.basis else Number(0)

    @property
    def rows(self) -> Expr:
        """The number of moduli."""
        return ROWS if self.spec.basis else Number(1)

    def of_row(self, f: Function, name: str, pointer: Expr, size: int) -> Expr:
        """Return the address of the words of the thread's modulus.

        Args:
            f: The kernel.
            name: The name of a variable for this address, which is declared if there are several moduli.
            pointer: The address of the words of the first modulus.
            size: The number of words of each modulus.
        """
        return f.let(name, pointer + self.row * size, Type.INPUT) if self.spec.basis else pointer

    @cached_property
    def given(self) -> dict[str, object]:
        """The values that the texts of functions use, by name."""
        return {
            **super().given, **self.places, "stride": self.stride, "kept": self.constants, "thread": THREAD,
            "block": BLOCK, "row": ROW, "quotients": int(len(self.arith.columns) > 1), **self._of_transforms(),
        }  # fmt: skip

    def _of_transforms(self) -> dict[str, int]:
        """Return whether the plan contains the inverse of the root, its order, and the factors of twiddles.

        Results are scaled by 2^scaling, which is R times R/n for inverse transforms, and R times R^2/n for products,
        whose results lack a factor R.
        """
        if not self.transforms:
            return {"inverted": 0, "order": 0, "scaling": 0, "on_coset": 0}
        first, last = self.transforms[0], self.transforms[-1]
        return {
            "inverted": int(first.inverse), "order": first.order_of_given_root, "on_coset": first.coset,
            "scaling": (self.arith.held + last.scale) * last.inverse,
        }  # fmt: skip
