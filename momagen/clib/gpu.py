"""Kernels of a library for GPUs: beside its ISA variants, with functions and headers of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from momagen.build.native import NATIVE
from momagen.emit import Source, generate
from momagen.errors import MomagenError
from momagen.kernels.spec.spec import Spec
from momagen.targets import load_target, right

from .kernel_member import VariantSpec
from .request import LibraryRequest, Wanted
from .variants import IDENTIFIER, first_twice

CUDA = "cuda"
"""The syntax of targets that are GPUs."""
BESIDE = "a target written in C beside those of GPUs"


@dataclass(frozen=True)
class GpuKernel:
    """One kernel of a library for one GPU target; ``source`` is named library_name_target, as are its functions."""

    name: str
    target: str
    source: Source


def parted(given: Sequence[str] | None) -> tuple[list[str] | None, list[str]]:
    """Targets that are to be ISA variants, and those that are GPUs; None stands for all that can be variants.

    Raises:
        MomagenError: an unknown target; a GPU twice, or one whose name is no identifier; GPUs alone.
    """
    if given is None:
        return None, []
    gpus = [name for name in given if name != NATIVE and load_target(right(name, "targets")).syntax == CUDA]
    names = [load_target(name).name for name in gpus]
    if twice := first_twice(names):
        raise MomagenError("each target once", f"{twice} twice", "targets")
    if bad := [name for name in names if not IDENTIFIER.fullmatch(name)]:
        raise MomagenError("a target whose name is lower-case letters, digits and _", bad[0], "targets")
    rest = [name for name in given if name not in gpus]
    if gpus and not rest:
        hint = "momagen ntt, blas and polymul make kernels for a GPU alone"
        raise MomagenError(BESIDE, ", ".join(gpus), "targets", hint)
    return rest, gpus


def without_gpus(wanted: Wanted, gpus: Sequence[str]) -> tuple[str, ...] | None:
    """The targets of its own that a kernel has beside GPUs; None where it has those of the library.

    Raises:
        MomagenError: it has GPUs alone, or GPUs although its kind has no kernels for them.
    """
    asked = [name for name in gpus if wanted.targets is None or name in wanted.targets]
    if asked and not wanted.runs_on_gpus:
        hint = "a table with targets = [...] gives a kernel targets of its own"
        where = f"kernel {wanted.name}, targets"
        raise MomagenError("targets written in C for this kernel", ", ".join(asked), where, hint)
    if wanted.targets is None:
        return None
    rest = tuple(name for name in wanted.targets if name not in gpus)
    if wanted.targets and not rest:
        raise MomagenError(BESIDE, ", ".join(wanted.targets), f"kernel {wanted.name}, targets")
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
