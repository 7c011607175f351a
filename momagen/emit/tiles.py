"""The files of a transform in tiles: digits with slack inside, words of the user outside."""

from __future__ import annotations

from collections.abc import Sequence

from momagen.ir import Block, Builder, Value, dead_code
from momagen.kernels.free import FreeArith, cooley_tukey, finish, gentleman_sande, lift, scaled
from momagen.kernels.lanes import move
from momagen.kernels.spec import Spec
from momagen.kernels.stage import inverse_places, user_places
from momagen.kernels.tiles import Tiles, fits, tiles
from momagen.lower import lower_digits
from momagen.targets import load_target

from .body import Body, bare_body, moved_body
from .c import BodyText, Place
from .digits import to_digits, to_words
from .ntt import ends, files, title
from .source import Source, Writer

Lines = dict[str, list[str]]
"""The statements of one loop body, and of what stands before the loop."""


class TileWriter(Writer):
    """Collects the loop bodies of one transform; vectors hold digits, the scalar functions words."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        target = self.target
        self.inner = FreeArith(self.arith.bits, target.digit, lane=target.word, levels=spec.n.bit_length() - 1)
        self.plan: Tiles = tiles(spec.n, target.lanes)

    @property
    def moduli(self) -> str:
        return f"every odd prime q from 2^{self.inner.cut + 1} to 2^{self.inner.bits}"

    def top_check(self) -> str:
        at, offset = divmod(self.inner.cut + 1, 64)
        longer = " || ".join([f"q[{at}] >> {offset}", *(f"q[{i}]" for i in range(at + 1, self.arith.words))])
        return f"{super().top_check()} && ({longer})"

    def bodies(self) -> dict[str, Lines]:
        """All bodies that the template puts into loops."""
        a, inverse = self.inner, self.spec.inverse
        level = gentleman_sande if inverse else cooley_tukey
        parts = {
            "shared": self.level(level(a), shared=True), "apart": self.level(level(a), shared=False),
            "begin": self.begin(lift(a, 0 if inverse else a.offset)), "end": self.end(finish(a, inverse)),
            "turn": self.turn(), "split": self.interleave(coming=True), "weave": self.interleave(coming=False),
        }  # fmt: skip
        return {**parts, "end_scaled": self.end(scaled(a))} if inverse else parts

    def _digits(self, block: Block) -> Block:
        lowered = lower_digits(block, self.target, self.trace)
        self.operations += lowered.counts()
        return lowered

    def _constants(self, text: BodyText, body: Body, entry: int, shared: bool) -> Lines:
        """q and µ from c, the twiddle from tw; where it is one for all lanes it is broadcast."""
        words, count, lanes = self.arith.words, self.inner.words, self.target.lanes
        places = {
            "q": Place("c", 3 * words, 1, True), "mu": Place("c", 3 * words + count, 1, True),
            "v": Place("tw", 0, 1 if shared else lanes, shared),
            "u": Place("tw", count * (1 if shared else lanes), 1 if shared else lanes, shared),
        }  # fmt: skip
        found: Lines = {"constants": [], "twiddles": []}
        for key in sorted(body.others):
            into = found["twiddles" if key in "vu" else "constants"]
            into += text.load(key, body.others[key], places[key])
        return found

    def level(self, block: Block, shared: bool) -> Lines:
        """A butterfly on vectors of digits at x and y."""
        text, lanes = BodyText(self.target, self.chains), self.target.lanes
        body = bare_body(self._digits(block), "xy", "XY", self.inner.words, self.target.digit)
        lines = self._constants(text, body, 0, shared)
        lines["lines"] = [line for i, leg in enumerate("xy") for line in text.load(leg, body.loads[i], Place(leg, 0, lanes))]
        lines["lines"] += text.instructions(body.block)
        lines["lines"] += [line for i, leg in enumerate("xy") for line in text.store(body.stores[i], Place(leg, 0, lanes))]
        return lines

    def begin(self, block: Block) -> Lines:
        """Words at x to lifted digits at y."""
        return self._moved(
            block, lambda b, grid: [to_digits(b, row, self.target.word, self.target.digit, self.inner.words) for row in grid],
            lambda b, grid: grid, self.arith.words,
        )

    def end(self, block: Block) -> Lines:
        """Digits at x to reduced words at y."""
        return self._moved(
            block, lambda b, grid: grid,
            lambda b, grid: [to_words(b, row, self.target.word, self.target.digit, self.arith.words) for row in grid],
            self.inner.words,
        )

    def _moved(self, block: Block, arrive: object, leave: object, count: int) -> Lines:
        text, lanes = BodyText(self.target, self.chains), self.target.lanes
        bare = bare_body(self._digits(block), "x", "X", self.inner.words, self.target.digit)
        body = moved_body(bare, self.target.word, arrive, leave, count)  # type: ignore[arg-type]
        lines = self._constants(text, body, 0, True)
        lines["lines"] = list(text.load("x", body.loads[0], Place("x", 0, lanes)))
        lines["lines"] += text.instructions(body.block)
        lines["lines"] += text.store(body.stores[0], Place("y", 0, lanes))
        return lines

    def turn(self) -> Lines:
        """Word 0 of ``lanes`` vectors at x, ``step`` apart: lane l of vector j becomes lane j of vector l."""
        lanes = self.target.lanes
        places = [[(lane, row) for lane in range(lanes)] for row in range(lanes)]
        names = [f"x + {i} * step" for i in range(lanes)]
        return {"lines": self._shuffled(names, names, [0] * lanes, [0] * lanes, places)}

    def interleave(self, coming: bool) -> Lines:
        """``lanes`` residues one after another at x to one vector per word at y (``coming``), or back."""
        words, lanes = self.arith.words, self.target.lanes
        places = user_places(words, lanes)
        offsets = [w * lanes for w in range(words)]
        return {"lines": self._shuffled(["x"] * words, ["y"] * words, offsets, offsets, places if coming else inverse_places(places))}

    def _shuffled(self, sources: Sequence[str], goals: Sequence[str], from_: Sequence[int], to: Sequence[int], places: list[list[tuple[int, int]]]) -> list[str]:  # type: ignore[type-arg]
        b, text = Builder(), BodyText(self.target, self.chains)
        raw: list[Value] = [b.input(f"r{i}", 0, (1 << self.target.word) - 1) for i in range(len(sources))]
        moved = move(b, raw, places)
        b.block.outputs = {str(i): v for i, v in enumerate(moved)}
        lines = [line for i, v in enumerate(raw) for line in text.load(f"r{i}", [v], Place(sources[i], from_[i]))]
        lines += text.instructions(dead_code(b.block))
        return lines + [line for i, v in enumerate(moved) for line in text.store([v], Place(goals[i], to[i]))]


class TileTransforms:
    """What the templates ask of a transform in tiles."""

    def __init__(self, writer: TileWriter) -> None:
        self.writer = writer

    def needs(self) -> list[str]:
        return ["mont", "add", "newton", "quot", *["half"] * self.writer.spec.inverse]

    def numbers(self) -> dict[str, object]:
        spec, a, plan = self.writer.spec, self.writer.inner, self.writer.plan
        log_n, offset = spec.n.bit_length() - 1, 0
        passes = []
        for one in plan.columns:
            passes.append({"offset": offset, "blocks": one.blocks, "rows": one.rows, "stride": one.stride, "depth": one.depth})
            offset += one.entries() * a.twiddle_words
        last = {"offset": offset, "blocks": plan.rows.blocks, "depth": plan.rows.depth}
        index = "(nodes + number)" if spec.negacyclic else "number"
        expansions = -(-max(a.held, a.cut + a.word) // self.writer.arith.held)
        return {
            "n": spec.n, "log_n": log_n, "inverse": spec.inverse, "powers": spec.order_of_root // 2,
            "exponent": f"reversed({index}, {log_n - 1 + spec.negacyclic})", "log_order": log_n + spec.negacyclic,
            "order_of_root": spec.order_of_root, "ring": f"x^{spec.n} {'+' if spec.negacyclic else '-'} 1",
            "entry": 0, "table_words": offset + plan.rows.entries() * a.twiddle_words, "transforms": [], "columns": passes, "last": last,
            "lanes": plan.lanes, "digits": a.words, "digit": a.word, "most_rows": max([p.rows for p in plan.columns] + [plan.lanes]),
            "log_lanes": plan.lanes.bit_length() - 1, "expansions": expansions,
            "fraction": expansions * self.writer.arith.held - a.held,
            "mu_shift": expansions * self.writer.arith.held - a.cut - a.word, "bodies": self.writer.bodies(),
        }  # fmt: skip


TAKEN = frozenset({"algorithm", "bake", "radix", "reduction", "multiply", "compare"})
"""Options that ask for another way."""


def tiled(spec: Spec) -> bool:
    """Whether the transform goes by tiles: the target has digits, n fills a tile, and nothing else was asked for."""
    target = load_target(spec.target)
    return bool(target.digit) and fits(spec.n, target.lanes) and spec.order == "bitrev" and not TAKEN & set(spec.options)


def tiled_source(spec: Spec) -> Source:
    """The C file and header of the transform that ``spec`` asks for, on the target's digits."""
    writer = TileWriter(spec)
    transforms = TileTransforms(writer)
    return files("tiles", title(spec), transforms, writer.target.lanes, ends(spec))  # type: ignore[arg-type]
