"""Time on a GPU what bench_cuda.py does not; needs momagen, CuPy and NVRTC there.

python scripts/time_cuda_extra.py butterflies    alone in registers, without memory: what the pipes allow
python scripts/time_cuda_extra.py calls          from Python: natural order, several moduli, products of polynomials
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cupy

import momagen as mg
from momagen.cuda.counted import GOLDILOCKS, counted_spec
from momagen.emit.cuda.file import cuda_kernels
from momagen.lower.threads.butterfly import butterfly_program

TARGET, THREADS, ROUNDS, SAMPLES = "cuda_sm90", 128, 1000, 15
BUTTERFLIES = [(bits, baked) for bits in (31, 60, 64, 124, 252) for baked in (False, True) if baked or bits != 64]
"""Bits, and whether the modulus is in the code."""
KERNEL = """
extern "C" __global__ void __launch_bounds__({threads})
registers(uint32_t *y, const uint32_t *c, const uint32_t *tables, uint32_t rounds)
{{
    __align__(16) uint32_t x[{elements}][{words}], v[2 * {words}];
    for (int i = 0; i < {elements} * {words}; i++)
        x[i / {words}][i % {words}] = tables[threadIdx.x % 4 + i];
    for (int i = 0; i < 2 * {words}; i++)
        v[i] = tables[256 + i];
#pragma unroll 1
    for (uint32_t r = 0; r < rounds; r++) {{
        {calls}
    }}
    uint32_t sum = 0;
    for (int i = 0; i < {elements} * {words}; i++)
        sum ^= x[i / {words}][i % {words}];
    if (sum == 0x12345678)
        y[threadIdx.x] = sum;
}}
"""
CALLS: list[tuple[str, int, int, int, dict[str, Any]]] = [
    ("ntt", 1 << 16, 256, 2, {"bits": 128}), ("ntt", 1 << 16, 128, 4, {"bits": 256}),
    ("ntt", 1 << 16, 512, 1, {"modulus": GOLDILOCKS}), ("ntt", 1 << 14, 256, 1, {"modulus_bits": 60}),
    ("ntt", 1 << 14, 32, 1, {"modulus_bits": 60, "moduli": 8}),
    ("polymul", 1 << 14, 256, 2, {"bits": 128, "negacyclic": True}),
    ("polymul", 1 << 14, 512, 1, {"modulus_bits": 60, "negacyclic": True}),
]  # fmt: skip

"""Kind, points, batch, 64-bit words, and what is asked for."""


def milliseconds(call: Callable[[], object]) -> float:
    """The median of some calls, by events around each."""
    found = []
    for _ in range(SAMPLES + 2):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        call()
        end.record()
        end.synchronize()
        found.append(cupy.cuda.get_elapsed_time(begin, end))
    return float(sorted(found[2:])[SAMPLES // 2])


def butterflies() -> None:
    """Radix-2 butterflies among a few elements, again and again, by blocks that fill the GPU."""
    processors = cupy.cuda.runtime.getDeviceProperties(0)["multiProcessorCount"]
    rng = cupy.random.RandomState(1)
    tables, constants, y = (rng.randint(0, 1 << 31, size).astype(cupy.uint32) for size in (1024, 64, THREADS))
    for bits, baked in BUTTERFLIES:
        spec = counted_spec(bits, baked=baked and bits != 64)
        words, elements = max(1, -(-bits // 64) * 2 if bits > 32 else 1), 8 if bits <= 64 else 4
        pairs = [(i, i | 1 << d) for d in range(elements.bit_length() - 1) for i in range(elements) if not i >> d & 1]
        calls = "\n        ".join(f"codelet_0(x[{i}], x[{j}], c, v, {2 * words});" for i, j in pairs)
        head = cuda_kernels(butterfly_program(spec), spec.target).split("MG_KERNEL void")[0]
        text = head + KERNEL.format(threads=THREADS, elements=elements, words=words, calls=calls)
        kernel = cupy.RawModule(code=text, options=("-std=c++11",)).get_function("registers")
        blocks = min(8, 65536 // (-(-kernel.num_regs // 8) * 8 * THREADS))
        took = milliseconds(
            lambda kernel=kernel, blocks=blocks: kernel(  # type: ignore[misc]
                (processors * blocks,), (THREADS,), (y, constants, tables, cupy.uint32(ROUNDS))
            )
        )
        each = took * 1e9 / (ROUNDS * len(pairs) * THREADS * blocks * processors)
        where = "code" if baked else "memory"
        print(
            f"{bits:4} bits, q in {where:6}: {each:7.3f} ps, {blocks} blocks of {THREADS} threads a processor",
            flush=True,
        )


def calls() -> None:
    """Kernels as Python calls them, on arrays of the GPU; each is verified, too."""
    for kind, n, batch, words, asked in CALLS:
        for order in ("bitrev", "natural") if kind == "ntt" and "moduli" not in asked else ("",):
            kernel = getattr(mg, kind)(n, target=TARGET, **asked, **({"order": order} if order else {}))
            rows = [asked[each] for each in ("moduli",) if each in asked]
            x = cupy.ones((batch, *rows, n, *((words,) * (words > 1))), cupy.uint64)
            if words > 1:
                x[..., 1:] = 0
            y, operands = cupy.empty_like(x), (x, x) if kind == "polymul" else (x,)
            took = milliseconds(lambda kernel=kernel, operands=operands, y=y: kernel(*operands, out=y))  # type: ignore[misc]
            butterflies_ = x.size // words // 2 * (n.bit_length() - 1) * (3 if kind == "polymul" else 1)
            verified = "verified" if kernel.verify() else "WRONG"
            print(
                f"{kind} {n} {asked} {order} batch {batch}: {took * 1e9 / butterflies_:.2f} ps, {verified}", flush=True
            )


if __name__ == "__main__":
    if sys.argv[1:] not in (["butterflies"], ["calls"]):
        sys.exit(__doc__)
    print(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())
    {"butterflies": butterflies, "calls": calls}[sys.argv[1]]()
