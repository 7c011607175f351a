"""The check that a compiled proxy build executes each proxy as often as the program executes the operation it replaces.

The code of every proxy records its address in a section of the operation, which takes no memory and no time
in a call. Compilers may move, copy and unroll proxies; but if one was removed, merged with another one or
moved out of a loop, the numbers differ.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from momagen.bench.measure.built import library_path
from momagen.bench.x86.assembly import disassembler
from momagen.bench.x86.blocks import executions, marked
from momagen.bench.x86.without_avx512 import counted
from momagen.bench.x86.work import built
from momagen.emit import Source, generate
from momagen.errors import MomagenError, build_error
from momagen.kinds.modular.spec import Spec
from momagen.lower.kernels import lowered
from momagen.program.interpret import Interpreter, Pointer
from momagen.runtime import Compiler, missing_features
from momagen.runtime.call import compile_kernel
from momagen.targets import Target

MARK = re.compile(r"#define MG_MARK\(op\).*")
NOTED = (
    r'#define MG_MARK(op) "9:\n.pushsection momagen_proxy_" #op ",\"\",@progbits\n.quad 9b\n.popsection\n"'
)  # fmt: skip
SECTION = "momagen_proxy_"
ELEMENTS = 1024


@dataclass(frozen=True)
class ProxyCount:
    """The executions of an operation in one call of a kernel.

    Attributes:
        op: The operation.
        asked: The number of executions of the operation in the program.
        ran: The number of executions of the proxy's instruction.
    """

    op: str
    asked: int
    ran: int

    @property
    def kept(self) -> bool:
        """Whether the compiler preserved all proxies."""
        return self.asked == self.ran


def check(spec: Spec, compiler: Compiler | None = None) -> list[ProxyCount]:
    """Count the executed proxies of a proxy build, in a call on one transform or ``ELEMENTS`` elements.

    Args:
        spec: The specification of the kernel.
        compiler: The compiler, or None for the default one.

    Raises:
        MomagenError: The target is not a proxy build, a proxy in the object code is not the instruction of
            its row, or objdump is not installed.
    """
    target = spec.target
    if not target.proxy:
        raise MomagenError("a proxy build, TARGET:proxy", spec.target, "proxies")
    source = generate(spec)
    noted = replace(source, source=MARK.sub(lambda _: NOTED, source.source))
    batch = 1 if spec.n else ELEMENTS
    asked, ran = operations(spec, batch), _ran(noted, compiler, batch, target)
    own = [op for op, each in target.instructions.items() if not each.in_c]
    return [ProxyCount(op, asked[op], ran[op]) for op in own if asked[op] or ran[op]]


def operations(spec: Spec, batch: int) -> Counter[str]:
    """Return the number of executions of each vector operation in one call, from an interpretation of the program."""
    made, seen = lowered(spec), Counter[str]()
    program, word = made.host_program, spec.arith.word
    run = Interpreter(program.functions, program.statics, made.target.lanes, word, seen)
    count = program.stride if spec.n else batch * spec.arith.words
    arrays = [Pointer([0] * count) for _ in range(1 + len(spec.ranges.vectors))]
    scalars = [Pointer([0] * spec.arith.words) for _ in spec.ranges.scalars]
    kept, room = ([Pointer([0] * field.words) for field in each] for each in (program.kept, program.room))
    more = [] if spec.n else [batch]
    run.call(program.run, arrays[0], *scalars, *arrays[1:], *kept, *room, *more)
    return seen


def _ran(source: Source, compiler: Compiler | None, batch: int, target: Target) -> Counter[str]:
    """Return the number of executions of each proxy in the compiled kernel."""
    missing = missing_features(target.features)
    counts = counted(source, compiler, batch, missing) if missing else executions(built(source, compiler), batch)
    places = _places(library_path(compile_kernel(marked(source), compiler, native=True)), target)
    ran: Counter[str] = Counter()
    for (address, text), times in counts.items():
        if op := places.get(address):
            _check_text(text, op, target)
            ran[op] += times
    return ran


def _check_text(text: str, op: str, target: Target) -> None:
    wanted = target.instructions[op].proxy.split()[0]
    if text.split()[0] != wanted:
        raise MomagenError(f"the instruction {wanted} in the object code", text, f"the proxy of {op}")


def _places(library: Path, target: Target) -> dict[int, str]:
    """Return the operation that each proxy replaces, by the address of the proxy."""
    command = disassembler()
    if not command:
        problem = "objdump or llvm-objdump is needed to find proxies in the object code, and neither was found"
        raise build_error(problem, "proxies", "install binutils (apt install binutils)")
    found: dict[int, str] = {}
    for op in target.instructions:
        asked = [command, "-s", "-j", f"{SECTION}{op}", str(library)]
        listing = subprocess.run(asked, capture_output=True, text=True).stdout
        found |= dict.fromkeys(addresses(listing), op)
    return found


def addresses(listing: str) -> list[int]:
    """Return the 64-bit little-endian numbers in objdump's listing of a section."""
    rows = re.findall(r"^ [0-9a-f]+ ((?:[0-9a-f]{2,8} ){1,4})", listing, re.MULTILINE)
    data = bytes.fromhex("".join(rows).replace(" ", ""))
    return [int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8)]
