"""The cache of lowered blocks: every block has its own lowering, however short its life is."""

from __future__ import annotations

from momagen.ir import Builder, Value
from momagen.kinds.modular.make_spec import make_spec
from momagen.lower.writer import ProgramWriter


def test_blocks_that_are_dropped_lend_their_lowering_to_no_other() -> None:
    """Blocks are known by their ids, which Python gives again to objects made later."""
    writer = ProgramWriter(make_spec("axpy", modulus=(1 << 60) - 1, target="c"))
    for number in range(300):
        b = Builder()
        x: Value = b.input(f"x{number}", 0, 1 << 40)
        b.output(f"z{number}", b.one("addlo", 64, x, x))
        assert [*writer.lower(b.block, writer.target).outputs] == [f"z{number}"]
        del b, x
