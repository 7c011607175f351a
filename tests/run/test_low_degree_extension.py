"""Low-degree extensions and transforms on cosets, on targets of C: against interpolation and values of polynomials."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from support.oracle import coefficients, points, values

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.kernels import lowered

WIDTHS = [31, 60, 64, 124, 254]
TARGETS = ["c", "c32", "avx2", "avx512", "avx512ifma"]


def extended(kernel: mg.Kernel, x: list[int]) -> list[int]:
    """Return the values on the coset of the polynomial that has the values ``x`` at n roots of unity."""
    spec, q = kernel.spec, kernel.modulus
    n, w = spec.n, pow(kernel.root, spec.blowup, q)
    polynomial = coefficients(x, points(n, q, w, order=spec.input_order), q)
    coset = [spec.coset * p % q for p in points(n * spec.blowup, q, kernel.root, order=spec.order)]
    return values(polynomial, coset, q)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("columns", [1, 3, 5, 16, 17])
@pytest.mark.parametrize("width", WIDTHS)
def test_values_are_extended(width: int, columns: int, target: str) -> None:
    rng = random.Random(f"{width} {columns} {target}")
    n, blowup = rng.choice((2, 8, 64)), rng.choice((2, 4))
    orders = {name: rng.choice(("natural", "bitrev")) for name in ("order", "input_order")}
    kernel = mg.lde(n, blowup=blowup, coset=7, columns=columns, modulus_bits=width, target=target, **orders)
    x = np.array([[rng.randrange(kernel.modulus) for _ in range(columns)] for _ in range(n)], object)
    y = kernel(x if columns > 1 else x[:, 0]).reshape(n * blowup, columns)
    for column in range(columns):
        assert y[:, column].tolist() == extended(kernel, x[:, column].tolist()), column


def test_without_a_coset_every_value_comes_back() -> None:
    kernel = mg.lde(16, blowup=4, modulus_bits=60, order="natural")
    x = [i * i for i in range(16)]
    assert kernel(x)[::4] == x and kernel(x) == extended(kernel, x)
    assert kernel([x, x]) == [kernel(x), kernel(x)]
    out = np.zeros(64, np.uint64)
    assert kernel(np.array(x, np.uint64), out=out) is out and out.tolist() == kernel(x)


@pytest.mark.parametrize(
    "options", [{}, {"columns": 5}, {"order": "natural", "input_order": "bitrev", "coset": 1}], ids=str
)
def test_verification_sees_what_is_wrong(options: dict[str, object]) -> None:
    kernel = mg.lde(64, blowup=2, **{"coset": 3, "modulus_bits": 60, **options})  # type: ignore[arg-type]
    assert kernel.verify().ok
    call = "run(y, x, plan->"
    line = next(line for line in kernel.source.splitlines() if line.strip().startswith(call))
    kernel.generated.source = kernel.source.replace(line, f"    {{ {line} y[77] ^= 1; }}")
    assert mg.Kernel(kernel.generated).verify().mismatch is not None


def test_no_level_is_spent_on_zeros() -> None:
    """Tables are those of a transform of n, once for each block."""
    plain = {"n": 256, "modulus_bits": 31, "target": "avx512ifma", "coset": 7}
    kept = {each.name: each.words for each in lowered(make_spec("ntt", **plain)).program.kept}  # type: ignore[arg-type, union-attr]
    made = lowered(make_spec("lde", blowup=4, input_order="natural", **plain))  # type: ignore[arg-type]
    words = {each.name: each.words for each in made.program.kept}  # type: ignore[union-attr]
    assert words["forward_tables"] == 4 * -(-kept["tables"] // 16) * 16


@pytest.mark.thorough
def test_a_saved_one_is_the_same_and_commands_make_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = mg.lde(16, blowup=2, coset=5, columns=3, modulus_bits=60, input_order="bitrev")
    again = mg.load(kernel.save(tmp_path))
    x = [[i + j for j in range(3)] for i in range(16)]
    assert again.spec == kernel.spec and again(x) == kernel(x)
    asked = kernel.spec.command().split()[1:]
    assert main([*asked, "--no-bench", "--json", "--output", str(tmp_path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "lde" and told["verify"]["ok"] and told["name"] == kernel.name
    assert kernel.verify().ok
    assert (tmp_path / f"{kernel.name}.c").read_text(encoding="utf-8") == kernel.source
    assert f"{kernel.name.upper()}_BLOWUP 2" in kernel.header
    assert main(["verify", str(tmp_path)]) == 0


def test_values_are_timed() -> None:
    kernel = mg.lde(64, blowup=4, columns=2, modulus_bits=60)
    assert kernel.bench(repetitions=3).unit == "element"
    with pytest.raises(MomagenError, match="lde"):
        kernel.inverse()


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        ({"blowup": 3}, "blowup"), ({"blowup": 1}, "blowup"), ({"blowup": 2, "input_order": "up"}, "input_order"),
        ({"blowup": 2, "target": "cuda"}, "target"), ({"blowup": 2, "target": "jax"}, "target"),
        ({"blowup": 2, "coset": 0}, "coset"), ({"blowup": 2, "coset": 2**62}, "coset"),
        ({"blowup": 2**21, "n": 64}, "blowup"), ({"blowup": 2, "columns": 0}, "columns"),
        ({"blowup": 2, "order": "up"}, "order"), ({"blowup": 2, "n": 3}, "n"),
    ],
    ids=str,
)  # fmt: skip
def test_what_has_no_extension_is_refused(asked: dict[str, object], where: str) -> None:
    with pytest.raises(MomagenError, match=f"^{where}"):
        mg.lde(**{"n": 16, "modulus_bits": 60, **asked})  # type: ignore[arg-type]
    assert main(["lde", "--modulus-bits", "60", *_arguments({"n": 16, **asked})]) == 2


def _arguments(asked: dict[str, object]) -> list[str]:
    return [text for name, value in asked.items() for text in (f"--{name.replace('_', '-')}", str(value))]


def test_other_kernels_have_no_blowup() -> None:
    with pytest.raises(MomagenError, match=r"^`blowup` does not apply to ntt"):
        make_spec("ntt", n=16, modulus_bits=60, blowup=2)
    with pytest.raises(MomagenError, match=r"kernel ntt:n=16,blowup=2,bits=64, keys: expected only the keys"):
        mg.library("wide", kernels=["ntt:n=16,blowup=2,bits=64"])


# Transforms on cosets.


@pytest.mark.thorough
@pytest.mark.sampled(5)
@pytest.mark.parametrize("target", [*TARGETS, "python"])
@pytest.mark.parametrize("coset", [1, 7, (1 << 29) - 3])
@pytest.mark.parametrize("width", WIDTHS)
def test_values_on_a_coset_and_back(width: int, coset: int, target: str) -> None:
    rng = random.Random(f"{width} {coset} {target}")
    n, order = rng.choice((2, 4, 64)), rng.choice(("bitrev", "natural"))
    there = mg.ntt(n, modulus_bits=width, coset=coset, target=target, order=order)
    q, x = there.modulus, [rng.randrange(there.modulus) for _ in range(n)]
    at = [coset * p % q for p in points(n, q, there.root, order=order)]
    y = there(x)
    assert y == values(x, at, q)
    back = mg.ntt(n, modulus=q, root=there.root, coset=coset, target=target, order=order, inverse=True)
    assert back(y) == x


@pytest.mark.thorough
def test_a_coset_of_columns_is_verified() -> None:
    for inverse in (False, True):
        assert mg.ntt(64, columns=5, coset=7, modulus_bits=60, target="avx2", inverse=inverse).verify().ok
        assert mg.ntt(64, coset=3, moduli=2, modulus_bits=60, inverse=inverse).verify().ok


def test_a_modulus_that_divides_the_number_of_a_coset_is_refused() -> None:
    """3·17 is 0 modulo 17, which is a modulus of the same build."""
    kernel = mg.ntt(2, modulus=251, coset=51)
    assert kernel.compiled.plan(241, 240)
    with pytest.raises(MomagenError, match="17"):
        kernel.compiled.plan(17, 16)


def test_a_coset_adds_no_multiplication() -> None:
    shape = {"n": 4096, "modulus_bits": 60, "target": "avx512ifma"}
    made = [lowered(make_spec("ntt", **shape, **kind)) for kind in ({"coset": 7}, {"negacyclic": True})]  # type: ignore[arg-type]
    tables = [{each.name: each.words for each in one.program.kept} for one in made]  # type: ignore[union-attr]
    assert made[0].operations == made[1].operations and tables[0] == tables[1]
