"""An option that restates a default gives the same kernel; one that selects another generator is reported."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import momagen as mg
from momagen.api.native import resolved
from momagen.emit import generate
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import modular_kind
from momagen.kinds.modular.options.reading import read_options
from momagen.kinds.modular.options.values import OPTIONS
from momagen.plan.options.defaults import defaults, without_defaults
from momagen.plan.ways import SLOWER, reasons, way
from momagen.tune.space import RULES, TILING

pytestmark = pytest.mark.compiles

N = 1024
CASES = [
    ("avx512ifma", 30), ("avx512ifma", 50), ("avx512ifma", 60), ("avx512ifma", 124), ("avx512", 50), ("avx512", 60),
    ("avx512", 124), ("avx2", 30), ("avx2", 60), ("avx2", 252), ("c", 60), ("c", 124), ("cuda", 60), ("jax", 30),
]  # fmt: skip
FLOW = ("algorithm", "radix", "reduction", "quotients", "limbs", "unroll", *RULES, *TILING)
"""Options that have selected another generator; the last ones are those of reduced-radix digits."""


@pytest.mark.parametrize(("target", "bits"), CASES)
def test_options_that_restate_the_default_give_the_same_files(target: str, bits: int) -> None:
    """Alone and all together; the files are the same letter by letter."""
    plain = mg.ntt(N, modulus_bits=bits, target=target)
    known = defaults(plain.spec)
    assert {"algorithm", "bake", "input_factor"} <= known.keys()
    ways = [{option: value} for option, values in known.items() for value in values]
    all_at_once = {option: values[0] for option, values in known.items() if option != "quotients"}  # as reduction says
    for asked in [*ways, all_at_once]:
        spec = resolved("ntt", n=N, modulus_bits=bits, target=target, **asked)
        assert spec == plain.spec, asked
        raw = replace(plain.spec, options=read_options(modular_kind("ntt"), asked))
        assert without_defaults(raw) == plain.spec, asked
    assert generate(raw).files == plain.generated.files


@pytest.mark.parametrize("bits", [40, 50, 52])
@pytest.mark.parametrize("option", ["levels", "interleave_blocks"])
def test_levels_and_groups_of_one_limb_stay_in_register_blocked_passes(option: str, bits: int) -> None:
    plain = way(resolved("ntt", n=N, modulus_bits=bits, target="avx512ifma"))
    for value in OPTIONS[option]:
        assert way(resolved("ntt", n=N, modulus_bits=bits, target="avx512ifma", **{option: value})) == plain
    assert plain == "steps"


def test_a_bound_that_the_default_keeps_is_no_other_kernel() -> None:
    """Sixteen residues in registers take four levels at once: four levels at most is what happens anyway."""
    plain = mg.ntt(1 << 16, modulus_bits=50, target="avx512ifma").source
    asked: list[dict[str, Any]] = [{"levels": most} for most in (3, 4, 6)]
    made = [mg.ntt(1 << 16, modulus_bits=50, target="avx512ifma", **each).source for each in asked]
    assert [source == plain for source in made] == [False, True, True]


@pytest.mark.parametrize("asked", [{"levels": 2, "interleave_blocks": 8}, {"interleave_blocks": 2, "inverse": True}])
def test_the_passes_that_options_shape_are_correct(asked: dict[str, Any]) -> None:
    assert mg.ntt(N, modulus_bits=50, target="avx512ifma", **asked).verify().ok
    assert way(resolved("ntt", n=N, modulus_bits=50, target="avx512", interleave_blocks="2")) == "tiles"


@pytest.mark.parametrize(("target", "bits"), [("avx512ifma", 124), ("avx512ifma", 50), ("avx2", 60), ("c", 124)])
def test_restated_values_change_no_code(target: str, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where nothing removes them, as far as they leave the generator alone."""
    plain = resolved("ntt", n=N, modulus_bits=bits, target=target)
    code = generate(plain).source.partition("*/")[2]
    monkeypatch.setattr("momagen.emit.kernel.without_defaults", lambda spec: spec)
    for option, values in defaults(plain).items():
        for value in values:
            other = replace(plain, options=read_options(modular_kind("ntt"), {option: value}))
            try:
                same_way = way(other) == way(plain)
            except MomagenError:  # whole words have no option of digits
                continue
            assert not same_way or generate(other).source.partition("*/")[2] == code, (option, value)


@pytest.mark.parametrize(("target", "bits"), CASES[:10])
def test_an_option_that_selects_another_generator_is_reported(target: str, bits: int) -> None:
    """Another generator, or longer words, with the reason in the notes; or one clear refusal."""
    plain = resolved("ntt", n=N, modulus_bits=bits, target=target)
    for option, value in [(name, value) for name in FLOW for value in OPTIONS[name]]:
        try:
            spec = resolved("ntt", n=N, modulus_bits=bits, target=target, **{option: value})
            notes = reasons(spec, way(spec))
        except MomagenError:
            continue
        same = way(spec) == way(plain) and spec.target is plain.target
        assert same or any(f"because of {option} {value}{SLOWER}" in note for note in notes), (option, value, notes)


def test_products_of_vectors_say_which_option_made_their_words_longer() -> None:
    made = mg.blas("vmul", modulus_bits=30, target="avx512ifma", interleave=4)
    note = f"limbs: 64-bit words instead of 32-bit words, because of interleave 4{SLOWER}"
    assert note in made.notes and note not in mg.blas("vmul", modulus_bits=30, target="avx512ifma").notes


def test_what_is_not_restated_stays() -> None:
    asked = {"interleave_butterflies": "yes", "constants": "registers"}
    spec = resolved("ntt", n=N, modulus_bits=50, target="avx512ifma", **asked)
    assert spec.options.interleave_butterflies and way(spec) == "tiles"
    with pytest.raises(MomagenError, match="reduced-radix limbs"):
        mg.ntt(N, modulus_bits=50, target="c", levels=4)
