"""Texts of kernels for GPUs: what stands where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import momagen as mg
from momagen.cli import main
from momagen.cuda.gpu import why_no_gpu
from momagen.cuda.nvrtc import nvrtc_version
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.threads.staged import spare_places
from momagen.plan.thread_plan import ThreadPlan

CODELET = re.compile(r"^static __device__ __forceinline__ void codelet_\d+\(.*\n\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
DECLARED = re.compile(r"\s*const uint(?:32_t|[24]) (\w+) = (.*);$")
ROW = "blockIdx.y"


def statements(body: str) -> Iterator[str]:
    """The statements of a function, those of several lines as one."""
    text = ""
    for line in body.splitlines():
        text += line
        if text.endswith(";") and text.count("(") == text.count(")"):
            yield text
            text = ""


@pytest.mark.parametrize("bits", [60, 128, 384])
def test_what_chains_read_is_made_right_before_them(bits: int) -> None:
    """Reads of tables, and multiples of q: no chain stands between them and what reads them first."""
    bodies = CODELET.findall(mg.ntt(4096, bits=bits, target="cuda").source)
    assert bodies
    for body in bodies:
        found = list(statements(body))
        chains = [at for at, text in enumerate(found) if "asm(" in text]
        for at, text in enumerate(found):
            made = DECLARED.match(text)
            if made and not made[2].startswith("x"):
                used = next(later for later in range(at + 1, len(found)) if re.search(rf"\b{made[1]}\b", found[later]))
                assert not [chain for chain in chains if at < chain < used], (made[1], found[at : used + 1])


def test_kernels_of_one_modulus_ask_for_no_row_of_blocks() -> None:
    one = mg.ntt(256, bits=128, target="cuda")
    several = mg.ntt(256, moduli=[12289, 40961], target="cuda")
    kernels = [source[source.index("pass_0(") :] for source in (one.source, several.source)]
    assert [ROW in text for text in kernels] == [False, True]


@pytest.mark.parametrize("parts", [2, 3, 4, 5, 7, 8, 9, 17])
def test_parts_of_neighbours_meet_in_no_bank(parts: int) -> None:
    """By the definition: eight neighbouring parts, and part p of eight neighbouring elements."""
    row = 128 + spare_places(parts, 8)
    place = {(part, element): part * row + element for part in range(parts) for element in range(128)}
    for first in range(0, 128 * parts, 8):
        assert len({place[at % parts, at // parts] % 8 for at in range(first, first + 8)}) == 8
    assert all(len({place[p, e] % 8 for e in range(first, first + 8)}) == 8 for p in range(parts) for first in (0, 40))


@pytest.mark.parametrize("bits", [31, 124, 252, 753])
def test_passes_are_as_few_as_can_be_and_as_even(bits: int) -> None:
    for log_n in (1, 2, 3, 5, 7, 10, 13, 16, 19, 22):
        plan = ThreadPlan(make_spec("ntt", n=1 << log_n, bits=32 * -(-bits // 32), target="cuda"))
        widths = [len(step.operands) for step in plan.schedule.computing]
        most = min(plan.radix.bit_length() - 1, log_n)
        assert sum(widths) == log_n and len(widths) == -(-log_n // most) and max(widths) - min(widths) <= 1


@pytest.mark.compiles
@pytest.mark.skipif(nvrtc_version() is None or not why_no_gpu(), reason="a GPU, or no NVRTC")
def test_people_are_told_that_ptx_ran_on_the_cpu(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "; its PTX on the CPU" in str(mg.ntt(16, bits=32, target="cuda").verify())
    assert main(["ntt", "--n", "16", "--bits", "32", "--target", "cuda", "--output", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "the CPU interprets the kernel's PTX" in shown and "plain C" not in shown


@pytest.mark.parametrize("kind", ["cmpadd", "cmpsub"])
def test_a_comparison_that_never_holds_takes_no_instructions(kind: str) -> None:
    assert "execute" in mg.blas(kind, modulus_bits=60, cmp="false", target="cuda").source
