"""Loops over numbers that stand across lanes: registers hold what memory does, and nothing moves."""

from __future__ import annotations

from momagen.ir import Block, Instr, Value
from momagen.kernels.frame import Elementwise
from momagen.rewrite import Group, look_ahead

from .c import BodyText, Place, templates
from .loop import offsets
from .source import Writer


def write_across_loop(writer: Writer, name: str, codelet: Elementwise) -> None:
    """Write ``void name(z, x, y, c, n)``: n groups of residues in the user's layout; c holds the constants."""
    target, words = writer.target, writer.arith.words
    group = look_ahead(codelet.block, target.word, words, target.lanes, writer.trace)
    writer.operations += group.block.counts()
    text, size = BodyText(target, writer.chains), target.lanes * len(group.result)
    used = {id(a) for instr in group.block.instrs for a in instr.args}
    constants: list[str] = []
    for key, offset in zip(codelet.constants, offsets(codelet), strict=True):
        rows = group.inputs.get(key, [])
        if any(id(row) in used for row in rows):
            constants += [f"uint64_t {key}[{size}];", f"mg_repeat({key}, {size}, c + {offset}, {words});"]
            constants += text.load(key, rows, Place(key, 0, target.lanes))
    once, each = _parts(group, codelet)
    constants += text.instructions(once)
    lines = [
        line for key in codelet.vectors for line in text.load(key, group.inputs[key], Place(key, 0, target.lanes))
    ]  # fmt: skip
    lines += text.instructions(each)
    lines += text.store(group.result, Place("z", 0, target.lanes))
    writer.texts[name] = templates().get_template("c/loop.c.j2").render(
        name=name, attribute="MG_SIMD " if target.attribute else "", advance=size, vectors=codelet.vectors,
        constants=constants, lines=lines, unroll=writer.unroll, fetched=None,
    )  # fmt: skip


def _parts(group: Group, codelet: Elementwise) -> tuple[Block, Block]:
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
