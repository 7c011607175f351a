"""``momagen rpu``, and the page that describes B512."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import momagen as mg
from momagen.cli import main
from momagen.errors import MomagenError
from momagen.kinds.modular.make_spec import make_spec
from momagen.rpu.isa.program import read_program
from momagen.rpu.isa.table import PIPELINES, b512
from momagen.rpu.machine.design import load_design
from momagen.rpu.programs.transform import RpuTransform
from momagen.rpu.programs.writer import transform_program
from momagen.verify.rpu.transforms import check_transforms

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "rpu.md"


def test_a_transform_is_generated_and_goes_through_every_action(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, text, again, numbers = (tmp_path / name for name in ("ntt.b512", "ntt.s", "again.b512", "x.txt"))
    assert main(["rpu", "ntt", "--n", "2048", "--modulus-bits", "60", "--output", str(made), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verified"] == 2048 and told["machine"] == "rpu-paper" and told["flow"] == "unpacked"
    assert main(["rpu", "asm", str(made), "--output", str(text)]) == 0
    assert main(["rpu", "asm", str(text), "--output", str(again)]) == 0
    assert read_program(again.read_bytes()).instructions == read_program(made.read_bytes()).instructions
    in_c, back = tmp_path / "ntt.c", tmp_path / "back.b512"
    assert main(["rpu", "asm", str(made), "--output", str(in_c)]) == 0
    assert main(["rpu", "asm", str(in_c), "--output", str(back)]) == 0
    assert read_program(back.read_bytes()).instructions == read_program(made.read_bytes()).instructions
    assert main(["rpu", "sim", str(text), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cycles"] == told["cycles"]
    numbers.write_text("1\n0x0\n" * 2, encoding="utf-8")
    assert main(["rpu", "run", str(made), "--put", f"x={numbers}"]) == 0
    found = [int(line, 16) for line in capsys.readouterr().out.split()]
    q, root = int(told["modulus"], 16), int(told["root"], 16)
    assert len(found) == 2048 and found[0] == 2  # x = 1 + X^2
    assert found[2] == (1 + pow(root, 2 * 512, q)) % q  # 2 is 512 with its eleven bits reversed


def test_traces_tell_what_was_simulated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace, picture = tmp_path / "run.json", tmp_path / "run.svg"
    for path in (trace, picture):
        assert main(["rpu", "ntt", "--n", "1024", "--json", "--trace", str(path)]) == 0
    told = json.loads(capsys.readouterr().out.split("\n}\n")[0] + "}")
    events = [each for each in json.loads(trace.read_text(encoding="utf-8"))["traceEvents"] if each["ph"] == "X"]
    busy = {name: sum(each["dur"] for each in events if each["tid"] == at) for at, name in enumerate(PIPELINES, 1)}
    assert busy == {name: row["busy"] for name, row in told["pipelines"].items()}
    assert max(each["args"]["ended"] for each in events) == told["cycles"]
    assert all(each["args"]["dispatched"] < each["ts"] < each["args"]["ended"] for each in events if each["tid"])
    root = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    wide = sum(float(each.get("width", 0)) for each in root if each.tag.endswith("rect"))
    assert wide == pytest.approx(1200 * sum(busy.values()) / told["cycles"], rel=1e-3)


@pytest.mark.parametrize(
    "words", [["ntt", "--n", "8192", "--flow", "pease"], ["polymul", "--n", "2048"], ["blas", "--n", "9216"]]
)
def test_schedules(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    cycles = []
    for schedule in ("naive", "placed", "timed"):
        assert main(["rpu", *words, "--schedule", schedule, "--json"]) == 0
        cycles.append(json.loads(capsys.readouterr().out)["cycles"])
    assert cycles[2] <= cycles[1] < cycles[0]


def test_steps_may_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """What that costs here, a tenth of all cycles at least."""
    cycles = []
    for more in ([], ["--without", "ports"], ["--without", "scheduling,placement"]):
        assert main(["rpu", "ntt", "--n", "4096", *more, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["verified"] == 4096
        cycles.append(told["cycles"])
    assert cycles[0] * 1.1 < cycles[1] < cycles[2] / 1.1


BAD = [
    (["build"], "an action among ntt, polymul, blas, asm, run, sim"), (["asm"], "a file, got none"),
    (["ntt", "--n", "512"], "1024 to 65536"),
    (["sim", "a.s", "--batch", "2"], "no option --batch, got 2"), (["ntt", "a.s"], "no file, got a.s"),
    (["polymul", "--inverse"], "no option --inverse"), (["blas", "--flow", "pease"], "no option --flow"),
    (["asm", "a.s", "--trace", "b.svg"], "no option --trace"),
    (["sim", "a.s", "--scalar", "4"], "no option --scalar"),
    (["ntt", "--schedule", "best"], "a schedule among timed, placed, naive"),
    (["ntt", "--without", "port,spilling"], "one of the back end's steps rectangles, forwarding, spilling, scheduling"),
    (["blas", "--without", ""], "back end's steps"), (["sim", "a.s", "--without", "ports"], "no option --without"),
    (["ntt", "--flow", "radix"], "data flows pease, unpacked, strided"), (["sim", "nothing.b512"], "a readable file"),
    (["ntt", "--machine", "rpu-bets"], "did you mean rpu-best"), (["ntt", "--modulus", "97"], "n divides q - 1"),
    (["ntt", "--n", "65536", "--batch", "6"], "take 1179648 words, and the vector memory has 1048576"),
    (["ntt", "--n", "1024", "--modulus-bits", "129"], "an RNS basis of several moduli"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), BAD)
def test_bad_input_is_one_line_and_2(words: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rpu", *words]) == 2
    error = capsys.readouterr().err
    assert expected in error and error.count("\n") == 1


def test_an_empty_program_takes_no_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("empty.s", "# nothing\n"), ("scalar.s", "mload m1, 0\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert main(["rpu", "sim", str(tmp_path / name)]) == 0
    out = capsys.readouterr().out
    assert "rpu-paper: 0 cycles" in out and out.count("energy (model): 0.00 µJ\n") == 2


def test_files_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, program, numbers = tmp_path / "a.s", tmp_path / "a.b512", tmp_path / "x.txt"
    text.write_text("mload m1, 0\nvadd v1, v2\n", encoding="utf-8")
    program.write_bytes(b"B512 is no program")
    numbers.write_text("one\n", encoding="utf-8")
    assert main(["rpu", "asm", str(text), "--output", str(tmp_path / "b.b512")]) == 2
    assert "a.s, line 2, column 12: expected `,`, got the end of the line" in capsys.readouterr().err
    assert not (tmp_path / "b.b512").exists()
    assert main(["rpu", "sim", str(program)]) == 2 and "version 1" in capsys.readouterr().err
    text.write_text("mload m1, 0\n", encoding="utf-8")
    assert main(["rpu", "asm", str(text)]) == 2 and "--output" in capsys.readouterr().err
    assert main(["rpu", "run", str(text), "--put", f"x={numbers}"]) == 2
    assert "number per line" in capsys.readouterr().err
    assert main(["rpu", "run", str(text), "--put", "x"]) == 2 and "AREA=FILE" in capsys.readouterr().err


@pytest.mark.parametrize("inverse", [False, True])
def test_a_wrong_program_is_found_out(inverse: bool) -> None:
    spec = make_spec("ntt", n=1024, bits=128, target="c")
    of = RpuTransform(1024, spec.modulus, spec.root, inverse=inverse)
    assert check_transforms([of], 1, transform_program([of]), load_design("rpu-paper")) == 1024
    wrong = transform_program([of])
    for table in wrong.vdm.values():  # each entry matters, be it to two values
        place = len(table) * 2 // 3
        table[place] += 1
        with pytest.raises(MomagenError, match="by the definition"):
            check_transforms([of], 1, wrong, load_design("rpu-paper"))
        table[place] -= 1


def test_the_page_is_the_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, each in b512().opcodes.items():
        fields = ", ".join([field.name for field in each.operands] + ["MODE", "VALUE"] * each.mode)
        code = f"{each.number}{', BFLY' * each.bfly}"
        assert f"| `{name}` | {code} | {each.pipeline} | {fields} | {each.meaning} |" in text
    for mode in b512().modes.values():
        assert f"| `{mode.name}` | {mode.number} | {mode.least} to {mode.most} | {mode.element} |" in text
    for name, field in b512().fields.items():
        bits = f"{field.high}:{field.low}" if field.high > field.low else f"{field.high}"
        assert f"| {name} | {bits} | " in text


def test_kernels_for_any_modulus_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = mg.ntt(1024, bits=128, negacyclic=True, target="b512")
    text, program, numbers = kernel.save(tmp_path) / f"{kernel.name}.s", tmp_path / "k.b512", tmp_path / "x.txt"
    numbers.write_text("\n".join(map(str, range(1024))), encoding="utf-8")
    chosen, put = ["--modulus", hex(kernel.modulus), "--root", hex(kernel.root)], ["--put", f"x={numbers}"]
    assert main(["rpu", "sim", str(text)]) == 0 and "cycles" in capsys.readouterr().out
    assert main(["rpu", "asm", str(text), "--output", str(program), *chosen]) == 0
    for given in ([str(program)], [str(text), *chosen]):
        assert main(["rpu", "run", *given, *put]) == 0
        assert [int(line, 0) for line in capsys.readouterr().out.split()] == kernel([*range(1024)])
    for wrong, expected in (
        ([], "--modulus and --root for a kernel"), (["--modulus", "97", "--root", "5"], "a root of order 2048, got 5"),
        (["--modulus", "98", "--root", "5"], "an odd modulus"), (["--modulus", str(1 << 128)], "from 2 to 2^128 - 1"),
    ):  # fmt: skip
        assert main(["rpu", "run", str(text), *wrong]) == 2 and expected in capsys.readouterr().err
