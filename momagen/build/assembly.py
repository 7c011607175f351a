"""C text to assembly, to look at, and assembly to an object file: nothing of it runs."""

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
    """The assembly that a compiler makes of C text with -O3 and ``flags``: the CPU need not have what these name.

    Args:
        source, name, flags, includes, compiler: as :func:`momagen.build.compile_shared` takes them.

    Raises:
        MomagenError: the compiler refuses; the message has its first errors, and where the source is.
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
        MomagenError: the assembler refuses.
    """
    compiler = compiler or find_compiler()
    source = keep_sources("object", {f"{file_name(name)}.s": text}, (), compiler) / f"{name}.s"
    call_compiler(CompileJob(compiler, [source], ()), ["-c", str(source)], str(result), source)
