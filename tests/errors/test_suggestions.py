"""A name that is nearly right gets the right one, and an option the help of its own command."""

from __future__ import annotations

import pytest

import momagen as mg
from momagen.cli import main
from momagen.explain import operation

MEANT = {
    "nt --n 16": ("ntt", "momagen --help"),
    "--verison": ("--version", "momagen --help"),
    "ntt --n 16 --bits 64 --invers": ("--inverse", "momagen ntt --help"),
    "ntt --n 16 --modulus-bit=60": ("--modulus-bits", "momagen ntt --help"),
    "lib vadd:bits=64 --outptu here": ("--output", "momagen lib --help"),
    "blas vmul --bits 64 --redcution barrett": ("--reduction", "momagen blas --help"),
    "ntt --n 16 --modulus goldilock": ("goldilocks", ""),
    "ntt --n 16 --bits 64 --target avx51": ("avx512", ""),
    "ntt --n 16 --bits 64 --order natral": ("natural", ""),
    "ntt --n 16 --bits 64 --multiply karatsbua": ("karatsuba", ""),
    "ntt --n 16 --bits 64 --algorithm stokham": ("stockham", ""),
    "blas vmull --bits 64": ("vmul", ""),
    "tune vad --bits 64": ("vadd", ""),
    "explain mulmd": ("mulmod", ""),
    "rules show multply_low": ("multiply_low", ""),
    "targets avx51": ("avx512", ""),
    "bench --section rac": ("race", ""),
}


@pytest.mark.parametrize("line", MEANT)
def test_what_was_meant(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    meant, help_ = MEANT[line]
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert f"(did you mean {meant}?" in err
    assert not help_ or f"see {help_})" in err


@pytest.mark.parametrize("line", ["fft", "ntt --zzz", "blas vmul --inverse", "ntt --n 16 --bits 64 --target vax"])
def test_no_suggestion_where_nothing_is_near(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_from_python_too() -> None:
    for make in (
        lambda: mg.blas("vmull", bits=64), lambda: mg.ntt(16, bits=64, target="avx51"),
        lambda: operation("mulmd", 128),
        lambda: operation("mul", 128, options={"multiply": "karatsba"}),
    ):  # fmt: skip
        with pytest.raises(mg.MomagenError, match=r"\(did you mean .*\?\)"):
            make()


def test_what_follows_two_dashes_is_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "show", "--", "--22"]) == 2
    assert "expected a rule's number or name, got --22" in capsys.readouterr().err
