"""The programs that analyse straight-line code, as a table.

A row says how a program is found and called, and how its output is parsed.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from subprocess import CompletedProcess

from momagen import processes
from momagen.errors import MomagenError, among, build_error, nearest, reason
from momagen.runtime import Compiler, cache
from momagen.runtime.assembly import assemble
from momagen.runtime.compiler import first_errors

from . import llvm_mca, osaca, uica
from .table import PortTable

CPUS = ("icelake-server", "sapphirerapids", "znver3", "znver4", "znver5")
"""The CPUs that error messages suggest. An analyzer accepts every CPU that it knows."""
Arguments = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Analyzer:
    """A row of the table of analyzers.

    Attributes:
        name: The name.
        programs: Its commands. The first one that knows the CPU is used.
        calls: The arguments of each call, in which {file} is the file, {lines} the number of its lines, and
            {cpu} the CPU.
        parse: The function that parses the outputs of all calls.
        install: The command that installs it.
        ends: The suffix of the file that it reads: ".s" for assembly, ".o" for an object file.
        cpus: Its names of CPUs by LLVM's names; empty if the names are the same.
        asked: The arguments that make it list its CPUs.
        version: The arguments that make it print its version.
        unsupported: A function that returns the instruction that the CPU lacks according to its messages, or
            "".
    """

    name: str
    programs: tuple[str, ...]
    calls: tuple[Arguments, ...]
    parse: Callable[..., PortTable]
    install: str
    ends: str = ".s"
    cpus: Mapping[str, str] = field(default_factory=dict)
    asked: Arguments = ()
    version: Arguments = ()
    unsupported: Callable[[str], str] = lambda messages: ""


MCA = ("-mtriple=x86_64", "-mcpu={cpu}", "--json", "{file}")
INTEL = {"haswell": "HSW", "broadwell": "BDW", "skylake-avx512": "SKX"}
ANALYZERS = (
    Analyzer(
        "llvm-mca", ("llvm-mca", *(f"llvm-mca-{version}" for version in range(22, 13, -1))),
        (MCA, (*MCA, "-instruction-tables")), llvm_mca.parse, "apt install llvm",
        asked=("-mtriple=x86_64", "-mcpu=help"), version=("--version",), unsupported=llvm_mca.unsupported,
    ),
    Analyzer(
        "osaca", ("osaca",), (("--arch", "{cpu}", "--ignore-unknown", "--lines", "1-{lines}", "{file}"),), osaca.parse,
        "python3 -m pip install osaca", version=("--version",),
        cpus=INTEL | {"cascadelake": "CSX", "icelake-client": "ICL", "icelake-server": "ICX", "sapphirerapids": "SPR",
                      "znver1": "ZEN1", "znver2": "ZEN2", "znver3": "ZEN3", "znver4": "ZEN4"},
    ),
    Analyzer(
        "uica", ("uiCA.py",), (("{file}", "-arch", "{cpu}"),), uica.parse,
        "git clone https://github.com/andreas-abel/uiCA, its setup.sh, and its folder on the PATH", ".o",
        cpus=INTEL | {"cascadelake": "CLX", "icelake-client": "ICL", "icelake-server": "ICL", "tigerlake": "TGL",
                      "rocketlake": "RKL"},
    ),
)  # fmt: skip
"""The analyzers, best first. By default the first one that is installed is used."""


@dataclass(frozen=True, eq=False)
class InstalledAnalyzer:
    """An analyzer that is installed.

    Attributes:
        row: The row of the table.
        program: The command or path of the program.
    """

    row: Analyzer
    program: str

    def known(self) -> dict[str, str]:
        """Return its names of the CPUs that it knows, by LLVM's names."""
        return dict(self.row.cpus) or {name: name for name in _listed(self.program, self.row.asked)}

    @property
    def version(self) -> str:
        """Its name, and its version if it prints one."""
        found = self.row.version and re.search(r"\d+\.\d+(\.\d+)?", _run([self.program, *self.row.version]).stdout)
        return f"{self.row.name} {found[0]}" if found else self.row.name

    def analyzed(self, lines: list[str], cpu: str, name: str, compiler: Compiler | None = None) -> PortTable:
        """Return the analysis of a block of instructions.

        Args:
            lines: The instructions.
            cpu: The CPU by LLVM's name.
            name: The name of the block.
            compiler: The compiler that assembles the block if necessary.

        Raises:
            MomagenError: The CPU does not have the instructions, or the analyzer cannot read them.
        """
        row, text = self.row, "".join(f"\t{line}\n" for line in lines)
        with cache.work() as work:
            file = work / f"{name}{row.ends}"
            if row.ends == ".s":
                file.write_text(text, encoding="utf-8")
            else:
                assemble(text, file, name=name, compiler=compiler)
            places = {"file": file, "lines": len(lines), "cpu": self.known()[cpu]}
            texts = [self._called([argument.format(**places) for argument in call], cpu, name) for call in row.calls]
        table = row.parse(*texts)
        if not any(each.known for each in table.rows):
            problem = f"{row.name} has no data for the instructions of {name} on the CPU {cpu}"
            raise build_error(problem, "cpu", "choose another CPU or another analyzer")
        if len(table.rows) != len(lines):
            raise MomagenError(f"{len(lines)} instructions in the output of {row.name}", len(table.rows), name)
        return table

    def _called(self, arguments: list[str], cpu: str, name: str) -> str:
        """Run the analyzer once and return its output."""
        done, row = _run([self.program, *arguments]), self.row
        if lacking := row.unsupported(done.stderr):
            problem = f"according to {row.name}, the CPU {cpu} lacks instructions of {name} ({lacking})"
            raise build_error(problem, "cpu", "choose another CPU")
        if done.returncode:
            said = "; ".join(first_errors(done.stderr or done.stdout, 1))
            raise build_error(f"{row.name} failed with exit code {done.returncode}" + f" ({said})" * bool(said), name)
        return done.stdout


def find_analyzer(name: str = "", cpu: str = CPUS[0]) -> InstalledAnalyzer:
    """Return an installed analyzer that knows the CPU.

    Args:
        name: One of ``ANALYZERS``, the path of a program, or "" for the first one that is installed.
        cpu: The CPU by LLVM's name.

    Raises:
        MomagenError: No analyzer is installed (the message says how to install one), the name is unknown, or
            the analyzer does not know the CPU.
    """
    found = list(_installed(name))
    if not found:
        rows = [row for row in ANALYZERS if name in ("", row.name)]
        problem = f"{' or '.join(row.name for row in rows)} was not found on the PATH"
        raise build_error(problem, "analyzer", f"install it ({'; '.join(f'{r.name}: {r.install}' for r in rows)})")
    for each in found:
        if cpu in each.known():
            return each
    raise _unknown(found[0], cpu)


def _installed(name: str) -> Iterator[InstalledAnalyzer]:
    """Yield every installed program with this name; without a name, the programs of the first row with any."""
    names = [row.name for row in ANALYZERS]
    if name and name not in names:
        rows = [row for row in ANALYZERS if Path(name).name.startswith(row.programs[0])]
        if not rows or not shutil.which(name):
            raise among("the path of an analyzer, or one of the analyzers", names, name, "analyzer")
        yield InstalledAnalyzer(rows[0], name)
        return
    for row in ANALYZERS:
        here = [program for program in row.programs if name in ("", row.name) and shutil.which(program)]
        yield from (InstalledAnalyzer(row, program) for program in here)
        if here:
            return


def _unknown(found: InstalledAnalyzer, cpu: str) -> MomagenError:
    known = found.known()
    told = [name for name in CPUS if name in known] or list(known)
    more = len(known) - len(told)
    expected = f"a CPU that {found.version} knows: {', '.join(told)}" + f" and {more} others" * (more > 0)
    return MomagenError(expected, cpu, "cpu", near=nearest(cpu, known))


@lru_cache(maxsize=32)
def _listed(program: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    done = _run([program, *arguments])
    return tuple(llvm_mca.cpus(done.stderr + done.stdout))


def _run(command: list[str]) -> CompletedProcess[str]:
    try:
        return processes.run(command)
    except OSError as error:
        raise build_error(f"the analyzer cannot be started ({reason(error)})", command[0]) from None
