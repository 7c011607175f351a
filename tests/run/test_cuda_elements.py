"""Element-wise kernels for GPUs: the PTX that NVRTC makes of them, run on the CPU, against the definition."""

from __future__ import annotations

import ctypes
import random
from ctypes import byref, c_int, c_size_t, c_uint32, c_void_p
from pathlib import Path

import gmpy2
import numpy as np
import pytest
from support.cuda_runtime import CudaRuntime, Words32, cpp

import momagen as mg
from momagen.cuda.nvrtc import nvrtc_version
from momagen.cuda.traffic import launch_traffic
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kernels.elementwise.blas import KERNELS
from momagen.kinds.modular.derived.meaning import meaning
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.kernels import lowered
from momagen.program.device import DeviceProgram

ELEMENTS = [kind for kind in KERNELS if kind not in ("vinv", "dot")]
WIDTHS = (16, 31, 32, 60, 64, 90, 124, 128, 189, 192, 254, 256, 381, 384, 753, 1024)


@pytest.fixture(autouse=True)
def nvrtc() -> None:
    if nvrtc_version() is None:
        pytest.skip("NVRTC is missing")


def prime(bits: int) -> int:
    return int(gmpy2.prev_prime(1 << bits))


def numbers(q: int, top: int, count: int, rng: random.Random) -> list[int]:
    """Edges and random numbers below ``top``."""
    edges = [0, 1, top - 1, *(each for each in (q - 1, q, q + 1, 2 * q - 1) if each < top)]
    return [*edges, *(rng.randrange(top) for _ in range(count - len(edges)))]


def compare(k: mg.Kernel, count: int = 150, calls: int = 2) -> None:
    """Some calls of one kernel against its meaning on integers, element by element, in more than one block."""
    spec, rng = k.spec, random.Random(k.spec.width)
    q, ranges = spec.modulus, spec.ranges
    for _ in range(calls):
        given = {name: numbers(q, ranges.top(m, q), count, rng) for name, m in ranges.operands.items()}
        for row in given.values():
            rng.shuffle(row)
        scalars = [given[name][0] for name in ranges.scalars]
        vectors = [given[name] for name in ranges.vectors]
        found = k(*scalars, *vectors)
        modulus, m = (q, ranges.output) if KERNELS[str(spec.kind)].modular else (1 << spec.arith.held, 1)
        for z, *row in zip(found, *vectors, strict=True):
            wanted = meaning(spec, q, *scalars, *row)
            assert z % modulus == wanted and z < m * modulus, (spec.kind, scalars, row)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("kind", ELEMENTS)
def test_every_kernel(kind: str, bits: int) -> None:
    compare(mg.blas(kind, modulus=prime(bits), target="cuda"))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("vmul", {"reduction": "montgomery"}), ("vmul", {"bake": True}),
        ("axpy", {"reduction": "montgomery"}), ("axpy", {"reduction": "wide"}), ("axpy", {"bake": True}),
        ("scal", {"reduction": "tight"}), ("scal", {"input_factor": 4}), ("reduce", {"reduction": "montgomery"}),
        ("reduce", {"input_factor": 4}), ("vadd", {"output_factor": 2}), ("vsub", {"input_factor": 4}),
        ("cmpadd", {"cmp": "lt"}), ("cmpsub", {"cmp": "eq", "input_factor": "any"}), ("vmul", {"unroll": 2}),
        ("axpy", {"unroll": 4}), ("vmul", {"output_factor": 2, "input_factor": 2}),
    ],
    ids=str,
)  # fmt: skip
def test_options(kind: str, options: dict[str, object]) -> None:
    compare(mg.blas(kind, modulus=prime(124), target="cuda", **options))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["vmul", "axpy", "vsub", "reduce", "scal", "cmpsub"])
@pytest.mark.parametrize("bits", [32, 124, 256])
def test_even_moduli(kind: str, bits: int) -> None:
    compare(mg.blas(kind, modulus=(1 << bits) - 2, target="cuda"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kind", "bits"), [("vadd", 64), ("vmul", 128), ("vsubs", 31), ("vmul", 256)])
def test_verification_passes(kind: str, bits: int) -> None:
    """Other moduli, shorter ones among them, any length, and in place."""
    assert mg.blas(kind, modulus=prime(bits), target="cuda").verify().ok


@pytest.mark.parametrize("kind", ["vmul", "axpy"])
def test_several_moduli_of_several_lengths(kind: str) -> None:
    """Rows of 37 elements of three words, which begin at no multiple of anything; Barrett's are shifted."""
    moduli, rng = [prime(90), prime(70), prime(89)], random.Random(kind)
    k = mg.blas(kind, moduli=moduli, target="cuda")
    x, y = ([[rng.randrange(min(moduli)) for _ in range(37)] for q in moduli] for _ in range(2))
    a = [rng.randrange(min(moduli)) for q in moduli]
    found = k(x, y) if kind == "vmul" else k(a, x, y)
    for row, q in enumerate(moduli):
        wanted = [u * v if kind == "vmul" else a[row] * u + v for u, v in zip(x[row], y[row], strict=True)]
        assert found[row] == [value % q for value in wanted]


def words(numbers: list[int], stride: int) -> Words32:
    """Residues as the kernel keeps them; the word that it does not read is junk."""
    found = [[value >> 32 * w & 0xFFFFFFFF if value >> 32 * w else 0xDEAD * (w == 3) for w in range(stride)]
             for value in numbers]  # fmt: skip
    return np.array(found, np.uint32)


@pytest.mark.parametrize("kind", ["axpy", "vadds"])
def test_hosts_call_it(kind: str, tmp_path: Path) -> None:
    """Two moduli of three words, scalars in the memory of the GPU, and the room that the first launch writes to."""
    if cpp() is None:
        pytest.skip("there is no C++ compiler")
    moduli, rng, count = (prime(90), prime(89)), random.Random(kind), 130
    source = generate(make_spec(kind, basis=moduli, target="cuda"))
    runtime, name = CudaRuntime(source, tmp_path), source.name
    create, room, execute = (getattr(runtime.library, f"{name}_{verb}") for verb in ("create", "room", "execute"))
    create.restype, room.restype = c_void_p, c_size_t
    q, why = words([*moduli], 4), c_int(-1)
    plan = c_void_p(create(c_size_t(2), q.ctypes.data_as(ctypes.POINTER(c_uint32)), byref(why)))
    assert why.value == 0 and plan
    a = [rng.randrange(each) for each in moduli]
    x, y = ([rng.randrange(each) for each in moduli for _ in range(count)] for _ in range(2))
    vectors = [x, y] if kind == "axpy" else [x]
    given = [c_void_p(runtime.given(words(each, 4))) for each in (a, *vectors)]
    z = runtime.given(words([0] * len(x), 4))
    size = room(plan, c_size_t(count))
    assert size == (2 * 8 * 4 if kind == "axpy" else 0)  # for each modulus the scalar and its quotient, whole vectors
    work = c_void_p(runtime.given(np.zeros(size // 4, np.uint32)) if size else None)
    assert execute(plan, c_void_p(z), *given, c_size_t(count), work, c_void_p(0)) == 0
    rows = [row for row in range(2) for _ in range(count)]
    wanted = [(a[r] * u + v if kind == "axpy" else u + a[r]) % moduli[r] for r, u, v in zip(rows, x, y, strict=True)]
    found = runtime.taken(z).reshape(-1, 4)
    assert [sum(int(w) << 32 * i for i, w in enumerate(row)) for row in found] == wanted  # with a last word that is 0
    getattr(runtime.library, f"{name}_destroy")(plan)


def program(kind: str, **options: str) -> DeviceProgram:
    made = lowered(make_spec(kind, modulus=prime(124), target="cuda", options=options)).program
    assert isinstance(made, DeviceProgram)
    return made


def test_only_products_by_a_scalar_take_a_launch_before() -> None:
    """Its quotient, which is as long as the scalar, and the scalar."""
    launches = {kind: [each.kernel for each in program(kind).run] for kind in ELEMENTS}
    assert {kind for kind, run in launches.items() if len(run) > 1} == {"axpy", "scal"}
    assert program("axpy").numbers == 8 and program("vadds").numbers == 0
    assert program("axpy").run[1].operands == ("z", "x", "y", "t")
    assert program("vadds").run[0].operands == ("z", "x", "a")


@pytest.mark.parametrize(("option", "value"), [("limbs", "reduced"), ("interleave", "2")])
def test_options_of_lanes_are_refused(option: str, value: str) -> None:
    with pytest.raises(MomagenError, match=option):
        program("vmul", **{option: value})


def test_a_thread_takes_as_many_elements_as_are_asked_for() -> None:
    groups = {each: program("vadd", **({"unroll": each} if each else {})).run[0].group for each in ("", "1", "2", "8")}
    assert groups == {"": 128, "1": 128, "2": 256, "8": 1024}


@pytest.mark.parametrize(("kind", "bits"), [("vadd", 512), ("vmul", 1024), ("vsub", 381), ("axpy", 640), ("vmul", 256)])
def test_memory_moves_what_is_read_and_written_and_nothing_else(kind: str, bits: int) -> None:
    """Neighbouring threads move neighbouring parts of long elements, and meet in no bank. Of an element of 32 bytes, a
    sector, each access takes one half, and the first cache keeps the other."""
    k = mg.blas(kind, bits=bits, target="cuda_sm90")
    *_, found = launch_traffic(k.generated, 300)
    vectors, program = len(k.operands) - len(k.spec.ranges.scalars), k.generated.program
    assert isinstance(program, DeviceProgram)
    threads = 3 * program.run[-1].threads
    assert found.loaded == vectors * found.data + threads * 4 * program.numbers, "vectors, and each thread the scalar"
    assert found.stored == found.data
    assert found.waste == (1 if bits > 256 else 2) and found.conflicts == 0
