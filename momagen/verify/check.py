"""The verification of a kernel: its build runs, and gmpy2 computes the correct results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Protocol

from momagen.emit import generate
from momagen.emit.codes import BAD_MODULUS, NO_MEMORY, OK, Refused
from momagen.errors import MomagenError
from momagen.kinds.modular.derived.inner import of_size, other_direction
from momagen.kinds.modular.spec import Spec
from momagen.runtime.call import compile_kernel
from momagen.runtime.compiled import Compiled
from momagen.runtime.plans.basis import Row
from momagen.runtime.runner import Runner, RunnerPlan
from momagen.targets import right

from .effort import Effort
from .moduli import even_moduli, other_moduli
from .oracle import any_root
from .report import Found, Mismatch, Report, Tally
from .step import CheckStep

Progress = Callable[[float, str], None]
"""The type of a function that is called with the part done (0 to 1) and the name of the next step."""


class Subject(Protocol):
    """An object that can be verified, such as a :class:`momagen.Kernel`.

    Attributes:
        compiled: The loaded library of the kernel.
        spec: The specification, with the modulus and the root of unity for which the kernel is used.
    """

    @property
    def compiled(self) -> Compiled:
        """The loaded library."""

    @property
    def spec(self) -> Spec:
        """The specification of the kernel that is verified, with its modulus and root."""


class TrialKernel(Protocol):
    """A build with one modulus."""

    @property
    def plan(self) -> RunnerPlan:
        """The plan for the modulus."""

    def steps(self) -> Iterator[CheckStep]:
        """Yield all steps of the verification."""

    def brief(self) -> None:
        """Check the least, for a further modulus."""


def verify(
    kernel: Subject, *, seed: int = 0, progress: Progress | None = None, sizes: Sequence[int] = ()
) -> Report:  # fmt: skip
    """Compare a kernel with gmpy2, on edge and random vectors, for its own modulus and others of the same build.

    Up to 512 points, every output is compared with the definition. Beyond that, random outputs are, and all outputs
    together are checked by two identities: the inverse of the forward transform, and the convolution theorem. The same
    seed checks the same values.

    Args:
        kernel: The kernel.
        seed: The seed of the random values.
        progress: A function that is called before every step.
        sizes: For a kernel that ``ntt("any")`` built, the sizes to compare (default: all of them).

    Returns:
        The report, which is true if all values are correct.

    Raises:
        MomagenError: The kernel cannot be compiled, consists of proxies, or does not have one of the sizes, or there is
            not enough memory.
    """
    start, tally, mismatch = time.perf_counter(), Tally(), None
    right(str(kernel.spec.target), "verify")
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
    """Ignore a progress report (no-op callback)."""


def _run(steps: list[CheckStep], progress: Progress) -> None:
    """Run all steps, each preceded by a progress report."""
    for done, step in enumerate(steps):
        progress(done / len(steps), step.title)
        step.run()
    progress(1.0, "")


def _steps(
    compiled: Compiled, spec: Spec, tally: Tally, seed: int, sizes: Sequence[int] = ()
) -> Iterator[CheckStep]:  # fmt: skip
    """Yield the steps for a kernel.

    For a transform with run-time size, these are the steps of every size or of ``sizes``, the shortest first; for
    several moduli, the steps of every row.
    """
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
    """Run a step of one size; a mismatch names the size.

    Raises:
        Found: A value is incorrect.
    """
    try:
        run()
    except Found as found:
        raise Found(found.mismatch._replace(vector=f"n = {n}, {found.mismatch.vector}")) from None


def _steps_of_rows(compiled: Compiled, tally: Tally, seed: int, twin: Callable[[], Compiled]) -> Iterator[CheckStep]:
    """Yield all steps of the first row and the shortest check of the others, because each row has tables of its own."""
    for at, (q, root) in enumerate(zip(compiled.spec.basis, compiled.spec.roots, strict=True)):
        trial = _trials(Row(compiled, at), tally, seed, partial(_row, twin, at))(q, root)
        yield CheckStep(f"tables, row {at}", partial(_demand_plan, trial, q))
        yield from trial.steps() if at == 0 else [CheckStep(f"row {at}", trial.brief)]


def _row(whole: Callable[[], Compiled], at: int) -> Row:
    """Return one row of a build of several moduli."""
    return Row(whole(), at)


def _twin(spec: Spec, compiled: Compiled) -> Compiled:
    """Return the other direction of one size, which compiles faster than all sizes."""
    return compile_kernel(generate(back(spec)), compiled.compiler)


def _part(whole: Callable[[], Compiled], spec: Spec) -> Compiled:
    """Return one size of a build that serves several sizes."""
    return whole().at(spec)


def _steps_of(compiled: Compiled, spec: Spec, trial: Callable[[int, int], TrialKernel]) -> Iterator[CheckStep]:
    """Yield the steps for the kernel's own modulus, and then for as many others as the size of the kernel allows."""
    own = trial(spec.modulus, spec.root)
    yield CheckStep("tables", partial(_demand_plan, own, spec.modulus))
    yield from own.steps()
    effort = Effort(max(spec.n, 1), spec.row, bool(compiled.missing), spec.columns)
    others = () if spec.baked else other_moduli(spec.modulus, spec.order_of_root or 2 * spec.prime)[: effort.moduli]
    even = () if spec.baked or spec.odd else even_moduli(spec.modulus)
    for q in (*others, *even):
        yield CheckStep(f"another modulus, {q.bit_length()} bits", partial(_other, spec, trial, q))


def _other(spec: Spec, trial: Callable[[int, int], TrialKernel], q: int) -> None:
    """Check the least for another modulus q; a transform on reduced-radix limbs may reject a shorter modulus."""
    other = trial(q, any_root(spec.order_of_root, q) if spec.n else 0)
    if _demand_plan(other, q, optional=spec.n > 0 and q.bit_length() < spec.width):
        other.brief()


def _demand_plan(trial: TrialKernel, q: int, *, optional: bool = False) -> bool:
    """Return whether the build serves q.

    Args:
        trial: The build with the modulus q.
        q: The modulus.
        optional: Whether the build may reject q.

    Raises:
        Found: The build rejects q although it must serve it.
    """
    try:
        return bool(trial.plan)
    except Refused as refused:
        if refused.code == NO_MEMORY:
            raise
        if refused.code == BAD_MODULUS and optional:
            return False
        raise Found(Mismatch("create", "", hex(q), 0, OK, refused.code)) from None


def _trials(compiled: Runner, tally: Tally, seed: int, twin: Callable[[], Runner]) -> Callable[[int, int], TrialKernel]:
    """Return a function that returns the trial of this kind of kernel for a modulus and a root.

    Args:
        compiled: The build.
        tally: The counts of compared values.
        seed: The seed of the random values.
        twin: A function that returns the build of the inverse direction.
    """
    made: Callable[[int, int], TrialKernel] = compiled.spec.kind.trial(compiled, tally, seed, twin)
    return made


def back(spec: Spec) -> Spec:
    """Return the specification of the other direction, whose operands are the results of ``spec``."""
    ranges = spec.ranges
    return other_direction(spec, replace(spec.options, input_factor=ranges.output, output_factor=ranges.input))
