"""Transforms with options that change their results, and edits of them that must not be proven."""

from __future__ import annotations

import functools
import json
import random
import tempfile
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import invert, mpz, powmod
from support.transforms import written

import momagen as mg
from momagen.prove.checker import ProofError
from momagen.prove.kernels import prove
from momagen.prove.transforms.claim import Transform, extension_of, product_of, transform_of
from momagen.prove.transforms.field import RandomField

pytest.importorskip("pycparser")

PROVEN: dict[str, tuple[dict[str, Any], str]] = {
    "automorphism": ({"n": 8, "negacyclic": True, "automorphism": 5}, "at the powers of w = root^13 of a(X^5) modulo"),
    "inverse automorphism": ({"n": 8, "inverse": True, "automorphism": 3}, "a(X^3) for the polynomial a modulo"),
    "automorphism -1": ({"n": 4, "automorphism": -1}, "at the powers of w = root^3 of a(X^3) modulo X^4 - 1"),
    "power of two": ({"n": 8, "inverse": True, "montgomery": 64}, "y = 2^64 times the polynomial modulo X^8 - 1"),
    "incomplete": ({"n": 8, "depth": 2}, "y[2 j + i], for j < 4, are the coefficients of the remainder of x"),
    "inverse incomplete": (
        {"n": 16, "depth": 2, "inverse": True, "negacyclic": True},
        "the polynomial modulo X^16 + 1, where x[4 j + i], for j < 4,",
    ),
    "columns": ({"n": 4, "columns": 3}, "for each column of matrices of 3 columns"),
    "columns and automorphism": (
        {"n": 4, "columns": 2, "negacyclic": True, "automorphism": 3, "inverse": True},
        "are x, for each column of matrices of 2 columns",
    ),
    "coset": ({"n": 8, "coset": 8}, "y = the values at the powers of root, times 8, of the polynomial x modulo"),
    "coset with divisors": ({"n": 4, "coset": 15, "columns": 2}, "2 < q < 2^60 that does not divide 15, every root"),
    "columns of two words": ({"n": 2, "columns": 2, "modulus_bits": 97}, "for each column of matrices of 2 columns"),
}
"""Parameters, and a part of the claim."""
WRONG = tomllib.loads(Path(__file__).with_name("wrong_options.toml").read_text(encoding="utf-8"))["wrong"]


@functools.cache
def _files(kind: str, parameters: tuple[tuple[str, Any], ...]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        mg.kernel(kind, **{"modulus_bits": 60, **dict(parameters)}).save(folder)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}


def _saved(parameters: dict[str, Any], kind: str = "ntt") -> dict[str, str]:
    return _files(kind, tuple(sorted(parameters.items())))


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROVEN)
def test_a_transform_with_an_option_is_proven(name: str, tmp_path: Path) -> None:
    parameters, claim = PROVEN[name]
    result = prove(written(_saved(parameters), tmp_path))
    assert result.problem == ""
    assert claim in result.claim


EXTENSIONS: dict[str, dict[str, Any]] = {
    "natural operand": {"n": 4, "blowup": 4},
    "bit-reversed operand on a coset": {"n": 4, "blowup": 2, "coset": 7, "input_order": "bitrev"},
    "columns in natural order": {"n": 4, "blowup": 2, "columns": 3, "order": "natural"},
}


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", EXTENSIONS)
def test_an_extension_is_proven(name: str, tmp_path: Path) -> None:
    parameters = EXTENSIONS[name]
    result = prove(written(_saved(parameters, "lde"), tmp_path))
    assert result.problem == ""
    assert f"less than 4 with the values x at the powers of root^{parameters['blowup']}" in result.claim


@pytest.mark.parametrize("name", EXTENSIONS)
def test_the_definition_of_an_extension_is_that_of_the_header(name: str) -> None:
    (manifest,) = (json.loads(text) for at, text in _saved(EXTENSIONS[name], "lde").items() if at.endswith(".json"))
    claim = extension_of(manifest)
    field, m = RandomField(claim.order, name), claim.columns
    p, w = field.prime, field.root
    polynomials = [[field.element() for _ in range(claim.n)] for _ in range(m)]
    inputs = [2, 1] if claim.is_input_reversed else [1, 2]
    points = [powmod(w, claim.blowup * i, p) for i in (0, *inputs, 3)]
    x = [_value(a, at, p) for at in points for a in polynomials]
    y = [_value(a, claim.coset * powmod(w, e, p), p) for e in claim.powers() for a in polynomials]
    assert claim.powers()[:2] == ([0, claim.order // 2] if claim.is_reversed else [0, 1])
    claim.check(field, [x], y)
    with pytest.raises(ProofError, match="is not the low-degree extension"):
        claim.check(field, [x], [y[0] + 1, *y[1:]])
    with pytest.raises(ProofError, match="is not the low-degree extension"):
        replace(claim, coset=claim.coset + 1).check(field, [x], y)


@pytest.mark.thorough
def test_a_product_in_montgomery_form_is_proven(tmp_path: Path) -> None:
    parameters = {"n": 8, "depth": 2, "negacyclic": True, "montgomery": 64}
    result = prove(written(_saved(parameters, "basemul"), tmp_path))
    assert result.problem == ""
    assert "2^-64 times the product of the polynomials" in result.claim


@pytest.mark.thorough
@pytest.mark.sampled(6)
@pytest.mark.parametrize("wrong", [pytest.param(wrong, id=wrong["name"]) for wrong in WRONG])
def test_a_wrong_transform_with_an_option_is_not_proven(wrong: dict[str, Any], tmp_path: Path) -> None:
    edits = [(edit["old"], edit["new"]) for edit in wrong.get("edits", ())]
    path = written(_saved(wrong["parameters"], wrong.get("kind", "ntt")), tmp_path, *edits)
    manifest = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    manifest["spec"] |= wrong.get("request", {})
    path.with_suffix(".json").write_text(json.dumps(manifest), encoding="utf-8")
    assert wrong["problem"] in prove(path).problem


def _claim(parameters: dict[str, Any]) -> Transform:
    (manifest,) = (json.loads(text) for name, text in _saved(parameters).items() if name.endswith(".json"))
    return transform_of(manifest)


def _moved(a: list[Any], g: int, is_negacyclic: bool) -> list[Any]:
    """Return a(X^g), where each power of X is reduced step by step."""
    found = [mpz(0)] * len(a)
    for i, coefficient in enumerate(a):
        power, sign = i * g, 1
        while power >= len(a):
            power, sign = power - len(a), -sign if is_negacyclic else sign
        found[power] += sign * coefficient
    return found


def _value(a: list[Any], at: Any, p: Any) -> Any:
    return sum(c * powmod(at, i, p) for i, c in enumerate(a)) % p


@pytest.mark.parametrize("name", PROVEN)
def test_the_definition_of_a_claim_is_that_of_the_guide(name: str) -> None:
    claim = _claim(PROVEN[name][0])
    field = RandomField(claim.order, name)
    p, m, chance = field.prime, claim.columns, random.Random(name)
    a = [field.element() for _ in range(claim.length)]
    g, order = claim.automorphism, claim.order
    w = powmod(field.root, g if claim.is_inverse else pow(g, -1, order), p)
    original = {c: a[c::m] for c in range(m)}
    image = {c: _moved(column, g, claim.is_negacyclic) for c, column in original.items()}
    if claim.coset:
        image = {c: [a * claim.coset**i for i, a in enumerate(column)] for c, column in image.items()}
    of = original if claim.is_inverse else image
    values = [_value(of[c], powmod(w, e, p), p) for e in claim.powers() for c in range(m)]
    if claim.is_inverse:
        factor = powmod(2, claim.exponent, p)
        operand, result = values, [image[c][i] * factor % p for i in range(claim.n) for c in range(m)]
    else:
        operand, result = a, values
    claim.check(field, [operand], result)
    result[chance.randrange(len(result))] += 1
    with pytest.raises(ProofError, match="is not the transform"):
        claim.check(field, [operand], result)


def test_an_incomplete_transform_gives_remainders() -> None:
    claim = _claim({"n": 8, "depth": 2, "negacyclic": True})
    field = RandomField(claim.order, "seed")
    p, d = field.prime, claim.degree
    a, y = [field.element() for _ in range(8)], []
    for e in claim.powers():
        rest, z = list(a), powmod(field.root, e, p)
        for i in reversed(range(d, 8)):
            rest[i - d] += rest[i] * z
        y += [c % p for c in rest[:d]]
    claim.check(field, [a], y)
    with pytest.raises(ProofError):
        replace(claim, is_negacyclic=False).check(field, [a], y)
    assert invert(powmod(field.root, 4, p), p) == powmod(field.root, 4, p) == p - 1


@pytest.mark.parametrize(
    "request_",
    [
        {"degree": 2},
        {"montgomery": 64},
        {"columns": 2, "degree": 2, "automorphism": 3},
        {"coset": 3, "inverse": True},
        {"coset": 3, "negacyclic": True},
        {"n": 6},
        {"options": {"output_factor": 4}},
    ],
)
def test_other_requests_have_no_claim(request_: dict[str, Any]) -> None:
    (manifest,) = (json.loads(text) for name, text in _saved({"n": 8}).items() if name.endswith(".json"))
    manifest["spec"] |= request_
    with pytest.raises(ProofError, match="no claim"):
        transform_of(manifest)


@pytest.mark.parametrize("request_", [{"montgomery": 64}, {"columns": 2}, {"automorphism": 3}, {"inverse": True}])
def test_other_products_have_no_claim(request_: dict[str, Any]) -> None:
    (manifest,) = (json.loads(text) for name, text in _saved({"n": 8}, "polymul").items() if name.endswith(".json"))
    manifest["spec"] |= request_
    with pytest.raises(ProofError, match="no claim"):
        product_of(manifest)
