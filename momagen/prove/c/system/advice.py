"""Statements that advise the CPU or the system about memory, and change no value."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from momagen.prove.c.memory import Address, Pointer
from momagen.prove.c.subset import asks_for_huge_pages, has_effects
from momagen.prove.c.system.aligned import Somewhere
from momagen.prove.checker import ProofError

if TYPE_CHECKING:
    from momagen.prove.c.machine import Machine
    from momagen.prove.words import Value

PREFETCH, ADVISE = "__builtin_prefetch", "madvise"


def only_advises(node: Any) -> bool:
    """Return whether an if statement or a call does nothing but to give advice."""
    if isinstance(node, c_ast.If):
        items = node.iftrue.block_items if isinstance(node.iftrue, c_ast.Compound) else [node.iftrue]
        is_alone = bool(items) and node.iffalse is None and not has_effects(node.cond)
        return is_alone and all(isinstance(item, c_ast.FuncCall) and only_advises(item) for item in items)
    if not isinstance(node, c_ast.FuncCall) or node.name.name not in (PREFETCH, ADVISE):
        return False
    arguments = node.args.exprs
    if node.name.name == ADVISE and not asks_for_huge_pages(node):
        return False
    return not any(has_effects(argument) for argument in arguments)


def without_advice(function: Any) -> Any:
    """Return a copy of a function without the statements that only give advice."""

    def remove(node: Any) -> None:
        if isinstance(node, c_ast.Compound):
            node.block_items = [item for item in node.block_items or [] if not only_advises(item)]
        for _, child in node.children():
            remove(child)

    copy = deepcopy(function)
    remove(copy)
    return copy


def prefetch(machine: Machine, address: Any, *_: Any) -> None:
    """Check that a prefetch, which changes no value, has an address that does not depend on secret values."""
    pointer = address.pointer if isinstance(address, Address) else address
    numbers: tuple[Value, ...] = (pointer.offset,) if isinstance(pointer, Pointer) else ()
    if isinstance(pointer, Somewhere):
        numbers = pointer.numbers
    if not numbers or not all(machine.facts.is_public(number.polynomial) for number in numbers):
        raise ProofError("the address of a prefetch depends on secret values")


def advise(machine: Machine, address: Any, size: Any, _advice: Any) -> None:
    """Check that advice about an array is about its memory only."""
    if not isinstance(address, Pointer) or address.offset.polynomial:
        raise ProofError("advice is not about the memory of an array")
    if machine.number(size) > address.block.size.low * machine.size_of(address.block.of):
        raise ProofError("advice is about more memory than that of an array")
