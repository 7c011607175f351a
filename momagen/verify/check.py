"""Verification of a kernel: its build runs, gmpy2 says what is right."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Protocol

from momagen.build.basis import Row
from momagen.build.call import compile_kernel
from momagen.build.compiled import Compiled
from momagen.build.runner import Runner, RunnerPlan
from momagen.emit import generate
from momagen.emit.codes import BAD_MODULUS, NO_MEMORY, OK, Refused
from momagen.errors import MomagenError
from momagen.kernels.spec.derived.inner import of_size, other_direction
from momagen.kernels.spec.kinds import BASEMUL, BLAS, LDE
from momagen.kernels.spec.spec import Spec
from momagen.targets import right

from .effort import Effort
from .elements.pointwise import PointwiseTrial
from .elements.sums import SumTrial
from .extensions.trial import ExtensionTrial
from .moduli import even_moduli, other_moduli
from .oracle import any_root
from .polynomial import ProductTrial, RemaindersTrial
from .report import Found, Mismatch, Report, Tally
from .step import CheckStep
from .transform import TransformTrial

Progress = Callable[[float, str], None]
"""Called with the part that is done, 0 to 1, and what comes next."""


class Subject(Protocol):
    """What can be verified: a build, and the modulus and root that it is used with."""

    @property
    def compiled(self) -> Compiled: ...
    @property
    def spec(self) -> Spec: ...


class TrialKernel(Protocol):
    """One modulus on one build."""

    @property
    def plan(self) -> RunnerPlan: ...

    def steps(self) -> Iterator[CheckStep]:
        """Everything."""

    def brief(self) -> None:
        """The least."""


def verify(
    kernel: Subject, *, seed: int = 0, progress: Progress | None = None, sizes: Sequence[int] = ()
) -> Report:  # fmt: skip
    """Compare ``kernel`` with gmpy2: edge vectors and random ones, its own modulus and others through the same build.

    Up to 512 points every output is compared with the definition. Beyond, random outputs are, and the inverse of the
    forward transform and the convolution theorem hold all outputs together. The same seed checks the same values.

    Args:
        kernel: the kernel.
        seed: of the random values.
        progress: called before every step.
        sizes: the only sizes of a kernel of any size that are compared; the default is all.

    Raises:
        MomagenError: the kernel cannot be compiled, is made of proxies, or lacks one of the sizes, or memory is short.
    """
    start, tally, mismatch = time.perf_counter(), Tally(), None
    right(kernel.spec.target, "verify")
    if sizes and not (kernel.spec.sized and {*sizes} <= {*kernel.spec.sizes}):
        expected = "numbers of points that a kernel of any size supports"
        raise MomagenError(expected, ", ".join(map(str, sizes)), "sizes")
    compiled, spec = kernel.compiled, kernel.spec
    try:
        _run(list(_steps(compiled, spec, tally, seed, sizes)), progress or _silent)
    except Found as found:
        mismatch = found.mismatch
    return Report(
        compiled.name, tally.vectors, tuple(tally.edges), dict(tally.methods), tuple(tally.moduli), compiled.missing,
        time.perf_counter() - start, mismatch, sizes=tuple(sizes),
    )  # fmt: skip


def _silent(part: float, what: str) -> None:
    """No progress bar."""


def _run(steps: list[CheckStep], progress: Progress) -> None:
    for done, step in enumerate(steps):
        progress(done / len(steps), step.title)
        step.run()
    progress(1.0, "")


def _steps(
    compiled: Compiled, spec: Spec, tally: Tally, seed: int, sizes: Sequence[int] = ()
) -> Iterator[CheckStep]:  # fmt: skip
    """Yield the steps for the kernel: of a transform of any size those for every size, or for ``sizes``, the shortest
    first; of several moduli those of every row."""
    twin = cache(lambda: compile_kernel(generate(back(compiled.spec)), compiled.compiler))
    if spec.basis:
        yield from _steps_of_rows(compiled, tally, seed, twin)
        return
    if not spec.sized:
        yield from _steps_of(compiled, spec, _trials(compiled, tally, seed, twin))
        return
    for n in sorted(sizes or spec.sizes):
        small = of_size(spec, n)
        part = compiled.at(small)
        twin_part = partial(_twin, small, compiled) if sizes else partial(_part, twin, back(small))
        for title, run in _steps_of(part, small, _trials(part, tally, seed, twin_part)):
            yield CheckStep(f"n = {n}: {title}", partial(_of_size, n, run))


def _of_size(n: int, run: Callable[[], object]) -> None:
    """Do a step of one size; what it finds says which."""
    try:
        run()
    except Found as found:
        raise Found(found.mismatch._replace(vector=f"n = {n}, {found.mismatch.vector}")) from None


def _steps_of_rows(compiled: Compiled, tally: Tally, seed: int, twin: Callable[[], Compiled]) -> Iterator[CheckStep]:
    """All steps of the first row, the least for the others: each has tables of its own."""
    for at, (q, root) in enumerate(zip(compiled.spec.basis, compiled.spec.roots, strict=True)):
        trial = _trials(Row(compiled, at), tally, seed, partial(_row, twin, at))(q, root)
        yield CheckStep(f"tables, row {at}", partial(_demand_plan, trial, q))
        yield from trial.steps() if at == 0 else [CheckStep(f"row {at}", trial.brief)]


def _row(whole: Callable[[], Compiled], at: int) -> Row:
    return Row(whole(), at)


def _twin(spec: Spec, compiled: Compiled) -> Compiled:
    """Return the other direction of one size, which is faster to compile than all sizes."""
    return compile_kernel(generate(back(spec)), compiled.compiler)


def _part(whole: Callable[[], Compiled], spec: Spec) -> Compiled:
    return whole().at(spec)


def _steps_of(compiled: Compiled, spec: Spec, trial: Callable[[int, int], TrialKernel]) -> Iterator[CheckStep]:
    """The kernel's own modulus first, then others that the build serves, as many as its size affords."""
    own = trial(spec.modulus, spec.root)
    yield CheckStep("tables", partial(_demand_plan, own, spec.modulus))
    yield from own.steps()
    effort = Effort(max(spec.n, 1), spec.row, bool(compiled.missing), spec.columns)
    others = () if spec.baked else other_moduli(spec.modulus, spec.order_of_root or 2 * spec.prime)[: effort.moduli]
    even = () if spec.baked or spec.odd else even_moduli(spec.modulus)
    for q in (*others, *even):
        yield CheckStep(f"another modulus, {q.bit_length()} bits", partial(_other, spec, trial, q))


def _other(spec: Spec, trial: Callable[[int, int], TrialKernel], q: int) -> None:
    """The least for ``q``; a transform on digits may refuse a shorter modulus."""
    other = trial(q, any_root(spec.order_of_root, q) if spec.n else 0)
    if _demand_plan(other, q, optional=spec.n > 0 and q.bit_length() < spec.width):
        other.brief()


def _demand_plan(trial: TrialKernel, q: int, *, optional: bool = False) -> bool:
    """Whether the build serves q; where that is not ``optional``, :class:`Found` if it does not."""
    try:
        return bool(trial.plan)
    except Refused as refused:
        if refused.code == NO_MEMORY:
            raise
        if refused.code == BAD_MODULUS and optional:
            return False
        raise Found(Mismatch("create", "", hex(q), 0, OK, refused.code)) from None


def _trials(compiled: Runner, tally: Tally, seed: int, twin: Callable[[], Runner]) -> Callable[[int, int], TrialKernel]:
    """How this kind of kernel is tried; ``twin``: gives the build of the inverse direction."""
    if compiled.spec.kind in BLAS:
        trial = SumTrial if compiled.spec.sums else PointwiseTrial
        return lambda q, root: trial(compiled, q, tally, seed)
    if compiled.spec.kind == "polymul":
        return lambda q, root: ProductTrial(compiled, q, root, tally, seed)
    if compiled.spec.kind == BASEMUL:
        return lambda q, root: RemaindersTrial(compiled, q, root, tally, seed)
    if compiled.spec.kind == LDE:
        return lambda q, root: ExtensionTrial(compiled, q, root, tally, seed)
    return lambda q, root: TransformTrial(compiled, q, root, tally, seed, twin)


def back(spec: Spec) -> Spec:
    """The other direction, which takes what ``spec`` gives."""
    factors = {"input_factor": str(spec.ranges.output), "output_factor": str(spec.ranges.input)}
    return other_direction(spec, spec.options | factors)
