"""What requests for kernels on the rows of one RNS basis have in common."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from momagen.kernels.requests.names.stem import named_for
from momagen.targets import Target

from .spec import listed


@dataclass(frozen=True)
class BasisSpec(ABC):
    """A request for a kernel on the rows of one RNS basis.

    Attributes:
        moduli: the RNS basis.
        target: a target in C with 64-bit words, or one in CUDA.
        threads: the number of threads that a call uses at first, in C; 0: the caller alone.
    """

    moduli: tuple[int, ...]
    target: Target
    threads: int = field(default=0, kw_only=True)

    @property
    @abstractmethod
    def goals(self) -> tuple[int, ...]:
        """The moduli of the rows of the result."""

    @property
    @abstractmethod
    def stem(self) -> str:
        """The name without its target."""

    @property
    def bits(self) -> int:
        """The length of the longest modulus."""
        return max(q.bit_length() for q in self.moduli)

    @property
    def name(self) -> str:
        """The base name of its files."""
        return named_for(self.stem, self.target)

    def command_of(self, kind: str, *options: str) -> str:
        """Return the command line that generates this kernel.

        Args:
            kind: the name of the command.
            options: its options, except for those of every kind.
        """
        threads = ["--threads", str(self.threads)] * (self.threads > 0)
        words = ["momagen", kind, *listed("moduli", self.moduli), *options, *threads]
        return shlex.join([*words, "--target", str(self.target)])
