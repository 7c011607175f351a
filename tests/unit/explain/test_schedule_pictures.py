"""Pictures of schedules: every step has a square for each index bit, in the colour of its place."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import momagen as mg
from momagen.cli import main
from momagen.explain.pictures.schedule import BLOCK, COLUMN, LANE, OPERAND, PLACES, schedule_picture
from momagen.plan.schedule.codec import from_json
from momagen.plan.schedule.types import Step

SVG = "{http://www.w3.org/2000/svg}"
ASKED: dict[str, dict[str, object]] = {
    "words": {"n": 16, "bits": 128, "target": "c"},
    "columns": {"n": 8, "bits": 128, "target": "avx2", "limbs": "full", "columns": 2},
    "one limb": {"n": 4096, "modulus_bits": 50, "target": "avx512ifma", "inverse": True, "order": "natural"},
    "limbs": {"n": 1024, "modulus_bits": 124, "target": "avx512ifma", "order": "natural"},
    "threads": {"n": 65536, "modulus_bits": 124, "target": "cuda"},
    "arrays": {"n": 64, "modulus_bits": 60, "target": "jax"},
    "long vectors": {"n": 4096, "bits": 128, "target": "b512", "inverse": True},
}  # fmt: skip


@pytest.mark.parametrize("what", ASKED)
def test_each_step_has_a_square_for_each_bit(what: str) -> None:
    text = mg.ntt(**ASKED[what]).schedule  # type: ignore[arg-type]
    schedule, root = from_json(text), ElementTree.fromstring(text.picture())
    squares = [each.get("fill") for each in root.iter(f"{SVG}rect") if each.get("width") == "20"]
    bits = len(schedule.edges[0].order)
    assert len(squares) == bits * len(schedule.steps)
    for at, step in enumerate(schedule.steps):
        row = squares[at * bits : (at + 1) * bits][::-1]
        if isinstance(step, Step):
            for place, own in ((OPERAND, step.operands), (LANE, step.lanes)):
                assert {bit for bit, colour in enumerate(row) if colour == PLACES[place][0]} == {*own}, (at, place)
    dots = sum(len(step.table.bits) for step in schedule.computing)
    assert len([*root.iter(f"{SVG}circle")]) == dots
    nests = [each for each in root.iter(f"{SVG}rect") if each.get("rx") == "6"]
    moves = len(schedule.steps) - sum(nest.steps for nest in schedule.nests)
    assert len(nests) == (len(schedule.nests) + (moves > 0) if schedule.nests else 1)


def test_blocks_and_outer_loops_have_their_colours() -> None:
    schedule = from_json(mg.ntt(65536, modulus_bits=124, target="avx512ifma").schedule)
    root = ElementTree.fromstring(schedule_picture(schedule))
    squares = [each.get("fill") for each in root.iter(f"{SVG}rect") if each.get("width") == "20"]
    for place, lists in ((BLOCK, "blocks"), (COLUMN, "columns")):
        held = sum(nest.steps * len(getattr(nest, lists)) for nest in schedule.nests)
        assert squares.count(PLACES[place][0]) == held > 0


def test_notebooks_show_the_picture_and_json_stays_a_text() -> None:
    text = mg.ntt(16, bits=128).schedule
    assert text._repr_svg_() == text.picture() and json.loads(text)["breakdown"]["n"] == 16


def test_the_command_writes_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "picture.svg"
    words = ["explain", "ntt", "--n", "64", "--bits", "64"]
    assert main([*words, "--picture", str(file)]) == 0
    assert file.read_text(encoding="utf-8").startswith("<svg ") and str(file) in capsys.readouterr().out
    assert main([*words, "--picture", str(tmp_path)]) == 2
    assert "picture: expected a writable file" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--picture", "--schedule"])
def test_other_operations_have_no_schedule(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "addmod", option]) == 2
    assert f"`{option}` applies only to ntt" in capsys.readouterr().err
