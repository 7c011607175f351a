"""Conversions between bases and division by a modulus for GPUs: their PTX, run on the CPU, against integers."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpz
from support.cuda_runtime import PINNED
from support.rows_host import RowsHost

import momagen as mg
from momagen.cli import main
from momagen.cuda.device import PtxDevice
from momagen.cuda.gpu import why_no_gpu
from momagen.cuda.nvrtc import nvrtc_version
from momagen.cuda.ptx.run import ORDERS, Order
from momagen.emit.codes import ROWS_CODES
from momagen.errors import MomagenError
from momagen.params import prime_basis

WIDTHS = (20, 28, 31, 50, 60, 62)
PRIMES = {bits: prime_basis(44, bits, 1) for bits in (*WIDTHS, 40)}
METHODS: tuple[dict[str, Any], ...] = (
    {}, {"positive": True}, {"method": "corrected"}, {"method": "corrected", "positive": True}, {"method": "fast"},
)  # fmt: skip
COLUMNS = 523
"""An odd number, more columns than a block has."""
CODES = [*ROWS_CODES]


@pytest.fixture(autouse=True)
def nvrtc() -> None:
    if nvrtc_version() is None:
        pytest.skip("NVRTC is missing")


def rows(numbers: list[Any], moduli: tuple[int, ...]) -> np.ndarray:
    return np.array([[int(a % q) for a in numbers] for q in moduli], np.uint64)


def convert(*args: object, **options: object) -> mg.Kernel:
    found = mg.convert(*args, target="cuda", **options)  # type: ignore[arg-type]
    return found


def ends(k: mg.Kernel) -> tuple[mpz, mpz]:
    """The least number that a conversion takes, and the least that is too large; within margins where it has some."""
    whole, spec = mpz(prod(k.moduli)), k.spec
    margin = whole >> (39 if spec.positive else 40) if spec.corrected else mpz(0)
    if spec.positive or spec.method == "fast":
        return mpz(0), whole - margin
    return margin - whole // 2, whole // 2 - margin + (whole % 2) * (not spec.corrected)


def check(k: mg.Kernel, columns: int = COLUMNS) -> None:
    """Compare a conversion with integers: of numbers at the ends, next to 0, and of random numbers."""
    (low, high), rng = ends(k), Random(k.name)
    numbers = [each for each in (low, low + 1, high - 1, high - 2, -1, 0, 1) if low <= each < high]
    numbers = (numbers + [low + rng.randrange(int(high - low)) for _ in range(columns)])[:columns]
    found = k(rows(numbers, k.moduli))
    if k.spec.method == "fast":
        shares = [prod(k.moduli) // q for q in k.moduli]
        numbers = [sum(a * pow(s, -1, q) % q * s for q, s in zip(k.moduli, shares, strict=True)) for a in numbers]
    assert np.array_equal(found, rows(numbers, k.goals))


@pytest.mark.sampled(10)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("asked", METHODS, ids=str)
def test_every_width(asked: dict[str, Any], bits: int) -> None:
    check(convert(PRIMES[bits][:3], to=PRIMES[bits][3:7], **asked))


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("sources", "goals"), [(1, 1), (1, 28), (2, 1), (2, 28), (12, 1), (12, 28)])
@pytest.mark.parametrize("bits", [28, 60])
@pytest.mark.parametrize("method", ["exact", "corrected", "fast"])
def test_numbers_of_moduli(method: str, bits: int, sources: int, goals: int) -> None:
    check(convert(PRIMES[bits][:sources], to=PRIMES[bits][12 : 12 + goals], method=method), 131)


CHAINS = {
    "SEAL": (PRIMES[60][0], PRIMES[40][0], PRIMES[40][1], PRIMES[60][1]),
    "short": (PRIMES[28][0], PRIMES[28][1], PRIMES[20][0]), "longest": (PRIMES[62][0], PRIMES[20][0], PRIMES[31][0]),
    "tiny": (3, 5, 7), "32 bits": (2**32 - 5, 2**32 - 17, PRIMES[20][0]),
}  # fmt: skip
OTHERS = (2, 3, 6, 64, 65537)
LONGER = (*OTHERS, 1 << 32, PRIMES[50][2], PRIMES[60][2], 1 << 61)
"""Target moduli of any length, powers of two among them."""


@pytest.mark.sampled(8)
@pytest.mark.parametrize("others", [OTHERS, LONGER], ids=["short", "long"])
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("asked", METHODS, ids=str)
def test_chains_of_several_lengths(asked: dict[str, Any], chain: str, others: tuple[int, ...]) -> None:
    k = convert(CHAINS[chain], to=others, **asked)
    if chain != "tiny":  # the product has fewer bits than the margin there
        check(k, 77)
    assert k.verify()


@pytest.mark.thorough
@pytest.mark.parametrize(("method", "bits"), [("exact", 60), ("corrected", 62), ("fast", 28)])
def test_the_largest_numbers_of_sources(method: str, bits: int) -> None:
    most = 32 if method == "exact" else 64
    check(convert(prime_basis(most, bits, 1), to=PRIMES[31][:2], method=method), 5)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("bits", [28, 60, 62])
def test_digits_are_compared_with_half_of_the_product(bits: int) -> None:
    """Numbers whose digits, in mixed radices, are those of half of the product but for one or some of the lowest."""
    k = convert(PRIMES[bits][:4], to=PRIMES[bits][4:6])
    whole, part = prod(k.moduli), 1
    numbers = [whole // 2 + i for i in range(-8, 9)]
    for q in k.moduli:
        numbers += [whole // 2 + sign * part * i for i in (1, q // 2, q - 1) for sign in (1, -1)]
        part *= q
    expected = [a % whole - whole * (a % whole > whole // 2) for a in numbers]
    assert np.array_equal(k(rows(numbers, k.moduli)), rows(expected, k.goals))


@pytest.mark.parametrize("positive", [False, True])
def test_beyond_its_margins_a_corrected_conversion_is_off_by_the_product(positive: bool) -> None:
    """The margin that the interface states is needed: next to the upper end, the next multiple is subtracted."""
    k = convert(PRIMES[60][:12], to=PRIMES[60][12:14], method="corrected", positive=positive)
    whole = mpz(prod(k.moduli))
    last = whole - 1 if positive else (whole - 1) // 2
    found = k(rows([last, last - (whole >> 39)], k.moduli))
    near, far = ([int(a % p) for p in k.goals] for a in (last - whole, last - (whole >> 39)))
    assert found[:, 1].tolist() == far
    assert not positive or found[:, 0].tolist() == near


@pytest.mark.sampled(4)
@pytest.mark.parametrize("chain", [chain for chain in CHAINS if chain != "tiny"])
@pytest.mark.parametrize("columns", [1, 129, COLUMNS])
def test_chains_are_divided_by_their_last_modulus(columns: int, chain: str) -> None:
    k = mg.rescale(CHAINS[chain], target="cuda")
    whole, d, rng = prod(k.moduli), k.moduli[-1], Random(chain)
    numbers = [whole - 1, *(rng.randrange(whole) for _ in range(columns - 1))]
    wanted = rows([(a + d // 2) // d for a in numbers], k.goals)
    x = rows(numbers, k.moduli)
    assert np.array_equal(k(x), wanted) and k.verify()
    both = np.ascontiguousarray(x, k.tables.dtype)
    k.tables.run(columns, both, both)  # in place
    assert np.array_equal(both[:-1], wanted)


@pytest.mark.parametrize("bits", WIDTHS)
def test_divisions_of_every_width(bits: int) -> None:
    assert mg.rescale(PRIMES[bits][:5], target="cuda").verify()
    assert mg.rescale(PRIMES[bits][:5], rounding="floor", target="cuda").verify()
    assert mg.rescale([*PRIMES[bits][:2], 2], target="cuda").verify()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("make", ["fast", "exact", "corrected", "rescale"])
def test_threads_depend_on_no_order(make: str, order: Order, monkeypatch: pytest.MonkeyPatch) -> None:
    """The emulation reports blocks that depend on one another, and accesses outside of arrays: none in any order."""
    moduli = PRIMES[60][:4]
    k: Any = mg.rescale(moduli, target="cuda") if make == "rescale" else convert(moduli, to=OTHERS, method=make)
    device = k.tables.device
    assert isinstance(device, PtxDevice) and not device.module.barriers
    device.order = order
    assert k.verify()


def test_arrays_of_several_vectors_lists_and_no_columns() -> None:
    k = convert([97, 193, 257], to=[65537, 113, 1009])
    assert k([[96], [192], [256]]) == [[65536], [112], [1008]] and not k([[], [], []])[0]
    numbers = [[5, -7], [0, 1]]
    x = np.stack([rows(each, k.moduli) for each in numbers]).astype(np.int32)
    assert np.array_equal(k(x), np.stack([rows(each, k.goals) for each in numbers]))
    assert k(np.zeros((0, 3, 4), np.uint64)).shape == (0, 3, 4)


def test_verification_finds_wrong_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    k = convert(PRIMES[50][:3], to=PRIMES[50][3:5])
    right = k.caller

    def wrong(operands: Any, out: None) -> list[list[int]]:
        first, *others = right(operands, out)
        return [[*first[:-1], first[-1] ^ 1], *others]

    monkeypatch.setattr(k, "_caller", wrong)
    assert not k.verify()


def test_other_targets_for_gpus_compute_the_same() -> None:
    for target in ("cuda_sm90", "cuda_words64"):
        assert mg.convert(PRIMES[60][:3], to=PRIMES[60][3:5], target=target).verify()


# The host's part, by C.


@pytest.fixture
def host(tmp_path: Path) -> RowsHost:
    return RowsHost(convert([101, 103, 2**40 - 87], to=[107, 64], method="corrected"), tmp_path)


def test_hosts_call_it(host: RowsHost) -> None:
    k, runtime, numbers = host.k, host.runtime, [*range(-60, 61)]
    plan, code = host.plan()
    assert code == "OK" and plan
    x = runtime.given(rows(numbers, k.moduli).view(np.uint32))
    z = runtime.given(np.zeros(2 * 2 * len(numbers), np.uint32))
    assert host.execute(plan, z, x, len(numbers), 77) == 0 and runtime.streams == 77
    assert np.array_equal(runtime.taken(z).view(np.uint64).reshape(2, -1), rows(numbers, k.goals))
    other, code = host.plan((3, 5, 7), (9, 10, 11, 12))  # other moduli, and another number of target moduli
    x = runtime.given(rows([*range(-52, 53)], (3, 5, 7)).view(np.uint32))
    z = runtime.given(np.zeros(2 * 4 * 105, np.uint32))
    assert code == "OK" and host.execute(other, z, x, 105, None) == 0
    found = runtime.taken(z).view(np.uint64).reshape(4, -1)
    assert np.array_equal(found[:, 1:-1], rows([*range(-51, 52)], (9, 10, 11, 12)))
    for each in (plan, other, None):
        host.destroy(each)


def test_hosts_divide_short_rows_in_place(tmp_path: Path) -> None:
    host = RowsHost(mg.rescale([193, 257, 97], target="cuda"), tmp_path)  # type: ignore[arg-type]
    plan, code = host.plan()
    numbers = [Random(1).randrange(193 * 257 * 97) for _ in range(131)]
    x = host.runtime.given(rows(numbers, host.k.moduli).astype(np.uint32))
    assert code == "OK" and host.execute(plan, x, x, len(numbers), None) == 0
    found = host.runtime.taken(x).reshape(3, -1)[:2]
    assert np.array_equal(found, rows([(a + 48) // 97 for a in numbers], host.k.goals))
    assert host.plan((5,))[1] == host.plan((10, 4))[1] == host.plan((3, 1 << 40))[1] == "BAD_MODULUS"


def test_create_says_why_not_and_leaves_nothing(host: RowsHost) -> None:
    runtime = host.runtime
    refused = [((101, 103), (107,)), ((101, 103, 107), ()), ((101, 103, 202), (107,)), ((101, 103, 1), (107,)),
               ((101, 103, 107), (1,)), ((101, 103, 107), (1 << 40,)), ((101, 103, 1 << 41), (107,))]  # fmt: skip
    assert {host.plan(*each) for each in refused} == {(None, "BAD_MODULUS")}
    why = c_int(-1)
    assert host.create(3, None, 2, None, byref(why)) is None and CODES[why.value] == "NULL_POINTER"
    failing: list[tuple[Any, int, str]] = [
        ("device", 100, "NO_DEVICE"), ("kernel", 209, "BAD_DEVICE"), (("allocate", 0), 2, "NO_MEMORY"),
        (("allocate", 1), 2, "NO_MEMORY"), (("copy", 0), 719, "FAILED"), (("copy", 1), 719, "FAILED"),
        (("copy", 2), 719, "FAILED"), ("launch", 719, "FAILED"), ("wait", 719, "FAILED"),
    ]  # fmt: skip
    for what, error, code in failing:
        runtime.reset()
        runtime.failing = {what: error}
        assert host.plan() == (None, code)
        assert not runtime.memory


def test_execute_checks_before_it_launches(host: RowsHost) -> None:
    plan, _ = host.plan()
    runtime, here = host.runtime, np.zeros(64, np.uint64)
    x, z = (runtime.given(np.zeros(64, np.uint32)) for _ in range(2))

    def code(plan: int | None, z: int | None, x: int | None, n: int = 2) -> str:
        runtime.calls.clear()
        found = CODES[host.execute(plan, z, x, n, None)]
        assert found == "OK" or "launch" not in runtime.calls
        return found

    assert code(plan, z, x) == code(plan, None, None, 0) == "OK"
    assert code(None, z, x) == code(plan, None, x) == code(plan, z, None) == "NULL_POINTER"
    assert code(plan, z, x, 1 << 31) == code(plan, z, x, 1 << 60) == "TOO_LONG"
    assert code(plan, z + 4, x) == code(plan, z, x + 4) == "MISALIGNED"
    assert code(plan, here.ctypes.data, x) == code(plan, z, here.ctypes.data) == "HOST_POINTER"
    runtime.kinds[x] = PINNED
    assert code(plan, z, x) == "HOST_POINTER"
    runtime.kinds.clear()
    runtime.devices[x] = 1
    assert code(plan, z, x) == "OTHER_DEVICE"
    runtime.devices.clear()
    runtime.number = 1
    assert code(plan, z, x) == "OTHER_DEVICE"


def test_codes_have_texts(host: RowsHost) -> None:
    texts = [host.error_text(number).decode() for number in range(len(CODES))]
    assert texts == [*ROWS_CODES.values()]
    assert host.error_text(len(CODES)) == host.error_text(-1) == b"unknown error code"


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: convert(3, to=2, modulus_bits=63), "moduli of at most 62 bits on targets in CUDA"),
    (
        lambda: mg.rescale(3, modulus_bits=64, target="cuda"),
        "moduli of at most 62 bits on targets in CUDA",
    ),
    (lambda: convert(3, to=2, modulus_bits=50, engine="words"), "`engine` does not apply to targets in C or CUDA"),
    (lambda: convert(3, to=2, modulus_bits=28, threads=2), "`threads` is available only on targets in C"),
    (lambda: mg.rescale(3, modulus_bits=28, threads=2, target="cuda"), "`threads` is available only on targets in C"),
    (lambda: convert(33, to=2, modulus_bits=50), "expected at most 32 moduli on a target in CUDA with method exact"),
    (lambda: convert(65, to=2, modulus_bits=50, method="fast"), "expected at most 64 moduli on a target in CUDA"),
    (lambda: convert([100], to=[97]), r"moduli\[0\]: expected an odd number"),
    (lambda: convert([9, 5], to=[7])([[9], [4]]), r"x\[0\]: expected residues below 9, got 9"),
    (lambda: convert([9, 5], to=[7])([1, 2]), r"x: expected integers of shape \(…, 2, n\)"),
    (lambda: convert([9, 5], to=[7])([[1], [2]], out=[[0]]), "`out` can only be used if x is a GPU array"),
    (lambda: convert([9, 5], to=[7]).threads, "generate it with the option `threads`"),
]


@pytest.mark.parametrize(("ask", "said"), REFUSED)
def test_what_is_refused(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(MomagenError, match=said):
        ask()


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bases = ["--moduli", "101,103", "--target", "cuda", "--output", str(tmp_path)]
    for options in ([], ["--method", "corrected"], ["--approximate"]):
        assert main(["convert", *bases, "--to", "97,64", *options]) == 0
    assert main(["rescale", *bases]) == 0
    names = ["convert2to2_7b", "convert2to2_7b_corrected", "convert2to2_7b_fast", "rescale2_7b"]
    ends = ("cu", "h", "json")
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}_cuda.{end}" for name in names for end in ends}
    printed = capsys.readouterr().out
    assert printed.count("verified: PASS") == 4
    assert not why_no_gpu() or printed.count("the CPU interprets the kernel's PTX") == 4
    text = (tmp_path / "rescale2_7b_cuda.cu").read_text(encoding="utf-8")
    assert "Verified against gmpy2" in text and "Target: cuda (" in text
    assert main(["convert", *bases, "--to", "97,", "--threads", "2"]) == 2
    assert "is available only on targets in C" in capsys.readouterr().err


@pytest.mark.parametrize("processors", [1, 5])
@pytest.mark.parametrize("make", ["convert", "rescale"])
def test_blocks_share_the_rows_of_the_result(
    make: str, processors: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of six rows in two blocks of columns by one block each, or by five: none twice, none left out."""
    moduli = PRIMES[28][:7]
    k: Any = mg.rescale(moduli, target="cuda") if make == "rescale" else convert(moduli[:3], to=PRIMES[31][:6])
    rng, half = Random(make), prod(k.moduli) // 2
    numbers = [rng.randrange(half) for _ in range(COLUMNS)]
    d = moduli[-1]
    wanted = rows([(a + d // 2) // d for a in numbers] if make == "rescale" else numbers, k.goals)
    grids, launch = list[Any](), PtxDevice.launch

    def noted(device: PtxDevice, kernel: str, grid: Any, *more: Any) -> None:
        grids.append(tuple(grid))
        launch(device, kernel, grid, *more)

    monkeypatch.setattr(PtxDevice, "processors", processors)
    monkeypatch.setattr(PtxDevice, "launch", noted)
    x = rows(numbers, k.moduli)
    assert np.array_equal(k(x), wanted)
    assert grids == [(1, 1), (2, processors)]
    host = RowsHost(k, tmp_path)
    host.runtime.processors = processors
    plan, _ = host.plan()
    x32 = host.runtime.given(np.ascontiguousarray(x, np.uint32))
    z = host.runtime.given(np.zeros(6 * COLUMNS, np.uint32))
    assert host.execute(plan, z, x32, COLUMNS, None) == 0
    assert np.array_equal(host.runtime.taken(z).reshape(6, -1), wanted)
