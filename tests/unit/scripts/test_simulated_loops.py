"""Loops in the form in which they are simulated, the ports of the simulated model, and how loops are found."""

from __future__ import annotations

import shutil

import pytest
from machine_loops import innermost_bodies, loops, nest, vector_uops
from simulated_loops import as_modelled, floor, simulated

from momagen.bench.x86.assembly import function

BODY = ["vpxor  %xmm3,%xmm3,%xmm3", "vpmadd52luq %zmm1,%zmm2,%zmm3", "nopw 0x0(%rax)", "vpminuq %zmm3,%zmm4,%zmm5",
        "jne    40 <rows+0x40>"]  # fmt: skip
LINES = """\
  10:\tvpaddq %zmm0,%zmm0,%zmm1
  18:\tvpsubq %zmm0,%zmm0,%zmm2
  20:\tjne    18 <f+0x18>
  28:\tjmp    10 <f+0x10>
  30:\tret
  38:\tvpaddq %zmm0,%zmm0,%zmm1
  40:\tjmp    10 <f+0x10>
"""


def test_every_jump_closes_the_loop() -> None:
    zeroed, product, minimum, jump = as_modelled(BODY)
    assert [zeroed, product, minimum, jump] == [BODY[0], BODY[1], BODY[3], "jne ."]


def test_a_copy_of_a_register_that_the_loop_does_not_write_takes_no_port() -> None:
    copy, other = "vmovdqa64 %zmm4,%zmm17", "vmovdqa64 %zmm3,%zmm16"
    assert as_modelled([copy, other, *BODY])[:2] == ["vpxorq %zmm17,%zmm17,%zmm17", other]


@pytest.mark.parametrize(("line", "modelled"), [
    ("vpsubq 0x40(%rax),%zmm1,%zmm2{%k1}", "vpandq 0x40(%rax),%zmm1,%zmm2{%k1}"),
    ("vpsubq %ymm0,%ymm1,%ymm2", "vpsubq %ymm0,%ymm1,%ymm2"),
    ("vfnmadd231pd %zmm0,%zmm1,%zmm2", "vpmadd52luq %zmm0,%zmm1,%zmm2"),
    ("vmulpd %zmm0,%zmm1,%zmm2", "vpmuludq %zmm0,%zmm1,%zmm2"),
])  # fmt: skip
def test_an_instruction_that_the_model_has_on_other_ports_is_replaced(line: str, modelled: str) -> None:
    assert as_modelled([line]) == [modelled]


MIXES = (
    ["vpaddq"], ["vpmuludq"], ["vpmadd52luq"], ["vfmadd231pd"], ["vaddpd"], ["vpminuq"], ["vpsrlvq"],
    ["vpaddq", "vpsrlvq"], ["vpaddq", "vpminuq"], ["vpmadd52luq", "vpaddq", "vpaddq", "vpminuq"],
    ["vfmadd231pd", "vaddpd"],
)  # fmt: skip


@pytest.mark.skipif(not shutil.which("llvm-mca"), reason="no llvm-mca")
@pytest.mark.parametrize("mix", MIXES, ids="+".join)
def test_independent_instructions_are_simulated_at_their_port_floor(mix: list[str]) -> None:
    """A model with other ports than the floor's would be faster or slower."""
    body = [f"{mix[at % len(mix)]} %zmm0,%zmm1,%zmm{2 + at}" for at in range(24)]
    assert simulated(body) == pytest.approx(floor(body), rel=0.1)


@pytest.mark.parametrize(("products", "minima", "cycles"), [(4, 0, 2.0), (0, 4, 4.0), (4, 4, 4.0), (6, 4, 5.0)])
def test_the_floor_is_that_of_the_ports(products: int, minima: int, cycles: float) -> None:
    assert floor(BODY[1:2] * products + BODY[3:4] * minima) == cycles


def test_an_unconditional_jump_closes_a_loop_unless_it_stands_behind_a_return() -> None:
    found = function(LINES.splitlines())
    (inner,) = innermost_bodies(found)
    assert inner == ["vpsubq %zmm0,%zmm0,%zmm2", "jne    18 <f+0x18>"]
    assert [*map(vector_uops, loops(found))] == [1, 2]


def test_the_deepest_nest_leaves_out_other_loops() -> None:
    before = ["  00:\tvpaddq %zmm0,%zmm0,%zmm1", "  04:\tvpaddq %zmm0,%zmm0,%zmm1", "  08:\tjne    4 <f+0x4>"]
    found = function([*before, *LINES.splitlines()])
    assert [*map(vector_uops, loops(found))] == [1, 1, 2]
    assert [*map(vector_uops, nest(found))] == [1, 2]
