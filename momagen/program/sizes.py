"""Transforms of several sizes as one program, which takes the number of points as a last argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from .build import Function
from .contents import Names
from .expressions import Call, Name, Operand, Type
from .program import Field, Program
from .shared import Shared
from .statements import Switch

N, BATCH = Name("n"), Name("batch")


def of_sizes(programs: Mapping[int, Program]) -> Program:
    """The program that does what ``programs`` do, by their number of points; what they have in common is there once."""
    sizes = _Sizes(programs)
    kept, beside, room = (sizes.fields(role) for role in ("kept", "beside", "room"))
    known = Function("is_size", (N,), "Returns whether the kernel supports transforms of n points.", Type.COUNT)
    known.give((N & N - 1).is_(0).both(N > 1).both(max(programs) >= N))
    for field in (*kept, *beside, *room):
        if field.sized:
            sizes.choose(Function(field.sized, (N,), "", Type.COUNT), partial(sizes.words, field.name))
    arrays, given = sizes.params("setup", [*kept, *beside])
    setup = sizes.choose(Function("set_up", (*arrays, *given, N), "", Type.COUNT), partial(sizes.call, "setup"))
    arrays, given = sizes.params("fits")
    fits = sizes.choose(Function("fits", (*given, N), "", Type.COUNT), partial(sizes.call, "fits"))
    arrays, given = sizes.params("run", [*kept, *room])
    run = sizes.run(Function("run_batch", (*given, *arrays, BATCH, N)), given)
    shared, first = sizes.shared, next(iter(programs.values()))
    return replace(
        first, functions=shared.functions, statics=shared.statics, procedures=shared.made, setup=setup, run=run,
        fits=fits, kept=kept, beside=beside, room=room, stride=0, rounds=False, is_size=sizes.shared.put(known),
    )  # fmt: skip


class _Sizes:
    """Functions that choose by n between those of several programs."""

    def __init__(self, programs: Mapping[int, Program]) -> None:
        self.programs, self.shared = programs, Shared()
        self.names: dict[int, Names] = {n: self.shared.add(program, n) for n, program in programs.items()}

    def fields(self, role: str) -> list[Field]:
        """What all sizes together keep or work in: the longest array, or as many words as n asks for."""
        found: dict[str, Field] = {}
        for field in (field for program in self.programs.values() for field in getattr(program, role)):
            other = found.get(field.name, field)
            sized = "" if role == "kept" and not field.long else f"{field.name}_words"
            found[field.name] = field._replace(
                words=max(field.words, other.words), lined=field.lined or other.lined, sized=sized,
                in_place=field.in_place and other.in_place,
            )  # fmt: skip
        return [*found.values()]

    def words(self, name: str, n: int) -> int:
        """Words of the array ``name`` for n points."""
        program = self.programs[n]
        return sum(field.words for field in (*program.kept, *program.beside, *program.room) if field.name == name)

    def own(self, role: str, n: int) -> Function:
        """What does for n points what its program calls its ``role``."""
        return self.shared.functions[self.names[n][getattr(self.programs[n], role)]]

    def call(self, role: str, n: int) -> Call:
        """A call of that, with what its parameters are called."""
        own = self.own(role, n)
        return own(*own.params)

    def params(self, role: str, fields: Sequence[Field] = ()) -> tuple[list[Name], list[Name]]:
        """What all functions of that role take: arrays of ``fields``, and all else."""
        found = {param.text: param for n in self.programs for param in self.own(role, n).params}
        return [found.pop(field.name) for field in fields], [*found.values()]

    def choose(self, f: Function, value: Callable[[int], Operand]) -> str:
        """Let ``f`` return the value for n, which is known to be a size; its name."""
        first, *others = self.programs
        cases = Switch(N)
        f.add(cases)
        for n in others:
            if _shown(value(n)) != _shown(value(first)):
                with f.case(cases, n):
                    f.give(value(n))
        f.give(value(first))
        return self.shared.put(f)

    def run(self, f: Function, pointers: Sequence[Name]) -> str:
        """Let ``f`` do one transform of n points after another; its name."""
        cases, moved = Switch(N), {each.text for each in pointers}
        f.add(cases)
        for n, program in self.programs.items():
            own = self.own("run", n)
            with f.case(cases, n), f.rounded(program.rounds), f.each("b", BATCH) as b:
                step = b * program.stride
                f.do(own(*(param + step if param.text in moved else param for param in own.params)))
        return self.shared.put(f)


def _shown(value: Operand) -> object:
    """What tells ``value`` from another."""
    return value.name if isinstance(value, Call) else value
