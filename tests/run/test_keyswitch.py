"""The inner product of key switching in C, against integers."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from support.switching import defined, operands

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.params import prime_basis
from momagen.runtime.compiled import address, function_of

CHAINS = {
    "SEAL": (*prime_basis(2, 60, 1), *prime_basis(2, 40, 1)), "28 bits": prime_basis(3, 28, 1),
    "29 bits": ((1 << 29) - 3, (1 << 28) + 1), "50 bits": ((1 << 50) - 1, (1 << 49) + 1, 97),
    "51 bits": ((1 << 51) - 1, 2), "61 bits": ((1 << 61) - 1, (1 << 32)), "62 bits": ((1 << 62) - 1, 3, (1 << 61) + 1),
}  # fmt: skip
TARGETS = ("c", "avx2", "avx512", "avx512ifma", "mqx")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("factor", [1, 2, 4])
def test_sums_of_all_sizes(factor: int, chain: str, target: str) -> None:
    """Numbers of digits below and above what a sum holds; columns of part of a group, of blocks and a few more."""
    k = mg.keyswitch(CHAINS[chain], target=target, input_factor=factor)
    assert k.verify()
    for digits, n in ((1, 1), (2, 31), (3, 300), (9, 133), (64, 33)):
        d, keys = operands(k, digits, n)
        order = np.random.default_rng(n).permutation(n)
        assert np.array_equal(k(d, keys), defined(k, d, keys))
        assert np.array_equal(k(d, keys, order), defined(k, d, keys, order))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("outputs", [1, 2, 3, 4])
def test_any_number_of_outputs(outputs: int, target: str) -> None:
    k = mg.keyswitch(CHAINS["SEAL"], target=target, outputs=outputs)
    d, keys = operands(k, 3, 150)
    assert np.array_equal(k(d, keys), defined(k, d, keys))
    assert np.array_equal(k(np.stack([d, d[::-1]]), keys)[1], defined(k, d[::-1], keys))


@pytest.mark.parametrize("threads", [None, 3])
def test_rows_anywhere_and_results_in_place(threads: int | None) -> None:
    k = mg.keyswitch(CHAINS["SEAL"], target="native", threads=threads)
    n, pointer = 1100, ctypes.c_void_p
    d, keys = operands(k, 3, n)
    wanted = defined(k, d, keys)
    execute = function_of(k.compiled, "execute_rows", [pointer] * 5 + [ctypes.c_size_t], ctypes.c_int)

    def pointers(rows: np.ndarray) -> np.ndarray:
        return np.array([address(row) for row in rows.reshape(-1, n)], np.uintp)

    scattered = [row.copy() for row in keys.reshape(-1, n)]  # rows of their own
    key_rows = np.array([address(row) for row in scattered], np.uintp)
    z = np.zeros_like(wanted)
    places, sources = pointers(z), pointers(d)
    assert execute(k.tables.address, address(places), address(sources), address(key_rows), None, n) == 0
    assert np.array_equal(z, wanted)
    in_place = pointers(d[:2])  # the results take the rows of the first two digits
    assert execute(k.tables.address, address(in_place), address(sources), address(key_rows), None, n) == 0
    assert np.array_equal(d[:2], wanted)
    d, keys = operands(k, 3, n)  # the results take the rows of the keys of the first digit
    sources, key_rows = pointers(d), pointers(keys)
    assert execute(k.tables.address, address(key_rows), address(sources), address(key_rows), None, n) == 0
    assert np.array_equal(keys[0], wanted)


def test_wrong_calls_are_refused() -> None:
    k = mg.keyswitch([97, 193], outputs=2)
    d, keys = operands(k, 2, 4)
    wrong: list[tuple[Any, Any, Any, str]] = [
        (d[:, :1], keys, None, "d: expected integers of shape"), (d, keys[:1], None, "k: expected integers of shape"),
        (d, keys[..., :3], None, "k: expected integers of shape"), (d + np.uint64(97), keys, None, "residues below 97"),
        (d, keys + np.uint64(200), None, "residues below 97"), (d, keys, [0, 1, 2], "order: expected a permutation"),
        (d, keys, [0, 1, 2, 2], "order: expected a permutation"), (d.astype(float), keys, None, "d: expected integers"),
        (np.zeros((65, 2, 4), int), keys, None, "digits: expected from 1 to 64"),
    ]  # fmt: skip
    for digits, given, order, text in wrong:
        with pytest.raises(MomagenError, match=text):
            k(digits, given, order)
    assert k(np.zeros((2, 2, 0), int), np.zeros((2, 2, 2, 0), int)).shape == (2, 2, 0)


@pytest.mark.parametrize(("asked", "text"), [
    ({"moduli": [1]}, "moduli"), ({"moduli": []}, "moduli"), ({"moduli": 2}, "modulus_bits"),
    ({"moduli": [(1 << 62) + 1]}, "62 bits"), ({"outputs": 5}, "outputs"), ({"digits": 0}, "digits"),
    ({"input_factor": 3}, "input_factor"), ({"target": "jax"}, "target in C"), ({"target": "c32"}, "64 bits"),
], ids=str)  # fmt: skip
def test_wrong_requests_are_refused(asked: dict[str, Any], text: str) -> None:
    with pytest.raises(MomagenError, match=text):
        mg.keyswitch(**{"moduli": [97], **asked})


def test_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ["--outputs", "1", "--input-factor", "4", "--dnum", "5", "--threads", "2"]
    assert main(["keyswitch", "--moduli", "97,193", *wanted, "--output", str(tmp_path)]) == 0
    assert "PASS" in capsys.readouterr().out
    header = (tmp_path / "keyswitch2_8b_1outputs_below4q_c.h").read_text(encoding="utf-8")
    command = "momagen keyswitch --moduli 0x61,0xc1 --outputs 1 --input-factor 4 --dnum 5 --threads 2 --target c"
    words = " ".join(header.split())
    assert command in words and "residues of d are below 4 times their modulus" in words
    assert main(["keyswitch", "--moduli", "97,", "--outputs", "9"]) == 2
    assert "outputs: expected from 1 to 4, got 9" in capsys.readouterr().err
