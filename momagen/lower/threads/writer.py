"""Writes the functions of a device's program."""

from __future__ import annotations

from functools import cached_property

from momagen.kinds.modular.derived.meaning import lacking_bits
from momagen.kinds.modular.spec import Spec
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Number, Type
from momagen.program.device import BLOCK, ROW, THREAD

KEPT = ("square", "complement", "one", "generator", "scale", "coset")
"""What a plan keeps behind q and 1/q, each as long as a residue; the last one of transforms on a coset."""


class DeviceWriter(ProgramWriter):
    """Writes the functions of a device's program.

    Attributes:
        stride: words from one residue to the next. kept: where a modulus's constants are that codelets read, by name.
    """

    def __init__(self, spec: Spec, shortest: int, stride: int) -> None:
        super().__init__(spec, shortest)
        self.stride, words = stride, self.arith.words
        first = -(-2 * words // stride) * stride  # 1/q follows q at once, as scalar functions read it
        kept = KEPT if spec.coset else KEPT[:-1]
        self.places = {name: first + at * stride for at, name in enumerate(kept)}
        self.constants = first + len(kept) * stride
        self.kept = {"q": 0, "qi": words, "n": self.places["complement"]}

    @property
    def row(self) -> Expr:
        """The number of the modulus, of which a kernel for several has a row of blocks each."""
        return ROW if self.spec.basis else Number(0)

    def of_row(self, f: Function, name: str, pointer: Expr, size: int) -> Expr:
        """Where the ``size`` words of the modulus begin behind ``pointer``, by ``name`` where that is not the same."""
        return f.let(name, pointer + self.row * size, Type.INPUT) if self.spec.basis else pointer

    @cached_property
    def given(self) -> dict[str, object]:
        """What functions in text know of the program."""
        spec = self.spec
        return {
            **super().given, **self.places, "stride": self.stride, "kept": self.constants, "thread": THREAD,
            "block": BLOCK, "row": ROW, "inverted": int(spec.inverse), "order": spec.order_of_root if spec.n else 0,
            "scaling": self._scaling, "quotients": int(len(self.arith.columns) > 1), "on_coset": spec.coset,
        }  # fmt: skip

    @property
    def _scaling(self) -> int:
        """2 to this power is what scales all results, times R: R/n; of products, which lack a factor R, R^2/n."""
        spec, held, log_n = self.spec, self.arith.held, self.spec.divisor_bits
        return held - log_n if spec.inverse else held + lacking_bits(spec) - log_n if spec.kind.joins_transforms else 0
