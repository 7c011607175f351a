"""The report says which limbs a transform has, why, what the alternative costs, and which option selects it."""

from __future__ import annotations

import json

import pytest

from momagen.api.native import resolved
from momagen.cli import main
from momagen.explain.counts.limbs import MOMA, OPTION, _times, limbs_of
from momagen.kinds.modular.spec import Spec
from momagen.plan.ways import way

CASES = [
    ("avx512", 128, {}, "3 floating-point limbs of radix 2^44", "fused multiply-adds of doubles", "full"),
    ("avx512ifma", 128, {}, "3 52-bit integer limbs of radix 2^52", "52-bit multiply-adds", "full"),
    ("avx2", 128, {}, "3 floating-point limbs", "fused multiply-adds of doubles", "full"),
    ("avx512ifma", 54, {}, "one 52-bit integer limb", "a residue of 50 bits fits", "full"),
    ("avx512", 54, {}, "one floating-point limb", "a residue of 50 bits fits", "full"),
    ("avx512", 64, {}, "one full-radix limb of 64 bits", "a residue of 60 bits fits", ""),
    ("avx512", 128, {"limbs": "full"}, "2 full-radix limbs of 64 bits", "`--limbs full` was given", "reduced"),
    ("avx512", 128, {"radix": "4"}, "2 full-radix limbs of 64 bits", "`--radix` requires full-radix limbs", ""),
    ("c", 128, {}, "2 full-radix limbs of 64 bits", "`c` has no instructions for reduced-radix limbs", ""),
]


def spec_of(target: str, bits: int, options: dict[str, str] | None = None, n: int = 4096) -> Spec:
    return resolved("ntt", n=n, bits=bits, target=target, **options or {})


@pytest.mark.parametrize(("target", "bits", "options", "shown", "why", "other"), CASES)
def test_the_choice_and_its_reason(
    target: str, bits: int, options: dict[str, str], shown: str, why: str, other: str
) -> None:
    found = limbs_of(spec_of(target, bits, options))
    assert found and found.representation.startswith(shown) and why in found.reason
    assert found.option == (OPTION[other] if other else "")
    assert bool(found.speed) == bool(other) and str(found).startswith(f"{found.representation}, because ")


@pytest.mark.parametrize("target", ["avx2", "avx512", "avx512ifma"])
def test_the_named_option_selects_whole_words(target: str) -> None:
    """It is the option that the report names, and it leads to the words with MoMA's rules."""
    assert "`--limbs full`" in OPTION["full"] and MOMA in OPTION["full"] and "(19) to (29)" in MOMA
    assert way(spec_of(target, 128)) != "words" == way(spec_of(target, 128, {"limbs": "full"}))


def test_the_alternative_has_its_stored_time_or_says_that_it_has_none() -> None:
    known = limbs_of(spec_of("avx512", 128))
    assert known and known.measured and known.measured.full > known.measured.reduced > 0
    assert f"{known.measured.full:.3g} on full-radix limbs (124 bits, 4096 points, AMD EPYC" in known.speed
    unknown = limbs_of(spec_of("avx512", 768))
    assert unknown and unknown.measured is None and "no times are stored" in unknown.speed


def test_every_stored_time_belongs_to_a_choice() -> None:
    for target, rows in _times().items():
        for each in rows:
            found = limbs_of(resolved("ntt", n=each.n, modulus_bits=each.bits, target=target))
            assert found and found.measured == each and found.option == OPTION["full"]


def test_other_kernels_and_machines_have_no_such_choice() -> None:
    assert limbs_of(resolved("vmul", bits=128, target="avx512")) is None
    assert limbs_of(spec_of("cuda", 128)) is limbs_of(spec_of("b512", 128)) is None
    assert limbs_of(resolved("ntt", n="any", max_n=64, bits=128, target="avx512")) is None


def test_the_command_prints_it_and_json_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["ntt", "--n", "64", "--bits", "128", "--target", "avx512", "--no-verify", "--no-bench"]
    assert main(asked) == 0
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "limbs 3 floating-point limbs of radix 2^43, because `avx512` multiplies them" in shown
    assert "`--limbs full` selects full-radix limbs with carries between them, by MoMA's rules (19) to (29)" in shown
    assert main([*asked, "--json"]) == 0
    limbs = json.loads(capsys.readouterr().out)["limbs"]
    assert limbs["representation"].startswith("3 floating-point limbs") and "`--limbs full`" in limbs["alternative"]
    assert limbs["reason"] and limbs["measured"]["full"] > limbs["measured"]["reduced"]
