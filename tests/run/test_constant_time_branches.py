"""Constant time as compiled: no conditional jump on data in any kernel, and one that is there is seen."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import momagen as mg
from momagen.bench.measure.machine import families
from momagen.bench.suite import branches, matrix
from momagen.bench.x86.assembly import disassembler, examine, inspect
from momagen.cli import main
from momagen.emit import Source, generate
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.runtime import Compiler, compile_shared
from momagen.verify.machine_code import inspected

pytestmark = pytest.mark.skipif(not disassembler(), reason="neither objdump nor llvm-objdump")
MATRIX = [case for target in branches.SCALAR for case in matrix.cases(target, matrix.compilers())]
VECTORS = [
    case
    for target in ("avx2", "avx512", "avx512ifma")
    for case in matrix.cases(target, tuple(families().values()), ["-O3"], branches.VECTOR)
]
GOLDILOCKS = 2**64 - 2**32 + 1


@pytest.mark.sampled(500)
@pytest.mark.parametrize("case", MATRIX, ids=str)
def test_no_branch_depends_on_data(case: matrix.Case) -> None:
    assert case.inspect().branches == 0


@pytest.mark.sampled(500)
@pytest.mark.parametrize("case", VECTORS, ids=str)
def test_none_does_in_lanes(case: matrix.Case) -> None:
    assert case.inspect().branches == 0


def chosen(text: str, body: str) -> str:
    """``text`` with the corrections of one word left to the compiler: ``body`` in place of the statement."""
    start = text.index("static inline void mg_restore1")
    before, rest = text[:start], text[start:]
    return before + re.sub(r"#if defined\(MG_ASM\).*?#endif", body, rest, count=1, flags=re.S)


PLAIN = "    const uint64_t d = a0 - b0;\n    *s0 = a0 < b0 ? d + q0 : d;"
BRANCH = '    *s0 = a0 - b0;\n    if (a0 < b0) { *s0 += q0; __asm__ volatile("" : "+r"(*s0)); }'


def goldilocks() -> Source:
    return generate(make_spec("ntt", n=64, modulus=GOLDILOCKS))


def counted(source: Source, compiler: Compiler) -> int:
    header = {f"{source.name}.h": source.header}
    path = compile_shared(source.source, name=source.name, flags=["-std=c99"], includes=header, compiler=compiler)
    return inspect(path, f"{source.name}_execute").branches


def test_a_choice_left_to_compilers_becomes_a_branch_and_is_found() -> None:
    """Clangs before 16 are tempted; others need not be."""
    tempted = [c for c in matrix.compilers() if re.search(r"clang version 1[345]\.", c.version)]
    if not tempted:
        pytest.skip("no clang 13, 14 or 15")
    whole = goldilocks()
    mutant = replace(whole, source=chosen(whole.source, PLAIN))
    assert [counted(whole, compiler) for compiler in tempted] == [0] * len(tempted)
    assert any(counted(mutant, compiler) for compiler in tempted)


@pytest.mark.thorough
def test_verify_says_so_of_a_saved_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = mg.ntt(64, modulus="goldilocks", target="c")
    kernel.save(tmp_path)
    assert main(["verify", str(tmp_path)]) == 0
    assert "no branch depends on data" in capsys.readouterr().out
    (file,) = tmp_path.glob("*.c")
    file.write_text(chosen(kernel.source, BRANCH))
    assert main(["verify", str(tmp_path)]) == 1
    assert re.search(r"FAIL: \d+ conditional jumps depend on data: compiled by ", capsys.readouterr().out)
    assert main(["verify", str(tmp_path), "--json"]) == 1
    assert re.search(r'"branches": [1-9]', capsys.readouterr().out)


def test_verify_says_where_nobody_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = mg.blas("vadd", modulus="goldilocks", target="c")
    report = kernel.verify()
    assert inspected(report, kernel.compiled).branches == 0
    monkeypatch.setattr("momagen.verify.machine_code.disassembler", lambda: None)
    unseen = inspected(report, kernel.compiled)
    assert unseen.ok and unseen.branches is None and "branches were not inspected" in str(unseen)


LOOP = """
0000000000001000 <f_execute>:
    1000:	mov    %rdi,%rax
    1003:	mov    (%rsi,%rcx,8),%rdx
    1006:	{condition}
    1009:	jb     1010 <f_execute+0x10>
    100b:	add    %rdx,%rax
    1010:	inc    %rcx
    1013:	cmp    %r8,%rcx
    1016:	jne    1003 <f_execute+0x3>
    1018:	ret
"""


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("cmp    %r8,%rcx", 0),
        ("cmp    $0x7,%ecx", 0),
        ("cmp    %r8,%rdx", 1),  # loaded
        ("cmp    %r8b,%dl", 1),
        ("cmp    (%rsi),%rcx", 1),
        ("sub    %rdx,%rcx", 1),
        ("adc    %r8,%rcx", 1),
        ("vptest %ymm0,%ymm1", 1),
        ("kortestb %k0,%k0", 1),
    ],
)
def test_jumps_on_an_index_are_told_from_jumps_on_data(condition: str, found: int) -> None:
    assert examine(LOOP.format(condition=condition), "f_execute").branches == found


SPILLED = """
0000000000001000 <f_execute>:
    1000:	{counted}
    1002:	mov    %rbx,-0x8(%rsp)
    1006:	mov    (%rsi,%rcx,8),%rdx
    1009:	{inside}
    100b:	cmpq   $0x5,-0x8(%rsp)
    100e:	ja     1015 <f_execute+0x15>
    1010:	add    %rdx,%rax
    1015:	inc    %rcx
    1018:	cmp    %r8,%rcx
    101b:	jne    1006 <f_execute+0x6>
    101d:	ret
"""


@pytest.mark.parametrize(
    ("counted", "inside", "found"),
    [
        ("lea    0x2(%r9),%rbx", "nop", 0),
        ("lea    0x2(%r9),%rbx", "mov    %rdx,-0x10(%rsp)", 0),
        ("mov    (%rsi),%rbx", "nop", 1),  # loaded, then spilled
        ("lea    0x2(%r9),%rbx", "mov    %rdx,-0x8(%rsp)", 1),
        ("lea    0x2(%r9),%rbx", "push   %rdx", 1),
        ("lea    0x2(%r9),%rbx", "vmovdqu %ymm0,-0x20(%rsp)", 1),
        ("lea    0x2(%r9),%rbx", "mov    %rdx,(%rsp,%rax,8)", 1),
    ],
)
def test_a_spilled_index_is_one_as_long_as_nothing_overwrites_it(counted: str, inside: str, found: int) -> None:
    assert examine(SPILLED.format(counted=counted, inside=inside), "f_execute").branches == found


def test_the_section_counts_what_it_inspects(monkeypatch: pytest.MonkeyPatch) -> None:
    one = matrix.compilers()[0]
    monkeypatch.setattr(branches, "compilers", lambda: (one,))
    monkeypatch.setattr(branches, "families", lambda: {one.kind: one})
    monkeypatch.setattr(branches, "in_c", lambda: ["c"])
    monkeypatch.setattr(matrix, "KINDS", {"vadd": {"kind": "vadd"}})
    monkeypatch.setattr(matrix, "moduli", lambda: {"goldilocks": GOLDILOCKS})
    monkeypatch.setattr(branches, "moduli", matrix.moduli)
    *rows, total = branches._seen()
    assert [figure.value for figure in rows] == [0, 0] and total.value == 2


@pytest.mark.parametrize("error", [MomagenError("a", "b", "c")])
def test_a_kernel_that_does_not_compile_is_a_failure(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def refuse(self: matrix.Case) -> None:
        raise error

    monkeypatch.setattr(matrix.Case, "inspect", refuse)
    figure, count = branches._matrix("c", matrix.compilers()[0], "-O2")
    assert figure.ok is False and count == 0
