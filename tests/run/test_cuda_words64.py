"""64-bit words with unsigned __int128 on GPUs: the target that 32-bit words with carry chains are compared with."""

from __future__ import annotations

import pytest

import momagen as mg
from momagen.cuda.counted import count_butterfly, counted_spec
from momagen.cuda.nvrtc import nvrtc_version
from momagen.cuda.places import program
from momagen.targets import load_target

TARGET = "cuda_words64"


def test_it_has_no_carry_chains_and_is_there_to_be_compared() -> None:
    target = load_target(TARGET)
    assert not target.chains_products and target.word == 64 and target.purpose == "comparison"


@pytest.mark.parametrize("bits, n, more", [
    (64, 16, {}), (128, 64, {"inverse": True}), (192, 8, {"order": "natural", "negacyclic": True}),
])  # fmt: skip
def test_transforms_are_right(bits: int, n: int, more: dict[str, object]) -> None:
    if nvrtc_version() is None:
        pytest.skip("NVRTC is missing")
    report = mg.ntt(n, bits=bits, target=TARGET, **more).verify()  # type: ignore[arg-type]
    assert report.ok, report


def test_products_are_right() -> None:
    if nvrtc_version() is None:
        pytest.skip("NVRTC is missing")
    k = mg.blas("vmul", bits=256, target=TARGET)
    q = k.modulus
    assert k([0, 1, q - 1, 2**200], [5, q - 1, q - 1, 2**50]) == [0, q - 1, 1, 2**250 % q]


def test_carry_chains_take_fewer_instructions() -> None:
    """The target file has the figures of one compiler, 126 and 68; others may differ a little."""
    if nvrtc_version() is None or program("nvdisasm") is None:
        pytest.skip("NVRTC or nvdisasm is missing")
    wide, chains = (count_butterfly(counted_spec(124, target=name)).arithmetic for name in (TARGET, "cuda"))
    assert wide and chains and wide > 1.7 * chains
