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
"""The number of points, and the number of transforms of a call."""


def of_sizes(programs: Mapping[int, Program]) -> Program:
    """Return the program that computes transforms of several sizes.

    Args:
        programs: The programs for the single sizes, by their number of points. Functions that they have in
            common occur once in the result.
    """
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
    """A writer of functions that select one of several programs by the number of points.

    Attributes:
        programs: The programs by their number of points.
        shared: The functions, arrays and procedures of all programs.
        names: The names that the parts of each program have in ``shared``.
    """

    def __init__(self, programs: Mapping[int, Program]) -> None:
        self.programs, self.shared = programs, Shared()
        self.names: dict[int, Names] = {n: self.shared.add(program, n) for n, program in programs.items()}

    def fields(self, role: str) -> list[Field]:
        """Return the arrays of all sizes.

        Each is as long as the longest one. If it is allocated, its field names a function that returns the
        length for n.

        Args:
            role: The attribute of programs that lists the arrays: "kept", "beside" or "room".
        """
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
        """Return the number of words of the array ``name`` for n points."""
        program = self.programs[n]
        return sum(field.words for field in (*program.kept, *program.beside, *program.room) if field.name == name)

    def own(self, role: str, n: int) -> Function:
        """Return the function with a role in the program for n points.

        Args:
            role: The attribute of programs that names the function, such as "run".
            n: The number of points.
        """
        return self.shared.functions[self.names[n][getattr(self.programs[n], role)]]

    def call(self, role: str, n: int) -> Call:
        """Return a call of the function with a role, whose arguments are the names of its parameters."""
        own = self.own(role, n)
        return own(*own.params)

    def params(self, role: str, fields: Sequence[Field] = ()) -> tuple[list[Name], list[Name]]:
        """Return the parameters of all functions with a role: first the parameters for ``fields``, then the others."""
        found = {param.text: param for n in self.programs for param in self.own(role, n).params}
        return [found.pop(field.name) for field in fields], [*found.values()]

    def choose(self, f: Function, value: Callable[[int], Operand]) -> str:
        """Let ``f`` return a value that depends on n, add it to the program, and return its name.

        Args:
            f: The function, whose argument n must be a supported size.
            value: The value for each n.
        """
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
        """Let ``f`` compute the transforms of a batch in order, add it to the program, and return its name.

        Args:
            f: The function.
            pointers: The parameters that advance from one transform to the next.
        """
        cases, moved = Switch(N), {each.text for each in pointers}
        f.add(cases)
        for n, program in self.programs.items():
            own = self.own("run", n)
            with f.case(cases, n), f.rounded(program.rounds), f.each("b", BATCH) as b:
                step = b * program.stride
                f.do(own(*(param + step if param.text in moved else param for param in own.params)))
        return self.shared.put(f)


def _shown(value: Operand) -> object:
    """Return a key that is equal for equal values."""
    return value.name if isinstance(value, Call) else value
