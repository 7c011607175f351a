"""Tuning from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from momagen.files import path_of
from momagen.kernels.spec.typed import AnyOptions
from momagen.notebook import watched
from momagen.tune import Tuned
from momagen.tune import tune as search
from momagen.tune.search import Progress
from momagen.tune.wish import default_path

from .numbers import duration
from .request import TargetName, specify, taking


@taking(AnyOptions)
def tune(
    kind: str, *, n: object = 0, bits: int | None = None, modulus: int | str | None = None,
    root: int | str | None = None, inverse: bool = False, negacyclic: bool = False, order: str = "bitrev",
    target: TargetName = "c", seconds: float = 60.0, compiler: str | None = None, wisdom: bool | str | Path = True,
    progress: Progress | None = None, modulus_bits: int | None = None, generator: int | str | None = None,
    layout: str | None = None, **options: Unpack[AnyOptions],
) -> Tuned:  # fmt: skip
    """The options that make a kernel fastest on this machine, searched and kept as wisdom for later calls.

    Options that are given stay as they are; algorithm, radix, matrices and their engines, reduction, quotients,
    multiplication, digits, tiling, unrolling, the target's own rule choices and the compiler are raced where they are
    not. What is found serves every modulus of that length on this CPU, with this compiler (for JAX: its version and
    device) and this version of momagen, and is never slower than the default there.

    Args:
        kind: "ntt", "polymul", "basemul", or a BLAS kernel. The other arguments are those of its maker.
        seconds: for the whole search, compiling and verifying counted; the step under way when they end is the last.
        compiler: the only one to use; None: the usual one, and the best of the other families beside it.
        wisdom: the file that takes the result; True for the default one, False for none.

    Raises:
        MomagenError: what the kernel's maker refuses, a CPU that cannot run the target, or a wisdom file that is broken
            or cannot be written.
    """
    spec = specify(
        kind, n=n, bits=bits, modulus=modulus, root=root, inverse=inverse, negacyclic=negacyclic, order=order,
        target=target, options=options, modulus_bits=modulus_bits, generator=generator, layout=layout,
    )  # fmt: skip
    path = default_path() if wisdom is True else path_of(wisdom, "wisdom").expanduser() if wisdom else None
    with watched(progress) as told:
        return search(spec, seconds=duration(seconds), compiler=compiler, path=path, progress=told)
