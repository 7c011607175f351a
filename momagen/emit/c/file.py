"""A kernel's C file and header: functions as text, and what templates put around them."""

from __future__ import annotations

from dataclasses import replace

from momagen.ir import DOUBLE_OPS
from momagen.lower.body.corrections import HELD
from momagen.lower.kernels import Lowered
from momagen.targets.target import ALWAYS
from momagen.templates import templates

from ..codes import CODES, SIZED_CODES, UNKNOWN
from .functions import FunctionText, procedure_lines, static
from .interface import interface
from .words import ChainSet

ROW = "row"
"""Of several moduli, what the plan and the functions of one are called."""


def files(head: str, made: Lowered) -> tuple[str, str]:
    """The texts of both files."""
    spec, program, chains = made.spec, made.program, ChainSet()
    word, arith = made.writer.host.types["word"], made.writer.arith
    public = interface(spec, spec.name, made.moduli, word)
    single = replace(spec, basis=(), roots=())
    given = {
        "word": word, "word_bits": made.writer.host.word, **public, "public": public,
        "own": interface(single, ROW, "", word) if spec.basis else public, "functions": _functions(made, chains),
        "preludes": _preludes(made, chains), "spec": spec, "program": program, "head": head, "name": spec.name,
        "upper": spec.name.upper(), "target": made.writer.target, "words": arith.words, "held": arith.held,
        "codes": SIZED_CODES if spec.sized else CODES, "unknown_code": UNKNOWN, 
        "operands": (*spec.ranges.scalars, *spec.ranges.vectors), "result": spec.ranges.result,
        "pages": bool(program.room) or any(field.lined for field in program.kept),
        "rounds": any(made.operations[op] for op in DOUBLE_OPS),
    }  # fmt: skip
    source, header = (templates().get_template(f"c/{name}.j2").render(given) for name in ("kernel.c", "kernel.h"))
    return source, header


def _functions(made: Lowered, chains: ChainSet) -> list[str]:
    """Arrays of constants, then functions."""
    target, host = made.writer.target, made.writer.host
    texts = [["", static(each, host)] for each in made.program.statics.values()]
    for function in made.program.functions.values():
        texts.append(["", *FunctionText(function, target if function.vector else host, host, chains).lines()])
    return ["\n".join(text) for text in texts]


def _preludes(made: Lowered, chains: ChainSet) -> list[str]:
    """What stands in front: headers of targets and of operations in use, carry chains, procedures."""
    target, host = made.writer.target, made.writer.host
    known = {**host.prelude, **target.prelude}
    used = (known[what] for what in sorted(known) if what in ALWAYS or made.operations[what])
    texts = list(dict.fromkeys(used))
    called = [
        "\n".join(procedure_lines(procedure, of, chains))
        for of, procedures in zip((target, host), made.program.procedures, strict=True) for procedure in procedures
    ]  # fmt: skip
    printed = templates().get_template("c/chains.h.j2").render(chains=sorted(chains), held=HELD)
    return texts + [printed] * bool(chains) + called
