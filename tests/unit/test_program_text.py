"""Functions of programs as text: they give what definitions on integers give, and what they cannot say is refused."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import gmpy2
import pytest
from programs import joined, split

from momagen.kernels.spec.make_spec import make_spec
from momagen.lower.writer import ProgramWriter
from momagen.program import Function, notation
from momagen.program.interpret import Interpreter, Pointer


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


@pytest.mark.parametrize("text", ["import os", "x.y = 1", "for i in x: return i", "return [n]", "return n < 1 < 2"])
def test_what_a_program_cannot_say_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    with pytest.raises(SyntaxError):
        read(monkeypatch, text)


def test_every_function_of_the_file_is_read() -> None:
    texts = notation.texts()
    assert "put_powers" in texts
    for row in texts.values():
        assert ast.parse(row["text"]).body and set(row) <= {"args", "gives", "copies", "text", "vector"}
