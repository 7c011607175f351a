"""The memory that machine code can access: the stack, the arrays of the caller, the plan, and constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from momagen.prove.c.bits import by_flag
from momagen.prove.c.memory import NULL, Address, Block, Number, Pointer
from momagen.prove.c.types import Array, Integer, Record
from momagen.prove.checker import ProofError
from momagen.prove.machine.contents import HERE, MachineWord, Partial, Return, held_by, hold
from momagen.prove.machine.frames import BYTES, ORIGIN, FrameArray
from momagen.prove.polynomial import plus, scaled
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.machine.host import Host
    from momagen.prove.machine.image import Image
    from momagen.prove.polynomial import Polynomial

AT_ENTRY = 8
"""The remainder by 16 of the stack pointer when a function is entered."""
RED_ZONE = 128
"""The bytes below the stack pointer that no signal handler changes."""


class Space:
    """The memory of a call.

    Args:
        program: The run, with its blocks and facts.
        image: The shared object.

    Attributes:
        stack: A block for the stack. The return address of the call is at offset 0.
        slots: The words of the stack by their offsets; each is a block.
        arrays: The parts of the stack that are accessed at addresses that depend on the counter of a loop.
        static: A block for the memory of the shared object, whose offsets are addresses.
        pointer: The stack pointer.
        is_closed: Whether the stack may have no further slots, because a loop that is proven by induction runs.
    """

    def __init__(self, program: Host, image: Image) -> None:
        self.program, self.image = program, image
        self.facts, self.words = program.facts, program.words
        self.stack = Block("the stack", None, self.words.constant(0), is_array=False)
        self.static = Block("the shared object", None, self.words.constant(0), is_array=False)
        self.slots: dict[int, MachineWord] = {}
        self.arrays: list[FrameArray] = []
        self.pointer = MachineWord("rsp", self.words)
        self.is_closed = False
        self._tops: dict[int, Pointer] = {}
        self._entry: int | None = None
        self.set_top_at(0)

    def blocks(self) -> list[Block]:
        """Return the words and arrays of the stack, and the stack pointer."""
        return [self.pointer, *self.slots.values(), *self.arrays]

    # Loads and stores.

    def load(self, at: Pointer, bits: int) -> Any:
        """Return the content of ``bits`` bits of memory."""
        if at.block is self.stack:
            array = self._array(at)
            return self._load_slot(self.offset_of(at), bits) if array is None else self._load(array, at, bits)
        if at.block is self.static:
            return self.words.constant(self.image.constant(self.offset_of(at), bits // 8))
        return self._load(*self._member(at), bits)

    def _load(self, block: Block, at: Pointer, bits: int) -> Any:
        element, first = self._element(block, at.offset.polynomial)
        return self._part(self._content(block.load(element, self.facts)), first, bits, self._size(block))

    def store(self, at: Pointer, content: Any, bits: int) -> None:
        """Store a content in ``bits`` bits of memory."""
        array = self._array(at) if at.block is self.stack else None
        if at.block is self.stack and array is None:
            self._store_slot(self.offset_of(at), content, bits)
            return
        if at.block is self.static:
            raise ProofError("a store into memory of the shared object")
        block, at = self._member(at) if array is None else (array, at)
        element, first = self._element(block, at.offset.polynomial)
        if first or self._size(block) * 8 != bits or not isinstance(block.of, Integer):
            raise ProofError(f"a store of {bits} bits into {block.name}, whose elements have another size")
        if not isinstance(content, Value):
            raise ProofError(f"something else than a number is stored into {block.name}")
        block.store(element, Number(block.of, content), self.facts)

    def offset_of(self, at: Pointer) -> int:
        """Return an offset that must be known, as a signed number."""
        if not at.offset.is_constant:
            raise ProofError(f"an access to {at.block.name} at an address that depends on an unknown number")
        number = at.offset.low % (1 << 64)
        return number - (number >> 63 << 64)

    def require_inside(self, pointer: Pointer) -> None:
        """Check that a pointer points into its block or right behind it, so that comparing addresses compares offsets.

        Raises:
            ProofError: The pointer may point elsewhere, so that its address may be any number.
        """
        block, offset = pointer.block, pointer.offset.polynomial
        problem = f"an address that may lie outside {block.name} is compared"
        if block is self.stack or block is self.static:
            if abs(self.offset_of(pointer)) >= ORIGIN:
                raise ProofError(problem)
        elif offset:
            end = scaled(block.size.polynomial, self._size(block))
            self.facts.require_not_negative(offset, problem)
            self.facts.require_not_negative(plus(end, offset, -1), problem)

    # Arrays and structs.

    def _member(self, at: Pointer) -> tuple[Block, Pointer]:
        """Return the array that contains an address, and the address in it."""
        block = at.block
        if not isinstance(block.of, Record):
            return block, at
        number = self.offset_of(at)
        for start, name, of in self.program.members_of(block.of):
            if start <= number < start + self.program.size_of(of):
                found = block.cells.get(frozenset({((-1,), name)}))
                if not isinstance(found, Block):
                    raise ProofError(f"the member {name} of {block.name} is not supported in machine code")
                return found, Pointer(found, self.words.constant(number - start))
        raise ProofError(f"an access to {block.name} may lie outside it")

    def _size(self, block: Block) -> int:
        if block.of is None or isinstance(block.of, Record):
            raise ProofError(f"{block.name} has no type")
        return self.program.size_of(block.of.of if isinstance(block.of, Array) else block.of)

    def _element(self, block: Block, offset: Polynomial) -> tuple[Value, int]:
        """Return the element that contains an address, and the first byte in it."""
        size = self._size(block)
        if isinstance(block, FrameArray):
            offset = plus(offset, {(): ORIGIN})
        first = offset.get((), 0) % size
        whole = plus(offset, {(): first}, -1)
        if any(c % size for c in whole.values()):
            raise ProofError(f"an address in {block.name} is not proven to be that of an element")
        return self.words.value_of({m: c // size for m, c in whole.items()}), int(first)

    def _content(self, held: Any) -> Any:
        """Return the content of a register into which an object of C is loaded."""
        if held is NULL:
            return self.words.constant(0)
        if isinstance(held, Address):
            held = held.pointer
        if isinstance(held, Pointer):
            return self.as_pointer(held)
        if not isinstance(held, Number) or held.kind.is_signed:
            raise ProofError("this object is not supported in machine code")
        return held.value

    def as_pointer(self, pointer: Pointer) -> Pointer:
        """Return a pointer of C, whose offset counts elements, with an offset in bytes."""
        if isinstance(pointer.block.of, Record):
            if pointer.offset.low or pointer.offset.high:
                raise ProofError("an array of structs is not supported")
            return pointer
        return Pointer(pointer.block, self.words.value_of(scaled(pointer.offset.polynomial, self._size(pointer.block))))

    def as_array(self, pointer: Pointer) -> Pointer:
        """Return a pointer to words, whose offset counts bytes, as one of C; a word of the stack begins an array."""
        if pointer.block is self.stack:
            self.make_array(self.offset_of(pointer), 0)
            pointer = Pointer(self._array(pointer) or self.stack, pointer.offset)
        element, first = self._element(pointer.block, pointer.offset.polynomial)
        if first:
            raise ProofError("an address is not proven to be that of an element")
        return Pointer(pointer.block, element)

    def _part(self, content: Any, first: int, bits: int, size: int) -> Any:
        """Return ``bits`` bits of a content of ``size`` bytes, from byte ``first`` on."""
        if first == 0 and bits == 8 * size:
            return content
        if 8 * first + bits > 8 * size or not isinstance(content, Value):
            raise ProofError("an access to parts of two elements")
        known = by_flag(lambda x: x >> 8 * first & (1 << bits) - 1, [content], self.words)
        if known is not None:
            return known
        return self.words.low_bits(self.words.divide(content, 1 << 8 * first, "part")[0], bits, "part")

    # Arrays on the stack.

    def _array(self, at: Pointer) -> FrameArray | None:
        """Return the array on the stack that contains an address, or None if it is the address of a single word."""
        if at.offset.is_constant:
            number = self.offset_of(at)
            return next((array for array in self.arrays if array.contains(number)), None)
        first, end = at.offset.low // BYTES * BYTES, at.offset.high // BYTES * BYTES + BYTES
        array = next((array for array in self.arrays if array.overlaps(first, end)), None)
        if array is None:
            raise ProofError("an access to the stack at an address that depends on an unknown number")
        return array

    def make_array(self, first: int, end: int) -> None:
        """Make a part of the stack an array, from ``first`` to ``end`` or to where something else is stored.

        Args:
            first: The offset of an address that a loop accesses in its first iteration.
            end: The offset behind the last byte that later iterations may access.
        """
        first = first // BYTES * BYTES
        array = next((array for array in self.arrays if array.contains(first)), None)
        if array is not None and (self.is_closed or end <= array.stop):
            return
        taken = [offset for offset, slot in self.slots.items() if slot.cells and offset >= first]
        taken += [each.start for each in self.arrays if each.start > first]
        end = min(end, *taken, 0)
        if self.is_closed or first < self.top() - RED_ZONE or end <= first:
            raise ProofError("an access to the stack at an address that depends on an unknown number")
        if array is None:
            self.arrays.append(FrameArray(first, end, self.words))
        else:
            array.stop = max(array.stop, end)

    # The stack.

    def check_call(self, name: str) -> None:
        """Check that a function, which is proven for any caller, may not overwrite an array on the stack.

        Raises:
            ProofError: An array lies in the red zone.
        """
        if any(array.start < self.top() for array in self.arrays):
            raise ProofError(f"{name} is called while an array lies below the stack pointer")

    def top(self) -> int:
        """Return the offset of the stack pointer."""
        held = held_by(self.pointer)
        if not isinstance(held, Pointer) or held.block is not self.stack:
            raise ProofError("the stack pointer points to something else than the stack")
        return self.offset_of(held)

    def entry(self) -> int:
        """Return the remainder by 64 of the stack pointer when the function was entered, on this path.

        The ABI states that it is 8 more than a multiple of 16.
        """
        if self._entry is None:
            flags = [self.words.variable("alignment of the stack", 0, 1) for _ in range(2)]
            high, low = (self.facts.decide(flag, None, "the alignment of the stack") for flag in flags)
            self._entry = AT_ENTRY + 32 * high + 16 * low
        return self._entry

    def set_top_at(self, offset: int) -> None:
        """Let the stack pointer point to an offset; equal pointers are the same object, as loops expect."""
        if offset not in self._tops:
            self._tops[offset] = Pointer(self.stack, self.words.constant(offset))
        hold(self.pointer, self._tops[offset])

    def set_top(self, content: Any) -> None:
        """Change the stack pointer; words below the red zone become unknown."""
        hold(self.pointer, content)
        self.set_top_at(self.top())
        for offset, slot in self.slots.items():
            if offset < self.top() - RED_ZONE:
                slot.cells.clear()
        for array in [array for array in self.arrays if array.start < self.top() - RED_ZONE]:
            array.cells.clear()
            if not self.is_closed:
                self.arrays.remove(array)

    def slot(self, offset: int) -> MachineWord:
        """Return the word of the stack at an offset."""
        if offset not in self.slots:
            if self.is_closed:
                raise ProofError("an iteration of a loop uses another part of the stack than the first one")
            self.slots[offset] = MachineWord(f"[stack{offset:+#x}]", self.words)
        return self.slots[offset]

    def _check_word(self, offset: int) -> None:
        """Check that no array contains an address, so that only the word of the stack there describes it."""
        if any(array.contains(offset) for array in self.arrays):
            raise ProofError("a part of the stack is used as an array and for single words")

    def _load_slot(self, offset: int, bits: int) -> Any:
        self._check_word(offset)
        word = offset % BYTES
        slot = self.slots.get(offset - word)
        if offset < self.top() - RED_ZONE or slot is None or HERE not in slot.cells:
            raise ProofError("a part of the stack is read where nothing was stored")
        content = held_by(slot)
        if isinstance(content, Partial):
            if word or bits > content.bits:
                raise ProofError("a part of the stack is read where nothing was stored")
            return content.value if bits == content.bits else self._part(content.value, 0, bits, BYTES)
        return self._part(content, word, bits, BYTES)

    def _store_slot(self, offset: int, content: Any, bits: int) -> None:
        self._check_word(offset)
        if offset % BYTES or bits > 8 * BYTES:
            raise ProofError("a store into parts of two words of the stack")
        if not self.top() - RED_ZONE <= offset < 0:
            raise ProofError("a store into a part of the stack that belongs to somebody else")
        slot = self.slot(offset)
        if isinstance(slot.cells.get(HERE), Return) and offset >= self.top():
            raise ProofError("a store into the place of a return address")
        hold(slot, content if bits == 8 * BYTES else Partial(content, bits))

    def push(self, content: Any) -> None:
        """Store a word below the stack pointer, and move it there."""
        self.set_top_at(self.top() - BYTES)
        self._store_slot(self.top(), content, 8 * BYTES)

    def pop(self) -> Any:
        """Return the word at the stack pointer, which moves on."""
        content = self._load_slot(self.top(), 8 * BYTES)
        self.set_top(Pointer(self.stack, self.words.constant(self.top() + BYTES)))
        return content
