"""Running the launches of a transform for CUDA, thread by thread, between barriers."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from pycparser import c_ast, c_generator

from momagen.prove.c.cuda.source import PRELUDE, SHARED, SHARED_ALIGNMENT
from momagen.prove.c.machine import COMPARISONS
from momagen.prove.c.memory import Number, Pointer
from momagen.prove.c.simd.compare import carry_of, carry_of_multiple
from momagen.prove.c.source import parse_tree
from momagen.prove.c.statements import Leave
from momagen.prove.c.types import INT, Reference, common, promoted
from momagen.prove.checker import ProofError
from momagen.prove.grids.kernel import ALIGNMENT, SUPPORTED
from momagen.prove.grids.threads.groups import GroupRun
from momagen.prove.grids.threads.memory import NOBODY, Agent, SharedBlock, VectorBlock
from momagen.prove.polynomial import constant, plus
from momagen.prove.transforms.control import names
from momagen.prove.transforms.memory import key_of
from momagen.prove.transforms.run import NO_OFFSET
from momagen.prove.transforms.stored import Stored, Word
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.memory import Block, Key
    from momagen.prove.c.types import Integer
    from momagen.prove.grids.launches import Launch
    from momagen.prove.polynomial import Polynomial
    from momagen.prove.transforms.part import Part

BARRIER = "__syncthreads"
COMPARE = "mg_same"
COMPARISON = f"""
static bool {COMPARE}(const unsigned int *a, const unsigned int *b, unsigned int n)
{{
    bool same = true;
    for (unsigned int i = 0; i < n; i++)
        same = same && a[i] == b[i];
    return same;
}}
"""
"""The function that returns whether n words are equal; true is 1."""

SHIFTS = {"<<", ">>"}
UNSIGNED = {
    "+": operator.add, "*": operator.mul, "&": operator.and_, "<<": operator.lshift, ">>": operator.rshift
}  # fmt: skip
"""The operations on unsigned integers, each with the operation of Python that has the same results modulo 2^bits."""


class GridRun(GroupRun):
    """A run of the launches of set-up and of a call.

    Attributes:
        agent: The thread that runs, and the last barrier that it has passed.
    """

    agent: Agent = NOBODY

    def __init__(self, *arguments: Any) -> None:
        self._segments: dict[str, list[tuple[Any, frozenset[str]]]] = {}
        self._constants: dict[Any, Block] = {}
        self._is_comparison: bool | None = None
        super().__init__(*arguments)
        self.plan: list[Pointer] = []

    # Memory.

    def device_memory(self, name: str, words: int, alignment: int = ALIGNMENT) -> Pointer:
        """Return memory of the device, in which nothing is stored yet."""
        block = SharedBlock(name, self.kind, self.words.constant(words), alignment=alignment)
        return self._added(block)

    def _added(self, block: SharedBlock) -> Pointer:
        block.walk = self
        self.heap.append(block)
        return Pointer(block, self.words.constant(0))

    def _declare(self, node: Any) -> None:
        """Declare a variable; a constant one with static storage is the same for all threads."""
        if "static" not in (node.storage or []) or self.source.globals.get(node.name) is node:
            super()._declare(node)
            return
        if node not in self._constants or not self._constants[node].cells:
            super()._declare(node)
            block = self._constants[node] = self.scopes[-1][node.name]
            self.blocks.remove(block)
        self.scopes[-1][node.name] = self._constants[node]

    def _cells(self, part: Part, later: frozenset[str] | None) -> list[tuple[Block, Key]]:
        """Return the elements that a part stored and that can be read later; arrays are used by their names only."""
        found = super()._cells(part, later)
        if later is None:
            return found
        dead = {block for name, block in self.scopes[-1].items() if name not in later and block.is_array}
        dead.difference_update(self._constants.values())
        for block, key in found:
            if block in dead:
                block.cells.pop(key, None)
        return [cell for cell in found if cell[0] not in dead]

    # Set-up.

    def create_from(self, *numbers: Stored | int | None) -> Pointer | None:
        """Run the launch that computes the constants; return them if it accepts the modulus and the root."""
        launches, words = self.claim.launches, self.claim.words
        bytes_of = self.claim.word // 8
        named = zip(("q", "root"), numbers, strict=True)
        given = [self.start(self.array(name, [number])) for name, number in named if number is not None]
        for at, pointer in enumerate(given):
            pointer.block.alignment = _alignment(at * words * bytes_of)
        status = self.device_memory("status", 1, bytes_of)
        constants = self.device_memory("constants", launches.constants)
        self.launch(launches.setup[0], [constants, status, *given], None)
        found = self.number(status.block.cells.get(NO_OFFSET))
        constants.block.is_writable = False
        powers = self.device_memory("powers", launches.powers, _alignment(2 * words * bytes_of))
        self.plan = [self.device_memory("tables", launches.tables), powers, constants]
        return constants if found == SUPPORTED else None

    def create_valid(self) -> Pointer:
        """Run all launches of set-up with a modulus and a root of the claim, which they must support."""
        plan = self.create_from(self.modulus, self.root())
        if plan is None:
            raise ProofError("set-up refuses a modulus and a root of the claim")
        for launch in self.claim.launches.setup[1:]:
            self.launch(launch, list(self.plan), None)
        for pointer in self.plan:
            pointer.block.is_writable = False
        return plan

    # A call.

    def execute_vectors(self, layout: tuple[int, ...]) -> int:
        """Prove that the launches of a call transform any group of vectors; return the number of residues.

        Args:
            layout: The number of the array that contains the result, and the numbers of the arrays of the operands.
        """
        launches, length = self.claim.launches, self.claim.length
        group = self.claim.group
        if any(launch.group != group or not launch.blocks for launch in launches.run) or launches.scratch:
            raise ProofError("launches with groups of several sizes, or with scratch memory, are not supported")
        pointers, residues = self._vectors(layout)
        for launch in launches.run:
            arguments: list[Any] = [pointers[name] for name in launch.operands]
            arguments += [self.plan[2], self.plan[0], Number(self.kind, Word(self.batch, 0))]
            self.launch(launch, arguments, group)
        block = pointers[self.claim.roles[0]].block
        for at in range(group):
            own = slice(at * length, (at + 1) * length)
            found = [self._residue_of(block, i) for i in range(own.start, own.stop)]
            self.claim.check(self.field, [each[own] for each in residues], found)
        return group * length

    def _vectors(self, layout: tuple[int, ...]) -> tuple[dict[str, Pointer], list[list[Any]]]:
        """Return the vectors of a group by their names, and the residues of the operands."""
        count, words = self.claim.group * self.claim.length, self.claim.words
        pointers: dict[int, Pointer] = {}
        residues: dict[int, list[Any]] = {}
        for name, at in zip(reversed(self.claim.roles), reversed(layout), strict=True):
            if at in pointers:
                continue
            block = VectorBlock(name, self.kind, self.words.constant(count * words), alignment=ALIGNMENT)
            block.stride, block.group = self.claim.length * words, self.claim.group
            block.is_writable = at == layout[0]
            pointers[at] = self._added(block)
            if name == self.claim.roles[0]:
                continue
            residues[at] = [self.field.element() for _ in range(count)]
            for i, residue in enumerate(residues[at]):
                number = Stored(name, words, (0,), (-1, 1), residue, True)
                for w in range(words):
                    block.cells[key_of(i * words + w)] = Number(self.kind, Word(number, w))
        named = {name: pointers[at] for name, at in zip(self.claim.roles, layout, strict=True)}
        return named, [residues[at] for at in layout[1:]]

    # Launches.

    def launch(self, launch: Launch, arguments: list[Any], group: int | None) -> None:
        """Run all blocks of a launch for one group of vectors, or all blocks.

        Args:
            launch: The launch.
            arguments: The arguments of its kernel.
            group: The vectors of a group; None if the blocks do not depend on vectors.
        """
        if (launch.group or None) != group:
            raise ProofError(f"a launch of {launch.kernel} has groups of {launch.group} vectors")
        for block in self.heap:
            if isinstance(block, SharedBlock):
                block.begin_launch()
        for at in range(launch.blocks):
            number = self.words.constant(at) if group is None else self._from_group(launch.blocks, at)
            self._run_block(launch, arguments, number, at)

    def _run_block(self, launch: Launch, arguments: list[Any], number: Value, at: int) -> None:
        """Run the threads of a block between one barrier and the next."""
        shared: dict[str, Block] = {}
        if launch.shared:
            pointer = self.device_memory(SHARED, launch.shared * 8 // self.claim.word, SHARED_ALIGNMENT)
            shared[SHARED] = self.heap.pop()
            if pointer.block is not shared[SHARED]:
                raise ProofError("shared memory is not the last block")
        function = self.source.functions[launch.kernel]
        states = [self._thread(function, arguments, shared) for _ in range(launch.threads)]
        outer = self.scopes, self.blocks
        for barrier, (segment, later) in enumerate(self._between_barriers(launch.kernel)):
            for thread, state in enumerate(states):
                self.agent = at, barrier, thread
                self.scopes, self.blocks = state
                self._set_indices(launch, number, thread)
                self._run_segment(segment, later)
        self.scopes, self.blocks = outer
        self.agent = NOBODY
        for _, blocks in states:
            for block in blocks:
                block.end(self.words)

    def _thread(self, function: Any, arguments: list[Any], shared: dict[str, Block]) -> tuple[list[Any], list[Block]]:
        """Return the variables of a thread that begins: first in scopes by their names, then all in one list."""
        outer, self.blocks = self.blocks, []
        scope: dict[str, Block] = {}
        for parameter, argument in zip(function.decl.type.args.params, arguments, strict=True):
            kind = self.type(parameter.type)
            if kind not in (self.kind, Reference(self.kind)):
                raise ProofError(f"a parameter of {function.decl.name} is neither a word nor a pointer to words")
            block = scope[parameter.name] = self.new_block(parameter.name, kind, 1, is_array=False)
            block.store(self.words.constant(0), self.convert(argument, kind), self.facts)
        blocks, self.blocks = self.blocks, outer
        return [dict(shared), scope], blocks

    def _set_indices(self, launch: Launch, block: Value, thread: int) -> None:
        """Set the position of the thread in a launch with one row of blocks."""
        none, one = self.words.constant(0), self.words.constant(1)
        self.indices = {(name, member): none for name in ("threadIdx", "blockIdx") for member in "xyz"}
        self.indices |= {("blockDim", "y"): one, ("blockDim", "z"): one, ("gridDim", "y"): one, ("gridDim", "z"): one}
        self.indices |= {("threadIdx", "x"): self.words.constant(thread), ("blockIdx", "x"): block}
        self.indices["blockDim", "x"] = self.words.constant(launch.threads)

    def _between_barriers(self, kernel: str) -> list[tuple[Any, frozenset[str]]]:
        """Return the statements of a kernel between two barriers, each with the names that occur behind them."""
        if kernel not in self._segments:
            parts: list[list[Any]] = [[]]
            for item in self.source.functions[kernel].body.block_items or []:
                if _is_barrier(item):
                    parts.append([])
                elif _contains_barrier(item):
                    raise ProofError(f"a barrier of {kernel} is in a branch, a loop or an expression")
                else:
                    parts[-1].append(item)
            found, later = [], frozenset[str]()
            for items in reversed(parts):
                found.append((c_ast.Compound(items), later))
                later = later.union(*map(names, items))
            self._segments[kernel] = found[::-1]
        return self._segments[kernel]

    def _run_segment(self, segment: Any, later: frozenset[str]) -> None:
        """Run a thread from one barrier to the next barrier. The thread must not end before the next barrier."""
        try:
            for is_straight, items, after in self.control.groups(segment):
                self.execute_group(is_straight, items, after | later)
        except Leave:
            raise ProofError("a thread may end before it reaches a barrier") from None

    # Comparisons of residues.

    def _FuncCall(self, node: Any) -> Any:
        arguments = node.args.exprs if node.args else []
        if node.name.name == BARRIER:
            raise ProofError("a barrier is in a branch, a loop or an expression")
        if node.name.name == COMPARE and len(arguments) == 3 and self._compares():
            if self.tracer is not None:
                self.tracer.is_usable = False
            first, second, count = (self.evaluate(argument) for argument in arguments)
            if self.number(count) == self.claim.words:
                self._note_loads(first, second)
                if (is_equal := self.are_equal_residues(first, second)) is None:
                    raise ProofError("a residue that is compared with another one is not proven to be below q")
                return Number(INT, self.words.constant(int(is_equal)))
        return super()._FuncCall(node)

    def _note_loads(self, *pointers: Any) -> None:
        """Note that the words of residues are loaded."""
        for pointer in pointers:
            if isinstance(pointer, Pointer) and isinstance(pointer.block, SharedBlock) and pointer.block.is_writable:
                for i in range(self.claim.words):
                    pointer.block.note_load(key_of(pointer.offset.low + i))

    def _compares(self) -> bool:
        """Return whether the function that compares words is the known one."""
        if self._is_comparison is None:
            written = c_generator.CGenerator().visit
            known = parse_tree(PRELUDE, COMPARISON, is_cuda=True).functions[COMPARE]
            own = self.source.functions.get(COMPARE)
            self._is_comparison = own is not None and all(
                written(a).replace("uint32_t", "unsigned int") == written(b)
                for a, b in ((own.body, known.body), (own.decl, known.decl))
            )
        return self._is_comparison

    def compare(
        self, op: str, x: Value, y: Value, bits: int = 64
    ) -> tuple[Value, tuple[Polynomial, Polynomial] | None]:
        """Return the flag of a comparison and what it implies.

        The words of long numbers are compared one after the other, so that earlier comparisons may decide the flag.
        """
        flag, implied = super().compare(op, x, y, bits)
        if self.claim.words > 1 and flag.is_constant:
            return self.words.constant(flag.low), implied
        if self.claim.words == 1 or implied is None or not self.facts.is_public(flag.polynomial):
            return flag, implied
        for result in (1, 0):
            if self.facts.is_not_negative(implied[result]) or self.facts.is_not_negative_by_numbers(implied[result]):
                return self.words.constant(result), None
        return flag, implied

    def _less(self, x: Value, y: Value, bits: int) -> Value:
        """Return the flag that ``x < y``; a sum that is less than one of its terms has wrapped."""
        if min(x.low, y.low) >= 0:
            for find in (carry_of, carry_of_multiple):
                if (carry := find(x, y, self.words)) is not None:
                    return carry
        return super()._less(x, y, bits)

    def _binary(self, op: str, a: Any, b: Any) -> Any:
        """Return the result of an operation; a comparison of public numbers whose result is not known is a flag."""
        if op in UNSIGNED and (found := self._of_known(op, a, b)) is not None:
            return found
        if op not in COMPARISONS or not self._decides:
            return super()._binary(op, a, b)
        with self.undecided():
            result = super()._binary(op, a, b)
        flag = result.value
        if not flag.is_constant and self.facts.is_public(flag.polynomial):
            bounds = self.facts.bounds(flag.polynomial)
            if self.facts.checker.minimum(bounds.low) > 0 or self.facts.checker.maximum(bounds.high) < 1:
                return Number(result.kind, self.words.constant(int(self.facts.checker.minimum(bounds.low) > 0)))
        return result

    def _minus(self, x: Value, y: Value, kind: Integer, is_half: bool = False) -> Number:
        """Return a difference; one that always wraps is the difference plus 2^bits."""
        low, high, weight = x.low - y.high, x.high - y.low, 1 << kind.bits
        if kind.is_signed or not -weight <= low <= high < 0:
            return super()._minus(x, y, kind, is_half)
        total = plus(plus(x.polynomial, y.polynomial, -1), constant(weight))
        return Number(kind, Value(total, low + weight, high + weight))

    def _of_known(self, op: str, a: Any, b: Any) -> Number | None:
        """Return the result of an operation on two known numbers of a type without a sign; None for other operands."""
        if not isinstance(a, Number) or not isinstance(b, Number):
            return None
        x, y = a.value, b.value
        if not isinstance(x, Value) or not isinstance(y, Value) or not x.is_constant or not y.is_constant:
            return None
        kind = promoted(a.kind) if op in SHIFTS else common(a.kind, b.kind)
        if kind.is_signed or min(x.low, y.low) < 0 or (op in SHIFTS and y.low >= kind.bits):
            return None
        return Number(kind, self.words.constant(UNSIGNED[op](int(x.low), int(y.low)) % (1 << kind.bits)))


def _alignment(offset: int) -> int:
    """Return the bytes of which an address is a multiple at an offset in memory of the device."""
    return min(ALIGNMENT, offset & -offset) if offset else ALIGNMENT


def _is_barrier(node: Any) -> bool:
    is_call = isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") == BARRIER
    return is_call and not node.args


def _contains_barrier(node: Any) -> bool:
    is_call = isinstance(node, c_ast.FuncCall) and getattr(node.name, "name", "") == BARRIER
    return is_call or any(_contains_barrier(child) for _, child in node.children())
