"""Moves of lanes after sums: x and y moved and then added are x + y moved, which is one move less."""

from __future__ import annotations

from dataclasses import replace

from momagen.ir import Block, Builder, Instr, Value, dead_code

from .body import Body

LANEWISE = ("addlo", "sublo")


def sunk(body: Body) -> Body:
    """``body`` with moves after its sums and differences, where that leaves fewer instructions."""
    moving = _Sinker(body)
    stores = [[moving.known.get(id(v), v) for v in row] for row in body.stores]
    outputs = {f"{i}_{w}": v for i, row in enumerate(stores) for w, v in enumerate(row)}
    block = dead_code(Block({}, moving.b.block.instrs, outputs))
    return replace(body, block=block, stores=stores) if len(block.instrs) < len(body.block.instrs) else body


class _Sinker:
    """Builds the block anew."""

    def __init__(self, body: Body) -> None:
        self.b, self.known = Builder(), dict[int, Value]()
        for instr in body.block.instrs:
            self._copy(instr)

    def _copy(self, instr: Instr) -> None:
        args = [self.known.get(id(a), a) for a in instr.args]
        if instr.op in LANEWISE:
            made: tuple[Value, ...] = (self._sum(instr.op, instr.w, *args),)
        else:
            made = self.b.emit(instr.op, instr.w, *args, k=instr.k, lanes=instr.lanes)
        self.known.update((id(old), new) for old, new in zip(instr.results, made, strict=True))

    def _sum(self, op: str, w: int, x: Value, y: Value) -> Value:
        a, b = self.b.maker(x), self.b.maker(y)
        if a is None or b is None or a.op != "perm2" or (a.op, a.lanes) != (b.op, b.lanes):
            return self.b.one(op, w, x, y)
        parts = [self._sum(op, w, *pair) for pair in zip(a.args, b.args, strict=True)]
        return self.b.emit("perm2", w, *parts, lanes=a.lanes)[0]
