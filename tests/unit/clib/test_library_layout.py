"""Libraries of 16- and 32-bit words: which targets they have, what their headers say, and that they are right."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import gmpy2
import pytest

import momagen as mg
from momagen.cli import main
from momagen.clib.variants import variants
from momagen.errors import MomagenError
from momagen.runtime import compile_program

pytestmark = pytest.mark.compiles

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function", "-O1"]
KERNELS = ["ntt:n=16,modulus_bits=14,name=t", "vmul:modulus_bits=16", "axpy:moduli=2,modulus_bits=12"]


def types(header: str) -> set[str]:
    return {*re.findall(r"\bu?int\d*_t\b", header)}


@pytest.mark.thorough
def test_a_library_of_short_words_is_right(tmp_path: Path) -> None:
    """By its own tests, and by a call: primes and roots have as many words as residues."""
    made = mg.library("tiny", KERNELS, targets=["c", "avx2"], layout="u16")
    assert [variant.name for variant in made.variants] == ["avx2_words16", "c16"] and types(made.header) == {"uint16_t"}
    assert "16-bit words of a residue" in made.header
    made.save(tmp_path / "tiny")
    parts = [tmp_path / "tiny" / part for part in ("include", "tests", "src")]
    sources = [*sorted(parts[2].glob("*.c")), parts[1] / "kernels.c", parts[1] / "test.c"]
    done = subprocess.run([compile_program(sources, flags=STRICT, include_dirs=parts)], capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_primes_and_roots_have_as_many_words_as_residues(tmp_path: Path) -> None:
    made = mg.library("tiny", KERNELS[:1], targets=["c16"])
    made.save(tmp_path / "tiny")
    use = tmp_path / "use.c"
    use.write_text("""
#include "tiny.h"
#include <stdio.h>
int main(void)
{
    uint16_t q, root, wide[4] = {1, 1, 1, 1};
    if (tiny_find_prime(&q, 1, 14, 16) || tiny_find_root(&root, &q, 1, 16) || tiny_find_prime(wide, 4, 33, 16))
        return 1;
    printf("%u %u %u %u %u %u", q, root, wide[0], wide[1], wide[2], wide[3]);
    return tiny_find_prime(&q, 1, 17, 16) != TINY_BAD_SIZE || tiny_find_root(wide, wide, 4, 16) || wide[3];
}
""")
    program = compile_program([use, tmp_path / "tiny/src/tiny_params.c"], flags=STRICT,
                              include_dirs=[tmp_path / "tiny/include"])  # fmt: skip
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    q, k = int(gmpy2.prev_prime(1 << 33)), made.kernels()[0]
    while q % 32 != 1:
        q = int(gmpy2.prev_prime(q))
    assert (done.returncode, done.stdout.split()) == (0, [*map(str, (
        k.modulus, k.root, *(q >> at & 0xFFFF for at in (0, 16, 32, 48))))])  # fmt: skip


def test_the_layout_stands_in_a_file_or_at_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, kernels = tmp_path / "own.toml", '[[kernel]]\nkind = "vmul"\nmodulus = "0x7fffffff"\n'
    file.write_text(f'name = "own"\nlayout = "u32"\ntargets = ["c"]\n{kernels}')
    made = mg.library(file)
    assert types(made.header) == {"uint32_t"} and [variant.name for variant in made.variants] == ["c32"]
    (tmp_path / "again.toml").write_text(made.files["own.toml"])
    assert mg.library(tmp_path / "again.toml", name="own").header == made.header
    assert [variant.name for variant in mg.library(file, layout="u64").variants] == ["c"]
    out = tmp_path / "lib"
    asked = ["lib", "vmul:modulus_bits=31", "--targets", "c,avx512", "--layout", "u32", "--output", str(out)]
    assert main([*asked, "--no-verify", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["variants"] == ["avx512_words32", "c32"]


def test_without_targets_those_that_have_the_layout() -> None:
    assert {variant.name for variant in variants(None)} >= {"c", "avx2", "avx512ifma"}
    for layout, word in (("u16", 16), ("u32", 32)):
        found = variants(None, layout, 12)
        assert {variant.target.word for variant in found} == {word}
        assert {f"avx2_words{word}", f"c{word}"} <= {variant.name for variant in found}
    found = variants(["avx512ifma", "avx512", "c"], "u32", 31)
    assert [variant.name for variant in found] == ["avx512ifma_words32", "avx512_words32", "c32"]


def test_kernels_have_targets_of_their_own() -> None:
    row = {"kind": "vmul", "modulus_bits": 12, "targets": ["avx2"]}
    made = mg.library("own", ["vadd:modulus_bits=12", row], targets=["avx2", "c"], layout="u16")
    assert [[variant.name for variant in member.variants] for member in made.members] == [
        ["avx2_words16", "c16"], ["avx2_words16"],
    ]  # fmt: skip


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("vmul:modulus_bits=20", {"layout": "u16", "targets": ["c"]},
     '`layout="u16"` is not available for a modulus of 20 bits on `c`; use u32 or u64'),
    ("vmul:modulus_bits=20", {"layout": "u8"}, "layout: expected one of the layouts u32, u64, got u8"),
    ("vmul:modulus_bits=12", {"layout": "u64", "targets": ["c32"]},
     '`layout="u64"` is not available for a modulus of 12 bits on `c32`; use u32'),
    ("vmul:modulus_bits=12,layout=u16", {},
     "kernel vmul:modulus_bits=12,layout=u16, layout: all kernels of a library have one layout; "
     "set it with --layout, or with layout = in the TOML file"),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "options", "text"), REFUSED)
def test_what_is_refused(kernel: str, options: dict[str, Any], text: str) -> None:
    with pytest.raises(MomagenError) as error:
        mg.library("own", [kernel], **options)
    assert str(error.value) == text
