"""Counts that no machine can bear are refused at once, on the command line and in Python."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import momagen as mg
from momagen.cli import main
from momagen.he.parameters import HeParameters

SECONDS = 0.1
"""Of CPU time, until a huge number is refused."""
QUIET = "--no-verify --no-bench"
COMMANDS = [
    f"ntt --n 16 --modulus-bits 30 --moduli {{}} {QUIET}", f"ntt --n {{}} --modulus-bits 30 {QUIET}",
    f"ntt --n any --max-n {{}} --modulus-bits 30 {QUIET}", f"ntt --n 16 --modulus-bits 30 --columns {{}} {QUIET}",
    f"ntt --n 16 --modulus-bits 30 --depth {{}} {QUIET}", f"ntt --n 16 --modulus-bits {{}} {QUIET}",
    f"ntt --n 16 --bits {{}} {QUIET}", f"ntt --n 16 --modulus-bits 30 --threads {{}} {QUIET}",
    f"ntt --n 16 --modulus-bits 30 --levels {{}} {QUIET}",
    f"ntt --n 16 --modulus-bits 30 --interleave-blocks {{}} {QUIET}",
    f"ntt --n 16 --modulus-bits 30 --unroll {{}} {QUIET}", f"ntt --n 16 --modulus-bits 30 --radix {{}} {QUIET}",
    f"ntt --n 16 --modulus-bits 30 --inverse --montgomery {{}} {QUIET}",
    f"blas vmul --modulus-bits 30 --moduli {{}} {QUIET}", f"polymul --n 16 --moduli {{}} --bits 64 {QUIET}",
    f"basemul --n {{}} --modulus-bits 30 {QUIET}", f"lde --n 16 --modulus-bits 30 --blowup {{}} {QUIET}",
    f"lde --n 16 --modulus-bits 30 --columns {{}} {QUIET}",
    "convert --moduli {} --to 2 --modulus-bits 50 --no-verify",
    "convert --moduli 2 --to {} --modulus-bits 50 --no-verify",
    "convert --moduli 97 --to 5 --target c --threads {} --no-verify", "convert --moduli 2 --to 2 --modulus-bits {}",
    "keyswitch --moduli {} --modulus-bits 50 --no-verify", "keyswitch --moduli 97 --outputs {} --no-verify",
    "moddown --moduli {} --modulus-bits 50 --no-verify", "moddown --moduli 97,101 --drop {} --no-verify",
    "keyswitch --moduli 97 --dnum {} --no-verify", "keyswitch --moduli 97 --threads {} --no-verify",
    "rescale --moduli {} --modulus-bits 50 --no-verify", "rescale --moduli 97,101 --threads {} --no-verify",
    "matmul --modulus 97 --rows {} --no-verify", "matmul --modulus 97 --inner {} --no-verify",
    "matmul --modulus 97 --rows 32768 --inner 32768 --no-verify",
    "rpu ntt --towers {}", "rpu ntt --n {}", "rpu ntt --batch {}", "rpu polymul --batch {}", "rpu blas --n {}",
    "rpu blas --towers {}", "rpu ntt --modulus-bits {}", "rpu sweep --n {} --jobs 1", "rpu sweep --jobs {}",
    "rpu sweep --hples {}", "rpu sweep --banks {}", "lib ntt:n={},bits=64 --output o",
    "lib vmul:bits=64,moduli={} --output o",
    "explain ntt --n {}", "explain ntt --n 16 --columns {}", "explain add --bits {}", "tune ntt --bits 64 --moduli {}",
    "bench --sweep --columns {} --n 16", "bench --sweep --n {}", "bench --sweep --bits {}",
    "isa compare c --n {}", "isa compare c --bits {}",
]  # fmt: skip
CALLS: dict[str, Callable[[int], Any]] = {
    "moduli": lambda many: mg.ntt(16, modulus_bits=30, moduli=many),
    "moduli of one width": lambda many: mg.blas("vmul", bits=64, moduli=many),
    "listed moduli": lambda many: mg.blas("vmul", moduli=range(3, many)),
    "columns": lambda many: mg.ntt(16, modulus_bits=30, columns=many),
    "depth": lambda many: mg.ntt(16, modulus_bits=30, depth=many),
    "blowup": lambda many: mg.lde(16, modulus_bits=30, blowup=many),
    "threads": lambda many: mg.ntt(16, modulus_bits=30, threads=many),
    "convert": lambda many: mg.convert(many, to=2, modulus_bits=50),
    "convert to": lambda many: mg.convert(2, to=many, modulus_bits=50),
    "convert threads": lambda many: mg.convert([97], to=[5], target="c", threads=many),
    "rescale": lambda many: mg.rescale(many, modulus_bits=50),
    "keyswitch": lambda many: mg.keyswitch(many, modulus_bits=50),
    "drop": lambda many: mg.moddown([97, 101], drop=many),
    "outputs": lambda many: mg.keyswitch([97], outputs=many),
    "bits of a basis": lambda many: mg.rescale(2, modulus_bits=many),
    "automorphism": lambda many: mg.automorphism(many, 3),
    "sharded": lambda many: mg.sharded_ntt(many, modulus_bits=30),
    "limbs": lambda many: HeParameters(1024, many).primes,
    "sweep": lambda many: mg.sweep(n=range(many)),
    "sweep columns": lambda many: mg.sweep(n=[16], columns=many),
}  # fmt: skip
HUGE = [10**9, 10**12, 2**40]


def cpu_seconds(call: Callable[[], object]) -> float:
    """Return the least CPU time of two calls: the first one may import a module."""
    times = []
    for _ in range(2):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_refuse_huge_counts_at_once(
    command: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for many in HUGE if "{}" in command else HUGE[:1]:
        words = command.format(many).split()
        assert cpu_seconds(partial(main, words)) < SECONDS, words
        assert main(words) == 2, capsys.readouterr().err


@pytest.mark.parametrize("name", CALLS)
def test_functions_refuse_huge_counts_at_once(name: str) -> None:
    def refused(many: int) -> None:
        with pytest.raises(mg.MomagenError):
            CALLS[name](many)

    for many in HUGE:
        assert cpu_seconds(partial(refused, many)) < SECONDS
