"""Memory that several threads access, where each access is compared with those of the other threads.

Between two barriers, the threads of a block are run one after the other. Any other order has the same results if no
thread accesses a word that another thread stores between these barriers. Blocks of a launch have no barrier in common,
so no block may access a word that another block of the launch stores. A barrier orders all accesses of its block, and a
launch comes after the launches before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from momagen.prove.checker import ProofError
from momagen.prove.polynomial import constant
from momagen.prove.transforms.memory import KnownBlock, key_of
from momagen.prove.words import Value

if TYPE_CHECKING:
    from momagen.prove.c.memory import Key
    from momagen.prove.facts import Facts

Agent = tuple[int, int, int]
"""A thread between two barriers: the numbers of its block, of the last barrier, and of the thread in the block."""
GROUP = 1
"""The variable for the number of the group of vectors, in all parts."""
NOBODY: Agent = (-1, 0, 0)


def are_ordered(a: Agent, b: Agent) -> bool:
    """Return whether accesses of two agents are ordered: by a barrier, or because one thread does both."""
    return a[0] == b[0] and (a[1] != b[1] or a[2] == b[2])


@dataclass(eq=False)
class TracedBlock(KnownBlock):
    """A block whose accesses by a call are noted, if the call is executed for the first time."""

    def load(self, offset: Value, facts: Facts) -> Any:
        """Return the content of an element."""
        if self.walk.tracer is not None and self.walk.tracer.is_active:
            self.walk.tracer.note(self, offset.low, False)
        return super().load(offset, facts)

    def store(self, offset: Value, value: Any, facts: Facts) -> None:
        """Change the content of an element."""
        if self.walk.tracer is not None and self.walk.tracer.is_active:
            self.walk.tracer.note(self, offset.low, True)
        super().store(offset, value, facts)

    def repeat(self, offset: int, is_store: bool) -> None:
        """Check an access of a call that is not executed again, and note it as one of the thread that runs."""
        if is_store and not self.is_writable:
            raise ProofError(f"{self.name} is constant, and the program writes it")
        if not 0 <= offset < self.size.low:
            raise ProofError(f"an access to {self.name} lies outside it")


@dataclass(eq=False)
class SharedBlock(TracedBlock):
    """A block in which no two threads may access a word, unless both read it or a barrier lies between.

    Attributes:
        writers: The agent that stored a word last, in this launch.
        readers: The agents that have read a word since then.
    """

    writers: dict[Key, Agent] = field(default_factory=dict)
    readers: dict[Key, set[Agent]] = field(default_factory=dict)

    def load(self, offset: Value, facts: Facts) -> Any:
        """Return the content of an element, if no other thread may store it at the same time."""
        if self.is_writable:
            self.note_load(key_of(offset.low))
        return super().load(offset, facts)

    def store(self, offset: Value, value: Any, facts: Facts) -> None:
        """Change the content of an element, if no other thread may access it at the same time."""
        self.note_store(key_of(offset.low))
        super().store(offset, value, facts)

    def note_load(self, key: Key) -> None:
        """Note that the thread that runs loads a word."""
        agent = self.walk.agent
        self._check_order(self.writers.get(key, agent), agent)
        self.readers.setdefault(key, set()).add(agent)

    def note_store(self, key: Key) -> None:
        """Note that the thread that runs stores a word."""
        agent = self.walk.agent
        for other in (self.writers.get(key, agent), *self.readers.get(key, ())):
            self._check_order(other, agent)
        self.writers[key] = agent
        self.readers.pop(key, None)

    def repeat(self, offset: int, is_store: bool) -> None:
        """Check an access of a call that is not executed again, and note it as one of the thread that runs."""
        super().repeat(offset, is_store)
        if is_store:
            self.note_store(key_of(offset))
        elif self.is_writable:
            self.note_load(key_of(offset))

    def _check_order(self, other: Agent, agent: Agent) -> None:
        if not are_ordered(other, agent):
            which = "threads access the same word of {} with no barrier between them"
            which = which if other[0] == agent[0] else "blocks access the same word of {}, which one of them stores"
            raise ProofError(f"two {which.format(self.name)}")

    def begin_launch(self) -> None:
        """Forget the accesses of the launches before."""
        self.writers.clear()
        self.readers.clear()


@dataclass(eq=False)
class VectorBlock(SharedBlock):
    """The vectors of one group in an array of all vectors, where the number of the group is unknown.

    Vectors of a group may lie behind the end of the array. The program must not store these vectors. Instead of loading
    them, it loads the last vector of the array, which belongs to the same group. The block contains arbitrary residues
    for the vectors behind the end. The proof holds for all residues, and therefore also for the residues of the last
    vector, which the program loads in fact. This requires that the last vector is not stored before such a load.

    Attributes:
        stride: The words of a vector.
        group: The vectors of a group.
        replaced: The agents that may have loaded the last vector in the place of another one.
        is_changed: Whether a word was stored in this launch.
    """

    stride: int = 0
    group: int = 1
    replaced: set[Agent] = field(default_factory=set)
    is_changed: bool = False

    def load(self, offset: Value, facts: Facts) -> Any:
        """Return what an element of a vector of the group holds."""
        at, is_replaced = self._offset_in_group(offset)
        vector = at.low // self.stride
        if vector and not is_replaced and self.walk.guard != vector:
            raise ProofError(f"a vector of {self.name} is loaded that may not be below batch")
        if is_replaced and self.is_writable:
            if self.is_changed:
                raise ProofError(f"the last vector of {self.name} may be loaded after it was stored")
            self.replaced.add(self.walk.agent)
        return super().load(at, facts)

    def store(self, offset: Value, value: Any, facts: Facts) -> None:
        """Change what an element of a vector of the group holds, which the program has compared with the last one."""
        at, is_replaced = self._offset_in_group(offset)
        vector = at.low // self.stride
        if is_replaced:
            raise ProofError(f"the last vector of {self.name} may be stored in the place of another one")
        if self.walk.guard is not None and self.walk.guard != vector:
            raise ProofError(f"a vector of {self.name} is stored if another one is below batch")
        if self.walk.guard is None and self.group > 1:
            raise ProofError(f"a vector of {self.name} is stored that may not be below batch")
        agent = self.walk.agent
        if not all(other[0] == agent[0] and other[1] < agent[1] for other in self.replaced):
            raise ProofError(f"the last vector of {self.name} may be loaded while it is stored")
        self.is_changed = True
        super().store(at, value, facts)

    def begin_launch(self) -> None:
        """Forget the accesses of the launches before."""
        super().begin_launch()
        self.replaced.clear()
        self.is_changed = False

    def _offset_in_group(self, offset: Value) -> tuple[Value, bool]:
        """Return an offset within the group, and whether the vector may be replaced by the last one."""
        rest = dict(offset.polynomial)
        at, step = int(rest.pop((), 0)), rest.pop((GROUP,), 0)
        if step != self.stride * self.group or len(rest) > 1:
            raise ProofError(f"an access to {self.name} is not proven to lie in the vectors of its group")
        for monomial, coefficient in rest.items():
            vector = self.walk.replaced.get(monomial) if self.walk.is_in_part else None
            if vector is None or coefficient != -self.stride or at // self.stride != vector:
                raise ProofError(f"an access to {self.name} is not proven to lie in a vector of its group")
        if not 0 <= at < self.stride * self.group:
            raise ProofError(f"an access to {self.name} lies outside the vectors of its group")
        return Value(constant(at), at, at), bool(rest)
