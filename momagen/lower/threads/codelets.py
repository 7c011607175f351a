"""Codelets as functions of a device, with residues in arrays that become registers, and twiddles from a table."""

from __future__ import annotations

from momagen.ir import words
from momagen.kernels.butterflies.codelets import Codelet
from momagen.lower.names import TABLES, C
from momagen.program import Function, Name, Type

from .writer import DeviceWriter


def write_codelet(writer: DeviceWriter, codelet: Codelet, scaled: bool) -> str:
    """Write the function f(x0, x1, …, c, table, step) of a codelet, unless it exists, and return its name.

    Consecutive twiddles are ``step`` words apart in the table. A quotient follows its twiddle after half a
    step.

    Args:
        writer: The writer of the program.
        codelet: The codelet.
        scaled: Whether twiddle 0 is in the table.
    """
    name, new = writer.named(id(codelet), "codelet")
    if not new:
        return name
    block, size, word = writer.lower(codelet.block, writer.target), writer.arith.words, writer.arith.word
    xs = [Name(f"x{i}", Type.WORDS) for i in range(codelet.radix)]
    step = Name("step")
    f = Function(name, (*xs, C, TABLES, step), copies="inline")
    for key in sorted(block.inputs, key=lambda key: (key[0] != "x", key)):
        value = block.inputs[key]
        if value.is_const:
            continue
        if key[0] == "x":
            f.load(key, words(value, word, size), xs[int(key[1:])])
        elif key in writer.kept:
            f.load(key, words(value, word, size), C, writer.kept[key])
        else:
            t = int(key[1:]) - (not scaled)
            f.load(key, words(value, word, size), TABLES + (step * t + (step >> 1) * (key[0] == "u")))
    f.run(block)
    for i, x in enumerate(xs):
        f.store(words(block.outputs[f"y{i}"], word, size), x)
    return writer.put(f)
