"""Prints the straight-line body of a block in a C-like syntax: a declaration per instruction, from target rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from momagen.ir import KINDS, OPS, Block, Instr, Value, leaves
from momagen.targets import Target

from .calls import Place, call_lines
from .chains import Chain, gather
from .corrections import Correction

_LETTERS = "abcdefgh"


class Printer:
    """Names the values of one block and prints its instructions.

    Attributes:
        memory: where values, by their id, stand in memory as well. read: the values whose name was asked for.
        kept: values, by their id, that go to memory as soon as they are made, and where; their readers load them.
        rows: results, by their id, from which on such loads are made anew.
    """

    def __init__(
        self, target: Target, names: Mapping[int, str], chains: set[tuple[str, int]], letter: str = "t"
    ) -> None:
        self.target, self.names, self.letter = target, dict(names), letter
        self.count = 0
        self.used: set[int] = set()
        self.chains = chains
        self.memory: dict[int, Place] = {}
        self.read: set[int] = set()
        self.kept: dict[int, Place] = {}
        self.rows: set[int] = set()

    def lines(self, block: Block) -> Iterator[str]:
        self.used = {id(a) for instr in block.instrs for a in instr.args}
        self.used |= {id(word) for value in block.outputs.values() for word in leaves(value)}
        for node in gather(block, self.target.chains) if self.target.chains else block.instrs:
            match node:
                case Chain():
                    yield from self._chain(node)
                case Correction():
                    yield from self._correction(node)
                case _:
                    yield from self._instr(node)

    def _chain(self, chain: Chain) -> Iterator[str]:
        """One call for all words: mg_add2(&s0, a0, b0, &s1, a1, b1), which returns the carry; mg_select2 takes the flag
        first."""
        names, by_flag = [], chain.op == "select"
        words = [self.name(chain.links[0].args[0])] * by_flag
        for link in chain.links:
            names.append(self.fresh())
            self.names[id(link.results[-1])] = names[-1]
            a, b = link.args[1:] if by_flag else link.args[:2]
            words.append(f"&{names[-1]}, {self.name(a)}, {self.name(b)}")
        call = f"mg_{chain.op}{len(chain.links)}({', '.join(words)});"
        self.chains.add((chain.op, len(chain.links)))
        yield f"{self.target.types['word']} {', '.join(names)};"
        if len(chain.links[-1].results) == 2:
            self.names[id(chain.links[-1].results[0])] = carry = self.fresh()
            call = f"const {self.target.types['flag']} {carry} = {call}"
        yield call

    def _correction(self, found: Correction) -> Iterator[str]:
        """One call for all words: mg_reduce2(&s0, a0, b0, &s1, a1, b1), after the carry where there is one."""
        given = [self.name(found.carry)] if found.carry else []
        names = [self.fresh() for _ in found.results]
        for name, result, words in zip(names, found.results, found.words, strict=True):
            given += [f"&{name}", *map(self.name, words)]
            self.names[id(result)] = name
        self.chains |= found.calls
        yield f"{self.target.types['word']} {', '.join(names)};"
        yield f"mg_{found.op}{len(names)}({', '.join(given)});"

    def name(self, value: Value) -> str:
        """How ``value`` is written: its variable, or the constant."""
        if value.is_const:
            return {"word": self.const, "flag": self.flag, "mask": self.mask}[value.kind](value.lo)
        self.read.add(id(value))
        return self.names[id(value)]

    def const(self, number: int) -> str:
        return self.target.types["const"].format(x=number)

    def flag(self, number: int) -> str:
        """A flag known beforehand, 0 or 1; in vectors, of every lane."""
        return self.target.types[("no", "yes")[number]] if self.target.vector else str(number)

    def mask(self, number: int) -> str:
        return self.target.types["masks"].format(x=number)

    def fresh(self) -> str:
        """A name that nothing has."""
        self.count += 1
        return f"{self.letter}{self.count}"

    def _instr(self, instr: Instr) -> Iterator[str]:
        if instr.procedure is not None:
            yield from call_lines(self, instr, instr.procedure)
            return
        if id(instr.results[0]) in self.rows:
            yield "MG_AGAIN(m); MG_AGAIN(c);"
        row = self.target.spelling(instr.op, instr.lanes)
        words = {letter: self.name(arg) for letter, arg in zip(_LETTERS, instr.args, strict=False)}
        words |= self._constants(instr)
        if row.temp:
            words["t"] = self.fresh()
            yield row.temp.format(**words)
        kinds = [KINDS[letter] for letter in OPS[instr.op].results]
        for value, kind, text in zip(instr.results, kinds, row.results, strict=True):
            if id(value) not in self.used:
                continue
            self.names[id(value)] = variable = self.fresh()
            yield f"const {self.target.types[kind]} {variable} = {text.format(**words)};"
            if id(value) in self.kept:
                pointer, at = self.kept[id(value)]
                yield self.target.moves["store"].format(p=pointer, i=at, a=variable)
                self.names[id(value)] = self.target.moves["load"].format(p=pointer, i=at)

    def _constants(self, instr: Instr) -> dict[str, str]:
        """What a row may ask for beside its arguments: the shift, a mask of bit k or of those below, the lanes."""
        words = {"k": str(instr.k), "lanes": ", ".join(map(str, instr.lanes))}
        if instr.op in ("low", "clear", "bit"):
            words["mask"] = self.const((1 << instr.k) - (instr.op != "bit"))
        if instr.lanes and "lanes" in self.target.moves:
            words["lanes"] = self.target.moves["lanes"].format(lanes=words["lanes"])
        return words
