"""The writer of one program, which lowers its codelets and collects its functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import count

from momagen.ir import DOUBLE_OPS, Block, const, words
from momagen.kernels.elementwise.scalars import scalar
from momagen.kernels.residues.arith import Arith
from momagen.kinds.modular.options.values import MACHINE
from momagen.kinds.modular.parameters import SharedParameters
from momagen.kinds.modular.spec import Spec
from momagen.kinds.parameter import parameters_of
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
    """A collection of the functions of one program, in which equal functions are written once.

    Attributes:
        spec: The specification of the kernel.
        shortest: The number of bits that all moduli exceed, or 0 if there is no such limit.
        target: The target of vector code.
        host: The target of scalar code.
        arith: The arithmetic modulo q on words.
        trace: The rules that were applied.
        functions: The functions by name.
        statics: The arrays of constants by name.
        operations: The number of operations in all codelets together, by operation.
        unroll: The number of copies of loop bodies that the compiler should make, or 0 to let it decide.
        rules: The alternatives of the rule table that the specification selects.
        own: The alternatives that the kernel prefers, which ``rules`` overrides.
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
        self._lowered: dict[tuple[int, str], tuple[Block, Block]] = {}  # keeps blocks alive, so that ids stay unique
        self._procedures: dict[str, Procedures] = {}
        self._names = count()

    def prefer(self, choices: Mapping[str, str]) -> None:
        """Use ``choices`` for code of the target, unless the specification selects other alternatives."""
        self.own, self.unroll = choices, self.unroll or int(choices.get("unroll", 0))

    def target_of(self, lanes: int) -> Target:
        """Return the target of code for ``lanes`` residues at once, which is the host for a single one."""
        return self.target if lanes > 1 else self.host

    def put(self, function: Function) -> str:
        """Add ``function`` and return its name."""
        self.functions[function.name] = function
        return function.name

    def static(self, static: Static) -> Expr:
        """Add an array of constants and return the expression that reads it."""
        self.statics[static.name.text] = static
        return static.name

    def literal(self, value: int) -> Expr:
        """Return an array of constants that represents ``value`` in the words of a residue."""
        name = Name({0: "literal_zero", 1: "literal_one"}.get(value, "only"), Type.INPUT)
        word = self.arith.word
        return self.static(Static(name, [value >> word * i & (1 << word) - 1 for i in range(self.arith.words)]))

    def call(self, name: str, *args: Operand) -> Call:
        """Return a call of a function, which is written now if it does not exist yet.

        Args:
            name: The name of a function that was added, or of a row of the files of
                :mod:`momagen.program.notation`.
            args: The arguments.
        """
        if name not in self.functions:
            self.write(name)
        return self.functions[name](*args)

    def write(self, name: str, called: str = "", **given: object) -> str:
        """Add a function that is written as text, or a scalar function, and return its name.

        Args:
            name: The name of its row in the files of :mod:`momagen.program.notation`.
            called: The name of the function, if it is not ``name``, so that several functions may have the
                same text.
            given: The values that the text uses in addition to :attr:`given`.
        """
        own, text = {**self.given, **given}, texts()[name].get("scalar")
        return self.put(self._scalar(name, text) if text else function(name, self.call, own, called))

    @cached_property
    def given(self) -> dict[str, object]:
        """The values of the program that the texts of functions use, by name."""
        arith, spec = self.arith, self.spec
        limit = "" if arith.modulus else f"q > {1 + spec.odd}, "
        return {
            "residue": arith.words, "word": arith.word, "bits": arith.bits, "held": arith.held,
            "free": arith.held - arith.bits, "literal": lambda value: self.literal(value.value),
            "baked": arith.modulus, "odd": int(spec.odd),
            "moduli": limit + self.moduli, "shortest": self.shortest, "steps": (-(-arith.held // 3) - 1).bit_length(),
            "above": int(0 < self.shortest < (arith.words - 1) * arith.word),
            "by_words": int(arith.words == 1 and "div" in self.host.ops), "order": spec.order_of_root,
            "log_order": spec.order_of_root.bit_length() - 1, **dict(self._parameters()),
        }  # fmt: skip

    def _parameters(self) -> Iterator[tuple[str, object]]:
        """Yield, for each declared number, the number of its bits, and the function that returns its words."""
        for each in parameters_of(SharedParameters).values():
            if each.type is int:
                value = getattr(self.spec, each.field)
                yield f"{each.field}_bits", value.bit_length()
                yield f"{each.field}_words", partial(self._words, each.field, value)

    def _words(self, name: str, value: int) -> Expr:
        """Return a number that may exceed the modulus as an array of constants."""
        word = self.arith.word
        found = [value >> at & (1 << word) - 1 for at in range(0, value.bit_length(), word)]
        return self.static(Static(Name(f"{name}_factor", Type.INPUT), found))

    def _scalar(self, name: str, text: str) -> Function:
        """Return the function z = f(a, b) with c = [q, 1/q mod R] or [q, floor(R^2 / q)]."""
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
        """Return the name of the function that ``key`` describes, and whether the name is new.

        Args:
            key: All properties that distinguish the function from others.
            prefix: The beginning of the name, which an underscore and a number follow.
        """
        new = key not in self._known
        if new:
            taken = sum(name.startswith(f"{prefix}_") for name in self._known.values())
            self._known[key] = f"{prefix}_{taken}"
        return self._known[key], new

    def lower(self, block: Block, target: Target) -> Block:
        """Return ``block`` on words of ``target``; a codelet is lowered once for all passes that share it.

        Raises:
            MomagenError: The codelet is too long for the requested radix.
        """
        key = (id(block), target.name)
        if key not in self._lowered:
            plain = reduced(block, target, self.trace)
            lowered = self.on_words(plain, target, self.trace)
            self._lowered[key] = block, lowered
            check_length(self.spec, len(lowered.instrs), target.codelet)
            self.operations += lowered.counts()
        return self._lowered[key][1]

    def on_words(self, block: Block, target: Target, trace: Trace | None = None) -> Block:
        """Return ``block`` on words of ``target``, with calls of procedures if its products are long."""
        made, choices = self.procedures(target), tuple(self._choices(target).items())
        return made.lower(block, trace) if made.serve(block) else lower(block, target, trace, choices=choices)

    def procedures(self, target: Target) -> Procedures:
        """Return the procedures on ``target`` that all blocks of the program share."""
        if target.name not in self._procedures:
            self._procedures[target.name] = procedures(target, self._choices(target), self._names)
        return self._procedures[target.name]

    def _choices(self, target: Target) -> dict[str, str]:
        """Return the alternatives of the rule table for ``target``.

        Alternatives that concern vector code only apply to the target of vectors.
        """
        host = {k: v for k, v in self.rules.items() if k not in MACHINE}
        return {**self.own, **self.rules} if target is self.target else host

    def program(
        self, *, setup: str, run: str, kept: Sequence[Field], beside: Sequence[Field] = (), room: Sequence[Field] = (),
        stride: int = 0, gives: int = 0, phases: int = 0,
    ) -> Program:  # fmt: skip
        """Return the program of all functions that were written.

        Args:
            setup: The name of the function that computes the plan constants.
            run: The name of the function that computes one transform or product.
            kept: The arrays of plan constants.
            beside: The scratch arrays of ``setup``.
            room: The scratch arrays of a call.
            stride: The number of words from one transform or product to the next in operands, or 0 if ``run``
                takes n.
            gives: The same number for the result, or 0 if it is ``stride``.
            phases: The number of phases of a transform that several threads execute together, or 0.
        """
        vectors, words = (self.procedures(target).made for target in (self.target, self.host))
        made = vectors, [] if self.host is self.target else words
        rounds = any(self.operations[op] for op in DOUBLE_OPS)
        given = setup, run, kept, beside, room, stride, gives or stride
        scheduled = str(self.spec.kind) in self.target.scheduled
        return Program(self.functions, self.statics, made, *given, rounds=rounds, phases=phases, scheduled=scheduled)

    @property
    def moduli(self) -> str:
        """A description of the moduli that one program serves."""
        return f"every odd q from 2^{self.shortest} to 2^{self.arith.bits}" if self.shortest else self.spec.moduli


class PartWriter(ProgramWriter):
    """A writer for one part of a program, such as one of its transforms.

    Attributes:
        beside: The writer of the program, to which all functions are added.
        name: The prefix of the names of the part's functions, or "" if there is only one part.
    """

    def __init__(self, spec: Spec, beside: ProgramWriter, name: str = "") -> None:
        super().__init__(spec)
        self.beside, self.name = beside, name
        self.trace, self.operations = beside.trace, beside.operations
        self.functions, self.statics = beside.functions, beside.statics

    def put(self, function: Function) -> str:
        """Add ``function`` under a name with the prefix of the part, and return this name."""
        function.name = self.name + function.name
        return self.beside.put(function)

    def call(self, name: str, *args: Operand) -> Call:
        """Return a call of the part's function ``name`` or, if the part has none, of the program's function."""
        own = self.name + name
        return self.beside.call(own if own in self.functions else name, *args)


def host_of(target: Target) -> Target:
    """Return the target of scalar code.

    It is the target that the key ``host`` names, with one lane, or the target itself if it has no such key.

    Raises:
        MomagenError: The host has another language or another word size.
    """
    found = target.host_target
    host = target if found is target else check_host(target, found)
    return replace(host, requested="", lanes=1, digit=0, real=0) if target.host and host.lanes > 1 else host
