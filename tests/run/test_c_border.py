"""What the C functions answer at their border: null pointers, moduli and roots that do not fit, nothing to do."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import gmpy2
import pytest

from momagen.emit import Source, generate
from momagen.emit.codes import CODES, text
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.modular.spec import Spec
from momagen.runtime import compile_program, missing_features
from momagen.targets import load_target

TARGETS = ("c", "c64", "avx2")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function", "-O0"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
TRANSFORMS: list[dict[str, Any]] = [
    {"kind": "ntt", "n": 64, "bits": 128}, {"kind": "ntt", "n": 64, "bits": 128, "inverse": True, "negacyclic": True},
    {"kind": "ntt", "n": 256, "bits": 54}, {"kind": "ntt", "n": 2, "bits": 64},
    {"kind": "ntt", "n": 16, "modulus": 2**64 - 2**32 + 1, "order": "natural"},
    {"kind": "polymul", "n": 64, "bits": 128}, {"kind": "polymul", "n": 16, "bits": 54},
]  # fmt: skip
"""In tiles, in steps and on words, on targets that have them; every template of an execute."""
MAIN = """#include <stdio.h>

%s
static int report(const char *name, int faults)
{
    if (faults)
        printf("%%s: %%d\\n", name, faults);
    return faults;
}

int main(void)
{
    int faults = 0;
%s    return faults != 0;
}
"""


def specs(target: str) -> list[Spec]:
    """Every kind of kernel, in one word and in two in turn."""
    widths = cycle((64, 128))
    elementwise = [{"kind": kind, "bits": next(widths)} for kind in ANY_MODULUS]
    elementwise.append({"kind": "vmul", "bits": 128})
    return [make_spec(target=target, **shape) for shape in [*TRANSFORMS, *elementwise]]


def words(number: int, count: int) -> str:
    return "{" + ", ".join(f"UINT64_C({number >> 64 * w & (1 << 64) - 1:#x})" for w in range(count)) + "}"


def trials(spec: Spec) -> Iterator[tuple[int, int]]:
    """Moduli and roots, right and wrong: all numbers that the words hold."""
    q, root, held = spec.modulus, spec.root, spec.arith.held
    moduli = [0, 1, 2, 3, 5, q - 1, q + 1, 1 << spec.width - 1, (1 << spec.width) - 1, (1 << spec.width - 1) - 1]
    moduli += [1 << spec.width, (1 << spec.width) + 1, (1 << held) - 1, 1]
    yield from ((number % (1 << held), root) for number in moduli)
    yield q, root
    if spec.n:
        roots = [0, 1, 2, q - 1, q, q + 1, root + q, q - root, root * root % q, pow(root, 3, q), (1 << held) - 1]
        yield from ((q, number) for number in roots if number < 1 << held)
        yield root_of_odd_multiple(spec)


def root_of_odd_multiple(spec: Spec) -> tuple[int, int]:
    """Return a prime, and a number of order m N for an odd divisor m of N - 1.

    Its power N/2 is not -1, but that of its power N - 1 is. (That power is 1/root for a root of order N.)
    """
    order = max(spec.order_of_root, 4)
    odd = next(m for m in range(3, order, 2) if (order - 1) % m == 0)
    q = ((1 << spec.width - 1) // (odd * order) + 1) * odd * order + 1
    while not gmpy2.is_prime(q):
        q += odd * order
    found = (pow(g, (q - 1) // (odd * order), q) for g in range(2, q))
    return q, next(r for r in found if pow(r, odd * order // 2, q) == q - 1 and pow(r, order, q) != 1)


def right(spec: Spec, moduli: str, q: int, root: int) -> str:
    """The code that q and root ask for: from the numbers that the header names."""
    least = int(moduli.partition("from 2^")[2].partition(" ")[0] or 0)
    if (spec.odd and q % 2 == 0) or q <= 1 or q >> spec.width or q >> least == 0:
        return "BAD_MODULUS"
    half = spec.order_of_root // 2
    return "BAD_ROOT" if spec.n and (root >= q or pow(root, half, q) != q - 1) else "OK"


def create(name: str, arguments: str, why: str, code: str) -> list[str]:
    """Statements that make a plan, count what is not as ``code`` says, and destroy it."""
    told = "" if why == "0" else f" || why != {name.upper()}_{code}"
    wrong = f"plan {'=!'[code != 'OK']}= 0{told}"
    return [f"plan = {name}_create({arguments}, {why});", f"faults += {wrong};", f"{name}_destroy(plan);"]


def creates(spec: Spec, source: Source) -> Iterator[str]:
    """Every null pointer, and every trial."""
    for q, root, code in ("0", "r", "NULL_POINTER"), ("q", "0", "NULL_POINTER" if spec.n else "OK"):
        for why in "&why", "0":
            yield from create(source.name, f"{q}, {root}" if spec.n else q, why, code)
    for modulus, root_of in trials(spec):
        values = f"q[] = {words(modulus, spec.arith.words)}, r[] = {words(root_of, spec.arith.words)}"
        code = right(spec, source.moduli, modulus, root_of)
        body = " ".join(create(source.name, "q, r" if spec.n else "q", "&why", code))
        yield f"{{ const uint64_t {values}; (void)r; {body} }}"


def executes(spec: Spec, source: Source) -> Iterator[str]:
    """Every null pointer, and nothing to do."""
    given = [spec.ranges.result, *spec.ranges.operands]

    def execute(plan: str, pointers: Sequence[str], count: int, code: str) -> str:
        call = f"{source.name}_execute({', '.join([plan, *pointers, str(count)])})"
        return f"faults += {call} != {source.name.upper()}_{code};"

    yield execute("plan", given, 1, "OK")
    yield execute("0", given, 1, "NULL_POINTER")
    yield execute("0", given, 0, "NULL_POINTER")
    yield execute("plan", ["0"] * len(given), 0, "OK")
    for at in range(len(given)):
        yield execute("plan", [*given[:at], "0", *given[at + 1 :]], 1, "NULL_POINTER")


def texts(name: str) -> Iterator[str]:
    """What the codes say, and other numbers."""
    for at, code in enumerate(CODES):
        yield f'faults += strcmp({name}_error_text({name.upper()}_{code}), "{text(at)}") != 0;'
    for number in ("-1", str(len(CODES)), "INT_MAX", "INT_MIN"):
        yield f'faults += strcmp({name}_error_text({number}), "{text(-1)}") != 0;'


def program(spec: Spec) -> str:
    """A kernel's C file, and after it a function that counts what it answers wrongly."""
    source, count = generate(spec), spec.arith.words
    name, size = source.name, max(spec.n, 1) * count
    vectors = ", ".join(f"{pointer}[{size}] = {{0}}" for pointer in (spec.ranges.result, *spec.ranges.operands))
    again = f"plan = {name}_create({'q, r' if spec.n else 'q'}, &why);"
    lines = [
        f"const uint64_t q[] = {words(spec.modulus, count)}, r[] = {words(spec.root, count)};",
        f"uint64_t {vectors};", f"{name}_plan *plan;", "int faults = 0, why;", "(void)r;",
        *creates(spec, source), again, *executes(spec, source), f"{name}_destroy(plan);", f"{name}_destroy(0);",
        *texts(name), "return faults;",
    ]  # fmt: skip
    body = "".join(f"    {line}\n" for line in lines)
    return f"{source.source}\nint check_{name}(void);\nint check_{name}(void)\n{{\n{body}}}\n"


@pytest.fixture(scope="module")
def sanitizers(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The sanitizers' flags, where programs with them run."""
    trial = tmp_path_factory.mktemp("sanitizers") / "trial.c"
    trial.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    try:
        built = compile_program([trial], flags=SANITIZERS)
    except MomagenError:
        return []
    return SANITIZERS if subprocess.run([built], capture_output=True).returncode == 0 else []


@pytest.mark.thorough
@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", TARGETS)
def test_every_wrong_argument_has_its_code(target: str, sanitizers: list[str], tmp_path: Path) -> None:
    """One program of all kinds: null pointers, wrong moduli and roots, no elements, texts of codes."""
    if missing := missing_features(load_target(target).features):
        pytest.skip(f"this CPU lacks {', '.join(missing)}")
    names = []
    for spec in specs(target):
        names.append(generate(spec).name)
        (tmp_path / f"{names[-1]}.h").write_text(generate(spec).header, encoding="utf-8")
        head = "#include <limits.h>\n#include <string.h>\n"
        (tmp_path / f"{names[-1]}.c").write_text(head + program(spec), encoding="utf-8")
    calls = "".join(f'    faults += report("{name}", check_{name}());\n' for name in names)
    declared = "".join(f"int check_{name}(void);\n" for name in names)
    (tmp_path / "main.c").write_text(MAIN % (declared, calls), encoding="utf-8")
    flags = [*STRICT, *load_target(target).flags, *sanitizers]
    done = subprocess.run(
        [compile_program(sorted(tmp_path.glob("*.c")), flags=flags, include_dirs=[tmp_path])],
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(set(names)) == len(TRANSFORMS) + len(ANY_MODULUS) + 1
