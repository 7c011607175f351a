"""The machine code of kernels for GPUs, without a GPU: bars, no spills, and that the kept table is what is made now."""

from __future__ import annotations

import count_cuda
import count_cuda_rows
import pytest
from count_cuda import BITS, COUNTED, PAGE, ROWS
from count_cuda_rows import GOALS, OUTPUTS, SOURCES, counted, products, switching

from momagen.cuda.counted import count_butterfly, counted_spec
from momagen.cuda.library import nvrtc
from momagen.cuda.nvrtc import nvrtc_version
from momagen.cuda.places import program

MOST = {31: 9, 64: 22, 124: 62, 252: 180, 381: 345}
"""Instructions of a butterfly on sm_90 at most, with the modulus in the code."""


@pytest.fixture(autouse=True)
def tools() -> None:
    if nvrtc_version() is None:
        pytest.skip("no NVRTC (python3 -m pip install nvidia-cuda-nvrtc)")
    if program("nvdisasm") is None:
        pytest.skip("no nvdisasm (python3 -m pip install nvidia-cuda-nvdisasm)")


@pytest.mark.parametrize("bits", MOST)
def test_a_butterfly_takes_no_more_instructions_than_its_bar(bits: int) -> None:
    found = count_butterfly(counted_spec(bits, baked=True))
    assert found.arithmetic and found.arithmetic <= MOST[bits], found.classes


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("bits", "baked"), ROWS)
def test_no_butterfly_spills(bits: int, baked: bool) -> None:
    found = count_butterfly(counted_spec(bits, baked=baked))
    assert found.spilled == 0 and found.registers <= 255
    assert "double" not in found.classes and "other" not in found.classes


BARS = {("fast", 28): 46, ("fast", 31): 68, ("fast", 60): 148, ("fast", 62): 230, ("corrected", 60): 170,
        ("exact", 28): 58, ("exact", 60): 184, ("rescale", 60): 70, ("moddown fast", 28): 54,
        ("moddown fast", 60): 166, ("moddown corrected", 60): 186, ("moddown exact", 60): 198}  # fmt: skip
"""Instructions per result of conversions from 12 to 28 moduli on sm_90 at most, and of divisions."""
OF_DIGITS = {(28, 1): 14, (31, 1): 16, (60, 1): 28, (62, 1): 30}
"""Instructions per digit of key switching with two outputs on sm_90 at most, by lengths of moduli and input factors."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kernel", "bits"), BARS)
def test_a_conversion_takes_no_more_instructions_than_its_bar(kernel: str, bits: int) -> None:
    found = counted(kernel, bits)
    assert found.per_result(SOURCES if kernel == "rescale" else GOALS) <= BARS[kernel, bits], found.row.classes
    assert found.spilled == 0 and "double" not in found.row.classes


@pytest.mark.parametrize("bits", [28, 60])
def test_products_and_their_sums_are_one_instruction(bits: int) -> None:
    """Beside the products of a sum there are few others, by which it is reduced; a division has one more product."""
    for kernel, terms in (("fast", SOURCES), ("moddown fast", SOURCES + 1)):
        found = counted(kernel, bits)
        wide = found.row.classes["wide multiply"] / found.columns
        assert terms * products(bits) < wide <= terms * products(bits) + 7


@pytest.mark.parametrize(("bits", "factor"), OF_DIGITS)
def test_digits_take_no_more_instructions_than_their_bars(bits: int, factor: int) -> None:
    """In the loop over digits there are only their products, which are added to sums that nothing reduces."""
    found, digits = switching(bits, factor)
    assert found.row.total <= digits * OF_DIGITS[bits, factor], found.row.classes
    assert found.row.classes["wide multiply"] == digits * OUTPUTS * products(bits)
    assert found.spilled == 0 and found.registers <= 40


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("kernel", "bits"), count_cuda_rows.ROWS)
def test_the_page_has_what_conversions_are_now(kernel: str, bits: int) -> None:
    """But for registers, of which NVRTC takes more or fewer from run to run, and what depends on them."""
    if not _same_compiler():
        pytest.skip(f"the page was counted with another compiler than {nvrtc()}")
    _compare(count_cuda_rows.row_of(kernel, bits), 2)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("bits", "factor"), count_cuda_rows.SUMS)
def test_the_page_has_what_key_switching_is_now(bits: int, factor: int) -> None:
    if not _same_compiler():
        pytest.skip(f"the page was counted with another compiler than {nvrtc()}")
    _compare(count_cuda_rows.row_of_switching(bits, factor), 3)


def _compare(row: list[str], names: int) -> None:
    """Compare a row with the page's: ``names`` cells, a number, registers, bytes spilled, and other numbers."""
    begin = f"| {' | '.join(row[:names])} |"
    (kept,) = (line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(begin))
    cells = [float(cell) for cell in kept.strip("|").split("|")[names:]]
    now = [float(cell) for cell in row[names:]]
    assert (cells[0], cells[2]) == (now[0], now[2]) and cells[3:] == pytest.approx(now[3:], rel=0.03)


def _kept() -> dict[tuple[str, ...], str]:
    """The rows of the page by width and place of the modulus; those of whole transforms by width."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {
        tuple(each[: 2 if each[1] in ("code", "memory") else 1]): row
        for each, row in zip(cells, rows, strict=True) if each[0].isdigit()
    }  # fmt: skip


def _same_compiler() -> bool:
    return f"{COUNTED}{nvrtc()}." in PAGE.read_text(encoding="utf-8").splitlines()


@pytest.mark.thorough
@pytest.mark.sampled(10)
@pytest.mark.parametrize(("bits", "baked"), ROWS)
def test_the_page_has_what_butterflies_are_now(bits: int, baked: bool) -> None:
    """Else: python scripts/count_cuda.py --write."""
    if not _same_compiler():
        pytest.skip(f"the page was counted with another compiler than {nvrtc()}")
    assert _kept()[str(bits), "code" if baked else "memory"] == count_cuda.butterfly_row(bits, baked)


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("bits", [bits for bits in BITS if bits < 256])
def test_the_page_has_what_transforms_are_now(bits: int) -> None:
    demand_row(bits)


@pytest.mark.slow
@pytest.mark.parametrize("bits", [bits for bits in BITS if bits > 256])
def test_the_page_has_what_wide_transforms_are_now(bits: int) -> None:
    demand_row(bits)


REGISTERS, CODE = 12, 0.001
"""What NVRTC leaves open, whose allocation of registers depends on addresses: from run to run the same text of 60 bits
for sm_80 takes 118, 120 or 128 registers and 4,044 to 4,046 instructions; with fixed addresses always the same."""


def demand_row(bits: int) -> None:
    """The row of whole transforms is what the generator makes now."""
    if not _same_compiler():
        pytest.skip(f"the page was counted with another compiler than {nvrtc()}")
    kept, now = _numbers(_kept()[(str(bits),)]), _numbers(next(count_cuda.pass_rows(bits)))
    assert (kept[1::4], kept[3::4]) == (now[1::4], now[3::4]), "launches, and bytes that are spilled"
    assert kept[2::4] == pytest.approx(now[2::4], abs=REGISTERS) and kept[4::4] == pytest.approx(now[4::4], rel=CODE)


def _numbers(row: str) -> list[int]:
    return [int(cell.replace(",", "")) for cell in row.strip("|").split("|")]


def test_the_page_has_every_row_once_and_nothing_spills() -> None:
    """Of architectures: all, wide, registers, spilled bytes, picoseconds; launches, registers, spilled bytes, code."""
    for key, row in _kept().items():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        spilled = cells[5::5] if len(key) == 2 else cells[3::4]
        assert spilled == ["0"] * 3, row
    butterflies = {(str(bits), "code" if baked else "memory") for bits, baked in ROWS}
    assert set(_kept()) == butterflies | {(str(bits),) for bits in BITS}
