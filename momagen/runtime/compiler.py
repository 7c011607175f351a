"""The choice of a C compiler: the requested one, otherwise $CC, clang, gcc or zig from the PyPI wheel ziglang."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from momagen import processes
from momagen.errors import MomagenError, quoted
from momagen.runtime import cache
from momagen.runtime.sealed import seal, unseal

Kind = Literal["clang", "gcc", "zig", "other"]
Command = tuple[str, ...]

# The commands that a family's name stands for, best first; "zig" is the wheel, then a zig on the PATH.
FAMILIES: dict[str, tuple[Command, ...]] = {
    "clang": (("clang",), *((f"clang-{v}",) for v in range(19, 13, -1))),
    "gcc": (("gcc",), *((f"gcc-{v}",) for v in range(15, 8, -1))),
    "zig": ((sys.executable, "-m", "ziglang", "cc"), ("zig", "cc")),
}
INSTALL = "python3 -m pip install 'momagen[cc]', or apt install clang"
PROBE = "#include <stdint.h>\n#include <stdlib.h>\nint main(void) { return 0; }\n"


@dataclass(frozen=True)
class Compiler:
    """A C compiler that has compiled a test file.

    Attributes:
        command: The command without options, such as ("clang-19",) or (python, "-m", "ziglang", "cc").
        kind: The family whose options it accepts.
        version: The first line of its ``--version``.
        path: The program file.
    """

    command: Command
    kind: Kind
    version: str
    path: Path

    def __str__(self) -> str:
        return self.version if self.kind != "zig" else f"zig cc ({self.version})"


def find_compiler(name: str | None = None) -> Compiler:
    """Return a compiler: $CC by default, otherwise the first of clang, gcc and zig that works.

    Args:
        name: A family ("clang", "gcc", "zig"), a program ("clang-19") or a command line ("ccache gcc").

    Raises:
        MomagenError: The named compiler does not work, or there is none; the hint says how to install one.
    """
    if not isinstance(name, str | None):
        raise MomagenError("a compiler's name or command line", quoted(name), "compiler")
    where, wanted = ("compiler", name) if name is not None else ("$CC", os.environ.get("CC", "").strip() or None)
    if wanted is None:
        return _default()
    failures: list[str] = []
    for found in _working(_commands(wanted, where), failures):
        return found
    raise MomagenError("a working C compiler", wanted, where, "; ".join(failures) or INSTALL)


def list_compilers() -> list[Compiler]:
    """Return every compiler of the known families that works, $CC first, each program once."""
    named = os.environ.get("CC", "").strip()
    commands = [*(_commands(named, "$CC") if named else ()), *_all_commands()]
    found: dict[tuple[Path, Kind], Compiler] = {}
    for compiler in _working(commands, []):
        found.setdefault((compiler.path, compiler.kind), compiler)
    return list(found.values())


def run(
    command: Sequence[str], stdin: str = "", seconds: float | None = None, work: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a compiler, with untranslated messages, temporary files in ``work``, and zig's cache in momagen's.

    Raises:
        TimeoutExpired: It took more than ``seconds`` and was ended.
        OSError: It cannot be started.
    """
    zig = str(cache.folder("zig"))
    places = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(work)) if work else {}
    environment = {"ZIG_GLOBAL_CACHE_DIR": zig, "ZIG_LOCAL_CACHE_DIR": zig} | os.environ | {"LC_ALL": "C"} | places
    return processes.run(command, stdin, seconds, environment)


def _default() -> Compiler:
    """Return the first compiler that works.

    Raises:
        MomagenError: There is none.
    """
    failures: list[str] = []
    for found in _working(_all_commands(), failures):
        return found
    got = "only compilers that do not work" if failures else "none"
    hint = "; ".join(failures) or INSTALL
    raise MomagenError("a C compiler ($CC, clang, gcc or the ziglang wheel)", got, "compiler", hint)


def _all_commands() -> Iterator[Command]:
    return (command for family in FAMILIES.values() for command in family)


def _commands(wanted: str, where: str) -> tuple[Command, ...]:
    """Return the commands for the name of a compiler."""
    try:
        return FAMILIES.get(wanted) or (tuple(shlex.split(wanted)),)
    except ValueError as error:
        raise MomagenError("a compiler's name or command line", wanted, where, str(error)) from None


def _working(commands: Iterable[Command], failures: list[str]) -> Iterator[Compiler]:
    """Yield the commands that can compile, as compilers; the reasons why others cannot are added to ``failures``."""
    for command in commands:
        if path := _program(command):
            try:
                version = _version(command, path)
            except (OSError, RuntimeError) as error:
                failures.append(f"{command[0]}: {error}")
            else:
                yield Compiler(command, _kind(command, version), version, path)


def _program(command: Command) -> Path | None:
    """Return the program file of a command, or None if it is missing."""
    if any("\0" in word for word in command):
        return None
    if command[1:3] == ("-m", "ziglang"):
        spec = importlib.util.find_spec("ziglang")
        return Path(spec.origin).with_name("zig") if spec and spec.origin else None
    found = shutil.which(command[0]) if command else None
    return Path(found).resolve() if found else None


def _version(command: Command, path: Path) -> str:
    """Return the first line of ``--version`` of a compiler that passed the test.

    The line is cached until the program file changes.
    """
    note = cache.folder("compilers") / cache.key(*command, str(path), str(path.stat().st_mtime_ns))
    known = unseal(note)
    if known is not None:
        return known
    told = _asked(command)
    with cache.writing():
        return seal(note, told)


def _asked(command: Command) -> str:
    """Test a compiler and return its version; a gcc without libc6-dev runs, but cannot compile.

    Raises:
        RuntimeError: It cannot compile.
    """
    with cache.work() as work:
        trial = run([*command, "-x", "c", "-c", "-", "-o", f"{work}/trial.o"], PROBE, work=work)
        made = Path(f"{work}/trial.o").is_file()
    if trial.returncode or not made:
        raise RuntimeError((first_errors(trial.stderr) or ["made no object file and gave no message"])[0])
    return run([*command, "--version"]).stdout.split("\n")[0].strip()


def first_errors(messages: str, limit: int = 3) -> list[str]:
    """Return the first lines of a compiler's or linker's output that report an error, otherwise its first lines."""
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    return [line for line in lines if "error" in line or "undefined" in line][:limit] or lines[:limit]


def _kind(command: Command, version: str) -> Kind:
    """Return the family of a compiler."""
    if any(Path(word).name in ("zig", "ziglang") for word in command):
        return "zig"
    if "clang" in version:
        return "clang"
    return "gcc" if "gcc" in version.lower() or "Free Software" in version else "other"
