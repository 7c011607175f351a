"""How threads divide a call: the interpreter runs the functions of ``rules/sharing.toml``, against plain arithmetic."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from momagen.api.native import resolved
from momagen.kinds.modular.derived import sharing
from momagen.kinds.modular.derived.sharing import GRAIN, smallest_part
from momagen.kinds.modular.spec import Spec
from momagen.lower.kernels import lowered
from momagen.program.interpret import Interpreter, Pointer

REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "elements": ("vadd", {"modulus": 97}),
    "elements of several moduli": ("axpy", {"moduli": 3, "modulus_bits": 100}),
    "transforms": ("ntt", {"n": 8, "modulus_bits": 50}),
    "transforms of several moduli": ("ntt", {"n": 8, "moduli": 3, "modulus_bits": 100}),
    "products": ("polymul", {"n": 8, "modulus_bits": 100}),
    "extensions": ("lde", {"n": 8, "modulus_bits": 50, "blowup": 4, "coset": 1, "input_order": "natural"}),
}


class Part(NamedTuple):
    """One call of the kernel of one modulus, as a thread makes it."""

    first: int
    done: int
    modulus: int
    operand: int
    result: int
    scalar: int


class Shared:
    """The functions of a shared program, called by the names of their arguments as the C template does."""

    def __init__(self, spec: Spec) -> None:
        self.program = lowered(spec).program
        self._run = Interpreter(self.program.functions, self.program.statics, 1)

    def call(self, name: str, **given: int) -> int:
        """Return the result of ``name``; arguments that this program does not need are left out."""
        return int(self._run.call(name, *(given[each.text] for each in self.program.functions[name].params)))

    def parts(self, count: int, moduli: int, me: int, team: int) -> list[Part]:
        """Return what thread ``me`` of ``team`` does: the loop of ``part_of`` in templates/c/threads/plan.c.j2."""
        sizes = {"count": count, "moduli": moduli}
        all_ = self.call("of_all_moduli", **sizes)
        limit = self.call("part_ends", all=all_, part=me, parts=team)
        i, found = self.call("part_begins", all=all_, part=me, parts=team), list[Part]()
        while i < limit:
            m, operand = self.call("modulus_at", i=i, **sizes), self.call("operand_at", i=i, **sizes)
            result = self.call("result_at", i=i) if self.program.gives != self.program.stride else operand
            scalar = self.call("scalar_at", modulus=m) if "scalar_at" in self.program.functions else -1
            found.append(Part(i, self.call("at_once", i=i, limit=limit, **sizes), m, operand, result, scalar))
            assert found[-1].done > 0, "a loop without an end"
            i += found[-1].done
        return found


def shared(kind: str, given: dict[str, Any]) -> tuple[Spec, Shared]:
    spec = resolved(kind, threads="3", **given)
    return spec, Shared(spec)


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("team", [1, 2, 3, 8])
def test_every_number_is_done_once_by_one_thread(name: str, team: int) -> None:
    """Nothing is left out and nothing is done twice, which would spoil a call in place; no call mixes two moduli."""
    spec, program = shared(*REQUESTS[name])
    words, moduli = spec.arith.words, max(len(spec.basis), 1)
    for count in (1, 2, 5, 7):
        done = [part for me in range(team) for part in program.parts(count, moduli, me, team)]
        rows = [(part, i) for part in done for i in range(part.first, part.first + part.done)]
        assert [i for _, i in rows] == [*range(count * moduli)]
        assert all(part.modulus == i // count for part, i in rows)
        for part in done:
            at = part.first % count * moduli + part.modulus if spec.n and spec.basis else part.first
            assert (part.operand, part.result) == (at * spec.elements * words, at * spec.results * words)
            assert part.scalar == (part.modulus * words if spec.ranges.scalars else -1)


@pytest.mark.parametrize("count", [1, 7, 8, 1000])
def test_parts_differ_by_one_at_most(count: int) -> None:
    _, program = shared(*REQUESTS["elements"])
    ends = [program.call("part_begins", all=count, part=part, parts=7) for part in range(8)]
    sizes = [end - begin for begin, end in pairwise(ends)]
    assert (ends[0], ends[-1]) == (0, count) and min(sizes) >= 0
    assert max(sizes) - min(sizes) <= 1
    assert [program.call("part_ends", all=count, part=part, parts=7) for part in range(7)] == ends[1:]


def test_the_largest_count_is_divided_without_overflow() -> None:
    _, program = shared(*REQUESTS["elements"])
    most = 2**64 - 1
    ends = [program.call("part_begins", all=most, part=part, parts=1024) for part in range(1025)]
    assert ends == sorted(ends) and (ends[0], ends[-1]) == (0, most)


def test_a_thread_is_worth_a_grain_of_work() -> None:
    spec, program = shared(*REQUESTS["elements"])
    grain = smallest_part(spec)
    assert grain == GRAIN
    for all_, threads, expected in (
        (0, 4, 1), (1, 4, 1), (grain - 1, 4, 1), (grain, 4, 2), (3 * grain - 1, 4, 3), (3 * grain, 4, 4),
        (4 * grain, 4, 4), (100 * grain, 4, 4), (100 * grain, 1, 1),
    ):  # fmt: skip
        assert program.call("worth_threads", all=all_, threads=threads) == expected, (all_, threads)


def test_steps_of_split_transforms_are_all_phases_of_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "SPLIT", 1 << 6)
    given = {"n": 1 << 10, "modulus_bits": 252, "target": "avx512ifma", "storage": "words", "levels": 3}
    options = {"threads": "3", "storage": given.pop("storage"), "levels": str(given.pop("levels"))}
    spec = resolved("ntt", **options, order="natural", inverse=True, **given)
    program, batch = Shared(spec), 3
    phases, stride = program.program.phases, spec.elements * spec.arith.words
    assert phases > 1
    steps = range(program.call("steps_of", batch=batch))
    found = [(program.call("step_at", step=step), program.call("phase_of", step=step)) for step in steps]
    assert found == [(b * stride, phase) for b in range(batch) for phase in range(phases)]
    (room,) = program.program.room
    assert room.each > 0
    assert [program.call("room_for", threads=t) for t in (1, 2, 9)] == [room.words + t * room.each for t in (1, 2, 9)]


def test_parts_of_a_phase_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of looped passes go 16 blocks at a time; a thread whose part began within 16 went on beyond the vector."""
    monkeypatch.setattr(sharing, "SPLIT", 1 << 8)
    spec = resolved("ntt", n=1 << 9, modulus_bits=50, target="avx2", threads="4")
    made = lowered(spec)
    program, lanes = made.program, made.writer.target.lanes
    run = Interpreter(program.functions, program.statics, lanes, spec.arith.word)
    kept, beside = ([Pointer([0] * field.words) for field in fields] for fields in (program.kept, program.beside))
    q, root = Pointer([spec.modulus]), Pointer([spec.root])
    assert run.call("modulus_fits", q) and run.call(program.setup, *kept, *beside, q, root)
    x, y = [i * i % spec.modulus for i in range(spec.n)], Pointer([0] * spec.n)
    room = [Pointer([0] * field.words) for field in program.room]
    for phase in range(program.phases):
        for part in range(4):
            run.call(program.run, y, Pointer(x), *kept, *room, phase, part, 4)
    assert y.words[:4] == first_values(spec, x)


def first_values(spec: Spec, x: list[int]) -> list[int]:
    """Return the first four values of the transform, in bit-reversed order, by definition."""
    bits = spec.n.bit_length() - 1
    points = [pow(spec.root, int(f"{i:0{bits}b}"[::-1], 2), spec.modulus) for i in range(4)]
    return [sum(a * pow(point, j, spec.modulus) for j, a in enumerate(x)) % spec.modulus for point in points]
