"""Element-wise kernels for CUDA are proven, and wrong ones are refused for the expected reason."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import concrete
from support.grids import files, shapes_of, written

import momagen as mg
from momagen.prove.c.checks.text import read_text
from momagen.prove.c.cuda.program import INDEX, CudaProgram
from momagen.prove.c.cuda.source import device_text, parse_device
from momagen.prove.certificates.guide import SEARCH
from momagen.prove.checker import ProofError
from momagen.prove.claims import OPERATIONS
from momagen.prove.facts import Path as Execution
from momagen.prove.grids.claim import KINDS, GridClaim, grid_claim_of, words_of
from momagen.prove.grids.kernel import GridKernel
from momagen.prove.grids.launches import launches_of
from momagen.prove.grids.proof import ShiftedGridKernel, prove_grid
from momagen.prove.kernels import certify, check, prove
from momagen.prove.vectors.shifts import ShiftLemmas

pytest.importorskip("pycparser")

WRONG = tomllib.loads(Path(__file__).with_name("wrong_grids.toml").read_text(encoding="utf-8"))["wrong"]
PRODUCTS = [(kind, bits) for kind in ("vmul", "vmuladd") for bits in (20, 60, 64, 124)]
PRODUCTS += [(kind, bits) for kind in ("scal", "axpy") for bits in (20, 31)]
SLOW = pytest.mark.thorough, pytest.mark.sampled(6)
SUMS = [
    pytest.param(kind, bits, marks=() if bits in (31, 124) else SLOW)
    for kind in ("vadd", "vsub", "vneg", "vadds", "vsubs")
    for bits in (20, 31, 60, 64, 97, 124)
]


@pytest.mark.parametrize(("kind", "bits"), [*SUMS, ("vadds", 32), ("vadd", 255)])
def test_a_sum_is_proven(kind: str, bits: int, tmp_path: Path) -> None:
    result = prove(written(kind, bits, tmp_path))
    assert result.problem == ""
    assert result.claim.startswith(f"For every q with 1 < q < 2^{bits} and every n with 0 < n < 2^32: z = ")
    assert result.compilers == ("NVRTC",)


@pytest.mark.thorough
@pytest.mark.sampled(4)
@pytest.mark.parametrize(("kind", "bits"), PRODUCTS)
def test_a_product_is_proven(kind: str, bits: int, tmp_path: Path) -> None:
    assert prove(written(kind, bits, tmp_path)).problem == ""


@pytest.mark.parametrize(("kind", "bits"), [("vmul", 31), ("vmuladd", 30), pytest.param("vmul", 32, marks=SLOW)])
def test_a_product_by_montgomery_is_proven_for_odd_moduli(kind: str, bits: int, tmp_path: Path) -> None:
    result = prove(written(kind, bits, tmp_path))
    assert result.problem == ""
    assert result.claim.startswith(f"For every odd q with 2 < q < 2^{bits}")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "wrong", [pytest.param(each, id=each["name"], marks=SLOW if "kernel" in each else ()) for each in WRONG]
)
def test_a_wrong_kernel_is_not_proven(wrong: dict[str, Any], tmp_path: Path) -> None:
    kind, bits = wrong.get("kernel", ["vadd", 60])
    found = prove(written(kind, bits, tmp_path, *map(tuple, wrong["edits"])))
    assert wrong["problem"] in found.problem


CLAIMS: dict[str, tuple[dict[str, Any], str]] = {
    "the next longer modulus": ({"bits": 61}, "set-up refuses a modulus of the claim"),
    "the longest modulus refused": ({"bits": 59}, "set-up is not proven to refuse every q from 576460752303423488"),
    "another operation": ({"operation": OPERATIONS["vsub"]}, "x - y modulo q"),
    "more words": ({"words": 4}, "set-up is not proven to refuse every q from 1152921504606846976"),
    "fewer words": ({"words": 1, "bits": 32}, "may lie outside it"),
    "odd moduli": ({"is_odd": True}, "a branch that is not decided leave different states"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_another_claim_is_not_proven(name: str, tmp_path: Path) -> None:
    path = written("vadd", 60, tmp_path)
    device, (changes, problem) = parse_device(device_text(path)), CLAIMS[name]
    assert prove_grid(device, _claim("vadd", 60, path), "seed", SEARCH)["elements"]
    with pytest.raises(ProofError, match=re.escape(problem)):
        prove_grid(device, replace(_claim("vadd", 60, path), **changes), "seed", SEARCH)


def test_a_macro_of_the_header_that_only_nvcc_sees_is_refused(tmp_path: Path) -> None:
    path = written("vadd", 20, tmp_path)
    header = path.with_suffix(".h")
    header.write_text(header.read_text(encoding="utf-8") + "#define min(a, b) (a)\n", encoding="utf-8")
    assert "the macro min may change names in the code that nvcc sees" in prove(path).problem


def test_names_of_faults_are_unique() -> None:
    assert len({wrong["name"] for wrong in WRONG}) == len(WRONG)


def test_a_certificate_proves_its_kernel_only(tmp_path: Path) -> None:
    path = written("vsub", 60, tmp_path)
    result, certificate = certify(path)
    assert result.is_proven
    assert certificate is not None
    assert check(path, certificate).problem == ""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("subc.cc.u32 %1, %5, %6", "sub.cc.u32 %1, %5, %6", 1), encoding="utf-8")
    assert check(path, certificate).problem
    path.write_text(text.replace("elements, 128, 1, 256,", "elements, 64, 1, 256,", 1), encoding="utf-8")
    assert check(path, certificate).problem


@pytest.mark.parametrize(("kind", "bits"), [("vadd", 20), ("vsub", 60), ("axpy", 60), ("vmul", 124), ("scal", 31)])
def test_the_launches_are_those_of_the_python_driver(kind: str, bits: int) -> None:
    program = mg.blas(kind, modulus_bits=bits, target="cuda").generated.program
    text = next(text for name, text in files(kind, bits).items() if name.endswith(".cu"))
    found = launches_of(text)
    assert shapes_of(found.setup) == shapes_of(program.setup)
    assert shapes_of(found.run) == shapes_of(program.run)
    names = [tuple("t" if name == "room" else name for name in row.operands) for row in found.run]
    assert names == [tuple(launch.operands) for launch in program.run]
    assert (found.constants, found.scratch) == (program.constants, program.numbers)


@pytest.mark.parametrize("bits", [20, 32, 33, 64, 65, 80, 96, 97, 124, 160])
def test_a_residue_has_as_many_words_as_the_claim_says(bits: int) -> None:
    program = mg.blas("vadd", modulus_bits=bits, target="cuda").generated.program
    assert program.stride == words_of(bits)


def _claim(kind: str, bits: int, path: Path) -> GridClaim:
    return GridClaim(path.stem, OPERATIONS[kind], bits, words_of(bits), 32, launches=launches_of(read_text(path)))


def _paths(
    path: Path, claim: GridClaim, moduli: tuple[int, int], is_shifted: bool = False
) -> list[concrete.RecordingFacts]:
    """Return the facts of a proof along each of its paths."""
    source = parse_device(device_text(path)).source
    lemmas = ShiftLemmas(source, claim.bits, claim.words, 32, SEARCH, CudaProgram, INDEX)
    execution: Execution | None = Execution()
    found = []
    while execution is not None:
        facts = concrete.RecordingFacts(*moduli, execution)
        kernel = ShiftedGridKernel(source, claim, facts, lemmas) if is_shifted else GridKernel(source, claim, facts)
        kernel.run()
        found.append(facts)
        execution = execution.following()
    return found


@pytest.mark.parametrize(
    ("kind", "bits"), [("vadd", 60), ("vsub", 124), ("vneg", 64), ("vadds", 97), ("vsub", 31), ("vneg", 20)]
)
def test_every_statement_of_a_proof_holds(kind: str, bits: int, tmp_path: Path) -> None:
    """Draw q, n, a thread and operands: on the one path that it takes, every equation and bound holds."""
    rng = random.Random(bits)
    path = written(kind, bits, tmp_path)
    claim = _claim(kind, bits, path)
    runs = _paths(path, claim, (claim.least, claim.greatest))
    for _ in range(12):
        _check_statements(rng, claim, runs, rng.randrange(2, 1 << rng.choice([2, min(33, bits), bits])), 0)


@pytest.mark.parametrize("bits", [20, 60])
@pytest.mark.parametrize("is_shifted", [False, True])
def test_every_statement_of_a_proof_of_products_holds(is_shifted: bool, bits: int, tmp_path: Path) -> None:
    rng = random.Random(is_shifted)
    path = written("vmul", bits, tmp_path)
    claim = _claim("vmul", bits, path)
    runs = _paths(path, claim, ((1 << bits - 1) + 1, (1 << bits) - 1), is_shifted)
    for _ in range(12):
        length = rng.randrange(2, bits) if is_shifted else bits
        q = rng.randrange((1 << length - 1) + 1, 1 << length)
        _check_statements(rng, claim, runs, q, bits - length)


@pytest.mark.parametrize(("kind", "bits"), [("scal", 31), ("axpy", 20)])
def test_every_statement_of_a_proof_of_scalars_holds(kind: str, bits: int, tmp_path: Path) -> None:
    rng = random.Random(bits)
    path = written(kind, bits, tmp_path)
    claim = _claim(kind, bits, path)
    runs = _paths(path, claim, (claim.least, claim.greatest))
    for _ in range(12):
        _check_statements(rng, claim, runs, rng.randrange(2, 1 << rng.choice([2, bits])), 0, 64)


def _check_statements(
    rng: random.Random, claim: GridClaim, runs: list[concrete.RecordingFacts], q: int, s: int, power: int = 0
) -> None:
    """Check that all equations and bounds hold for q, a drawn thread and drawn operands, on the one path it takes."""
    group = claim.launches.run[-1].group
    n = rng.choice([1, 2, 1000, (1 << 32) - 1])
    block = rng.randrange(-(-n // group))
    thread = rng.choice([0, 1, 127, min((n - 1) % group, 127)])
    x, y, a = (rng.choice([0, 1, q - 1, rng.randrange(q)]) for _ in range(3))
    quotient, remainder = divmod(1 << (power or 2 * claim.bits + 3), q << s)
    values = {"q": q << s, "short q": q, "x[…]": x, "a[…]": a, "y[…]": y, "2^s * x": x << s, "r / 2^s": x * y % q}
    values |= {"quotient": quotient, "remainder": remainder, "n": n, "block": block, "s": s}
    taken = 0
    for facts in runs:
        idle = sum(variable.name == "thread" for variable in facts.checker.variables) - 1
        threads = iter([*(1 + rng.randrange(31) for _ in range(idle)), thread])

        def number(name: str, threads: Iterator[int] = threads) -> int:
            array, _, word = name.rpartition("[")
            if name == "thread":
                return next(threads)
            return values[array] >> 32 * int(word[:-1]) & 0xFFFFFFFF if array else values[name]

        numbers = concrete.Numbers(facts, q << s, number)
        if all(numbers.value(condition) == 0 for condition in facts.conditions):
            taken += 1
            assert numbers.problems() == []
    assert taken == 1


def test_only_stated_kinds_have_a_claim() -> None:
    assert set(KINDS) <= OPERATIONS.keys()
    for kind in ("ntt", "convert"):
        with pytest.raises(ProofError, match=f"there is no claim for {kind} kernels for CUDA yet"):
            grid_claim_of({"spec": {"kind": kind}}, "")
