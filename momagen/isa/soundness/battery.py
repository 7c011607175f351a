"""The test of a target's operations against the definitions in the table of operations.

The C code that the target has for each operation is compiled and executed.
"""

from __future__ import annotations

import ctypes
import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from momagen.errors import MomagenError, build_error
from momagen.ir import OPS
from momagen.runtime import Compiler, compile_shared, load
from momagen.runtime.compiled import stand_ins
from momagen.runtime.features import missing_features
from momagen.targets import Target
from momagen.templates import templates

from .trials import TriedRow, Vectors, agree, expected, function, inputs, rows

COUNT = 64
"""The number of input vectors for each row."""


class Trial(NamedTuple):
    """The result of a row on one vector of inputs.

    Attributes:
        row: The row.
        given: The inputs.
        wanted: The expected results.
        got: The results.
        word: The width of a word in bits.
    """

    row: TriedRow
    given: Vectors
    wanted: Vectors
    got: Vectors
    word: int

    @property
    def right(self) -> bool:
        """Whether all lanes equal the definition of the operation, or agree with it if it permits several results."""
        return self.got == self.wanted or agree(self.row, self.given, self.got, self.word)


def check(target: Target, compiler: Compiler | None = None) -> Counter[str]:
    """Test each operation of a target against its definition.

    Args:
        target: The target.
        compiler: The compiler, or None for the default one.

    Returns:
        The number of tested inputs for each operation.

    Raises:
        MomagenError: The target is a proxy build, a row does not compile (the message has the compiler's
            first error), or a result differs from the definition.
    """
    if target.proxy:
        raise build_error(f"{target} is a proxy build, whose results are incorrect by design", "battery")
    tried: Counter[str] = Counter()
    for trial in trials(target, compiler):
        if not trial.right:
            raise _wrong(trial, target)
        tried[trial.row.op] += target.lanes
    return tried


def trials(target: Target, compiler: Compiler | None = None) -> Iterator[Trial]:
    """Yield the results of every row of ``target`` on ``COUNT`` vectors.

    If this CPU lacks features of the target, stand-ins emulate them.
    """
    library, rng = _compiled(target, compiler), random.Random(target.name)
    dtype = np.dtype(f"u{target.word // 8}")
    for i, row in enumerate(rows(target)):
        for _ in range(COUNT):
            vectors = inputs(row, target.lanes, rng, target.word)
            x = np.array([*vectors, [1] * target.lanes], dtype=dtype)
            y = np.zeros((len(OPS[row.op].results), target.lanes), dtype=dtype)
            library[f"row_{i}"](ctypes.c_void_p(y.ctypes.data), ctypes.c_void_p(x.ctypes.data))
            yield Trial(row, vectors, expected(row, vectors, target), y.tolist(), target.word)


def _compiled(target: Target, compiler: Compiler | None) -> ctypes.CDLL:
    missing = missing_features(target.features)
    flags, includes = ["-std=c99", *([] if missing else target.flags)], dict[str, str]()
    if missing:
        flags, includes = [*flags, "-DMOMAGEN_STANDINS"], stand_ins(target, missing)
    preludes = list(dict.fromkeys([*target.front, *target.prelude.values()]))
    head = templates().get_template("c/includes.j2").render(target=target, preludes=preludes)
    texts = [function(f"row_{i}", row, target) for i, row in enumerate(rows(target))]
    lines = [_line(row.op, target) for row in rows(target)]
    text = "\n".join([head, *map("\n".join, zip(lines, texts, strict=True))])
    return load(compile_shared(text, name="rows", flags=flags, includes=includes, compiler=compiler))


def _line(op: str, target: Target) -> str:
    """Return the directive that makes compilers name the row from which the next lines are generated."""
    file = str(target).split("/")[-1].removesuffix(".toml")
    table = "instructions" if op in target.instructions else "ops"
    return f'#line 1 "{file}.toml, [{table}] {op}"'


def _wrong(trial: Trial, target: Target) -> MomagenError:
    """Return the error for the first lane whose result is incorrect, with its complete inputs."""
    columns = (zip(*vectors, strict=True) for vectors in (trial.given, trial.wanted, trial.got))
    given, wanted, got = next(lane for lane in zip(*columns, strict=True) if lane[1] != lane[2])
    shown = [", ".join(f"{number:#x}" for number in numbers) for numbers in (wanted, got, given)]
    op = trial.row.op
    where = f"{target}, the row of {op}, for the inputs {shown[2]}"
    return MomagenError(f"{OPS[op].notation} = {shown[0]}", shown[1], where, whole=True)
