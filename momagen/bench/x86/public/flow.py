"""The propagation of public numbers through functions and calls.

It starts at the arguments of ``execute`` and determines what is known at every conditional jump.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from .calls import ARGUMENTS, Changed, forget_written, given
from .effects import effect
from .kinds import OPEN, PUBLIC, ZERO, Kind, Known, joined, known_at_entry
from .listing import WORD, Instruction, instructions

BY_CARRY, BY_BOTH = ("b", "ae", "c", "nc", "nae", "nb"), ("a", "be", "na", "nbe")
"""The conditions that read only the carry flag, and the conditions that also read other flags."""


IF_ZERO, IF_OTHER = ("je", "jz"), ("jne", "jnz")
"""The jumps that are taken if a number is zero, and the jumps that are taken if it is not."""


def public_jumps(
    functions: Mapping[str, Sequence[str]], entry: str, plan: str = OPEN, arrays: Collection[int] = ()
) -> frozenset[int]:
    """Return the addresses of the conditional jumps that do not depend on data.

    Either public numbers determine them, or the entry function never reaches them because it passes a null
    pointer.

    Args:
        functions: The lines of each function.
        entry: The function whose arguments are a plan, public addresses and public numbers.
        plan: The kind of its first argument.
        arrays: The positions of its arguments, from 1 on, that are addresses of public numbers or of
            addresses.
    """
    bodies = {name: instructions(lines) for name, lines in functions.items()}
    flows = {name: FunctionFlow(name, found) for name, found in bodies.items()}
    changed, begins, results = (
        Changed(bodies),
        {entry: known_at_entry(ARGUMENTS, plan, arrays)},
        dict[str, Kind].fromkeys(bodies),
    )
    waiting = [entry]
    while waiting:
        flow = flows[waiting.pop()]
        flow.follow(begins[flow.name], changed, results)
        for called, known in flow.calls:
            before = begins.get(called)
            if called in bodies and before != (now := known if before is None else before.join(known)):
                begins[called] = now
                waiting.append(called)
        if results[flow.name] != flow.result:
            results[flow.name] = flow.result
            waiting += [name for name in begins if any(called == flow.name for called, _ in flows[name].calls)]
    entered = {each.target for name, found in bodies.items() for each in found if each.calls or each.leaves(name)}
    followed = [flows[name] for name in begins if flows[name].is_followed(entered)]
    return frozenset[int]().union(*(flow.public for flow in flows.values()), *(flow.unreached for flow in followed))


class FunctionFlow:
    """The known values at every jump and call of one function.

    A jump through a table may lead to every address that is not reached otherwise.

    Attributes:
        public: The conditional jumps that do not depend on data.
        reached: The conditional jumps to which a path leads.
        calls: The functions that it calls or jumps to, with the known values there.
        result: The kind of its return value.
    """

    def __init__(self, name: str, found: Sequence[Instruction]) -> None:
        self.name, self.found = name, found
        self.at = {each.address: i for i, each in enumerate(found)}
        ends = {i + 1 for i, each in enumerate(found) if each.op.startswith(("jmp", "ret"))}
        led = {self.at[each.target] for each in found if each.jumps and each.target in self.at}
        self.loose = ends - led - {0, len(found)}
        self.heads = led | self.loose
        self.public, self.reached = set[int](), set[int]()
        self.calls: list[tuple[str, Known]] = []
        self.result: Kind = None

    def follow(self, known: Known, changed: Changed, results: Mapping[str, Kind]) -> None:
        """Propagate the known values from the beginning of the function.

        Args:
            known: The known values at the beginning.
            changed: The registers that each function changes.
            results: The kinds of the return values of functions.
        """
        self.changed, self.results = changed, results
        arriving, waiting = {0: known}, [0]
        while waiting:
            for head, there in self._from(at := waiting.pop(), arriving[at].copy()):
                before = arriving.get(head)
                if before != (now := there if before is None else before.join(there)):
                    arriving[head] = now
                    waiting.append(head)
        self.public, self.reached, self.calls, given_back = set(), set(), [], list[Kind]()
        for at, there in arriving.items():
            for _ in self._from(at, there.copy(), given_back):
                pass
        self.result = given_back[0] if given_back else None
        for kind in given_back:
            self.result = joined(self.result, kind)

    def is_followed(self, entered: Collection[int]) -> bool:
        """Return whether all paths through the function are known.

        They are not if the function has a jump through a table or a jump whose target is not in the listing.
        They are not, either, if a call or jump in another function leads to an instruction of this function
        other than the first one.

        Args:
            entered: The addresses to which the calls and jumps of other functions lead.
        """
        inside = self.at.keys() & entered
        return inside <= {each.address for each in self.found[:1]} and all(
            each.target in self.at or each.leaves(self.name) for each in self.found if each.jumps
        )

    @property
    def unreached(self) -> set[int]:
        """The conditional jumps to which no path leads from the beginning."""
        return {each.address for each in self.found if each.is_conditional} - self.reached

    def _from(self, at: int, known: Known, noted: list[Kind] | None = None) -> Iterator[tuple[int, Known]]:
        """Yield the next targets of jumps that are reached from instruction ``at``, with the known values there.

        If ``noted`` is a list, return values are appended to it, and jumps and calls on the path are
        recorded.
        """
        for i in range(at, len(self.found)):
            found = self.found[i]
            if i > at and i in self.heads:
                yield i, known
                return
            if noted is not None:
                self._note(found, known, noted)
            on_zero = known.held.get("flags") == ZERO
            if found.jumps and found.target in self.at and not (on_zero and found.op in IF_OTHER):
                yield self.at[found.target], known.copy()
            if on_zero and found.op in IF_ZERO:
                return
            if found.op.startswith("jmp") and found.target < 0:
                yield from ((head, known.copy()) for head in self.loose)
            if found.op.startswith(("jmp", "ret")):
                return
            effect(known, found)
            if found.calls:
                if found.symbol not in self.results:
                    forget_written(known, found.symbol)
                changed = self.changed.by(found.symbol)
                for name in changed:
                    known.hold(name, self._given_back(found.symbol) if name == "a" else None)

    def _note(self, found: Instruction, known: Known, results: list[Kind]) -> None:
        if found.calls:
            self.calls.append((found.symbol, given(known, WORD)))
        if found.leaves(self.name):
            self.calls.append((found.symbol, given(known, 0)))
            results.append(self._given_back(found.symbol))
        if found.op.startswith("ret"):
            results.append(known.held.get("a"))
        if found.is_conditional:
            self.reached.add(found.address)
            self.public |= {found.address} if _decided(found.op[1:], known) else set()

    def _given_back(self, name: str) -> Kind:
        """Return the kind of a function's return value.

        Functions outside the listing return addresses of allocated memory.
        """
        return self.results.get(name, PUBLIC if name else None)


def _decided(condition: str, known: Known) -> bool:
    """Return whether a condition depends on public numbers only."""
    if condition.endswith("cxz"):
        return known.held.get("c") is not None
    asked = ["carry"] if condition in BY_CARRY else ["carry", "flags"] if condition in BY_BOTH else ["flags"]
    return all(known.held.get(flag) is not None for flag in asked)
