"""Kernels of a library for GPUs: beside its ISA variants, with functions and headers of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from momagen.build.native import NATIVE
from momagen.emit import Source, generate
from momagen.errors import MomagenError, build_error
from momagen.kernels.spec.spec import Spec
from momagen.targets import load_target, right

from .kernel_member import VariantSpec
from .request import LibraryRequest, Wanted
from .variants import IDENTIFIER, first_twice

CUDA = "cuda"
"""The syntax of targets that are GPUs."""
BESIDE = "at least one target in C in addition to those for GPUs"


@dataclass(frozen=True)
class GpuKernel:
    """One kernel of a library for one GPU target; ``source`` is named library_name_target, as are its functions."""

    name: str
    target: str
    source: Source


def parted(given: Sequence[str] | None) -> tuple[list[str] | None, list[str]]:
    """Split targets into those for ISA variants and those for GPUs; None stands for all targets that can be variants.

    Raises:
        MomagenError: a target is unknown, a GPU is listed twice or has a name that is not an identifier, or all
            targets are GPUs.
    """
    if given is None:
        return None, []
    gpus = [name for name in given if name != NATIVE and load_target(right(name, "targets")).syntax == CUDA]
    names = [load_target(name).name for name in gpus]
    if twice := first_twice(names):
        raise MomagenError("every target once", f"{twice} twice", "targets")
    if bad := [name for name in names if not IDENTIFIER.fullmatch(name)]:
        raise MomagenError("a target whose name has only lower-case letters, digits and _", bad[0], "targets")
    rest = [name for name in given if name not in gpus]
    if gpus and not rest:
        hint = "use `momagen ntt`, `blas` or `polymul` for kernels that run only on a GPU"
        raise MomagenError(BESIDE, f"only {', '.join(gpus)}", "targets", hint)
    return rest, gpus


def without_gpus(wanted: Wanted, gpus: Sequence[str]) -> tuple[str, ...] | None:
    """Return the kernel's own targets without GPUs, or None if it has the targets of the library.

    Raises:
        MomagenError: all targets of the kernel are GPUs, or its kind is not available on GPUs.
    """
    asked = [name for name in gpus if wanted.targets is None or name in wanted.targets]
    if asked and not wanted.runs_on_gpus:
        problem = f"the kernel is not available on {', '.join(asked)}"
        remedy = "give it targets in C, with targets = [...] in its table [[kernel]]"
        raise build_error(problem, f"kernel {wanted.name}, targets", remedy)
    if wanted.targets is None:
        return None
    rest = tuple(name for name in wanted.targets if name not in gpus)
    if wanted.targets and not rest:
        raise MomagenError(BESIDE, f"only {', '.join(wanted.targets)}", f"kernel {wanted.name}, targets")
    return rest


def gpu_kernels(request: LibraryRequest, gpus: Sequence[str], made_by: str) -> tuple[GpuKernel, ...]:
    """Every kernel for every GPU target that it is to have."""
    return tuple(
        _made(wanted, request.name, given, made_by)
        for wanted in request.kernels for given in gpus if wanted.targets is None or given in wanted.targets
    )  # fmt: skip


def _made(wanted: Wanted, library: str, given: str, made_by: str) -> GpuKernel:
    assert isinstance(wanted.spec, Spec)
    target = load_target(given).name
    values = {field.name: getattr(wanted.spec, field.name) for field in fields(Spec)}
    symbol = f"{library}_{wanted.name}_{target}"
    spec = VariantSpec(**{**values, "target": given}, symbol=symbol, made_by=made_by)
    return GpuKernel(wanted.name, target, generate(spec))
