"""A library in Python: it is generated from short descriptions of kernels, verified, and written to a folder."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from momagen.api import Kernel
from momagen.arguments import checked_arguments, checked_methods
from momagen.emit import Source
from momagen.errors import MomagenError, build_error, quoted
from momagen.files import path_of
from momagen.kinds.registry import kind_of
from momagen.notebook import Progress, watched
from momagen.targets import Target
from momagen.threads import GoOn, side_by_side
from momagen.values.numbers import count
from momagen.values.targets import requested_target
from momagen.values.texts import text_or
from momagen.verify import Report
from momagen.verify.effort import sample_of

from .files import files, stated
from .folder import write
from .gpu import GpuKernel, gpu_kernels, parted, without_gpus
from .member import Member, variants_of
from .request import LibraryRequest, Row, Wanted, read, wish
from .variants import Variant, first_twice, in_layout, variants

VERSION = "1.0.0"


@checked_methods
@dataclass(frozen=True)
class Library:
    """A C library of several kernels in several ISA variants; built by :func:`library`.

    The library selects the best variant for the CPU at run time.

    Attributes:
        name: The name of the library, which is the prefix of its functions.
        version: The version of the library, three numbers.
        variants: The ISA variants, best first.
        members: The kernels.
        files: The texts of all files, by path. :meth:`verify` updates the comments at the top of the kernels that
            passed.
        gpus: The kernels for GPUs, which have functions of their own.
    """

    name: str
    version: str
    variants: tuple[Variant, ...]
    members: tuple[Member, ...]
    files: dict[str, str]
    gpus: tuple[GpuKernel, ...] = ()

    @property
    def header(self) -> str:
        """The text of the only header that a C program must include."""
        return self.files[f"include/{self.name}.h"]

    @property
    def sources(self) -> list[Source]:
        """The sources of every kernel in every variant, those for GPUs last."""
        own = [source for member in self.members for source in member.sources]
        return [*own, *(each.source for each in self.gpus)]

    def kernels(self) -> list[Kernel]:
        """Return every kernel in every variant, to call or verify in Python, those for GPUs last."""
        own = [kernel for member in self.members for kernel in member.kernels()]
        return [*own, *(Kernel(each.source) for each in self.gpus)]

    def verify(
        self, *, seed: int = 0, compiler: str | None = None, progress: Progress | None = None, all_sizes: bool = True
    ) -> list[Report]:  # fmt: skip
        """Compare every kernel in every variant with gmpy2, on all cores; see :func:`momagen.verify.verify`.

        Args:
            seed: The seed of the random values.
            compiler: The compiler (default: the one that momagen finds).
            progress: A function that is called before every kernel with the part done (0 to 1) and the kernel's name.
            all_sizes: Whether a transform with ``n=any`` is compared at every size even if this CPU lacks the features
                of the variant, so that it is emulated. If false, it is compared at n = 16 and 64; its report and its
                file say so.

        Returns:
            One report for each kernel and variant.
        """
        kernels, reports, seed = self.kernels(), list[Report](), count(seed, "seed")

        def verified(kernel: Kernel, go_on: GoOn) -> Report:
            if kernel.spec.sized and kernel.emulated and not all_sizes:
                kernel.compile(compiler, level="-O0")
                return kernel.verify(seed=seed, progress=go_on, sizes=sample_of(kernel.spec.sizes))
            kernel.compile(compiler)
            return kernel.verify(seed=seed, progress=go_on)

        with watched(progress) as told, closing(side_by_side(verified, kernels)) as found:
            for at, kernel in enumerate(kernels):
                told(at / len(kernels), kernel.name)
                reports.append(next(found))
        self.files.update(stated(self.files, kernels))
        return reports

    def save(self, folder: str | Path) -> list[str]:
        """Write the library to a folder.

        Args:
            folder: A new or empty folder, or one that holds an earlier version of the library.

        Returns:
            The paths of the files that changed.

        Raises:
            MomagenError: The folder cannot be written, holds files that are not part of the library, or holds files
                that were edited after they were written; the folder is then left as it was.
        """
        return write(self.files, path_of(folder, "output"))

    def __repr__(self) -> str:
        names = ", ".join(variant.name for variant in self.variants)
        kernels = f"{len(self.members)} kernel{'s' * (len(self.members) > 1)}"
        return f"<momagen library {self.name} {self.version}; {kernels} for {names}>"


@checked_arguments
def library(
    source: str | Path, kernels: Sequence[str | Row] = (), *, targets: Sequence[str] | None = None,
    version: str | None = None, name: str | None = None, progress: Progress | None = None, layout: str | None = None,
) -> Library:  # fmt: skip
    """Build a C library of several kernels in several ISA variants.

    Args:
        source: The name of the library, or a TOML file (a path that ends in .toml) with the keys name, version,
            targets, layout and a table [[kernel]] for each kernel.
        kernels: Further kernels, as texts such as "ntt:n=4096,bits=128,inverse", "vmul:bits=128" or
            "rescale:moduli=4,modulus_bits=50", or as tables with the same keys: kind, n, bits, modulus, root, inverse,
            negacyclic, order, name, targets and options. "convert", "rescale", "keyswitch" and "moddown" have the
            arguments of :func:`momagen.convert`, :func:`momagen.rescale`, :func:`momagen.keyswitch` and
            :func:`momagen.moddown`.
        targets: The names of targets or TOML files (default: those of the file, otherwise every shipped target that a C
            program can detect at run time). They are ranked: more lanes first, then more CPU features, then more
            operations. The kernels for GPU targets such as "cuda" have functions of their own.
        version: The version of the library, three numbers (default: that of the file, otherwise 1.0.0).
        name: The name of the library instead of that of the file.
        progress: A function that is called before every kernel with the part done (0 to 1) and the kernel's name.
        layout: The words of vectors, moduli and roots: "u16", "u32" or "u64", if the residues of all kernels are one
            word. Every target is then replaced by its variant with these words (default: that of the file, otherwise
            the words of the targets).

    Returns:
        The library.

    Raises:
        MomagenError: A description is invalid, or the targets do not support a kernel.

    Examples:
        >>> import momagen as mg
        >>> lib = mg.library("demo", ["vmul:modulus=97", "ntt:n=8,modulus=97"], targets=["c"])
        >>> lib
        <momagen library demo 1.0.0; 2 kernels for c>
        >>> [report.ok for report in lib.verify()]
        [True, True]
    """
    wanted = _wish(source, kernels, targets, version, name, layout)
    rest, gpus = parted(wanted.targets)
    ranked = variants(rest, wanted.layout, wanted.bits)
    command = f"momagen lib {wanted.name}.toml --output DIR"
    _check_names([kernel.name for kernel in wanted.kernels], ranked)
    members: list[Member] = []
    own = [variants_of(_laid_out(kernel, wanted, gpus), ranked) for kernel in wanted.kernels]
    with watched(progress) as told:
        for at, kernel in enumerate(wanted.kernels):
            told(at / len(wanted.kernels), kernel.name)
            members.append(kind_of(kernel.spec).member(kernel, wanted.name, own[at], command))
        on_gpus = gpu_kernels(wanted, gpus, command)
    _check_constants(members)
    texts = files(wanted, ranked, members, command, on_gpus)
    return Library(wanted.name, wanted.version, ranked, tuple(members), texts, on_gpus)


def _wish(
    source: str | Path, kernels: Sequence[str | Row], targets: Sequence[str] | None, version: str | None,
    name: str | None, layout: str | None,
) -> LibraryRequest:  # fmt: skip
    """Return the checked request."""
    if not isinstance(kernels, list | tuple):
        raise MomagenError("a list of kernels", quoted(kernels), "kernels")
    path = path_of(source, "source")
    for argument, value in {"version": version, "name": name, "layout": layout}.items():
        text_or("", value, argument)
    file: dict[str, object] = read(path) if path.suffix == ".toml" else {"name": str(source)}
    rows: object = file.get("kernel", [])
    assert isinstance(rows, list)
    own = file.get("targets") if targets is None else targets
    words = layout or file.get("layout")
    return wish(name or file.get("name"), version or file.get("version", VERSION), own, [*rows, *kernels], words)


def _laid_out(kernel: Wanted, wanted: LibraryRequest, gpus: Sequence[Target]) -> Wanted:
    """Return the request for a kernel with its own targets that are variants, in the layout of the library."""
    own = without_gpus(kernel, gpus)
    if own is None or not wanted.layout:
        return replace(kernel, targets=own)
    found = in_layout([requested_target(name, "targets") for name in own], wanted.layout, wanted.bits)
    return replace(kernel, targets=tuple(map(str, found)))


def _check_constants(members: Sequence[Member]) -> None:
    """Check that no two kernels have a macro of the same name, such as A_MAX_N of the kernels a and a_max.

    Raises:
        MomagenError: Two kernels have one.
    """
    macros = (f"{member.symbol}_{constant.name}".upper() for member in members for constant in member.constants)
    if twice := first_twice(macros):
        problem = f"two kernels have a constant with the same name, {twice}"
        raise build_error(problem, "kernels", "rename one with name=…")


def _check_names(names: Sequence[str], variants: Sequence[Variant]) -> None:
    """Check that no kernel has the name of another kernel's variant, because their files would have the same name.

    Raises:
        MomagenError: A kernel has one.
    """
    taken = {f"{name}_{variant.name}" for name in names for variant in variants} | {"variants"}
    if clash := [name for name in names if name in taken]:
        problem = f"the name {clash[0]} of a kernel is also the name of a file that the library needs"
        raise build_error(problem, "kernels", "rename the kernel with name=…")
