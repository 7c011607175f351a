"""Functions of programs as text: they give what definitions on integers give, and what they cannot say is refused."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping
from functools import partial
from typing import Any

import gmpy2
import pytest
from support.programs import joined, split

from momagen.data import folder
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, Let, notation
from momagen.program.interpret import Interpreter, Pointer
from momagen.program.statements import Each


def run(writer: ProgramWriter) -> Interpreter:
    return Interpreter(writer.functions, writer.statics, 1, writer.arith.word)


@pytest.mark.parametrize(("target", "bits"), [("c", 60), ("c", 124), ("c32", 124), ("c64", 60), ("avx2", 250)])
@pytest.mark.parametrize("power", [0, 63, 64, 200])
def test_powers_of_two_over_the_modulus(target: str, bits: int, power: int) -> None:
    writer = ProgramWriter(make_spec("vmul", modulus=int(gmpy2.prev_prime(1 << bits)), target=target))
    writer.write("barrett_constant")
    words, word, length = writer.arith.words, writer.arith.word, power // writer.arith.word + 1
    for q in (3, 1 << bits - 2, writer.spec.modulus):
        z = Pointer([1] * length)
        exact = run(writer).call("divide", z, length, power, Pointer(split([q], words, word)))
        assert joined(z.words, length, word) == [(1 << power) // q] and exact == ((1 << power) % q == 0)
        run(writer).call("barrett_constant", z, length, power, Pointer(split([q], words, word)))
        assert joined(z.words, length, word) == [((1 << power) - 1) // q]


@pytest.mark.parametrize("bits", [0, 1, 5, 64])
def test_reversed_bits_and_carries(bits: int) -> None:
    writer = ProgramWriter(make_spec("ntt", n=64, bits=64))
    writer.write("reversed"), writer.write("carried")
    for i in {0, 1 % (1 << bits), (1 << bits) // 3, (1 << bits) - 1}:
        assert run(writer).call("reversed", i, bits) == int("0" + format(i, f"0{bits}b")[::-1][:bits], 2)
    for i in (0, 1, 6, 7, (1 << 40) - 1):
        assert run(writer).call("carried", i) == gmpy2.bit_scan1(i + 1)


def read(monkeypatch: pytest.MonkeyPatch, text: str, **given: Any) -> Function:
    rows: Mapping[str, Mapping[str, str]] = {"f": {"args": "x: WORDS, n", "gives": "COUNT", "text": text}}
    monkeypatch.setattr(notation, "texts", lambda: rows)
    return notation.function("f", lambda name, *args: pytest.fail(name), given)


@pytest.mark.parametrize(("short", "found"), [(0, [8, 16]), (1, [7, 7])])
def test_given_numbers_decide_tests_and_comments(monkeypatch: pytest.MonkeyPatch, short: int, found: list[int]) -> None:
    text = '"By {short}."\nif short:\n    k = 7\nelse:\n    k = 5 if n < 4 and short == 0 else 9\n    k += n\nreturn k'
    f = read(monkeypatch, text, short=short)
    assert f.doc == f"By {short}." and len(f.body) == (2 if short else 3)
    values = [Interpreter({"f": f}, {}, 1).call("f", Pointer([]), n) for n in (3, 7)]
    assert values == found


@pytest.mark.parametrize(
    "text",
    ["import os", "x.y = 1", "for i in x: return i", "return [n]", "return n < 1 < 2", "return not n",
     "return n or 1", "return WORD(n)", "return LONG(n)"],
)
def test_what_a_program_cannot_say_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    with pytest.raises(MomagenError, match="function f: expected a statement or an expression of a function, got"):
        read(monkeypatch, text)


@pytest.mark.parametrize("text", ["return k", "x[k] = 1", "return g(n)", "while n < k:\n    n = n + 1"])
def test_names_that_nobody_knows_are_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    with pytest.raises(MomagenError, match=r"rules, function f: expected a known name, got [kg]"):
        read(monkeypatch, text, g=partial(notation.function, "g", pytest.fail, {}))


@pytest.mark.parametrize(("turns", "found"), [(1, 1), (3, 6)])
def test_a_loop_of_one_turn_is_none(monkeypatch: pytest.MonkeyPatch, turns: int, found: int) -> None:
    f = read(monkeypatch, "m = 0\nfor i in turns(count):\n    m += i + 1\nreturn m", count=turns)
    assert isinstance(f.body[1], Each) == (turns > 1)
    assert Interpreter({"f": f}, {}, 1).call("f", Pointer([]), 0) == found


ROWS: Mapping[str, Mapping[str, object]] = {
    "sum": {"args": "x: WORDS, n if long, m", "gives": "COUNT", "text": "return m + n if long else m"},
    "twice": {"args": "a", "copies": "in place", "text": "(double := a + a)\ntotal = double\ntotal += double"},
    "f": {"args": "x: WORDS, n", "gives": "COUNT", "text": "m = 1\nfor i in range(0, n, 3):\n    k = i\n    m += k\n"
          "for i in range(2):\n    k = 7\n    m += k\ntwice(m)\nreturn sum(x, n, total)"},
}  # fmt: skip


@pytest.mark.parametrize(("long", "found"), [(0, 96), (1, 103)])
def test_texts_in_place_names_of_blocks_and_parameters_left_out(
    monkeypatch: pytest.MonkeyPatch, long: int, found: int
) -> None:
    monkeypatch.setattr(notation, "texts", lambda: ROWS)
    own = notation.function("sum", lambda: pytest.fail(""), {"long": long})
    f = notation.function("f", lambda name, *args: own(*args), {})
    assert len(own.params) == 2 + long and [each.text for each in own.params][-1] == "m"
    assert Interpreter({"sum": own, "f": f}, {}, 1).call("f", Pointer([]), 7) == found
    lets = [each for each in (*f.body[1].body, *f.body[2].body) if isinstance(each, Let)]  # type: ignore[attr-defined]
    assert [each.fixed for each in lets] == [True, True]


def test_every_function_of_the_file_is_read() -> None:
    texts = notation.texts()
    files = [tomllib.loads((folder("rules") / name).read_text(encoding="utf-8")) for name in notation.FILES]
    assert "put_powers" in texts and len(texts) == sum(map(len, files)), "a name stands twice"
    for row in texts.values():
        if row.keys() == {"scalar"}:
            continue
        assert ast.parse(row["text"]).body and set(row) <= {"args", "gives", "copies", "text", "vector"}
