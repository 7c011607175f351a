"""The compilation of C to assembly, for inspection, and of assembly to an object file; none of it is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from . import cache
from .compile import NO_HEADERS, CompileJob, call_compiler, driver_flags, file_name, keep_sources
from .compiler import Compiler, find_compiler


def compile_assembly(
    source: str,
    *,
    name: str,
    flags: Sequence[str],
    includes: Mapping[str, str] = NO_HEADERS,
    compiler: Compiler | None = None,
) -> str:
    """Return the assembly of a C source with -O3 and ``flags``; the CPU need not support the features that they name.

    Args:
        source: The text of the C file.
        name: The name of the file without suffix.
        flags: The flags of the compiler.
        includes: The headers that the source includes in quotes, by file name.
        compiler: The compiler (default: the one that momagen finds).

    Raises:
        MomagenError: The compiler fails; the message has its first errors and the path of the source.
    """
    compiler = compiler or find_compiler()
    files = {f"{file_name(name)}.c": source} | {file_name(header): text for header, text in includes.items()}
    place = keep_sources("assembly", files, flags, compiler)
    text, options = place / f"{name}.c", [*driver_flags(compiler, flags), f"-I{place}"]
    with cache.work() as work:
        call_compiler(CompileJob(compiler, [text], flags), ["-O3", *options, "-S", str(text)], f"{work}/out.s", text)
        return (work / "out.s").read_text(encoding="utf-8")


def assemble(text: str, result: Path, *, name: str, compiler: Compiler | None = None) -> None:
    """Write the object file of assembly to ``result``.

    Raises:
        MomagenError: The assembler fails.
    """
    compiler = compiler or find_compiler()
    source = keep_sources("object", {f"{file_name(name)}.s": text}, (), compiler) / f"{name}.s"
    call_compiler(CompileJob(compiler, [source], ()), ["-c", str(source)], str(result), source)
