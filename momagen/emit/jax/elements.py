"""The parts of a module for an element-wise kernel: a call of one codelet, with shifts if a modulus may be shorter."""

from __future__ import annotations

from momagen.lower.arrays.program import DOWN, SAME, UP, ArrayProgram
from momagen.lower.arrays.reductions import Reduction

from .parts import Lines, ModuleParts, called, kept, made_of
from .reductions import fold_tables, reduced


def elements(of: ArrayProgram) -> ModuleParts:
    """Return the parts of an element-wise kernel."""
    element, scalars = of.elementwise, of.spec.ranges.scalars
    if of.reduction:
        return _reduced(of.reduction)
    late = {one.input: one for one in element.constants if one.of in scalars}
    call = f"(z,) = {called(element.name, element.operands, element.constants, late)}"
    tables = kept(one for one in element.constants if one.input not in late)
    texts = {name: f"words([{made_of(one, one.of)}], (), {one.words})" for name, one in late.items()}
    if of.spec.shifts:
        lines = _shifted(call, "w" in of.spec.ranges.vectors)
        return ModuleParts({}, lines, [*_shifts(of), *tables], texts, shifts=True)
    return ModuleParts({}, [call, "return z"], tables, texts)


def _reduced(of: Reduction) -> ModuleParts:
    """Return the parts of a product that a matrix engine reduces."""
    tables = kept(one for codelet in of.codelets for one in codelet.constants)
    return ModuleParts({}, [*reduced(of, "z", of.codelets[0].operands), "return z"], [*tables, *fold_tables([of])])


def _shifted(call: str, added: bool) -> Lines:
    """Return lines that shift operands and the result if the modulus is shorter than the kernel's.

    Args:
        call: The line that computes z.
        added: Whether w, which is added to the product, is shifted as y is.
    """
    shifted = [f'({name},) = {UP}({name}, t["{UP}"]) if "{UP}" in t else ({name},)' for name in ("y", *["w"] * added)]
    down = f'{DOWN}(z, t["{DOWN}"], t["{SAME}"])[0]'
    return [*shifted, call, f'return {down} if "{UP}" in t else z']


def _shifts(of: ArrayProgram) -> Lines:
    """Return lines of ``create`` that shift a shorter modulus to the length that the kernel supports."""
    arith = of.codelets.arith
    counts = {one.input: one.words for name in (UP, DOWN) for one in of.codelets.found[name].constants}
    numbers = {UP: "1 << shift", DOWN: f"(1 << {arith.width} - shift) % (1 << {arith.width})", SAME: "shift == 0"}
    return [
        f"shift = {arith.bits} - q.bit_length()",
        "if shift or mixed:",
        *(f'    t["{name}"] = words([{text}], (), {counts[name]})' for name, text in numbers.items()),
        "q <<= shift",
    ]
