"""A pass that turns sums of products into chains of multiply-adds, for machines that have this operation.

A tree of additions whose inner nodes have no other readers is one sum of several terms. Its products become
chains of at most ``longest`` multiply-adds each. A chain starts from a term that is not a product, and begins
with the operands that are ready first. An operation that reads only the low bits of a limb needs no mask
before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from momagen.ir import OPS, Block, Instr, Value, const, dead_code, leaves

FUSED = {"mullo": "fmalo", "mulhi": "fmahi"}
"""The multiply-adds by the product that they add."""
LATENCY = {**dict.fromkeys(FUSED.values(), 4), **dict.fromkeys(("umin", "umax", "perm2"), 3)}
"""The latencies of operations in cycles, if they are not 1. Operands that are ready late are added last."""
PATIENCE = 14
"""The largest latency in cycles of products that wait for the term from which they start, which saves an
addition."""
ZERO = const(0)


class _Sums:
    """A block whose sums are rewritten.

    Attributes:
        block: The block.
        width: The number of bits of a limb.
        longest: The largest number of multiply-adds of a chain.
        makers: The instruction that defines each value, by its id.
        outputs: The ids of the words of the outputs.
        readers: The instructions that read each value, by its id.
        ready: The cycle in which each value is ready, by its id.
        instrs: The new instructions.
    """

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
        """Return the rewritten block."""
        for instr in self.block.instrs:
            if instr.op == "plus":
                if not self._inner(instr):
                    self._sum(instr)
            elif not (instr.op in FUSED and self._inner(instr)):
                self._keep(instr)
        return dead_code(Block(self.block.inputs, self.instrs, self.block.outputs))

    def _inner(self, instr: Instr) -> bool:
        """Return whether the only reader of an instruction is a sum, which can absorb it.

        Products by a constant may have several readers, each of which computes the product again. A constant
        with equal limbs has equal products; sharing them would take one more operation, since a multiply-add
        costs no more than an addition.
        """
        (result,) = instr.results
        readers = [reader.op for reader in self.readers[id(result)]]
        repeats = instr.op in FUSED and any(a.is_const for a in instr.args)
        return id(result) not in self.outputs and set(readers) == {"plus"} and (len(readers) == 1 or repeats)

    def _terms(self, value: Value, root: bool = False) -> list[Value]:
        """Return the terms of a sum."""
        maker = self.makers.get(id(value))
        if maker is None or maker.op != "plus" or not (root or self._inner(maker)):
            return [value]
        return [t for a in maker.args for t in self._terms(a)]

    def _sum(self, instr: Instr) -> None:
        """Append the instructions of a sum."""
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
        """Return whether a term should be added at the end, because too many products would wait for it."""
        start = max((self.ready[id(a)] for t in products[:1] for a in self.makers[id(t)].args), default=0)
        return LATENCY["fmalo"] * len(products) > PATIENCE and self.ready[id(term)] > start

    def _new(self, op: str, w: int, args: tuple[Value, ...]) -> Value:
        """Append an operation, and return its result."""
        ((lo, hi),) = OPS[op].bounds(w, 0, *(a.interval for a in args))
        value = Value(lo, hi)
        self.instrs.append(self._timed(Instr(op, w, args, (value,))))
        return value

    def _keep(self, instr: Instr) -> None:
        """Append an instruction that is no sum. A product becomes a multiply-add to 0."""
        if instr.op in FUSED:
            instr = Instr(FUSED[instr.op], instr.w, (ZERO, *instr.args), instr.results)
        self.instrs.append(self._timed(instr))

    def _timed(self, instr: Instr) -> Instr:
        """Record when the results of an instruction are ready, and return the instruction."""
        start = max((self.ready[id(a)] for a in instr.args), default=0)
        self.ready.update((id(r), start + LATENCY.get(instr.op, 1)) for r in instr.results)
        return instr


def accumulate(block: Block, width: int, longest: int, ready: Mapping[int, int] | None = None) -> Block:
    """Return a block with multiply-adds, without the masks that they make unnecessary.

    Args:
        block: The block.
        width: The number of bits of a limb.
        longest: The largest number of multiply-adds of a chain.
        ready: The cycles in which inputs are ready, by their ids. All others are ready at once.
    """
    return unmasked(_Sums(block, width, longest, ready or {}).run(), width)


def unmasked(block: Block, width: int) -> Block:
    """Return a block without the masks ``mod 2^width`` of values of which only the low bits are read.

    These are factors of multiply-adds, values from which only factors are computed, and values whose upper
    bits a shift discards.
    """
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
