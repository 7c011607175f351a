"""Kernels for the target b512: generated, run from their text on the functional simulator, verified against gmpy2."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

import momagen as mg
from momagen.cli import main
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.rpu.isa.instruction import encode
from momagen.rpu.isa.kernel_text import kernel_text, read_kernel
from momagen.rpu.programs.elementwise import KINDS
from momagen.rpu.programs.kernels import made_kernel
from momagen.rpu.programs.moves import BUTTERFLY, UNPACK, stages_of

TRANSFORMS = [
    {"n": 1024, "modulus_bits": 128, "negacyclic": True}, {"n": 2048, "modulus_bits": 60, "inverse": True},
    {"n": 1024, "bits": 128, "negacyclic": True, "inverse": True, "algorithm": "korn_lambiotte_dif"},
    {"n": 1024, "moduli": 3, "modulus_bits": 116, "negacyclic": True},
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("asked", TRANSFORMS, ids=lambda asked: "-".join(map(str, asked.values())))
def test_transforms_are_verified(asked: dict[str, object]) -> None:
    kernel = mg.ntt(target="b512", **asked)  # type: ignore[arg-type]
    assert kernel.verify().ok and not kernel.rules_applied


def test_products_are_verified() -> None:
    assert mg.polymul(1024, bits=128, negacyclic=True, target="b512").verify().ok


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_element_wise_kernels_are_verified(kind: str) -> None:
    kernel = mg.blas(kind, bits=128, target="b512")
    assert kernel.verify().ok and not kernel.rules_applied


@pytest.mark.thorough
def test_several_moduli_have_scalars_of_their_own() -> None:
    kernel = mg.blas("axpy", moduli=3, modulus_bits=60, target="b512")
    assert kernel.verify().ok and kernel.source.count("\nsload") == kernel.source.count("\nmload") == 3


def test_even_moduli_are_served() -> None:
    kernel = mg.blas("vmul", modulus=2**128 - 2, target="b512")
    assert kernel([5, 2**128 - 3], [7, 2**128 - 3]) == [35, 1]


def test_results_are_those_of_another_target() -> None:
    kernel, other = (mg.ntt(1024, bits=128, target=target) for target in ("b512", "c"))
    x = [random.Random(1).randrange(kernel.modulus) for _ in range(1024)]
    assert kernel(x) == other(x) and kernel.inverse()(kernel(x)) == x


def test_a_saved_kernel_is_run_from_its_text(tmp_path: Path) -> None:
    kernel = mg.ntt(1024, bits=128, target="b512")
    saved = kernel.save(tmp_path) / f"{kernel.name}.s"
    assert mg.load(tmp_path).verify().ok
    saved.write_text(kernel.source.replace("\nunpkhi", "\nunpklo", 1), encoding="utf-8")
    assert not mg.load(tmp_path).verify().ok


@pytest.mark.parametrize("asked", [{"kind": "ntt", "n": 2048, "inverse": True}, {"kind": "axpy"}], ids=str)
def test_the_text_is_the_kernel(asked: dict[str, object]) -> None:
    spec = make_spec(bits=128, target="b512", **asked)  # type: ignore[arg-type]
    kernel, text = made_kernel(spec).kernel, generate(spec).source
    read = read_kernel(text)
    assert [*map(encode, read.instructions)] == [*map(encode, kernel.instructions)]
    assert replace(read, instructions=[]) == replace(kernel, instructions=[]) and kernel_text(read) in text


def test_the_paper_s_formula_gives_butterflies_and_shuffles() -> None:
    """NTT = R·∏ L·D·(NTT(2) ⊗ I), Section V: behind each butterfly of the highest bit a perfect shuffle."""
    for algorithm in ("korn_lambiotte_dif", "pease_dif"):
        assert stages_of(algorithm, 10) == [[BUTTERFLY, UNPACK]] * 10
    with pytest.raises(MomagenError, match=r"butterflies all combine x\[i\] and x\[i \+ n/2\]"):
        stages_of("ring", 10)


def test_rules_take_inverse_butterflies_apart() -> None:
    """Where the tables of an inverse in time do not fit, x + y and (x - y)·v are three instructions."""
    made = made_kernel(make_spec("ntt", n=65536, bits=128, inverse=True, target="b512"))
    assert set(made.kernel.rules_applied) == {"gentleman_sande_full"}


REFUSED = [
    ({"n": 1024, "bits": 256}, '^`target="b512"` supports moduli of at most 128 bits, not 252; pass .* as `moduli`$'),
    ({"n": 512, "bits": 128}, "a power of two from 1024 to 65536"),
    ({"n": 1 << 17, "bits": 128}, "at most 65536 points"),
    ({"n": "any", "bits": 128}, '`n="any"` is not available on b512'),
    ({"n": 1024, "bits": 128, "order": "natural"}, '^`order="natural"` is not available with `target="b512"`; use'),
    ({"n": 1024, "bits": 128, "columns": 4}, "cannot be combined with `columns`, `coset` or `montgomery`$"),
    ({"n": 1024, "bits": 128, "algorithm": "stockham"}, "algorithms ring, korn_lambiotte_dif, pease_dif, got stockham"),
    ({"n": 1024, "bits": 128, "reduction": "lazy"}, '^`reduction="lazy"` is not available .*; leave out `reduction`$'),
    ({"n": 1024, "bits": 128, "input_factor": 2}, "needs inputs and results below q; use `input_factor=1` and"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "expected"), REFUSED)
def test_what_the_machine_lacks_is_refused(asked: dict[str, object], expected: str) -> None:
    with pytest.raises(MomagenError, match=expected):
        mg.ntt(target="b512", **asked)  # type: ignore[arg-type]


@pytest.mark.thorough
def test_kernels_that_the_machine_lacks_are_refused() -> None:
    for kind in ("reduce", "cmpadd", "vinv", "dot"):
        with pytest.raises(MomagenError, match=f"one of the kernels ntt, polymul, vadd, .*, got {kind}"):
            mg.blas(kind, bits=128, target="b512")
    with pytest.raises(MomagenError, match=r"one of the kernels .*, got basemul"):
        mg.basemul(1024, bits=128, target="b512")
    with pytest.raises(MomagenError, match="take 7340016 bytes, and the vector memory of rpu-paper has 4194304"):
        mg.polymul(65536, bits=128, negacyclic=True, target="b512")


@pytest.mark.parametrize(("line", "expected"), [
    (".are x 0 1024", "line 1: did you mean .area.* Expected one of the directives "),
    (".area x 0", "line 1: expected `.area NAME BEGIN WORDS`"), (".table 0 5 -1", "expected `.table TOWER BEGIN FIRST"),
    (".towers", "expected `.towers COUNT`, got .towers"), (".points 5 6", "expected `.points N`"),
    (".towers 1\nvadd v0, v1", "line 2, column 12"),
    (".table 0 1048576 0", "tables need 1048577 words, and the vector memory has 1048576; use"),
])  # fmt: skip
def test_text_that_is_no_kernel_is_refused(line: str, expected: str) -> None:
    with pytest.raises(MomagenError, match=expected):
        read_kernel(line)


@pytest.mark.thorough
def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ntt", "--bits", "128", "--n", "1024", "--target", "b512", "--output", str(tmp_path)]) == 0
    assert "PASS" in capsys.readouterr().out and [*tmp_path.glob("*.s")]
    assert main(["verify", str(tmp_path)]) == 0
    assert main(["ntt", "--bits", "256", "--n", "1024", "--target", "b512"]) == 2
    assert "`--target b512` supports moduli of at most 128 bits" in (error := capsys.readouterr().err)
    assert error.endswith("pass the primes of an RNS basis as `--moduli`\n")


def own_target(folder: Path, name: str, text: str) -> str:
    path = folder / f"{name}.toml"
    path.write_text(f'inherits = "b512"\nname = "{name}"\n{text}\n', encoding="utf-8")
    return str(path)


def test_rules_make_what_a_machine_lacks(tmp_path: Path) -> None:
    plain = own_target(tmp_path, "plain", "[ops]\nbutterfly_full = false")
    kernel = mg.ntt(1024, bits=128, target=plain)
    assert kernel.verify().ok and {*kernel.rules_applied} == {"cooley_tukey_full"} and "\nbfly" not in kernel.source


@pytest.mark.parametrize(("text", "expected"), [
    ('[ops]\nbutterfly_full = { results = ["vfly", ""] }', r"one of the instructions .*, got vfly"),
    ('design = "rpu-bets"', r"did you mean rpu-best"), ('[ops]\nmulmod = "vmul"\nmulmod_full = false', r"”"),
])  # fmt: skip
def test_targets_that_are_none_are_refused(text: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match=expected):
        mg.blas("axpy", bits=128, target=own_target(tmp_path, "own", text))
        mg.ntt(1024, bits=128, target=own_target(tmp_path, "own", text))


def test_plans_show_passes() -> None:
    plan = mg.ntt(65536, bits=128, target="b512").plan
    assert [(each.bits, each.levels) for each in plan.passes] == [("LLL....vvvvvvvvv", 3), ("bbbLLLLLLLLLLLLL", 13)]
    assert plan.passes[0].writes == plan.passes[1].reads == "t" and "lanes 9 times" in plan.passes[1].note
    back = mg.ntt(2048, bits=128, target="b512", inverse=True, algorithm="pease_dif").plan
    assert str(back).count("L(2048, 2)") == 11 and [each.levels for each in back.passes] == [11]
