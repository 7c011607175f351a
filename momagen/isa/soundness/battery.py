"""The battery of operations: what a target's rows do, compiled, against what the table of operations says they mean."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from momagen.build import Compiler, compile_shared, load
from momagen.build.call import stand_ins
from momagen.build.features import missing_features
from momagen.emit.c.functions import FunctionText
from momagen.errors import MomagenError
from momagen.ir import OPS, Block, Builder, Value
from momagen.lower.phases import lower
from momagen.params.words import Words
from momagen.program import Function
from momagen.program.expressions import Name, Type
from momagen.program.statements import Load, Run, Store
from momagen.targets import Target, load_target
from momagen.templates import templates

KINDS = frozenset("wf")
"""Kinds of arguments and results that it tries: words and flags of one lane."""
RANDOM = 500
Row = tuple[int, ...]


def tried(target: Target) -> list[str]:
    """The operations that the battery tries: the target's own, on words and flags, that mean something on one lane."""
    found = [op for op in target.ops if op in target.instructions or OPS[op].args]
    return [op for op in found if set(OPS[op].args + OPS[op].results) <= KINDS and op not in ATTRIBUTED]


ATTRIBUTED = frozenset({"perm2", "shr", "shl", "shrd", "low", "bit", "clear", "sar", "sal", "real", "unreal"})
"""Operations with an attribute, or across lanes: kernels try these."""


def check(name: str, compiler: Compiler | None = None) -> dict[str, int]:
    """How many inputs each operation of the target ``name`` was tried on; all were right.

    Raises:
        MomagenError: a row does not compile, with the compiler's first error, or answers something else than the table.
    """
    target = load_target(name)
    if target.proxy:
        raise MomagenError("a target whose results are right", name, "battery")
    operations = tried(target)
    library = _compiled(name, target, operations, compiler)
    return {op: _compare(op, target, library, name) for op in operations}


def _compiled(name: str, target: Target, operations: Sequence[str], compiler: Compiler | None) -> ctypes.CDLL:
    chains: set[tuple[str, int]] = set()
    host = load_target(target.host) if target.host not in ("", target.name) else target
    where = name.split("/")[-1] + ".toml" * (not name.endswith(".toml"))
    texts = [f"{_head(op, target, where)}\n{_text(op, target, host, chains)}" for op in operations]
    preludes = dict.fromkeys([*target.front, *(target.prelude[op] for op in sorted(target.prelude))])
    head = templates().get_template("c/includes.j2").render(target=target, preludes=preludes, functions=texts)
    missing = missing_features(target.features)
    flags, includes = ["-std=gnu99", *([] if missing else target.flags)], dict[str, str]()
    if missing:
        flags, includes = [*flags, "-DMOMAGEN_STANDINS", "-O1"], stand_ins(target, missing)
    text, name = "\n".join([head, *texts]), f"battery_{target.name}"
    return load(compile_shared(text, name=name, flags=flags, includes=includes, compiler=compiler))


def _head(op: str, target: Target, where: str) -> str:
    """Compilers name the row that the next lines come of."""
    table = "instructions" if op in target.instructions else "ops"
    return f'#line 1 "{where}, [{table}] {op}"'


def _text(op: str, target: Target, host: Target, chains: set[tuple[str, int]]) -> str:
    """A function that does ``op`` on all lanes of one vector of each argument, flags as words 0 or 1."""
    block, lanes = lower(_block(op, target.word), target), target.lanes
    z, x = Name("z", Type.WORDS), Name("x", Type.INPUT)
    function = Function(f"try_{op}", [z, x], vector=target.vector)
    function.add(Load("x", list(block.inputs.values()), x, 0, lanes))
    function.add(Run(block), Store(list(block.outputs.values()), z, 0, lanes))
    return "\n".join(FunctionText(function, target, host, chains).lines()).replace("static ", "", 1)


def _block(op: str, word: int) -> Block:
    row, b = OPS[op], Builder(lambda op: True)
    args: list[Value] = []
    for at, kind in enumerate(row.args):
        given = b.input(f"x{at}", 0, (1 << word) - 1)
        args.append(b.one("eq", word, given, Value(1, 1)) if kind == "f" else given)
    for at, (kind, found) in enumerate(zip(row.results, b.emit(op, word, *args), strict=True)):
        b.output(f"z{at}", b.one("word", word, found) if kind == "f" else found)
    return b.block


def inputs(op: str, word: int) -> Iterator[Row]:
    """All combinations of edges, and random numbers, of those that the operation takes."""
    full, rng = (1 << word) - 1, random.Random(0)
    edges = [0, 1, full >> 1, (full >> 1) + 1, full - 1, full]
    choices = [(0, 1) if kind == "f" else edges for kind in OPS[op].args]
    drawn = ([rng.randint(0, 1 if kind == "f" else full) for kind in OPS[op].args] for _ in range(RANDOM))
    for row in (*product(*choices), *map(tuple, drawn)):
        if OPS[op].requires(word, 0, *row):
            yield row


def _compare(op: str, target: Target, library: ctypes.CDLL, name: str) -> int:
    rows, lanes = list(inputs(op, target.word)), target.lanes
    rows += rows[:1] * (-len(rows) % lanes)
    given = np.array(rows, np.uint64).reshape(-1, lanes, len(OPS[op].args)).transpose(0, 2, 1)
    for at, vector in enumerate(given):
        got = _called(library, op, np.ascontiguousarray(vector), lanes)
        for row, answer in zip(rows[at * lanes :], got.T.tolist(), strict=False):
            wanted = OPS[op].meaning(target.word, 0, *row)
            if tuple(answer) != wanted:
                raise _wrong(op, name, row, wanted, answer)
    return len(rows)


def _called(library: ctypes.CDLL, op: str, vector: Words, lanes: int) -> Words:
    result = np.zeros((len(OPS[op].results), lanes), np.uint64)
    getattr(library, f"try_{op}")(ctypes.c_void_p(result.ctypes.data), ctypes.c_void_p(vector.ctypes.data))
    return result


def _wrong(op: str, name: str, row: Row, wanted: Row, got: Sequence[int]) -> MomagenError:
    shown = [", ".join(f"{number:#x}" for number in numbers) for numbers in (wanted, got, row)]
    return MomagenError(f"{OPS[op].notation} = {shown[0]}", f"{shown[1]} for {shown[2]}", f"{name}, the row of {op}")
