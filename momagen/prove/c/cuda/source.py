"""Reading CUDA C++ device code as NVRTC sees it: preprocessing, and parsing as C.

Device code is written in the part of C++ that is C, with specifiers of CUDA. They are checked and left out, and text
that C++ could read in another way than C is refused.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from momagen.prove.c.checks.text import Directives, read_text
from momagen.prove.c.cuda.functions import FUNCTIONS
from momagen.prove.c.cuda.vectors import BITS, LETTERS
from momagen.prove.c.source import Reader, parse_tree
from momagen.prove.c.subset import NAMES, OWN_MACRO
from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from pathlib import Path

    from momagen.prove.c.parsed import Source

NVRTC = "__CUDACC_RTC__"
"""The macro that only NVRTC defines."""
DIAGNOSTICS = "__NVCC_DIAG_PRAGMA_SUPPORT__"
"""A macro that selects a pragma about warnings."""
MACROS = {NVRTC, DIAGNOSTICS}
ANY = "a_value_that_depends_on_the_compiler"
LEXEMES = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:[^"\\\n]|\\.)*")', re.DOTALL)
"""Comments, and strings, which contain no comments."""
HEAD = re.compile(
    r"\s*#ifdef __CUDACC_RTC__\ntypedef unsigned int uint32_t;\ntypedef unsigned long long uint64_t;\n"
    r'#define MG_KERNEL extern "C" __global__ *\n#else\n#include "(\S+)"\n\n'
    r"#include <cuda_runtime.h>\n#include <stdlib.h>\n#define MG_KERNEL static __global__ *\n#endif\n"
)
"""The only text before the host code that NVRTC and nvcc read in two ways."""
DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
HEADERS = re.compile(r'<(cuda_runtime|stdlib)\.h>|""')
"""The headers that the host code may include; NVRTC does not see it."""
WORDS = {32: "unsigned int", 64: "unsigned long long"}
PRELUDE = "typedef _Bool bool;\n" + "".join(
    f"struct {name} {{ {' '.join(f'{WORDS[bits]} {letter};' for letter in LETTERS[:count])} }};"
    f" typedef struct {name} {name};\n"
    for name, (bits, count) in BITS.items()
)
INDICES = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
"""The variables of CUDA with the indices and the sizes of a launch."""

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
PLAIN = re.compile(r'"(C|(?!\w*asm)(?:[\w\s.,;{}%]|\\n|\\t|(?<=[= ])=)*|=?[rl])"')
"""The strings of device code: a language, instructions of assembly, and constraints."""
KERNEL = re.compile(r'\bextern\s+"C"\s+__global__\s+void\s+__launch_bounds__\((\d+)(?:, \d+)?\)\s+(\w+)\s*\(')
FUNCTION = re.compile(r"\bstatic\s+__device__\s+(?:__forceinline__|__noinline__)\s+")
ARRAY = re.compile(r"\bstatic\s+__device__\s+(?=__align__\(\d+\)\s+const\b)")
SHARED = "shared_memory"
"""The name of the shared memory of a block."""
SHARED_ARRAY = re.compile(rf"\bextern\s+__shared__\s+uint4\s+{SHARED}\[\];")
SHARED_USE = re.compile(rf"\(uint32_t \*\){SHARED}\b")
SHARED_ALIGNMENT = 16
ALIGNED = re.compile(r"\b__align__\((\d+)\)")
SPECIFIER = re.compile(r"\b(?:__\w+__|extern|volatile|_\w*[A-Z]\w*)\b")
CPP = re.compile(
    r"\b(?:alignas|alignof|and|and_eq|auto|bitand|bitor|catch|class|compl|consteval|constexpr|constinit|decltype|delete"
    r"|dynamic_cast|explicit|export|friend|goto|mutable|namespace|new|noexcept|not|not_eq|nullptr|operator|or|or_eq"
    r"|private|protected|public|register|reinterpret_cast|requires|static_cast|template|this|throw|try|typeid|typename"
    r"|union|using|virtual|wchar_t|xor|xor_eq)\b"
)
PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+nv_diag_suppress[ \t]+\d+(?:,[ \t]*\d+)*[ \t]*$", re.MULTILINE)
ASSEMBLY = re.compile(r"\basm\s*(?=\()")
DECLARED = re.compile(
    r"abs|labs|llabs|div|ldiv|lldiv|[fd]?(?:abs|max|min)f?|[iu]?mul(?:24|hi|64hi)|[iu]?(?:llm|u?m)(?:ax|in)|u?ll(?:max|min)"
    r"|clock(?:64)?|printf|vprintf|malloc|free|memcpy|memset|assert|saturate|syncthreads|all|any|ballot|norm\w*|rnorm\w*"
    r"|\w*2(?:int|float|double|half|uint|ll|ull)\w*|make_\w+|atomic\w+|tex\w+|surf\w+|exp\w*|log\w*|pow\w*|sqrt\w*"
    r"|l?l?r(?:ound|int)f?|s(?:in|cos)\w*|cos\w*|tan\w*|erf\w*|gamma\w*|[jy][01n]f?|fma\w*|fmod\w*|ceil\w*|floor\w*"
)
"""Names of functions that NVRTC declares by itself, which a source could overload."""


@dataclass(frozen=True)
class Device:
    """Device code.

    Attributes:
        source: The functions and kernels.
        kernels: The greatest number of threads of a block, by the name of a kernel.
    """

    source: Source
    kernels: dict[str, int]


class _DeviceReader(Reader):
    """A preprocessor that opens no file and knows the macros of NVRTC."""

    def on_file_open(self, is_system_include: bool, includepath: str) -> Any:
        """Refuse to open a file."""
        raise ProofError(f"device code includes {includepath}")

    def on_unknown_macro_in_expr(self, name: str) -> int:
        """Return the value of an undefined macro, or refuse a macro that NVRTC or the user may define."""
        if not is_known_macro(name):
            raise ProofError(f"the source depends on the macro {name}, whose value is not known")
        return 0


def is_known_macro(name: str) -> bool:
    """Return whether the value of a macro is known."""
    return name in MACROS or bool(OWN_MACRO.fullmatch(name))


def device_text(path: Path) -> str:
    """Return the text that NVRTC sees."""
    text = read_text(path)
    Directives(NAMES | set(FUNCTIONS) | INDICES | set(BITS), is_known_macro, HEADERS).check(path.name, text)
    found, other = (_preprocessed(path, text, macros) for macros in (MACROS, MACROS - {DIAGNOSTICS}))
    if PRAGMA.sub("", found).split() != other.split():
        raise ProofError(f"the source depends on the macro {DIAGNOSTICS}, which not all versions of NVRTC define")
    _check_views(path, LEXEMES.sub(lambda found: found[1] or "", text))
    return found


def _check_views(path: Path, code: str) -> None:
    """Check that nvcc sees the same device code as NVRTC, and the launches that the text states.

    Args:
        path: The source.
        code: Its text without comments.
    """
    head, header = HEAD.match(code), path.with_suffix(".h")
    if head is None or head[1] != header.name or code.count(NVRTC) != 2:
        raise ProofError("nvcc, which reads the launches, may see other device code than NVRTC")
    macros = DEFINED.findall(LEXEMES.sub("", read_text(header))) if header.is_file() else []
    prefix = f"{path.stem.upper()}_"
    foreign = [name for name in macros if not name.startswith(prefix)]
    foreign += [name for name in DEFINED.findall(code) if not name[0].isupper() or name.startswith(prefix)]
    if foreign:
        raise ProofError(f"the macro {foreign[0]} may change names in the code that nvcc sees")


def _preprocessed(path: Path, text: str, macros: set[str]) -> str:
    """Return the text after preprocessing, with some macros defined."""
    reader = _DeviceReader(path)
    reader.line_directive = None
    for name in sorted(macros):
        reader.define(f"{name} {ANY}")
    reader.parse(text, path.name)
    written = io.StringIO()
    reader.write(written)
    return written.getvalue()


def parse_device(text: str) -> Device:
    """Parse the text that NVRTC sees."""
    kernels: dict[str, int] = {}

    def as_function(found: re.Match[str]) -> str:
        kernels[found[2]] = int(found[1])
        return f"void {found[2]}("

    for string in STRING.findall(text):
        if not PLAIN.fullmatch(string):
            raise ProofError(f"the string {string} is not supported")
    if found := CPP.search(STRING.sub('""', text)):
        raise ProofError(f"{found.group()} is not supported in device code")
    if re.search(r"\b(?:_Alignas|__asm__)\b", text):
        raise ProofError("_Alignas and __asm__ are not supported in device code")
    text = KERNEL.sub(as_function, PRAGMA.sub("", text))
    text = SHARED_ARRAY.sub("", text)
    if len(re.findall(rf"\b{SHARED}\b", text)) != len(SHARED_USE.findall(text)):
        raise ProofError("shared memory is used as something else than an array of words")
    text = ARRAY.sub("static ", FUNCTION.sub("static ", text))
    text = ALIGNED.sub(r"@(\1)", text)
    if found := SPECIFIER.search(text):
        raise ProofError(f"{found.group()} is not supported in device code")
    text = ASSEMBLY.sub("__asm__", text.replace("@(", "_Alignas("))
    source = parse_tree(PRELUDE, text, is_cuda=True)
    for name in source.functions:
        if name in FUNCTIONS or name in INDICES or DECLARED.fullmatch(name):
            raise ProofError(f"the source defines {name}, which CUDA declares")
    for name, function in source.functions.items():
        if name not in kernels and "static" not in function.decl.storage:
            raise ProofError(f"the function {name} is not static")
    return Device(source, kernels)
