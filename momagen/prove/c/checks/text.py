"""Checks of the text of a source: every compiler must read it as the preprocessor of the prover does.

Compilers and the prover's preprocessor differ in how they treat unusual characters, digraphs, raw strings, directives
that only some of them know, and macros that the prover defines for itself. A source that contains one of these could
hide code from the prover, so it is refused. A source may contain comments, strings with the usual escapes, the
directives of C99, and macros that it defines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from momagen.prove.c.subset import PRAGMAS
from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

CONTROL = re.compile(r"[^\S\n\t ]|[\x00-\x08\x0e-\x1f\x7f]|\\[ \t]*\n")
"""White space that is not a blank, a tab or a line feed, control characters, and lines that are joined."""
STATE = re.compile(r"\?\?[=/'()!<>-]|\b__(COUNTER|LINE|FILE|BASE_FILE|DATE|TIME|TIMESTAMP|INCLUDE_LEVEL)__\b")
"""Trigraphs, and macros whose values are the place and time at which the compiler reads them."""
LEXEMES = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
"""Comments and strings."""
ESCAPES = re.compile(r'(?:[^\\]|\\[nt"\\])*')
"""Strings whose escape sequences mean the same in Python."""
UNUSUAL = re.compile(r"""<:|:>|<%|%>|%:|['"\\]|[^\x00-\x7f]|\b_Pragma\b(?!\(\))|/\*""")
"""What must not occur outside strings: digraphs, characters as numbers, text outside ASCII, pragmas without a text."""
HIDDEN = re.compile(r"__asm__|__attribute__")
"""What a string must not contain, because the prover looks for it in the whole text."""

CONDITION = re.compile(r"(?:\s|defined\b|[A-Za-z_]\w*|[01]\b|&&|\|\||[!()])*")
"""The conditions of ``#if``: names, ``defined`` and logical operators."""
MACRO = re.compile(r"(\w+)(\([\w\s,]*\))?(?:\s+([^#]*))?")
"""The name, the parameters and the text of a macro."""
INCLUDE = re.compile(r'<(stddef|stdint|stdlib|string|immintrin|sys/mman)\.h>|""')
"""The headers that a source may include: those whose declarations the prover knows, and its own."""
LINE = re.compile(r'[1-9]\d{0,4} ""')
"""A line number and the name of a file, which compilers use in messages only: a source has no ``__LINE__``."""
SYSTEM_NAME = "_DEFAULT_SOURCE"
"""The only reserved name that a source may define: it asks Linux for the declaration of ``madvise``."""
KEYWORDS = re.compile(
    "auto|break|case|char|const|continue|default|defined|do|double|else|enum|extern|float|for|goto|if|inline|int|long|"
    "register|restrict|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while"
)


def read_text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        ProofError: It contains characters that compilers read in different ways.
    """
    text = path.read_bytes().decode("utf-8")
    if found := CONTROL.search(text):
        raise ProofError(f"line {_line(text, found)} of {path.name} contains {found.group()!r}, which is not supported")
    if found := STATE.search(text):
        raise ProofError(f"the source contains {found.group()}, which is not supported")
    return text


class Directives:
    """The directives of a source and its header.

    Args:
        taken: The names that a source must not define, because they have another meaning already.
        is_known: Whether the value of a macro that the source does not define is known for every compiler.
        headers: The headers that the source may include.
    """

    def __init__(
        self, taken: Collection[str], is_known: Callable[[str], bool], headers: re.Pattern[str] = INCLUDE
    ) -> None:
        self.taken, self.is_known, self.headers = taken, is_known, headers
        self.defined: set[str] = set()
        self.functions: set[str] = set()
        self._asked: dict[str, str] = {}
        """The file that asked whether a name is defined, before it was."""

    def check(self, name: str, text: str) -> None:
        """Check a file of the source."""
        for number, line in enumerate(_code(name, text).split("\n"), 1):
            where = f"line {number} of {name}"
            if found := UNUSUAL.search(line.replace('""', "")):
                raise ProofError(f"{where} contains {found.group()}, which is not supported")
            if line.lstrip().startswith("#"):
                word, _, rest = line.lstrip()[1:].strip().partition(" ")
                self._check_directive(name, where, word, rest.strip())
            else:
                self._check_code(where, line)

    def _check_directive(self, file: str, where: str, word: str, rest: str) -> None:
        if word == "define":
            self._define(file, where, rest)
            return
        if word in ("if", "elif", "ifdef", "ifndef"):
            self._check_condition(file, where, rest)
            return
        is_supported = word in ("error", "pragma") or (word in ("else", "endif") and not rest)
        is_supported |= word == "line" and LINE.fullmatch(rest) is not None
        if not is_supported and not (word == "include" and self.headers.fullmatch(rest)):
            raise ProofError(f"{where}: the directive #{word} {rest} is not supported")

    def _define(self, file: str, where: str, rest: str) -> None:
        found = MACRO.fullmatch(rest)
        if found is None:
            raise ProofError(f"{where}: this macro is not supported")
        name = found[1]
        if name in self.taken or KEYWORDS.fullmatch(name) or (name.startswith("_") and name != SYSTEM_NAME):
            raise ProofError(f"{where}: the source defines the macro {name}, a name with another meaning")
        if self._asked.get(name, file) != file:
            raise ProofError(f"{where}: the source defines {name}, so that its header has another meaning for callers")
        self.defined.add(name)
        if found[2]:
            self.functions.add(name)

    def _check_condition(self, file: str, where: str, rest: str) -> None:
        if not CONDITION.fullmatch(rest):
            raise ProofError(f"{where}: this condition of the preprocessor is not supported")
        for name in re.findall(r"[A-Za-z_]\w*", rest):
            if name not in self.defined and name != "defined" and not self.is_known(name):
                raise ProofError(f"the source depends on the macro {name}, whose value is not known")
            if name not in self.defined:
                self._asked.setdefault(name, file)

    def _check_code(self, where: str, line: str) -> None:
        if re.search(r'\w""|#', line):
            raise ProofError(f"{where} contains a string with a prefix, or # inside a line")
        for found in re.finditer(r"\b[A-Za-z]\w*", line):
            rest = line[found.end() :]
            if found.group() in self.functions and rest.count("(") > rest.count(")"):
                raise ProofError(f"{where}: the arguments of the macro {found.group()} do not end in this line")


def _code(name: str, text: str) -> str:
    """Return the text without comments, with empty strings.

    Raises:
        ProofError: A comment of several lines belongs to a directive, or a string contains what is not supported.
    """

    def replaced(found: re.Match[str]) -> str:
        lexeme = found.group()
        if lexeme.startswith('"'):
            is_pragma = text[: found.start()].endswith("_Pragma(")
            is_known = ESCAPES.fullmatch(lexeme) and not HIDDEN.search(lexeme)
            if not is_known or (is_pragma and not PRAGMAS.fullmatch(lexeme[1:-1])):
                raise ProofError(f"line {_line(text, found)} of {name} contains a string that is not supported")
            return '""'
        before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if "\n" in lexeme and before.lstrip().startswith("#"):
            raise ProofError(f"line {_line(text, found)} of {name}: a comment of a directive has several lines")
        after = text[found.end() :].lstrip(" \t")
        if after.startswith("#") and not before.strip():
            raise ProofError(f"line {_line(text, found)} of {name}: a comment precedes a directive")
        return " " + "\n" * lexeme.count("\n")

    return LEXEMES.sub(replaced, text)


def _line(text: str, found: re.Match[str]) -> int:
    return text.count("\n", 0, found.start()) + 1
