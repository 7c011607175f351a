"""The names that functions declare, and that printers keep their own names apart from them."""

from __future__ import annotations

from momagen.emit.c.words import Printer
from momagen.ir import Block, Builder
from momagen.program import Function, Load, Name, Run, Type, Woven
from momagen.program.declared import declared
from momagen.targets import load_target


def nested() -> Function:
    """A function with a declaration in every kind of body."""
    f = Function("f", (Name("x", Type.INPUT), Name("n")))
    f.let("a", Name("n") + 1)
    with f.each("i", Name("n")) as i, f.if_(i > 1):
        f.array("t5", 2)
        value = Builder().input("v", 0, 7)
        f.add(Woven([[Load("t3", [value], Name("x", Type.INPUT))], [Run(Block())]]))
    return f


def test_names_in_every_body_are_found() -> None:
    assert sorted(declared(nested().body)) == ["a", "i", "t3", "t5"]


def test_a_printer_makes_no_name_that_the_function_has() -> None:
    """Nor one of which a row of a target makes a declared name: word 0 of t3 is t3_0."""
    printer = Printer(load_target("mqx"), {}, set())
    printer.reserve([*declared(nested().body), "t", "t_0", "t1_0", "t40x"])
    assert [printer.fresh() for _ in range(4)] == ["t2", "t4", "t6", "t7"]
