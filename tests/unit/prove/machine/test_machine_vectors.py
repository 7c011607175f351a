"""The meaning of instructions on vectors, compared with the CPU: for each lane of vectors of all lengths."""

from __future__ import annotations

import ctypes
import platform
import random
from functools import partial
from pathlib import Path

import pytest
from support.concrete import Numbers
from support.machine_code import VECTOR_FRAME, assembled, executed, on_cpu
from support.proofs_functions import EDGES

from momagen.prove.machine.image import Image
from momagen.prove.machine.instructions.vectors import COUNTED, LANEWISE

FEATURES = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").is_file() else ""
pytestmark = [
    pytest.mark.compiles,
    pytest.mark.sampled(2),
    pytest.mark.skipif(platform.machine() != "x86_64" or "avx512ifma" not in FEATURES, reason="needs AVX-512 IFMA"),
]
LENGTH = 24
"""The words of two operands and a result."""
WITHOUT_512 = ("pcmp", "pand", "por")
"""Instructions that have no form for 512 bits with this name."""
LANED = ("pcmpgtd", "pcmpgtq", "pcmpeqd", "pcmpeqq", "pand", "por", "pandn")
"""Operations whose results or operands are masks."""


def _three(name: str, register: str) -> str:
    """Return an operation on vectors with three operands."""
    if LANEWISE[name] in COUNTED:
        return f"v{name} $13, %{register}0, %{register}2"
    return f"v{name} %{register}1, %{register}0, %{register}2"


def _bodies() -> dict[str, str]:
    found = {}
    for name in LANEWISE:
        if name in LANED or name in ("psrlvq", "psllvq"):
            continue
        for register in ("xmm", "ymm", "zmm"):
            if register == "zmm" and name.startswith(WITHOUT_512):
                continue
            move = "vmovdqu64" if register == "zmm" else "vmovdqu"
            found[f"v{name}_{register}"] = (
                f"vmovdqu64 128(%rdi), %zmm2; {move} (%rdi), %{register}0; {move} 64(%rdi), %{register}1\n"
                f"{_three(name, register)}; vmovdqu64 %zmm2, 128(%rdi); vzeroupper"
            )
    return found


BODIES = {
    **_bodies(),
    "masks": (
        "vmovdqu (%rdi), %ymm0; vmovdqu 64(%rdi), %ymm1; vpcmpgtq %ymm1, %ymm0, %ymm2; vpand %ymm0, %ymm2, %ymm3\n"
        "vpcmpeqq %ymm1, %ymm0, %ymm4; vpandn %ymm0, %ymm4, %ymm5; vmovdqu %ymm3, 128(%rdi)\n"
        "vmovdqu %ymm5, 160(%rdi); vzeroupper"
    ),
    "variable_counts": (
        "mov $3, %eax; vpbroadcastq %rax, %zmm1; vmovdqu64 (%rdi), %zmm0; vpsllvq %zmm1, %zmm0, %zmm2\n"
        "vpsrlvq %zmm1, %zmm0, %zmm3; vmovdqu64 %zmm2, 64(%rdi); vmovdqu64 %zmm3, 128(%rdi); vzeroupper"
    ),
    "broadcast": (
        "vpbroadcastq 8(%rdi), %zmm0; vmovdqu64 %zmm0, 64(%rdi); mov (%rdi), %rax; vpbroadcastq %rax, %ymm0\n"
        "vmovdqu %ymm0, 128(%rdi); movq (%rdi), %xmm1; vpbroadcastq %xmm1, %xmm1; vmovdqu64 %zmm1, (%rdi); vzeroupper"
    ),
    "zeroupper": (
        "vmovdqu64 (%rdi), %zmm0; vmovdqu64 (%rdi), %zmm17; vzeroupper; vmovdqu64 %zmm0, 64(%rdi)\n"
        "vmovdqu64 %zmm17, 128(%rdi)"
    ),
    "aligned": (
        "push %rbp; mov %rsp, %rbp; and $-64, %rsp; sub $64, %rsp; vmovdqu64 (%rdi), %zmm0; vmovdqa64 %zmm0, (%rsp)\n"
        "mov 24(%rsp), %rax; mov %rax, 64(%rdi); leave"
    ),
    "paddq_memory": "vmovdqu (%rdi), %ymm0; vpaddq 64(%rdi), %ymm0, %ymm1; vmovdqu %ymm1, 128(%rdi); vzeroupper",
    "legacy": (
        "vmovdqu64 (%rdi), %zmm0; movdqu 64(%rdi), %xmm1; paddq %xmm1, %xmm0; psubq %xmm0, %xmm1; psrlq $3, %xmm1\n"
        "vmovdqu64 %zmm0, 128(%rdi); movups %xmm1, (%rdi); vzeroupper"
    ),
    "unpack": (
        "movdqu (%rdi), %xmm0; movdqu 64(%rdi), %xmm1; movdqa %xmm0, %xmm2; punpcklqdq %xmm1, %xmm0\n"
        "punpckhqdq %xmm1, %xmm2; movups %xmm0, 128(%rdi); movups %xmm2, 144(%rdi)"
    ),
    "halves": (
        "vmovdqu (%rdi), %ymm0; vmovdqu 64(%rdi), %ymm1; vinserti128 $1, 128(%rdi), %ymm0, %ymm2\n"
        "vinserti128 $0, %xmm0, %ymm1, %ymm3; vextracti128 $1, %ymm1, %xmm4; vextracti128 $0, %ymm0, 32(%rdi)\n"
        "vpermq $0x1e, %ymm0, %ymm5; vperm2i128 $0x21, %ymm1, %ymm0, %ymm6; vmovdqu %ymm2, 64(%rdi)\n"
        "vmovdqu %ymm3, 96(%rdi); vmovdqu %xmm4, 48(%rdi); vmovdqu %ymm5, 128(%rdi); vmovdqu %ymm6, 160(%rdi)\n"
        "vzeroupper"
    ),
    "blends": (
        "vmovdqu (%rdi), %ymm0; vmovdqu 64(%rdi), %ymm1; vmovdqu 32(%rdi), %ymm2\n"
        "vpblendd $0x5a, %ymm1, %ymm0, %ymm3; vpblendd $0xcc, 64(%rdi), %ymm0, %ymm4\n"
        "vblendvpd %ymm2, %ymm1, %ymm0, %ymm5; vpcmpeqd %ymm6, %ymm6, %ymm6; vmovdqu %ymm3, 64(%rdi)\n"
        "vmovdqu %ymm4, 96(%rdi); vmovdqu %ymm5, 128(%rdi); vmovdqu %ymm6, 160(%rdi); vzeroupper"
    ),
    "bits_of_512": (
        "vmovdqu64 (%rdi), %zmm0; vpternlogd $0xff, %zmm5, %zmm6, %zmm1; vpsrlq $20, %zmm1, %zmm17\n"
        "vpandq %zmm17, %zmm0, %zmm3; vpandnd %zmm0, %zmm17, %zmm4; vpord %zmm3, %zmm4, %zmm7\n"
        "vpxorq %zmm1, %zmm0, %zmm2; vpternlogq $0xff, %ymm0, %ymm0, %ymm1; vmovdqu64 %zmm2, 64(%rdi)\n"
        "vmovdqu64 %zmm7, 128(%rdi); vmovdqu64 %zmm1, (%rdi); vzeroupper"
    ),
    "funnel": (
        "vmovdqu64 (%rdi), %zmm0; vmovdqu64 64(%rdi), %zmm1; vpshrdq $13, %zmm1, %zmm0, %zmm2\n"
        "vpshrdd $9, %ymm1, %ymm0, %ymm3; vmovdqu64 %zmm2, 128(%rdi); vmovdqu %ymm3, (%rdi); vzeroupper"
    ),
    "words": (
        "movq (%rdi), %xmm0; mov 8(%rdi), %rax; movq %rax, %xmm1; movq %xmm1, %rdx; mov %rdx, 128(%rdi)\n"
        "movdqu %xmm0, 136(%rdi); movhps 64(%rdi), %xmm1; movups %xmm1, 152(%rdi); movhps %xmm1, 168(%rdi)"
    ),
    "half_words": (
        "vmovdqu64 (%rdi), %zmm0; vmovdqa64 %zmm0, %zmm1; movd 4(%rdi), %xmm0; mov 8(%rdi), %rax; vmovd %eax, %xmm1\n"
        "movq 16(%rdi), %xmm2; movd %xmm2, %ecx; vmovdqu64 %zmm0, 64(%rdi); vmovdqu64 %zmm1, 128(%rdi)\n"
        "mov %rcx, (%rdi); movd 36(%rdi), %xmm3; vmovdqu %xmm3, 16(%rdi); vzeroupper"
    ),
    "zeros": (
        "vmovdqu64 (%rdi), %zmm0; pxor %xmm0, %xmm0; vpxor %xmm1, %xmm1, %xmm1; vmovdqu64 %zmm0, 64(%rdi)\n"
        "vmovdqu64 %zmm1, 128(%rdi); vzeroupper"
    ),
    "counts": (
        "mov $5, %eax; movq %rax, %xmm2; movdqu (%rdi), %xmm0; movdqa %xmm0, %xmm1; psllq %xmm2, %xmm0\n"
        "mov $64, %eax; movq %rax, %xmm2; psrlq %xmm2, %xmm1; movups %xmm0, 128(%rdi); movups %xmm1, 144(%rdi)"
    ),
    "stack": (
        "movdqu (%rdi), %xmm0; movaps %xmm0, -24(%rsp); mov -16(%rsp), %rax; mov %rax, 128(%rdi)\n"
        "movdqu -24(%rsp), %xmm1; movups %xmm1, 64(%rdi)"
    ),
}


def _input(words: list[int], name: str) -> int:
    """Return the number of a variable."""
    return 0 if name == "alignment of the stack" else words[int(name.split()[-1])]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return assembled(tmp_path_factory.mktemp("machine"), BODIES, frame=VECTOR_FRAME)


@pytest.mark.parametrize("name", BODIES)
def test_an_instruction_on_vectors_means_what_the_cpu_does(name: str, shared: Path) -> None:
    image, library, rng = Image(shared.read_bytes()), ctypes.CDLL(str(shared)), random.Random(name)
    runs = [*executed(image, name, is_secret=True, length=LENGTH)]
    for _ in range(6):
        words = [rng.choice([*EDGES, rng.getrandbits(64)]) for _ in range(LENGTH)]
        words[8:16] = [rng.choice([word, rng.getrandbits(64), rng.choice(EDGES)]) for word in words[:8]]
        expected = on_cpu(library, name, words)
        for facts, results in runs:  # one for each alignment of the stack, which does not change the result
            numbers = Numbers(facts, 2, partial(_input, words))
            assert [numbers.value(each.polynomial) for each in results] == expected
