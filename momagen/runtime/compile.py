"""The compilation of C sources to a shared library or a program, through the cache."""

from __future__ import annotations

import logging
import platform
import shlex
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from momagen.errors import MomagenError, build_error, reason
from momagen.runtime import cache, sealed
from momagen.runtime.compiler import Compiler, find_compiler, first_errors, run
from momagen.runtime.features import cpu_features
from momagen.runtime.private import make
from momagen.threads import GoOn, side_by_side

LOG = logging.getLogger(__name__)
SHARED = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
PROGRAM = ".exe" if sys.platform == "win32" else ""
POSITION_FREE = () if sys.platform == "win32" else ("-fPIC",)
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
LINKER = ("-l", "-L", "-Wl,")


@dataclass(frozen=True)
class CompileJob:
    """The task of a compiler: it compiles each source and links all of them.

    Attributes:
        compiler: The compiler.
        sources: The paths of the C files.
        flags: The flags for compilation.
        link: Further flags for linking.
        seconds: The time limit for each file in seconds, or None.
    """

    compiler: Compiler
    sources: Sequence[Path]
    flags: Sequence[str]
    link: Sequence[str] = ()
    seconds: float | None = None


def compile_shared(
    source: str,
    *,
    name: str,
    flags: Sequence[str],
    includes: Mapping[str, str] = NO_HEADERS,
    compiler: Compiler | None = None,
    seconds: float | None = None,
) -> Path:
    """Compile a C source to a shared library (-O3 -shared -fPIC and ``flags``); the same input gives the same file.

    Args:
        source: The text of the C file.
        name: The base name of the library, without suffix.
        flags: The language standard, instruction sets (-m…) and libraries (-l…), in the form of gcc and clang.
        includes: The headers that the source includes in quotes, by file name.
        compiler: The compiler (default: ``find_compiler()``).
        seconds: The time limit for each file in seconds (default: none).

    Returns:
        The path of the library.

    Raises:
        MomagenError: The compiler fails or takes too long; the message has its first errors, the command, and the path
            of the source.
    """
    compiler = compiler or find_compiler()
    files = {f"{file_name(name)}.c": source} | {file_name(header): text for header, text in includes.items()}
    place = _place("shared", files, flags, compiler)
    if found := sealed.kept(place, name):
        LOG.info("found in the cache: %s", found)
        return found
    _write(place, files)
    asked = CompileJob(compiler, [place / f"{name}.c"], [*flags, f"-I{place}"], ["-shared"], seconds)
    return _build(asked, place, name, SHARED)


def compile_program(
    sources: Sequence[Path],
    *,
    name: str = "program",
    flags: Sequence[str],
    include_dirs: Sequence[Path] = (),
    compiler: Compiler | None = None,
) -> Path:
    """Compile and link C files to an executable (-O3 and ``flags``); the same paths and contents give the same file.

    Headers (*.h) in ``include_dirs`` and in the folders of the sources are part of the contents.

    Args:
        sources: The paths of the C files.
        name: The base name of the program.
        flags: The flags, in the form of gcc and clang.
        include_dirs: The folders of headers.
        compiler: The compiler (default: ``find_compiler()``).

    Returns:
        The path of the program.

    Raises:
        MomagenError: A source is missing, or the compiler fails.
    """
    compiler = compiler or find_compiler()
    sources, folders = [source.absolute() for source in sources], [folder.absolute() for folder in include_dirs]
    headers = [file for folder in {*folders, *(s.parent for s in sources)} for file in sorted(folder.glob("*.h"))]
    files = {str(path): _read(path) for path in (*sources, *sorted(headers))}
    place = _place("program", files, flags, compiler)
    if found := sealed.kept(place, file_name(name)):
        LOG.info("found in the cache: %s", found)
        return found
    with cache.writing():
        make(place)
    asked = CompileJob(compiler, sources, [*flags, *(f"-I{folder}" for folder in folders)])
    return _build(asked, place, name, PROGRAM)


def driver_flags(compiler: Compiler, flags: Sequence[str]) -> list[str]:
    """Translate gcc-style ``flags`` into the equivalents for ``compiler``.

    zig cc compiles for the running CPU by default, spells CPUs with underscores after -mcpu, lets -mtune select the
    CPU, disables assertions at -O3, traps on undefined behaviour below it, and writes debug information, which takes
    longer than the code.
    """
    if compiler.kind != "zig":
        return [*flags]
    cpus = [flag.removeprefix("-march=").replace("-", "_") for flag in flags if flag.startswith("-march=")]
    kept = [flag for flag in flags if not flag.startswith(("-march=", "-mtune="))]
    return [f"-mcpu={cpus[-1] if cpus else 'baseline'}", "-UNDEBUG", "-fno-sanitize=undefined", "-g0", *kept]


def keep_sources(output: str, files: Mapping[str, str], flags: Sequence[str], compiler: Compiler) -> Path:
    """Return the folder for a content key, which contains ``files``.

    Args:
        output: The kind of output.
        files: The texts by file name.
        flags: The flags of the compiler.
        compiler: The compiler.
    """
    place = _place(output, files, flags, compiler)
    _write(place, files)
    return place


def _write(place: Path, files: Mapping[str, str]) -> None:
    """Write files to a folder of the cache."""
    with cache.writing():
        make(place)
        for file, text in files.items():
            cache.write(place / file, text)


def _place(output: str, files: Mapping[str, str], flags: Sequence[str], compiler: Compiler) -> Path:
    """Return the folder for a content key; with -march=native, the key includes the features of the CPU."""
    machine = [platform.machine(), *(sorted(cpu_features()) if "-march=native" in flags else ())]
    texts = [word for item in sorted(files.items()) for word in item]
    name = cache.key(output, *texts, "flags", *flags, *_told(compiler), *machine)
    return cache.folder("kernels") / name


def _told(compiler: Compiler) -> list[str]:
    """Return the properties of a compiler that determine its output: its version, and the options in its command."""
    return ["compiler", compiler.kind, compiler.version, *compiler.command[1:]]


def _build(job: CompileJob, place: Path, name: str, suffix: str) -> Path:
    """Compile the sources on all cores, link them, and move the result to ``place``.

    The linker gets no -m flags, because zig builds its run-time library once for each set of them, which takes three
    seconds.
    """
    with cache.work() as work:
        objects = [f"{work}/{i}.o" for i in range(len(job.sources))]
        compiling = driver_flags(job.compiler, [flag for flag in job.flags if not flag.startswith(LINKER)])

        def compile_one(pair: tuple[Path, str], _: GoOn) -> None:
            source, result = pair
            call_compiler(job, ["-O3", *POSITION_FREE, *compiling, "-c", str(source)], result, source)

        with closing(side_by_side(compile_one, [*zip(job.sources, objects, strict=True)])) as compiled:
            deque(compiled, maxlen=0)
        linking = driver_flags(job.compiler, [flag for flag in job.flags if not flag.startswith("-m")])
        call_compiler(job, ["-O3", *job.link, *objects, *linking], f"{work}/out", job.sources[0])
        with cache.writing():
            return sealed.keep(work / "out", place, name, suffix)


def call_compiler(job: CompileJob, arguments: Sequence[str], output: str, source: Path) -> None:
    """Run the compiler of ``job`` to write ``output`` from ``source``.

    Args:
        job: The task.
        arguments: The arguments of the compiler.
        output: The path of the output.
        source: The source that errors name.

    Raises:
        MomagenError: The compiler cannot be started, fails, writes no file or takes too long.
    """
    command = [*job.compiler.command, *arguments, "-o", output]
    LOG.info("%s", shlex.join(command))
    try:
        done = run(command, seconds=job.seconds, work=Path(output).parent)
    except subprocess.TimeoutExpired:
        raise build_error(f"{job.compiler} took longer than the limit of {job.seconds:.3g} s", source.name) from None
    except OSError as error:
        raise build_error(f"the compiler cannot be started ({reason(error)})", str(job.compiler.path)) from None
    if done.returncode or not Path(output).is_file():
        lines = [line.replace(f"{source.parent}/", "") for line in first_errors(done.stderr)]
        hint = "; ".join([*lines, f"command: {shlex.join(command[:-2])}", f"source kept in {source}"])
        got = f"exit code {done.returncode}" + (not done.returncode) * " and no file"
        raise MomagenError(f"C that {job.compiler} can compile", got, source.name, hint)


def file_name(name: str) -> str:
    """Return ``name`` if it is the name of a file without a folder.

    Raises:
        MomagenError: It is not.
    """
    if not name or Path(name).name != name or name.startswith("."):
        raise MomagenError("a file name without a path or a leading dot", name or '""', "compile")
    return name


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise build_error(f"the C file {path} cannot be read ({reason(error)})", "compile") from None
