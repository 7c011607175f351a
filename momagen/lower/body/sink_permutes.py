"""The move of permutes behind sums: P·x + P·y = P·(x + y) for a permutation P of lanes, with one permute less."""

from __future__ import annotations

from collections.abc import Callable

from momagen.ir import Block, Builder, Instr, Value, const

from .movement import Body, stored

PLAIN = {"addlo": "addlo", "sublo": "sublo", "addclo": "addlo", "subblo": "sublo"}
"""The operation without a carry, for each sum and difference."""
CARRY = {"addclo": "inc", "subblo": "dec"}
"""The operation that adds (or subtracts) only the carry."""


def sunk(body: Body, has: Callable[[str], bool]) -> Body:
    """Return ``body`` with its permutes after sums and differences, if that needs fewer instructions.

    A body that calls procedures is returned unchanged, since the cost of a permute is negligible next to
    their products.

    Args:
        body: The body.
        has: A function that returns whether the target has an operation.
    """
    if any(instr.procedure for instr in body.block.instrs):
        return body
    moving = _Sinker(body, has)
    stores = [[moving.known.get(id(v), v) for v in row] for row in body.stores]
    found = stored(moving.b.block.instrs, body.loads, stores, body.others)
    return found if _steps(found.block) < _steps(body.block) else body


def _steps(block: Block) -> int:
    """Return the number of instructions on a vector machine, which needs one more to add a carry."""
    return sum(1 + (PLAIN.get(instr.op, instr.op) != instr.op) for instr in block.instrs)


class _Sinker:
    """A builder of the block with permutes after sums."""

    def __init__(self, body: Body, has: Callable[[str], bool]) -> None:
        self.b, self.known = Builder(has), dict[int, Value]()
        self.differences: dict[tuple[int, ...], Value] = {}
        for instr in body.block.instrs:
            made = self._again(instr, [self.known.get(id(a), a) for a in instr.args])
            self.known.update((id(old), new) for old, new in zip(instr.results, made, strict=True))

    def _again(self, instr: Instr, args: list[Value]) -> tuple[Value, ...]:
        op, w, pair = instr.op, instr.w, (id(args[0]), id(args[-1]))
        if op == "lt" and pair in self.differences:  # a < b is equivalent to a < a - b, and nothing else reads b
            return self.b.emit("lt", w, args[0], self.differences[pair])
        if op not in PLAIN or not self._alike(*args[:2]):
            return self.b.emit(op, w, *args, k=instr.k, lanes=instr.lanes)
        total = self._sum(PLAIN[op], w, *args[:2])
        if op == "sublo":
            self.differences[pair] = total
        if op == PLAIN[op]:
            return (total,)
        alone = self.b.has(CARRY[op])
        return self.b.emit(CARRY[op], w, total, args[2]) if alone else self.b.emit(op, w, total, const(0), args[2])

    def _alike(self, x: Value, y: Value) -> bool:
        """Return whether both values are results of the same permutation."""
        a, b = self.b.maker(x), self.b.maker(y)
        return a is not None and b is not None and a.op == b.op == "perm2" and a.lanes == b.lanes

    def _sum(self, op: str, w: int, x: Value, y: Value) -> Value:
        if not self._alike(x, y):
            return self.b.one(op, w, x, y)
        a, b = self.b.maker(x), self.b.maker(y)
        assert a is not None and b is not None
        parts = [self._sum(op, w, *pair) for pair in zip(a.args, b.args, strict=True)]
        return self.b.emit("perm2", w, *parts, lanes=a.lanes)[0]
