"""C text to a shared library or a program, through the cache."""

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

from momagen.build import cache, sealed
from momagen.build.compiler import Compiler, find_compiler, first_errors, run
from momagen.build.features import cpu_features
from momagen.build.private import make
from momagen.errors import MomagenError, build_error, reason
from momagen.threads import GoOn, side_by_side

LOG = logging.getLogger(__name__)
SHARED = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
PROGRAM = ".exe" if sys.platform == "win32" else ""
POSITION_FREE = () if sys.platform == "win32" else ("-fPIC",)
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
LINKER = ("-l", "-L", "-Wl,")


@dataclass(frozen=True)
class CompileJob:
    """What a compiler is to do with ``sources``: compile each with ``flags``, link all with ``link`` too; ``seconds``
    at most for a file."""

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
    """Compile C text to a shared library (-O3 -shared -fPIC and ``flags``); the same input gives the same file.

    Args:
        source: the C file's text.
        name: the library's base name, without suffix.
        flags: language standard, instruction sets (-m…) and libraries (-l…), in the form that gcc and clang take.
        includes: headers the source may include in quotes, file name to text.
        compiler: default ``find_compiler()``.
        seconds: that it may take for any one file; None: as long as it likes.

    Raises:
        MomagenError: the compiler takes longer, or refuses; the message has its first errors, the command, and where
            the source is.
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
    """Compile and link C files to an executable (-O3 and ``flags``); same paths and content, same file.

    Headers (*.h) in ``include_dirs`` and beside the sources count as content.

    Raises:
        MomagenError: a source is missing, or the compiler refuses.
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
    """``flags`` so that ``compiler`` means by them what gcc does.

    zig cc takes the running CPU unless told otherwise, spells CPUs with underscores under -mcpu, lets -mtune choose the
    CPU, switches assertions off at -O3, traps on undefined behaviour below it, and writes debug information, which
    takes it longer than the code.
    """
    if compiler.kind != "zig":
        return [*flags]
    cpus = [flag.removeprefix("-march=").replace("-", "_") for flag in flags if flag.startswith("-march=")]
    kept = [flag for flag in flags if not flag.startswith(("-march=", "-mtune="))]
    return [f"-mcpu={cpus[-1] if cpus else 'baseline'}", "-UNDEBUG", "-fno-sanitize=undefined", "-g0", *kept]


def keep_sources(output: str, files: Mapping[str, str], flags: Sequence[str], compiler: Compiler) -> Path:
    """The folder for one content key, with ``files``, name to text, in it; ``output``: what will be made of them."""
    place = _place(output, files, flags, compiler)
    _write(place, files)
    return place


def _write(place: Path, files: Mapping[str, str]) -> None:
    with cache.writing():
        make(place)
        for file, text in files.items():
            cache.write(place / file, text)


def _place(output: str, files: Mapping[str, str], flags: Sequence[str], compiler: Compiler) -> Path:
    """The folder for one content key; -march=native means another thing on another CPU, so its features enter then."""
    machine = [platform.machine(), *(sorted(cpu_features()) if "-march=native" in flags else ())]
    texts = [word for item in sorted(files.items()) for word in item]
    name = cache.key(output, *texts, "flags", *flags, *_told(compiler), *machine)
    return cache.folder("kernels") / name


def _told(compiler: Compiler) -> list[str]:
    """What of a compiler decides its output: which one it is, and the options that its own command brings."""
    return ["compiler", compiler.kind, compiler.version, *compiler.command[1:]]


def _build(job: CompileJob, place: Path, name: str, suffix: str) -> Path:
    """Compile the sources on all cores, link, move to ``place``.

    The link goes without -m flags: zig builds its run-time library once per set of them, at three seconds each.
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
    """Run the compiler of ``job`` to compile ``source`` into ``output``.

    Raises:
        MomagenError: the compiler cannot be started, reports an error, writes no file or takes too long.
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
    """Return ``name``, or raise MomagenError unless it is the name of a file without a path."""
    if not name or Path(name).name != name or name.startswith("."):
        raise MomagenError("a file name without a path or a leading dot", name or '""', "compile")
    return name


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise build_error(f"the C file {path} cannot be read ({reason(error)})", "compile") from None
