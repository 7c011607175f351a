"""Small C functions of two words and a flag, which are executed on the prover and on the CPU."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.source import COMPILERS, parse, preprocess
from momagen.prove.c.statements import Program
from momagen.prove.c.types import WORD, Integer
from momagen.prove.facts import Path as Decisions
from support.concrete import RecordingFacts

HEAD = """#include <stddef.h>
#include <stdint.h>
__extension__ typedef unsigned __int128 u128;
"""
EDGES = [0, 1, 2, 5, 255, 256, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1]


def compiled(folder: Path, text: str) -> ctypes.CDLL:
    """Compile a function with gcc, and load it."""
    (folder / "f.c").write_text(text, encoding="utf-8")
    command = ["gcc", "-O2", "-w", "-shared", "-fPIC", "f.c", "-o", "f.so"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "f.so"))


def executed(path: Path) -> list[tuple[RecordingFacts, list[Number]]]:
    """Execute the function on unknown arguments, and return the facts and results of each path."""
    source = parse(preprocess(path, COMPILERS["gcc, x86-64"]))
    decisions: Decisions | None = Decisions()
    runs = []
    while decisions is not None:
        facts = RecordingFacts(2, 3, decisions)
        program, words = Program(source, facts), facts.words
        results = program.new_array("r", WORD, 4)
        for i in range(4):
            results.store(words.constant(i), Number(WORD, words.constant(0)), facts)
        numbers = [Number(WORD, words.variable(name, 0, (1 << 64) - 1)) for name in "ab"]
        flag = Number(Integer(8), words.variable("c", 0, 1))
        program.call("f", [Pointer(results, words.constant(0)), *numbers, flag])
        runs.append((facts, [results.load(words.constant(i), facts) for i in range(4)]))
        decisions = decisions.following()
    return runs
