"""Kernels by every alternative that an option names: right on the machine, or refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import momagen as mg
from momagen.errors import MomagenError
from momagen.kinds.modular.options.values import MACHINE, OPTIONS
from momagen.plan.options.defaults import defaults
from momagen.plan.ways import SLOWER
from momagen.tune.space import TILING

N = 256
"""Points: several passes of tiles in four lanes, and stages of every kind."""
WORDS = [("unroll", value) for value in OPTIONS["unroll"]] + [(o, v) for o in MACHINE for v in OPTIONS[o]]
TILES = [(option, value) for option in TILING if option != "chain" for value in OPTIONS[option] if value != "packed"]
PASSES = [("storage", "words"), ("prefetch", "yes")]
"""Options that ask for two passes over columns."""
HELD: list[tuple[str, dict[str, object], bool]] = [
    ("c", {"bits": 54}, True), ("c", {"bits": 128}, True), ("c", {"bits": 128, "algorithm": "stockham"}, True),
    ("avx2", {"bits": 64}, True), ("avx2", {"bits": 128}, True), ("avx2", {"bits": 256}, True),
    ("avx2", {"bits": 128, "limbs": "full"}, True), ("avx2", {"bits": 54}, False), ("avx512", {"bits": 128}, True),
    ("avx512", {"bits": 64}, True), ("avx512ifma", {"bits": 54}, True), ("avx512ifma", {"bits": 64}, True),
    ("avx512ifma", {"bits": 256}, True),
]
"""Every way to hold residues, and whether quotients can also be computed."""


@pytest.mark.parametrize("option, value", WORDS)
@pytest.mark.parametrize("target", ["c", "avx2"])
def test_alternatives_on_words(target: str, option: str, value: str) -> None:
    kernel = mg.ntt(16, bits=128, target=target, **{option: value})
    assert kernel.verify().ok
    assert f"--{option} {value}" in kernel.source or value in defaults(mg.ntt(16, bits=128, target=target).spec)[option]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("option, value", [*TILES, ("limbs", "reduced")])
@pytest.mark.parametrize("inverse", [False, True])
def test_alternatives_on_digits(option: str, value: str, inverse: bool) -> None:
    two = {"levels": "2"} if (option, value) in PASSES else {}
    kernel = mg.ntt(N, bits=128, target="avx2", inverse=inverse, **{option: value}, **two)
    assert "floating-point limbs" in kernel.notes[0]
    assert kernel.verify().ok


@pytest.mark.thorough
@pytest.mark.sampled(4)
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("target", "asked", "both"), HELD, ids=str)
def test_quotients_from_a_table_or_computed(
    target: str, asked: dict[str, object], both: bool, inverse: bool
) -> None:
    made = [mg.ntt(N, target=target, inverse=inverse, quotients="table", **asked)]  # type: ignore[arg-type]
    if both:
        made += [mg.ntt(N, target=target, inverse=inverse, quotients="computed", **asked)]  # type: ignore[arg-type]
        assert made[0].source.partition("*/")[2] != made[1].source.partition("*/")[2]
    else:
        with pytest.raises(MomagenError, match="is not available if one floating-point limb holds a residue"):
            mg.ntt(N, target=target, inverse=inverse, quotients="computed", **asked)  # type: ignore[arg-type]
    plain = mg.ntt(N, target=target, inverse=inverse, **asked)  # type: ignore[arg-type]
    assert any(kernel.source.partition("*/")[2] == plain.source.partition("*/")[2] for kernel in made)
    assert all(kernel.verify().ok for kernel in made)


@pytest.mark.thorough
@pytest.mark.parametrize("target", ["c", "avx2", "avx512ifma"])
def test_quotients_of_the_transforms_of_a_product(target: str) -> None:
    made = [mg.polymul(N, bits=256, target=target, quotients=quotients) for quotients in ("table", "computed")]
    assert made[0].source.partition("*/")[2] != made[1].source.partition("*/")[2]
    assert all(kernel.verify().ok for kernel in made)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"modulus": "goldilocks", "quotients": "table"}, "is not available for a modulus of 64 bits; omit"),
        ({"bits": 128, "quotients": "table", "reduction": "lazy"}, "`quotients` cannot be combined with `reduction`"),
        ({"bits": 128, "quotients": "none"}, "quotients: expected one of table, computed, got none"),
    ],
)
def test_quotients_that_cannot_be(asked: dict[str, object], message: str) -> None:
    with pytest.raises(MomagenError, match=message):
        mg.ntt(N, **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("option, value", [("chain", "8"), ("constants", "memory"), ("constants", "registers")])
@pytest.mark.parametrize("inverse", [False, True])
def test_constants_and_chains_of_digits_in_lanes(option: str, value: str, inverse: bool) -> None:
    kernel = mg.ntt(64, bits=384, target="avx512ifma", inverse=inverse, **{option: value})
    assert (option == "chain") or ("MG_AGAIN(tw);" in kernel.source) == (value == "memory")
    assert kernel.verify().ok


def test_short_chains_are_other_code() -> None:
    plain, short = (mg.ntt(64, bits=384, target="avx512ifma", chain=n).source.partition("*/")[2] for n in (64, 8))
    assert plain != short


def test_every_tiling_makes_other_code() -> None:
    plain = mg.ntt(N, bits=128, target="avx2", limbs="reduced").source.partition("*/")[2]
    values = {"levels": "2", "interleave_blocks": "1", "interleave_butterflies": "yes", "constants": "registers"}
    for option, value in values.items():
        assert mg.ntt(N, bits=128, target="avx2", **{option: value}).source.partition("*/")[2] != plain


@pytest.mark.thorough
def test_full_words_where_digits_are_the_default() -> None:
    assert "floating-point limbs" in mg.ntt(N, bits=256, target="avx2").notes[0]
    kernel = mg.ntt(N, bits=256, target="avx2", limbs="full")
    assert kernel.notes == [f"limbs: full-radix limbs instead of reduced-radix limbs, because of limbs full{SLOWER}"]
    assert kernel.verify().ok


@pytest.mark.parametrize(
    ("asked", "note"),
    [
        (
            {"interleave_butterflies": "yes"},
            "limbs: reduced-radix limbs instead of one limb per residue, because of interleave_butterflies yes",
        ),
        (
            {"chain": 8, "order": "natural"},
            "limbs: reduced-radix limbs instead of one limb per residue, because of chain 8",
        ),
        ({"order": "natural"}, ""),
        ({"radix": 4}, "limbs: full-radix limbs instead of one limb per residue, because of radix 4"),
        ({"bits": 128, "unroll": 2}, "limbs: full-radix limbs instead of reduced-radix limbs, because of unroll 2"),
        ({"bits": 128, "interleave_butterflies": "yes"}, ""),
        ({"limbs": "reduced"}, ""),
        ({"quotients": "computed"}, ""),
    ],
)
def test_notes_say_which_option_led_aside(asked: dict[str, object], note: str) -> None:
    kernel = mg.ntt(**{"n": N, "bits": 54, "target": "avx512ifma", **asked})  # type: ignore[arg-type]
    assert [text for text in kernel.notes if "instead of" in text] == [f"{note}{SLOWER}"] * bool(note)
    assert not note or note in kernel.explain()


def test_products_say_it_too() -> None:
    kernel = mg.polymul(64, bits=128, target="avx512ifma", radix=4)
    assert kernel.notes == [f"limbs: full-radix limbs instead of reduced-radix limbs, because of radix 4{SLOWER}"]
    assert not any("instead of" in note for note in mg.polymul(64, bits=128, target="avx512ifma").notes)


@pytest.mark.parametrize("kind", ["stage", "pass", "loop"])
def test_loops_are_unrolled_where_asked_for(kind: str) -> None:
    makers = {
        "stage": lambda **o: mg.ntt(64, bits=128, **o),
        "pass": lambda **o: mg.ntt(64, bits=128, algorithm="stockham", **o),
        "loop": lambda **o: mg.blas("vmul", bits=128, **o),
    }
    kernel = makers[kind](unroll=4)
    assert kernel.source.count('_Pragma("GCC unroll 4")') >= 1
    assert "_Pragma" not in makers[kind]().source
    assert kernel.verify().ok


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"target": "c", "limbs": "reduced"}, "not support the target c"),
        ({"target": "avx2", "limbs": "reduced", "n": 8}, "not support 8 points in vectors of 4 lanes"),
        ({"target": "avx2", "levels": 2, "bits": 2048}, "a modulus of 2044 bits, beyond the range of doubles"),
        ({"target": "avx2", "interleave_butterflies": "yes", "radix": 4}, "not support the option radix"),
        ({"target": "avx2", "twiddles": "packed"}, "packed twiddles in floating-point limbs"),
        ({"target": "avx2", "chain": 8}, "chains of floating-point products"),
    ],
)
def test_tiles_that_cannot_be(asked: dict[str, object], message: str) -> None:
    with pytest.raises(MomagenError, match="not support ") as caught:
        mg.ntt(**{"n": N, "bits": 128, **asked})  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_constants_in_memory_beside_butterflies_in_turns() -> None:
    with pytest.raises(MomagenError, match='`constants="memory"` cannot be combined with'):
        mg.ntt(N, bits=128, target="avx2", interleave_butterflies="yes", constants="memory")


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "bits", "radix"), [("c64", 1024, 16), ("avx2", 1024, 16), ("avx512ifma", 1024, 16)])
def test_a_radix_that_compilers_cannot_bear(target: str, bits: int, radix: int) -> None:
    message = rf"radix: expected a radix whose codelet has at most \d+ operations, got {radix}, whose codelet has "
    with pytest.raises(MomagenError, match=message):
        mg.ntt(256, bits=bits, target=target, radix=radix)


@pytest.mark.thorough
@pytest.mark.parametrize("inverse", [False, True])
def test_a_large_radix_of_many_words(inverse: bool) -> None:
    assert mg.ntt(64, bits=256, target="avx2", radix=16, inverse=inverse).verify().ok


def test_quotients_left_out_of_tables_in_two_ways() -> None:
    with pytest.raises(MomagenError, match='`quotients` cannot be combined with `twiddles="packed"`'):
        mg.ntt(N, bits=128, target="avx512ifma", quotients="computed", twiddles="packed")
    with pytest.raises(MomagenError, match='cannot be combined with `twiddles="whole"`'):
        mg.ntt(N, bits=128, target="avx512ifma", quotients="computed", twiddles="whole")


def test_tiles_of_full_words() -> None:
    with pytest.raises(MomagenError, match="`levels` applies only to reduced-radix limbs"):
        mg.ntt(N, bits=128, target="avx2", levels=2, limbs="full")


@pytest.mark.parametrize(
    "option, value", [("twiddles", "whole"), ("levels", "2"), ("radix", "4"), ("quotients", "table"), ("chain", "8")]
)
def test_options_of_transforms_alone(option: str, value: str) -> None:
    with pytest.raises(MomagenError, match=f"`{option}` does not apply to vmul"):
        mg.blas("vmul", bits=128, **{option: value})


@pytest.mark.parametrize("kernel", [mg.ntt, mg.blas], ids=["ntt", "blas"])
def test_a_target_may_give_functions_an_attribute(kernel: Callable[..., mg.Kernel], tmp_path: Path) -> None:
    file = tmp_path / "warm.toml"
    file.write_text('inherits = "c"\nname = "warm"\nattribute = "__attribute__((hot))"\n', encoding="utf-8")
    made = kernel(16 if kernel is mg.ntt else "vmul", bits=256, target=str(file))
    assert "__attribute__((hot))" in made.source
    assert made.verify().ok


@pytest.mark.thorough
def test_a_table_of_doubles_is_not_longer_than_two_gibibytes() -> None:
    """2^22 points of 18 digits have 18² of them each; of 381 bits, 2^21 points have 9²."""
    for n, bits, reason in ((1 << 22, 768, "would take 10.1 GiB"), (1 << 21, 384, "")):
        notes = " ".join(mg.ntt(n, bits=bits, target="avx2", inverse=True).notes)
        assert ("limbs: full-radix limbs, because constants in floating-point limbs " + reason in notes) == bool(reason)
        assert ("floating-point limbs of" in notes) != bool(reason)
