"""Writes the functions of one program: lowers codelets, once for all that share them, and collects what is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count

from momagen.ir import DOUBLE_OPS, Block, const, words
from momagen.kernels.elementwise.scalars import scalar
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.options.values import MACHINE
from momagen.kinds.modular.spec import Spec
from momagen.program import Call, Expr, Field, Function, Name, Program, Static, Type
from momagen.program.expressions import Operand
from momagen.program.notation import function, texts
from momagen.rewrite import Procedures, Trace
from momagen.targets import Target
from momagen.targets.reading.language import check_host

from .lengths import check_length
from .names import A, B, C, Z
from .phases import lower, procedures, reduced


class ProgramWriter:
    """Collects the functions of one program; equal ones are written once.

    Attributes:
        target: of vectors. host: of words beside them. operations: of one pass over all codelets.
        shortest: moduli have more bits than these.
    """

    def __init__(self, spec: Spec, shortest: int = 0) -> None:
        self.spec, self.shortest = spec, shortest
        self.target: Target = spec.target
        self.host: Target = host_of(self.target)
        self.arith: Arith = replace(spec.arith, half_products=self.target.half_products)
        self.trace = Trace()
        self.functions: dict[str, Function] = {}
        self.statics: dict[str, Static] = {}
        self.operations: Counter[str] = Counter()
        self.unroll: int = spec.options.unroll or 0
        self.rules = spec.options.rule_choices()
        self.own: Mapping[str, str] = {}
        self._known: dict[object, str] = {}
        self._lowered: dict[tuple[int, str], tuple[Block, Block]] = {}  # with the block, so that its id stays its own
        self._procedures: dict[str, Procedures] = {}
        self._names = count()

    def prefer(self, choices: Mapping[str, str]) -> None:
        """Take ``choices`` for the target's own code where the specification does not say otherwise."""
        self.own, self.unroll = choices, self.unroll or int(choices.get("unroll", 0))

    def put(self, function: Function) -> str:
        """Add ``function`` and return its name."""
        self.functions[function.name] = function
        return function.name

    def static(self, static: Static) -> Expr:
        """Words that functions read."""
        self.statics[static.name.text] = static
        return static.name

    def literal(self, value: int) -> Expr:
        """A number as long as a residue."""
        name = Name({0: "literal_zero", 1: "literal_one"}.get(value, "only"), Type.INPUT)
        word = self.arith.word
        return self.static(Static(name, [value >> word * i & (1 << word) - 1 for i in range(self.arith.words)]))

    def call(self, name: str, *args: Operand) -> Call:
        """A call of a function that is written already, or is now: a scalar function, or one in text."""
        if name not in self.functions:
            self.write(name)
        return self.functions[name](*args)

    def write(self, name: str, called: str = "", **given: object) -> str:
        """Add the scalar function or the function in text that is called so; its name.

        Args:
            called: its name, where several have the same text. given: what the text knows beside :attr:`given`.
        """
        own, text = {**self.given, **given}, texts()[name].get("scalar")
        return self.put(self._scalar(name, text) if text else function(name, self.call, own, called))

    @cached_property
    def given(self) -> dict[str, object]:
        """What functions in text know of the program."""
        arith, spec = self.arith, self.spec
        limit = "" if arith.modulus else f"q > {1 + spec.odd}, "
        return {
            "residue": arith.words, "word": arith.word, "bits": arith.bits, "held": arith.held,
            "free": arith.held - arith.bits, "literal": lambda value: self.literal(value.value),
            "baked": arith.modulus, "odd": int(spec.odd),
            "moduli": limit + self.moduli, "shortest": self.shortest, "steps": (-(-arith.held // 3) - 1).bit_length(),
            "above": int(0 < self.shortest < (arith.words - 1) * arith.word),
            "by_words": int(arith.words == 1 and "div" in self.host.ops), "order": spec.order_of_root,
            "factor": self._factor, "factor_bits": spec.coset.bit_length(),
            "log_order": spec.order_of_root.bit_length() - 1,
        }  # fmt: skip

    def _factor(self) -> Expr:
        """The number that moves roots of unity to a coset."""
        word, coset = self.arith.word, self.spec.coset
        found = [coset >> at & (1 << word) - 1 for at in range(0, coset.bit_length(), word)]
        return self.static(Static(Name("coset_factor", Type.INPUT), found))

    def _scalar(self, name: str, text: str) -> Function:
        """z = f(a, b) with c = [q, 1/q mod R] or [q, floor(R^2 / q)]."""
        arith = replace(self.arith, modulus=0)
        count, word = arith.words, self.host.word
        places = {"a": (A, 0), "b": (B, 0), "q": (C, 0), "qi": (C, count), "m0": (C, count), "m1": (C, 2 * count)}
        block = self.on_words(scalar(text, arith), self.host)
        results = words(block.outputs["z"], word, count)
        read = {id(a) for instr in block.instrs for a in instr.args} | {id(value) for value in results}
        f = Function(name, (Z, A, B, C))
        for key, (pointer, offset) in places.items():
            if key in block.inputs:
                values = words(block.inputs[key], word, count)
                f.load(key, [v if id(v) in read else const(0) for v in values], pointer, offset)
        f.run(block)
        f.store(results, Z)
        return f

    def named(self, key: object, prefix: str) -> tuple[str, bool]:
        """The name for what ``key`` describes, counted from ``prefix``, and whether it is new."""
        new = key not in self._known
        if new:
            taken = sum(name.startswith(f"{prefix}_") for name in self._known.values())
            self._known[key] = f"{prefix}_{taken}"
        return self._known[key], new

    def lower(self, block: Block, target: Target) -> Block:
        """``block`` on words; one codelet is lowered once for all passes that share it."""
        key = (id(block), target.name)
        if key not in self._lowered:
            plain = reduced(block, target, self.trace)
            lowered = self.on_words(plain, target, self.trace)
            self._lowered[key] = block, lowered
            check_length(self.spec, len(lowered.instrs), target.codelet)
            self.operations += lowered.counts()
        return self._lowered[key][1]

    def on_words(self, block: Block, target: Target, trace: Trace | None = None) -> Block:
        """``block`` on words, with calls where its products are long."""
        made, choices = self.procedures(target), tuple(self._choices(target).items())
        return made.lower(block, trace) if made.serve(block) else lower(block, target, trace, choices=choices)

    def procedures(self, target: Target) -> Procedures:
        """What all blocks of the program on ``target`` share."""
        if target.name not in self._procedures:
            self._procedures[target.name] = procedures(target, self._choices(target), self._names)
        return self._procedures[target.name]

    def _choices(self, target: Target) -> dict[str, str]:
        """The alternatives of the rule table that ``target`` takes: what is asked for beside the machine's own."""
        host = {k: v for k, v in self.rules.items() if k not in MACHINE}
        return {**self.own, **self.rules} if target is self.target else host

    def program(
        self, *, setup: str, run: str, kept: Sequence[Field], beside: Sequence[Field] = (), room: Sequence[Field] = (),
        stride: int = 0, gives: int = 0, phases: int = 0,
    ) -> Program:  # fmt: skip
        """All that was written, as a program."""
        vectors, words = (self.procedures(target).made for target in (self.target, self.host))
        made = vectors, [] if self.host is self.target else words
        rounds = any(self.operations[op] for op in DOUBLE_OPS)
        given = setup, run, kept, beside, room, stride, gives or stride
        return Program(self.functions, self.statics, made, *given, rounds=rounds, phases=phases)

    @property
    def moduli(self) -> str:
        """The moduli that one program serves, in words."""
        return f"every odd q from 2^{self.shortest} to 2^{self.arith.bits}" if self.shortest else self.spec.moduli


class PartWriter(ProgramWriter):
    """As :class:`ProgramWriter`; what all parts use is written, and counted, ``beside``.

    Attributes:
        name: what the names of the part's functions begin with; "" where there is but one part.
    """

    def __init__(self, spec: Spec, beside: ProgramWriter, name: str = "") -> None:
        super().__init__(spec)
        self.beside, self.name = beside, name
        self.trace, self.operations = beside.trace, beside.operations
        self.functions, self.statics = beside.functions, beside.statics

    def put(self, function: Function) -> str:
        function.name = self.name + function.name
        return self.beside.put(function)

    def call(self, name: str, *args: Operand) -> Call:
        """A call of the part's function ``name``, or of one that all share."""
        own = self.name + name
        return self.beside.call(own if own in self.functions else name, *args)


def host_of(target: Target) -> Target:
    """The target of scalar code: the target itself if it has no vectors; one lane of a host that has."""
    found = target.host_target
    host = target if found is target else check_host(target, found)
    return replace(host, requested="", lanes=1, digit=0, real=0) if target.host and host.lanes > 1 else host
