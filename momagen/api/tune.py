"""Tuning, from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from momagen.files import path_of
from momagen.notebook import watched
from momagen.tune import Tuned
from momagen.tune import tune as search
from momagen.tune.search import Progress
from momagen.tune.space import check_tuned
from momagen.tune.wish import default_path
from momagen.values.numbers import duration
from momagen.values.targets import TargetName
from momagen.values.texts import text

from .makers import AnyOptions
from .native import resolved
from .request import taking


@taking(AnyOptions)
def tune(
    kind: str, *, n: int | str | None = None, bits: int | None = None, modulus: int | str | None = None,
    root: int | str | None = None, inverse: bool = False, negacyclic: bool = False, order: str = "bitrev",
    target: TargetName = "c", seconds: float = 60.0, compiler: str | None = None, wisdom: bool | str | Path = True,
    progress: Progress | None = None, modulus_bits: int | None = None, generator: int | str | None = None,
    layout: str | None = None, **options: Unpack[AnyOptions],
) -> Tuned:  # fmt: skip
    """Search for the options that make a kernel fastest on this machine, and keep them as wisdom (``wisdom=True``).

    Options that are passed stay fixed. The search times alternatives of all other options: data flow, radix, matrices
    and their engines, reduction, quotients, multiplication, limbs, cache blocking, unrolling, the target's choices of
    rules, and the compiler. The result serves every modulus of the same width on this CPU, with this compiler (for JAX:
    its version and device) and this version of momagen. A kernel with these options is never slower than one with the
    default options, as measured on this machine.

    Args:
        kind: "ntt", "polymul", "basemul", the name of an element-wise kernel, or a kind that another module registers.
        n: The number of points; see :func:`momagen.ntt`. Element-wise kernels have none.
        bits: The width of the container in bits, instead of a modulus.
        modulus: The modulus q.
        root: The root of unity.
        inverse: Whether the transform is an inverse one.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1).
        order: The order of the values: "bitrev" (the default) or "natural".
        target: The name of a target, "native", or the path of a TOML file.
        seconds: The time for the whole search in seconds, including compilation and verification. The step in progress
            when the time ends is the last one.
        compiler: The only compiler to use (default: $CC or the first of clang, gcc and zig that works, and then the
            preferred compiler of each other family).
        wisdom: The file that receives the result: True for the default file, False for none, or a path.
        progress: A function that is called before every step with the part done (0 to 1) and a title.
        modulus_bits: The width of the modulus in bits, instead of a modulus.
        generator: A generator of the multiplicative group modulo q, instead of a root.
        layout: The words of the kernel's arrays: "u16", "u32" or "u64".
        **options: The options that stay fixed, as for the function that builds the kernel.

    Returns:
        The options that were found, and all candidates with their times.

    Raises:
        MomagenError: The kernel cannot be built, this CPU cannot run the target, or the wisdom file is invalid or
            cannot be written.
    """
    check_tuned(text(kind, "kind"))
    spec = resolved(
        kind, n=n, bits=bits, modulus=modulus, root=root, inverse=inverse, negacyclic=negacyclic, order=order,
        target=target, modulus_bits=modulus_bits, generator=generator, layout=layout, **options,
    )  # fmt: skip
    path = default_path() if wisdom is True else path_of(wisdom, "wisdom").expanduser() if wisdom else None
    with watched(progress) as told:
        return search(spec, seconds=duration(seconds), compiler=compiler, path=path, progress=told)
