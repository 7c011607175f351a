"""A finished kernel as text: the C file and its header, from the stages and the templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from momagen import __version__
from momagen.kernels.spec import Spec
from momagen.lower.corrections import HELD
from momagen.lower.writer import ProgramWriter
from momagen.program import Expr, Function, Static
from momagen.targets import load_target

from .c.functions import FunctionText
from .c.functions import static as static_text
from .c.text import procedure_function, templates
from .codes import CODES, UNKNOWN

ALWAYS = ("carry", "select")
"""Preludes that hand-written functions use, too."""
DOUBLES = ("radd", "rsub", "rfma", "real", "unreal")
"""Operations that round, or rely on exact sums of doubles."""


SUFFIXES = {"c": (".c", ".h"), "python": (".py",)}
"""How the names of a kernel's files end, by the syntax of its target."""


def suffixes(spec: Spec) -> tuple[str, ...]:
    """How the names of the files of ``spec`` end, its text first."""
    return SUFFIXES[load_target(spec.target).syntax]


@dataclass
class Source:
    """What was generated.

    Attributes:
        source, header: the two files; a language without headers has one. name: their base name, and what functions
            begin with.
        rules_applied: how often each rule was applied. operations: word operations of one pass over all codelets, by
            operation.
        moduli: those that the build serves, in words; by default what the specification says.
    """

    spec: Spec
    name: str
    source: str
    header: str
    rules_applied: Counter[str]
    operations: Counter[str]
    notes: list[str] = field(default_factory=list)
    moduli: str = ""

    def __post_init__(self) -> None:
        self.moduli = self.moduli or self.spec.moduli

    @property
    def files(self) -> dict[str, str]:
        """The texts by the ends of their names."""
        return dict(zip(suffixes(self.spec), (self.source, self.header), strict=False))


class Writer(ProgramWriter):
    """Prints the functions of one file as they are written."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self.texts: dict[str, str] = {}
        self.chains: set[tuple[str, int]] = set()

    def put(self, function: Function) -> str:
        target = self.target if function.vector else self.host
        self.texts[function.name] = "\n".join(["", *FunctionText(function, target, self.chains).lines()])
        return super().put(function)

    def static(self, static: Static) -> Expr:
        self.texts[static.name.text] = "\n" + static_text(static)
        return super().static(static)

    def numbers(self) -> dict[str, object]:
        """What every template may ask for."""
        a = self.arith
        return {
            "name": self.spec.name, "upper": self.spec.name.upper(), "target": self.target, "words": a.words,
            "held": a.held, "bits": a.bits, "moduli": self.moduli,
            "preludes": self._preludes(), "codes": CODES, "unknown_code": UNKNOWN,
            "rounds": any(self.operations[op] for op in DOUBLES),
        }  # fmt: skip

    def _preludes(self) -> list[str]:
        """What stands in front of the functions: headers of targets and of operations in use, chains, procedures."""
        known = {**self.host.prelude, **self.target.prelude}
        files = sorted({name for what, name in known.items() if what in ALWAYS or self.operations[what]})
        texts = [templates().get_template(name).render() for name in files]
        called = [
            procedure_function(procedure, target, self.chains)
            for target in (self.target, self.host)[: 1 + (self.host is not self.target)]
            for procedure in self.procedures(target).made
        ]
        chains = templates().get_template("c/chains.h.j2").render(chains=sorted(self.chains), held=HELD)
        return texts + [chains] * bool(self.chains) + called


def banner(spec: Spec, writer: ProgramWriter, what: str) -> str:
    """The header comment that lets a stranger trust the file."""
    return banner_of(spec, what, writer.moduli, writer.trace.rules_applied)


def banner_of(spec: Spec, what: str, moduli: str, rules_applied: Mapping[str, int]) -> str:
    """The same from its parts."""
    applied = ", ".join(f"{label} ×{count}" for label, count in sorted(rules_applied.items()))
    return templates().get_template("c/banner.j2").render(
        version=__version__, what=what, command=spec.command(), target=load_target(spec.target),
        modulus=hex(spec.modulus), root=hex(spec.root), bits=spec.width, spec=spec, moduli=moduli,
        rules_applied=_wrapped(applied),
    )  # fmt: skip


def _wrapped(text: str, width: int = 112) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        if len(line) + len(word) >= width:
            lines, line = [*lines, line], ""
        line = f"{line} {word}".strip()
    return [*lines, line]
