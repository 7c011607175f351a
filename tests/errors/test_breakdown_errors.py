"""Formulas and breakdown rules: every bad input is one line that says what was expected, what came, and where."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from momagen.errors import MomagenError
from momagen.formula.atoms import L, R, T
from momagen.formula.breakdown import expand
from momagen.formula.breakdown_rules import load, rules
from momagen.formula.expression import Compose
from momagen.formula.factors import stages
from momagen.formula.instantiate import formula
from momagen.formula.transforms import NTT, Ring

TEXTS = {
    "(NTT(2) ⊗ I(4)": "formula: expected ')', got the end at column 15 (in: (NTT(2) ⊗ I(4))",
    "NTT(2) ⊗": "formula: expected a formula, got the end at column 9 (in: NTT(2) ⊗)",
    "NTT(2) I(2)": "formula: expected the end, or one of · ⊗ ⊕, got 'I' at column 8 (in: NTT(2) I(2))",
    "NTT(2) & I(2)": "formula: expected the end, or one of · ⊗ ⊕, got '&' at column 8 (in: NTT(2) & I(2))",
    "NTT 8": "formula: expected '(', got '8' at column 5 (in: NTT 8)",
    "L(8, 2": "formula: expected ')', got the end at column 7 (in: L(8, 2)",
    "NTT(x)": "formula: expected '(', got '⊗' at column 4 (in: NTT(x))",
    "∏[i=0,3] I(2)": "formula: expected '..', got ',' at column 6 (in: ∏[i=0,3] I(2))",
    "∏[3=0..3] I(2)": "formula: expected a name, got '3' at column 3 (in: ∏[3=0..3] I(2))",
    "I(rev(8))": "formula: expected ',', got ')' at column 8 (in: I(rev(8)))",
    "I(⌊9/2)": "formula: expected '⌋', got ')' at column 7 (in: I(⌊9/2))",
    "DFT(8)": "formula: expected one of I, L, R, Scale, T, iT, NTT, iNTT, Ring, iRing, Rings, iRings, D[…], got DFT",
    "L(8)": "formula: expected L(n, k), got 1 argument(s)",
    "Ring(8, 1/2, 3)": "formula: expected Ring(n, turn), got 3 argument(s)",
    "T[j=0..3](j)": "formula: expected D[j=0..n−1](turn), got T[…] with 1 argument(s)",
    "I(n)": "index: expected one of the names (none), got n",
    "I(8/0)": "index: expected a divisor other than 0, got / of 8, 0",
    "I(0^-1)": "index: expected a divisor other than 0, got ^ of 0, -1",
    "I(2^(1/2))": "exponent: expected an integer, got 1/2",
    "I(7/2)": "I(…): n: expected an integer, got 7/2",
    "I(rev(6, 1))": "rev(n, i): expected a power of two, got 6",
    "I(rev(8, 8))": "rev(n, i): expected an index in 0…7, got 8",
    "NTT(6)": "NTT: size: expected a power of two, got 6",
    "NTT(8) · I(4)": "product NTT(8) · I(4): expected factors of equal size, got sizes [8, 4]",
    "∏[i=1..0] I(2)": "formula with ·: expected at least one part, got none",
}


@pytest.mark.parametrize("text", TEXTS)
def test_broken_text(text: str) -> None:
    with pytest.raises(MomagenError) as caught:
        formula(text)
    assert str(caught.value) == TEXTS[text]


OBJECTS: dict[str, Callable[[], object]] = {
    "L(n, k): expected a divisor of 8, got 3": lambda: L(8, 3),
    "T(n, k): expected a divisor of 8, got 0": lambda: T(8, 0),
    "T(n, k): expected a power of two, got 12": lambda: T(12, 4),
    "R(n, radix): expected a size that is a power of 4, got 8": lambda: R(8, 4),
    "R(n, radix): expected a size that is a power of 1, got 2": lambda: R(2, 1),
    "Ring: expected a turn in [0, 1), got 3/2": lambda: Ring(8, Fraction(3, 2)),
    "Ring: blocks: expected a power of two, got 3": lambda: Ring(8, Fraction(0), blocks=3),
    "NTT: denominator of the turn: expected a power of two, got 3": lambda: NTT(8, turn=Fraction(1, 3)),
}


@pytest.mark.parametrize("message", OBJECTS)
def test_impossible_object(message: str) -> None:
    with pytest.raises(MomagenError) as caught:
        OBJECTS[message]()
    assert str(caught.value) == message


ROW = {
    "id": "X1",
    "name": "mine",
    "from": "NTT(r·s)",
    "to": "L(r·s, s) · NTT(r·s)",
    "when": "radix_divides",
    "source": "none",
}
ROWS: dict[str, dict[str, str]] = {
    "breakdown.toml, rule mine, to: expected ')', got the end at column 9 (in: L(r·s, s)": {"to": "L(r·s, s"},
    "breakdown.toml, rule mine, to: expected a formula, got ')' at column 12 (in: L(r·s, s) ·))": {
        "to": "L(r·s, s)\\n·)"
    },
    "breakdown.toml, rule mine, to: expected a name, got ')' at column 8 (in: L(r·s, ))": {"to": "L(r·s, )"},
    "breakdown.toml, rule mine, to: expected names of the left side (r, s), got q (in: L(r·s, q))": {"to": "L(r·s, q)"},
    "breakdown.toml, rule mine, to: expected names of the left side (r, s), got i (in: (∏[i=0..1] I(i)) · L(i, r))": {
        "to": "(∏[i=0..1] I(i)) · L(i, r)"
    },
    "breakdown.toml, rule mine, to: expected R(n, radix), got 3 argument(s)": {"to": "R(r·s, r, s)"},
    "breakdown.toml, rule mine, to: expected D[j=0..n−1](turn), got I[…] with 1 argument(s)": {"to": "I[j=0..r](j)"},
    "breakdown.toml, rule mine, when: expected one of always, radix_divides, radix_power, twisted, got sometimes": {
        "when": "sometimes"
    },
    "breakdown.toml, rule mine, when radix_power: expected k on the left side, got NTT(r·s)": {"when": "radix_power"},
    "breakdown.toml, rule mine, from: expected one transform, such as NTT(r·s), got L(r·s, r)": {"from": "L(r·s, r)"},
    "breakdown.toml, rule mine, from: expected one transform, such as NTT(r·s), got NTT(r) ⊗ I(s)": {
        "from": "NTT(r) ⊗ I(s)"
    },
    "breakdown.toml, rule mine, from: expected names, r·s or r^k as arguments, got NTT(r·s + r)": {
        "from": "NTT(r·s + r)"
    },
    "breakdown.toml, rule mine: expected the keys id, name, from, to, when, source with strings, "
    "got id, name, from, to, when, source, speed": {"speed": "fast"},
}


def toml(*rows: dict[str, str]) -> str:
    return "\n".join("[[rule]]\n" + "\n".join(f'"{key}" = "{value}"' for key, value in row.items()) for row in rows)


def refusal(tmp_path: Path, text: str) -> str:
    file = tmp_path / "breakdown.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(MomagenError) as caught:
        load(file)
    return str(caught.value)


@pytest.mark.parametrize("message", ROWS)
def test_broken_row(message: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, toml({**ROW, **ROWS[message]})) == message


def test_whole_row_loads(tmp_path: Path) -> None:
    file = tmp_path / "breakdown.toml"
    file.write_text(toml(ROW), encoding="utf-8")
    assert list(load(file)) == ["mine"]


def test_missing_key(tmp_path: Path) -> None:
    message = refusal(tmp_path, toml({key: value for key, value in ROW.items() if key != "name"}))
    assert message.startswith(
        "breakdown.toml, rule 1: expected the keys id, name, from, to, when, source with strings, got id, from"
    )


def test_name_used_twice(tmp_path: Path) -> None:
    assert refusal(tmp_path, toml(ROW, ROW)) == "breakdown.toml, rule 2: expected a name used only once, got mine"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[rule", "expected a readable TOML file, got "),
        ("", "expected [[rule]] tables and nothing else, got nothing"),
        ("rule = 3", "expected [[rule]] tables and nothing else, got rule"),
        ("[rule]\nname = 'x'", "expected [[rule]] tables and nothing else, got rule"),
        ("[[rules]]\nname = 'x'", "expected [[rule]] tables and nothing else, got rules"),
    ],
)
def test_broken_file(text: str, message: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, text).startswith(f"{tmp_path / 'breakdown.toml'}: {message}")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(MomagenError, match=r"none\.toml: the file cannot be read \(No such file"):
        load(tmp_path / "none.toml")


EXPANSIONS: dict[str, Callable[[], object]] = {
    "breakdown: expected a rule for NTT(32), or a kernel of size 2, 4, 8, 16, got neither": lambda: expand(
        NTT(32), lambda node: None
    ),
    "breakdown rule stockham: expected NTT(r^k) (radix_power), got NTT(32) with radix 4": lambda: expand(
        NTT(32), lambda node: ("stockham", 4)
    ),
    "breakdown rule cooley_tukey_dit: expected NTT(r·s) (radix_divides), got NTT(32) with radix 3": lambda: expand(
        NTT(32), lambda node: ("cooley_tukey_dit", 3)
    ),
    "breakdown rule twist: expected NTT(n, t) (twisted), got NTT(32) with radix 0": lambda: rules()["twist"].rewrite(
        NTT(32)
    ),
    "breakdown: expected a finite breakdown, got NTT(32) within itself (NTT(32) → Ring(32, 0))": lambda: expand(
        NTT(32), lambda node: ("bit_reversal" if isinstance(node, NTT) else "natural_order", 2)
    ),
    "stages: expected kernels of size 2, 4, 8, 16, got NTT(32) (expand the formula first)": lambda: stages(
        formula("I(2) ⊗ NTT(32)")
    ),
    "stages: expected kernels of size 2, 4, 8, 16, got NTT(4) ⊕ L(4, 2) (expand the formula first)": lambda: stages(
        formula("NTT(4) ⊕ L(4, 2)")
    ),
    "formula with ·: expected at least one part, got none": lambda: Compose(),
}


@pytest.mark.parametrize("message", EXPANSIONS)
def test_impossible_expansion(message: str) -> None:
    with pytest.raises(MomagenError) as caught:
        EXPANSIONS[message]()
    assert str(caught.value) == message


def test_unknown_rule_is_answered_with_the_known() -> None:
    with pytest.raises(MomagenError, match=r"breakdown rule: expected one of cooley_tukey_dit, .*, got winograd"):
        expand(NTT(32), lambda node: ("winograd", 2))
