"""PTX run on the CPU: kernels that NVRTC compiled, in every order of threads; and what stops a kernel that is wrong."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from momagen.cuda import library
from momagen.cuda.nvrtc import compile_cuda, nvrtc_version
from momagen.cuda.ptx import run
from momagen.cuda.ptx.barriers import barrier_lines, without_barrier
from momagen.cuda.ptx.launch.counters import MemoryCount
from momagen.cuda.ptx.launch.faults import PtxFault
from momagen.cuda.ptx.run import ORDERS, PtxModule, load_ptx
from momagen.cuda.ptx.syntax.operands import SPECIAL
from momagen.cuda.ptx.translate.opcodes import raw_table
from momagen.errors import MomagenError

VADD = """
extern "C" __global__ void vadd(const unsigned *x, const unsigned *y, unsigned *z, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
"""
REVERSE = """
extern "C" __global__ void reverse(unsigned long long *x, unsigned stride) {
    __shared__ unsigned long long words[128];
    extern __shared__ unsigned more[];
    unsigned t = threadIdx.x;
    words[t] = x[blockIdx.x * 128 + t];
    more[t * stride] = t;
    __syncthreads();
    x[blockIdx.x * 128 + t] = words[127 - t] + more[(t ^ 1) * stride];
}
"""
MULTIPLY = """
typedef unsigned u32;
extern "C" __global__ void multiply(const uint4 *x, const uint4 *y, uint4 *z) {
    uint4 a = x[threadIdx.x], b = y[threadIdx.x];
    u32 r[8];
    asm("{\\n\\t.reg .u32 t;\\n\\t"
        "mul.lo.u32 %0, %8, %12; mul.hi.u32 %1, %8, %12;\\n\\t"
        "mul.lo.u32 %2, %10, %12; mul.hi.u32 %3, %10, %12;\\n\\t"
        "mad.lo.cc.u32 %1, %9, %12, %1; madc.hi.cc.u32 %2, %9, %12, %2;\\n\\t"
        "madc.lo.cc.u32 %3, %11, %12, %3; madc.hi.u32 %4, %11, %12, 0;\\n\\t"
        "mad.lo.cc.u32 %1, %8, %13, %1; madc.hi.cc.u32 %2, %8, %13, %2;\\n\\t"
        "madc.lo.cc.u32 %3, %10, %13, %3; madc.hi.cc.u32 %4, %10, %13, %4; addc.u32 %5, 0, 0;\\n\\t"
        "mad.lo.cc.u32 %2, %9, %13, %2; madc.hi.cc.u32 %3, %9, %13, %3;\\n\\t"
        "madc.lo.cc.u32 %4, %11, %13, %4; madc.hi.u32 %5, %11, %13, %5;\\n\\t"
        "mad.lo.cc.u32 %2, %8, %14, %2; madc.hi.cc.u32 %3, %8, %14, %3;\\n\\t"
        "madc.lo.cc.u32 %4, %10, %14, %4; madc.hi.cc.u32 %5, %10, %14, %5; addc.u32 %6, 0, 0;\\n\\t"
        "mad.lo.cc.u32 %3, %9, %14, %3; madc.hi.cc.u32 %4, %9, %14, %4;\\n\\t"
        "madc.lo.cc.u32 %5, %11, %14, %5; madc.hi.u32 %6, %11, %14, %6;\\n\\t"
        "mad.lo.cc.u32 %3, %8, %15, %3; madc.hi.cc.u32 %4, %8, %15, %4;\\n\\t"
        "madc.lo.cc.u32 %5, %10, %15, %5; madc.hi.cc.u32 %6, %10, %15, %6; addc.u32 %7, 0, 0;\\n\\t"
        "mad.lo.cc.u32 %4, %9, %15, %4; madc.hi.cc.u32 %5, %9, %15, %5;\\n\\t"
        "madc.lo.cc.u32 %6, %11, %15, %6; madc.hi.u32 %7, %11, %15, %7;\\n\\t"
        "mov.u32 t, 0; add.u32 %7, %7, t;\\n\\t}"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
    z[2 * threadIdx.x] = make_uint4(r[0], r[1], r[2], r[3]);
    z[2 * threadIdx.x + 1] = make_uint4(r[4], r[5], r[6], r[7]);
}
"""
MIXED = """
typedef unsigned long long u64;
__constant__ u64 weight[4] = {3, 5, 7, 11};
__device__ u64 total;
struct Plan { u64 q; const u64 *table; unsigned n; };
__device__ __noinline__ u64 helped(u64 x, u64 *count) { *count += x & 1; return x * x; }
extern "C" __global__ void mixed(u64 *x, unsigned __int128 *wide, Plan plan) {
    unsigned t = threadIdx.x;
    u64 count = 1, y = x[t];
    u64 square = helped(y, &count);
    wide[t] = (unsigned __int128)square * plan.q + plan.table[t % plan.n];
    u64 other = __shfl_xor_sync(0xffffffffu, y, 3);
    bool any = __any_sync(0xffffffffu, y == plan.q);
    atomicAdd(&total, count);
    x[t] = square / (other | 1) + weight[t & 3] + (any ? 1000 : 0) + __popcll(y) + __brevll(y);
}
"""


@functools.cache
def _ptx(source: str, arch: str = "sm_90") -> str:
    if nvrtc_version() is None:
        pytest.skip(f"no NVRTC ({library.INSTALL})")
    return compile_cuda(source, arch).ptx


def _load(source: str, arch: str = "sm_90") -> PtxModule:
    return load_ptx(_ptx(source, arch))


KERNEL = """
.visible .entry k{number}(.param .u64 x) {{ {space}
.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [x];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
{body}
ret; }}
"""


def _kernels(bodies: Iterable[str], shared: int = 0) -> PtxModule:
    """Kernels k0, k1, … of one array x at %rd1; %r1 is the thread, %rd2 the address of its word."""
    space = f".shared .align 16 .b8 s[{shared}];" if shared else ""
    texts = [KERNEL.format(number=i, space=space, body=body) for i, body in enumerate(bodies)]
    return load_ptx(".version 8.0\n.target sm_90\n.address_size 64\n" + "".join(texts))


def _run(module: PtxModule, kernel: int, threads: int = 64, **options: Any) -> Any:
    x = np.zeros(threads, np.uint32)
    counted = module.launch(f"k{kernel}", grid=(1,), block=(threads,), args=[x], **options)
    return counted if options.get("count") else x.tolist()


@pytest.mark.parametrize("order", ORDERS)
def test_vectors_are_added_up_to_their_length(order: Any) -> None:
    x, y = np.arange(1000, dtype=np.uint32), np.arange(1000, dtype=np.uint32)[::-1].copy()
    z = np.zeros(1000, np.uint32)
    _load(VADD).launch("vadd", grid=(8,), block=(128,), args=[x, y, z, 999], order=order, seed=1)
    assert z.tolist() == [999] * 999 + [0]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("arch", ["sm_90", "sm_100"])
def test_a_barrier_orders_shared_memory(arch: str, order: Any) -> None:
    x = np.arange(512, dtype=np.uint64)
    _load(REVERSE, arch).launch("reverse", grid=(4,), block=(128,), args=[x, 1], shared=512, order=order, seed=2)
    assert x.tolist() == [128 * b + 127 - t + (t ^ 1) for b in range(4) for t in range(128)]


@pytest.mark.parametrize("order", ORDERS)
def test_without_its_barrier_a_kernel_fails(order: Any) -> None:
    text = _ptx(REVERSE)
    assert len(barrier_lines(text)) == 1
    module = load_ptx(without_barrier(text, 0))
    with pytest.raises(PtxFault, match="shared memory"):
        x = np.arange(128, dtype=np.uint64)
        module.launch("reverse", grid=(1,), block=(128,), args=[x, 1], shared=512, order=order)
    with pytest.raises(MomagenError, match="expected a number below 1, the number of barriers in the PTX, got 1"):
        without_barrier(text, 1)


@pytest.mark.parametrize("arch", ["sm_90", "sm_100"])
def test_one_asm_statement_multiplies_124_bits(arch: str) -> None:
    words = random.Random(3)
    numbers = [(words.getrandbits(124), words.getrandbits(124)) for _ in range(30)]
    numbers += [((1 << 128) - 1, (1 << 128) - 1), (0, 5)]
    x, y = (np.frombuffer(b"".join(each[i].to_bytes(16, "little") for each in numbers), np.uint32) for i in (0, 1))
    z = np.zeros(8 * len(numbers), np.uint32)
    _load(MULTIPLY, arch).launch("multiply", grid=(1,), block=(len(numbers),), args=[x, y, z])
    got = [int.from_bytes(row.tobytes(), "little") for row in z.reshape(-1, 8)]
    assert got == [a * b for a, b in numbers]


@pytest.mark.parametrize("arch", ["sm_90", "sm_100"])
def test_calls_shuffles_structures_and_symbols_work(arch: str) -> None:
    module, q = _load(MIXED, arch), 0xFFFFFFFF00000001
    table, wide = np.array([9, 8, 7], np.uint64), np.zeros(64, np.uint64)
    numbers = [random.Random(i).getrandbits(64) for i in range(32)]
    x, plan = np.array(numbers, np.uint64), b"".join(n.to_bytes(8, "little") for n in (q, table.ctypes.data, 3))
    module.symbol("weight")[...] = np.frombuffer(np.array([1, 2, 3, 4], np.uint64), module.symbol("weight").dtype)
    module.launch("mixed", grid=(1,), block=(32,), args=[x, wide, plan], memory=[table])
    squares, m = [n * n % 2**64 for n in numbers], 2**64
    assert [int(wide[2 * i]) | int(wide[2 * i + 1]) << 64 for i in range(32)] == [
        squares[i] * q + int(table[i % 3]) for i in range(32)
    ]
    assert [int(n) for n in x] == [
        (squares[i] // (numbers[i ^ 3] | 1) + 1 + i % 4 + n.bit_count() + int(f"{n:064b}"[::-1], 2)) % m
        for i, n in enumerate(numbers)
    ]
    assert int.from_bytes(module.symbol("total").tobytes(), "little") == 32 + sum(n & 1 for n in numbers)


def test_an_access_outside_an_array_stops_and_says_where() -> None:
    x, z = np.zeros(100, np.uint32), np.zeros(100, np.uint32)
    with pytest.raises(PtxFault, match=r"vadd, PTX line \d+: ld\.global.*byte 400 of argument \d, which has 400"):
        _load(VADD).launch("vadd", grid=(1,), block=(128,), args=[x, x, z, 101])
    z.flags.writeable = False
    with pytest.raises(PtxFault, match="a store to writable memory, got a store to the read-only memory at byte 0"):
        _load(VADD).launch("vadd", grid=(1,), block=(128,), args=[x, x, z, 100])
    with pytest.raises(PtxFault, match="inside shared memory"):
        _load(REVERSE).launch("reverse", grid=(1,), block=(128,), args=[np.zeros(128, np.uint64), 1], shared=508)


WRONG = {
    "st.shared.u32 [%rd1], %r1;": "inside shared memory",
    "st.global.u32 [%rd1+2], %r1;": "aligned to the 4 bytes of the access",
    "st.global.u64 [%rd1+252], %rd1;": "inside global memory",
    "ld.shared.u32 %r2, [s];": "written before it is read",
    "st.shared.u32 [s], %r1;": "between two writes",
    "setp.ne.u32 %p1, %r1, 0; @!%p1 st.shared.u32 [s+4], %r1; bar.sync 0; ld.shared.u32 %r2, [s+4]; "
    "@!%p1 st.shared.u32 [s+4], %r1;": "a barrier between a (read of|write to) shared memory and a",
    "setp.eq.u32 %p1, %r1, 5; @%p1 trap;": r"got the instruction trap \(block \(0, 0, 0\), thread \(5, 0, 0\)",
    "div.u32 %r2, %r1, %r1;": "a nonzero divisor",
    "setp.lt.u32 %p1, %r1, 7; @%p1 bra B; bar.sync 0; bra.uni C; B: bar.sync 1; C:": "at one barrier",
    "setp.lt.u32 %p1, %r1, 7; @%p1 bra B; shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; B: bar.sync 0;": "at one barrier",
    "shfl.sync.idx.b32 %r2, %r1, 0, 31, 1;": "a mask that includes the executing lane",
    "setp.lt.u32 %p1, %r1, 7; @%p1 ret; shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;": "a source lane that takes part",
    "bar.sync 0, 32;": "a barrier of the whole block",
    "st.global.u32 [%rd1], %r1;": "between two writes to global memory",
    "st.global.u32 [%rd2], %r1; ld.global.nc.u32 %r2, [%rd2];": r"because the load has \.nc",
    "brx.idx %r1, T; A: bra C; B: bra C; T: .branchtargets A, B; C:": "inside the list of branch targets",
    ".local .b8 l[8]; st.local.u32 [l+8], %r1;": "inside local memory",
    "L: bra L;": "too many backward jumps",
}


@functools.cache
def _wrong() -> PtxModule:
    return _kernels(WRONG, shared=64)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("body", WRONG)
def test_what_is_wrong_stops_with_its_line(body: str, order: Any) -> None:
    number = [*WRONG].index(body)
    with pytest.raises(PtxFault, match=rf"k{number}, PTX line {8 + 6 * number}: .*{WRONG[body]}"):
        _run(_wrong(), number, order=order)


STAGES = """
extern "C" __global__ void stages(unsigned *x) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, y = x[64 * blockIdx.x + t];
#pragma unroll
    for (unsigned h = 32; h; h >>= 1) {
        s[t] = y;
        __syncthreads();
        y = 3 * y + s[t ^ h];
        __syncthreads();
    }
    x[64 * blockIdx.x + t] = y;
}
"""


def _staged(x: list[int]) -> list[int]:
    for h in (32, 16, 8, 4, 2, 1):
        x = [(3 * x[t] + x[t ^ h]) % 2**32 for t in range(64)]
    return x


@pytest.mark.parametrize("order", ORDERS)
def test_every_barrier_that_is_skipped_is_found_missing(order: Any) -> None:
    """The last one orders nothing: no one writes after it. Lanes of one warp go on together no more than others do."""
    module = _load(STAGES)
    x = np.arange(128, dtype=np.uint32)
    module.launch("stages", grid=(2,), block=(64,), args=[x], order=order)
    assert x.tolist() == _staged([*range(64)]) + _staged([*range(64, 128)])
    assert len(module.barriers) == 12
    for k in range(11):
        with pytest.raises(PtxFault, match=f"a barrier between a .*line {'|'.join(map(str, range(1, 999)))}"):
            module.launch("stages", grid=(2,), block=(64,), args=[x.copy()], order=order, skip_barrier=k)
    module.launch("stages", grid=(2,), block=(64,), args=[x], order=order, skip_barrier=11)


@pytest.mark.parametrize("order", ORDERS)
def test_blocks_that_depend_on_one_another_are_refused(order: Any) -> None:
    """Each reads what the next one writes."""
    rotate = ("mov.u32 %r3, %ctaid.x; xor.b32 %r4, %r3, 1; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3; "
              "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd4, %rd1, %rd4; ")  # fmt: skip
    module = _kernels([rotate + "ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd4], %r5;",
                       rotate + "atom.global.add.u32 %r5, [%rd3], 1; red.global.add.u32 [%rd4], 1;"])  # fmt: skip
    x = np.zeros(2, np.uint32)
    with pytest.raises(PtxFault, match="global memory that no other block"):
        module.launch("k0", grid=(2,), block=(1,), args=[x], order=order)
    module.launch("k1", grid=(2,), block=(1,), args=[x], order=order)
    assert x.tolist() == [2, 2]


def test_threads_that_ended_are_not_waited_for() -> None:
    module = _kernels(["setp.ge.u32 %p1, %r1, 40; @%p1 ret; bar.sync 0; st.global.u32 [%rd2], 1;"])
    assert _run(module, 0) == [int(i < 40) for i in range(64)]


def test_a_barrier_of_a_warp_orders_its_lanes_alone() -> None:
    body = (
        "mov.u32 %r3, s; shl.b32 %r2, %r1, 2; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %r1; {}; "
        "xor.b32 %r2, %r2, {}; mov.u32 %r4, s; add.u32 %r4, %r4, %r2; ld.shared.u32 %r5, [%r4]; "
        "st.global.u32 [%rd2], %r5;"
    )
    barrier = "bar.warp.sync -1"
    module = _kernels([body.format(barrier, 4), body.format(barrier, 128), body.format("mov.u32 %r8, %r8", 4)], 256)
    assert _run(module, 0) == [i ^ 1 for i in range(64)]
    for wrong in (1, 2):
        for order in ORDERS:
            with pytest.raises(PtxFault, match="shared memory"):
                _run(module, wrong, order=order)


SHUFFLES = [(mode, width) for mode in ("up", "down", "bfly", "idx") for width in (32, 8)]


def test_shuffles_read_the_lane_that_the_isa_names() -> None:
    body = ("shfl.sync.{}.b32 %r2|%p1, %r1, 3, {}, -1; @!%p1 add.u32 %r2, %r2, 1000; st.global.u32 [%rd2], %r2;")
    module = _kernels(
        body.format(mode, (32 - width) << 8 | (0 if mode == "up" else 31)) for mode, width in SHUFFLES
    )

    def source(lane: int, mode: str, width: int) -> int:
        inside, start = lane % width, lane - lane % width
        other = {"up": inside - 3, "down": inside + 3, "bfly": inside ^ 3, "idx": 3}[mode]
        return start + other if 0 <= other < width else lane + 1000

    for i, (mode, width) in enumerate(SHUFFLES):
        assert _run(module, i, 32) == [source(lane, mode, width) for lane in range(32)], (mode, width)


@pytest.mark.parametrize(("stride", "extra"), [(1, 0), (2, 1), (3, 0), (4, 3), (8, 7), (32, 31), (33, 0)])
def test_bank_conflicts_of_a_stride_are_counted(stride: int, extra: int) -> None:
    """Of 32 words a stride apart, gcd(stride, 32) lie in each bank that holds any."""
    x = np.arange(128, dtype=np.uint64)
    counted = _load(REVERSE).launch(
        "reverse", grid=(2,), block=(128,), args=[np.concatenate([x, x]), stride], shared=512 * stride, count=True
    )
    loads, stores, warps = counted.shared_loads, counted.shared_stores, 2 * 4
    assert loads == stores == MemoryCount(2 * warps, 2 * 128 * 12, 0, warps * (3 + extra), warps * extra)
    assert counted.bank_conflicts == 2 * warps * extra
    assert counted.barriers == 2


def test_words_that_lanes_share_are_no_conflict_and_wide_ones_go_by_parts_of_a_warp() -> None:
    start = "mov.u32 %r3, s; shl.b32 %r2, %r1, {}; add.u32 %r3, %r3, %r2; {} bar.sync 0; {}"
    write = "st.shared.v4.u32 [%r3], {%r1, %r1, %r1, %r1};"
    module = _kernels([start.format(4, write, "ld.shared.u32 %r4, [s];")], 512)
    counted = _run(module, 0, 32, count=True)
    assert counted.shared_stores == MemoryCount(1, 512, 0, 4, 0)
    assert counted.shared_loads == MemoryCount(1, 128, 0, 1, 0)


def test_sectors_are_counted_by_warp_instructions() -> None:
    x = np.zeros(4096, np.uint32)
    counted = _load(VADD).launch("vadd", grid=(16,), block=(256,), args=[x, x, x, 4096], count=True)
    assert counted.global_loads == MemoryCount(256, 2 * 4 * 4096, 2 * 4096 // 8)
    assert counted.global_stores == MemoryCount(128, 4 * 4096, 4096 // 8) and counted.global_stores.coalesced
    assert counted.arguments[0] == (8 * 4096, 4 * 4096)
    spread = "mul.wide.u32 %rd3, %r1, 32; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r1;"
    y = np.zeros(256, np.uint32)
    counted = _kernels([spread]).launch("k0", grid=(1,), block=(32,), args=[y], count=True)
    assert counted.global_stores == MemoryCount(1, 128, 32) and not counted.global_stores.coalesced


PIECES = {
    "{ .reg .b16 h<4>; .reg .b64 w; mov.b32 {h0, h1}, 0x20001; mov.b64 w, {h1, h0, h1, h0}; "
    "mov.b64 {%r2, %r3}, w; add.u32 %r2, %r2, %r3; }": 0x20004,
    ".local .align 8 .b8 l[32]; .reg .b64 %l<4>; mov.u64 %l1, l; cvta.local.u64 %l2, %l1; st.u64 [%l2+8], %l1; "
    "st.local.v2.u32 [%l1+16], {7, 9}; ld.v2.u32 {%r3, %r4}, [%l2+16]; ld.local.s8 %r5, [%l1+16]; "
    "mad.lo.u32 %r2, %r3, %r4, %r5;": 70,
    ".reg .b64 %l<4>; .reg .b16 %h; st.shared.v4.u32 [s], {1, 2, 3, 255}; cvta.shared.u64 %l1, 0; "
    "ld.v2.u32 {_, %r2}, [%l1]; cvta.to.shared.u64 %l2, %l1; ld.shared.s8 %r3, [%l2+12]; "
    "sub.u32 %r2, %r2, %r3;": 3,
    "mov.u32 %r4, 1; brx.idx %r4, T; A: mov.u32 %r2, 1; bra C; B: mov.u32 %r2, 2; bra C; "
    "T: .branchtargets A, B; C:": 2,
    "atom.global.cas.b32 %r3, [%rd1], 0, 5; atom.global.max.u32 %r4, [%rd1], 4; atom.exch.b32 %r5, [%rd1], 8; "
    "shl.b32 %r4, %r4, 4; or.b32 %r2, %r3, %r4; shl.b32 %r5, %r5, 8; or.b32 %r2, %r2, %r5;": 0x550,
    "mov.u32 %r2, 5; sub.cc.u32 %r3, 1, 2; addc.u32 %r2, %r2, 0;": 5,
    "mov.u32 %r2, 5; mov.u32 %r6, 0; M: add.u32 %r2, %r2, 2; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 3; "
    "@%p1 bra M;": 11,
    "activemask.b32 %r3; vote.sync.ballot.b32 %r4, !%p8, 1; add.u32 %r2, %r3, %r4;": 1,
    "add.u32 %r2, %laneid, %warpid; add.u32 %r2, %r2, %nwarpid; mov.u32 %r3, %lanemask_gt; sub.u32 %r2, %r2, %r3; "
    "mov.u32 %r3, %lanemask_le; sub.u32 %r2, %r2, %r3; mov.u32 %r4, %ctaid.z; add.u32 %r2, %r2, %r4;": 2,
    "membar.gl; fence.acq_rel.gpu; mov.u32 %r2, %ntid.x; mad.lo.u32 %r2, %r2, 7, %nctaid.x;": 8,
}
"""What a block of one thread leaves in %r2."""


@functools.cache
def _pieces() -> PtxModule:
    return _kernels([f"{body} st.global.u32 [%rd1], %r2;" for body in PIECES], shared=16)


@pytest.mark.parametrize("body", PIECES)
def test_words_are_packed_kept_in_every_memory_and_jumped_by(body: str) -> None:
    assert _run(_pieces(), [*PIECES].index(body), 1) == [PIECES[body]]


def test_special_registers_are_those_that_operands_may_name() -> None:
    names = raw_table()["special"]
    assert len(names) == 12 + 8 and all(SPECIAL.match(name) for name in names)
    assert not any(SPECIAL.match(name) for name in ("%clock", "%tid", "%tid.w", "%smid"))


def test_fibers_of_the_system_do_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "FLAGS", ("-DMG_UCONTEXT", *run.FLAGS))
    x = np.arange(64, dtype=np.uint32)
    load_ptx(_ptx(STAGES)).launch("stages", grid=(1,), block=(64,), args=[x])
    assert x.tolist() == _staged([*range(64)])


REFUSED = {
    "tex.1d.v4.f32.s32 {%r1, %r1, %r1, %r1}, [%rd1, {%r1}];": "",
    "ld.global.L3::hint.u32 %r2, [%rd1];": "a load, store or atomic that the translator supports",
    "add.u32 %r2, %r3, %rd1;": "a register of type u32",
    "add.u32 %r2, %r9, 1;": "a declared name",
    "mov.u32 %r2, %clock;": "a declared name",
    "frobnicate.b32 %r2, %r1;": "an instruction that the translator supports, got frobnicate.b32",
    "add.u32 %r2, %r1, 0x100000000;": "a number that fits 32 bits",
    "bra nowhere;": "a declared name",
    "call.uni f, ();": "a function that the PTX file defines",
    ".surfref s;": "a directive that is valid inside a function",
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_not_known_is_refused_with_its_line(body: str) -> None:
    with pytest.raises(MomagenError, match=rf"PTX line 8: expected .*{REFUSED[body]}"):
        _kernels([body])


def test_arguments_that_do_not_fit_are_refused() -> None:
    module, x = _load(VADD), np.zeros(8, np.uint32)
    shape: dict[str, Any] = {"grid": (1,), "block": (8,)}
    for wrong, expected in (
        ({"args": [x, x, x]}, "4 arguments"), ({"args": [x, x, x, 2**32]}, "a number of type u32"),
        ({"args": [x, x, x, x]}, "a number of type u32"), ({"args": [x, x, x[::2], 4]}, "a contiguous array"),
        ({"args": [x, x, x, 8], "block": (1025,)}, "1024 threads"),
        ({"args": [x, x, x, 8], "grid": ()}, "three positive integers"),
        ({"args": [x, x, x, 8], "shared": 1 << 20}, "dynamic shared memory"),
        ({"args": [x, x, x, 8], "skip_barrier": 0}, "a number below 0, the number of barriers"),
        ({"args": [x, x, x, 8], "order": "sideways"}, "one of the orders forward, reversed"),
    ):  # fmt: skip
        with pytest.raises(MomagenError, match=expected):
            module.launch("vadd", **(shape | wrong))
    with pytest.raises(MomagenError, match="one of the kernels vadd, got vsub"):
        module.launch("vsub", args=[], **shape)
    with pytest.raises(MomagenError, match="the PTX has no variables"):
        module.symbol("q")
