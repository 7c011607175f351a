"""Who takes part in a figure: kernels of targets, timed where this CPU runs them, else counted; and libraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from momagen.bench.measure.baselines import LIBRARIES, load_baseline
from momagen.bench.measure.machine import families
from momagen.bench.suite.grid import Grid, Race
from momagen.bench.suite.sweep import SweepEntry, generated, reason, yardstick
from momagen.bench.x86.work import Work, work
from momagen.emit import generate
from momagen.errors import MomagenError, among
from momagen.isa.compare.workload import targets_named
from momagen.kinds.modular.make_spec import make_spec, with_options
from momagen.kinds.modular.spec import Spec
from momagen.runtime import Compiler, missing_features
from momagen.targets import Target

TIERS = ("c", "avx2_words", "avx2", "avx512dq", "avx512", "avx512ifma", "mqx:proxy")
"""Scalar code, what CPUs have, and what the paper proposes; its AVX2 and AVX-512 are avx2_words and avx512dq."""
BASELINES = ("gmp_mpz", "openfhe")
"""The paper's."""


@dataclass(frozen=True)
class Tier:
    """A target with options of its kernels; ``name`` is what tables call it."""

    target: Target
    options: Mapping[str, str] = field(default_factory=dict)
    title: str = ""

    @property
    def name(self) -> str:
        """The title, or the target's name."""
        return self.title or str(self.target)

    @property
    def projected(self) -> bool:
        """Whether proxies stand for instructions that no CPU has."""
        return self.target.proxy

    @property
    def lacking(self) -> list[str]:
        """Those of its features that this CPU lacks."""
        return missing_features(self.target.features)

    def spec(self, spec: Spec) -> Spec:
        """The same kernel on this tier."""
        own = make_spec(
            spec.kind, n=spec.n, modulus=spec.modulus, root=spec.root if spec.n else None, target=self.target
        )
        return with_options(own, self.options)


@dataclass(frozen=True)
class FigureEntry:
    """A tier or a library in one race.

    Attributes:
        entry: its calls, none where it is not timed here, and its output. work: instructions by class, where counted.
        note: what is to be known; where there is neither time nor count, why.
    """

    name: str
    entry: SweepEntry = field(default_factory=SweepEntry)
    projected: bool = False
    work: Work | None = None
    note: str = ""


def tier_named(name: str) -> Tier:
    """The tier of a target without options; for a target that proposes instructions, its proxy build."""
    (target,) = targets_named([name])
    return Tier(target.timed_build)


def tiers_of(names: Sequence[str | Tier]) -> list[Tier]:
    """Return the tiers ``names``; for a target that proposes instructions, its proxy build, which can be timed.

    Raises:
        MomagenError: a target is unknown, or two tiers have the same name.
    """
    found = [tier if isinstance(tier, Tier) else tier_named(tier) for tier in names]
    titles = [tier.name for tier in found]
    if twice := [title for title in titles if titles.count(title) > 1]:
        raise MomagenError("tiers with different names", f"{twice[0]} twice", "tiers")
    return found


def contestant(race: Race, tier: Tier, compiler: Compiler, *, timed: bool = True, counted: bool = True) -> FigureEntry:
    """The kernel of a race on ``tier``: with calls where it is to be ``timed`` and this CPU has its features, with
    counts where ``counted`` asks for them or there are no calls.

    A proxy build's output is wrong by design and is not compared.
    """
    found, runs = FigureEntry(tier.name, projected=tier.projected), timed and not tier.lacking
    try:
        own = tier.spec(race.spec)
        if runs:
            grid = Grid(floors=False, choose=partial(with_options, options=tier.options))
            entry = generated(race, tier.target, compiler, grid)
            found = replace(found, entry=replace(entry, output=None) if tier.projected else entry)
        options = ", ".join(own.options.phrases())
        lacking = f"no {', '.join(tier.lacking)} here" if tier.lacking else ""
        found = replace(found, note="; ".join(filter(None, [lacking, options])))
        if counted or not runs:
            found = replace(found, work=work(generate(own), compiler, 1 if race.spec.n else race.n))
    except MomagenError as error:
        found = replace(found, note="; ".join(filter(None, [found.note, reason(error)])))
    return found


def library(race: Race, name: str, compiler: Compiler) -> FigureEntry:
    """A baseline, called by its title; one that does not offer the kernel has no calls."""
    title = LIBRARIES[name].title
    try:
        entry = yardstick(race, name, linking(compiler))
    except MomagenError as error:
        return FigureEntry(title, SweepEntry(baseline=True), note=reason(error))
    return FigureEntry(title, entry, note=entry.note)


def linking(compiler: Compiler) -> Compiler:
    """The compiler for what is linked with the system's libraries, which zig's does not find."""
    return compiler if compiler.kind != "zig" else next(iter(families().values()), compiler)


def absent(names: Sequence[str], compiler: Compiler) -> dict[str, str]:
    """Return, for each baseline that is not installed, a line that says why.

    Raises:
        MomagenError: a baseline is unknown.
    """
    found: dict[str, str] = {}
    for name in names:
        if name not in LIBRARIES:
            raise among("one of the baselines", LIBRARIES, name, "baselines")
        try:
            load_baseline(name, linking(compiler))
        except MomagenError as error:
            root = LIBRARIES[name].root
            told = f"; set {root}=PREFIX to its installation prefix" if root else ""
            found[name] = f"{LIBRARIES[name].title} was not found ({reason(error)}){told}"
    return found
