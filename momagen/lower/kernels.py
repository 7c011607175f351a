"""The entry point of lowering, from a specification to the program of its kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from momagen.kinds.modular.derived.inner import of_size
from momagen.kinds.modular.spec import Spec
from momagen.languages import MachineModel
from momagen.lazy import on_call
from momagen.program import Program

from .lowered import Lowered

__all__ = ["Lowered", "lowered"]

KERNELS: dict[MachineModel, Callable[..., Lowered]] = {
    MachineModel.ARRAYS: on_call("momagen.lower.arrays.kernels", "array_kernel"),
    MachineModel.THREADS: on_call("momagen.lower.threads.programs", "device_kernel"),
}
"""The entry points of lowering on arrays and in threads. On a processor, each kind names its own entry point."""
of_sizes: Callable[..., Program] = on_call("momagen.program.sizes", "of_sizes")
shared_program: Callable[..., Program] = on_call("momagen.lower.sharing", "shared_program")


def lowered(spec: Spec) -> Lowered:
    """Return the lowered kernel of a specification.

    Raises:
        MomagenError: Options contradict the width, a size or each other.
    """
    if on_device := KERNELS.get(spec.target.machine):
        return on_device(spec, spec.kind.plans(spec))
    made = _sized(spec) if spec.sized else spec.kind.lower(spec)
    return replace(made, program=shared_program(made.writer, made.host_program)) if spec.threads else made


def _sized(spec: Spec) -> Lowered:
    made = {n: lowered(of_size(spec, n)) for n in spec.sizes}
    program = of_sizes({n: each.host_program for n, each in made.items()})
    said = _grouped((note, n) for n, each in made.items() for note in each.notes)
    notes = [f"n = {', '.join(map(str, sorted(sizes)))}: {note}" for note, sizes in said.items()]
    served = _grouped((each.moduli, n) for n, each in made.items())
    ranges = [f"{text} with n from {min(sizes)} to {max(sizes)}" for text, sizes in served.items()]
    moduli = "; ".join(ranges if len(served) > 1 else served)
    return Lowered(spec, program, [each.writer for each in made.values()], notes, moduli)


def _grouped(told: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """Return the sizes of each distinct text, by text."""
    found: dict[str, list[int]] = {}
    for text, n in told:
        found.setdefault(text, []).append(n)
    return found
