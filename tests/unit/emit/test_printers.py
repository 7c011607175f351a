"""Every printed language against the interpreter: the same tables, and the same results."""

from __future__ import annotations

import gc
import keyword
import random
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from support.programs import drawn, interpreted, interpreted_elements, joined, split

import momagen as mg
from momagen.emit import generate
from momagen.emit.kernel import EMITTERS, MODULAR
from momagen.emit.python.expressions import name_of
from momagen.emit.python.functions import function_text
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.languages import LANGUAGES
from momagen.lower.kernels import lowered
from momagen.program import Expr, Function, Name, Statement, Switch, Type
from momagen.program.interpret import Interpreter, Pointer
from momagen.targets import load_target

pytestmark = pytest.mark.compiles


@pytest.mark.parametrize("options", [{}, {"algorithm": "stockham"}, {"algorithm": "pease"}], ids=str)
@pytest.mark.parametrize("inverse", [False, True])
def test_python_fills_the_tables_that_the_interpreter_fills(options: dict[str, str], inverse: bool) -> None:
    options = options or {"limbs": "full"}
    spec = make_spec("ntt", n=64, bits=128, target="python", inverse=inverse, options=options)
    program = lowered(spec).program
    run = Interpreter(program.functions, program.statics, 8)
    kept, beside = ([Pointer([0] * field.words) for field in each] for each in (program.kept, program.beside))
    q, root = (split([number], spec.arith.words) for number in (spec.modulus, spec.root))
    assert run.call(program.setup, *kept, *beside, Pointer(q), Pointer(root))
    names: dict[str, Any] = {}
    exec(generate(spec).source, names)
    plan = names["create"](np.array(q, np.uint64), np.array(root, np.uint64))
    assert [array.tolist() for array in plan] == [pointer.words for pointer in kept]


@pytest.mark.parametrize(("kind", "reduction"), [("vmul", "barrett"), ("axpy", "approximate"), ("axpy", "montgomery")])
@pytest.mark.parametrize("q", [(1 << 97) - 1, 12289])
def test_python_keeps_the_constants_that_the_interpreter_keeps(kind: str, reduction: str, q: int) -> None:
    spec = make_spec(kind, modulus=(1 << 97) - 1, target="python", options={"reduction": reduction})
    program = lowered(spec).program
    kept, words = [Pointer([0] * field.words) for field in program.kept], split([q], spec.arith.words)
    Interpreter(program.functions, program.statics, 8).call(program.setup, *kept, Pointer(words))
    names: dict[str, Any] = {}
    exec(generate(spec).source, names)
    plan = names["create"](np.array(words, np.uint64))
    assert [array.tolist() for array in plan] == [pointer.words for pointer in kept]


@pytest.mark.parametrize("target", ["c", "avx2", "python"])
@pytest.mark.parametrize("kind", ["vmul", "axpy", "cmpsub"])
def test_printed_kernels_on_vectors_give_what_the_interpreter_gives(target: str, kind: str) -> None:
    kernel, some = mg.blas(kind, bits=128, target=target), random.Random(kind)
    scalars, *vectors = drawn(kernel.spec, kernel.modulus, some, 35)
    assert kernel(*scalars, *vectors) == interpreted_elements(kernel.spec, kernel.modulus, scalars, *vectors)


@pytest.mark.parametrize("target", ["c", "avx2", "python"])
@pytest.mark.parametrize("bits", [64, 260])
def test_printed_kernels_give_what_the_interpreter_gives(target: str, bits: int) -> None:
    spec = make_spec("ntt", n=32, bits=bits, target=target, options={"limbs": "full"})
    xs = [random.Random(bits).randrange(spec.modulus) for _ in range(32)]
    kernel = mg.ntt(32, bits=bits, target=target, limbs="full")
    assert kernel(xs) == interpreted(spec, spec.root, xs) and joined(split(xs, 5), 5) == xs


@pytest.mark.parametrize(("n", "wanted"), [(1, 10), (2, 25), (4, 7), (8, 0)])
def test_python_and_the_interpreter_choose_by_a_number(n: int, wanted: int) -> None:
    f, cases = Function("f", (Name("n"),), result=Type.COUNT), Switch(Name("n"))
    found = f.variable("found", 0)
    f.add(cases)
    with f.case(cases, 1):
        f.give(10)
    with f.case(cases, 2), f.rounded(True), f.each("i", 5):
        f.step(found, 5)
    with f.case(cases, 4):
        f.set(found, 7)
    f.give(found)
    assert Interpreter({"f": f}, {}, 1).call("f", n) == wanted
    names: dict[str, Any] = {}
    exec(function_text(f, load_target("python"), set()), names)
    assert names["f"](n) == wanted


def test_every_language_of_targets_has_a_printer() -> None:
    assert {*EMITTERS, *MODULAR} == {*LANGUAGES}


def named(part: object) -> Iterator[Name]:
    """The names in a function, in all that it is made of."""
    if isinstance(part, Name):
        yield part
    elif isinstance(part, (Function, Statement, Expr)):
        yield from named(list(vars(part).values()))
    elif isinstance(part, (list, tuple)):
        for each in part:
            yield from named(each)


@pytest.mark.parametrize(("target", "bits"), [("avx2", 54), ("avx2", 128), ("avx512", 128), ("avx512ifma", 256)])
@pytest.mark.parametrize("limbs", ["full", "reduced"])
@pytest.mark.parametrize("inverse", [False, True])
def test_no_name_is_a_word_of_python(target: str, bits: int, limbs: str, inverse: bool) -> None:
    options = {"limbs": limbs}
    spec = make_spec("ntt", n=1024, bits=bits, target=target, inverse=inverse, order="natural", options=options)
    for function in lowered(spec).program.functions.values():
        words = [name for name in map(name_of, named(function)) if keyword.iskeyword(name)]
        assert not words, function.name


@pytest.mark.parametrize("collects", [True, False])
@pytest.mark.parametrize("options", [{}, {"storage": "words"}], ids=str)
def test_generation_leaves_the_collector_as_it_was(collects: bool, options: dict[str, str]) -> None:
    """Words between passes are refused within generation, where 256 points have one pass over columns."""
    spec = make_spec("ntt", n=256, bits=128, target="avx2", options=options)
    try:
        (gc.enable if collects else gc.disable)()
        with pytest.raises(MomagenError, match="storage") if options else nullcontext():
            generate(spec)
        assert gc.isenabled() == collects
    finally:
        gc.enable()
