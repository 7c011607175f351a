"""The request for the inner product of key switching: sums of products of digits and keys modulo an RNS basis."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from momagen.errors import MomagenError
from momagen.kernels.spec.names.stem import named_for

from .spec import check_moduli, listed
from .targets import check_threads, computing_target

MOST_DIGITS = 64
"""The largest number of digits of a plan."""
FACTORS = (1, 2, 4)
"""Multiples of a modulus below which digits may be; transforms leave lazily reduced residues below 4q."""
MOST_OUTPUTS = 4
"""The largest number of keys for each digit: the sums of all outputs stay in registers."""


@dataclass(frozen=True)
class KeySwitchSpec:
    """The sums z_o = Σ_j d_j·k_{j,o} modulo each of ``moduli``, column by column.

    Attributes:
        moduli: the RNS basis.
        target: the name of a target in C with 64-bit words, or of one in CUDA.
        outputs: the number of keys for each digit, and of results.
        input_factor: digits are below ``input_factor``·q.
        digits: the number of digits with which the kernel is verified; a plan has its own number.
        threads: the number of threads that a call uses at first; 0: the caller alone.
    """

    moduli: tuple[int, ...]
    target: str
    outputs: int = 2
    input_factor: int = 1
    digits: int = 3
    threads: int = 0

    @property
    def goals(self) -> tuple[int, ...]:
        """The moduli of the rows of the result."""
        return self.moduli * self.outputs

    @property
    def bits(self) -> int:
        """The length of the longest modulus."""
        return max(q.bit_length() for q in self.moduli)

    @property
    def stem(self) -> str:
        """The name without its target."""
        outputs = f"_{self.outputs}outputs" * (self.outputs != 2)
        factor = f"_below{self.input_factor}q" * (self.input_factor > 1)
        return f"keyswitch{len(self.moduli)}_{self.bits}b{outputs}{factor}"

    @property
    def name(self) -> str:
        """The base name of its files."""
        return named_for(self.stem, self.target)

    def command(self) -> str:
        """Return the command line that generates this kernel."""
        words = ["momagen", "keyswitch", *listed("moduli", self.moduli)]
        words += ["--outputs", str(self.outputs)] * (self.outputs != 2)
        words += ["--input-factor", str(self.input_factor)] * (self.input_factor > 1)
        words += ["--dnum", str(self.digits)] * (self.digits != 3)
        words += ["--threads", str(self.threads)] * (self.threads > 0)
        return shlex.join([*words, "--target", self.target])


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
            raise MomagenError(f"1 to {most}", getattr(spec, name), name)
    if spec.input_factor not in FACTORS:
        raise MomagenError(f"one of {', '.join(map(str, FACTORS))}", spec.input_factor, "input_factor")
    return spec
