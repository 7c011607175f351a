"""The rewriting of one operation to operations on machine words, step by step, and the rules that built a kernel.

The steps follow the notation of the MoMA paper, for example its equations (30)–(34).
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from momagen.emit import Source
from momagen.errors import MomagenError, among
from momagen.ir import Block
from momagen.kernels.elementwise.inverses import KIND as INVERSE
from momagen.kernels.elementwise.sums import KIND as SUM
from momagen.kinds.modular.lists import BLAS
from momagen.kinds.modular.options.declared import OptionGroup, names_of
from momagen.kinds.modular.options.values import OPTIONS
from momagen.kinds.modular.reductions import special_scheme
from momagen.kinds.modular.spec import Spec
from momagen.languages import MachineModel
from momagen.lazy import on_call
from momagen.rewrite import Machine, Rule, Trace, by_form, form_of, table
from momagen.targets import Target

from .code import CodeLine, code_lines
from .counts.applied import applied_rules
from .held import aside, aside_of
from .naming import Names
from .operations import Question, asked, divided, reduced
from .record import record
from .steps import RewriteStep, steps, whole

rendered: Callable[..., Any] = on_call("momagen.explain.text", "rendered")
kernel: Callable[[Source], str] = on_call("momagen.explain.text", "kernel")
cell: Callable[..., str] = on_call("momagen.explain.cell", "cell")
page: Callable[..., str] = on_call("momagen.explain.html", "page")
ELEMENTS = tuple(kind for kind in BLAS if kind not in (INVERSE, SUM))
"""The BLAS kernels whose rewriting can be explained for one element."""
MODULAR = "its modular operations are instructions, so no rules apply"
"""The hint of the error for targets with modular instructions."""


@dataclass(frozen=True)
class Explanation:
    """The rewriting of one operation to operations on machine words.

    Attributes:
        op: The name of the operation.
        bits: The width of the numbers, or of the container of a modulus.
        target: The target.
        options: The options that were used.
        steps: The program after each step, from the operation itself to words of the target.
        rules_applied: The rules that were applied, in the order of the table, with the number of their applications.
        operations: The number of word operations, by name.
        code: The statements that the target writes for the last step.
        widths: A description of the widths of the numbers, or of container and modulus.
        aside: A remark for readers who take the steps as a kernel of the target, or "".
        modulus_bits: The width of the modulus, or None.
        modulus: The modulus if it is known, otherwise 0.
    """

    op: str
    bits: int
    target: Target
    options: Mapping[str, str]
    steps: tuple[RewriteStep, ...]
    rules_applied: tuple[tuple[Rule, int], ...]
    operations: Counter[str]
    code: tuple[CodeLine, ...]
    widths: str = ""
    aside: str = ""
    modulus_bits: int | None = None
    modulus: int = 0

    @cached_property
    def form(self) -> str:
        """The known modulus in the form that rules use, such as "2^255 - 19", or ""."""
        return form_of(self.modulus) if self.modulus else ""

    @cached_property
    def by_form(self) -> dict[str, str]:
        """The known modulus in the form that each rule requested, by the rule's label."""
        return by_form((rule for rule, _ in self.rules_applied), self.modulus) if self.modulus else {}

    def command(self) -> str:
        """Return the command line that requests the same explanation."""
        widths: dict[str, object] = {"bits": self.bits, "modulus-bits": self.modulus_bits}
        sizes = {"modulus": hex(self.modulus)} if self.modulus else widths
        words = ["momagen", "explain", self.op]
        words += [w for name, size in sizes.items() if size is not None for w in (f"--{name}", str(size))]
        words += ["--target", self.target.name]
        return shlex.join([*words, *(w for key, value in sorted(self.options.items()) for w in (f"--{key}", value))])

    def text(self, limit: int = 0) -> str:
        """Return the explanation as plain text.

        Args:
            limit: The largest number of lines of each step (0: no limit).
        """
        found: str = rendered(self, limit).plain
        return found

    def __repr__(self) -> str:
        return f"<momagen {self.op}, {self.widths}, {self.target.name}, in {len(self.steps)} steps>"

    def _repr_html_(self) -> str:
        """Return the HTML that Jupyter shows."""
        return cell(self)

    def html(self) -> str:
        """Return the explanation as an HTML page that needs no other file."""
        return page(self)


def _check(options: Mapping[str, str]) -> None:
    """Check the names and the values of options.

    Raises:
        MomagenError: An option or its value is unknown.
    """
    allowed = {option: OPTIONS[option] for option in (*names_of(OptionGroup.RULES), "quotients")}
    for option, value in options.items():
        if option != "reduction" and option not in allowed:
            raise among("one of the options", ("reduction", *allowed), option, "options")
        if option != "reduction" and value not in allowed[option]:
            raise among("one of", allowed[option], value, option)


def operation(
    op: str, bits: int, target: Target, options: Mapping[str, str] | None = None,
    modulus_bits: int | None = None, modulus: int = 0,
) -> Explanation:  # fmt: skip
    """Return the step-by-step rewriting of ``op`` on numbers of ``bits`` bits to words of ``target``.

    Args:
        op: One of ``OPERATIONS``.
        bits: The width of the numbers; for modular operations, of the container.
        target: The target.
        options: Alternatives of the rule table ("multiply", "compare"), "reduction" and "quotients". The
            reduction of ``mulmod`` is "barrett", "montgomery" or "shoup"; that of a butterfly is the scheme.
            The quotients of a butterfly come from a table or are computed.
        modulus_bits: The width of the modulus; None means 4 bits less than the container. Barrett's product
            needs these 4 spare bits and Shoup's needs 1; for the others, the modulus may fill the container.
        modulus: A baked-in modulus of a butterfly, whose container has as many words as the modulus; 0 if
            there is none.

    Raises:
        MomagenError: The operation, the target or an option is unknown, or a width does not fit.
    """
    chosen = dict(options or {})
    if target.machine is MachineModel.MODULAR:
        raise MomagenError("a target whose operations are rewritten to words", target.name, "explain", MODULAR)
    _check(chosen)
    rules, opened = divided(chosen)
    if modulus:
        modulus_bits = modulus.bit_length()
        bits = -(-modulus_bits // target.word) * target.word
    special = special_scheme(target)
    ask = Question(op, bits, target.word, opened, target.half_products, modulus_bits, modulus, special)
    block = asked(ask)
    note = aside(op, ask.length if ask.modular else bits, target)
    empty = Explanation(
        op, bits, target, chosen, (), (), Counter(), (), ask.widths, note, modulus_bits, modulus
    )  # fmt: skip
    return _filled(empty, block, ask.width, rules)


def element(spec: Spec) -> Explanation:
    """Return the rewriting of one element of a BLAS kernel to words of its target.

    If the modulus is baked in, the rules for its form apply.

    Raises:
        MomagenError: The kernel is not one of ``ELEMENTS``, or the target has modular instructions.
    """
    machine, arith = spec.target, spec.arith
    if machine.machine is MachineModel.MODULAR:
        raise MomagenError("a target whose operations are rewritten to words", machine.name, "explain", MODULAR)
    if spec.kind.name not in ELEMENTS or spec.basis:
        raise among("a kernel with a single modulus, one of", ELEMENTS, spec.kind, "explain")
    rules, shown = spec.options.rule_choices(), spec.options.without("bake").texts()
    modulus = spec.modulus if spec.baked else 0
    empty = Explanation(
        spec.kind.name, arith.held, machine, shown, (), (), Counter(), (), spec.widths, aside_of(spec), spec.width,
        modulus,
    )  # fmt: skip
    return _filled(empty, spec.codelet(arith).block, arith.width, rules)


def _filled(empty: Explanation, block: Block, width: int, rules: Mapping[str, str]) -> Explanation:
    """Return ``empty`` with the steps that rewrite ``block`` to words of the target."""
    machine, trace, q = empty.target, Trace(), empty.modulus
    known = Machine(machine.word, machine.legal, {**machine.options, **rules})
    first = [whole("the operation as requested", block, Names(block, width, q))]
    if (plain := reduced(block, known, trace)) is not block:
        wide = Names(plain, width, q)
        first.append(whole("", plain, wide, applied_rules(trace.rules_applied)))
    names = Names(plain, width, q)
    passes = record(plain, table(), known, trace)
    found = (*first, *steps(passes, names))
    final, applied = passes[-1].block, applied_rules(trace.rules_applied)
    code = code_lines(final, machine, names, found[-1])
    return replace(empty, steps=found, rules_applied=applied, operations=final.counts(), code=code)


def kernel_text(source: Source) -> str:
    """Return a description of a kernel: its words, the applied rewrite rules, and its word operations by kind."""
    return kernel(source)
