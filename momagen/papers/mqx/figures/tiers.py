"""The contestants of a figure: kernels of targets, timed if this CPU runs them and otherwise counted; and libraries."""

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
"""Scalar code, existing extensions, and the proposed one. The paper's AVX2 and AVX-512 are avx2_words and
avx512dq."""
BASELINES = ("gmp_mpz", "openfhe")
"""The libraries of the paper."""


@dataclass(frozen=True)
class Tier:
    """A target with options of its kernels.

    Attributes:
        target: The target.
        options: The options.
        title: The name of the tier in tables, or "" for that of the target.
    """

    target: Target
    options: Mapping[str, str] = field(default_factory=dict)
    title: str = ""

    @property
    def name(self) -> str:
        """The title, or the name of the target."""
        return self.title or str(self.target)

    @property
    def projected(self) -> bool:
        """Whether proxies replace instructions that no CPU has."""
        return self.target.proxy

    @property
    def lacking(self) -> list[str]:
        """The features of the target that this CPU lacks."""
        return missing_features(self.target.features)

    def spec(self, spec: Spec) -> Spec:
        """Return the specification of the same kernel on this tier."""
        own = make_spec(
            spec.kind, n=spec.n, modulus=spec.modulus, root=spec.root if spec.n else None, target=self.target
        )
        return with_options(own, self.options)


@dataclass(frozen=True)
class FigureEntry:
    """A tier or a library in one race.

    Attributes:
        name: The name.
        entry: Its output and its calls, of which there are none if it is not timed here.
        projected: Whether proxies replace some of its instructions.
        work: The instructions by class, or None if they were not counted.
        note: A remark, or the reason if there is neither a time nor a count.
    """

    name: str
    entry: SweepEntry = field(default_factory=SweepEntry)
    projected: bool = False
    work: Work | None = None
    note: str = ""


def tier_named(name: str) -> Tier:
    """Return the tier of a target without options.

    If the target has proposed instructions, the tier has its proxy build.
    """
    (target,) = targets_named([name])
    return Tier(target.timed_build)


def tiers_of(names: Sequence[str | Tier]) -> list[Tier]:
    """Return the tiers ``names``; those of targets with proposed instructions have proxy builds, which can be timed.

    Raises:
        MomagenError: A target is unknown, or two tiers have the same name.
    """
    found = [tier if isinstance(tier, Tier) else tier_named(tier) for tier in names]
    titles = [tier.name for tier in found]
    if twice := [title for title in titles if titles.count(title) > 1]:
        raise MomagenError("tiers with different names", f"{twice[0]} twice", "tiers")
    return found


def contestant(race: Race, tier: Tier, compiler: Compiler, *, timed: bool = True, counted: bool = True) -> FigureEntry:
    """Return the kernel of a race on a tier.

    The output of a proxy build is incorrect by design and is not compared.

    Args:
        race: The race.
        tier: The tier.
        compiler: The compiler.
        timed: Whether there are calls if this CPU has the features of the target.
        counted: Whether instructions are counted even if there are calls.
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
    """Return a baseline under its title. If it does not offer the kernel, it has no calls."""
    title = LIBRARIES[name].title
    try:
        entry = yardstick(race, name, linking(compiler))
    except MomagenError as error:
        return FigureEntry(title, SweepEntry(baseline=True), note=reason(error))
    return FigureEntry(title, entry, note=entry.note)


def linking(compiler: Compiler) -> Compiler:
    """Return the compiler for code that is linked with libraries of the system, which zig's compiler does not find."""
    return compiler if compiler.kind != "zig" else next(iter(families().values()), compiler)


def absent(names: Sequence[str], compiler: Compiler) -> dict[str, str]:
    """Return, for each baseline that is not installed, a line with the reason.

    Raises:
        MomagenError: A baseline is unknown.
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
