"""The scheduler's model of a machine against the simulator: two descriptions that know nothing of each other."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from momagen.kinds.modular.make_spec import make_spec
from momagen.rpu.backend.steps import SCHEDULES
from momagen.rpu.backend.timing import Timeline, expected, unit_use
from momagen.rpu.isa.assembly import assemble
from momagen.rpu.isa.instruction import RpuInstruction
from momagen.rpu.machine.design import Design, load_design
from momagen.rpu.programs.transform import RpuTransform
from momagen.rpu.programs.writer import transform_program
from momagen.simulate.cycles import count_cycles

PAPER, BEST = load_design("rpu-paper"), load_design("rpu-best")
Times = list[tuple[int, int, int]]


class Agreement(NamedTuple):
    """Times by the model and by the simulator, and the first instruction that a later one overtakes."""

    model: Times
    simulator: Times
    overtaken: int

    @property
    def drift(self) -> float:
        """The model's cycles over the simulator's."""
        return max(each[2] for each in self.model) / max(each[2] for each in self.simulator)


def compared(program: list[RpuInstruction], design: Design) -> Agreement:
    timeline, model = Timeline(design), list[tuple[int, int, int]]()
    for each in program:
        reads, writes = ([number for file, number in some if file == "v"] for some in (each.reads, each.writes))
        slot = timeline.put(unit_use(each, design), reads, writes)
        model.append((slot.dispatch, slot.start, slot.end))
    assert expected(program, design) == timeline.last
    found = count_cycles(program, design)
    starts = found.started.tolist()
    simulator = [*zip(found.dispatched.tolist(), starts, found.ended.tolist(), strict=True)]
    overtaken = next((at for at, start in enumerate(starts) if start > min(starts[at:])), len(starts))
    return Agreement(model, simulator, overtaken)


def random_program(seed: int, count: int = 120) -> list[RpuInstruction]:
    rng = random.Random(seed)
    most = rng.choice([12, 64])

    def line() -> str:
        a, b, c, d, e = (f"v{each}" for each in rng.sample(range(most), 5))
        return rng.choice([
            f"vadd {a}, {b}, {rng.choice([b, c])}, m0", f"vmul {a}, {a}, {c}, m0", f"bfly {a}, {b}, {c}, {d}, {e}, m0",
            f"bfly {a}, {b}, {b}, {a}, {a}, m0", f"unpklo {a}, {b}, {c}", f"pkhi {a}, {b}, {b}",
            f"vload {a}, a0[{rng.randrange(999)}], strided {rng.randrange(3)}", f"vstore {a}, a0[{rng.randrange(999)}]",
            f"vbroadcast {a}, a0[7]",
        ])  # fmt: skip

    return assemble("\n".join(line() for _ in range(count)))


PORTLESS = [{}, {"interval": 2}, {"late": True}, {"share": True}, {"queue": 1}, {"dispatch": 2}, {"hples": 32},
            {"interval": 3, "share": True, "queue": 2, "late": True}]  # fmt: skip


@pytest.mark.parametrize("change", PORTLESS)
def test_without_ports_all_times_are_the_same(change: dict[str, object]) -> None:
    for seed in range(4):
        found = compared(random_program(seed), PAPER.having(stacked=0, **change))
        assert found.model == found.simulator


PORTS = [*PORTLESS, {"stacked": 1, "share": True}, {"stacked": 16}]


@pytest.mark.parametrize("change", PORTS)
def test_times_are_the_same_up_to_an_instruction_that_is_overtaken(change: dict[str, object]) -> None:
    """A queue that waits long has the others overtake it; an instruction every few cycles seldom waits."""
    short = long = 0
    for seed in range(8):
        program, design = random_program(seed), PAPER.having(**change)
        found = compared(program, design)
        assert found.model[: found.overtaken] == found.simulator[: found.overtaken]
        assert 0.9 < found.drift < 1.1
        seldom = compared(program, design.having(dispatch=8))
        assert seldom.model[: seldom.overtaken] == seldom.simulator[: seldom.overtaken]
        short, long = short + found.overtaken, long + seldom.overtaken
    assert short > 8 * 4 and long > 8 * 9


PROGRAMS = [(1024, "pease", PAPER), (4096, "unpacked", BEST), (8192, "pease", PAPER), (8192, "strided", BEST)]


@pytest.mark.parametrize(("n", "flow", "machine"), PROGRAMS)
@pytest.mark.parametrize("change", [{}, {"interval": 2}, {"stacked": 1}, {"queue": 2, "late": True}])
def test_what_a_scheduler_expects_comes_true(n: int, flow: str, machine: Design, change: dict[str, object]) -> None:
    """A scheduler that knows the ports places instructions where none is overtaken to its loss. Of programs by one that
    does not, up to a fifth is what the model leaves out: a younger instruction may take a port first."""
    design, spec = machine.having(**change), make_spec("ntt", n=n, bits=128, negacyclic=True, target="c")
    of = RpuTransform(n, spec.modulus, spec.root, True, flow=flow)
    drifts = {}
    for name, steps in SCHEDULES.items():
        found = compared(transform_program([of], design, steps=steps).instructions[1:], design)
        assert found.model[: found.overtaken] == found.simulator[: found.overtaken]
        drifts[name] = found.drift
    assert abs(drifts["timed"] - 1) < 0.01
    assert all(0.8 < each < 1.1 for each in drifts.values())
