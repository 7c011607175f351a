"""Plant random faults in kernels and claims, and try to prove each of them: no fault may be accepted.

``python scripts/prove_faults.py --count 2000`` draws a class of faults, a kernel and a place in it at random, and edits
the text there. A faulty kernel that is *proven* is compared with the original one: either both have the same text after
preprocessing, or the same machine code for every variant of the helper functions, or ``momagen verify`` finds no
difference from gmpy2 in any variant, with undefined behaviour trapped. Otherwise the fault is a hole in the prover.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # nothing needs to be installed

import momagen as mg  # noqa: E402
from momagen.prove.c.cuda.source import device_text  # noqa: E402
from momagen.prove.c.source import texts_of  # noqa: E402
from momagen.prove.checker import ProofError  # noqa: E402
from momagen.prove.kernels import prove  # noqa: E402

Match = re.Match[str]
Edit = tuple[str, Callable[[Match], list[str]]]
Kernel = tuple[str, dict[str, str], str]

KERNELS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("vadd", {"modulus_bits": 60, "target": "c"}),
    ("vsub", {"modulus_bits": 124, "target": "c"}),
    ("vmul", {"modulus_bits": 31, "target": "c"}),
    ("vmul", {"modulus_bits": 60, "target": "c"}),
    ("vmul", {"modulus_bits": 63, "target": "c"}),
    ("axpy", {"modulus_bits": 60, "target": "c"}),
    ("cmpsub", {"modulus_bits": 60, "target": "c"}),
    ("tomont", {"modulus_bits": 60, "target": "c"}),
    ("dot", {"modulus_bits": 60, "target": "c"}),
    ("vadd", {"modulus_bits": 124, "target": "c64"}),
    ("vsub", {"modulus_bits": 60, "target": "c32"}),
    ("vadd", {"modulus_bits": 60, "target": "avx2"}),
    ("vneg", {"modulus_bits": 60, "target": "avx512"}),
    ("vadd", {"modulus_bits": 60, "target": "cuda"}),
    ("vmul", {"modulus_bits": 20, "target": "cuda"}),
    ("ntt", {"n": 8, "modulus_bits": 60, "target": "c"}),
    ("ntt", {"n": 8, "modulus_bits": 31, "target": "c", "inverse": True, "negacyclic": True, "order": "natural"}),
    ("ntt", {"n": 8, "modulus_bits": 28, "target": "cuda"}),
    ("ntt", {"n": 1024, "modulus_bits": 60, "target": "b512"}),
    ("rescale", {"moduli": 2, "modulus_bits": 50, "target": "c"}),
)
"""The kernels: their kinds and their parameters."""


def _others(*choices: str) -> Callable[[Match], list[str]]:
    return lambda found: [choice for choice in choices if choice != found.group()]


def _near(found: Match) -> list[str]:
    number = int(found.group(1), 0)
    start, end = (at - found.start() for at in found.span(1))
    others = {number + 1, max(number - 1, 0), number * 2, number // 2} - {number}
    return [found.group()[:start] + str(other) + found.group()[end:] for other in sorted(others)]


def _dropped(_: Match) -> list[str]:
    return [""]


OPERATORS: list[Edit] = [
    (r"(?<= )[-+](?= )", _others("-", "+", "|")),
    (r"(?<=\w )\*(?= \w)", _others("+", "&")),
    (r"(?<= )(<<|>>)(?= )", _others("<<", ">>")),
    (r"(?<= )(<|>|==|!=|<=|>=)(?= )", _others("<", ">", "==", "!=", "<=", ">=")),
    (r"(?<= )(&&|\|\|)(?= )", _others("&&", "||")),
    (r"(?<= )[&|^](?= )", _others("&", "|", "^")),
    (r"!(?=\w)|(?<==)~(?=\w)", _dropped),
    (r"\b(_mm\d*_)(add|sub|and|or|xor|srli|slli|mul|unpacklo|unpackhi|cmpgt|min|max)_", lambda m: [
        f"{m.group(1)}{other}_"
        for other in ("add", "sub", "or", "xor", "srli", "slli", "unpacklo", "unpackhi", "min", "max")
        if other != m.group(2)
    ]),
    (r"\b(add|addc|sub|subc|mad|madc|mul)(\.cc)?(\.lo|\.hi)?\.(u32|u64|cc\.u32)\b", lambda m: [
        f"{other}{m.group(2) or ''}{m.group(3) or ''}.{m.group(4)}"
        for other in ("add", "addc", "sub", "subc", "madc", "mad") if other != m.group(1)
    ]),
    (r"\bv(add|sub|mul)mod\b", lambda m: [f"v{other}mod" for other in ("add", "sub", "mul") if other != m.group(1)]),
]
CONSTANTS: list[Edit] = [
    (r"(?<![\w\[#\".%])(\d+)(?=[;),\s])", _near),
    (r"UINT(?:64|32)_C\((0x[0-9a-f]+|\d+)\)", _near),
    (r"\b(\d+)[uU](?:LL)?\b", _near),
]
ASSEMBLY: list[Edit] = [
    (r"\b(addq|adcq|subq|sbbq|cmovcq|cmovnzq|leaq|adcl|sbbl|addl|subl)\b",
     _others("addq", "adcq", "subq", "sbbq", "cmovcq", "cmovnzq")),
    (r"(\w+q) (%\[\w+\]), (%\[\w+\])", lambda m: [f"{m.group(1)} {m.group(3)}, {m.group(2)}", ""]),
    (r'"([+=])&r"', lambda m: [f'"{m.group(1)}r"', '"=&r"' if m.group(1) == "+" else '"+&r"']),
    (r"%\[([a-z])(\d)\]", lambda m: [f"%[{m.group(1)}{1 - int(m.group(2)) % 2}]"]),
    (r"%(\d)\b", lambda m: [f"%{int(m.group(1)) + 1}", f"%{max(int(m.group(1)) - 1, 0)}"]),
    (r'"(cc|memory)"', lambda m: [] if m.group(1) == "cc" else ['"cc"']),
    (r"\b(mg_\w+)\(([^(),]+), ([^(),]+)((?:, [^(),]+)*)\)",
     lambda m: [f"{m.group(1)}({m.group(3)}, {m.group(2)}{m.group(4)})"]),
    (r"^\s*(?!const|uint\d+_t|unsigned|return|u128|static|#)[\w*\[\]>-]+ [-+|&^]?= .*;$", lambda _: [";"]),
    (r"\b([abqt])([01])\b(?=[,);])", lambda m: [m.group(1) + str(1 - int(m.group(2)))]),
]
CLASSES: dict[str, list[Edit]] = {
    "types": [
        (r"\buint64_t\b(?! \*)", _others("uint32_t", "uint16_t", "int64_t", "u128")),
        (r"\buint64_t (?=\*)", _others("uint32_t ", "int64_t ", "uint8_t ")),
        (r"\buint32_t\b", _others("uint64_t", "uint16_t", "int32_t")),
        (r"\bu128\b|\bunsigned __int128\b", _others("uint64_t", "uint32_t", "__int128")),
        (r"\bunsigned char\b", _others("uint64_t", "signed char", "_Bool")),
        (r"\bsize_t\b", _others("uint32_t", "int", "uint8_t")),
        (r"\((?:uint64_t|uint32_t|u128|size_t)\)(?=[\w(])", _dropped),
        (r"\b(?:__m512i|__m256i)\b", _others("__m512i", "__m256i", "__m128i")),
    ],
    "subscripts": [
        (r"\[(\d+)\]", _near),
        (r"\[([a-z]\w*)\]", lambda m: [f"[{m.group(1)} + 1]", f"[{m.group(1)} - 1]", f"[{m.group(1)} * 2]", "[0]"]),
        (r"\b([xyzcabw])\[", lambda m: [f"{other}[" for other in "xyzcabw" if other != m.group(1)]),
        (r"(?<=[a-z]) \+ (\d+)(?=[,)])", _near),
    ],
    "steps": [
        (r"\b([a-z]\w*)\+\+", lambda m: [f"{m.group(1)} += 2", m.group(1), f"{m.group(1)}--", f"{m.group(1)} += 0"]),
        (r"\b[a-z]\w* [-+*]= (\d+)", _near),
        (r"^\s*[a-z]\w*(\+\+| [-+*]= \w+);$", lambda _: [";"]),
        (r"(?<=, )[a-z]\w* \+= (\d+)", _near),
        (r"\+ (i\d|b\d|lane) \* (\d+)", lambda m: [
            f"+ {m.group(1)} * {int(m.group(2)) + d}" for d in (-1, 1)
        ]),
    ],
    "bounds": [
        (r"\b([a-z]\w*) < (\w+)(?=[;)])", lambda m: [
            f"{m.group(1)} <= {m.group(2)}", f"{m.group(1)} < {m.group(2)} - 1", f"{m.group(1)} < {m.group(2)} + 1",
            f"{m.group(1)} != {m.group(2)}", f"{m.group(1)} < {m.group(2)} / 2",
        ]),
        (r"\b(size_t|uint32_t|unsigned) ([a-z]\w*) = (\d)(?=;)", lambda m: [
            f"{m.group(1)} {m.group(2)} = {int(m.group(3)) + 1}"
        ]),
        (r"\b([a-z]\w*)-- > (\d)", lambda m: [f"--{m.group(1)} > {m.group(2)}", f"{m.group(1)}-- > 1"]),
        (r"\b(q\[\d+\](?: >> \d+)?) (>|==) (\d+)", lambda m: [
            f"{m.group(1)} {m.group(2)} {int(m.group(3)) + 1}", f"{m.group(1)} >= {m.group(3)}"
        ]),
        (r"if \(!(\w+)\)", lambda m: [f"if ({m.group(1)} < 2)", f"if ({m.group(1)})", "if (0)"]),
        (r"(?<=malloc\()(?:sizeof\(\w+\) \* )?(\d+)", _near),
        (r"\+ (\d+) <= ", lambda m: [f"+ {int(m.group(1)) - 1} <= ", f"+ {m.group(1)} < ", f"+ {m.group(1)} <= 1 + "]),
    ],
    "constants": CONSTANTS,
    "operators": OPERATORS,
    "tables": [
        (r"\{\(const void \*\)(\w+), (\d+), (\d+), (\d+), (\d+), (\d+), \{([\d, ]+)\}\}", lambda m: [
            m.group()[: m.start(at) - m.start()] + str(int(m.group(at)) + by) + m.group()[m.end(at) - m.start() :]
            for at in range(2, 7) for by in (-1, 1) if int(m.group(at)) + by >= 0
        ] + [m.group().replace("{" + m.group(7) + "}", "{" + ", ".join(reversed(m.group(7).split(", "))) + "}")]),
        (r"(?<=\{)(\d+)(?=\})", _near),
        (r"\btw\[(\d+)\]|\bc\[(\d+)\]", lambda m: [
            m.group().replace(m.group(1) or m.group(2), str(int(m.group(1) or m.group(2)) + by)) for by in (-1, 1)
            if int(m.group(1) or m.group(2)) + by >= 0
        ]),
        (r"\b(tables|powers|entry|c|at) \+ (\d+|\(?\w+ \* \d+)", lambda m: [
            m.group(1), f"{m.group(1)} + 1 + {m.group(2)}"
        ]),
        (r"(?<=put_tree\()(.*), (\d+)\)", lambda m: [f"{m.group(1)}, {int(m.group(2)) + 1})"]),
        (r"\b(step|lanes|node|member|group|half|levels)\b(?=[ ,)\]])", _others("1", "0", "2")),
        (r"(?m)^( *\.\w+ .*?)(-?\d+)(.*)$", lambda m: [
            f"{m.group(1)}{int(m.group(2)) + by}{m.group(3)}" for by in (-1, 1)
        ]),
    ],
}
"""The edits of each class: a pattern in a line, and what replaces a match."""
BODIES = "bodies of helpers and macros"
CLASSES[BODIES] = [*ASSEMBLY, *OPERATORS, *CONSTANTS, *CLASSES["types"]]
CLAIMS = "claims"
HOST = "#ifndef __CUDACC_RTC__\n"
"""The line before the host code of a kernel for CUDA."""
IS_HELPER = re.compile(r"\bmg_\w+\(|#define|__asm__|asm volatile")
PROGRAM: list[Edit] = [
    (r"\b[vs](\d+)\b", lambda m: [f"{m.group()[0]}{(int(m.group(1)) + by) % 64}" for by in (-1, 1)]),
    (r"\b(\d+)\b(?=\(|$)", _near),
    (r"\bv(add|sub|mul)mod\b", OPERATORS[-1][1]),
]
"""The edits of B512 programs, of all classes but claims."""


@dataclass(frozen=True)
class Fault:
    """A fault: the file that is edited, its new text, and what was changed."""

    file: str
    text: str
    what: str


def _lines(text: str, is_program: bool) -> Iterator[tuple[int, str, bool]]:
    """Yield the lines of code, each with whether it belongs to a helper or macro."""
    in_comment, in_helper = False, False
    for at, line in enumerate(text.split("\n")):
        bare = line.strip()
        if "_error_text(" in line and not line.endswith(";"):
            return
        starts = bare.startswith("/*")
        if not in_comment and not starts and bare and not bare.startswith("#" if is_program else "#if"):
            in_helper = in_helper or bool(IS_HELPER.search(line) and not line.startswith(" "))
            yield at, line, in_helper or bare.startswith("#define")
            in_helper = in_helper and not line.startswith("}")
        in_comment = (in_comment or starts) and "*/" not in line


def faults_in(file: str, text: str, share: str) -> list[Fault]:
    """Return all faults of a class in a text."""
    is_program = file.endswith(".s")
    lines, found = text.split("\n"), []
    device = text.find(HOST) if file.endswith(".cu") else -1
    for at, line, in_helper in _lines(text, is_program):
        if not is_program and in_helper != (share == BODIES):
            continue
        if device >= 0 and share != "tables" and at > text.count("\n", 0, device):
            break  # of the host code, only the tables are proven
        for pattern, replacements in PROGRAM if is_program else CLASSES[share]:
            for match in re.finditer(pattern, line):
                for new in replacements(match):
                    after = line[: match.start()] + new + line[match.end() :]
                    if after != line:
                        whole = "\n".join([*lines[:at], after, *lines[at + 1 :]])
                        found.append(Fault(file, whole, f"{line.strip()} => {after.strip()}"))
    return found


OTHER_KINDS = ("vadd", "vsub", "vmul", "vneg", "scal", "axpy", "reduce", "cmpsub", "tomont", "frommont", "ntt", "dot")


def claims_in(file: str, text: str) -> list[Fault]:
    """Return manifests that request something else."""
    manifest = json.loads(text)
    spec = manifest["spec"]
    changes = _of_rows(spec) if "moduli" in spec else _of_one_modulus(spec)
    found = []
    for key, values in changes.items():
        for value in values:
            if value != spec.get(key):
                other = json.dumps({**manifest, "spec": {**spec, key: value}})
                found.append(Fault(file, other, f"{key}: {spec.get(key)} => {value}"))
    return found


def _of_rows(spec: dict[str, Any]) -> dict[str, list[Any]]:
    """Return other values in the request for a kernel on the rows of an RNS basis, by key."""
    moduli = spec["moduli"]
    return {
        "kind": ["rescale", "moddown", "keyswitch", "convert"],
        "moduli": [moduli[:-1], [*moduli, "0x11"], [*moduli[:-1], hex(int(moduli[-1], 0) << 1 | 1)], ["0x3", "0x5"]],
        "rounding": ["nearest", "floor"],
        "threads": [2],
        "target": [target for target in ("c", "c64", "avx2", "avx512", "cuda") if target != spec["target"]],
    }


def _of_one_modulus(spec: dict[str, Any]) -> dict[str, list[Any]]:
    """Return other values in the request for a kernel of one modulus, by key."""
    modulus = int(spec["modulus"], 0)
    bits = modulus.bit_length()
    return {
        "modulus": [hex(1 << bits), hex((1 << bits - 1) - 1), hex(3), hex(1 << 2 * bits)],
        "bits": [spec["bits"] + 1, spec["bits"] - 1, 2 * spec["bits"], 64 + spec["bits"], 1],
        "n": [spec["n"] * 2, spec["n"] // 2, spec["n"] + 1],
        "kind": [kind for kind in OTHER_KINDS if kind != spec["kind"]],
        "inverse": [not spec["inverse"]],
        "negacyclic": [not spec["negacyclic"]],
        "order": ["natural" if spec["order"] == "bitrev" else "bitrev"],
        "columns": [2],
        "coset": [3, 7],
        "automorphism": [3, 5],
        "degree": [2],
        "montgomery": [1, 64],
        "blowup": [2],
        "serves": [1],
        "sized": [True],
        "target": [target for target in ("c", "c64", "c32", "avx512", "cuda", "b512") if target != spec["target"]],
        "basis": [spec["basis"][:-1], [*spec["basis"], hex(modulus)]],
        "options": [{"output_factor": 2}, {"round": "down"}, {"threads": 2}, {"digits": 2}],
        "input_order": ["bitrev", "natural"],
    }


class OutOfTimeError(BaseException):
    """A proof takes longer than its limit; no part of the prover handles this exception."""


def _stop(*_: Any) -> None:
    raise OutOfTimeError


def written(folder: Path, files: dict[str, str]) -> Path:
    """Write the files of a kernel into an empty folder, and return the path of its source."""
    for path in folder.iterdir():
        path.unlink()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return next(path for path in folder.iterdir() if path.suffix in (".c", ".cu", ".s"))


def claim_and_problem(path: Path, seconds: float) -> tuple[str, str]:
    """Return the claim of a kernel, and why it is not proven within a time, or an empty text."""
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        result = prove(path)
        return result.claim, result.problem
    except OutOfTimeError:
        return "", f"not decided within {seconds:g} s"
    except mg.MomagenError as error:
        return "", f"invalid: {error}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


# The comparison of an accepted fault with the original kernel.

VARIANTS: dict[str, tuple[tuple[str, str], ...]] = {
    "gcc": (),
    "clang": (("__clang__", "__GNUC__"), ("__builtin_ia32_subborrow_u64", "__builtin_ia32_sbb_u64")),
    "another CPU": (("__x86_64__", "MG_NONE"),),
    "another compiler": (("__x86_64__", "MG_NONE"), ("__GNUC__", "MG_NONE")),
}
"""The edits after which gcc compiles the variants of helper functions for other compilers and CPUs."""
FLAGS = {
    "avx2": "-mavx2",
    "avx512": "-mavx512f -mavx512dq -mavx512bw -mavx512vl",
    "avx512ifma": "-mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512ifma",
}
TRAPS = "-O1 -w -fsanitize=undefined,bounds -fsanitize-undefined-trap-on-error"


def _texts(path: Path) -> Any:
    """Return what the prover reads of a source."""
    if path.suffix == ".s":
        return path.read_text(encoding="utf-8")
    return device_text(path) if path.suffix == ".cu" else texts_of(path)


def _object(path: Path, target: str) -> bytes | str:
    """Return the machine code that gcc makes of a source, or why it makes none."""
    with tempfile.TemporaryDirectory() as folder:
        goal = Path(folder) / "object.o"
        command = ["gcc", "-O2", "-w", "-c", *FLAGS.get(target, "").split(), path.name, "-o", str(goal)]
        made = subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parent)
        return made.stderr[:300] if made.returncode else goal.read_bytes()


def _variant(files: dict[str, str], edits: tuple[tuple[str, str], ...]) -> dict[str, str]:
    found = dict(files)
    for name in found:
        if name.endswith(".c"):
            for old, new in edits:
                found[name] = found[name].replace(old, new)
    return found


def _difference(folder: Path, files: dict[str, str], faulty: dict[str, str]) -> str:
    """Return where a faulty kernel differs from gmpy2, or an empty text.

    Undefined behaviour is trapped, unless the original kernel fails with the traps, too: the branches of traps in
    vector code may seem to depend on data.
    """
    problem = _verified(written(folder, faulty), f"gcc {TRAPS}")
    if problem and _verified(written(folder, files), f"gcc {TRAPS}"):
        return _verified(written(folder, faulty), "gcc")
    return problem


def _verified(path: Path, compiler: str) -> str:
    """Return where a kernel compiled by a compiler differs from gmpy2, or an empty text."""
    chosen = compiler if path.suffix == ".c" else "gcc"
    command = [sys.executable, "-m", "momagen", "verify", str(path), "--compiler", chosen]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parent)
    return "" if ran.returncode == 0 else (ran.stdout + ran.stderr)[-400:]


def comparison(folder: Path, files: dict[str, str], fault: Fault, target: str) -> tuple[str, str]:
    """Return how a fault that is proven compares with the original kernel, and the evidence."""
    faulty = {**files, fault.file: fault.text}
    original = _texts(written(folder, files))
    try:
        if _texts(written(folder, faulty)) == original:
            return "equal", "the text after preprocessing is the same"
    except ProofError as error:
        return "hole", str(error)
    if target == "cuda":
        return "unread", "a kernel for CUDA cannot be executed here"
    verdicts = []
    for name, edits in VARIANTS.items():
        own, other = _variant(files, edits), _variant(faulty, edits)
        before = _object(written(folder, own), target) if target != "b512" else b""
        after = _object(written(folder, other), target) if target != "b512" else b"?"
        if isinstance(after, str):
            return "invalid", f"{name}: does not compile: {after}"  # so it computes nothing that is wrong
        if before == after:
            verdicts.append("same machine code")
        elif problem := _difference(folder, own, other):
            return "hole", f"{name}: {problem}"
        else:
            verdicts.append("equal on edge inputs")
    return "equal", ", ".join(sorted(set(verdicts)))


def faults_of(files: dict[str, str], share: str) -> list[Fault]:
    """Return all faults of a class in the files of a kernel."""
    found = []
    for name, text in files.items():
        if share == CLAIMS:
            found += claims_in(name, text) if name.endswith(".json") else []
        elif not name.endswith(".json"):
            found += faults_in(name, text, share)
    return found


def planted(
    chance: random.Random, share: str, kernel: Kernel, claims: dict[str, tuple[str, str]], folder: Path, seconds: float
) -> tuple[str, str]:
    """Plant a fault of a class in a kernel; return what becomes of it, and the fault with the evidence."""
    name, files, target = kernel
    if not (candidates := faults_of(files, share)):
        return "no place", ""
    fault = chance.choice(candidates)
    claim, problem = claim_and_problem(written(folder, {**files, fault.file: fault.text}), seconds)
    verdict, evidence = "undecided" if problem.startswith("not decided") else "rejected", problem
    if not problem and share == CLAIMS:
        verdict, evidence = ("equal", "the same claim") if claim == claims[name][0] else ("hole", claim)
    elif not problem:
        verdict, evidence = comparison(folder, files, fault, target)
    return verdict, f"{name}: {fault.what} [{evidence}]"


def main() -> int:
    """Plant faults, and print the accepted ones and the table of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="the number of faults (default: 2000)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the random choices (default: 1)")
    parser.add_argument("--seconds", type=float, default=30.0, help="the processor time of a proof (default: 30)")
    parser.add_argument("--kernels", nargs="+", default=[""], help="parts of the names of kernels (default: all)")
    given = parser.parse_args()
    chance, shares = random.Random(given.seed), [*CLASSES, CLAIMS]
    made: list[Kernel] = []
    for kind, parameters in KERNELS:
        with tempfile.TemporaryDirectory() as place:
            kernel = mg.kernel(kind, **parameters)
            kernel.save(place)
            if any(part in kernel.name for part in given.kernels):
                texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(Path(place).iterdir())}
                made.append((kernel.name, texts, parameters["target"]))
    counts = {share: Counter[str]() for share in shares}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        claims = {name: claim_and_problem(written(folder, files), 600) for name, files, _ in made}
        for name, (_, problem) in claims.items():
            print(f"{name}: {problem or 'proven'}", flush=True)
        made = [each for each in made if not claims[each[0]][1]]
        signal.signal(signal.SIGINT, signal.default_int_handler)  # also if the run is in the background
        with suppress(KeyboardInterrupt):  # an interrupted run prints the table of the faults so far
            for at in range(given.count):
                share = shares[at % len(shares)]
                verdict, text = planted(chance, share, chance.choice(made), claims, folder, given.seconds)
                counts[share].update([verdict])
                if verdict not in ("rejected", "no place"):
                    print(f"{at}: {share}: {verdict}: {text}", flush=True)
    columns = ("rejected", "undecided", "equal", "invalid", "unread", "hole", "no place")
    print(f"\n{'class':30}" + "".join(f"{column:>11}" for column in columns))
    for share, found in counts.items():
        print(f"{share:30}" + "".join(f"{found[column]:11}" for column in columns))
    total = sum(counts.values(), Counter[str]())
    print(f"{'all':30}" + "".join(f"{total[column]:11}" for column in columns))
    return int(total["hole"] > 0)


if __name__ == "__main__":
    sys.exit(main())
