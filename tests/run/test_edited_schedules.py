"""Schedules that are edited by hand: each change is refused with a reason, or changes the code and not the result."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.schedules import mutations

import momagen as mg
from momagen.cli import main
from momagen.cuda.nvrtc import nvrtc_version
from momagen.plan.planners.limb_schedules import limb_schedule
from momagen.plan.planners.matrices import MatrixChoices, MatrixPlanner
from momagen.plan.planners.reduced_radix import LimbPlanner
from momagen.plan.planners.single_limb import StepPlanner
from momagen.plan.planners.whole_words import words_schedule
from momagen.plan.schedule.codec import from_json, to_json
from momagen.plan.schedule.depth_first.choices import LimbChoices, StepChoices
from momagen.plan.schedule.ranges import range_classes
from momagen.plan.schedule.types import DOUBLE, LIMB, RING, SIGNED
from momagen.plan.ways import plans

PURE: list[dict[str, Any]] = [
    {"n": 16, "bits": 128}, {"n": 16, "bits": 60, "inverse": True, "negacyclic": True},
    {"n": 16, "bits": 128, "algorithm": "stockham", "order": "natural"}, {"n": 8, "bits": 128, "columns": 3},
    {"n": 8, "bits": 64, "inverse": True, "order": "natural"},
    {"n": 16, "bits": 64, "algorithm": "stockham", "negacyclic": True, "order": "natural"},
]  # fmt: skip
ON_ARRAYS: list[dict[str, Any]] = [
    {"n": 16, "bits": 128}, {"n": 16, "bits": 64, "inverse": True, "order": "natural", "columns": 3},
]  # fmt: skip
ON_THREADS: list[dict[str, Any]] = [
    {"n": 8, "bits": 64}, {"n": 16, "bits": 128, "algorithm": "stockham", "order": "natural", "inverse": True},
    {"n": 4, "bits": 64, "columns": 4, "negacyclic": True},
]  # fmt: skip
COMPILED: list[dict[str, Any]] = [
    {"n": 32, "bits": 128, "target": "avx2", "limbs": "full"},
    {"n": 16, "bits": 128, "target": "avx2", "limbs": "full", "columns": 5},
    {"n": 16, "bits": 128, "target": "avx2", "limbs": "full", "columns": 2},
    {"n": 64, "bits": 128, "target": "avx512", "limbs": "full", "algorithm": "pease"},
    {"n": 64, "bits": 128, "target": "avx512", "limbs": "full", "inverse": True, "order": "natural"},
]  # fmt: skip
ON_ONE_LIMB: list[dict[str, Any]] = [
    {"n": 64, "modulus_bits": 50, "target": "avx512ifma"},
    {"n": 64, "modulus_bits": 44, "target": "avx2", "columns": 5},
    {"n": 256, "modulus_bits": 28, "target": "avx2_words32", "negacyclic": True},
    {"n": 128, "modulus_bits": 60, "target": "avx2", "inverse": True, "order": "natural"},
]  # fmt: skip
ON_REDUCED_LIMBS: list[dict[str, Any]] = [
    {"n": 512, "modulus_bits": 124, "target": "avx512ifma"},
    {"n": 128, "modulus_bits": 124, "target": "avx2", "inverse": True, "order": "natural"},
    {"n": 32, "modulus_bits": 188, "target": "avx512", "columns": 11, "negacyclic": True, "inverse": True},
]  # fmt: skip
SPLITS: list[tuple[dict[str, Any], StepChoices]] = [
    ({"n": 1024, "modulus_bits": 50, "target": "avx512ifma"},
     StepChoices(LIMB, ((2, 1), (1,)), (3, 3), True, 2)),
    ({"n": 1024, "modulus_bits": 50, "target": "avx512ifma", "inverse": True},
     StepChoices(LIMB, ((1, 1, 2),), (3, 3), True, 4)),
    ({"n": 1024, "modulus_bits": 60, "target": "avx2", "order": "natural"},
     StepChoices(SIGNED, ((3,), (1, 2)), (2, 2), True, 1)),
    ({"n": 256, "modulus_bits": 44, "target": "avx2"}, StepChoices(DOUBLE, ((1, 3),), (2, 2), True, 1)),
]  # fmt: skip
"""Other levels of passes and steps, and numbers of interleaved blocks, than the planner's."""


def code(kernel: mg.Kernel) -> str:
    """The code of a kernel without the comment at its beginning, which counts rules."""
    end = '"""' if kernel.files.keys() == {f"{kernel.name}.py"} else "*/"
    return kernel.source.split(end, 2 if end == '"""' else 1)[-1].replace("--schedule FILE ", "")


def demand_that_changes_are_refused_or_correct(asked: dict[str, Any], **options: Any) -> Counter[str]:
    """Every mutation of the planned schedule is refused in one line, or yields other code that passes verification."""
    planned = json.loads(mg.ntt(**asked, **options).schedule)
    usual, found = code(mg.ntt(**asked, schedule=json.dumps(planned))), Counter[str]()
    for other in mutations(planned):
        try:
            kernel = mg.ntt(**asked, schedule=json.dumps(other))
        except mg.MomagenError as error:
            assert "\n" not in str(error) and str(error).startswith("schedule"), error
            found["refused"] += 1
            continue
        assert code(kernel) != usual, other
        assert kernel.verify().ok, other
        found["correct"] += 1
    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("asked", PURE, ids=str)
def test_every_change_is_refused_or_correct(asked: dict[str, Any]) -> None:
    found = demand_that_changes_are_refused_or_correct({**asked, "target": "python"})
    assert found["refused"] > 100 and found["correct"] > 4


@pytest.mark.sampled(4)
@pytest.mark.parametrize("asked", ON_ARRAYS, ids=str)
def test_every_change_on_arrays_is_refused_or_correct(asked: dict[str, Any]) -> None:
    """The order of an array determines almost all fields."""
    found = demand_that_changes_are_refused_or_correct({**asked, "target": "jax"})
    assert found["refused"] > 500 and found["correct"] > 1


@pytest.mark.thorough
@pytest.mark.sampled(8)
@pytest.mark.parametrize("asked", ON_THREADS, ids=str)
@pytest.mark.skipif(nvrtc_version() is None, reason="NVRTC is missing")
def test_every_change_on_threads_is_refused_or_correct(asked: dict[str, Any]) -> None:
    found = demand_that_changes_are_refused_or_correct({**asked, "target": "cuda"})
    assert found["refused"] > 200 and found["correct"] > 10


@pytest.mark.compiles
@pytest.mark.thorough
@pytest.mark.sampled(8)
@pytest.mark.parametrize("asked", COMPILED, ids=str)
def test_every_change_for_vectors_is_refused_or_correct(asked: dict[str, Any]) -> None:
    found = demand_that_changes_are_refused_or_correct(asked)
    assert found["refused"] > 100 and found["correct"] > 4


@pytest.mark.compiles
@pytest.mark.thorough
@pytest.mark.sampled(8)
@pytest.mark.parametrize("asked", ON_ONE_LIMB, ids=str)
def test_every_change_on_one_limb_is_refused_or_correct(asked: dict[str, Any]) -> None:
    found = demand_that_changes_are_refused_or_correct(asked)
    assert found["refused"] > 300


@pytest.mark.compiles
@pytest.mark.thorough
@pytest.mark.sampled(8)
@pytest.mark.parametrize("asked", ON_REDUCED_LIMBS, ids=str)
def test_every_change_on_reduced_limbs_is_refused_or_correct(asked: dict[str, Any]) -> None:
    found = demand_that_changes_are_refused_or_correct(asked)
    assert found["refused"] > 300 and found["correct"] > 0


@pytest.mark.sampled(8)
@pytest.mark.compiles
@pytest.mark.thorough
def test_every_change_on_doubles_in_tiles_is_refused_or_correct() -> None:
    """Levels in pairs; the option selects the data flow, which the schedule states, too."""
    asked: dict[str, Any] = {"n": 256, "modulus_bits": 50, "target": "avx2"}
    found = demand_that_changes_are_refused_or_correct(asked, interleave_blocks=4)
    assert found["refused"] > 300 and found["correct"] > 0


@pytest.mark.compiles
@pytest.mark.parametrize(("asked", "stated"), SPLITS, ids=str)
def test_the_passes_of_one_limb_are_those_of_the_schedule(asked: dict[str, Any], stated: StepChoices) -> None:
    usual = mg.ntt(**asked)
    other = to_json(StepPlanner(usual.spec).scheduled(stated))
    kernel = mg.ntt(**asked, schedule=other)
    assert kernel.schedule == other != usual.schedule and code(kernel) != code(usual)
    assert kernel.verify().ok


PASSES: list[tuple[dict[str, Any], LimbChoices]] = [
    ({"n": 4096, "modulus_bits": 124, "target": "avx512ifma"},
     LimbChoices((2, 4), (4, 1), 1, 8, "computed", False, "registers", 16, 0)),
    ({"n": 4096, "modulus_bits": 124, "target": "avx512ifma", "order": "natural"},
     LimbChoices((1, 1, 4), (1, 1, 1), 2, 1, "packed", False, "memory", 60, 10)),
    ({"n": 1024, "modulus_bits": 188, "target": "avx2", "inverse": True, "negacyclic": True},
     LimbChoices((3, 3), (2, 2), 1, 2, "whole", True, "registers", 8, 0)),
    ({"n": 256, "modulus_bits": 124, "target": "avx512", "columns": 8, "inverse": True, "order": "natural"},
     LimbChoices((3, 2, 3), (1, 2, 1), 2, 1, "computed", False, "memory", 8, 0)),
]  # fmt: skip
"""Other choices than the planner's: passes, tiles side by side, words between passes, formats of twiddles, …"""


@pytest.mark.compiles
@pytest.mark.parametrize(("asked", "stated"), PASSES, ids=str)
def test_the_passes_of_reduced_limbs_are_those_of_the_schedule(asked: dict[str, Any], stated: LimbChoices) -> None:
    usual = mg.ntt(**asked)
    other = to_json(limb_schedule(usual.spec, False, stated))
    kernel = mg.ntt(**asked, schedule=other)
    assert kernel.schedule == other != usual.schedule and code(kernel) != code(usual)
    assert kernel.verify().ok


IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"levels": (3, 2)}, "the passes over columns must compute 6 levels once"),
    ({"levels": (6, 0), "widths": (1, 1)}, "the passes over columns must compute 6 levels once"),
    ({"widths": (3,)}, "3 tiles of pass 0 cannot be processed together"),
    ({"widths": (16,)}, "16 tiles of pass 0 cannot be processed together"),
    ({"together": 16}, "16 blocks cannot be processed together"),
    ({"twiddles": "short"}, "twiddles are whole or computed or packed"),
    ({"constants": "caches"}, "constants are in registers or memory"),
    ({"constants": "memory"}, "one butterfly for a twiddle, or with constants in memory, cannot be interleaved"),
    ({"levels": (5, 1), "widths": (1, 1), "together": 2}, "one butterfly for a twiddle, or with constants in memory"),
    ({"chain": 61}, "a chain has at most 8 or 16 or 32 or 60 or 64 products"),
    ({"prefetch": 8}, "butterflies prefetch 0 words"),
    ({"levels": (3, 3), "widths": (1, 1), "prefetch": 1}, "butterflies prefetch 0 or 33 words"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "said"), IMPOSSIBLE)
def test_impossible_passes_of_reduced_limbs_are_refused(changes: dict[str, Any], said: str) -> None:
    usual = LimbPlanner(mg.ntt(4096, modulus_bits=124, target="avx512ifma").spec)
    with pytest.raises(mg.MomagenError, match=said):
        usual.check(usual.choices._replace(**changes))


LIMBS_THAT_ALLOW_FEWER: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"n": 4096, "modulus_bits": 255, "negacyclic": True, "target": "avx512ifma"}, {"levels": (6,), "widths": (1,)},
     "allow at most 5 levels in pass 0, not 6"),
    ({"n": 4096, "modulus_bits": 753, "target": "avx2"}, {"levels": (6, 2)}, "allow at most 5 levels in pass 0, not 6"),
    ({"n": 512, "modulus_bits": 124, "columns": 11, "target": "avx2"}, {"resting": 1}, "are stored as limbs"),
    ({"n": 512, "modulus_bits": 124, "columns": 11, "target": "avx2"}, {"widths": (2, 1)}, "2 tiles of pass 0"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "changes", "said"), LIMBS_THAT_ALLOW_FEWER)
def test_passes_are_limited_by_limbs_caches_and_rows(asked: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    usual = LimbPlanner(mg.ntt(**asked).spec)
    with pytest.raises(mg.MomagenError, match=said):
        usual.check(usual.choices._replace(**changes))


REFUSED: list[tuple[StepChoices, str]] = [
    (StepChoices(LIMB, ((3,),), (3, 3), True, 1), "the steps must compute each level once"),
    (StepChoices(RING, ((2, 2),), (3, 3), True, 1), "values of this transform must be reduced"),
    (StepChoices(LIMB, ((3,), (1,)), (3, 3), True, 4), "4 blocks cannot be interleaved"),
    (StepChoices(LIMB, ((2, 2),), (3, 3), True, 3), "3 blocks cannot be interleaved"),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "said"), REFUSED)
def test_impossible_passes_are_refused(stated: StepChoices, said: str) -> None:
    usual = StepPlanner(mg.ntt(1024, modulus_bits=52, target="avx512ifma").spec)
    with pytest.raises(mg.MomagenError, match=said):
        usual.check(stated)


@pytest.mark.compiles
def test_an_edited_file_is_generated_verified_and_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--n", "256", "--modulus-bits", "124", "--target", "c"]
    assert main(["explain", "ntt", *words, "--schedule"]) == 0
    schedule = json.loads(capsys.readouterr().out)
    for edge in schedule["edges"][1:-1]:
        edge["memory"] = "t"  # scratch memory between all steps
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(schedule), encoding="utf-8")
    assert main(["ntt", *words, "--schedule", str(path), "--output", str(tmp_path / "new"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verify"]["ok"] and told["bench"]
    kept = mg.load(tmp_path / "new")
    assert json.loads(kept.schedule) == schedule and kept.verify().ok
    assert "--schedule FILE" in kept.source


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--target", "cuda"], "schedule.nests: the launches must contain each of the 3 steps once"),
        (["--target", "jax"], "schedule.edges[0]: expected the memory x and the layout arrays"),
        (["--target", "cuda", "--radix", "2"], "`--schedule` cannot be combined with `--radix`"),
        (["--target", "b512"], "expected a power of two from 1024 to 65536, got 64"),
        (["--target", "c", "--radix", "2"], "`--schedule` cannot be combined with `--radix`"),
        (["--target", "c", "--inverse"], "schedule.breakdown.inverse: the kernel has inverse = True, not False"),
    ],
)
def test_a_schedule_that_does_not_apply_is_refused(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.json"
    path.write_text(mg.ntt(64, bits=128, target="c").schedule, encoding="utf-8")
    assert main(["ntt", "--n", "64", "--bits", "128", *words, "--schedule", str(path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("text", [None, "", "[1]", "{}", "NTT"])
def test_a_file_without_a_schedule_is_refused(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file does not exist, or contains no schedule: one line, exit code 2, and no folder."""
    path = tmp_path / "mine.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    words = ["--n", "64", "--bits", "128", "--target", "c", "--output", str(tmp_path / "new")]
    assert main(["ntt", *words, "--schedule", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("momagen: ") and said.count("\n") == 1 and "schedule" in said, said
    assert not (tmp_path / "new").exists()


def edited(change: Callable[[Any], object], **asked: Any) -> mg.Kernel:
    """The kernel whose planned schedule was changed."""
    schedule = json.loads(mg.ntt(**asked).schedule)
    change(schedule)
    return mg.ntt(**asked, schedule=json.dumps(schedule))


def with_lanes_beside_columns(schedule: Any) -> None:
    schedule["steps"][0].update(lanes=[0, 1, 2], loops=[3], columns={"row": 8, "lanes": 1, "count": 8})


def with_columns_moved(schedule: Any) -> None:
    schedule["edges"][1]["layout"] = "user"
    schedule["edges"].insert(1, {**schedule["edges"][1], "memory": "t", "order": [1, 0, 2, 3, 5, 4], "below": 1})
    schedule["steps"].insert(1, {"step": "move", "loops": []})


def with_weights(schedule: Any) -> None:
    table = schedule["steps"][0]["table"]
    table.update(weights=table["heap"], heap={})
    schedule["steps"][0].update(decimation="time", accepts=8)
    schedule["edges"][1]["below"] = 2


def with_huge_blocks(schedule: Any) -> None:
    step = schedule["steps"][1]
    step["loops"] = [*range(2, 42)]
    schedule.update(steps=[step], edges=[schedule["edges"][0], schedule["edges"][-1]])
    schedule["nests"][0].update(steps=1, padding=1)


TOGETHER: list[tuple[Callable[[Any], object], dict[str, Any]]] = [
    (with_lanes_beside_columns, {"n": 64, "bits": 128, "target": "python", "columns": 8}),
    (with_columns_moved, {"n": 16, "bits": 128, "target": "python", "columns": 4}),
    (with_weights, {"n": 16, "bits": 60, "coset": 7, "inverse": True, "target": "c"}),
    (with_huge_blocks, {"n": 4, "bits": 60, "target": "cuda"}),
    (lambda schedule: schedule.update(residues="limb"),
     {"n": 1024, "modulus_bits": 30, "target": "avx512ifma_words32"}),
    (lambda schedule: schedule["steps"][0].update(lanes=[0, 2, 3, 1]),
     {"n": 64, "bits": 14, "target": "avx2_words16", "limbs": "full", "algorithm": "stockham"}),
]  # fmt: skip
"""Changes of several fields that would give a wrong kernel, or none."""


@pytest.mark.parametrize(("change", "asked"), TOGETHER, ids=lambda each: getattr(each, "__name__", ""))
def test_wrong_changes_of_several_fields_are_refused(change: Callable[[Any], object], asked: dict[str, Any]) -> None:
    with pytest.raises(mg.MomagenError, match=r"^schedule\."):
        edited(change, **asked)


def with_outer_loops_first(schedule: Any) -> None:
    for at, loops, bits in ((3, [3, 7, 0, 1, 2, 5, 6], [5, 6, 7]), (5, [6, 7, 1, 0, 3, 4, 5], [3, 4, 5, 6, 7])):
        schedule["steps"][at]["loops"] = loops
        schedule["steps"][at]["table"]["bits"] = bits


@pytest.mark.compiles
def test_passes_with_other_constant_strides_are_other_functions() -> None:
    """A stride of 0 that is a constant differs from a stride that is an argument."""
    usual = json.loads(mg.ntt(256, bits=60, target="c", radix=2).schedule)
    with_outer_loops_first(usual)
    assert mg.ntt(256, bits=60, target="c", schedule=json.dumps(usual)).verify().ok


@pytest.mark.compiles
def test_an_inverse_has_the_limbs_of_its_schedule() -> None:
    asked: dict[str, Any] = {"n": 1024, "bits": 128, "target": "avx2"}
    full = mg.ntt(**asked, limbs="full").schedule
    for more in ({}, {"limbs": "full"}):
        kernel = mg.ntt(**asked, schedule=full, **more)
        assert "full-radix" in kernel.inverse().plan.residues and kernel.verify().ok


@pytest.mark.parametrize("other", [{"n": 128}, {"inverse": True}, {"order": "natural"}, {"negacyclic": True}])
def test_the_schedule_of_another_transform_is_refused(other: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"n": 64, "modulus_bits": 50, "target": "avx2"}
    schedule = mg.ntt(**asked).schedule
    with pytest.raises(mg.MomagenError, match=r"^schedule\.breakdown\.\w+: the kernel has \w+ = \w+, not \w+"):
        mg.ntt(**{**asked, **other}, schedule=schedule)


@pytest.mark.parametrize("option", [{"radix": 4}, {"levels": 4}, {"interleave_blocks": 2}])
def test_what_a_schedule_states_is_no_option(option: dict[str, int]) -> None:
    schedule = mg.ntt(64, modulus_bits=50, target="avx2").schedule
    with pytest.raises(mg.MomagenError, match="`schedule` cannot be combined with"):
        mg.ntt(64, modulus_bits=50, target="avx2", schedule=schedule, **option)


@pytest.mark.parametrize("inverse", [False, True])
def test_the_schedule_of_b512_is_printed(inverse: bool) -> None:
    found = from_json(mg.ntt(1024, bits=128, target="b512", inverse=inverse).schedule)
    assert sorted(step.operands for step in found.computing) == [(bit,) for bit in range(10)]
    assert [edge.memory for edge in (found.edges[0], found.edges[-1])] == ["x", "y"]


ON_MATRICES: list[dict[str, Any]] = [
    {"n": 16, "modulus_bits": 28, "factors": "4x4"},
    {"n": 8, "modulus_bits": 28, "factors": "2x4", "sums": "folded", "inverse": True, "negacyclic": True,
     "order": "natural"},
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.sampled(1)
@pytest.mark.parametrize("asked", ON_MATRICES, ids=str)
def test_every_change_on_matrices_is_refused_or_correct(asked: dict[str, Any]) -> None:
    """The sizes and the engines determine all other fields, but twiddles may have any turns of the same factors."""
    options = {key: asked[key] for key in asked if key in ("factors", "sums")}
    usual = {key: asked[key] for key in asked if key not in options}
    found = demand_that_changes_are_refused_or_correct({**usual, "target": "jax"}, **options)
    assert found["refused"] > 200


MATRICES: list[tuple[dict[str, Any], MatrixChoices]] = [
    ({}, MatrixChoices((4, 16), ("bfloat16", "int8"), False, "barrett", "")),
    ({"inverse": True}, MatrixChoices((2, 8, 4), ("bfloat16", "int8", "int8"), False, "folded", "bfloat16")),
    ({"negacyclic": True, "order": "natural"}, MatrixChoices((64,), ("bfloat16",), False, "montgomery", "")),
]  # fmt: skip
"""Other matrices, engines and reductions than the planner's."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("asked", "stated"), MATRICES, ids=str)
def test_the_matrices_are_those_of_the_schedule(asked: dict[str, Any], stated: MatrixChoices) -> None:
    usual = mg.ntt(64, modulus_bits=28, target="jax_tpu", **asked)
    other = to_json(MatrixPlanner(usual.spec).scheduled(stated))
    kernel = mg.ntt(64, modulus_bits=28, target="jax_tpu", **asked, schedule=other)
    assert kernel.schedule == other != usual.schedule and code(kernel) != code(usual)
    assert kernel.verify().ok


WRONG_MATRICES: list[tuple[dict[str, Any], str]] = [
    ({"factors": (4, 8)}, "schedule.breakdown.radices: expected powers of two from 2 to"),
    ({"engines": ("int8",)}, "schedule.nests: each nest has one product"),
    ({"engines": ("int8", "int3")}, "schedule.nests: the engines are"),
    ({"sums": "lazy"}, "schedule.steps: sums are reduced by montgomery or barrett or folded"),
    ({"sums": "folded", "fused": True}, "schedule.nests: blocks of columns are not available"),
    ({"fold": "int8"}, "schedule.nests: sums are folded by one engine, or by none"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "said"), WRONG_MATRICES)
def test_impossible_matrices_are_refused(changes: dict[str, Any], said: str) -> None:
    usual = MatrixPlanner(mg.ntt(64, modulus_bits=28, target="jax_tpu", factors="4x16").spec)
    usual.check(usual.choices)
    with pytest.raises(mg.MomagenError, match=said):
        usual.check(usual.choices._replace(**changes))


def test_a_schedule_of_matrices_needs_engines() -> None:
    text = mg.ntt(64, modulus_bits=28, target="jax_tpu").schedule
    with pytest.raises(mg.MomagenError, match=r"^schedule\.breakdown\.algorithm: "):
        _ = mg.ntt(64, modulus_bits=28, target="python", schedule=text).source


@pytest.mark.parametrize("radices", [(2, 8, 4), (16, 2, 2)])
@pytest.mark.parametrize("inverse", [False, True])
def test_radices_on_full_limbs_are_free(radices: tuple[int, ...], inverse: bool) -> None:
    """The steps of a transform by ring splitting may have any radices, in any order."""
    usual = mg.ntt(64, modulus_bits=60, target="python", inverse=inverse, negacyclic=True)
    plan = plans(usual.spec).first
    asked = replace(plan.breakdown, radix=max(radices), even=False, radices=radices)
    kernel = mg.ntt(64, modulus_bits=60, target="python", inverse=inverse, negacyclic=True,
                    schedule=to_json(words_schedule(asked, plan.arith)))  # fmt: skip
    levels = [each.levels for each in kernel.plan.passes]
    assert levels == [radix.bit_length() - 1 for radix in radices][:: -1 if inverse else 1]
    assert code(kernel) != code(usual) and kernel.verify().ok


@pytest.mark.parametrize("radices", [(2, 8, 2), (4, 4, 4), (64,), (3, 21)])
def test_radices_that_are_not_those_of_the_steps_are_refused(radices: tuple[int, ...]) -> None:
    data = json.loads(mg.ntt(64, modulus_bits=60, target="c").schedule)
    data["breakdown"]["radices"] = radices
    with pytest.raises(mg.MomagenError, match=r"^schedule\.breakdown"):
        _ = mg.ntt(64, modulus_bits=60, target="c", schedule=json.dumps(data)).source


@pytest.mark.parametrize("reduction", ["approximate", "lazy", "tight"])
@pytest.mark.skipif(nvrtc_version() is None, reason="NVRTC is missing")
def test_steps_on_threads_may_have_other_reductions(reduction: str) -> None:
    """Shoup's products have the same tables with all of their quotients."""
    usual = mg.ntt(16, bits=128, target="cuda")
    plan, data = plans(usual.spec).first, json.loads(usual.schedule)
    for step, edge, after in zip(data["steps"], data["edges"], data["edges"][1:], strict=False):
        after["below"] = edge["below"]
        if step["step"] == "butterflies":
            radix = 1 << len(step["operands"])
            accepts, *_ = range_classes(plan.arith, edge["below"], radix, step["decimation"] == "frequency", reduction)
            step |= {"reduction": reduction, "accepts": accepts, "limit": 1}
            after["below"] = 1
    kernel = mg.ntt(16, bits=128, target="cuda", schedule=json.dumps(data))
    assert code(kernel) != code(usual) and kernel.verify().ok
