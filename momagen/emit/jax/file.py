"""A kernel's JAX module: its program on arrays as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from momagen.kernels.spec.spec import Spec
from momagen.lower.arrays.codelets import MODULUS, ONE, ArrayCodelet, ArrayCodelets, DerivedConstant
from momagen.lower.arrays.program import DOWN, UP, ArrayProgram, ArrayStep
from momagen.lower.kernels import Lowered
from momagen.plan.array_plan import Bits, transposition
from momagen.templates import templates

from ..codes import BAD_MODULUS, BAD_ROOT
from ..source import plain
from .constants import derived_text
from .numbers import texts
from .rows import ArrayRows

STEP = "    "
Lines = list[str]


def array_module(head: str, made: Lowered) -> tuple[str, str]:
    """The module, and no header; ``head``, a comment in C, becomes its docstring."""
    program, spec = made.program, made.spec
    assert isinstance(program, ArrayProgram)
    codelets, transforms = program.codelets, spec.n > 0
    body, tables = _transform(program) if transforms else _element(program)
    late = [] if transforms else [one for one in _element_of(program).constants if one.of in spec.ranges.scalars]
    return templates().get_template("jax/module.py.j2").render(
        head=plain(head), words=codelets.arith.words, transforms=transforms,
        given="q, root" if transforms else "q", helpers=texts(transforms=transforms),
        codelets=[_codelet(each, codelets) for each in codelets.found.values()], tables=tables, body=body,
        refused=_refused(spec, codelets.arith.bits), operands=[*spec.ranges.operands],
        late=[_late(one) for one in late],
        options=dict(codelets.target.wide) if codelets.arith.words > 1 else {},
    ), ""  # fmt: skip


def _refused(spec: Spec, bits: int) -> Iterator[tuple[str, str]]:
    """Tests of create, and what they say."""
    yield f"not 1 < q < 1 << {bits}{' or q % 2 == 0' * spec.odd}", BAD_MODULUS
    if spec.n:
        yield f"not 0 <= root < q or pow(root, {spec.order_of_root // 2}, q) != q - 1", BAD_ROOT


def _codelet(of: ArrayCodelet, codelets: ArrayCodelets) -> Lines:
    """The function; a residue is a tuple of its words."""
    rows = ArrayRows(codelets.target)
    names = [*of.operands, *(one.input for one in of.constants)]
    for key, value in of.block.inputs.items():
        for at, word in enumerate(codelets.words(value)):
            if not word.is_const:
                rows.called(word, f"{key}[{at}]")
    lines = [f"def {of.name}({', '.join(names)}):", *(STEP + line for line in rows.lines(of.block))]
    made = (codelets.words(of.block.outputs[key])[: codelets.arith.words] for key in of.results)
    tuples = [f"({', '.join(map(rows.name, some))},)" for some in made]
    return [*lines, f"{STEP}return {', '.join(tuples)}{',' * (len(tuples) == 1)}"]


def _made(one: DerivedConstant, of: str) -> str:
    """What a constant is, of a text."""
    return derived_text(one.op, one.k, of) if one.op else of


def _kept(constants: Iterable[DerivedConstant]) -> Lines:
    """Lines of create for constants of q, and of the number 1."""
    found = {one.input: _made(one, {ONE: "1"}.get(one.of, one.of)) for one in constants}
    counts = {one.input: one.words for one in constants}
    return [f't["{name}"] = words([{text}], (), {counts[name]})' for name, text in found.items()]


# Transforms


def _transform(of: ArrayProgram) -> tuple[Lines, Lines]:
    """Lines that make x of x, and lines of create."""
    body, tables = Lines(), Lines()
    for at, each in enumerate(of.steps):
        if isinstance(each, ArrayStep):
            body += _pass(each, f"p{at}")
            tables += _tables(each, f"p{at}", of.spec.n)
        else:
            body.append(_moved(each))
    shared = [one for each in of.codelets.found.values() for one in each.constants if one.of == MODULUS]
    return [*body, "return x"], [*_kept(dict.fromkeys(shared)), *tables]


def _moved(order: Bits) -> str:
    shape, axes = transposition(order)
    return f"x = moved(x, {tuple(shape)}, {(0, *(axis + 1 for axis in axes))})"


def _pass(of: ArrayStep, key: str) -> Iterator[str]:
    if of.moved:
        yield _moved(of.moved)
    axis, legs = of.axis + 1, len(of.takes)
    yield f"x = parted(x, {tuple(of.shape)}, {axis}, {legs})"
    operands = [f"x[{leg}]" for leg in of.takes]
    operands += [f't["{"" if one.of == MODULUS else key}{one.input}"]' for one in of.codelet.constants]
    yield f"y = {of.codelet.name}({', '.join(operands)})"
    yield f"x = joined([{', '.join(f'y[{[*of.gives].index(leg)}]' for leg in range(legs))}], {axis})"


def _tables(of: ArrayStep, key: str, n: int) -> Iterator[str]:
    for each in of.tables:
        factor = f", pow({n}, -1, q)" * each.scaled
        yield f"v = powers(q, root, {each.first}, {[*each.steps]}{factor})"
        for one in each.constants:
            yield f't["{key}{one.input}"] = words({_made(one, "v")}, {tuple(each.shape)}, {one.words})'


# Element-wise kernels


def _element_of(of: ArrayProgram) -> ArrayCodelet:
    assert of.element is not None
    return of.element


def _element(of: ArrayProgram) -> tuple[Lines, Lines]:
    """Lines that make z of operands and of what is derived of scalars, and lines of create."""
    element, scalars = _element_of(of), of.spec.ranges.scalars
    kept = [one for one in element.constants if one.of not in scalars]
    arguments = [*element.operands, *(f't["{one.input}"]' if one in kept else one.input for one in element.constants)]
    body, tables = [f"(z,) = element({', '.join(arguments)})", "return z"], _kept(kept)
    if of.spec.shifts:
        body = [f'(y,) = {UP}(y, t["{UP}"]) if "{UP}" in t else (y,)', body[0],
                f'return {DOWN}(z, t["{DOWN}"])[0] if "{DOWN}" in t else z']  # fmt: skip
        tables = [*_shifts(of), *tables]
    return body, tables


def _shifts(of: ArrayProgram) -> Lines:
    """Lines of create that bring a shorter modulus to the length that is served."""
    arith, counts = of.codelets.arith, {name: of.codelets.found[name].constants[0].words for name in (UP, DOWN)}
    return [
        f"shift = {arith.bits} - q.bit_length()",
        "if shift:",
        f'{STEP}t["{UP}"] = words([1 << shift], (), {counts[UP]})',
        f'{STEP}t["{DOWN}"] = words([1 << {arith.width} - shift], (), {counts[DOWN]})',
        "q <<= shift",
    ]


def _late(one: DerivedConstant) -> dict[str, object]:
    """A constant of a scalar, which comes with a call."""
    return {"input": one.input, "of": one.of, "text": _made(one, "v"), "words": one.words}
