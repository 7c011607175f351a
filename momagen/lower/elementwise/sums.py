"""Programs of inner products: each lane sums products, and the elements that fill no vector are summed separately.

Sums have as many words as the products of a part need. At the end of a part, the sums are reduced one after
another and added.
"""

from __future__ import annotations

from momagen.ir import Block, Builder, Value, words
from momagen.kernels.elementwise.sums import SUM, ProductSums
from momagen.kinds.modular.derived.meaning import lacking_bits
from momagen.lower.body.layouts import SideBySide, layout_of
from momagen.lower.body.movement import stored, with_args
from momagen.lower.names import C, N, X, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Field, Function, Name, Program, Run, Store, Type

from .inverses import lanes_of

TERMS = ((1, 4), (4, 2))
"""The numbers of products that are added to a sum at once, each with the largest number of words for which it
is used.

Longer products are added one at a time."""
Y, SCALE = Name("y", Type.INPUT), Name("scale", Type.INPUT)
"""The second vector; and the factor of the sum, times R: it is R, or less in Montgomery form."""


def sums_program(writer: ProgramWriter) -> Program:
    """Return the program of a kernel that sums products."""
    arith, count = writer.arith, writer.arith.words
    lanes = lanes_of(writer)
    whole = ProductSums(arith, next((terms for most, terms in TERMS if count <= most), 1))
    _write_turns(writer, "add_products", whole, lanes)
    _write_turns(writer, "add_product", ProductSums(arith, 1), 1)
    for name in ("core_init", "modulus_fits"):
        writer.write(name)
    setup = writer.write("set_inverses", "setup", form=lacking_bits(writer.spec))
    writer.write("add_reduced", sum=whole.words, parts=-(-whole.words // count))
    group = lanes * whole.terms
    most = whole.most // whole.terms * group
    run = writer.write("run_sums", "run", sum=whole.words, lanes=lanes, group=group, most=most)
    kept = [Field(C.text, 3 * count, doc="q, 1/q mod R, R^2 mod q"), Field(SCALE.text, count, doc="factor of the sum")]
    return writer.program(setup=setup, run=run, kept=kept)


def _write_turns(writer: ProgramWriter, name: str, of: ProductSums, lanes: int) -> None:
    """Write the function ``name``(z, x, y, n), which adds n times ``of.terms`` vectors of products to the sums in z."""
    target = writer.target_of(lanes)
    memory = layout_of(target, of.arith.words, lanes, moves=True)
    block, taken, rows, given = _body(writer, of, memory)
    f = Function(name, (Z, X, Y, N), vector=target.vector, copies="apart")
    with f.each("i", N):
        f.load(SUM, taken, Z, 0, lanes)
        for i, (x, y) in enumerate(rows):
            f.add(*memory.load(X, x, i), *memory.load(Y, y, i))
        f.add(Run(block), Store(given, Z, 0, lanes))
        for pointer in (X, Y):
            f.step(pointer, of.terms * lanes * of.arith.words)
    writer.put(f)


Registers = list[Value]


def _body(
    writer: ProgramWriter, of: ProductSums, memory: SideBySide
) -> tuple[Block, Registers, list[tuple[Registers, Registers]], Registers]:
    """Return the block on registers, and the registers that it loads and stores.

    They are the registers of the loaded sum, those of every pair of vectors as loaded, and those of the
    stored sum.
    """
    target = writer.target_of(memory.lanes)
    lowered, size, before = writer.lower(of.codelet(), target), target.word, Builder()
    swap, rows = dict[int, Value](), list[tuple[Registers, Registers]]()
    for i in range(of.terms):
        pair = []
        for name in "xy":
            raw = [before.input(f"{name}{i}_{w}", 0, (1 << size) - 1) for w in range(memory.registers)]
            olds = words(lowered.inputs[f"{name}{i}"], size, of.arith.words)
            swap |= {
                id(old): new for old, new in zip(olds, memory.arrive(before, raw), strict=True) if not old.is_const
            }
            pair.append(raw)
        rows.append((pair[0], pair[1]))
    taken, given = (words(place[SUM], size, of.words) for place in (lowered.inputs, lowered.outputs))
    instrs = before.block.instrs + [with_args(instr, swap) for instr in lowered.instrs]
    body = stored(instrs, [], [[swap.get(id(v), v) for v in given]], {})
    return body.block, taken, rows, body.stores[0]
