"""Sums of products become chains of multiply-adds: one pass over a block, where the machine has the operation.

A tree of sums whose inner nodes nobody else reads is one sum of many terms. Its products go into chains of at most
``longest``, each started from a term that is no product, what is ready early first. An operation that reads only the
low bits of a digit needs no mask before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from momagen.ir import OPS, Block, Instr, Value, const, dead_code, leaves

FUSED = {"mullo": "fmalo", "mulhi": "fmahi"}
LATENCY = {**dict.fromkeys(FUSED.values(), 4), **dict.fromkeys(("umin", "umax", "perm2"), 3)}
"""Cycles until a result is ready, where that is not one: what comes late is added last."""
PATIENCE = 14
"""Cycles that a chain may add behind a term it starts from, which saves an addition."""
ZERO = const(0)


class _Sums:
    """The block with its sums flattened."""

    def __init__(self, block: Block, width: int, longest: int, ready: Mapping[int, int]) -> None:
        self.block, self.width, self.longest = block, width, longest
        self.makers = {id(r): i for i in block.instrs for r in i.results}
        self.outputs = {id(v) for value in block.outputs.values() for v in leaves(value)}
        self.readers: dict[int, list[Instr]] = defaultdict(list)
        for instr in block.instrs:
            for a in instr.args:
                self.readers[id(a)].append(instr)
        self.ready: dict[int, int] = defaultdict(int, ready)
        self.instrs: list[Instr] = []

    def run(self) -> Block:
        for instr in self.block.instrs:
            if instr.op == "plus":
                if not self._inner(instr):
                    self._sum(instr)
            elif not (instr.op in FUSED and self._inner(instr)):
                self._keep(instr)
        return dead_code(Block(self.block.inputs, self.instrs, self.block.outputs))

    def _inner(self, instr: Instr) -> bool:
        """Return whether a sum is the only reader; products by a number may have several, each of which makes its own.

        A number with equal digits has equal products, which would cost one operation more than their additions: a
        multiply-add takes no more than an addition.
        """
        (result,) = instr.results
        readers = [reader.op for reader in self.readers[id(result)]]
        repeats = instr.op in FUSED and any(a.is_const for a in instr.args)
        return id(result) not in self.outputs and set(readers) == {"plus"} and (len(readers) == 1 or repeats)

    def _terms(self, value: Value, root: bool = False) -> list[Value]:
        maker = self.makers.get(id(value))
        if maker is None or maker.op != "plus" or not (root or self._inner(maker)):
            return [value]
        return [t for a in maker.args for t in self._terms(a)]

    def _sum(self, instr: Instr) -> None:
        (result,) = instr.results
        terms = self._terms(result, root=True)
        products = [t for t in terms if (m := self.makers.get(id(t))) is not None and m.op in FUSED and self._inner(m)]
        alone = {id(t) for t in products}
        others = [t for t in terms if id(t) not in alone]
        products.sort(key=lambda t: max(self.ready[id(a)] for a in self.makers[id(t)].args))
        count = -(-len(products) // self.longest)
        others.sort(key=lambda t: self.ready[id(t)])
        early = [t for t in others if not self._late(t, products)]
        sums = (early + [ZERO] * count)[:count]
        rest = [*early[count:], *(t for t in others if self._late(t, products))]
        for at, product in enumerate(products):
            maker = self.makers[id(product)]
            sums[at % count] = self._new(FUSED[maker.op], self.width, (sums[at % count], *maker.args))
        while len(sums) + len(rest) > 1:
            a, b = (sums + rest)[:2]
            sums, rest = [*(sums + rest)[2:], self._new("plus", self.width, (a, b))], []
        last = self.instrs.pop()
        self.instrs.append(self._timed(Instr(last.op, last.w, last.args, (result,), last.k)))

    def _late(self, term: Value, products: list[Value]) -> bool:
        """Whether ``products`` had better not wait for ``term``: it is added at the end instead."""
        start = max((self.ready[id(a)] for t in products[:1] for a in self.makers[id(t)].args), default=0)
        return LATENCY["fmalo"] * len(products) > PATIENCE and self.ready[id(term)] > start

    def _new(self, op: str, w: int, args: tuple[Value, ...]) -> Value:
        ((lo, hi),) = OPS[op].bounds(w, 0, *(a.interval for a in args))
        value = Value(lo, hi)
        self.instrs.append(self._timed(Instr(op, w, args, (value,))))
        return value

    def _keep(self, instr: Instr) -> None:
        if instr.op in FUSED:
            instr = Instr(FUSED[instr.op], instr.w, (ZERO, *instr.args), instr.results)
        self.instrs.append(self._timed(instr))

    def _timed(self, instr: Instr) -> Instr:
        """``instr``, its results ready so many cycles after its arguments."""
        start = max((self.ready[id(a)] for a in instr.args), default=0)
        self.ready.update((id(r), start + LATENCY.get(instr.op, 1)) for r in instr.results)
        return instr


def accumulate(block: Block, width: int, longest: int, ready: Mapping[int, int] | None = None) -> Block:
    """``block`` with multiply-adds, then without the masks that they make needless.

    Args:
        ready: when inputs are there, by their id, where that is not at once.
    """
    return unmasked(_Sums(block, width, longest, ready or {}).run(), width)


def unmasked(block: Block, width: int) -> Block:
    """Factors of multiply-adds as they were before ``mod 2^width``, what only factors are made of, and what a shift
    makes lose more."""
    makers = {id(r): i for i in block.instrs for r in i.results}
    others = {id(a) for i in block.instrs for a in (i.args[:1] if i.op in FUSED.values() else i.args)}
    others |= {id(v) for value in block.outputs.values() for v in leaves(value)}

    made: dict[int, Value] = {}

    def bare(value: Value) -> Value:
        maker = makers.get(id(value))
        value = maker.args[0] if maker is not None and maker.op == "low" and maker.k == width else value
        return made.get(id(value), value)

    def freed(instr: Instr) -> Instr:
        if instr.op in FUSED.values():
            return replace(instr, args=(instr.args[0], *map(bare, instr.args[1:])))
        if (instr.op == "shl" and instr.k + width >= instr.w) or (instr.op == "bit" and instr.k < width):
            return replace(instr, args=(bare(instr.args[0]),))
        if instr.op == "shrd" and instr.k <= width:
            return replace(instr, args=(bare(instr.args[0]), instr.args[1]))
        if instr.op != "clear" or id(instr.results[0]) in others or instr.args[0] is bare(instr.args[0]):
            return instr
        (bounds,) = OPS[instr.op].bounds(instr.w, instr.k, bare(instr.args[0]).interval)
        made[id(instr.results[0])] = result = Value(*bounds)
        return replace(instr, args=(bare(instr.args[0]),), results=(result,))

    return dead_code(Block(block.inputs, [freed(instr) for instr in block.instrs], block.outputs))
