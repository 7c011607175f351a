"""The back end of the Ring Processing Unit: random code by every set of steps against code on as many registers as it
likes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest

from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.rpu.backend.compile import SPILL, CompiledCode, MemoryFrame, compiled
from momagen.rpu.backend.steps import (
    ALL,
    FORWARDING,
    PLACEMENT,
    PORTS,
    RECTANGLES,
    SCHEDULES,
    SCHEDULING,
    SPILLING,
    STEPS,
    Steps,
    steps_without,
)  # fmt: skip
from momagen.rpu.backend.stores import without_dead_stores
from momagen.rpu.backend.virtual import Code, VirtualOp
from momagen.rpu.isa.instruction import instruction
from momagen.rpu.isa.program import Area, RpuProgram
from momagen.rpu.machine.design import load_design
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
            made.extend(code.compute("bfly", (x, y, v), 0))
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


def kept(steps: Steps) -> slice:
    """Words that are to be right: all, or all but those that nobody reads afterwards."""
    return slice(0, SCRATCH.begin) if FORWARDING in steps else slice(0, WORDS)


SETS = [frozenset(some) | {SPILLING} for count in (0, 1, 4)
        for some in combinations([FORWARDING, SCHEDULING, PLACEMENT, PORTS], count)]  # fmt: skip
DESIGNS = [None, PAPER, PAPER.having(queue=1, share=True), PAPER.having(stacked=0, late=True, interval=2)]


@pytest.mark.parametrize(("seed", "alive"), [(0, 40), (1, 90), (2, 160), (3, 64)])
def test_every_set_of_steps_computes_the_same(seed: int, alive: int) -> None:
    rng = random.Random(seed)
    code, memory = random_code(seed, 220, alive), [rng.randrange(Q) for _ in range(WORDS)]
    wanted = memory_behind(code.ops, memory)
    for at, steps in enumerate(SETS):
        made = compiled(code, MemoryFrame(WORDS, [SCRATCH]), DESIGNS[(at + seed) % 4], steps)
        assert run(made, memory)[kept(steps)] == wanted[kept(steps)], sorted(steps)
        assert (SPILL in made.areas) == (alive > 64)


def counts(made: CompiledCode | RpuProgram) -> Counter[str]:
    return Counter(each.opcode.name for each in made.instructions)


def test_what_memory_still_holds_is_not_stored() -> None:
    """70 operands, of which 64 fit: 6 are loaded twice."""
    code = Code()
    loaded = [code.load(512 * at) for at in range(70)]
    for x, y in zip(loaded[:35], loaded[35:], strict=True):
        code.store(code.arithmetic("vadd", x, y, 0), 512 * 70)
    made = compiled(code, MemoryFrame(1 << 16), None, ALL - {FORWARDING})
    assert counts(made) == {"vload": 76, "vstore": 35, "vadd": 35} and not made.areas


@pytest.mark.parametrize("alive", [64, 65, 70, 100])
def test_of_what_was_computed_as_little_as_can_be_is_stored(alive: int) -> None:
    """Of values that are all alive at one time, those that find no register are stored and loaded once."""
    code = Code()
    x = code.load(0)
    values = [code.arithmetic("vadd", x, x, 0) for _ in range(alive)]
    for each in values:
        code.store(each, 512)
    made = compiled(code, MemoryFrame(1024), None, ALL - {FORWARDING})
    spilled = alive - 64
    assert counts(made) == {"vload": 1 + spilled, "vadd": alive, "vstore": alive + spilled}
    assert made.areas == ({SPILL: Area(1024, 512 * spilled)} if spilled else {})


def test_what_finds_no_room_is_refused() -> None:
    code = Code()
    for each in [code.load(at) for at in range(66)]:
        code.store(each, 0)  # no store may come before the last load, and no value is in memory behind the first
    steps = ALL - {FORWARDING}  # which would leave all stores out but the last
    for design in (None, PAPER):
        with pytest.raises(MomagenError, match="more than 64 vectors are live at once"):
            compiled(code, MemoryFrame(WORDS), design, steps - {SPILLING})
        with pytest.raises(MomagenError, match=r"spilled vectors need .* words, and the vector memory has 1048576"):
            compiled(code, MemoryFrame((1 << 20) - 512), design, steps)
        assert SPILL in compiled(code, MemoryFrame((1 << 20) - 512 * 20), design, steps).areas
    code = Code()
    code.load(0, "strided", 20)
    with pytest.raises(MomagenError, match="addresses below 2097152 words, got 535822336"):
        compiled(code, MemoryFrame(WORDS), None)


@pytest.mark.parametrize("steps", [ALL, ALL - {SPILLING}])
def test_what_is_drawn_forward_leaves_registers_for_the_rest(steps: Steps) -> None:
    """A chain of products, all of which are read at its end, and loads that wait for nothing and could fill all
    registers but a few meanwhile."""
    code = Code()
    chain = [code.load(0)]
    for _ in range(30):
        chain.append(code.arithmetic("vmul", chain[-1], chain[-1], 0))
    for each in reversed(chain):
        code.store(code.arithmetic("vadd", each, chain[0], 0), 512)
    for each in [code.load(1024 + 512 * at) for at in range(55)]:
        code.store(each, 512)
    made = compiled(code, MemoryFrame(1 << 16), PAPER, steps - {FORWARDING})
    assert counts(made) == {"vload": 56, "vmul": 30, "vadd": 31, "vstore": 86}


def test_loads_of_what_was_stored_take_the_register() -> None:
    code = Code()
    x = code.load(0)
    for address, mode, value in ((512, "contiguous", 0), (1024, "strided", 1)):
        code.store(x, address, mode, value)
        code.store(code.load(address, mode, value), 4096)  # the same place: forwarded
    code.store(code.load(1024, "strided", 2), 4608)  # words of two stores
    code.store(code.load(1024, "skip", 0), 5120)  # another mode, though the same words
    code.store(x, 100)
    code.store(code.load(512), 5632)  # overwritten in part
    made = compiled(code, MemoryFrame(8192), None)
    assert [each["ADDRESS"] for each in made.instructions if each.opcode.name == "vload"] == [0, 1024, 1024, 512]
    without = compiled(code, MemoryFrame(8192), None, ALL - {FORWARDING})
    assert counts(without)["vload"] == 6


def test_stores_that_nothing_reads_are_left_out() -> None:
    code, scratch = Code(), Area(2048, 1024)
    x = code.load(0)
    for address in (512, 2048, 512, 2560, 1100, 2048):  # 2560 is never read, the first two are stored again before
        code.store(x, address)
    code.load(2100)
    code.store(x, 2048)  # read by nothing, behind the load
    left = [op.fields["ADDRESS"] for op in without_dead_stores(code.ops, [scratch]) if op.name == "vstore"]
    assert left == [512, 2560, 1100, 2048]  # of 2560 the load has 52 words
    assert len(without_dead_stores(code.ops, [])) == len(code.ops) - 2


def transform(n: int, flow: str, *, inverse: bool = False) -> RpuTransform:
    spec = make_spec("ntt", n=n, bits=128, negacyclic=True, target="c")
    return RpuTransform(n, spec.modulus, spec.root, True, inverse, flow)


@pytest.mark.parametrize("flow", ["pease", "unpacked"])
def test_a_transform_stage_by_stage_keeps_its_values_in_registers(flow: str) -> None:
    """8 vectors are loaded and stored once, and twiddles; without forwarding 12 times."""
    of = transform(4096, flow)
    steps = steps_without(ALL, [RECTANGLES])
    made, plain = (transform_program([of], None, steps=each) for each in (steps, steps - {FORWARDING}))
    assert counts(made)["vstore"] == 8 and counts(plain)["vstore"] == 8 * 12
    assert counts(plain)["vload"] - counts(made)["vload"] == 8 * 11
    assert check_transforms([of], 1, made, PAPER) == check_transforms([of], 1, plain, PAPER) == 4096


@pytest.mark.parametrize("left_out", STEPS)
def test_every_step_may_be_left_out(left_out: str) -> None:
    steps = ALL - {left_out}
    for flow, inverse in (("pease", True), ("unpacked", False), ("strided", True)):
        of = transform(2048, flow, inverse=inverse)
        assert check_transforms([of], 2, transform_program([of], PAPER, 2, steps), PAPER) == 2 * 2048
    of = transform(2048, "pease")
    assert check_products([of], 1, product_program([of], PAPER, 1, steps), PAPER) == 2048
    sums = RpuElementwise("axpy", 1024, (97,), (5,))
    assert check_elements(sums, sums.program(PAPER, steps), PAPER) == 1024


@pytest.mark.parametrize(("n", "flow"), [(16384, "pease"), (8192, "strided")])
def test_what_steps_are_worth(n: int, flow: str) -> None:
    """Each that pays here, by a twentieth at least; forwarding by less, and never to a loss."""
    of, machine = transform(n, flow), PAPER if flow == "pease" else load_design("rpu-best")
    cycles = {name: count_cycles(transform_program([of], machine, 1, ALL - {name}).instructions, machine).cycles
              for name in ("", SCHEDULING, PLACEMENT, PORTS, FORWARDING)}  # fmt: skip
    for name in (SCHEDULING, PLACEMENT, PORTS):
        assert cycles[name] > 1.05 * cycles[""], name
    assert cycles[FORWARDING] >= cycles[""]


def test_names_of_steps() -> None:
    assert {"timed": ALL, "placed": ALL - {PORTS, FORWARDING}, "naive": {RECTANGLES, SPILLING}} == SCHEDULES
    with pytest.raises(MomagenError, match=f"one of the back end's steps {', '.join(STEPS)}, got port"):
        steps_without(ALL, ["port"])
