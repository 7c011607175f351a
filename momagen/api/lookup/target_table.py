"""The function ``momagen.targets``, which lists the machines for which kernels can be generated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from momagen.arguments import checked_arguments
from momagen.html import card, grid
from momagen.languages import MachineModel
from momagen.runtime import missing_features
from momagen.targets import Target, shipped


@dataclass(frozen=True)
class TargetInfo:
    """Properties of one target that are known before a kernel is generated for it.

    Attributes:
        name: The name that ``target=`` accepts.
        title: A description of the machine or language.
        word: The number of bits of a machine word.
        lanes: The number of words in a vector register (1: no vectors).
        features: The CPU features that a kernel needs.
        flags: The flags that are passed to the compiler.
        here: What this machine does with the kernels: "runs", "emulates", "simulates" or "lacks it".
        tested_on: The machine on which the target's kernels were tested.
        purpose: "kernels", or another purpose of the target.
        operations: The names of the operations that the target has by itself.
    """

    name: str
    title: str
    word: int
    lanes: int
    features: tuple[str, ...]
    flags: tuple[str, ...]
    here: str
    tested_on: str
    purpose: str
    operations: tuple[str, ...]

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of a table with the headings ``HEADINGS``."""
        needs = ", ".join(self.features) or "–"
        return (self.name, self.title, f"{self.word} bits", str(self.lanes), needs, self.here, self.tested_on)


HEADINGS = ("target", "description", "words", "lanes", "CPU features", "this machine", "tested on")


class TargetTable(Mapping[str, TargetInfo]):
    """A mapping from names to targets, those for kernels first, which prints as a table."""

    def __init__(self, rows: Mapping[str, TargetInfo]) -> None:
        self._rows = dict(rows)

    def __getitem__(self, name: str) -> TargetInfo:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        lines = [HEADINGS[:-1], *(info.row[:-1] for info in self.values())]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        return card(f"{len(self)} targets", [], grid(HEADINGS, [info.row for info in self.values()]))


@checked_arguments
def targets() -> TargetTable:
    """Return the shipped targets, with the features that each needs and whether its kernels run on this machine.

    This is ``momagen targets`` in Python: ``list(momagen.targets())`` has the names that ``target=`` accepts, and
    ``momagen.targets()["avx512"].features`` the CPU features that kernels for AVX-512 need.

    Returns:
        A mapping from names to :class:`TargetInfo`, which prints as a table.

    Examples:
        >>> import momagen as mg
        >>> mg.targets()["avx512ifma"].lanes
        8
        >>> "cuda" in mg.targets()
        True
    """
    found = list(map(info_of, shipped()))
    found.sort(key=lambda info: info.purpose != "kernels")
    return TargetTable({info.name: info for info in found})


def info_of(target: Target) -> TargetInfo:
    """Return the properties of ``target``."""
    return TargetInfo(
        target.name, target.title, target.word, target.lanes, tuple(target.features), tuple(target.flags),
        _here(target), target.tested_on, target.purpose, tuple(sorted(target.ops)),
    )  # fmt: skip


def _here(target: Target) -> str:
    """Return what this machine does with kernels for ``target``; without a GPU, CUDA kernels are emulated as PTX."""
    if target.machine is MachineModel.MODULAR:
        return "simulates"
    if target.machine is MachineModel.THREADS:
        return _cuda_here()
    if not missing_features(target.features):
        return "runs"
    return "emulates" if target.standins else "lacks it"


def _cuda_here() -> str:
    """Return what this machine does with kernels for CUDA."""
    from momagen.cuda.gpu import why_no_gpu
    from momagen.cuda.nvrtc import nvrtc_version

    return "runs" if not why_no_gpu() else "emulates" if nvrtc_version() else "lacks it"
