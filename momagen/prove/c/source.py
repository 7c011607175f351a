"""Reading C source: preprocessing for one compiler, and parsing.

The text is preprocessed by pcpp and parsed by pycparser. Inline assembly, which is no part of standard C, is first
written as a call: ``__asm__("text", ":", "[a] r", a, ...)``.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pcpp import OutputDirective, Preprocessor
from pcpp.preprocessor import Action
from pycparser import c_ast, c_parser

from momagen.prove.c.checks.declarations import check_declarations, check_single
from momagen.prove.c.checks.text import Directives, read_text
from momagen.prove.c.parsed import Source
from momagen.prove.c.subset import NAMES, check_pragmas, check_source, is_known_macro, without_attributes
from momagen.prove.c.system.exchange import ORDERS
from momagen.prove.c.system.macros import HUGE_PAGES, systems
from momagen.prove.c.types import VECTORS
from momagen.prove.checker import ProofError


@contextmanager
def seen_by(compiler: str) -> Iterator[None]:
    """Add the compiler whose view of a source is being proven to the reason for which the proof ends."""
    try:
        yield
    except ProofError as error:
        error.args = (f"{error} [{compiler}]",)
        raise


PRELUDE = """
typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t; typedef unsigned short uint16_t;
typedef int int32_t; typedef unsigned int uint32_t; typedef long long int64_t; typedef unsigned long long uint64_t;
typedef unsigned long long size_t; typedef unsigned long long uintptr_t;
enum { MADV_HUGEPAGE = 14 };
""" + "".join(
    [f"typedef unsigned long long {name}; " for name in VECTORS]
    + [f"enum {{ {name} = {value} }}; " for name, value in ORDERS.items()]
)
LITERALS = {
    "UINT64_C(x)": "x##ULL",
    "UINT32_C(x)": "x##U",
    "INT64_C(x)": "x##LL",
    "__extension__": "",
    "__inline": "inline",
}
_ANY = "a_value_that_depends_on_the_compiler"
_COMPILERS = {
    "gcc, x86-64": ("__GNUC__", "__x86_64__", "__SIZEOF_INT128__"),
    "clang, x86-64": ("__GNUC__", "__clang__", "__x86_64__", "__SIZEOF_INT128__"),
    "gcc, another CPU": ("__GNUC__", "__SIZEOF_INT128__"),
    "another compiler": ("__SIZEOF_INT128__",),
}
OWN_NAMES = frozenset(re.findall(r"\w+(?=;)", PRELUDE)) | {name.split("(")[0] for name in LITERALS} | {HUGE_PAGES}
"""The names that the prover declares or defines by itself."""
COMPILERS = {compiler: dict.fromkeys(names, _ANY) for compiler, names in _COMPILERS.items()}
"""The macros that each kind of compiler defines, each of which selects variants of helper functions.

A source may ask whether they are defined, but not for their values, such as the version of a compiler.
"""


class Reader(Preprocessor):  # type: ignore[misc]
    """A preprocessor that finds the kernel's own header, ignores system headers, and raises on errors."""

    def __init__(self, header: Path) -> None:
        super().__init__()
        self.header = header

    def on_file_open(self, is_system_include: bool, includepath: str) -> Any:
        """Open the kernel's own header, and no other file."""
        if is_system_include:
            raise OSError("the prelude declares what the source uses of a system header")
        if Path(includepath).name != self.header.name:
            raise ProofError(f"the source includes {Path(includepath).name}, which is not its header")
        return super().on_file_open(is_system_include, includepath)

    def on_include_not_found(self, *_: Any) -> None:
        """Ignore a system header: the prelude declares what the source uses of it."""
        raise OutputDirective(Action.IgnoreAndRemove)

    def on_unknown_macro_in_defined_expr(self, token: Any) -> bool:
        """Take a macro that is known to be undefined as undefined, and refuse any other."""
        return bool(self.on_unknown_macro_in_expr(token.value))

    def on_unknown_macro_in_expr(self, name: str) -> int:
        """Return the value of an undefined macro, or refuse a macro that a compiler or the user may define."""
        if not is_known_macro(name, COMPILERS):
            raise ProofError(f"the source depends on the macro {name}, whose value is not known")
        return 0

    def on_unknown_macro_function_in_expr(self, name: str) -> Any:
        """Refuse a macro that a compiler may define."""
        raise ProofError(f"the source depends on the macro {name}, whose value is not known")

    def on_error(self, file: str, line: int, message: str) -> None:
        """Raise what the preprocessor reports."""
        raise ProofError(f"{file}:{line}: {message}")


def _texts(path: Path) -> dict[str, str]:
    """Return the texts of a header, if there is one, and of its source, by the names of the files."""
    return {file.name: read_text(file) for file in (path.with_suffix(".h"), path) if file.is_file()}


def preprocess(path: Path, macros: dict[str, str]) -> str:
    """Return the text of a file after preprocessing."""
    texts, directives = _texts(path), Directives(NAMES | OWN_NAMES, lambda name: is_known_macro(name, COMPILERS))
    for name, text in texts.items():
        directives.check(name, text)
    reader = Reader(path.with_suffix(".h"))
    reader.line_directive = None
    reader.add_path(str(path.parent))
    for name, value in {**LITERALS, **macros}.items():
        reader.define(f"{name} {value}")
    reader.parse(texts[path.name], str(path))
    written = io.StringIO()
    reader.write(written)
    return written.getvalue()


def texts_of(path: Path) -> dict[str, str]:
    """Return the different texts that compilers on some systems see, each with the name of the first of them."""
    names: dict[str, str] = {}
    for macros in systems("".join(_texts(path).values())):
        where = " with " * bool(macros) + ", ".join(macros)
        for compiler, own in COMPILERS.items():
            names.setdefault(preprocess(path, {**own, **macros}), compiler + where)
    return {name: text for text, name in names.items()}


def text_seen_by(path: Path, compiler: str) -> str:
    """Return the text that a compiler sees on Linux."""
    return preprocess(path, {**COMPILERS[compiler], **systems("".join(_texts(path).values()))[0]})


def parse(text: str) -> Source:
    """Parse preprocessed text."""
    return parse_tree(PRELUDE, text)


def parse_tree(prelude: str, text: str, is_cuda: bool = False) -> Source:
    """Parse preprocessed text.

    Args:
        prelude: Declarations that precede the text.
        text: The text.
        is_cuda: Whether it is device code, where arrays may be aligned and functions may not be overloaded.
    """
    check_pragmas(text)
    try:
        tree = c_parser.CParser().parse(prelude + _calls_for_assembly(without_attributes(text)))
    except c_parser.ParseError as error:
        raise ProofError(f"the source cannot be parsed: {error}") from None
    check_declarations(tree, is_cuda)
    if is_cuda:
        check_single(tree)
    source = Source({}, {}, {}, {}, {})
    for item in tree.ext:
        if isinstance(item, c_ast.FuncDef):
            source.functions[item.decl.name] = item
        elif isinstance(item, c_ast.Typedef):
            source.typedefs[item.name] = item.type
        elif isinstance(item, c_ast.Decl):
            _declare(source, item)
        elif not isinstance(item, c_ast.Pragma):
            raise ProofError(f"the source contains {type(item).__name__} outside a function")
    check_source(source)
    return source


def _declare(source: Source, item: Any) -> None:
    kind = item.type
    if isinstance(kind, c_ast.Struct):
        source.structs[kind.name] = kind.decls or []
    elif isinstance(kind, c_ast.Enum):
        value = 0
        for entry in kind.values.enumerators:
            text = getattr(entry.value, "value", "") if entry.value else str(value)
            if not re.fullmatch(r"0|[1-9]\d*|0x[0-9a-fA-F]+", text):
                raise ProofError(f"the value of the enumeration constant {entry.name} is not supported")
            value = int(text, 0)
            if not -(1 << 31) <= value < 1 << 31:
                raise ProofError(f"the enumeration constant {entry.name} is longer than int")
            source.constants[entry.name] = value
            value += 1
    elif not isinstance(kind, c_ast.FuncDecl):
        source.globals[item.name] = item


def _calls_for_assembly(text: str) -> str:
    """Write each inline assembly statement as a call."""
    parts, at = [], 0
    for found in re.finditer(r"__asm__\s*(?:volatile|__volatile__)?\s*\(", text):
        end = _closing(text, found.end())
        inside = text[found.end() : end]
        parts += [text[at : found.start()], f"__asm__({_arguments(inside)})"]
        at = end + 1
    return "".join([*parts, text[at:]])


def _closing(text: str, at: int) -> int:
    depth, quoted = 1, False
    while depth:
        if text[at] == '"' and text[at - 1] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at - 1


def _arguments(inside: str) -> str:
    """Write the operands of an assembly statement as arguments of a call."""
    pieces = re.findall(r'"(?:[^"\\]|\\.)*"|\[\w+\]|:|,|\((?:[^()]|\([^()]*\))*\)|\S', inside)
    written: list[str] = []
    name = ""
    for piece in pieces:
        if piece == ":":
            written.append('":"')
        elif piece.startswith("["):
            name = piece
        elif piece.startswith('"') and written and written[-1].startswith('"') and not name and '":"' not in written:
            written[-1] = written[-1][:-1] + piece[1:]
        elif piece.startswith('"'):
            written.append(f'"{name}{piece[1:]}')
            name = ""
        elif piece != ",":
            written.append(piece)
    return ", ".join(written)


def read(path: Path, macros: dict[str, str]) -> Source:
    """Read a C file as one compiler sees it."""
    return parse(preprocess(path, macros))
