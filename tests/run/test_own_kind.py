"""A kind of kernel that is registered outside momagen: every interface works with it, without an edit in momagen."""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
import sys
from pathlib import Path

import pytest
from support import squares
from support.own_kind import MODULE, square  # noqa: F401

import momagen as mg
from momagen.cli import main
from momagen.kinds import registry

N, Q = 16, 97
BUILDS = [("c", 60), ("c64", 252), ("avx512ifma", 50), ("avx512ifma", 124), ("avx2", 31), ("python", 60)]
pytestmark = pytest.mark.usefixtures("square")


def squared(x: list[int], sign: int) -> list[int]:
    """Return the square of a polynomial modulo x^n - 1 or x^n + 1, by its definition."""
    z = [0] * len(x)
    for i, a in enumerate(x):
        for j, b in enumerate(x):
            wraps, at = divmod(i + j, len(x))
            z[at] += a * b * (sign if wraps else 1)
    return z


@pytest.mark.parametrize("negacyclic", [False, True])
@pytest.mark.parametrize(("target", "bits"), BUILDS)
def test_a_kernel_is_right(target: str, bits: int, negacyclic: bool) -> None:
    made = mg.kernel("square", n=N, modulus_bits=bits, negacyclic=negacyclic, target=target)
    x = [random.Random(bits).randrange(made.modulus) for _ in range(N)]
    assert made(x) == [z % made.modulus for z in squared(x, -1 if negacyclic else 1)]
    report = made.verify()
    assert report.ok and report.methods["definition"]


@pytest.mark.parametrize(
    "options", [{"form": "montgomery"}, {"depth": 3}, {"input_factor": 2, "output_factor": 2}, {"threads": 2}]
)
def test_options_of_products_are_options_of_squares(options: dict[str, object]) -> None:
    for target in ("c", "avx512ifma"):
        assert mg.kernel("square", n=N, modulus_bits=50, target=target, **options).verify().ok


def test_squares_in_montgomery_form_are_right() -> None:
    """The operand is x·R, and the result x²·R, for R = 2^64."""
    made, x = mg.kernel("square", n=N, modulus=Q, form="montgomery", target="c64", layout="u64"), list(range(N))
    factor = 1 << 64
    assert made([value * factor % Q for value in x]) == [value * factor % Q for value in squared(x, 1)]


def test_a_wrong_kernel_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    made = mg.kernel("square", n=N, modulus=Q)
    define = squares.SquareKind.define
    monkeypatch.setattr(squares.SquareKind, "define", lambda *given: [(value + 1) % Q for value in define(*given)])
    assert not made.verify().ok


def test_saved_kernels(tmp_path: Path) -> None:
    made = mg.kernel("square", n=N, modulus=Q, negacyclic=True)
    made.save(tmp_path)
    again = mg.load(tmp_path / f"{made.name}.json")
    assert again([1] * N) == made([1] * N) == [z % Q for z in squared([1] * N, -1)]
    assert again.spec == made.spec and again.spec.kind is squares.SQUARE
    assert pickle.loads(pickle.dumps(made.spec)) == made.spec


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["square", "--n", str(N), "--modulus", str(Q), "--output", str(tmp_path), "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "square" and told["n"] == N
    assert main(["verify", str(tmp_path)]) == 0 and "1 PASS" in capsys.readouterr().out
    assert main(["bench", str(tmp_path)]) == 0 and "ns per element" in capsys.readouterr().out
    assert main(["square", "--n", str(N)]) == 2
    assert "--modulus" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--help"])
    assert squares.SquareKind.title.split()[0] in capsys.readouterr().out


def test_another_process_imports_the_kind(tmp_path: Path) -> None:
    mg.kernel("square", n=N, modulus=Q).save(tmp_path)
    command = [sys.executable, "-m", "momagen", "verify", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "1 PASS" in done.stdout, done.stderr
    unknown = {name: value for name, value in os.environ.items() if name != registry.VARIABLE}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=unknown)
    assert done.returncode == 2 and "got square" in done.stderr
    missing = {**unknown, registry.VARIABLE: "no"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=missing)
    assert done.returncode == 2 and "$MOMAGEN_KINDS" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["1 / 0", "def", "import nowhere"])
def test_modules_that_cannot_be_imported_are_one_error(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken_kinds.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(registry.VARIABLE, f"{MODULE}, broken_kinds")
    assert main(["square", "--n", str(N), "--modulus", str(Q)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("momagen: $MOMAGEN_KINDS: expected modules that can be imported, got broken_kinds (")
    assert error.count("\n") == 1


def test_a_library(tmp_path: Path) -> None:
    words = ["lib", f"square:n={N},bits=64,negacyclic=yes", "--targets", "avx2,c64", "--output", str(tmp_path)]
    assert main(words) == 0


@pytest.mark.parametrize("target", ["cuda", "jax", "b512"])
def test_targets_without_the_kind_refuse_it(target: str) -> None:
    with pytest.raises(mg.MomagenError, match="square"):
        mg.kernel("square", n=1024, modulus_bits=60, target=target).source  # noqa: B018


def test_tuning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The search times the kernels of the kind, keeps its result, and later kernels use it."""
    file = tmp_path / "wisdom.json"
    for seconds in (2, 8, 32):  # a loaded machine may compile no two kernels in a short time
        found = mg.tune("square", n=N, modulus=Q, seconds=seconds, wisdom=file)
        if len(found.raced()) > 1:
            break
    assert found.right and len(found.raced()) > 1
    assert mg.kernel("square", n=N, modulus=Q, wisdom=file).verify().ok
    assert main(["tune", "square", "--show", "--wisdom", str(file)]) == 0
    assert "square" in capsys.readouterr().out


def test_wrong_parameters() -> None:
    for given, words in (({"n": N, "modulu": Q}, "did you mean"), ({"n": N, "modulus": Q, "coset": 3}, "coset")):
        with pytest.raises(mg.MomagenError, match=words):
            mg.kernel("square", **given)
    with pytest.raises(mg.MomagenError, match="did you mean square"):
        mg.kernel("squar", n=N, modulus=Q)
    with pytest.raises(mg.MomagenError, match=r"kernel\(\): expected a call of the form kernel\(kind"):
        mg.kernel(n=N)  # type: ignore[call-arg]


def test_a_name_is_taken_once() -> None:
    with pytest.raises(mg.MomagenError, match="already a kind"):
        registry.register(squares.SquareKind("ntt"))
