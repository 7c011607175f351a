"""The port pressure of one codelet, with and without proposed instructions (MQX paper, Section 4.2, Listing 4).

:func:`port_pressure` analyses one target, and :func:`pressure_change` compares two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from momagen.errors import MomagenError
from momagen.explain.held import aside
from momagen.runtime import Compiler, find_compiler
from momagen.runtime.assembly import compile_assembly
from momagen.targets import Target

from .analyzers import ANALYZERS, CPUS, Analyzer, InstalledAnalyzer, find_analyzer
from .body import MachineLine, body
from .codelet import CODELETS, CodeletText, codelet_text
from .listing import PortPressure, PressureChange
from .table import PortTable, PressureRow

__all__ = [
    "ANALYZERS", "CODELETS", "CPUS", "Analyzer", "CodeletText", "InstalledAnalyzer", "MachineLine", "PortPressure",
    "PortTable", "PressureChange", "PressureRow", "codelet_text", "find_analyzer", "port_pressure", "pressure_change",
]  # fmt: skip


def port_pressure(
    target: Target, op: str, modulus_bits: int = 124, *, cpu: str = CPUS[0], analyzer: str = "",
    compiler: Compiler | str | None = None, options: Mapping[str, str] | None = None, bits: int | None = None,
    proposed: Mapping[str, str] | None = None,
) -> PortPressure:  # fmt: skip
    """Return the port pressure of one codelet on words of ``target``.

    The codelet is compiled and analysed, but not executed.

    Args:
        target: The target.
        op: The codelet, one of ``CODELETS``.
        modulus_bits: The width of the modulus in bits.
        cpu: The CPU by LLVM's name.
        analyzer: One of ``ANALYZERS``, the path of its program, or "" for the first one that is installed.
        compiler: The compiler or its command, or None for the default one.
        options: The options of the codelet, as for :func:`codelet_text`.
        bits: The width of the container in bits, or None for 4 more than the modulus.
        proposed: The mnemonics under which proposed instructions are shown, by regular expressions that find
            the instructions that replace them. An expression is matched against an instruction in AT&T syntax
            with its comment, such as ``vpaddq %zmm1, %zmm2, %zmm2 {%k1} # proxy of addc``; the first one that
            matches counts. By default they are the proxies of the target.

    Raises:
        MomagenError: An argument is invalid, there is no analyzer or no compiler, or the CPU lacks
            instructions.
    """
    found = find_analyzer(analyzer, cpu)
    made = codelet_text(target, op, modulus_bits, options, bits)
    patterns = [(_pattern(text), name) for text, name in (_own(made.target) if proposed is None else proposed).items()]
    compiler = compiler if isinstance(compiler, Compiler) else find_compiler(compiler)
    flags = ["-std=c99", *made.target.flags]
    assembly = compile_assembly(made.source, name=made.name, flags=flags, compiler=compiler)
    lines = body(assembly, made.name)
    table = found.analyzed([line.text for line in lines], cpu, made.name, compiler)
    note = aside(op, modulus_bits, made.target)
    return PortPressure(
        op, modulus_bits, made, assembly, lines, _named(lines, patterns), table, cpu, found.version, str(compiler), note
    )  # fmt: skip


def pressure_change(
    before: Target, after: Target, op: str, modulus_bits: int = 124, *, cpu: str = CPUS[0], analyzer: str = "",
    compiler: Compiler | str | None = None, options: Mapping[str, str] | None = None, bits: int | None = None,
    proposed: Mapping[str, str] | None = None,
) -> PressureChange:  # fmt: skip
    """Return the port pressure of one codelet on two targets.

    Args:
        before: The first target.
        after: The second target.
        op: The codelet, as for :func:`port_pressure`.
        modulus_bits: The width of the modulus in bits.
        cpu: The CPU, as for :func:`port_pressure`.
        analyzer: The analyzer, as for :func:`port_pressure`.
        compiler: The compiler.
        options: The options of the kernel.
        bits: The width of the container in bits.
        proposed: The proposed instructions of the second target.
    """
    first, second = (
        port_pressure(
            target, op, modulus_bits, cpu=cpu, analyzer=analyzer, compiler=compiler, options=options, bits=bits,
            proposed=own,
        )
        for target, own in ((before, None), (after, proposed))
    )  # fmt: skip
    return PressureChange(first, second)


def _own(target: Target) -> dict[str, str]:
    """Return the patterns of a target's proxies in assembly, and the mnemonics that are shown for them."""
    return {rf"# proxy of {op}$": instruction.mnemonic for op, instruction in target.instructions.items()}


def _pattern(text: str) -> re.Pattern[str]:
    """Return the regular expression in ``text``.

    Raises:
        MomagenError: It is not a regular expression.
    """
    try:
        return re.compile(text)
    except re.error as error:
        raise MomagenError("a valid regular expression", text, "proposed", str(error)) from None


def _named(lines: Sequence[MachineLine], patterns: Sequence[tuple[re.Pattern[str], str]]) -> dict[int, str]:
    """Return the mnemonics of the lines that represent proposed instructions, by the indices of the lines."""
    found = dict[int, str]()
    for at, line in enumerate(lines):
        if name := next((name for pattern, name in patterns if pattern.search(str(line))), ""):
            found[at] = name
    return found
