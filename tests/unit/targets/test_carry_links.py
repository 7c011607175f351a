"""Links of carry chains: what target files say of them is what is printed."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

import momagen as mg
from momagen.cli import main
from momagen.emit.cuda.chains import Chain, assembly, gathered
from momagen.ir import Block, Builder
from momagen.targets import Target, load_target
from momagen.targets.links import LINES, LINKS

CUDA = load_target("cuda")
OTHER = """
inherits = "cuda"
name = "other"
title = "a made-up machine"

[types]
word_in = "w"

[ops]
mad_low = { link = "low{in}{out} {r} {a} {b} {c}" }

[carries]
in = "_takes"
out = "_gives"
keep_carry = "keep {r}"
"""


def statements(block: Block, target: Target) -> list[str]:
    """The chains of ``block`` as text, values by their names."""
    numbers, found = count(), list[str]()
    names = {id(value): name for name, value in block.inputs.items()}
    for node in gathered(block, target):
        if isinstance(node, Chain):
            lines, results = assembly(node, target, lambda value: names[id(value)], lambda: f"t{next(numbers)}")
            names.update(results)
            found.append("\n".join(lines))
    return found


def made(*ops: str, carried: bool = False) -> Block:
    """One operation after another, each on the words x, y, z and the carry of the one before; the first one's is f."""
    b = Builder(lambda op: True)
    words, flag = [b.input(name, 0, (1 << 32) - 1) for name in "xyz"], b.input("f", 0, 1, "flag")
    condition = b.input("p", 0, 1, "flag")
    for at, op in enumerate(ops):
        given = [*words] if op.startswith("mad") else words[:2]
        taken = [flag] if op not in ("add", "sub", "addlo", "sublo") else []
        flag, *result = b.emit(op, 32, *[condition] * (op == "subbif"), *given, *taken)
        b.output(f"r{at}", result[-1] if result else flag)
    if carried:
        b.output("kept", b.one("select", 32, flag, *words[:2]))
    return b.block


def test_shipped_chains_have_every_row() -> None:
    assert set(CUDA.carries) == set(LINES) and {op for op, row in CUDA.ops.items() if row.link} == set(LINKS)
    assert CUDA.links and not load_target("cuda_words64").links and not load_target("c64").links


def test_links_and_lines_are_those_of_the_target(tmp_path: Path) -> None:
    path = tmp_path / "other.toml"
    path.write_text(OTHER, encoding="utf-8")
    (text,) = statements(made("mad_low", "mad_low", carried=True), load_target(str(path)))
    assert [line.split('"')[1] for line in text.splitlines()[1:-1]] == [
        r"add.cc.u32 %0, %4, 0xffffffff;\n\t", r"low_takes_gives %1 %5 %6 %7\n\t", r"low_takes_gives %2 %5 %6 %7\n\t",
        r"keep %3\n\t",
    ]  # fmt: skip
    assert '"=w"(t0)' in text and '"w"(x)' in text and '"=r"' not in text
    source = mg.blas("vmul", bits=128, target=str(path)).source
    assert "low_gives %" in source and "mad.lo" not in source and "madc.hi" not in source


def test_a_condition_stands_around_its_chain() -> None:
    (text,) = statements(made("subbif", "subbif"), CUDA)
    lines = [line.split('"')[1].removesuffix(r"\n\t") for line in text.splitlines()[1:-1]]
    assert lines[0] == "{ .reg .pred p; setp.ne.u32 p, %3, 0;" and lines[-1] == "}" and len(lines) == 5
    assert lines[1] == "sub.cc.u32 %0, 0, %4;" and lines[3] == "mov.u32 %2, %5; @p subc.cc.u32 %2, %2, %6;"


@pytest.mark.parametrize(("first", "last", "pair"), [("addc", "addclo", "addc.u64"), ("subb", "subblo", "subc.u64")])
def test_a_pair_takes_the_carry_that_comes_from_a_register(first: str, last: str, pair: str) -> None:
    """Two words of a sum alone, and a carry into them: without it the sum would be one less."""
    (text,) = statements(made(first, last), CUDA)
    assert pair in text


def test_targets_shows_links(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets", "cuda"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "in a chain: addc.u32 {r}, 0, 0;" in said
