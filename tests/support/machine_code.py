"""Small functions in assembly for x86-64, which are executed on the prover and on the CPU."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.types import WORD
from momagen.prove.claims import OPERATIONS, Claim
from momagen.prove.facts import Path as Decisions
from momagen.prove.machine.contents import Entry, Return, hold
from momagen.prove.machine.image import Image
from momagen.prove.machine.induction import Executor
from momagen.prove.machine.kernel import SAVED, CompiledSource, MachineKernel
from support.concrete import RecordingFacts

WORDS = 8
VECTOR_FRAME = """
    .globl {name}
    .type {name}, @function
{name}:
{body}
    ret
    .size {name}, .-{name}
"""
REGISTERS = ("rax", "rbx", "rcx", "rdx")
FRAME = """
    .globl {name}
    .type {name}, @function
{name}:
    push %rbx
{load}
{body}
{store}
    pop %rbx
    ret
    .size {name}, .-{name}
"""


def assembled(folder: Path, bodies: Mapping[str, str], data: str = "", frame: str = FRAME) -> Path:
    """Assemble functions of an array of words, the first four of which are in registers, into a shared object.

    Args:
        folder: The folder for it.
        bodies: The instructions of each function by its name, without a return.
        data: Further directives, such as constants.
        frame: What surrounds the instructions of a function.
    """
    load = "\n".join(f"    mov {8 * i}(%rdi), %{name}" for i, name in enumerate(REGISTERS))
    store = "\n".join(f"    mov %{name}, {8 * i}(%rdi)" for i, name in enumerate(REGISTERS))
    functions = [frame.format(name=name, body=body, load=load, store=store) for name, body in bodies.items()]
    text = ".text\n" + "".join(functions) + data + '\n.section .note.GNU-stack,"",@progbits\n'
    (folder / "f.s").write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-shared", "-fPIC", "f.s", "-o", "f.so"], cwd=folder, check=True)
    return folder / "f.so"


def on_cpu(library: ctypes.CDLL, name: str, words: list[int]) -> list[int]:
    """Return the words of the array after a function was called."""
    array = (ctypes.c_uint64 * len(words))(*words)
    getattr(library, name)(array)
    return [*array]


def executed(
    image: Image, name: str, *, is_secret: bool, length: int = WORDS
) -> Iterator[tuple[RecordingFacts, list[Any]]]:
    """Execute a function on unknown words; yield the facts and the resulting words of each path.

    Args:
        image: The shared object.
        name: The function.
        is_secret: Whether the words are secret.
        length: The number of words.
    """
    for decisions in Decisions.every():
        facts = RecordingFacts(2, 3, decisions)
        source = CompiledSource({}, {}, {}, {}, {}, image=image)
        program = MachineKernel(source, Claim("f", OPERATIONS["vadd"], 60, 1), facts)
        array = program.new_array("r", WORD, length)
        for i in range(length):
            word = facts.words.variable(f"word {i}", 0, (1 << 64) - 1)
            if is_secret:
                facts.secrets.add(facts.words.number_of(word))
            array.store(facts.words.constant(i), Number(WORD, word), facts)
        program.cpu = cpu = Executor(program, image)
        hold(cpu.registers["rdi"], Pointer(array, facts.words.constant(0)))
        for saved in SAVED:
            hold(cpu.registers[saved], Entry(saved))
        hold(cpu.space.slot(0), Return(None))
        cpu.run(image.function(name).start)
        yield facts, [array.load(facts.words.constant(i), facts).value for i in range(length)]
