"""From rows to kernels: generated, compiled for the architectures that are asked for, counted. Needs no GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import momagen as mg
from momagen.cuda.nvrtc import CudaProgram, compile_cuda
from momagen.cuda.places import program
from momagen.cuda.sass.survey import survey
from momagen.errors import MomagenError
from momagen.plan.thread_plan import ThreadPlan
from momagen.program.device import DeviceProgram

from .prepared import Prepared
from .rows import BenchRow


def prepared(row: BenchRow, target: str, archs: Sequence[str], *, inverse: bool = False) -> Prepared:
    """The kernel of a row, or (``inverse``) of the transform back.

    Raises:
        MomagenError: the generator, or NVRTC, refuses it.
    """
    options = {"target": target, **row.options}
    made: Any = mg.ntt(row.n, inverse=inverse, **options) if row.n else mg.blas(row.kind, **options)
    spec, device = made.spec, made.generated.program
    assert isinstance(device, DeviceProgram)
    if row.n:
        bits = row.n.bit_length() - 1
        assert made.order[:2].tolist() == [0, row.n >> 1] and made.order[-1] == row.n - 1, bits  # bit-reversed
    programs = {arch: compile_cuda(made.source, arch, name=f"{row.name}.cu") for arch in archs}
    butterfly, counted = _counted(made, programs)
    return Prepared(
        name=row.name + "-inverse" * inverse, section=row.section, kind=row.kind, n=row.n, bits=row.bits,
        source=made.source, kernel=made.name, target=str(spec.target), modulus=made.modulus, root=made.root,
        inverse=inverse, operands=made.operands, scalars=tuple(spec.ranges.scalars), result=spec.ranges.result,
        stride=device.stride, constants=device.constants, tables=device.tables, powers=device.powers, room=device.room,
        numbers=device.numbers, setup=device.setup, run=device.run, traffic=_traffic(made, device),
        butterfly=butterfly, counted=counted, cubins={arch: each.cubin for arch, each in programs.items()},
    )  # fmt: skip


def _traffic(made: Any, device: DeviceProgram) -> int:
    """Words to and from memory: every launch of a transform reads and writes it; tables, once for a batch, apart."""
    if made.n:
        return 2 * len(device.run) * device.size
    return (len(made.operands) - len(made.spec.ranges.scalars) + 1) * device.stride


def _counted(made: Any, programs: Mapping[str, CudaProgram]) -> tuple[dict[str, float], str]:
    """Arithmetic instructions of a butterfly, or element, by class: of the first launch whose kernel has no loops."""
    if not programs or program("nvdisasm") is None:
        return {}, ""
    arch, compiled = next(iter(programs.items()))
    found = survey(compiled)
    for launch, count in _butterflies(made).items():
        arithmetic = found[launch].arithmetic
        if arithmetic is not None and count:
            return {name: each / count for name, each in sorted(arithmetic.classes.items())}, f"{launch}, {arch}"
    return {}, ""


def _butterflies(made: Any) -> dict[str, int]:
    """By the name of its kernel, what a thread of a launch does: butterflies, or one element."""
    if not made.n:
        return {"elements": 1}
    plans = ThreadPlan(made.spec).launches
    levels = [sum(len(stage.legs) for stage in plan.stages) for plan in plans]
    return {
        launch.kernel: (each << len(plan.tile) - 1) // plan.nest.threads
        for launch, plan, each in zip(made.generated.program.run, plans, levels, strict=True)
    }


def attempt(row: BenchRow, target: str, archs: Sequence[str]) -> tuple[list[Prepared], str]:
    """A row's kernels (of a transform with the one back), or why there are none."""
    try:
        made = [prepared(row, target, archs, inverse=back) for back in (False, True)[: 1 + (row.n > 0)]]
    except Exception as error:  # of any kind: the other rows are to be measured
        return [], str(error) if isinstance(error, MomagenError) else f"{type(error).__name__}: {error}"
    if not made[0].butterfly and made[-1].butterfly:
        made[0] = replace(made[0], butterfly=made[-1].butterfly, counted=f"{made[-1].counted}, inverse")
    return made, ""
