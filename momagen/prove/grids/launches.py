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
"""The texts that must occur only in the forms of the patterns."""
VECTORS = re.compile(r"\n    const void \*vectors\[\] = \{([a-z]\w*(?:, [a-z]\w*)*)\};\n")
CONSTANTS = re.compile(r"cudaMalloc\(\(void \*\*\)&plan->constants, moduli \* (\d+) \* sizeof\(uint32_t\)\)")
SCRATCH = re.compile(r"    return !plan \? 0 : plan->moduli \* \((\d+) \* sizeof\(uint32_t\)\);\n")
NO_SCRATCH = re.compile(
    r"_room\(const \w+ \*plan, size_t (?:n|batch)\)\n\{\n(?:    \(void\)\w+;\n)*    return 0;\n\}"
)
TABLES = re.compile(r"cudaMalloc\(\(void \*\*\)&plan->tables, moduli \* (\d+) \* sizeof\(uint32_t\)\)")
POWERS = re.compile(r"\*powers = given_root \+ moduli \* WORDS, \*answers = powers \+ moduli \* (\d+);")
GIVEN = re.compile(r"const size_t numbers = 2 \* WORDS \+ 1 \+ (\d+);")
"""The lengths of tables, of powers of the root, and of all memory that set-up uses besides."""
BLOCKS = 0x7FFFFFFF
"""The greatest number of blocks of a launch, and the greatest number of vectors that the host code accepts."""


@dataclass(frozen=True)
class Launch:
    """A launch of one row of blocks for each modulus.

    Attributes:
        kernel: The name of the kernel.
        threads: The threads of a block.
        blocks: The blocks for each group of elements, or all blocks if ``group`` is 0.
        group: The elements of a group.
        shared: The bytes of the shared memory of a block.
        operands: The names of the vectors, scalars and scratch memory that are the first arguments.
    """

    kernel: str
    threads: int
    blocks: int
    group: int
    shared: int
    operands: tuple[str, ...]

    def text(self, length: str = "n") -> str:
        """Return the launch in words, for a number of elements or vectors that has a name."""
        count = str(self.blocks)
        if self.group:
            groups = length if self.group == 1 else f"ceil({length}/{self.group})"
            count = groups if self.blocks == 1 else f"{self.blocks} {groups}"
        return f"{self.kernel} ({count} {'block' if count == '1' else 'blocks'} of {self.threads} threads)"


@dataclass(frozen=True)
class Launches:
    """The launches of a plan and of a call.

    Attributes:
        setup: The launches that compute the constants.
        run: The launches of a call.
        constants: The words of the constants of a modulus.
        scratch: The words of the scratch memory of a call.
        tables: The words of the tables of a modulus.
        powers: The words of the powers of a root, which set-up uses.
    """

    setup: tuple[Launch, ...]
    run: tuple[Launch, ...]
    constants: int
    scratch: int
    tables: int = 0
    powers: int = 0

    def most(self) -> int:
        """Return the greatest number of elements or vectors for which the host code launches this."""
        groups = [BLOCKS // launch.blocks * launch.group for launch in self.run if launch.group]
        return min([BLOCKS, *groups])


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
    constants = int(_only(CONSTANTS, host, "size of the constants"))
    tables, powers = (_length(pattern, host) for pattern in (TABLES, POWERS))
    if _length(GIVEN, host) != powers:
        raise ProofError("the memory for set-up is shorter or longer than its parts")
    return Launches(setup, run, constants, scratch, tables, powers)


def _length(pattern: re.Pattern[str], host: str) -> int:
    """Return the length of memory that a kernel may have."""
    found = pattern.findall(host)
    if len(found) > 1:
        raise ProofError("the host code states a length of memory twice")
    return int(found[0]) if found else 0


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
        if len(uses) < count or any(use >= len(vectors) for use in uses):
            raise ProofError(f"a launch of {fields[1]} has other operands than those of the kernel")
        found.append(Launch(fields[1], threads, blocks, group, shared, tuple(vectors[use] for use in uses)))
    return tuple(found)
