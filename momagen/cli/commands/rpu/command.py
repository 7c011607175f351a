"""``momagen rpu``: generate, assemble, run and simulate programs for the Ring Processing Unit."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from momagen.api.native import resolved
from momagen.cli.options import add_json, path_of, refuse_others
from momagen.errors import MomagenError, among, reason
from momagen.rpu.backend.steps import SCHEDULES, STEPS, Steps, steps_without
from momagen.rpu.isa.assembly import disassemble
from momagen.rpu.machine.design import load_design
from momagen.rpu.programs.elementwise import KINDS, RpuElementwise, operands_of
from momagen.rpu.programs.flow import FLOWS
from momagen.rpu.programs.product import product_program
from momagen.rpu.programs.transform import RpuTransform, best_flow
from momagen.rpu.programs.writer import transform_program
from momagen.screen.progress import Phases
from momagen.simulate.functional import Functional
from momagen.verify.rpu.elementwise import check_elements
from momagen.verify.rpu.products import check_products
from momagen.verify.rpu.transforms import check_transforms

from .exploring import EXPLORING, add_exploring, complete, run_report, run_sweep
from .reading import read
from .telling import TEXT, C, counted, keep, tell

MACHINES = (
    "rpu-paper, rpu-late, rpu-best or a TOML file; several, separated by commas, for report"
    " (default: rpu-paper; report: rpu-paper,rpu-late)"
)
MAKERS = {"ntt": (transform_program, check_transforms), "polymul": (product_program, check_products)}
"""For each action, the function that generates the program and the function that verifies it."""
FLOW_TEXTS = {
    "pease": "constant geometry, with an unpack instruction after each butterfly",
    "unpacked": "butterflies between vectors first, then one unpack for each bit of the lane index",
    "strided": "no unpacks; each pass computes levels between vectors, then stores with a stride",
}
"""What each data flow does."""
AREAS = {
    "x": "operand of a transform, first operand of polymul and blas",
    "y": "result of a transform, second operand of polymul and blas",
    "w": "third operand of blas --kind vmuladd",
    "z": "result of polymul and blas",
}
"""The areas of the programs that ``momagen rpu`` generates; programs from other sources define their areas."""
GENERATED = 0.3
"""The share of a command's time that generation takes; verification takes the rest."""


class Action(NamedTuple):
    """An action: its help text, the function that runs it, and the options in USUAL that it accepts."""

    text: str
    run: Callable[[argparse.Namespace], int]
    options: str


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``momagen rpu``."""
    parser.set_defaults(run=_run)
    parser.usage = "momagen rpu ACTION [FILE] [options]"
    parser.epilog = _epilog()
    parser.add_argument("action", metavar="ACTION", help="action, as listed below")
    file = (
        f"input of asm, run and sim: assembly (*{TEXT}), C with intrinsics (*{C}) or a binary program (other names)"
        " (default: none)"
    )
    parser.add_argument("file", nargs="?", type=path_of, metavar="FILE", help=file)
    parser.add_argument(
        "--output",
        type=path_of,
        metavar="FILE",
        help=f"file for the program, in the format of its name: *{TEXT}, *{C} or binary; file for the numbers of run; "
        "or folder of sweep and report (default: none)",
    )
    parser.add_argument("--machine", metavar="NAME", help=f"design of the processor: {MACHINES}")
    parser.add_argument("--n", type=int, metavar="N", help="points, or elements of blas (default: 1024; sweep: 65536)")
    parser.add_argument("--modulus-bits", type=int, metavar="B", help="width of the modulus in bits (default: 124)")
    parser.add_argument(
        "--modulus", type=whole_number, metavar="Q", help="modulus (default: the largest prime of the width)"
    )
    parser.add_argument("--root", type=whole_number, metavar="W", help="root of unity (default: the smallest)")
    parser.add_argument("--negacyclic", action="store_true", help="compute modulo x^n + 1 instead of x^n - 1")
    parser.add_argument("--inverse", action="store_true", help="compute coefficients from values, scaled by 1/n")
    flow = f"data flow of transforms: {', '.join(FLOWS)}, as listed below (default: chosen by n and machine)"
    parser.add_argument("--flow", metavar="NAME", help=flow)
    batch = "number of transforms per modulus (default: 1)"
    parser.add_argument("--batch", type=int, default=1, metavar="B", help=batch)
    towers = "number of moduli (RNS limbs), the largest primes of the width (default: 1)"
    parser.add_argument("--towers", type=int, metavar="L", help=towers)
    kind = f"operation of blas: {', '.join(KINDS)} (default: vmul)"
    parser.add_argument("--kind", default="vmul", metavar="NAME", help=kind)
    parser.add_argument("--scalar", type=whole_number, default=3, metavar="A", help="scalar a of blas (default: 3)")
    schedules = f"set of back-end steps: {', '.join(SCHEDULES)}, as listed below (default: timed)"
    parser.add_argument("--schedule", default="timed", metavar="NAME", help=schedules)
    without = "back-end steps to leave out, as listed below (default: none)"
    parser.add_argument("--without", metavar="STEP,…", help=without)
    trace = "write a trace of ntt or sim for Perfetto, or a picture if FILE ends in .svg (default: none)"
    parser.add_argument("--trace", type=path_of, metavar="FILE", help=trace)
    put = (
        "fill a memory area with the numbers in a file, one per line, before run; the areas are listed below; may be "
        "repeated (default: none)"
    )
    parser.add_argument("--put", action="append", default=[], metavar="AREA=FILE", help=put)
    parser.add_argument("--get", default="y", metavar="AREA", help="memory area to print after run (default: y)")
    add_exploring(parser)
    add_json(parser)


def whole_number(text: str) -> int:
    """Return the number of an option: decimal, 0x…, 0o… or 0b…."""
    return int(text, 0)


def _epilog() -> str:
    """Return the lists below the options."""
    lists = {
        "actions": {name: action.text for name, action in ACTIONS.items()},
        "schedules": {name: ", ".join(each for each in STEPS if each in of) for name, of in SCHEDULES.items()},
        "back-end steps": STEPS,
        "data flows of transforms": FLOW_TEXTS,
        "memory areas": AREAS,
    }
    rows = list[str]()
    for title, texts in lists.items():
        rows += [f"{title}:", *(f"  {name:<13}{text}" for name, text in texts.items()), ""]
    return "\n".join([*rows, "example:", "  momagen rpu ntt --n 4096 --negacyclic"])


def _run(given: argparse.Namespace) -> int:
    if given.action not in ACTIONS:
        raise among("an action among", ACTIONS, given.action, "rpu")
    action = ACTIONS[given.action]
    refuse_others(given, USUAL, action.options, f"rpu {given.action}")
    if given.file is not None and "file" not in action.options.split():
        raise MomagenError("no file", str(given.file), f"rpu {given.action}")
    complete(given)
    return action.run(given)


def _asm(given: argparse.Namespace) -> int:
    """Convert a program from one form to another."""
    program = read(given)
    if given.output is not None:
        keep(program, given)
    elif given.file.suffix in (TEXT, C):
        raise MomagenError("--output FILE for the program", "none", "rpu asm")
    else:
        print(disassemble(program.instructions), end="")
    return 0


def _steps(given: argparse.Namespace) -> Steps:
    """Return the steps of the back end."""
    if given.schedule not in SCHEDULES:
        raise among("a schedule among", SCHEDULES, given.schedule, "--schedule")
    left_out = () if given.without is None else given.without.split(",")
    return steps_without(SCHEDULES[given.schedule], left_out, "--without")


def _transforms(given: argparse.Namespace) -> int:
    """Generate and verify transforms or products of polynomials, and count their cycles; return the exit code."""
    design = load_design(given.machine)
    bits = None if given.modulus or given.modulus_bits else 128
    spec = resolved(
        "ntt", n=given.n, bits=bits, modulus=given.modulus, modulus_bits=given.modulus_bits, root=given.root,
        negacyclic=given.negacyclic, inverse=given.inverse, moduli=given.towers,
    )
    flow = given.flow or best_flow(given.n, design)
    moduli, roots = spec.basis or (spec.modulus,), spec.roots or (spec.root,)
    towers = [RpuTransform(given.n, q, root, given.negacyclic, given.inverse, flow)
              for q, root in zip(moduli, roots, strict=True)]  # fmt: skip
    generate, check = MAKERS[given.action]
    with Phases() as phases, phases.of("rpu") as progress:
        progress(0.0, "generating")
        program = generate(towers, design, given.batch, _steps(given))
        progress(GENERATED, "verifying")
        checked = check(towers, given.batch, program, design)
    keep(program, given)
    about = {"n": given.n, "modulus": ", ".join(map(hex, moduli)), "root": ", ".join(map(hex, roots)), "flow": flow,
             "transforms": given.batch * len(towers), "verified": checked}  # fmt: skip
    return counted(program, design, given, about)


def _blas(given: argparse.Namespace) -> int:
    """Generate and verify an element-wise program, and count its cycles; return the exit code."""
    design = load_design(given.machine)
    bits = None if given.modulus or given.modulus_bits else 128
    spec = resolved("vmul", bits=bits, modulus=given.modulus, modulus_bits=given.modulus_bits, moduli=given.towers)
    moduli = tuple(spec.basis or (spec.modulus,))
    scalars = tuple(given.scalar % q for q in moduli) if operands_of(given.kind).scalars else ()
    of = RpuElementwise(given.kind, given.n, moduli, scalars)
    program = of.program(design, _steps(given))
    checked = check_elements(of, program, design)
    keep(program, given)
    about = {"kind": given.kind, "n": given.n, "modulus": ", ".join(map(hex, moduli)),
             "verified": checked}  # fmt: skip
    return counted(program, design, given, about)


def _sim(given: argparse.Namespace) -> int:
    return counted(read(given), load_design(given.machine), given, {})


def _run_program(given: argparse.Namespace) -> int:
    """Run a program, and print a memory area."""
    design = load_design(given.machine)
    machine = Functional(read(given), design.vdm_bytes, design.sdm_bytes)
    for each in given.put:
        area, sign, name = each.partition("=")
        if not sign:
            raise MomagenError("AREA=FILE", each, "--put")
        machine.put(area, _numbers(Path(name)))
    machine.run()
    tell("".join(f"{each:#x}\n" for each in machine.get(given.get)), given)
    return 0


def _numbers(path: Path) -> list[int]:
    try:
        lines = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise MomagenError("a readable file", reason(error), str(path)) from None
    try:
        return [int(line, 0) for line in lines]
    except ValueError as error:
        raise MomagenError("one whole number per line", str(error), str(path)) from None


READING = "file modulus root scalar"
MAKING = "n modulus_bits modulus towers schedule without trace output"
ACTIONS = {
    "ntt": Action("generate and verify a transform, and count its cycles", _transforms,
                  f"{MAKING} root negacyclic inverse flow batch"),
    "polymul": Action("generate and verify a product of polynomials, and count its cycles", _transforms,
                      f"{MAKING} root negacyclic flow batch"),
    "blas": Action("generate and verify an element-wise operation, and count its cycles", _blas,
                   f"{MAKING} kind scalar"),
    "asm": Action("convert between assembly, C with intrinsics and binary programs", _asm, f"{READING} output"),
    "run": Action("run a program, and print a memory area", _run_program, f"{READING} put get output"),
    "sim": Action("count the cycles of a program", _sim, "file trace"),
    "sweep": Action("compare designs of the processor", run_sweep, "n flow schedule hples banks jobs output"),
    "report": Action("draw the figures of the paper, and compare our numbers with those of the paper", run_report,
                     "jobs quick output"),
}  # fmt: skip
USUAL: dict[str, object] = {
    **dict.fromkeys(("modulus_bits", "modulus", "root", "flow", "towers", "without", "trace", "output", "n")),
    **EXPLORING,
    "negacyclic": False, "inverse": False, "batch": 1, "kind": "vmul", "scalar": 3, "schedule": "timed", "put": [],
    "get": "y",
}  # fmt: skip
"""The options that not every action accepts, with their defaults."""
