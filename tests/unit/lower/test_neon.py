"""Kernels for the target file of a machine that momagen does not contain, AArch64 NEON, equal their definitions."""

from __future__ import annotations

from math import prod
from pathlib import Path
from random import Random

import pytest
from gmpy2 import prev_prime
from support.oracle import elements, result
from support.programs import ElementsProgram, drawn, interpreted
from support.rows import done, near, rows

import momagen
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.rns.conversion import ConversionSpec
from momagen.kinds.rns.rescale import RescaleSpec
from momagen.lower.rns.kernels import rows_kernel
from momagen.plan.schedule.codec import from_json, to_json
from momagen.plan.schedule.types import Step
from momagen.plan.ways import plans
from momagen.targets import load_target

NEON = Path(__file__).with_name("neon.toml")
WIDTHS = (20, 31, 50, 60, 64, 90, 124, 190, 252)
SIZES = (2, 4, 16, 128)
SHRV = 'shrv = "vshlq_u64({a}, vreinterpretq_s64_u64(vsubq_u64(vdupq_n_u64(0), {b})))"'

pytestmark = pytest.mark.whole


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("n", SIZES)
def test_transforms(n: int, bits: int) -> None:
    some = Random(f"{n} {bits}")
    asked = {"inverse": some.random() < 0.5, "negacyclic": some.random() < 0.5}
    order = some.choice(("bitrev", "natural"))
    spec = make_spec("ntt", n=n, modulus_bits=bits, target=str(NEON), order=order, **asked)
    xs = [some.choice((0, spec.modulus - 1, some.randrange(spec.modulus))) for _ in range(n)]
    assert interpreted(spec, spec.root, xs) == result(spec, xs), spec


@pytest.mark.parametrize("bits", WIDTHS)
def test_products_of_polynomials(bits: int) -> None:
    some = Random(bits)
    spec = make_spec("polymul", n=32, modulus_bits=bits, target=str(NEON), negacyclic=some.random() < 0.5)
    xs, ys = ([some.randrange(spec.modulus) for _ in range(32)] for _ in "xy")
    assert interpreted(spec, spec.root, xs, ys) == result(spec, xs, ys)


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("kind", ["vadd", "vsub", "vmul", "vmuladd", "axpy"])
def test_kernels_on_vectors(kind: str, bits: int) -> None:
    spec = make_spec(kind, modulus=(1 << bits) - 1, target=str(NEON))
    q, some = (1 << bits - 2) + 1, Random(f"{kind} {bits}")
    operands = drawn(spec, q, some, 7)
    assert [z % q for z in ElementsProgram(spec)(q, *operands)] == [z % q for z in elements(spec, q, *operands)]


@pytest.mark.parametrize("bits", [30, 45, 60])
def test_conversions_and_divisions_of_rows(bits: int, tmp_path: Path) -> None:
    """Shifts by variable numbers of bits, which only these kernels need, are not in the file."""
    first = int(prev_prime(1 << bits))
    moduli = (first, second := int(prev_prime(first)), last := int(prev_prime(second)))
    with pytest.raises(MomagenError, match="expected a rule or a target instruction for “shrv” at 64 bits"):
        rows_kernel(ConversionSpec(moduli, (97,), load_target(str(NEON))))
    path = tmp_path / "neon_rows.toml"
    path.write_text(f'inherits = "{NEON}"\nname = "neon_rows"\n[ops]\n{SHRV}\n', encoding="utf-8")
    machine = load_target(str(path))
    whole = prod(moduli)
    numbers = near(whole)
    converted = done(ConversionSpec(moduli, (97,), machine), numbers)
    assert converted == rows([a - whole * (a > whole // 2) for a in numbers], (97,))
    divided = done(RescaleSpec(moduli, machine), numbers)
    assert divided == rows([(a + last // 2) // last for a in numbers], (first, second))


@pytest.mark.parametrize("bits", [60, 124])
def test_the_schedule_uses_both_lanes(bits: int) -> None:
    schedule = plans(make_spec("ntt", n=128, modulus_bits=bits, target=str(NEON))).first.schedule
    assert all(len(step.lanes) == 1 for step in schedule.steps if isinstance(step, Step))
    assert from_json(to_json(schedule)) == schedule


def test_no_code_mentions_the_machine() -> None:
    code = Path(momagen.__file__).parent
    assert not [path for path in code.rglob("*.py") if "neon" in path.read_text(encoding="utf-8").lower()]
