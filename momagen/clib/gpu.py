"""The kernels of a library for GPUs, which have functions and headers of their own in addition to the ISA variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from momagen.emit import Source, generate
from momagen.errors import MomagenError, build_error
from momagen.kinds.modular.spec import Spec
from momagen.languages import MachineModel
from momagen.runtime.native import NATIVE
from momagen.targets import Target
from momagen.values.targets import requested_target

from .kernel_member import VariantSpec
from .request import LibraryRequest, Wanted
from .variants import IDENTIFIER, first_twice

CUDA = "cuda"
"""The language of targets that are GPUs."""
BESIDE = "at least one target in C in addition to those for GPUs"
"""The expected targets in errors about targets that are all GPUs."""


@dataclass(frozen=True)
class GpuKernel:
    """One kernel of a library for one GPU target.

    Attributes:
        name: The name of the kernel in the library.
        target: The name of the target.
        source: The generated source, which is named library_name_target, as are its functions.
    """

    name: str
    target: str
    source: Source


def parted(given: Sequence[str] | None) -> tuple[list[str] | None, list[Target]]:
    """Return the targets that are ISA variants, or None for all that can be variants, and the targets that are GPUs.

    Args:
        given: The targets that were passed, or None.

    Raises:
        MomagenError: A target is unknown, a GPU is listed twice or its name is not an identifier, or all targets are
            GPUs.
    """
    if given is None:
        return None, []
    found = {name: requested_target(name, "targets") for name in given if name != NATIVE}
    gpus = [found[name] for name in given if name in found and found[name].machine is MachineModel.THREADS]
    names = [target.name for target in gpus]
    if twice := first_twice(names):
        raise MomagenError("every target once", f"{twice} twice", "targets")
    if bad := [name for name in names if not IDENTIFIER.fullmatch(name)]:
        raise MomagenError("a target whose name has only lower-case letters, digits and _", bad[0], "targets")
    rest = [name for name in given if name not in found or found[name] not in gpus]
    if gpus and not rest:
        hint = "use `momagen ntt`, `blas` or `polymul` for kernels that run only on a GPU"
        raise MomagenError(BESIDE, f"only {', '.join(map(str, gpus))}", "targets", hint)
    return rest, gpus


def without_gpus(wanted: Wanted, gpus: Sequence[Target]) -> tuple[str, ...] | None:
    """Return the kernel's own targets other than GPUs, or None if it has the targets of the library.

    Args:
        wanted: The request for the kernel.
        gpus: The GPU targets of the library.

    Raises:
        MomagenError: All targets of the kernel are GPUs, or it has GPUs although its kind has no kernels for them.
    """
    names = list(map(str, gpus))
    asked = [name for name in names if wanted.targets is None or name in wanted.targets]
    if asked and not wanted.runs_on_gpus:
        problem = f"the kernel is not available on {', '.join(asked)}"
        remedy = "give it targets in C, with targets = [...] in its table [[kernel]]"
        raise build_error(problem, f"kernel {wanted.name}, targets", remedy)
    if wanted.targets is None:
        return None
    rest = tuple(name for name in wanted.targets if name not in names)
    if wanted.targets and not rest:
        raise MomagenError(BESIDE, f"only {', '.join(wanted.targets)}", f"kernel {wanted.name}, targets")
    return rest


def gpu_kernels(request: LibraryRequest, gpus: Sequence[Target], made_by: str) -> tuple[GpuKernel, ...]:
    """Return every kernel for each of its GPU targets.

    Args:
        request: The request for the library.
        gpus: The GPU targets of the library.
        made_by: The command that generates the library.
    """
    return tuple(
        _made(wanted, request.name, target, made_by)
        for wanted in request.kernels for target in gpus if wanted.targets is None or str(target) in wanted.targets
    )  # fmt: skip


def _made(wanted: Wanted, library: str, target: Target, made_by: str) -> GpuKernel:
    """Return one kernel for one GPU target."""
    values = {field.name: getattr(wanted.spec, field.name) for field in fields(Spec)}
    symbol = f"{library}_{wanted.name}_{target.name}"
    spec = VariantSpec(**{**values, "target": target}, symbol=symbol, made_by=made_by)
    return GpuKernel(wanted.name, target.name, generate(spec))
