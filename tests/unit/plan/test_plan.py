"""Plans: every level once, every index bit in one place, and the tables that the kernel allocates."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import momagen as mg
from momagen.cli import main
from momagen.emit import generate
from momagen.explain.explained_transform import explained
from momagen.kinds.modular.make_spec import make_spec
from momagen.plan import LANE, LEG, PlannedPass, TransformPlan, plan_of
from momagen.plan.tiles import tile_bytes
from momagen.plan.ways import plans
from momagen.targets import load_target

TABLE = re.compile(r"tables = (?:malloc\(sizeof\(uint64_t\) \* |new_words\()(\d+)\)")
CASES = [
    ("c", 128, 4096, {}), ("avx2", 60, 1024, {"algorithm": "stockham"}), ("avx2", 64, 4096, {}),
    ("avx2", 128, 65536, {}), ("avx512", 128, 4096, {"limbs": "full"}),
    ("avx512ifma", 128, 65536, {}), ("avx512ifma", 56, 65536, {}),
    ("avx512ifma", 260, 1 << 20, {}), ("avx512", 54, 4096, {}),
]  # fmt: skip


@pytest.mark.parametrize(("target", "bits", "n", "options"), CASES)
@pytest.mark.parametrize("inverse", [False, True])
def test_a_plan_has_every_level_and_every_table(
    target: str, bits: int, n: int, options: dict[str, str], inverse: bool
) -> None:
    spec = make_spec("ntt", n=n, bits=bits, target=target, inverse=inverse, options=options)
    plan, length = plan_of(spec), n.bit_length() - 1
    assert sum(each.levels for each in plan.passes) == length
    assert all(len(each.bits) == length for each in plan.passes if each.bits)
    (words,) = TABLE.findall(generate(spec).source)
    assert 0 <= int(words) - plan.table < 8  # tables of rows begin where vectors like


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(
    ("target", "bits", "n"), [("avx512ifma", 128, 65536), ("avx512ifma", 56, 65536), ("avx2", 54, 4096)]
)
def test_a_plan_begins_with_the_operand_and_ends_with_the_result(target: str, bits: int, n: int, inverse: bool) -> None:
    passes = plan_of(make_spec("ntt", n=n, bits=bits, target=target, inverse=inverse)).passes
    assert passes[0].reads == "x" and passes[-1].writes == "y" and len(passes) > 1
    assert [one.writes for one in passes[:-1]] == [one.reads for one in passes[1:]]
    assert [one.depth for one in passes] == sorted((one.depth for one in passes), reverse=inverse)


def test_legs_that_were_lanes_are_legs_once() -> None:
    plan = plan_of(make_spec("ntt", n=4096, bits=128, target="avx2", options={"limbs": "full"}))
    legs = [at for each in plan.passes for at, place in enumerate(each.bits) if place == LEG]
    assert sorted(legs) == list(range(12))
    assert all(each.bits.count(LANE) == 2 for each in plan.passes)


def test_a_plan_counts_in_words_and_prints_bytes() -> None:
    plan = TransformPlan(4, "NTT(4)", "1 word", 32, [PlannedPass("LL", "x", "y", (2,), 3, table=768, tile=4)])
    assert plan.table == 768 and plan.bytes(plan.table) == 3072
    assert "3 KiB  16 B" in str(plan)


@pytest.mark.parametrize("bits", [54, 128, 256])
def test_the_tile_of_a_pass_is_what_its_levels_keep(bits: int) -> None:
    spec = make_spec("ntt", n=65536, bits=bits, target="avx512ifma")
    plan, digits = plan_of(spec), {54: 1, 128: 3, 256: 5}[bits]
    tiles = [each.tile for each in plan.passes]
    assert tiles == [digits << each.levels + each.bits.count(LANE) * ("." in each.bits) for each in plan.passes]
    assert max(map(plan.bytes, tiles)) <= tile_bytes(load_target("avx512ifma").first)


@pytest.mark.parametrize(("n", "inverse"), [(128, False), (256, True)])
def test_two_butterflies_are_interleaved_where_every_twiddle_has_two(n: int, inverse: bool) -> None:
    """The first level is part of a conversion on the way forth; on the way back of a product it has a loop."""
    made = plans(make_spec("polymul", n=n, modulus_bits=124, target="avx512ifma")).by_prefix
    assert [made[name].paired for name in ("forward_", "inverse_")] == [True, inverse]


def test_the_command_prints_the_plan(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ask = ["explain", "ntt", "--n", "256", "--target", "c", "--algorithm", "stockham"]
    assert main(ask) == 0
    shown = capsys.readouterr().out
    assert "bbLL...." in shown and "NTT(4)" in shown
    assert main([*ask, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["passes"]) == 5
    assert main([*ask, "--html", str(tmp_path / "plan.html")]) == 0
    assert 'class="L"' in (tmp_path / "plan.html").read_text(encoding="utf-8")


def test_a_plan_is_that_of_the_kernel_with_the_same_options(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["explain", "ntt", "--n", "1024", "--target", "avx512ifma", "--json"]
    for more, options in (([], {}), (["--compare", "less"], {"compare": "less"})):
        assert main([*ask, *more]) == 0
        plan = json.loads(capsys.readouterr().out)
        assert plan["residues"] == mg.ntt(1024, bits=128, target="avx512ifma", **options).plan.residues
        assert ("of radix" in plan["residues"]) == (not options)


@pytest.mark.parametrize(("more", "said"), [(["--n", "12"], "power of two"), (["--n", "any"], "one size")])
def test_bad_input_is_refused(more: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "ntt", *more]) == 2
    assert said in capsys.readouterr().err


def test_a_kernel_tells_its_formula_and_its_passes() -> None:
    kernel = mg.ntt(64, bits=128)
    assert kernel.formula.startswith("Rings(16, 4, 0)") and str(kernel.plan).count("LL") == 3


ROOT = Path(__file__).resolve().parents[3]


def test_the_picture_in_the_documentation_is_that_of_the_schedule() -> None:
    picture = mg.ntt(65536, modulus_bits=124, target="avx512ifma").schedule.picture()
    assert (ROOT / "docs" / "concepts" / "schedule.svg").read_text(encoding="utf-8") == picture


@pytest.mark.parametrize(("target", "bits"), [("avx512ifma", 128), ("avx2", 128), ("avx512ifma", 50), ("c", 128)])
def test_the_codelets_shown_are_those_of_the_kernel(target: str, bits: int) -> None:
    spec = make_spec("ntt", n=4096, bits=bits, target=target)
    told, source = explained(spec), generate(spec)
    spelled = {"fmahi": "_mm512_madd52hi_epu64(", "rfma": "mg_rfma(", "shrd": "<< 64) |"}
    shown = {op for codelet in told.codelets for op in codelet.operations}
    op, text = next(row for row in spelled.items() if row[0] in shown)
    for codelet in told.codelets:
        head = rf"^static [^\n;]*\b{codelet.name}\([^;{{]*\)\n\{{\n"
        (body,) = re.findall(rf"{head}(.*?)^\}}", source.source, re.DOTALL | re.MULTILINE)
        assert body.count(text) == codelet.operations.get(op, 0), codelet.name


@pytest.mark.parametrize("options", [{}, {"algorithm": "stockham"}, {"algorithm": "pease"}])
def test_the_breakdown_shown_is_that_of_the_formula(options: dict[str, str]) -> None:
    """Each application's result, put in the place of its transform, makes the formula."""
    told = explained(make_spec("ntt", n=64, bits=64, target="c", options=options))
    whole = str(told.breakdown[0].formula)
    for each in told.breakdown[1:]:
        assert str(each.node) in whole
        whole = whole.replace(str(each.node), str(each.formula))
    assert whole.replace("(", "").replace(")", "") == told.plan.formula.replace("(", "").replace(")", "")


def test_the_command_shows_breakdown_plan_and_codelets(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ask = ["explain", "ntt", "--modulus-bits", "124", "--n", "65536", "--target", "avx512ifma"]
    assert main(ask) == 0
    short = capsys.readouterr().out
    assert "rings_split (R3)" in short and "tiles of 32 vectors" in short and "t3 = ⌊y0 / 2⁵²⌋" in short
    assert "more lines" in short and main([*ask, "--all"]) == 0
    assert "more lines" not in capsys.readouterr().out
    page = tmp_path / "plan.html"
    assert main([*ask, "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "rings_split" in text and "[-2^10, 2^10)" in text and "http" not in text.replace("http://www.w3.org", "")
    capsys.readouterr()
    assert main([*ask, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {"passes", "breakdown", "codelets"} <= set(data)


EFFECTS: list[tuple[dict[str, object], list[str]]] = [
    ({"modulus_bits": 124, "target": "avx512ifma", "levels": 3, "interleave_blocks": 2},
     ["levels = 3: steps 5 9 → 2 3 9; together 1 2 → 1 1 2", "interleave_blocks = 2: together 1 1 4 → 1 1 2"]),
    ({"modulus_bits": 50, "target": "avx512ifma", "levels": 2},
     ["levels = 2: radices 8 8 8 8 → 4 4 4 8 8; steps 2 → 3 2"]),
    ({"modulus_bits": 60, "target": "c", "radix": 8, "reduction": "tight"},
     ["reduction = tight: reductions lazy → tight", "radix = 8: radices 4 4 4 4 4 4 → 8 8 8 8"]),
    ({"modulus_bits": 28, "target": "jax_tpu", "dense": 16},
     ["dense = 16: radices 64 64 → 16 16 16; steps 2 1 → 2 2 1"]),
    ({"modulus_bits": 60, "target": "cuda", "radix": 4},
     ["radix = 4: radices 16 16 16 → 4 4 4 4 4 4; memories x y shared → x shared y; steps 1 3 → 3 4; padding 1 4 → 4"]),
    ({"modulus_bits": 60, "target": "c"}, []),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "said"), EFFECTS)
def test_the_plan_says_what_options_change(asked: dict[str, object], said: list[str]) -> None:
    kernel = mg.ntt(4096, **asked)  # type: ignore[arg-type]
    assert [line for line in kernel.plan.why if line.startswith("option")] == [f"option    {each}" for each in said]
    again = mg.ntt(4096, **{key: asked[key] for key in ("modulus_bits", "target")}, schedule=kernel.schedule)  # type: ignore[arg-type]
    assert [*again.plan.passes] == [*kernel.plan.passes] and len(again.plan.why) == 1
    assert again.formula == kernel.formula
