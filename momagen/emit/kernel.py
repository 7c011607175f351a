"""The files of a kernel in the language of its target, and the comment at their top."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from momagen import __version__
from momagen.kinds.limits import Limit, check
from momagen.kinds.modular.derived.hints import hints
from momagen.kinds.modular.derived.meaning import form_text
from momagen.kinds.modular.making.limits import ON_TARGETS, OPTIONS
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import kind_of
from momagen.languages import B512, COMPILED, CUDA, JAX, LANGUAGES
from momagen.lazy import on_call
from momagen.lower.kernels import Lowered, lowered
from momagen.plan.options.defaults import without_defaults
from momagen.templates import templates

from .claim import claim_of
from .source import Source, headline, wrapped

ARGUMENTS = ("q is an argument", "q and the root are arguments", "n, q and the root are arguments")
"""What the comment says about the arguments of ``create``: for a kernel that is not a transform, for a
transform of one size, and for one of any size."""
INSPECTED = "`momagen verify` inspects the machine code that your compiler generates"
UNSEEN = "in the machine code of your compiler, look for conditional jumps that depend on the data"
"""What the comment says about the machine code of a kernel, if ``momagen verify`` inspects that code and if not."""
PUBLIC = (
    "The number of elements and all arguments of create, such as q,",
    "The number of transforms and all arguments of create, such as q and the root,",
)
"""The values that are not secret, for kernels without a root and with one."""


def banner(made: Lowered, **other: object) -> str:
    """Return the comment at the top of a file, which states what a reader needs to trust the file.

    Args:
        made: The kernel.
        other: Values for the template that replace the values of the kernel, for a file that contains more than
            the kernel.
    """
    spec, compiled = made.spec, made.target.syntax == COMPILED
    about = claim_of(spec)
    able = compiled and "momagen verify" in about.unverified
    given = {
        "what": headline(spec), "command": spec.command(), "ranges": spec.ranges, "moduli": made.moduli,
        "target": made.target, "arguments": ARGUMENTS[(spec.n > 0) + spec.sized], "claim": about,
        "inspection": INSPECTED if able else UNSEEN, "public": PUBLIC[spec.n > 0],
    } | other  # fmt: skip
    return templates().get_template("c/banner.j2").render(
        version=__version__, spec=spec, **given, rules_applied=wrapped(made.rules_applied),
        compiled=made.target.syntax in (COMPILED, CUDA),
    )  # fmt: skip


def _words(spec: Spec) -> str:
    """Return the widths of words that a language can print, or "" if the width of the target is among them."""
    *few, most = map(str, LANGUAGES[spec.target.syntax].words)
    listed = " or ".join([", ".join(few), most] if few else [most])
    return listed * (spec.target.word not in LANGUAGES[spec.target.syntax].words)


LIMITS = (
    Limit(_words, "target {0.target.name}", "{0.target.word} bits",
          expected="words of {1} bits on targets in {0.target.syntax}"),
    Limit(lambda spec: spec.sized and not LANGUAGES[spec.target.syntax].families,
          "n", '`n="any"` is not available on {0.target.name}', "use a number of points"),
    Limit(lambda spec: spec.n and 0 < (most := LANGUAGES[spec.target.syntax].longest) < spec.elements and most,
          "n", "{0.elements}", expected="at most {1} points on {0.target.name}"),
)  # fmt: skip
"""The kernels that the printers of languages do not support."""
Emitter = Callable[[str, Lowered], tuple[str, str]]
"""A function of the comment at the top of the file and a lowered kernel. It returns the texts of the source
and the header; the header is "" if the language has none."""
EMITTERS: dict[str, Emitter] = {
    COMPILED: on_call("momagen.emit.c.file", "files"),
    CUDA: on_call("momagen.emit.cuda.file", "cuda_files"),
    JAX: on_call("momagen.emit.jax.file", "array_module"),
    "python": on_call("momagen.emit.python", "module"),
}
"""The functions that print programs of words, by the syntax of the target."""
MODULAR: dict[str, Callable[[Spec], Source]] = {B512: on_call("momagen.emit.b512.file", "assembly")}
"""The functions that generate kernels for targets whose instructions compute modulo q, by the syntax of the
target. These kernels are not programs of words."""


def generate(spec: Any) -> Source:
    """Return the source of the kernel that a request describes; the same request gives the same bytes."""
    return kind_of(spec).generate(spec)


def modular_program(spec: Spec) -> Lowered | Source:
    """Return the lowered program of a kernel with a modulus, or its source if its target has programs of its own.

    The limits of the target are checked again, as libraries request a kernel before they choose its targets.

    Raises:
        MomagenError: The target does not support the kernel.
    """
    check(spec, (*LIMITS, *ON_TARGETS, *spec.kind.limits, *OPTIONS))
    spec = without_defaults(spec)
    with _no_collection():
        return MODULAR.get(spec.target.syntax, lowered)(spec)


def modular_source(spec: Spec) -> Source:
    """Return the source of a kernel with a modulus.

    Options that restate what the kernel does anyway change nothing.
    """
    with _no_collection():
        made = modular_program(spec)
        if isinstance(made, Source):
            return made
        spec = made.spec
        text, header = EMITTERS[spec.target.syntax](banner(made), made)
    form = [f"inputs and outputs are in Montgomery form{form_text(spec)}"] * (spec.options.form is not None)
    notes = [*made.notes, *form, *hints(spec)]
    return Source(spec, spec.name, text, header, made.rules_applied, made.operations, notes, made.moduli, made.program)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Switch the garbage collector off in this context.

    Generation creates few reference cycles, and searching for them takes a tenth of the time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
