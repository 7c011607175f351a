"""Compare generated code without its comments between two checkouts of momagen.

A change of comments must not change what a compiler sees. ``python scripts/compare_generated.py --write DUMP.zip``
generates kernels of every kind, target and language, and some libraries; it removes comments and docstrings,
normalises white space and writes the rest to a zip file. In a later checkout,
``python scripts/compare_generated.py --compare DUMP.zip`` generates the same again and lists the files that differ,
with a diff of each; it exits with 1 if there are any. ``--only TEXT`` selects the files whose names contain a text.

Prose (README files, licences) is left out. Strings, such as messages of a program, are part of the code.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import io
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "unit" / "emit")]

from every_kernel import WIDTHS, Text, attempt, every_case, is_offered  # noqa: E402

import momagen as mg  # noqa: E402
from momagen.api.native import resolved  # noqa: E402
from momagen.cli import main as run_command  # noqa: E402
from momagen.emit import generate  # noqa: E402
from momagen.errors import MomagenError  # noqa: E402
from momagen.regen.kernels import manifest_of, specifications  # noqa: E402

C_TARGETS = ("c", "avx2", "avx512", "avx512ifma")
METHODS = ("corrected", "exact", "fast")
ALL_TARGETS = (*C_TARGETS, "c64", "mqx", "cuda", "jax", "jax_tpu", "python", "b512")
VARIANTS: list[tuple[str, tuple[str, ...], dict[str, Any]]] = [
    ("ntt", ALL_TARGETS, {"n": 1024, "modulus_bits": 60}),
    ("ntt", ALL_TARGETS, {"n": 1024, "modulus_bits": 124, "inverse": True, "negacyclic": True}),
    ("ntt", ALL_TARGETS, {"n": "any", "max_n": 4096, "modulus_bits": 50}),
    ("ntt", ALL_TARGETS, {"n": "any", "max_n": 4096, "modulus_bits": 60, "inverse": True, "negacyclic": True}),
    ("ntt", ALL_TARGETS, {"n": 1024, "moduli": 3, "modulus_bits": 50}),
    ("ntt", ALL_TARGETS, {"n": 1024, "modulus_bits": 60, "bake": "yes"}),
    ("ntt", ALL_TARGETS, {"n": 1024, "modulus": "goldilocks", "bake": "yes"}),
    ("ntt", ALL_TARGETS, {"n": 1024, "modulus_bits": 60, "input_factor": "4", "output_factor": "4"}),
    ("ntt", ALL_TARGETS, {"n": 1024, "modulus_bits": 60, "order": "natural"}),
    ("ntt", ALL_TARGETS, {"n": 1024, "modulus_bits": 60, "columns": 8}),
    ("ntt", ALL_TARGETS, {"n": 1024, "modulus_bits": 60, "coset": 7}),
    ("ntt", ALL_TARGETS, {"n": 1024, "modulus_bits": 60, "automorphism": 5}),
    ("ntt", ALL_TARGETS, {"n": 1024, "modulus_bits": 28, "layout": "u64"}),
    ("ntt", C_TARGETS, {"n": 1024, "modulus_bits": 14, "layout": "u16"}),
    ("ntt", ALL_TARGETS, {"n": 256, "modulus": "bls12-381-r"}),
    ("ntt", ALL_TARGETS, {"n": 1 << 16, "modulus_bits": 60}),
    ("ntt", ALL_TARGETS, {"n": 1 << 18, "modulus_bits": 60, "threads": "2"}),
    ("ntt", C_TARGETS, {"n": 1024, "moduli": 3, "modulus_bits": 60, "threads": "4"}),
    ("ntt", C_TARGETS, {"preset": "ml-kem"}),
    ("ntt", C_TARGETS, {"preset": "ml-kem", "inverse": True, "montgomery": "reference"}),
    ("basemul", C_TARGETS, {"preset": "ml-kem"}),
    ("polymul", ALL_TARGETS, {"n": 1024, "modulus_bits": 60, "negacyclic": True}),
    ("lde", C_TARGETS, {"n": 1024, "modulus": "goldilocks", "blowup": 4, "coset": 7, "input_order": "natural"}),
    ("vmul", ALL_TARGETS, {"modulus_bits": 60, "bake": "yes"}),
    ("vmul", ALL_TARGETS, {"moduli": 3, "modulus_bits": 60}),
    ("vmul", C_TARGETS, {"modulus_bits": 60, "threads": "2"}),
    ("vmul", C_TARGETS, {"modulus_bits": 60, "form": "montgomery"}),
    ("axpy", C_TARGETS, {"modulus_bits": 50, "input_factor": "4"}),
    ("dot", C_TARGETS, {"modulus_bits": 50}),
    ("ntt", ("jax_tpu",), {"n": 4096, "modulus_bits": 28, "fused": "yes"}),
    ("ntt", ("jax", "jax_tpu"), {"n": 4096, "modulus_bits": 28, "dense": "64", "sums": "barrett"}),
    ("ntt", ("jax_gpu",), {"n": 4096, "modulus_bits": 28, "sums": "folded", "engine": "int8"}),
    ("ntt", ("jax_tpu",), {"n": 4096, "moduli": 2, "modulus_bits": 28, "inverse": True, "negacyclic": True}),
]
"""Kernels that the matrix of the tests lacks: a kind, targets, and arguments; combinations that momagen refuses are
left out."""
ROWS: list[tuple[str, tuple[int, ...], tuple[str, ...], dict[str, Any]]] = [
    *(("convert", (4,), (*C_TARGETS, "cuda"), {"to": 3, "modulus_bits": 50, "method": m}) for m in METHODS),
    ("convert", (4,), ("c", "cuda"), {"to": 3, "modulus_bits": 60, "positive": True}),
    ("convert", (4,), ("c", "cuda"), {"to": 3, "modulus_bits": 60, "scaled": True}),
    ("convert", (4,), ("jax", "jax_tpu"), {"to": 3, "modulus_bits": 28}),
    ("convert", (4,), ("jax_tpu",), {"to": 3, "modulus_bits": 28, "exact": False}),
    ("convert", (4,), ("c",), {"to": 3, "modulus_bits": 50, "threads": 4}),
    ("rescale", (4,), ("c",), {"modulus_bits": 50, "threads": 4}),
    ("keyswitch", (4,), (*C_TARGETS, "cuda"), {"modulus_bits": 50, "input_factor": 4}),
    ("keyswitch", (4,), ("c",), {"modulus_bits": 50, "threads": 4}),
    *(("moddown", (4,), ("c", "cuda"), {"drop": 2, "modulus_bits": 50, "method": m}) for m in METHODS),
    ("moddown", (4,), ("c", "cuda"), {"drop": 2, "modulus_bits": 50, "plaintext_modulus": 65537}),
    ("moddown", (4,), ("c",), {"drop": 2, "modulus_bits": 50, "threads": 4}),
]
"""Kernels for the rows of an RNS basis: a function of momagen, its arguments, targets, and named arguments."""

NTT = [
    "ntt:n=any,max_n=1024,bits=64,negacyclic,name=ntt",
    "vmul:bits=64,name=mul",
    "ntt:n=1024,modulus=babybear,name=b",
]
RNS = [
    "convert:moduli=4,to=3,modulus_bits=50,method=fast,name=convert", "rescale:moduli=4,modulus_bits=50,name=divide",
    "keyswitch:moduli=4,modulus_bits=60,input_factor=4,name=switch",
    "moddown:moduli=4,drop=2,modulus_bits=60,name=down",
    "convert:moduli=4,to=3,modulus_bits=60,method=exact,name=exact",
]  # fmt: skip
COMMANDS: dict[str, list[str]] = {
    "lib_ntt": ["lib", *NTT, "--targets", "c,avx2,avx512ifma"],
    "lib_cuda": ["lib", "ntt:n=1024,bits=64,name=ntt", NTT[1], "--targets", "c,cuda"],
    "lib_rns": ["lib", *RNS, "--targets", "c,avx512ifma"],
    "lib_u32": ["lib", *NTT[2:], "--layout", "u32", "--targets", "c,avx2"],
    "hexl": ["hexl", "--targets", "c,avx512ifma"],
    "rns": ["rns", "--name", "fhe", "--max-n", "4096", "--targets", "c,avx2"],
    "rns_fast": ["rns", "--name", "fhe", "--max-n", "8", "--modulus-bits", "28,60", "--mod-up", "fast", "--mod-down",
                 "exact", "--targets", "c"],
}  # fmt: skip
"""Libraries, by the name of a folder: the arguments of ``momagen``."""

FOLDERS = ("matrix", "variants", "generated")
"""The folders of single kernels."""
PROSE = re.compile(r"(\.md|LICENSE|NOTICE|\.txt\.j2)$")
HASH_COMMENTS = re.compile(r"(CMakeLists\.txt|\.cmake|\.cmake\.in|\.pc|\.pc\.in|\.s|\.toml|\.asm)$")
C_TOKENS = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
HASH = re.compile(r"\b[0-9a-f]{32,}\b")
HASH_TOKENS = re.compile(r"#[^\n]*|\"(?:\\.|[^\"\\])*\"")


def _strip(text: str, tokens: re.Pattern[str]) -> str:
    """Replace comments by a space, and leave strings and characters as they are."""
    return tokens.sub(lambda found: found[0] if found[0][0] in "\"'" else " ", text)


def _normalise(text: str) -> str:
    """Return the lines of a text that hold anything, with single spaces between words."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def _strip_python(text: str) -> str:
    """Return Python source without comments and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [s for s in body if not _is_string(s)] or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.unparse(tree) + "\n"


def _is_string(node: ast.AST) -> bool:
    """Whether a statement is only a string: a docstring, or text after an assignment that documents it."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def code_of(name: str, text: str) -> str | None:
    """Return the code in a generated file without comments, or None if the file is prose."""
    if PROSE.search(name):
        return None
    if name.endswith(".py"):
        return _strip_python(text)
    if name.endswith(".json"):
        return text
    return _normalise(_strip(text, HASH_TOKENS if HASH_COMMENTS.search(name) else C_TOKENS))


def _suffix(text: str) -> str:
    """Return the suffix of a source whose language is not known: Python, B512 or a dialect of C."""
    with contextlib.suppress(SyntaxError):
        ast.parse(text)
        return ".py"
    return ".c" if re.search(r"^#include|^/\*", text, re.MULTILINE) else ".s"


def matrix_files(*, complete: bool) -> Iterator[tuple[str, str]]:
    """Yield the kernels of the tests' matrix: all of them, or one width of each kind and target."""
    for at, case in enumerate(filter(is_offered, every_case())):
        if complete or WIDTHS.index(case.bits) == (at // 5 + len(case.kind) + len(case.target)) % len(WIDTHS):
            found = attempt(case)
            if isinstance(found, Text):
                base = "matrix/" + str(case).replace(" ", "_")
                yield base + _suffix(found.source), found.source
                if found.header:
                    yield base + ".h", found.header


def variant_files() -> Iterator[tuple[str, str]]:
    """Yield the kernels of :data:`VARIANTS` and those of the manifest of ``generated/``."""
    for at, (kind, targets, arguments) in enumerate(VARIANTS):
        for target in targets:
            with contextlib.suppress(MomagenError):
                made = generate(resolved(kind, target=target, **arguments))
                for suffix, text in made.files.items():
                    yield f"variants/{at}_{kind}_{target}{suffix}", text
    for at, (kind, values, targets, arguments) in enumerate(ROWS):
        for target in targets:
            with contextlib.suppress(MomagenError):
                made = getattr(mg, kind)(*values, target=target, **arguments)
                yield f"variants/rows{at}_{kind}_{target}{_suffix(made.source)}", made.source
                if getattr(made, "header", ""):
                    yield f"variants/rows{at}_{kind}_{target}.h", made.header
    for spec in specifications(manifest_of(ROOT / "generated")):
        for suffix, text in generate(spec).files.items():
            yield f"generated/{spec.name}{suffix}", text


def package_files(only: str) -> Iterator[tuple[str, str]]:
    """Yield the files of the libraries of :data:`COMMANDS` whose folders match ``only``, or of all."""
    chosen = {name: c for name, c in COMMANDS.items() if only in name or only.startswith(f"{name}/")} or COMMANDS
    for name, command in chosen.items():
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / name
            quiet = io.StringIO()
            with contextlib.redirect_stdout(quiet):
                code = run_command([*command, "--output", str(output), "--no-verify"])
            if code:
                raise SystemExit(f"momagen {' '.join(command)} failed")
            for path in sorted(filter(Path.is_file, output.rglob("*"))):
                if not _has_hashes(path):
                    yield f"{name}/{path.relative_to(output)}", path.read_text(encoding="utf-8")


def _has_hashes(path: Path) -> bool:
    """Whether a file contains hashes of generated text, which change with every comment."""
    return path.suffix == ".sha256" or (path.suffix == ".json" and bool(HASH.search(path.read_text(encoding="utf-8"))))


def all_code(options: argparse.Namespace) -> dict[str, str]:
    """Return the code of every file without comments, by the name of the file."""
    found: dict[str, str] = {}
    sources = [] if options.only.split("/")[0] in FOLDERS else [package_files(options.only)]
    if not options.packages and options.only.split("/")[0] not in COMMANDS:
        sources += [variant_files(), matrix_files(complete=options.complete)]
    for files in sources:
        for name, text in files:
            if options.only in name and (code := code_of(name, text)) is not None:
                found[name] = code
    return found


def write(path: Path, codes: dict[str, str]) -> None:
    """Write the code of every file to a zip file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as dump:
        for name, code in codes.items():
            dump.writestr(name, code)


def differences(path: Path, codes: dict[str, str], only: str, *, packages: bool) -> Iterator[str]:
    """Yield a report of each file that differs from a zip file that :func:`write` wrote."""
    with zipfile.ZipFile(path) as dump:
        expected = {name for name in dump.namelist() if only in name}
        if packages:
            expected = {name for name in expected if name.split("/")[0] in COMMANDS}
        for name in sorted(expected | codes.keys()):
            if name not in codes:
                yield f"missing: {name}"
            elif name not in expected:
                yield f"new: {name}"
            elif (before := dump.read(name).decode()) != codes[name]:
                lines = difflib.unified_diff(before.splitlines(), codes[name].splitlines(), name, name, "", "", 1, "")
                yield "\n".join(list(lines)[:40])


def main() -> int:
    """Write a dump, or compare with one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", type=Path, metavar="DUMP", help="write the code of this checkout to a zip file")
    action.add_argument("--compare", type=Path, metavar="DUMP", help="compare with the zip file of another checkout")
    parser.add_argument("--only", default="", metavar="TEXT", help="only files whose names contain TEXT (default: all)")
    parser.add_argument("--packages", action="store_true", help="only libraries, no single kernels")
    parser.add_argument("--complete", action="store_true", help="every kernel of the matrix at every width")
    options = parser.parse_args()
    codes = all_code(options)
    if options.write:
        write(options.write, codes)
        print(f"{len(codes)} files in {options.write}")
        return 0
    reports = list(differences(options.compare, codes, options.only, packages=options.packages))
    print(*reports, f"{len(reports)} of {len(codes)} files differ", sep="\n")
    return int(bool(reports))


if __name__ == "__main__":
    sys.exit(main())
