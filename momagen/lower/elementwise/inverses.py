"""Programs of batch inversion: forward and backward chains of products, one for each lane, several of them interleaved.

Vectors are processed in blocks. The last products of all chains of a block, and the elements that fill no
vector, are inverted by another chain, whose last product is raised to the power q - 2. The prefix products
are stored in the layout of registers, and so are the factors of each backward chain.
"""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Builder
from momagen.kernels.elementwise.blas import lanes_for
from momagen.kernels.elementwise.codelet import Elementwise
from momagen.kernels.elementwise.inverses import BACKWARD, FORWARD, InverseCodelet, backward, forward
from momagen.lower.body.layouts import SideBySide, halves_pay, layout_of, named
from momagen.lower.body.movement import Grid, bare_body, moved_body
from momagen.lower.names import C, N, X, Z
from momagen.lower.writer import ProgramWriter
from momagen.program import Field, Function, Load, Name, Program, Run, Store, Type, Woven
from momagen.program.statements import Body

from .body import Elements, constants
from .constants import Constants

SHARE = 4
"""The prefix products of a block fill one part in ``SHARE`` of the second-level cache. The cost of one inversion
per block is then small."""
CHAINS = ((1, 4), (2, 2))
"""The numbers of interleaved chains of vectors, each with the largest number of words for which it is used.

A longer product occupies the machine by itself."""
T, U, P = Name("t", Type.WORDS), Name("u", Type.WORDS), Name("p", Type.INPUT)
"""The prefix products that are written, the factors of the backward chains, and the prefix products that are
read."""
SCALE = Name("scale", Type.INPUT)
"""The factor of all results: 1, or R^2 in Montgomery form with the form's R."""


def inverses_program(writer: ProgramWriter) -> Program:
    """Return the program of a kernel that computes inverses."""
    return _InversesWriter(writer).program()


def lanes_of(writer: ProgramWriter) -> int:
    """Return the number of lanes for which products of whole words are faster than scalar ones.

    With few registers, it is 1 unless residues have one word.
    """
    target, arith = writer.target, writer.arith
    if not target.many_registers and arith.words > 1:
        return 1
    return lanes_for(writer.spec.codelet(arith), arith, target.lanes, halves_pay(target, arith.words), target.widest)


class _InversesWriter:
    """A writer of the functions.

    Attributes:
        writer: The writer of the program.
        arith: The arithmetic modulo q.
        count: The number of words of a residue.
        lanes: The number of residues of a vector.
        turns: The number of interleaved vectors.
        chains: The number of chains.
        block: The number of residues of a block.
    """

    def __init__(self, writer: ProgramWriter) -> None:
        self.writer, self.arith, self.count = writer, writer.arith, writer.arith.words
        self.lanes = lanes_of(writer)
        self.turns = next((n for most, n in CHAINS if self.count <= most), 1)
        self.chains = self.lanes * self.turns
        words = writer.target.second.bytes * 8 // writer.target.word // SHARE
        self.block = words // self.count // self.chains * self.chains

    def program(self) -> Program:
        """Return the program."""
        writer, count, chains = self.writer, self.count, self.chains
        for lanes, turns, end in dict.fromkeys([(self.lanes, self.turns, ""), (1, 1, "_1")]):
            self._write(f"forward{end}", forward(self.arith), FORWARD, lanes, turns, down=False)
            self._write(f"backward{end}", backward(self.arith), BACKWARD, lanes, turns, down=True)
        form = 2 * writer.spec.form
        for name in ("core_init", "modulus_fits"):
            writer.write(name)
        setup = writer.write("set_inverses", "setup", form=form)
        writer.write("power_of_inverse", bits=self.arith.bits)
        run = writer.write("run_inverses", "run", block=self.block, chains=chains, lanes=self.lanes)
        words = (self.block + 8 * chains + 4) * count
        constants = Field(C.text, 3 * count, doc="q, 1/q mod R, R^2 mod q")
        kept = [constants, Field(SCALE.text, count, doc="factor of all results")]
        return writer.program(setup=setup, run=run, kept=kept, room=[Field(T.text, words)])

    def _elements(self, builder: Builder, of: InverseCodelet, lanes: int) -> tuple[Elements, Grid]:
        """Return the body on vectors of ``lanes`` residues, and the registers that are stored, by result."""
        writer, count = self.writer, self.count
        target = writer.target_of(lanes)
        memory = layout_of(target, count, lanes, moves=True)
        lowered = writer.lower(builder.block, target)
        body = bare_body(lowered, list(of.vectors), list(of.results), count, target.word)
        if memory.moves:
            last = len(of.vectors) - 1

            def arrive(b: Builder, grid: Grid) -> Grid:
                return [memory.arrive(b, row) if i == last else row[:count] for i, row in enumerate(grid)]

            def leave(b: Builder, grid: Grid) -> Grid:
                return [memory.leave(b, grid[0]), *grid[1:]] if len(grid) > 1 else grid

            body = moved_body(body, target.word, arrive, leave, memory.registers)
        elements = Elements(
            body.block, memory, dict(zip(of.vectors, body.loads, strict=True)), [v for row in body.stores for v in row],
            constants(writer, _codelet(builder, of), body.others),
        )  # fmt: skip
        return elements, body.stores

    def _write(
        self, name: str, builder: Builder, of: InverseCodelet, lanes: int, turns: int, *, down: bool
    ) -> None:  # fmt: skip
        """Write the function ``name``, which processes n times ``turns`` vectors.

        Args:
            name: The name of the function.
            builder: The builder with the codelet.
            of: The operands and results of the codelet.
            lanes: The number of residues of a vector.
            turns: The number of interleaved vectors.
            down: Whether the vectors are processed from the last to the first.
        """
        writer, plain = self.writer, SideBySide(self.count, lanes)
        target = writer.target_of(lanes)
        first, stores = self._elements(builder, of, lanes)
        size, at = turns * lanes * self.count, Constants(writer, first.constants).at
        params = (Z, U, P, X, C, N) if down else (Z, P, X, C, N)
        f = Function(name, params, vector=target.vector, copies="apart")
        for constant, values in first.constants.items():
            f.load(constant.name, values, C, at[constant], 1, target.vector)
        sizes = [len(row) for row in stores]
        with f.each("i", N, down=down) as i:
            places: dict[str, Name] = {"u": U}
            for key, pointer in (("t", P), ("x", X), ("z", Z)):
                places[key] = f.let(f"{key}_at", pointer + i * size, pointer.type)
            parts = [self._one(each, turn, places, sizes, plain) for turn, each in enumerate(_turns(first, turns))]
            f.add(*([Woven(parts)] if turns > 1 else parts[0]))
        writer.put(f)

    def _one(
        self, elements: Elements, turn: int, places: dict[str, Name], sizes: Sequence[int], plain: SideBySide
    ) -> Body:  # fmt: skip
        """Return the statements for vector number ``turn``."""
        memory, found = elements.memory, Body()
        for key, row in elements.loads.items():
            if key == "x":
                found += memory.load(places[key], row, turn)
            else:
                found.append(
                    Load(named(Name(key), turn), row[: self.count], places[key], _at(plain, turn), plain.lanes)
                )
        found.append(Run(elements.block))
        z, u = elements.stores[: sizes[0]], elements.stores[sizes[0] :]
        if not u:
            return [*found, Store(z, places["z"], _at(plain, turn), plain.lanes)]
        return [*found, *memory.store(places["z"], z, turn), Store(u, places["u"], _at(plain, turn), plain.lanes)]


def _at(plain: SideBySide, turn: int) -> int:
    return turn * plain.words * plain.lanes


def _turns(first: Elements, turns: int) -> list[Elements]:
    return [first, *(first.again() for _ in range(turns - 1))]


def _codelet(builder: Builder, of: InverseCodelet) -> Elementwise:
    return Elementwise(builder.block, dict.fromkeys(of.vectors, 0), 1)
