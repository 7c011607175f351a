"""Element-wise kernels on a device, in which neighbouring threads process neighbouring elements.

The constants of q are in the plan. The constants that a product by a scalar needs, such as its quotient by q
or its product with R, are computed by one thread of a first launch. Without this launch, a product of two
vectors would be necessary, which takes a fifth to a third more instructions for each element (at 124 bits 121
instead of 91 for a·x + y, at 381 bits 879 instead of 559).
"""

from __future__ import annotations

from collections.abc import Sequence

from momagen.kinds.modular.spec import Spec
from momagen.lower.body.layouts import layout_of
from momagen.lower.elementwise.body import Elements, on_words
from momagen.lower.elementwise.choice import refusal, turns_of
from momagen.lower.elementwise.constants import Constants
from momagen.lower.elementwise.loops import vector
from momagen.lower.names import TABLES, A, C, N, Z, written
from momagen.program import Expr, Function, Name, Number, Type
from momagen.program.device import BLOCK, ROW, THREAD, DeviceProgram, Launch
from momagen.program.statements import Transfer

from .ends import chunk_of
from .staged import StagedVectors
from .writer import DeviceWriter

WORDS = 4
"""The number of words of each vector that a thread loads before it computes, if its elements are shorter."""
T = Name("t", Type.INPUT)
"""The array to which the first launch writes the constants of a scalar."""


def elements_program(spec: Spec) -> tuple[DeviceWriter, DeviceProgram, list[str]]:
    """Return the writer, the program and the notes of an element-wise kernel.

    Raises:
        MomagenError: An option is not available on devices.
    """
    _check(spec)
    writer = DeviceWriter(spec, 0, spec.arith.stride)
    made = _ElementsWriter(writer)
    run = [*made.numbers(), made.elements()]
    setup = [made.setup()]
    program = DeviceProgram(
        writer.functions, writer.statics, setup, run, made.kept, 0, 0, 0, writer.stride, 1, made.given,
        spec.arith.word,
    )  # fmt: skip
    each = f"{made.each} element{'s' * (made.each > 1)} a thread"
    first = ", after one launch of a thread that makes the quotient of the scalar" * (made.given > 0)
    return writer, program, [f"{each}{first}"]


def _check(spec: Spec) -> None:
    """Check that no option is given that only kernels with vectors have."""
    refusal(spec)
    turns_of(spec, None, 1, split=False)


class _ElementsWriter:
    """A writer of the kernels of one program.

    Attributes:
        writer: The writer of the program.
        spec: The specification.
        arith: The arithmetic modulo q.
        words: The number of words of a residue.
        stride: The number of words from one residue to the next.
        body: The codelet of one element, on words.
        of: The constants of the codelet.
        kept: The number of words of plan constants for each modulus.
        given: The number of words that a call computes from its scalar for each modulus, or 0.
        each: The number of elements of a thread.
        scalars: The scalars that the kernel itself reads.
        vectors: The operands that are vectors.
        chunk: The number of words of one memory access.
        threads: The number of threads of a block.
        shared: The shared memory of the target.
        staged: Whether elements are so long that they are loaded and stored by way of shared memory.
    """

    def __init__(self, writer: DeviceWriter) -> None:
        self.writer, self.spec, self.arith = writer, writer.spec, writer.arith
        self.words, self.stride = self.arith.words, writer.stride
        codelet = self.spec.codelet(self.arith)
        self.body: Elements = on_words(writer, codelet, layout_of(writer.host, self.words, 1))
        self.of = Constants(writer, self.body.constants)
        self.kept = aligned(self.of.fixed + self.spec.shifts)
        derived = any(each.op for each in self.of.given)
        self.given = aligned(self.of.size - self.of.fixed) if derived else 0
        asked: int = self.spec.options.unroll or 0
        self.each = asked or max(1, WORDS // self.stride)
        self.scalars = [] if derived else [vector(name) for name in self.spec.ranges.scalars]
        self.vectors = [vector(name) for name in self.body.loads]
        self.chunk, self.threads = chunk_of(self.arith.word, self.stride), writer.target.threads
        self.shared, far = writer.target.memory
        self.staged = not asked and self.stride * self.arith.word // 8 > far.line

    def setup(self) -> Launch:
        """Write the kernel that computes a plan, and return its launch."""
        self.of.write_setup()
        self.writer.write("set_element_constants", kept=self.kept, shifts=self.spec.shifts, shift=self.of.fixed)
        return Launch("set_element_constants", 32, 1)

    def numbers(self) -> list[Launch]:
        """Write the kernel that computes the constants of a call, and return its launch.

        The result is empty if the scalars of a call are used directly.
        """
        if not self.given:
            return []
        z, f = written(T), Function("put_numbers", (Z, A, C))
        self.of.put_given(f, Z, self.of.fixed)
        self.writer.put(f)
        kernel = Function("set_numbers", (z, A, C, TABLES, N), copies="kernel 32")
        with kernel.if_(THREAD.is_(0)):
            places = z + ROW * self.given, A + ROW * self.stride, C + ROW * self.kept
            kernel.do(self.writer.call("put_numbers", *places))
        self.writer.put(kernel)
        return [Launch("set_numbers", 32, 1, 0, 0, ("t", "a"))]

    def elements(self) -> Launch:
        """Write the kernel of the elements, and return its launch."""
        codelet = self._codelet()
        more = [T] if self.given else self.scalars
        f = Function("elements", (Z, *self.vectors, *more, C, TABLES, N), copies=f"kernel {self.threads}")
        c = self.writer.of_row(f, "own", C, self.kept)
        row = f.let("which", self.writer.row, Type.LONG)
        beside = [self.writer.of_row(f, "own_t", T, self.given)] if self.given else self._scalars(f)
        shared = (self._by_way_of_shared if self.staged else self._directly)(f, codelet, row, [*beside, c])
        self.writer.put(f)
        operands = self.spec.ranges.result, *(name.text for name in (*self.vectors, *more))
        return Launch("elements", self.threads, 1, self.threads * self.each, shared, operands)

    def _by_way_of_shared(self, f: Function, codelet: str, row: Name, more: Sequence[Expr]) -> int:
        """Write the computation of long elements, one for each thread, and return the bytes of shared memory."""
        staged = StagedVectors(
            self.threads, self.stride, self.words, self.chunk, self.arith.word, self.shared.line
        )  # fmt: skip
        given, z = staged.load(f, self.vectors, row, N), f.array("z0", self.words)
        self._computed(f, codelet, z, given, more)
        staged.store(f, z, Z, row, N)
        return staged.bytes(len(self.vectors))

    def _directly(self, f: Function, codelet: str, row: Name, more: Sequence[Expr]) -> int:
        """Write the computation of short elements, and return 0, the bytes of shared memory."""
        own = f.let("first", BLOCK * (self.threads * self.each) + THREAD)
        places = [own + i * self.threads for i in range(self.each)]
        arrays = [[self._loaded(f, name, i, place, row) for name in self.vectors] for i, place in enumerate(places)]
        for i, (place, given) in enumerate(zip(places, arrays, strict=True)):
            z = f.array(f"z{i}", self.words)
            self._computed(f, codelet, z, given, more)
            with f.if_(place < N):
                self._store(f, z, self._place(Z, place, row))
        return 0

    def _computed(self, f: Function, codelet: str, z: Name, given: Sequence[Name], more: Sequence[Expr]) -> None:
        """Write the computation of one element."""
        if self.spec.shifts:
            self._shifted(f, codelet, z, given, more[-1])
        else:
            f.do(self.writer.call(codelet, z, *given, *more))

    def _codelet(self) -> str:
        """Write the function of one element, and return its name.

        Its arguments are z, the vectors, the scalars or their constants, and the constants of q.
        """
        body, at = self.body, self.of.at
        xs, z = [Name(key, Type.WORDS) for key in body.loads], written(Z)
        more = [T] if self.given else [Name(name.text, Type.WORDS) for name in self.scalars]
        f = Function("element", (z, *xs, *more, C), copies="inline")
        for name, row in zip(xs, body.loads.values(), strict=True):
            f.load(name.text, row, name)
        for constant, row in body.constants.items():
            mine = constant in self.of.given
            pointer = C if not mine else T if self.given else Name(constant.source, Type.WORDS)
            place = at[constant] - self.of.fixed * mine if self.given or not mine else 0
            f.load(f"c_{constant.name}", row, pointer, place)
        f.run(body.block)
        f.store(body.stores, z)
        return self.writer.put(f)

    # Memory.

    def _scalars(self, f: Function) -> list[Name]:
        """Return the arrays with the scalars, which are loaded into registers."""
        found = []
        for name in self.scalars:
            found.append(f.array(f"own_{name.text}", self.words))
            f.add(self._transfer(found[-1], name + self.writer.row * self.stride, False))
        return found

    def _loaded(self, f: Function, name: Name, i: int, place: Expr, row: Name) -> Name:
        """Return the array with element ``place`` of a vector, which is 0 if the vector is shorter."""
        array = f.array(f"{name.text}{i}", self.words, [0])
        with f.if_(place < N):
            f.add(self._transfer(array, self._place(name, place, row), False))
        return array

    def _place(self, vector_: Name, place: Expr, row: Name) -> Expr:
        return vector_ + (row * N + place) * self.stride

    def _transfer(self, array: Name, memory: Expr, out: bool) -> Transfer:
        return Transfer(array, 0, memory, self.words, self.chunk, out)

    def _store(self, f: Function, array: Name, memory: Expr) -> None:
        f.add(self._transfer(array, memory, True))
        if self.stride > self.words:
            f.clear(memory + self.words, self.stride - self.words)

    # Moduli that are too short for Barrett's quotient.

    def _shifted(self, f: Function, codelet: str, z: Name, given: Sequence[Name], c: Expr) -> None:
        """Write x·y or x·y + w for a modulus that is s bits too short.

        The function computes 2^s times the result modulo 2^s q, and divides it by 2^s.
        """
        shifted = [name for name in given if not name.text.startswith("y")]
        call = self.writer.call
        with f.if_(c[self.of.fixed].is_not(0)):
            for name in shifted:
                self._moved(f, "shift_up", name, c)
        f.do(call(codelet, z, *given, c))
        with f.if_(c[self.of.fixed].is_not(0)):
            self._moved(f, "shift_down", z, c)

    def _moved(self, f: Function, name: str, array: Name, c: Expr) -> None:
        """Write a shift of ``array`` by way of a copy in memory, so that the words of the array stay in registers."""
        copy = f.array(f"{name}_{array.text}", self.words)
        f.copy(copy, array, self.words)
        f.do(self.writer.call(name, copy, copy, Number(1), c[self.of.fixed]))
        f.copy(array, copy, self.words)


def aligned(words: int) -> int:
    """Return ``words``, rounded up to whole vectors of four words."""
    return -(-words // WORDS) * WORDS
