"""What the set-up of a kernel takes: bytes that ``create`` allocates, counted, and its time beside a fixed loop's."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path

from momagen.emit import Source
from momagen.errors import MomagenError
from momagen.params.words import to_words
from momagen.runtime import Compiler, compile_shared, load

COUNTING = (Path(__file__).parent / "counting.h").read_text(encoding="utf-8")
"""Put in front of a kernel: an allocator that counts, and the loop."""
FLAGS = ["-std=c99", "-D_DEFAULT_SOURCE"]
"""No instruction set: a set-up is scalar code, and vector functions say themselves what they need."""
OTHERS = re.compile(r"\b(realloc|aligned_alloc|posix_memalign|mmap)\(")
TIMES = 7


def setup(source: Source, compiler: Compiler) -> dict[str, float | int]:
    """Of one ``create``: the most bytes that it has at a time, those that stay, milliseconds of this processor, and
    the same as a multiple of the loop's time; the least of :data:`TIMES`, since other work only adds.

    Raises:
        MomagenError: create refuses.
    """
    if other := OTHERS.search(source.source):
        raise MomagenError("malloc, calloc and free, which are counted", other[0], source.name)
    path = compile_shared(
        COUNTING + source.source,
        name=source.name,
        flags=FLAGS,
        includes={f"{source.name}.h": source.header},
        compiler=compiler,
    )
    library, spec = load(path), source.spec
    numbers = [to_words([number], spec.arith.words) for number in (spec.modulus, spec.root)[: 1 + bool(spec.n)]]
    given = [ctypes.c_void_p(number.ctypes.data) for number in numbers]
    create, destroy = library[f"{source.name}_create"], library[f"{source.name}_destroy"]
    create.restype = ctypes.c_void_p
    runs = [_one(library, lambda: create(*given, None), destroy, source.name) for _ in range(TIMES)]
    ns, loop = (min(column) for column in zip(*runs, strict=True))
    bytes_ = {name: _value(library, f"reference_{name}") for name in ("peak", "kept")}
    return {**bytes_, "create": float(f"{ns / loop:.4g}"), "ms": float(f"{ns / 1e6:.3g}")}


def _one(
    library: ctypes.CDLL, create: Callable[[], int | None], destroy: Callable[[ctypes.c_void_p], object], name: str
) -> tuple[int, int]:
    """Nanoseconds of one create, and of the loop after it."""
    library.reference_clock.restype = library.reference_loop.restype = ctypes.c_uint64
    library.reference_begin()
    start = library.reference_clock()
    plan = create()
    done = library.reference_clock()
    library.reference_end()
    if not plan:
        raise MomagenError("a plan", "none", f"{name}_create")
    destroy(ctypes.c_void_p(plan))
    return done - start, library.reference_loop()


def _value(library: ctypes.CDLL, name: str) -> int:
    return ctypes.c_size_t.in_dll(library, name).value
