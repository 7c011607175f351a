"""Programs merged into one: what is equal is there once, what clashes is renamed wherever it is mentioned, and one of
several sizes does what definitions say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.oracle import result
from support.programs import joined, split

from momagen.ir import Block, Builder, const
from momagen.kinds.modular.derived.inner import of_size
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.kernels import lowered
from momagen.program import Function, Name, Program, Static, Type
from momagen.program.interpret import Interpreter, Pointer
from momagen.program.shared import Shared
from momagen.program.sizes import of_sizes

X, Y = Name("x", Type.INPUT), Name("y", Type.WORDS)


def summed(more: int) -> Block:
    b = Builder()
    x = b.input("x", 0, 1000)
    b.output("y", b.emit("addlo", 64, x, const(more))[0] if more else x)
    return b.block


def program(words: Sequence[int], more: int = 1, last: str = "run") -> Program:
    """y[0] becomes x[0] + more + the first of ``words``, by a function on a register and one that calls it."""
    table = Static(Name("table", Type.INPUT), words)
    block = summed(more)
    inner = Function("inner", (Y, X))
    inner.load("x", [block.inputs["x"]], X)
    inner.run(block)
    inner.store([block.outputs["y"]], Y)
    run = Function(last, (Y, X))
    run.do(inner(Y, X))
    run.step(Y[0], table.name[0])
    return Program({"inner": inner, last: run}, {"table": table}, ((), ()), "", last, ())


def given(shared: Shared, name: str, x: int) -> int:
    y = Pointer([0])
    Interpreter(shared.functions, shared.statics, 1).call(name, y, Pointer([x]))
    return y.words[0]


def test_what_differs_gets_another_name_and_what_does_not_is_shared() -> None:
    whole = Shared()
    names = [whole.add(program(words, more), n) for n, (words, more) in enumerate([([5], 1), ([7], 1), ([5], 2)])]
    assert [each["table"] for each in names] == ["table", "table_1", "table"]
    assert [each["inner"] for each in names] == ["inner", "inner", "inner_2"]
    assert [each["run"] for each in names] == ["run", "run_1", "run_2"]
    assert [given(whole, each["run"], 100) for each in names] == [106, 108, 107]
    assert list(whole.functions) == ["inner", "run", "run_1", "inner_2", "run_2"]


def test_functions_of_different_names_are_one() -> None:
    whole = Shared()
    names = [whole.add(program([5], last=name), n) for n, name in enumerate(("run_2", "run_7"))]
    assert names[1]["run_7"] == names[0]["run_2"] == "run_2" and "run_7" not in whole.functions


def test_a_variable_that_grows_still_does_where_a_name_changed() -> None:
    """Printers know ``x += y`` by the same object on both sides."""
    whole = Shared()
    whole.add(program([5]), 1)
    whole.add(program([6]), 2)
    step = whole.functions["run_2"].body[-1]
    assert step.value.left is step.target  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("target", "given_"),
    [("c", {"bits": 128}), ("avx2", {"modulus_bits": 50}), ("avx512ifma", {"modulus_bits": 124, "inverse": True})],
)
def test_a_program_of_several_sizes_is_right_at_each(target: str, given_: dict[str, int]) -> None:
    spec = make_spec("ntt", n=64, sized=True, target=target, **given_)  # type: ignore[arg-type]
    whole = of_sizes({n: lowered(of_size(spec, n)).program for n in spec.sizes})
    words = spec.arith.words
    for n in (2, 16, 64):
        one, batch = of_size(spec, n), 2
        run = Interpreter(whole.functions, whole.statics, lowered(one).writer.target.lanes)
        assert run.call(whole.is_size, n) and not run.call(whole.is_size, n + 1)
        fields = whole.kept, whole.beside, whole.room
        kept, beside, room = (
            [Pointer([0] * (int(run.call(f.sized, n)) if f.sized else f.words)) for f in each] for each in fields
        )
        q, root = (Pointer(split([number], words)) for number in (one.modulus, one.root))
        assert run.call(whole.fits, q, n) and run.call(whole.setup, *kept, *beside, q, root, n)
        xs = [(i * i + 1) % one.modulus for i in range(n * batch)]
        y = Pointer([0] * n * batch * words)
        run.call(whole.run, y, Pointer(split(xs, words)), *kept, *room, batch, n)
        for at in range(batch):
            got, x = joined(y.words, words)[at * n : at * n + n], xs[at * n : at * n + n]
            assert got == result(one, x)
