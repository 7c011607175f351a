"""Transforms as functions of arrays, and what their tables hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from momagen.formula.breakdown import expand
from momagen.formula.transforms import digit_reversal
from momagen.kernels.butterflies.codelets import Codelet
from momagen.kernels.flow.index_bits import Phase
from momagen.kernels.flow.ntt_flow import Pass, flow
from momagen.kernels.spec.spec import Spec
from momagen.plan.word_plan import asked_of
from momagen.targets import load_target

from .axes import ArrayPass, Bits, array_passes, transposition
from .codelets import ArrayCodelets, TableUse

RADIX = 2
"""Of all passes: XLA makes one loop of each, and longer ones were slower on CPUs."""


@dataclass
class TransformText:
    """One transform.

    Attributes:
        name: of its function. body: lines that make x of x. tables: lines that make its tables of q and the root.
    """

    name: str
    body: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)


def transform_text(spec: Spec, name: str, codelets: ArrayCodelets) -> TransformText:
    """The transform of ``spec``; its codelets are added to ``codelets``."""
    target, found = load_target(spec.target), TransformText(name)
    passes = flow(spec.arith, expand(*asked_of(spec, RADIX)), m_in=spec.ranges.input, m_out=spec.ranges.output)
    for at, each in enumerate(array_passes(passes, target.minor)):
        if isinstance(each, ArrayPass):
            _write(found, each, spec, f"{name}{at}", codelets)
        else:
            found.body.append(_moved(each))
    return found


def _moved(order: Bits) -> str:
    shape, axes = transposition(order)
    return f"x = moved(x, {tuple(shape)}, {(0, *(axis + 1 for axis in axes))})"


def _write(found: TransformText, each: ArrayPass, spec: Spec, key: str, codelets: ArrayCodelets) -> None:
    done = each.done
    text = codelets.of(done.codelet)
    if each.moved:
        found.body.append(_moved(each.moved))
    (axis,) = each.legs
    legs = [digit_reversal(i, done.radix) if done.late else i for i in range(done.radix)]
    back = [i if done.late else digit_reversal(i, done.radix) for i in range(done.radix)]
    found.body.append(f"x = parted(x, {tuple(each.shape)}, {axis + 1})")
    operands = [f"x[{leg}]" for leg in legs]
    operands += [f't["{key}{use.input}"]' if use.own else f't["{use.input}"]' for use in text.uses]
    found.body.append(f"y = {text.name}({', '.join(operands)})")
    ordered = ", ".join(f"y[{back.index(i)}]" for i in range(done.radix))
    found.body.append(f"x = joined([{ordered}], {axis + 1})")
    found.tables += _tables(each, spec, key, done.codelet, text.uses)


def _tables(each: ArrayPass, spec: Spec, key: str, codelet: Codelet, uses: list[TableUse]) -> Iterator[str]:
    """Lines that put what a pass reads; numbers of one twiddle are made once."""
    bits, shape = each.table()
    own = [use for use in uses if use.own]
    for twiddle in dict.fromkeys(use.twiddle for use in own):
        form, scaled = _exponent(each.done, int(twiddle[1:]))
        first, *steps = (int(form.get(frozenset(some), 0) * spec.order_of_root) for some in ((), *((b,) for b in bits)))
        factor = f", pow({spec.n}, -1, q)" * scaled
        yield f"v = powers(q, root, {first}, {steps[::-1]}{factor})"
        for use in own:
            if use.twiddle == twiddle:
                yield f't["{key}{use.input}"] = words({use.text}, {tuple(shape)})'


def _exponent(done: Pass, t: int) -> tuple[Phase, bool]:
    """The turn of twiddle t, affine in bits, and whether it is over n: as momagen/lower/setup/exponents.py has it."""
    common, scaled = done.flow.common, done.flow.scaled
    if t >= done.radix:
        return _sum(common, done.weights, t - done.radix), scaled
    carries = done.scaled
    if t == 0:
        return common, scaled
    return _sum(common if carries else {}, done.heap, done.radix // 2), carries and scaled


def _sum(one: Phase, other: Phase, times: int) -> Phase:
    return {term: (one.get(term, 0) + times * other.get(term, 0)) % 1 for term in {*one, *other}}  # type: ignore[misc]
