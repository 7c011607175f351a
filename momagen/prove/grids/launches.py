"""The launches of a kernel for CUDA, as the tables in its host code state them.

The host code launches each kernel of these tables with the stated numbers of blocks and threads. The tables are data,
which the prover reads; the functions that walk through them are trusted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from momagen.prove.c.cuda.source import LEXEMES
from momagen.prove.checker import ProofError

HOST = "#ifndef __CUDACC_RTC__\n"
DIRECTIVE = re.compile(r"^[ \t]*#(?!define \w+(?:\(\w+\))? )[^\n]*$", re.MULTILINE)
"""Directives other than definitions of macros."""
ROW = re.compile(r"    \{\(const void \*\)([a-z]\w*), (\d+), (\d+), (\d+), (\d+), (\d+), \{(\d+(?:, \d+)*)\}\},\n")
TABLE = r"static const mg_launch mg_{name}\[\] = \{{\n((?:    \{{.*\}},\n)+)\}};\n"
NAMES = re.compile(r"static const mg_launch \w+|\bvectors\[\] =|&plan->constants,")
"""What must not occur in another form than that of the patterns."""
VECTORS = re.compile(r"\n    const void \*vectors\[\] = \{([a-z]\w*(?:, [a-z]\w*)*)\};\n")
CONSTANTS = re.compile(r"cudaMalloc\(\(void \*\*\)&plan->constants, moduli \* (\d+) \* sizeof\(uint32_t\)\)")
SCRATCH = re.compile(r"    return !plan \? 0 : plan->moduli \* \((\d+) \* sizeof\(uint32_t\)\);\n")
NO_SCRATCH = re.compile(r"_room\(const \w+ \*plan, size_t n\)\n\{\n(?:    \(void\)\w+;\n)*    return 0;\n\}")


@dataclass(frozen=True)
class Launch:
    """A launch of one row of blocks for each modulus.

    Attributes:
        kernel: The name of the kernel.
        threads: The threads of a block.
        blocks: The blocks for each group of elements, or all blocks if ``group`` is 0.
        group: The elements of a group.
        operands: The names of the vectors, scalars and scratch memory that are the first arguments.
    """

    kernel: str
    threads: int
    blocks: int
    group: int
    operands: tuple[str, ...]

    def text(self) -> str:
        """Return the launch in words."""
        count = str(self.blocks) if not self.group else f"ceil(n/{self.group})"
        return f"{self.kernel} ({count} {'block' if count == '1' else 'blocks'} of {self.threads} threads)"


@dataclass(frozen=True)
class Launches:
    """The launches of a plan and of a call.

    Attributes:
        setup: The launches that compute the constants.
        run: The launches of a call.
        constants: The words of the constants of a modulus.
        scratch: The words of the scratch memory of a call.
    """

    setup: tuple[Launch, ...]
    run: tuple[Launch, ...]
    constants: int
    scratch: int


def launches_of(text: str) -> Launches:
    """Return the launches that the host code in the text of a file states.

    Raises:
        ProofError: The host code has no such tables, or has them in another form.
    """
    if text.count(HOST) != 1:
        raise ProofError("the source has no host code")
    host = LEXEMES.sub(lambda found: found[1] or "", text.partition(HOST)[2])
    if DIRECTIVE.findall(host) != ["#endif"] or not host.endswith("#endif\n"):
        raise ProofError("the host code has other directives than definitions of macros")
    if len(NAMES.findall(host)) != 4:
        raise ProofError("the host code has launches, operands or constants in another form")
    names = tuple(_only(VECTORS, host, "list of operands").split(", "))
    setup, run = (_rows(host, name, names) for name in ("setup", "run"))
    scratch = int(SCRATCH.findall(host)[0]) if len(SCRATCH.findall(host)) == 1 else 0
    if not scratch and not NO_SCRATCH.search(host):
        raise ProofError("the size of the scratch memory is not known")
    return Launches(setup, run, int(_only(CONSTANTS, host, "size of the constants")), scratch)


def _only(pattern: re.Pattern[str], host: str, what: str) -> str:
    found = pattern.findall(host)
    if len(found) != 1:
        raise ProofError(f"the host code has no {what}, or more than one")
    return str(found[0])


def _rows(host: str, name: str, vectors: tuple[str, ...]) -> tuple[Launch, ...]:
    """Return the launches of a table."""
    body = _only(re.compile(TABLE.format(name=name)), host, f"table of launches mg_{name}")
    found = []
    for row in body.splitlines(keepends=True):
        fields = ROW.fullmatch(row)
        if fields is None:
            raise ProofError(f"this launch is not supported: {row.strip()}")
        threads, blocks, group, shared, count = map(int, fields.groups()[1:6])
        uses = [int(use) for use in fields[7].split(", ")][:count]
        if shared:
            raise ProofError("shared memory is not supported")
        if len(uses) < count or any(use >= len(vectors) for use in uses):
            raise ProofError(f"a launch of {fields[1]} has other operands than those of the kernel")
        found.append(Launch(fields[1], threads, blocks, group, tuple(vectors[use] for use in uses)))
    return tuple(found)
