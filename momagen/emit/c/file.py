"""The functions of a program as C text, with all that stands in front of them."""

from __future__ import annotations

from momagen.lower.body.corrections import HELD
from momagen.lower.writer import ProgramWriter

from ..codes import CODES, UNKNOWN
from .functions import FunctionText, static
from .text import ChainSet, procedure_function, templates, word_numbers

ALWAYS = ("carry", "select")
"""Preludes that hand-written functions use, too."""
DOUBLES = ("radd", "rsub", "rfma", "real", "unreal")
"""Operations that round, or rely on exact sums of doubles."""


def numbers(writer: ProgramWriter) -> dict[str, object]:
    """What the template of every file asks for, when all functions are written."""
    a, chains = writer.arith, ChainSet()
    functions = _functions(writer, chains)
    return {
        "name": writer.spec.name, "upper": writer.spec.name.upper(), "target": writer.target, "words": a.words,
        "held": a.held, "bits": a.bits, "moduli": writer.moduli, "functions": functions,
        **word_numbers(writer.host),
        "preludes": _preludes(writer, chains), "codes": CODES, "unknown_code": UNKNOWN,
        "rounds": any(writer.operations[op] for op in DOUBLES),
    }  # fmt: skip


def _functions(writer: ProgramWriter, chains: ChainSet) -> list[str]:
    """Arrays of constants, then functions."""
    texts = [["", static(each, writer.host)] for each in writer.statics.values()]
    for function in writer.functions.values():
        target = writer.target if function.vector else writer.host
        texts.append(["", *FunctionText(function, target, writer.host, chains).lines()])
    return ["\n".join(text) for text in texts]


def _preludes(writer: ProgramWriter, chains: ChainSet) -> list[str]:
    """What stands in front: headers of targets and of operations in use, carry chains, procedures."""
    known = {**writer.host.prelude, **writer.target.prelude}
    files = sorted({name for what, name in known.items() if what in ALWAYS or writer.operations[what]})
    texts = [templates().get_template(name).render(word_numbers(writer.host)) for name in files]
    called = [
        procedure_function(procedure, target, chains)
        for target in (writer.target, writer.host)[: 1 + (writer.host is not writer.target)]
        for procedure in writer.procedures(target).made
    ]
    printed = templates().get_template("c/chains.h.j2").render(chains=sorted(chains), held=HELD)
    return texts + [printed] * bool(chains) + called
