"""A finished kernel as text: the C file and its header, from the stages and the templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count

from momagen import __version__
from momagen.errors import MomagenError
from momagen.ir import Block
from momagen.kernels.arith import Arith
from momagen.kernels.options import MACHINE, RULES
from momagen.kernels.passes import Pass
from momagen.kernels.scalars import SCALARS
from momagen.kernels.spec import Spec
from momagen.kernels.stage import Stage
from momagen.lower import lower, procedures
from momagen.rewrite import Procedures, Trace
from momagen.targets import Target, load_target

from .body import stage_body
from .c import Place, procedure_function, scalar_function, stage_function, templates
from .codes import CODES, UNKNOWN
from .corrections import HELD
from .outline import LONGEST, core_function, outlined_stage

ALWAYS = ("carry", "select")
"""Preludes that hand-written functions use, too."""
DOUBLES = ("radd", "rsub", "rfma", "real", "unreal")
"""Operations that round, or rely on exact sums of doubles."""


@dataclass
class Source:
    """What was generated.

    Attributes:
        source, header: the two files. name: their base name and the prefix of every function.
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


@dataclass
class Called:
    """A stage with the function that does it and where its table begins (in words)."""

    stage: Stage
    function: str
    offset: int

    def numbers(self) -> dict[str, object]:
        s = self.stage
        return {
            "function": self.function, "offset": self.offset, "blocks": s.blocks, "radix": s.radix, "groups": s.groups,
            "stride": s.stride, "table_lanes": s.table_lanes, "sharing": s.sharing, "scaled": s.scaled,
        }  # fmt: skip


class Writer:
    """Collects the functions of one file; equal functions are written once."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.target: Target = load_target(spec.target)
        self.host: Target = load_target(self.target.host) if self.target.host else self.target
        self.arith: Arith = replace(spec.arith, half_products=self.target.half_products)
        self.trace = Trace()
        self.texts: dict[str, str] = {}
        self._stages: dict[object, str] = {}
        self._lowered: dict[tuple[int, str], Block] = {}
        self._cores: dict[int, str] = {}
        self._procedures: dict[str, Procedures] = {}
        self._names = count()
        self.chains: set[tuple[str, int]] = set()
        self.operations: Counter[str] = Counter()
        self.unroll = spec.options.get("unroll", "")
        self.rules: Mapping[str, str] = {k: v for k, v in spec.options.items() if k in RULES}
        self.own: Mapping[str, str] = {}

    def prefer(self, options: Mapping[str, str]) -> None:
        """Take ``options`` for the target's own code where the specification does not say otherwise."""
        self.own, self.unroll = options, self.unroll or options.get("unroll", "")

    def lower(self, block: Block, target: Target) -> Block:
        """``block`` on words; one codelet is lowered once for all stages that share it."""
        key = (id(block), target.name)
        if key not in self._lowered:
            self._lowered[key] = lowered = self._on_words(block, target, self.trace)
            self._check_length(len(lowered.instrs), target.codelet)
            self.operations += lowered.counts()
        return self._lowered[key]

    def _on_words(self, block: Block, target: Target, trace: Trace | None = None) -> Block:
        made = self.procedures(target)
        return made.lower(block, trace) if made.serve(block) else lower(block, target, self._options(target), trace)

    def _check_length(self, count: int, most: int) -> None:
        """Refuse a radix that was asked for and keeps a compiler busy for minutes: it saves nothing beside so much."""
        asked = int(self.spec.options.get("radix", 2))
        if asked > 2 and count > most:
            raise MomagenError(f"one whose codelet has at most {most} operations", f"{asked}: {count}", "radix")

    def procedures(self, target: Target) -> Procedures:
        """What all blocks of the file on ``target`` share."""
        if target.name not in self._procedures:
            self._procedures[target.name] = procedures(target, self._options(target), self._names)
        return self._procedures[target.name]

    def _options(self, target: Target) -> dict[str, str]:
        """The alternatives of the rule table that ``target`` takes: what is asked for beside the machine's own."""
        host = {k: v for k, v in self.rules.items() if k not in MACHINE}
        return {**self.own, **self.rules} if target is self.target else host

    def stage(self, stage: Stage, offset: int, prefix: str = "stage") -> Called:
        """The function of ``stage``, written once for all stages of its shape."""
        target = self.target if stage.lanes > 1 else self.host if self.target.vector else self.target
        layouts = (stage.load, stage.store) if stage.lanes > 1 else ()  # to one lane both are the same
        key = (stage.codelet, stage.row and stage.stride, layouts, stage.scaled, target.name)
        if key not in self._stages:
            name = self._stages[key] = f"{prefix}_{len(self._stages)}"
            lowered, sizes = self.lower(stage.codelet.block, target), (self.arith.words, self.arith.twiddle_words)
            if target.vector and len(lowered.instrs) > LONGEST:
                core = self.core(stage, lowered)
                self.texts[name] = outlined_stage(name, core, stage, target, *sizes, self.chains)
            else:
                body = stage_body(stage, lowered, self.arith.words, target.word)
                self.texts[name] = stage_function(name, stage, body, target, *sizes, self.chains, self.unroll)
        return Called(stage, self._stages[key], offset)

    def core(self, stage: Stage | Pass, lowered: Block) -> str:
        """The function of a long codelet, written once."""
        if id(stage.codelet) not in self._cores:
            self._cores[id(stage.codelet)] = name = f"codelet_{len(self._cores)}"
            sizes = self.arith.words, self.arith.twiddle_words
            self.texts[name] = core_function(name, lowered, self.target, stage, *sizes, self.chains)
        return self._cores[id(stage.codelet)]

    def scalars(self, needs: Collection[str]) -> str:
        """The scalar functions ``needs`` that a plan computes with, and the code that needs nothing else."""
        a, texts = replace(self.arith, modulus=0), []
        places = {"a": Place("a", 0), "b": Place("b", 0), "q": Place("c", 0), "qi": Place("c", a.words)}
        places |= {"m0": Place("c", a.words), "m1": Place("c", 2 * a.words)}
        for name, make in SCALARS.items():
            if name in needs:
                block = self._on_words(_scalar(make, a), self.host)
                texts.append(scalar_function(name, block, self.host, a.words, places, self.chains))
        texts.append(templates().get_template("c/core.c.j2").render(scalars=needs, **self.numbers()))
        return "\n".join(texts)

    def numbers(self) -> dict[str, object]:
        """What every template may ask for."""
        a = self.arith
        steps = 0
        while 3 << steps < a.held:
            steps += 1
        return {
            "name": self.spec.name, "upper": self.spec.name.upper(), "target": self.target, "words": a.words,
            "held": a.held, "bits": a.bits, "newton_steps": steps, "pairs": a.kind != "montgomery",
            "entry": a.twiddle_words, "entry_text": "" if a.kind != "montgomery" else " (none in Montgomery form)",
            "top_check": self.top_check(), "moduli": self.moduli, "odd": self.spec.odd, "baked": self._baked(),
            "preludes": self._preludes(), "codes": CODES, "unknown_code": UNKNOWN,
            "rounds": any(self.operations[op] for op in DOUBLES),
        }  # fmt: skip

    def _baked(self) -> list[str]:
        """The words of the modulus where it is baked in."""
        q = self.arith.modulus
        return [f"UINT64_C({q >> 64 * i & (1 << 64) - 1:#x})" for i in range(self.arith.words if q else 0)]

    @property
    def moduli(self) -> str:
        """The moduli that one build serves, in words."""
        return self.spec.moduli

    def top_check(self) -> str:
        """The condition on q's top word."""
        free = self.arith.held - self.arith.bits
        return f"(q[WORDS - 1] >> {64 - free}) == 0" if free else "1"

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


@lru_cache(maxsize=64)
def _scalar(make: Callable[[Arith], Block], arith: Arith) -> Block:
    return make(arith)


def banner(spec: Spec, writer: Writer, what: str) -> str:
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
