"""The back end of the Ring Processing Unit: random code by every set of steps against code on as many registers as it
likes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest

from momagen.errors import MomagenError
from momagen.kernels.spec.make_spec import make_spec
from momagen.rpu.backend.compile import LOOSE, SPILL, CompiledCode, MemoryFrame, compiled
from momagen.rpu.backend.registers import pressure
from momagen.rpu.backend.steps import (
    ALL, FORWARDING, PLACEMENT, RECTANGLES, SCHEDULES, SCHEDULING, SPILLING, STEPS, Steps, steps_without,
)  # fmt: skip
from momagen.rpu.backend.stores import without_dead_stores
from momagen.rpu.backend.virtual import Code, VirtualOp
from momagen.rpu.isa.instruction import LOAD_STORE, instruction
from momagen.rpu.isa.program import Area, RpuProgram
from momagen.rpu.machine.design import Design, load_design
from momagen.rpu.programs.elementwise import RpuElementwise
from momagen.rpu.programs.product import product_program
from momagen.rpu.programs.transform import RpuTransform
from momagen.rpu.programs.writer import transform_program
from momagen.simulate.cycles import count_cycles
from momagen.simulate.functional import Functional
from momagen.verify.rpu.elementwise import check_elements
from momagen.verify.rpu.products import check_products
from momagen.verify.rpu.transforms import check_transforms

Q, WORDS, LANES, SCRATCH = 2**61 - 1, 16 * 512, range(512), Area(12 * 512, 4 * 512)
PAPER = load_design("rpu-paper")
MODES: dict[str, Callable[[int, int], int]] = {
    "contiguous": lambda i, v: i, "strided": lambda i, v: i * 2**v, "repeated": lambda i, v: i % 2**v,
    "skip": lambda i, v: i // 2**v * 2 ** (v + 1) + i % 2**v,
}  # fmt: skip
Vector = list[int]
MEANING: dict[str, Callable[[Vector, Vector], Vector]] = {
    "vadd": lambda x, y: [(a + b) % Q for a, b in zip(x, y, strict=True)],
    "vsub": lambda x, y: [(a - b) % Q for a, b in zip(x, y, strict=True)],
    "vmul": lambda x, y: [a * b % Q for a, b in zip(x, y, strict=True)],
    "unpklo": lambda x, y: [(x, y)[i % 2][i // 2] for i in LANES],
    "unpkhi": lambda x, y: [(x, y)[i % 2][256 + i // 2] for i in LANES],
    "pklo": lambda x, y: [*x[::2], *y[::2]], "pkhi": lambda x, y: [*x[1::2], *y[1::2]],
}  # fmt: skip


def memory_behind(ops: list[VirtualOp], memory: Vector) -> Vector:
    """What is in memory behind the code, each of its registers a vector of its own."""
    memory, made = [*memory], dict[int, Vector]()
    names = ["contiguous", "strided", "skip", "repeated"]
    for op in ops:
        given = [made[each] for each in op.arguments]
        begin, mode, v = (op.fields.get(name, 0) for name in ("ADDRESS", "MODE", "VALUE"))
        places = [begin + MODES[names[mode]](i, v) for i in LANES]
        if op.name == "vstore":
            for place, value in zip(places, given[0], strict=True):
                memory[place] = value
        elif op.name == "vload":
            made[op.results[0]] = [memory[place] for place in places]
        elif op.name == "vbroadcast":
            made[op.results[0]] = [memory[begin]] * 512
        elif op.name == "bfly":
            x, t = given[0], MEANING["vmul"](given[1], given[2])
            made |= dict(zip(op.results, (MEANING["vadd"](x, t), MEANING["vsub"](x, t)), strict=True))
        else:
            made[op.results[0]] = MEANING[op.name](*given)
    return memory


def random_code(seed: int, count: int, alive: int) -> Code:
    """``count`` instructions on the last ``alive`` values, and stores of some that are left; places overlap."""
    rng, code = random.Random(seed), Code()
    made = [code.load(512 * i) for i in range(4)]
    places = [*[(512 * i, "contiguous", 0) for i in range(16)], (100, "contiguous", 0), (5000, "strided", 1),
              (0, "strided", 2), (1024, "skip", 4), (4096, "skip", 8), (6144, "contiguous", 0)]  # fmt: skip
    for _ in range(count):
        x, y, v = (rng.choice(made[-alive:]) for _ in "xyv")
        kind = rng.randrange(10)
        if kind < 3:
            made.append(code.load(*rng.choice([*places, (40, "repeated", 3)])))
        elif kind < 5:
            code.store(x, *rng.choice(places))
        elif kind < 6:
            made.append(code.broadcast(rng.randrange(WORDS)))
        elif kind < 7:
            made.extend(code.butterfly(x, y, v, 0))
        elif kind < 9:
            made.append(code.arithmetic(rng.choice(["vadd", "vsub", "vmul"]), x, y, 0))
        else:
            made.append(code.shuffle(rng.choice(["unpklo", "unpkhi", "pklo", "pkhi"]), x, y))
    for at, each in enumerate(made[-alive:]):
        code.store(each, *places[at % len(places)])
    return code


def run(made: CompiledCode, memory: Vector) -> Vector:
    program = RpuProgram([instruction("mload", {"MT": 0, "ADDRESS": 0}), *made.instructions], {0: [Q]}, {0: memory})
    machine = Functional(program, 4 << 20, 1 << 12)
    machine.run()
    return machine.vdm.get(0, WORDS, "")


def spoiled(steps: Steps) -> slice:
    """Words that are to be right: all, or all but those that nobody reads afterwards."""
    return slice(0, SCRATCH.begin) if FORWARDING in steps else slice(0, WORDS)


SETS = [frozenset(some) | {SPILLING} for count in range(4)
        for some in combinations([FORWARDING, SCHEDULING, PLACEMENT, "ports"], count)] + [ALL]  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_every_set_of_steps_computes_the_same(seed: int) -> None:
    rng = random.Random(seed)
    code, memory = random_code(seed, 250, (40, 90, 160)[seed % 3]), [rng.randrange(Q) for _ in range(WORDS)]
    wanted, spilled = memory_behind(code.ops, memory), 0
    designs = [None, PAPER, PAPER.having(queue=1, share=True), PAPER.having(stacked=0, late=True, interval=2)]
    for at, steps in enumerate(SETS):
        made = compiled(code, MemoryFrame(WORDS, [SCRATCH]), designs[(at + seed) % 4], steps)
        assert run(made, memory)[spoiled(steps)] == wanted[spoiled(steps)], sorted(steps)
        spilled += SPILL in made.areas
    assert spilled or pressure(code.ops) <= 64
    assert (pressure(code.ops) > 64) == (seed % 3 > 0)
