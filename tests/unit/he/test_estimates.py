"""Parameter sets, counts and estimates of HE operators, which need no JAX."""

from __future__ import annotations

import re
from math import prod
from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.he import HeParameters, preset
from momagen.he.counts import counts, summed
from momagen.he.parameters import presets
from momagen.papers.cross.workloads import estimated, workload_text, workloads
from momagen.params.primes import is_prime

TABLE = {"A": (2**12, 4, 109), "B": (2**13, 8, 218), "C": (2**14, 15, 438), "D": (2**16, 51, 1904)}
"""Table IV: N, limbs, log2 Q."""


@pytest.mark.parametrize("name", TABLE)
def test_presets_are_those_of_table_iv(name: str) -> None:
    p, row = preset(name), presets()[name]
    assert (p.degree, p.limbs, row["log_q"]) == TABLE[name] and p.bits == 28
    assert all(is_prime(q) and q.bit_length() == 28 and q % (2 * p.degree) == 1 for q in p.primes)
    assert len(set(p.primes)) == p.limbs + p.digit
    assert all(prod(p.auxiliary) > prod(p.moduli[low:high]) for low, high in p.parts(p.limbs))
    assert p.parts(p.limbs)[-1][1] == p.limbs and len(p.parts(p.limbs)) == p.digits


def test_set_d_has_the_bits_of_the_table_with_its_auxiliary_limbs() -> None:
    p = preset("D")
    assert (p.limbs + p.digit) * p.bits == 1904 and p.digit == 17


def test_the_page_has_the_parameters_that_presets_have() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "guides" / "ckks.md"
    found = re.findall(
        r"^\| (\w+) \| 2\^(\d+) \| (\d+) \+ (\d+)\D.* \| (\d+) \| (\d+) \|$", page.read_text("utf-8"), re.M
    )
    assert [row[0] for row in found] == ["A", "A109", "B", "C", "D"]
    for name, power, limbs, auxiliary, stated, whole in found:
        p = preset(name)
        assert (2 ** int(power), int(limbs), int(auxiliary)) == (p.degree, p.limbs, p.digit)
        assert int(stated) == presets()[name]["log_q"] and int(whole) == round(p.log_qp)


def test_counts_of_a_product_by_hand() -> None:
    p = HeParameters(1024, 4, 28, 2)  # two digits of two limbs, two auxiliary ones
    assert counts("multiply", p) == {
        "intt": 4 + 2 * 2, "ntt": 2 * 4 + 2 * 4, "multiply": 4 * 4 + 2 * 2 * 6 + 2 * 4, "add": 3 * 4 + 2 * 6 + 2 * 4,
        ("convert", 2, 4, True): 2 + 2,
    }  # fmt: skip
    assert summed(counts("rescale", p)) == {"intt": 2, "ntt": 6, "add": 6, "multiply": 6, "convert": 6}


def test_workloads_have_counts_with_a_source() -> None:
    found = workloads()
    assert set(found) == {"bootstrapping", "mnist", "helr"}
    assert all(each.source and each.stated and each.assumed and each.milliseconds > 0 for each in found.values())
    bootstrapping = found["bootstrapping"]
    assert bootstrapping.calls == {"add": 1647, "multiply": 1852, "permute": 482, "transform": 578, "convert": 245}
    assert bootstrapping.kernels["add"] == 57015 and bootstrapping.kernels["transform"] == 11245
    assert found["mnist"].calls["rotate"] == 27 + 2 + 27 + 2 + 62 + 12


def test_estimates_are_sums() -> None:
    times = {"ntt": 3.0, "intt": 1.0, "add": 0.5}
    found = estimated({"transform": 10, "add": 4}, times)
    assert found == pytest.approx({"transform": 20e-6, "add": 2e-6, "total": 22e-6})
    with pytest.raises(MomagenError, match="kernel: expected one of the kernels whose time is known: transform"):
        estimated({"permute": 1}, times)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"degree": 1000, "limbs": 4}, "parameters, degree: expected a power of two from 16 to 131072, got 1000"),
        ({"degree": 1024, "limbs": 0}, "parameters, limbs: expected from 1 to 4095 limbs, got 0"),
        ({"degree": 1024, "limbs": 2, "digits": 3}, "parameters, digits: expected from 1 to 2 digits, got 3"),
        ({"degree": 1024, "limbs": 4, "bits": 32}, "parameters, bits: expected from 20 to 30 bits, got 32"),
    ],
)
def test_bad_parameters_are_one_line(given: dict[str, int], text: str) -> None:
    with pytest.raises(MomagenError) as error:
        HeParameters(**given)
    assert str(error.value) == text


def test_bad_names_are_one_line() -> None:
    with pytest.raises(MomagenError, match="preset: expected one of the parameter sets A, A109, B, C, D, MNIST"):
        preset("E")
    with pytest.raises(MomagenError, match="operator: expected one of the operators"):
        counts("bootstrap", preset("A"))
    with pytest.raises(MomagenError, match="rescale two: expected from 3 to 4 limbs, got 2"):
        counts("rescale two", preset("A"), 2)
    with pytest.raises(MomagenError, match="workloads, x: expected the key “parameters”"):
        workload_text('[x]\ntitle = "x"')
