"""Loops in the form in which they are simulated, and which loops of a function are found."""

from __future__ import annotations

import pytest
from machine_loops import innermost_bodies, loops, vector_uops
from simulated_loops import as_modelled, floor

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


def test_a_zeroed_register_is_a_copy_and_every_jump_closes_the_loop() -> None:
    zeroed, product, minimum, jump = as_modelled(BODY)
    assert (zeroed, product) == ("vmovdqa64 %zmm0,%zmm3", "vfmadd231pd %zmm1,%zmm2,%zmm3")
    assert (minimum, jump) == ("vpminuq %zmm3,%zmm4,%zmm5", "jne .")


def test_a_zeroed_register_stays_if_the_loop_writes_all_registers() -> None:
    every = [f"vpaddq %zmm0,%zmm1,%zmm{at}" for at in range(32)]
    assert as_modelled([BODY[0], *every])[0] == BODY[0]


@pytest.mark.parametrize(("products", "minima", "cycles"), [(4, 0, 2.0), (0, 4, 4.0), (4, 4, 4.0), (6, 4, 5.0)])
def test_the_floor_is_that_of_the_ports(products: int, minima: int, cycles: float) -> None:
    assert floor(BODY[1:2] * products + BODY[3:4] * minima) == cycles


def test_an_unconditional_jump_closes_a_loop_unless_it_stands_behind_a_return() -> None:
    found = function(LINES.splitlines())
    (inner,) = innermost_bodies(found)
    assert inner == ["vpsubq %zmm0,%zmm0,%zmm2", "jne    18 <f+0x18>"]
    assert [*map(vector_uops, loops(found))] == [1, 2]
