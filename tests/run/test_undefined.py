"""No call that the headers allow is undefined behaviour: no elements, and then no vectors."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.lists import ANY_MODULUS
from momagen.kinds.modular.make_spec import make_spec
from momagen.params import to_words
from momagen.runtime import Compiler, compile_program, list_compilers, missing_features
from momagen.targets import load_target

SANITIZER = ["-std=gnu99", "-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
TRANSFORMS = ("ntt", "polymul")


@pytest.fixture(scope="module")
def clang(tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    """One that has the sanitizer; gcc lets an offset of zero to a null pointer pass."""
    found = next((c for c in list_compilers() if c.kind == "clang"), None)
    if not found:
        pytest.skip("no clang")
    trial = tmp_path_factory.mktemp("trial") / "trial.c"
    trial.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    try:
        compile_program([trial], flags=SANITIZER, compiler=found)
    except MomagenError as error:
        pytest.skip(f"no UndefinedBehaviorSanitizer: {error}")
    return found


def literal(number: int, words: int) -> str:
    return f"(const uint64_t[]){{{', '.join(f'{word:#x}u' for word in to_words([number], words)[0])}}}"


@pytest.mark.parametrize(("target", "bits"), [("c", 64), ("avx2", 128)])
def test_no_elements_and_no_vectors(target: str, bits: int, clang: Compiler, tmp_path: Path) -> None:
    """C leaves even 0 added to a null pointer undefined."""
    if missing := missing_features(load_target(target).features):
        pytest.skip(f"no {', '.join(missing)}")
    files, calls, declared = [], "", ""
    for kind in (*ANY_MODULUS, *TRANSFORMS):
        spec = make_spec(kind, bits=bits, target=target, n=16 if kind in TRANSFORMS else 0)
        made, words = generate(spec), spec.arith.words
        (tmp_path / f"{made.name}.h").write_text(made.header, encoding="utf-8")
        files.append(tmp_path / f"{made.name}.c")
        files[-1].write_text(made.source, encoding="utf-8")
        numbers = [spec.modulus, *([spec.root] if spec.n else [])]
        given = ", ".join(literal(x, words) for x in numbers)
        nothing = "0, " * (1 + len(spec.ranges.operands))
        declared += f'#include "{made.name}.h"\n'
        calls += f"""    {{
        {made.name}_plan *plan = {made.name}_create({given}, 0);
        if (!plan || {made.name}_execute(plan, {nothing}0))
            return 1;
        {made.name}_destroy(plan);
    }}
"""
    files.append(tmp_path / "main.c")
    files[-1].write_text(f"{declared}\nint main(void)\n{{\n{calls}    return 0;\n}}\n", encoding="utf-8")
    flags = [*SANITIZER, *load_target(target).flags]
    program = compile_program(files, flags=flags, include_dirs=[tmp_path], compiler=clang)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
