"""The meaning of instructions for general registers, compared with the CPU, on public and on secret numbers."""

from __future__ import annotations

import ctypes
import itertools
import platform
import random
from pathlib import Path

import pytest
from support.concrete import Numbers
from support.machine_code import WORDS, assembled, executed, on_cpu
from support.proofs_functions import EDGES

from momagen.prove.checker import ProofError
from momagen.prove.machine.image import Image

pytestmark = [
    pytest.mark.compiles,
    pytest.mark.sampled(2),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the machine code is for x86-64"),
]
CODES = ["e", "ne", "b", "ae", "be", "a"]
SET = "\n".join(f"set{code} %r{8 + i}b; movzx %r{8 + i}b, %r{8 + i}" for i, code in enumerate(CODES[:4]))
KEEP = "\n".join(f"mov %r{8 + i}, {32 + 8 * i}(%rdi)" for i in range(4))
BODIES = {
    "add": "add %rbx, %rax; setb %cl; movzx %cl, %ecx",
    "add32": "add %ebx, %eax; setb %cl; movzx %cl, %ecx",
    "add_memory": "add 40(%rdi), %rax; add %rbx, 48(%rdi)",
    "add_number": "add $-5, %rax; setae %bl; add $0x7fffffff, %rdx; add $100, %cl; movzx %bl, %ebx; movzx %cl, %ecx",
    "adc": "add %rbx, %rax; adc %rdx, %rcx; adc $0, %rdx",
    "adc32": "add %ebx, %eax; adc %edx, %ecx",
    "carry_of_a_flag": (
        "cmp %rbx, %rax; setb %cl; add $0xff, %cl; adc $0, %rdx; cmp %rax, %rbx; setb %cl; add $0xfe, %cl\n"
        "adc $5, %rax; movzx %cl, %ecx"
    ),
    "sub": "sub %rbx, %rax; sbb %rdx, %rcx; sbb $0, %rdx",
    "sub32": "sub %ebx, %eax; sbb %edx, %ecx",
    "sbb_mask": "cmp %rbx, %rax; sbb %rdx, %rdx",
    "sbb_bytes": "cmp %rbx, %rax; sbb $0, %cl; sbb %rdx, %rdx; movzx %cl, %ecx",
    "compare": f"cmp %rbx, %rax\n{SET}\n{KEEP}",
    "compare32": f"cmp %ebx, %eax\n{SET}\n{KEEP}",
    "compare_number": f"cmpq $7, %rax\n{SET}\n{KEEP}",
    "compare_above": "cmp %rbx, %rax; seta %cl; setbe %dl; movzx %cl, %ecx; movzx %dl, %edx",
    "flags_of_sub": f"sub %rbx, %rax\n{SET}\n{KEEP}",
    "zero_of_add": "add %rbx, %rax; sete %cl; setne %dl; movzx %cl, %ecx; movzx %dl, %edx",
    "test": "test %rax, %rax; sete %bl; setne %cl; seta %dl; movzx %bl, %ebx; movzx %cl, %ecx; movzx %dl, %edx",
    "test_number": "test $1, %al; setne %cl; sete %bl; movzx %cl, %ecx; movzx %bl, %ebx",
    "sign": "test %rax, %rax; sets %cl; setns %dl; movzx %cl, %ecx; movzx %dl, %edx",
    "cmovb": "cmp %rbx, %rax; cmovb %rbx, %rcx; cmovae %rax, %rdx",
    "cmov_equal": "cmp %rbx, %rax; cmove %rdx, %rcx",
    "cmov_not_equal": "cmp %rbx, %rax; cmovne %rdx, %rcx",
    "cmov32": "cmp %rbx, %rax; cmovb %edx, %ecx",
    "minimum": "cmp %rbx, %rax; cmova %rbx, %rax",
    "mul": "mul %rbx",
    "mul32": "mul %ebx",
    "mul_memory": "mulq 48(%rdi)",
    "mulx": "add %rbx, %rax; mulx %rcx, %rax, %rbx; adc $0, %rax",
    "imul": "imul %rbx, %rax; imul $19, %rbx, %rcx; imul $-3, %rdx, %rdx",
    "imul32": "imul %ebx, %eax; imul $19, %ebx, %ecx",
    "shl": "shl %rax; shl $13, %rbx; shl $63, %rcx; shl $5, %edx",
    "shr": "shr %rax; shr $13, %rbx; shr $63, %rcx; shr $5, %edx",
    "zero_of_shift": "shr $60, %rax; sete %cl; movzx %cl, %ecx; shl $60, %rbx; setne %dl; movzx %dl, %edx",
    "sub_minus": "sub $-128, %rax; setb %cl; movzx %cl, %ecx; shr $8, %rbx; sub $-128, %rbx; setb %dl; movzx %dl, %edx",
    "small_numbers": "and $7, %eax; cmp $3, %eax; setb %cl; movzx %cl, %ecx; cmp $5, %eax; sete %dl; movzx %dl, %edx",
    "shift_by_cl": "mov $17, %ecx; shl %cl, %rax; shr %cl, %rbx; mov $68, %ecx; shl %cl, %rdx",
    "shrd": "shrd $58, %rbx, %rax; shrd $1, %rcx, %rdx",
    "shld": "shld $58, %rbx, %rax; shld $1, %rcx, %rdx",
    "lea": "lea 5(%rax,%rbx,8), %rcx; lea (%rax,%rax), %rdx; lea -1(%rbx), %rbx; lea (,%rax,4), %rax",
    "lea32": "lea 5(%rax,%rbx,2), %ecx; lea (%rax,%rax), %edx",
    "not": "not %rax; not %ebx",
    "neg": "neg %rax; setb %cl; neg %ebx; movzx %cl, %ecx",
    "inc": "add %rbx, %rax; inc %rcx; adc $0, %rdx; dec %rax; adc $0, %rbx",
    "and": "and $0x3f, %eax; and $-8, %rbx; and %rcx, %rcx",
    "and_middle": "and $6, %eax; and $0xffc, %rbx; mov $0xfffffffe, %edx; and %edx, %ecx",
    "xor": "xor %eax, %eax; or %rax, %rbx; xor %rcx, %rcx",
    "or": "shl $32, %rax; mov %ebx, %ebx; or %rbx, %rax",
    "exchange": "xchg %rax, %rbx; xchg %ecx, %edx",
    "moves": "mov %eax, %ebx; movzx %cl, %edx; movabs $0xfedcba9876543210, %rax; mov $-1, %ecx",
    "bytes": "mov $0x1234, %eax; cmp %rbx, %rcx; setb %al; movb 41(%rdi), %dl; movzx %dl, %ecx; movzx %dl, %edx",
    "extend": "cmp %rbx, %rax; sbb %ecx, %ecx; movslq %ecx, %rcx",
    "parts": "mov 36(%rdi), %eax; movzbl 43(%rdi), %ebx; mov 32(%rdi), %ecx",
    "stack": "push %rax; push %rbx; pop %rax; pop %rbx; mov %rcx, -128(%rsp); mov -128(%rsp), %rdx",
    "stack_parts": "mov %ecx, -16(%rsp); mov -16(%rsp), %edx; mov %rax, -24(%rsp); mov -20(%rsp), %eax",
    "frame": (
        "push %rbp; mov %rsp, %rbp; sub $48, %rsp; mov %rax, 8(%rsp); "
        "add %rbx, -40(%rbp); mov 8(%rsp), %rax; leave"
    ),
    "calls": "call helper; sub %rbx, %rcx; call helper",
    "constants": "mov numbers(%rip), %rax; add 8+numbers(%rip), %rbx; lea numbers(%rip), %rdx; mov 12(%rdx), %edx",
    "jumps": "cmp $9, %rax; jb 1f; cmp %rbx, %rax; je 1f; mov $1, %ecx; 1: jne 2f; mov $2, %edx; 2: nop",
    "joined": "cmp $9, %rcx; jmp 2f; 1: add %rbx, %rax; jmp 3f; 2: sub %rbx, %rdx; jmp 1b; 3: prefetcht0 4096(%rdi)",
    "counted": "xor %ecx, %ecx; 1: add %rbx, %rax; inc %ecx; cmp $5, %ecx; jne 1b",
}
DATA = """
    .type helper, @function
helper: push %r12; mov %rax, %r12; add %rbx, %r12; mov %r12, %rax; pop %r12; ret
    .size helper, .-helper
    .section .rodata
numbers: .quad 0x123456789abcdef0, 0xfedcba9876543210
"""
PUBLIC_ONLY = {"jumps"}
"""The functions that branch on their operands."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return assembled(tmp_path_factory.mktemp("machine"), BODIES, DATA)


@pytest.mark.parametrize("is_secret", [False, True], ids=["public", "secret"])
@pytest.mark.parametrize("name", BODIES)
def test_an_instruction_means_what_the_cpu_does(name: str, is_secret: bool, shared: Path) -> None:
    image, library, rng = Image(shared.read_bytes()), ctypes.CDLL(str(shared)), random.Random(name)
    if is_secret and name in PUBLIC_ONLY:
        with pytest.raises(ProofError, match="a branch depends on secret values"):
            [*executed(image, name, is_secret=is_secret)]
        return
    runs = [*executed(image, name, is_secret=is_secret)]
    pairs = [*itertools.product(EDGES, EDGES[::5]), *((rng.getrandbits(64), rng.getrandbits(64)) for _ in range(6))]
    for a, b in pairs:
        words = [a, b, *(rng.choice([*EDGES, a, b, rng.getrandbits(64)]) for _ in range(WORDS - 2))]
        expected, taken = on_cpu(library, name, words), 0
        for facts, results in runs:
            numbers = Numbers(facts, 2, lambda variable, words=words: words[int(variable.split()[-1])])
            if all(numbers.value(condition) == 0 for condition in facts.conditions):
                taken += 1
                assert numbers.problems() == []
                assert [numbers.value(result.polynomial) for result in results] == expected, [hex(w) for w in words]
        assert taken == 1
