"""The request for the inner product of key switching: sums of products of digits and keys modulo an RNS basis."""

from __future__ import annotations

from dataclasses import dataclass

from momagen.errors import MomagenError

from .basis import BasisSpec
from .spec import check_moduli
from .targets import check_threads, computing_target

MOST_DIGITS = 64
"""The largest number of digits of a plan."""
FACTORS = (1, 2, 4)
"""Multiples of a modulus below which digits may be; transforms leave lazily reduced residues below 4q."""
MOST_OUTPUTS = 4
"""The largest number of keys for each digit: the sums of all outputs stay in registers."""


@dataclass(frozen=True)
class KeySwitchSpec(BasisSpec):
    """The sums z_o = Σ_j d_j·k_{j,o} modulo each of ``moduli``, element by element.

    Attributes:
        outputs: the number of keys for each digit, and of results.
        input_factor: digits are below ``input_factor``·q.
        digits: the number of digits with which the kernel is verified; a plan has its own number.
    """

    outputs: int = 2
    input_factor: int = 1
    digits: int = 3

    @property
    def goals(self) -> tuple[int, ...]:
        """The moduli of the rows of the result."""
        return self.moduli * self.outputs

    @property
    def stem(self) -> str:
        """The name without its target."""
        outputs = f"_{self.outputs}outputs" * (self.outputs != 2)
        factor = f"_below{self.input_factor}q" * (self.input_factor > 1)
        return f"keyswitch{len(self.moduli)}_{self.bits}b{outputs}{factor}"

    def command(self) -> str:
        """Return the command line that generates this kernel."""
        options = ["--outputs", str(self.outputs)] * (self.outputs != 2)
        options += ["--input-factor", str(self.input_factor)] * (self.input_factor > 1)
        options += ["--dnum", str(self.digits)] * (self.digits != 3)
        return self.command_of("keyswitch", *options)


def check_keyswitch(spec: KeySwitchSpec) -> KeySwitchSpec:
    """Return ``spec``.

    Raises:
        MomagenError: there is no such kernel: no moduli, moduli that are too long, other numbers of outputs or digits,
            another input factor, a target of another language, or threads in CUDA.
    """
    check_moduli(spec.moduli, "moduli", odd=False)
    computing_target(spec.target, spec.bits)
    check_threads(spec.target, spec.threads)
    for name, most in (("outputs", MOST_OUTPUTS), ("digits", MOST_DIGITS)):
        if not 1 <= getattr(spec, name) <= most:
            raise MomagenError(f"from 1 to {most}", getattr(spec, name), name)
    if spec.input_factor not in FACTORS:
        raise MomagenError(f"one of {', '.join(map(str, FACTORS))}", spec.input_factor, "input_factor")
    return spec
