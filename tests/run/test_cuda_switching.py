"""ModDown and key switching for GPUs: their PTX, run on the CPU, against integers."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cuda_runtime import PINNED
from support.rows_host import RowsHost
from support.switching import check_divided, defined, dividends, operands, rows

import momagen as mg
from momagen.cli import main
from momagen.cuda.device import PtxDevice
from momagen.cuda.gpu import why_no_gpu
from momagen.cuda.nvrtc import nvrtc_version
from momagen.cuda.ptx.run import ORDERS, Order
from momagen.errors import MomagenError
from momagen.params import prime_basis

PRIMES = {bits: prime_basis(44, bits, 1) for bits in (20, 28, 31, 40, 50, 60, 62)}
METHODS = ("exact", "corrected", "fast")
COLUMNS = 523
"""An odd number, more columns than a block has."""


@pytest.fixture(autouse=True)
def nvrtc() -> None:
    if nvrtc_version() is None:
        pytest.skip("NVRTC is missing")


def moddown(*args: object, **options: object) -> mg.Kernel:
    found = mg.moddown(*args, target="cuda", **options)  # type: ignore[arg-type]
    return found


def keyswitch(*args: object, **options: object) -> mg.Kernel:
    found = mg.keyswitch(*args, target="cuda", **options)  # type: ignore[arg-type]
    return found


# ModDown.

BASES = {
    "CKKS": ((*PRIMES[60][:1], *PRIMES[40][:3], *PRIMES[60][1:3]), 2), "28 bits": (PRIMES[28][:4], 3),
    "31 bits": (PRIMES[31][:5], 2), "50 bits": (PRIMES[50][:4], 2), "one divisor": (PRIMES[50][:4], 1),
    "62 bits": ((*PRIMES[20][:2], *PRIMES[62][:2]), 2), "short divisors": ((*PRIMES[62][:2], *PRIMES[28][:2]), 2),
    "all but one": ((*PRIMES[60][:1], *PRIMES[50][:4], *PRIMES[28][:4]), 8), "32 bits": ((2**32 - 5, 2**32 - 17, 3), 1),
    "even": ((64, 2**32 - 5, 97), 2),
}  # fmt: skip


@pytest.mark.sampled(12)
@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("s", "t"), [(1, 1), (1, 2), (1, 65537), (65537, 1), ((1 << 62) - 1, PRIMES[62][-1])])
def test_numbers_are_divided_by_all_methods(s: int, t: int, method: str, basis: str) -> None:
    moduli, drop = BASES[basis]
    k = moddown(moduli, drop=drop, method=method, scale=s, plaintext_modulus=t)
    assert k.verify()
    for n in (1, COLUMNS):
        numbers = dividends(k, n)
        check_divided(k, numbers, k(rows(numbers, k.moduli)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("goals", "drop"), [(1, 12), (28, 1), (12, 4)])
@pytest.mark.parametrize("bits", [28, 60])
@pytest.mark.parametrize("method", METHODS)
def test_numbers_of_divisors(method: str, bits: int, goals: int, drop: int) -> None:
    k = moddown(PRIMES[bits][: goals + drop], drop=drop, method=method)
    numbers = dividends(k, 131)
    check_divided(k, numbers, k(rows(numbers, k.moduli)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bits", [28, 60])
def test_quotients_take_the_rows_of_dividends(bits: int, method: str) -> None:
    k = moddown(PRIMES[bits][:6], drop=2, method=method)
    numbers = dividends(k, COLUMNS)
    both = np.ascontiguousarray(rows(numbers, k.moduli), k.tables.dtype)
    k.tables.run(len(numbers), both, both)
    check_divided(k, numbers, both[:-2])


def test_rounding_is_to_the_nearest_integer() -> None:
    for method in ("exact", "corrected"):
        k = moddown(PRIMES[50][:4], drop=2, method=method)
        numbers, divisor = dividends(k, 100), k.spec.divisor
        nearest = [(a + divisor // 2) // divisor for a in numbers]
        assert np.array_equal(k(rows(numbers, k.moduli)), rows(nearest, k.goals))


# Key switching.

CHAINS = {
    "SEAL": (*PRIMES[60][:2], *PRIMES[40][:2]), "28 bits": PRIMES[28][:3], "29 bits": ((1 << 29) - 3, (1 << 28) + 1),
    "30 bits": ((1 << 30) - 1, 97), "31 bits": ((1 << 31) - 1, 2), "32 bits": ((1 << 32) - 1, 1 << 31),
    "33 bits": ((1 << 33) - 1, 1 << 32), "50 bits": ((1 << 50) - 1, (1 << 49) + 1, 97), "61 bits": ((1 << 61) - 1, 5),
    "62 bits": ((1 << 62) - 1, 3, (1 << 61) + 1),
}  # fmt: skip


@pytest.mark.sampled(10)
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("factor", [1, 2, 4])
def test_sums_of_all_sizes(factor: int, chain: str) -> None:
    """Numbers of digits below and above what columns hold; less than a block of columns, and more."""
    k = keyswitch(CHAINS[chain], input_factor=factor)
    assert k.verify()
    for digits, n in ((1, 1), (2, 31), (3, 300), (9, 133), (64, 33)):
        d, keys = operands(k, digits, n)
        order = np.random.default_rng(n).permutation(n)
        assert np.array_equal(k(d, keys), defined(k, d, keys))
        assert np.array_equal(k(d, keys, order), defined(k, d, keys, order))


@pytest.mark.parametrize("bits", [60, 62])
def test_carries_of_the_largest_sums(bits: int) -> None:
    """The largest digits and keys, as many as a call takes, and one more than columns hold before carries move."""
    k = keyswitch([(1 << bits) - 1])
    for digits in (3, 9, 64):
        d, keys = np.full((digits, 1, 3), k.moduli[0] - 1, np.uint64), np.full((digits, 2, 1, 3), k.moduli[0] - 1)
        assert np.array_equal(k(d, keys), np.full((2, 1, 3), digits, np.uint64))  # (-1)·(-1) for every digit


@pytest.mark.parametrize("outputs", [1, 2, 3, 4])
def test_any_number_of_outputs(outputs: int) -> None:
    k = keyswitch(CHAINS["SEAL"], outputs=outputs)
    d, keys = operands(k, 5, 150)
    assert np.array_equal(k(d, keys), defined(k, d, keys))
    assert np.array_equal(k(np.stack([d, d[::-1]]), keys)[1], defined(k, d[::-1], keys))
    assert k(d.tolist(), keys.tolist()) == defined(k, d, keys).tolist()


def test_sums_take_the_rows_of_digits_or_keys() -> None:
    k = keyswitch(CHAINS["SEAL"])
    d, keys = operands(k, 3, 300)
    wanted = defined(k, d, keys)
    plan, zero = k.tables, np.uint64(0)
    plan.run(300, d, d, keys, zero)
    assert np.array_equal(d[:2], wanted)
    d, keys = operands(k, 3, 300)
    plan.run(300, keys, d, keys, zero)
    assert np.array_equal(keys[0], wanted)


def check_traffic(k: Any, grid: tuple[int, int], args: list[Any], reads: int) -> None:
    """Check that a launch reads and writes every residue once, by whole sectors of memory.

    Args:
        k: the kernel. grid: of the launch. args: its arguments, the result first.
        reads: the number of operands, which follow it.
    """
    device, (run,) = k.tables.device, k.tables.program.run
    assert isinstance(device, PtxDevice)
    found = device.module.launch(run.kernel, grid=grid, block=(run.threads,), args=args, count=True)
    assert found.arguments[0] == (0, args[0].nbytes)
    assert found.arguments[1 : 1 + reads] == tuple((each.nbytes, 0) for each in args[1 : 1 + reads])
    assert all(line.count.coalesced for line in found.lines)


@pytest.mark.parametrize("bits", [28, 60])
def test_key_switching_reads_and_writes_every_residue_once(bits: int) -> None:
    k, n = keyswitch(PRIMES[bits][:3]), 256
    plan = k.tables
    d, keys = (np.ascontiguousarray(each, plan.dtype) for each in operands(k, 3, n))
    z = np.zeros((2, 3, n), plan.dtype)
    for order in (np.uint64(0), np.arange(n, dtype=np.uint32)):
        check_traffic(k, (2, 3), [z, d, keys, order, plan._tables, 3, 3, n], 2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bits", [28, 60])
def test_moddown_reads_and_writes_every_residue_once(bits: int, method: str) -> None:
    k = moddown(PRIMES[bits][:5], drop=2, method=method)
    plan, (run,) = k.tables, k.tables.program.run
    x = np.ascontiguousarray(rows(dividends(k, run.group), k.moduli), plan.dtype)
    z = np.zeros((3, run.group), plan.dtype)
    check_traffic(k, (1, 1), [z, x, plan._tables, 3, run.group], 1)


# Both.


@pytest.mark.sampled(3)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("make", [*METHODS, "keyswitch"])
def test_threads_depend_on_no_order(make: str, order: Order) -> None:
    """The emulation reports blocks that depend on one another, and accesses outside of arrays: none in any order."""
    moduli = PRIMES[60][:4]
    k: Any = keyswitch(moduli) if make == "keyswitch" else moddown(moduli, drop=2, method=make)
    device = k.tables.device
    assert isinstance(device, PtxDevice) and not device.module.barriers
    device.order = order
    assert k.verify()


def test_verification_finds_wrong_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    k, switch = moddown(PRIMES[50][:4], drop=2), keyswitch(PRIMES[50][:2])
    divide, on_host = k.caller, switch.caller._run  # type: ignore[attr-defined]

    def wrong_rows(operands: Any, out: None) -> list[list[int]]:
        first, *others = divide(operands, out)
        return [[*first[:-1], first[-1] ^ 1], *others]

    def wrong_sums(result: Any, *operands: Any) -> None:
        on_host(result, *operands)
        result[-1, -1, -1] ^= 1

    monkeypatch.setattr(k, "_caller", wrong_rows)
    monkeypatch.setattr(switch.caller, "_run", wrong_sums)
    assert not k.verify() and not switch.verify()


def test_other_targets_for_gpus_compute_the_same() -> None:
    for target in ("cuda_sm90", "cuda_words64"):
        assert mg.moddown(PRIMES[60][:4], drop=2, target=target).verify()
        assert mg.keyswitch(PRIMES[60][:2], target=target).verify()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("processors", [1, 5])
def test_blocks_share_the_rows_of_quotients(processors: int, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    k = moddown(PRIMES[28][:8], drop=2, method=method)
    numbers, grids, launch = dividends(k, COLUMNS), list[Any](), PtxDevice.launch

    def noted(device: PtxDevice, kernel: str, grid: Any, *more: Any) -> None:
        grids.append(tuple(grid))
        launch(device, kernel, grid, *more)

    monkeypatch.setattr(PtxDevice, "processors", processors)
    monkeypatch.setattr(PtxDevice, "launch", noted)
    check_divided(k, numbers, k(rows(numbers, k.moduli)))
    assert grids == [(1, 1), (2, processors)]


# The host's part, by C.


@pytest.mark.parametrize("method", METHODS)
def test_hosts_divide_in_place_and_elsewhere(method: str, tmp_path: Path) -> None:
    moduli = [*PRIMES[60][:2], *PRIMES[40][:3]]
    host = RowsHost(moddown(moduli, drop=2, method=method, scale=5, plaintext_modulus=3), tmp_path)
    k, numbers = host.k, dividends(host.k, 300)
    plan, code = host.plan()
    x, z = host.given(rows(numbers, k.moduli)), host.room(3, 300)
    assert code == "OK" and plan
    assert host.codes[host.execute(plan, z, x, 300, 77)] == "OK" and host.runtime.streams == 77
    check_divided(k, numbers, host.taken(z, 3))
    other, code = host.plan(k.moduli[1:], others=(2, 1, 1))  # fewer moduli, other factors
    short = moddown(k.moduli[1:], drop=2, method=method)
    numbers = dividends(short, 90)
    x = host.given(rows(numbers, short.moduli))
    assert code == "OK" and host.codes[host.execute(other, x, x, 90, None)] == "OK"
    check_divided(short, numbers, host.taken(x, 4)[:2])
    for each in (plan, other, None):
        host.destroy(each)


@pytest.mark.parametrize("factor", [1, 4])
@pytest.mark.parametrize("bits", [28, 32])
def test_hosts_switch_keys(bits: int, factor: int, tmp_path: Path) -> None:
    """Residues of 32 bits, and digits below a multiple of a modulus of 32 bits, which need 64."""
    host = RowsHost(keyswitch([(1 << bits) - 1, 97, 5], input_factor=factor, outputs=3), tmp_path)
    k, n = host.k, 150
    assert ("const uint64_t *d" in k.header) == (bits == 32 and factor == 4)
    for digits in (1, 3, 64):
        d, keys = operands(k, digits, n)
        order = np.random.default_rng(digits).permutation(n).astype(np.uint32)
        plan, code = host.plan(others=(digits,))
        vectors = host.room(9, n), host.given(d), host.given(keys)
        assert code == "OK" and host.codes[host.execute(plan, *vectors, None, n, None)] == "OK"
        assert np.array_equal(host.taken(vectors[0], 9), defined(k, d, keys).reshape(9, n))
        columns = host.runtime.given(order)
        assert host.codes[host.execute(plan, *vectors, columns, n, None)] == "OK"
        assert np.array_equal(host.taken(vectors[0], 9), defined(k, d, keys, order).reshape(9, n))
        host.destroy(plan)
    other, code = host.plan((7, 11), others=(2,))  # other moduli, and another number of them
    small = keyswitch((7, 11), input_factor=factor, outputs=3)
    d, keys = operands(small, 2, n)
    z = host.room(6, n)
    assert code == "OK" and host.execute(other, z, host.given(d), host.given(keys), None, n, None) == 0
    assert np.array_equal(host.taken(z, 6), defined(small, d, keys).reshape(6, n))


FAILING: list[tuple[Any, int, str]] = [
    ("device", 100, "NO_DEVICE"), ("kernel", 209, "BAD_DEVICE"), (("allocate", 0), 2, "NO_MEMORY"),
    (("allocate", 1), 2, "NO_MEMORY"), (("copy", 0), 719, "FAILED"), (("copy", 1), 719, "FAILED"),
    ("launch", 719, "FAILED"), ("wait", 719, "FAILED"),
]  # fmt: skip


def check_create(host: RowsHost, refused: list[tuple[tuple[int, ...], tuple[int, ...], str]]) -> None:
    """Check what create refuses, by moduli and other numbers, and that a failing create leaves nothing."""
    for moduli, others, code in refused:
        assert host.plan(moduli, others=others) == (None, code), (moduli, others)
    why, (*others, last) = c_int(-1), host.create.argtypes[2:]
    given = [1] * len(others)
    assert host.create(3, None, *given, byref(why)) is None and last and host.codes[why.value] == "NULL_POINTER"
    for what, error, code in FAILING:
        host.runtime.reset()
        host.runtime.failing = {what: error}
        assert host.plan() == (None, code) and not host.runtime.memory
    host.runtime.reset()


def test_create_of_moddown_says_why_not(tmp_path: Path) -> None:
    host = RowsHost(moddown([101, 103, 107, 109], drop=2, method="exact"), tmp_path)
    served = (101, 103, 107, 109)
    check_create(host, [
        (served, (1, 1, 1), "BAD_SIZE"), (served, (3, 1, 1), "BAD_SIZE"), ((107, 109), (2, 1, 1), "BAD_SIZE"),
        (served, (2, 1, 109), "BAD_MODULUS"), ((101, 103, 107, 107), (2, 1, 1), "BAD_MODULUS"),
        ((101, 103, 107, 101), (2, 1, 1), "BAD_MODULUS"), ((101, 103, 107, 128), (2, 1, 1), "BAD_MODULUS"),
        ((101, 103, 107, 110), (2, 1, 1), "BAD_MODULUS"), ((101, 1, 107, 109), (2, 1, 1), "BAD_MODULUS"),
    ])  # fmt: skip
    assert host.plan((100, 103, 107, 109), others=(2, 3, 7))[1] == "OK"  # moduli that stay may be even


def test_create_of_keyswitch_says_why_not(tmp_path: Path) -> None:
    host = RowsHost(keyswitch([101, 103]), tmp_path)
    check_create(host, [
        ((101, 103), (0,), "BAD_SIZE"), ((101, 103), (65,), "BAD_SIZE"), ((101, 128), (3,), "BAD_MODULUS"),
        ((101, 1), (3,), "BAD_MODULUS"), ((), (3,), "BAD_MODULUS"),
    ])  # fmt: skip


def test_execute_checks_before_it_launches(tmp_path: Path) -> None:
    host = RowsHost(keyswitch([101, (1 << 60) - 1]), tmp_path)
    plan, _ = host.plan()
    runtime, here = host.runtime, np.zeros(64, np.uint64)
    z, d, k, order = (runtime.given(np.zeros(64, np.uint32)) for _ in range(4))

    def code(*given: int | None, n: int = 2) -> str:
        runtime.calls.clear()
        found = host.codes[host.execute(*given, n, None)]
        assert found == "OK" or "launch" not in runtime.calls
        return found

    assert code(plan, z, d, k, order) == code(plan, z, d, k, None) == code(plan, None, None, None, None, n=0) == "OK"
    for at in range(4):
        missing = [plan, z, d, k, order]
        missing[at] = None
        assert code(*missing) == "NULL_POINTER"
    assert code(plan, z, d, k, order, n=1 << 31) == "TOO_LONG"
    assert code(plan, z, d + 4, k, None) == code(plan, z, d, k + 4, None) == "MISALIGNED"
    assert code(plan, z, d, k, order + 4, n=1) == "OK" and code(plan, z, d, k, order + 2) == "MISALIGNED"
    assert code(plan, z, d, here.ctypes.data, None) == code(plan, z, d, k, here.ctypes.data) == "HOST_POINTER"
    runtime.kinds[order] = PINNED
    assert code(plan, z, d, k, order) == "HOST_POINTER"
    runtime.kinds.clear()
    runtime.devices[k] = 1
    assert code(plan, z, d, k, order) == "OTHER_DEVICE"


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: moddown(3, modulus_bits=63), "moduli of at most 62 bits on targets in CUDA"),
    (lambda: keyswitch(3, modulus_bits=63), "moduli of at most 62 bits on targets in CUDA"),
    (lambda: moddown(3, modulus_bits=28, threads=2), "`threads` is available only on targets in C"),
    (lambda: keyswitch(3, modulus_bits=28, threads=2), "`threads` is available only on targets in C"),
    (lambda: moddown(35, modulus_bits=50, drop=33, method="exact"), "drop: expected at most 32 moduli on a target in"),
    (lambda: moddown(67, modulus_bits=50, drop=65, method="fast"), "drop: expected at most 64 moduli on a target in"),
    (lambda: moddown([9, 5])([[9], [4]]), r"x\[0\]: expected residues below 9, got 9"),
    (lambda: moddown([9, 5])([[1], [2]], out=[[0]]), "`out` can only be used if x is a GPU array"),
    (lambda: keyswitch([9])([[[9]]], [[[[1]], [[1]]]]), "residues below 9"),
    (lambda: keyswitch([9])([[[1]]], [[[[1]], [[1]]]], [1]), "order: expected a permutation"),
    (lambda: keyswitch([9])([[[1]]], [[[[1]], [[1]]]], out=[]), "`out` can only be used if d and k are GPU arrays"),
    (lambda: keyswitch([9])(np.zeros((65, 1, 1), int), []), "digits: expected from 1 to 64"),
    (lambda: moddown([9, 5]).threads, "generated for one thread"),
]


@pytest.mark.parametrize(("ask", "said"), REFUSED)
def test_what_is_refused(ask: Callable[[], object], said: str) -> None:
    with pytest.raises(MomagenError, match=said):
        ask()


def test_no_columns() -> None:
    assert moddown([97, 193, 257])(np.zeros((2, 3, 0), int)).shape == (2, 2, 0)
    assert keyswitch([97])(np.zeros((2, 1, 0), int), np.zeros((2, 2, 1, 0), int)).shape == (2, 1, 0)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    basis = ["--moduli", "97,193,257", "--target", "cuda", "--output", str(tmp_path)]
    for method in METHODS:
        assert main(["moddown", *basis, "--drop", "2", "--method", method, "--plaintext-modulus", "3"]) == 0
    assert main(["keyswitch", *basis, "--outputs", "3", "--input-factor", "4", "--dnum", "5"]) == 0
    names = ["moddown3to1_9b", "moddown3to1_9b_exact", "moddown3to1_9b_fast", "keyswitch3_9b_3outputs_below4q"]
    ends = ("cu", "h", "json")
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}_cuda.{end}" for name in names for end in ends}
    printed = capsys.readouterr().out
    assert printed.count("verified: PASS") == 4
    assert not why_no_gpu() or printed.count("the CPU interprets the kernel's PTX") == 4
    header = " ".join((tmp_path / "moddown3to1_9b_exact_cuda.h").read_text(encoding="utf-8").split())
    assert "Verified against gmpy2" in header and "BAD_SIZE (drop is not 2, or not below the number of mod" in header
    assert "#define MODDOWN3TO1_9B_EXACT_CUDA_DROP 2" in header
    header = " ".join((tmp_path / "keyswitch3_9b_3outputs_below4q_cuda.h").read_text(encoding="utf-8").split())
    assert "residues of d are below 4 times their modulus" in header
    assert "z, d, k and order, if not NULL, are in the memory" in header
    assert main(["moddown", *basis, "--threads", "2"]) == 2
    assert "is available only on targets in C" in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.parametrize(("method", "bits"), [("exact", 60), ("corrected", 62), ("fast", 28)])
def test_the_largest_numbers_of_divisors(method: str, bits: int) -> None:
    most = 32 if method == "exact" else 64
    k = moddown(prime_basis(most + 2, bits, 1), drop=most, method=method)
    numbers = dividends(k, 5)
    check_divided(k, numbers, k(rows(numbers, k.moduli)))
    assert prod(k.goals) > 1
