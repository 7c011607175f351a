"""Butterflies with packed twiddles, whose limbs and Shoup quotients are computed before the loop."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from momagen.ir import Block, Builder, Instr, Value, dead_code, words
from momagen.kernels.residues.reduced_radix import ReducedRadix
from momagen.lower.body.movement import Body, with_args
from momagen.lower.body.radix import to_digits
from momagen.rewrite import unmasked


class Unpacked(NamedTuple):
    """A butterfly with a packed twiddle.

    Attributes:
        made: The instructions that compute the limbs and the quotient, once for all butterflies with this
            twiddle.
        body: The butterfly.
    """

    made: Block
    body: Body


def unpacked(body: Body, quotient: Block, a: ReducedRadix, b: Builder) -> Unpacked:
    """Return a butterfly whose twiddle is stored as words, without its quotient.

    Args:
        body: A butterfly with the limbs v of the twiddle and its quotient u as inputs. In the result, the
            input v is the words of the twiddle.
        quotient: A block that computes the quotient U from v and from the constant nu.
        a: The representation of residues.
        b: A builder with the operations that the target has.
    """
    raw = [b.input(f"v_{i}", 0, (1 << a.lane) - 1) for i in range(a.apart_words)]
    digits = to_digits(b, raw, a.lane, a.word, len(body.others["v"]))
    swap = _swap(words(quotient.inputs["v"], a.word, len(digits)), digits) | _swap(body.others["v"], digits)
    before = b.block.instrs + [with_args(instr, swap) for instr in quotient.instrs]
    swap |= _swap(body.others["u"], words(quotient.outputs["U"], a.word, a.words))
    whole = replace(body.block, instrs=before + [with_args(instr, swap) for instr in body.block.instrs])
    nu = quotient.inputs["nu"]
    given = {"v": raw, "nu": words(nu, a.word, -(-nu.hi.bit_length() // a.word))}
    block = dead_code(unmasked(whole, a.word))
    made, rest = _apart(block, {id(value) for row in given.values() for value in row})
    others = {name: row for name, row in body.others.items() if name not in "uv"}
    return Unpacked(made, body._replace(block=replace(block, instrs=rest), others=others | given))


def _swap(old: list[Value], new: list[Value]) -> dict[int, Value]:
    return {id(a): b for a, b in zip(old, new, strict=True) if not a.is_const}


def _apart(block: Block, known: set[int]) -> tuple[Block, list[Instr]]:
    """Return a block of the instructions that only depend on known values, and the list of all other instructions.

    Args:
        block: The block.
        known: The ids of the known values, to which the results of the block are added.
    """
    made: list[Instr] = []
    for instr in block.instrs:
        if all(a.is_const or id(a) in known for a in instr.args):
            made.append(instr)
            known |= {id(r) for r in instr.results}
    found = {id(instr) for instr in made}
    outputs = {f"{i}": r for i, r in enumerate(r for instr in made for r in instr.results)}
    return Block({}, made, outputs), [instr for instr in block.instrs if id(instr) not in found]
