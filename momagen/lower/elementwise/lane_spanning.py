"""Loops over numbers that stand across lanes: registers hold what memory does, and nothing moves."""

from __future__ import annotations

from momagen.ir import Block, Instr, Value
from momagen.kernels.elementwise.frame import Elementwise
from momagen.lower.names import C, Z
from momagen.lower.writer import ProgramWriter
from momagen.rewrite import LaneGroup, look_ahead

from .loops import begun, offsets, over_elements, vector


def write_across_loop(writer: ProgramWriter, name: str, codelet: Elementwise) -> None:
    """Write ``name``(z, x, y, c, n): n groups of residues in the user's layout; c holds the constants."""
    target, words = writer.target, writer.arith.words
    group = look_ahead(codelet.block, target.word, words, target.lanes, writer.trace)
    writer.operations += group.block.counts()
    f, size = begun(name, codelet.vectors, target), target.lanes * len(group.result)
    used = {id(a) for instr in group.block.instrs for a in instr.args}
    for key, offset in zip(codelet.constants, offsets(codelet), strict=True):
        rows = group.inputs.get(key, [])
        if any(id(row) in used for row in rows):
            repeated = f.array(key, size)
            with f.each("i", size // words) as i:
                f.copy(repeated + i * words, C + offset, words)
            f.load(key, rows, repeated, 0, target.lanes)
    once, each = _parts(group, codelet)
    f.run(once)
    with over_elements(writer, f, codelet.vectors, size):
        for key in codelet.vectors:
            f.load(key, group.inputs[key], vector(key), 0, target.lanes)
        f.run(each)
        f.store(group.result, Z, 0, target.lanes)
    writer.put(f)


def _parts(group: LaneGroup, codelet: Elementwise) -> tuple[Block, Block]:
    """What constants alone decide, and what every group of numbers takes."""
    vary = {id(row) for key in codelet.vectors for row in group.inputs[key]}
    once, each = list[Instr](), list[Instr]()
    for instr in group.block.instrs:
        if any(id(a) in vary for a in instr.args):
            vary.update(map(id, instr.results))
            each.append(instr)
        else:
            once.append(instr)
    asked: list[Value] = [a for instr in each for a in instr.args] + group.result
    return Block({}, once, {str(i): value for i, value in enumerate(asked)}), Block({}, each, group.block.outputs)
