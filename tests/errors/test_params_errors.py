"""Bad parameters: the text of each message."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from momagen import params
from momagen.errors import MomagenError
from momagen.params import fields
from momagen.params.roots import is_generator

OPERAND = "expected a number, a known prime or '('"

EXPRESSIONS = {
    "": f"'', character 1: {OPERAND}, got the end",
    "   ": f"'   ', character 4: {OPERAND}, got the end",
    "2^^3": f"'2^^3', character 3: {OPERAND}, got '^'",
    "2+": f"'2+', character 3: {OPERAND}, got the end",
    "(2+3": "'(2+3', character 5: expected an operator or ')', got the end",
    "2)": "'2)', character 2: expected an operator or the end, got ')'",
    "5 5": "'5 5', character 3: expected an operator or the end, got '5'",
    "1.5": "'1.5', character 1: expected an integer without a decimal point, got '1.5'",
    "2.0": "'2.0', character 1: expected an integer without a decimal point, got '2.0'",
    "1.5e0": "'1.5e0', character 1: expected an integer, got '1.5e0'",
    "7 + 12e-1": "'7 + 12e-1', character 5: expected an integer, got '12e-1'",
    "1e4097": "'1e4097', character 1: expected an exponent of 10 up to 4096, got '1e4097'",
    "1e4000": "'1e4000', character 1: expected at most 8192 bits on the way, got '1e4000'",
    "1e9x": f"'1e9x', character 1: {OPERAND}, got '1e9x'",
    "1e": f"'1e', character 1: {OPERAND}, got '1e'",
    "1.5.2": "'1.5.2', character 2: expected an operator or the end, got '.'",
    "0x": f"'0x', character 1: {OPERAND}, got '0x'",
    "1__0": f"'1__0', character 1: {OPERAND}, got '1__0'",
    "٣": f"'٣', character 1: {OPERAND}, got '٣'",
    "2^-1": "'2^-1', character 2: expected an exponent of 0 or more, got '^'",
    "2**99999999999": "'2**99999999999', character 2: expected a power of at most 4096 bits, got '**'",
    "9^9^9^9": "'9^9^9^9', character 4: expected a power of at most 4096 bits, got '^'",
    "1<<-1": "'1<<-1', character 2: expected a shift by 0 to 4096 bits, got '<<'",
    "1 << 2^40": "'1 << 2^40', character 3: expected a shift by 0 to 4096 bits, got '<<'",
    "2^4096": "'2^4096': expected an integer of at most 4096 bits, got 4097 bits",
    "2^4000*2^4000*2^4000": "'2^4000*2^4000*2^4000', character 14: expected at most 8192 bits on the way, got '*'",
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expression(text: str) -> None:
    assert _message(lambda: params.parse_integer(text)) == EXPRESSIONS[text]


def _message(call: Callable[[], object]) -> str:
    with pytest.raises(MomagenError) as caught:
        call()
    return str(caught.value)


def test_expression_names_the_known_primes() -> None:
    message = _message(lambda: params.parse_integer("bls12"))
    begin = "'bls12', character 1: did you mean bls12-377-r or bls12-381-r or bls12-381-p? Expected "
    assert message.startswith(begin) and ", got 'bls12' (known primes: goldilocks, " in message
    assert message.endswith(", vesta)")


WHOLE = {
    "bls12-381": "bls12-381-r or bls12-381-p", "bls12-381-q": "bls12-381-r", "BN25": "bn254-r or bn254-p",
    "2^64 - goldilock": "goldilocks", "curve-25519": "curve25519", "goldilock-1": "goldilocks", "p256-q+1": "p256-p",
}  # fmt: skip


@pytest.mark.parametrize("text", WHOLE)
def test_the_whole_name_is_matched(text: str) -> None:
    message = _message(lambda: params.parse_integer(text))
    assert f": did you mean {WHOLE[text]}? Expected " in message


@pytest.mark.parametrize("name", params.known_fields())
def test_names_of_primes_in_any_case(name: str) -> None:
    q = params.known_fields()[name].modulus
    for text in (name, name.upper(), name.title(), f"{name.upper()}-1+1"):
        assert params.parse_integer(text) == q


SCIENTIFIC = {
    "1e9+7": 10**9 + 7, "1E9 + 7": 10**9 + 7, "1.5e3": 1500, "12.50e2-1": 1249, "3e0": 3, "1_0e+2": 1000, "30e-1": 3,
    "0e-5": 0, "0.0e1": 0, "-2e2": -200, "2^1e1": 1024, "0x1e9": 489, "1e100": 10**100,
}  # fmt: skip


@pytest.mark.parametrize("text", SCIENTIFIC)
def test_integers_in_scientific_notation(text: str) -> None:
    assert params.parse_integer(text) == SCIENTIFIC[text]


@pytest.mark.parametrize("text", ["(" * 100 + "1" + ")" * 100, "-" * 100 + "1", "1^" * 100 + "1", "2^(" * 1300])
def test_expression_nesting_is_limited(text: str) -> None:
    assert "expected at most 64 levels of nesting, got" in _message(lambda: params.parse_integer(text))


def test_expression_length_is_limited() -> None:
    message = _message(lambda: params.parse_integer("1" * 5000))
    assert message.endswith(": expected at most 4096 characters, got 5000 characters") and len(message) < 160


BROKEN_TABLES = {
    "[x": "expected a readable TOML table of primes, got ",
    "x = 5": ' [x]: expected a table with modulus = "0x…", note, source and perhaps form, got 5',
    '[x]\nmodulus = "zz"\nnote = ""\nsource = ""': " [x]: expected a table with modulus",
    '[x]\nmodulus = "0x11"\nnote = ""': " [x]: expected a table with modulus",
}


@pytest.mark.parametrize("text", BROKEN_TABLES)
def test_broken_table_of_fields(text: str, tmp_path: Path) -> None:
    path = tmp_path / "fields.toml"
    path.write_text(text, encoding="utf-8")
    message = _message(lambda: fields._read(path))
    assert message.startswith(str(path)) and BROKEN_TABLES[text] in message


MODULI = {
    -7: "-7, which is too small",
    -(2**5000): "a negative number",
    0: "0, which is too small",
    1: "1, which is too small",
    2: "2, which is too small",
    2**20000 + 1: "one of 20001 bits",
    2**2048 + 981: "one of 2049 bits",
    65536: "the even number 65536",
}


@pytest.mark.parametrize("q", MODULI, ids=MODULI.get)
def test_modulus(q: int) -> None:
    message = _message(lambda: params.check_modulus(q, "--modulus"))
    assert message == f"--modulus: expected an odd modulus below 2^2048, got {MODULI[q]}"


A_2_63 = "a power of two from 1 to 2^63"
LEAST = "(q is below 2^(bits-4), and 2n must divide q - 1)"
NTH_ROOT = "a primitive 8-th root of unity modulo q"
CASES: dict[str, Callable[[], object]] = {
    f"n: expected {A_2_63}, got 0": lambda: params.default_prime(64, 0),
    f"n: expected {A_2_63}, got 12": lambda: params.default_prime(64, 12),
    f"n: expected {A_2_63}, got {2**64}": lambda: params.default_prime(128, 2**64),
    "bits: expected at most 2052 bits, got 2053": lambda: params.default_prime(2053, 2),
    f"bits: expected at least 20 bits for n = 4096, got 16 {LEAST}": lambda: params.default_prime(16, 4096),
    f"bits: expected at least 6 bits for n = 1, got -3 {LEAST}": lambda: params.default_prime(-3, 1),
    "modulus: 15 is composite, and momagen finds roots of unity only modulo a prime; "
    "specify `root`, or use a prime `modulus`": lambda: params.primitive_root(2, 15),
    "root: expected a primitive 4-th root of unity modulo q, got 12 (its power 2 is not -1, so its order is less "
    "modulo a prime factor of q)": lambda: params.check_root(12, 4, 65),
    "root order: expected a power of two up to 2^32 that divides q - 1, got 32 (the largest for this modulus is 2^4)": (
        lambda: params.primitive_root(32, 17)
    ),
    "root order: expected a power of two up to 2^32 that divides q - 1, got 6 (the largest for this modulus is 2^1)": (
        lambda: params.primitive_root(6, 7)
    ),
    f"root: expected {NTH_ROOT}, got 4 (its order is 4)": lambda: params.check_root(4, 8, 17),
    f"root: expected {NTH_ROOT}, got 3 (3 is a generator: use generator=3 or root=9)": (
        lambda: params.check_root(3, 8, 17)
    ),
    f"root: expected {NTH_ROOT}, got 1 (its order is 1)": lambda: params.check_root(1, 8, 17),
    f"root: expected {NTH_ROOT}, got 2 (its order is no power of two up to 2^64)": lambda: params.check_root(2, 8, 73),
    f"w: expected {NTH_ROOT}, got 19, which is not between 1 and q - 1": lambda: params.check_root(19, 8, 17, "w"),
    f"root: expected {NTH_ROOT}, got 0, which is not between 1 and q - 1": lambda: params.check_root(0, 8, 17),
    "n: expected a power of two of at least 2, got 1": lambda: params.check_order(1, 17, False),
    "--size: expected a power of two of at least 2, got 96": lambda: params.check_order(96, 97, False, "--size"),
    "n: expected a cyclic size n such that n divides q - 1, got 64 (the largest for this modulus is 2^5)": (
        lambda: params.check_order(64, 97, False)
    ),
    "n: expected a negacyclic size n such that 2n divides q - 1, got 32 (the largest for this modulus is 2^4)": (
        lambda: params.check_order(32, 97, True)
    ),
    "n: expected a negacyclic size n such that 2n divides q - 1, got 2 (this modulus has none)": (
        lambda: params.check_order(2, 2**31 - 1, True)
    ),
    "width: expected at least 1 bit in words of at least 1 bit, got 0 bits in words of 64": lambda: params.words_per(0),
    "value 1: expected an integer from 0 to 2^64 - 1, got -1": lambda: params.to_words([5, -1, 2**64], 1),
    "value 2: expected an integer from 0 to 2^128 - 1, got an integer of 1001 bits": (
        lambda: params.to_words([0, 1, 2**1000, -1], 2)
    ),
    "value 0: expected an integer from 0 to 2^64 - 1, got 0.5": lambda: params.to_words([0.5], 1),  # type: ignore[list-item]
    "value 1: expected an integer from 0 to 2^64 - 1, got '7'": lambda: params.to_words([1, "7"], 1),  # type: ignore[list-item]
    "value 0: expected an integer from 0 to 2^64 - 1, got array([1, 2])": (
        lambda: params.to_words([np.array([1, 2])], 1)  # type: ignore[list-item]
    ),
    "value 0: expected an integer from 0 to 2^64 - 1, got -3": lambda: params.to_words(np.array([-3, 5]), 1),
    "words per value: expected at least 1 word per value, got 0": lambda: params.to_words([1], 0),
    "array of words: expected a uint64 array of shape (..., words), got int64 of shape (2, 2)": (
        lambda: params.from_words(np.zeros((2, 2), np.int64))
    ),
    "array of words: expected a uint64 array of shape (..., words), got uint64 of shape ()": (
        lambda: params.from_words(np.array(5, np.uint64))
    ),
    "x[2]: expected residues below the modulus 17, got 17": lambda: params.check_residues([0, 16, 17, 18], 17, "x"),
    "x[0]: expected residues below the modulus 17, got -1": lambda: params.check_residues([-1], 17, "x"),
    "x[1]: expected residues below the modulus 17, got 1.5": lambda: params.check_residues([1, 1.5], 17, "x"),  # type: ignore[list-item]
    "x[1, 2]: expected residues below the modulus 17, got 17": (
        lambda: params.check_residues(params.to_words([0, 1, 2, 3, 4, 17, 6, 7], 2).reshape(2, 4, 2)[:, ::-1], 17, "x")
    ),
    "x: expected residues below the modulus 17, got 17": lambda: params.check_residues(
        np.array([17], np.uint64), 17, "x"
    ),
    "x[1]: expected residues below the modulus 17, got array([1, 2])": (
        lambda: params.check_residues([1, np.array([1, 2])], 17, "x")  # type: ignore[list-item]
    ),
    "x: expected a uint64 array of shape (..., words), got float64 of shape (3,)": (
        lambda: params.check_residues(np.zeros(3), 17, "x")
    ),
    "Barrett constant: expected a modulus of at least 1 and a power of at least 0, got q = 0, k = 4": (
        lambda: params.barrett_mu(0, 4)
    ),
    "Montgomery modulus: expected an odd modulus above 1 and below 2^8, got 12": lambda: params.montgomery(12, 8),
    "Montgomery modulus: expected an odd modulus above 1 and below 2^8, got 257": lambda: params.montgomery(257, 8),
    "Shoup constant: expected a factor from 0 to q - 1, got 17 with q = 17": lambda: params.shoup(17, 17, 8),
}


@pytest.mark.parametrize("message", CASES)
def test_message(message: str) -> None:
    assert _message(CASES[message]) == message


DERIVED = {  # root, order, modulus: what the hint says first
    (3, 16, 998244353): "3 is a generator: use generator=3 or root=",
    (5, 16, 97): "5 is a generator: use generator=5 or root=",
    (pow(3, 7, 998244353), 2**20, 998244353): f"{pow(3, 7, 998244353)} is no square: use generator=2187 or root=",
    (9, 2**22, 998244353): "its order is a multiple of 4194304: use root=",
    (pow(3, (998244353 - 1) // 64, 998244353), 16, 998244353): "its order is 64: use root=",
    (7, 2**26, 2**64 - 2**32 + 1): "7 is a generator: use generator=7 or root=",
    (2, 4, 65): "",
}


@pytest.mark.parametrize("case", DERIVED, ids=str)
def test_a_root_of_higher_order_gives_one(case: tuple[int, int, int]) -> None:
    """What the hint says to use is a primitive root, by its definition, and is what a generator gives."""
    root, order, q = case
    message = _message(lambda: params.check_root(root, order, q))
    found = re.search(r"use (?:generator=(\d+) or )?root=(\d+)\)$", message)
    assert f"got {root} ({DERIVED[case]}" in message and bool(found) == bool(DERIVED[case])
    if found:
        assert pow(int(found[2]), order // 2, q) == q - 1
        assert not found[1] or params.root_of_generator(int(found[1]), order, q) == int(found[2])


def test_a_generator_is_one() -> None:
    """Compare with the powers themselves, for all numbers modulo a few primes."""
    for q in (17, 97, 257, 331):
        for g in range(1, q):
            assert is_generator(g, q) == (len({pow(g, i, q) for i in range(q - 1)}) == q - 1)
