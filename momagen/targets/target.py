"""A target: the operations that a machine has, and the spelling of each, as data that ``read`` reads from a file."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from momagen.errors import among, build_error
from momagen.languages import LANGUAGES, MachineModel
from momagen.lazy import on_call
from momagen.rewrite.engine.accumulate import FUSED

from .check import LAYOUTS
from .fields import TargetFields
from .memory import Memory
from .permutes import spell
from .spelling import Spelling

DIGIT_OPS = frozenset({
    "plus", "minus", "umin", "umax", "sar", "sal", "clear", "negative", "bit", "low", "select", "word", "shr",
})  # fmt: skip
"""The operations that have the same meaning on reduced-radix limbs as on words."""
ALWAYS = ("carry", "select")
"""The preludes of every kernel, because hand-written functions use them, too."""
MANY = 32
"""The number of registers from which on scheduled code with early loads is faster. With fewer registers it spills."""
PROXY = ":proxy"
"""The text after a target's name that selects its proxy build."""
_load: Callable[[str], Target] = on_call("momagen.targets.read", "load_target")


@dataclass(frozen=True, eq=False)
class Target(TargetFields):
    """A machine for which kernels are generated.

    Targets are compared by identity. A pickled target is the text by which it was requested, so that a process that
    reads it loads the target.
    """

    def __str__(self) -> str:
        """Return the text by which the target was requested, or its name if it was not loaded as it is."""
        return self.requested or self.name

    def __repr__(self) -> str:
        return f"<target {self}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Return how ``pickle`` restores the target: by loading it, unless it was not loaded as it is."""
        return (_reloaded, (self.requested,)) if self.requested else super().__reduce__()

    @property
    def untuned(self) -> str:
        """The text by which the target is requested without a core family."""
        own, _, variant = str(self).rpartition(":")
        return own if variant in self.cores else str(self)

    def _related(self, name: str) -> Target:
        """Return the target ``name``, or this one for "".

        Raises:
            MomagenError: There is no such target, or its file is invalid.
        """
        return _load(name) if name else self

    @property
    def content(self) -> str:
        """All fields other than ``requested`` as a text, from which digests are computed."""
        return TargetFields.__repr__(self)

    @property
    def many_registers(self) -> bool:
        """Whether there are enough registers for early loads and interleaved code."""
        return self.registers >= MANY

    @property
    def host_target(self) -> Target:
        """The target of the key ``host``, or this one if it is its own host."""
        return self._related(self.host if self.host != self.name else "")

    @property
    def inside_target(self) -> Target:
        """The target of the key ``inside``, or this one if the key is missing."""
        return self._related(self.inside)

    @property
    def rows_target(self) -> Target:
        """The target of the key ``rows``, or this one if the key is missing."""
        return self._related(self.rows)

    @property
    def timed_build(self) -> Target:
        """The build that is counted and timed: for a target with proposed instructions, its proxy build."""
        return self._related(f"{self}{PROXY}" if self.instructions and not self.proxy else "")

    def of_width(self, bits: int) -> Target:
        """Return the target whose words hold residues of ``bits`` bits.

        It is this target, or, for residues that need several of its words, the one of the key ``several``.
        """
        return self._related(self.several if bits > self.word else "")

    def narrower(self, bits: int, layout: str = "") -> Target:
        """Return the target whose words fit moduli of ``bits`` bits: this one, or one with shorter words.

        Args:
            bits: The bit length of the modulus.
            layout: The words of users' arrays, one of :data:`LAYOUTS`; "": the shortest words that hold a residue with
                one bit to spare, if a register then holds more residues.

        Raises:
            MomagenError: The target does not support the layout at this width.
        """
        words = {self.word: "", **{LAYOUTS[each]: name for each, name in self.layouts.items()}}
        if not layout:
            able = (self._related(name) for word, name in sorted(words.items()) if bits < word)
            return next((other for other in able if other.lanes > self.lanes), self)
        return self._related(words[self._checked_layout(words, bits, layout)])

    def _checked_layout(self, words: Collection[int], bits: int, layout: str) -> int:
        """Return the width of the words of ``layout``, one of ``words``.

        Raises:
            MomagenError: The target does not support the layout for moduli of ``bits`` bits.
        """
        known = [text for text, word in LAYOUTS.items() if word in words and (bits <= word or word == self.word)]
        if layout in known:
            return LAYOUTS[layout]
        if layout not in LAYOUTS:
            raise among("one of the layouts", known, layout, "layout")
        problem = f'`layout="{layout}"` is not available for a modulus of {bits} bits on `{self}`'
        raise build_error(problem, "layout", f"use {' or '.join(known)}" if known else "leave it out")

    @property
    def first(self) -> Memory:
        """The nearest memory."""
        return self.memory[0]

    @property
    def second(self) -> Memory:
        """The memory after the nearest one, or the nearest one if it is the only one."""
        return self.memory[min(1, len(self.memory) - 1)]

    def radix_for(self, words: int) -> int:
        """Return the radix that the target states for residues of ``words`` words, or 0 if it states none."""
        return min(((int(most), radix) for most, radix in self.radix.items() if words <= int(most)), default=(0, 0))[1]

    def legal(self, op: str, width: int) -> bool:
        """Return whether the machine spells ``op`` on words of ``width`` bits."""
        return width == self.word and op in self.ops

    def on_digits(self, op: str) -> bool:
        """Return whether the machine has ``op`` on reduced-radix limbs; half products are spelled as multiply-adds."""
        fused = FUSED.get(op)
        return fused in self.ops if fused else op in DIGIT_OPS and op in self.ops

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """The sort key of targets, best first: more lanes, more CPU features, wider words, more operations."""
        return -self.lanes, -len(self.features), -self.word, -len(self.ops)

    @property
    def proxy(self) -> bool:
        """Whether proxies replace proposed instructions, so that results are incorrect by design."""
        return self.results == "wrong"

    @property
    def vector(self) -> bool:
        """Whether the machine has vectors."""
        return self.lanes > 1

    @property
    def machine(self) -> MachineModel:
        """How the machine computes; to a machine that computes modulo q, no rule applies."""
        return LANGUAGES[self.syntax].machine

    @property
    def chains_products(self) -> bool:
        """Whether products of words are added with a carry in and out, so that sums of products are carry chains."""
        return {"mad_low", "mad_high"} <= set(self.ops)

    @property
    def links(self) -> bool:
        """Whether carry chains are printed link by link, as the rows of operations define them."""
        return self.chains_products and bool(self.carries)

    @property
    def half_products(self) -> bool:
        """Whether high products of words are computed from half words."""
        return not self.legal("mulhi", self.word)

    @property
    def copies(self) -> int:
        """The number of copies of a word in a table whose entries are broadcast to all lanes."""
        return 1 + ("broadcast_twice" in self.moves)

    @property
    def loads_halves(self) -> bool:
        """Whether the halves of a register can be loaded from, and stored to, two addresses."""
        return {"halves", "store_low", "store_high"} <= set(self.moves)

    def moving(self, lanes: tuple[int, ...]) -> tuple[int, str]:
        """Return the cost and the text of a permutation of lanes by the target's own moves.

        A target without such moves returns 2 and "".
        """
        pairs, any_move = self.moves.get("pairs", ""), self.moves.get("shuffle", "")
        alone = "perm2" in self.ops
        cost, text = spell(lanes, tuple(self.permutes.values()), pairs, deep=not alone, other=any_move)
        return (cost, text) if text else (2, "")

    def cost(self, lanes: tuple[int, ...]) -> int:
        """Return the cost of a permutation of lanes."""
        return self.moving(lanes)[0] if self.permutes else 2

    def spelling(self, op: str, lanes: tuple[int, ...] = ()) -> Spelling:
        """Return the spelling of ``op``; the target's own moves spell a permutation of ``lanes`` if they can."""
        text = self.moving(lanes)[1] if op == "perm2" and self.permutes else ""
        return Spelling((text,)) if text else self.ops[op]


def _reloaded(requested: str) -> Target:
    """Return the target of a pickled text."""
    return _load(requested)
