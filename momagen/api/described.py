"""The properties of a generated kernel that need no compiler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from momagen.arguments import checked_methods
from momagen.emit import Source
from momagen.emit.claim import claim_of, with_proof
from momagen.files import path_of
from momagen.kinds.kind import Kind
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import kind_of
from momagen.lazy import on_call
from momagen.targets import Target

from .manifest import write

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from momagen.explain.pictures.schedule import ScheduleText
    from momagen.notebook import Progress
    from momagen.plan import TransformPlan
    from momagen.prove.result import Result as Proof
    from momagen.tune import Advice

exponents: Callable[[Spec], npt.NDArray[np.int64]] = on_call("momagen.api.calls.points", "exponents")
points: Callable[[Spec], list[int]] = on_call("momagen.api.calls.points", "points")
kernel_text: Callable[[Source], str] = on_call("momagen.explain", "kernel_text")
plan_for: Callable[[Spec], TransformPlan] = on_call("momagen.explain.explained_transform", "plan_for")
prove_source: Callable[..., Proof] = on_call("momagen.prove.installed", "prove_source")
schedule_for: Callable[[Spec], ScheduleText] = on_call("momagen.explain.explained_transform", "schedule_for")

watched: Callable[..., AbstractContextManager[Progress]] = on_call("momagen.notebook", "watched")


@checked_methods
class Described:
    """A kernel's source, parameters, order of values and origin.

    Attributes:
        generated: The generated source and what it was generated from.
        wisdom: The advice of `momagen tune` that was used, or None.
        target: The target, as read from its TOML file.
        spec: The checked specification. For a kernel that ``ntt("any")`` built, it has one size if ``at`` selected one.
    """

    def __init__(self, generated: Source, wisdom: Advice | None = None, spec: Spec | None = None) -> None:
        self.generated = generated
        self.wisdom = wisdom
        self.spec: Any = spec or generated.spec
        self.kind: Kind = kind_of(self.spec)
        self.target: Target = generated.spec.target

    @property
    def name(self) -> str:
        """The base name of the kernel's files, and the prefix of its C functions."""
        return self.generated.name

    @property
    def source(self) -> str:
        """The text of the source file: C, CUDA C++, Python or assembly, as the target requires."""
        return self.generated.source

    @property
    def header(self) -> str:
        """The text of the header file; empty if the target's language has none."""
        return self.generated.header

    @property
    def modulus(self) -> int:
        """The modulus q; of a kernel of several moduli, the first one."""
        return int(self.spec.modulus)

    @property
    def moduli(self) -> tuple[int, ...]:
        """The moduli of the RNS basis; of a kernel of one modulus, that modulus alone."""
        return tuple(self.spec.basis or (self.modulus,))

    @property
    def goals(self) -> tuple[int, ...]:
        """The moduli of the rows of the result: those of ``moduli``, except for conversions and divisions."""
        return self.kind.goals(self.spec)

    @property
    def files(self) -> dict[str, str]:
        """The texts of the source file and, if there is one, the header file, by name."""
        return {f"{self.name}{end}": text for end, text in self.generated.files.items()}

    @property
    def root(self) -> int:
        """The root of unity ω (ψ if the transform is negacyclic); 0 for element-wise kernels.

        With an automorphism, the C function ``create`` takes a power of this root instead, ``k.spec.told_root``.
        """
        return int(self.spec.root)

    @property
    def n(self) -> int:
        """The number of points or coefficients: the largest one of ``ntt("any")``, and 0 of an element-wise kernel."""
        return int(self.spec.length)

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands of a call, in order: scalars, then vectors."""
        return self.kind.operands(self.spec)

    @property
    def words(self) -> int:
        """The number of 64-bit words of a residue."""
        return int(self.spec.row)

    @property
    def rules_applied(self) -> Counter[str]:
        """How often each rewrite rule was applied, by the rule's label."""
        return self.generated.rules_applied

    @property
    def operations(self) -> Counter[str]:
        """The number of word operations in all codelets, by their kind."""
        return self.generated.operations

    @property
    def notes(self) -> list[str]:
        """Remarks on the kernel, such as hints on other options, which its report and its manifest also contain."""
        return self.generated.notes

    @cached_property
    def order(self) -> npt.NDArray[np.int64]:
        """The point of each value of a transform: a read-only int64 array e of shape (n,).

        Value j, of the result or (for an inverse transform) of the operand, is the polynomial's value at ω^e[j], where
        ω is ``k.root``, a root of order 2n if the transform is negacyclic. With an automorphism g, the values in the
        result are those of a(x^g), and values in the operand are those of a.

        Raises:
            MomagenError: The kernel is not a transform.
        """
        return exponents(self.spec)

    def points(self) -> list[int]:
        """Return ω^e modulo q for each e of ``order``: value j is the polynomial's value at ``points()[j]``.

        Raises:
            MomagenError: The kernel is not a transform.
        """
        return points(self.spec)

    @cached_property
    def plan(self) -> TransformPlan:
        """The passes of a transform of one size, and the placement of every bit of an index in each pass.

        ``print(k.plan)`` prints it as a table.

        Raises:
            MomagenError: The kernel is not a transform of one size.
        """
        return plan_for(self.spec)

    @property
    def schedule(self) -> ScheduleText:
        """The schedule of a transform as JSON, which the option ``schedule`` accepts.

        It is a string whose method ``picture`` returns an SVG picture, which Jupyter shows.

        Raises:
            MomagenError: The kernel is not a transform of one size, or its plan is no schedule yet.
        """
        return schedule_for(self.spec)

    @property
    def formula(self) -> str:
        """The product of sparse matrices that the passes of a transform compute; the rightmost factor acts first."""
        return self.plan.formula

    def explain(self) -> str:
        """Return a description of the kernel.

        It lists the kernel's words, the rewrite rules applied, its word operations, and the wisdom used.
        """
        return kernel_text(self.generated) + (f"\nwisdom: {self.wisdom}" if self.wisdom else "")

    def save(self, folder: str | Path) -> Path:
        """Write NAME.c, NAME.h and NAME.json to a folder, from which :func:`momagen.load` restores the kernel.

        Args:
            folder: The folder, which is created if it is missing.

        Returns:
            The folder.

        Raises:
            MomagenError: The folder cannot be written; then no file is written.
        """
        return write(self.generated, path_of(folder, "save"))

    def prove(self, *, certificate: str | Path | None = None, progress: Progress | None = None) -> Proof:
        """Prove from the C source that ``create`` and ``execute`` do what they claim to do, for every modulus.

        Nothing is compiled. If the claim is proven, the first comment of the source says so from then on. A kernel that
        is not proven may still be correct.

        Args:
            certificate: A folder, in which a certificate NAME.proof.json.gz of the proof is saved; None to save none.
            progress: A function that is called with the part done (0 to 1) and the name of the next step.
                By default a notebook shows a progress bar.

        Returns:
            The outcome, which is true if the claim is proven: the claim, and otherwise the reason why it is not proven.

        Raises:
            MomagenError: The packages of ``momagen[prove]`` are not installed, or the folder cannot be written.

        Examples:
            >>> import momagen as mg
            >>> bool(mg.blas("vadd", modulus_bits=60, target="c").prove())
            True
        """
        where = None if certificate is None else path_of(certificate, "certificate")
        with watched(progress) as told:
            proof = prove_source(partial(write, self.generated), f"{self.generated.name}.c", where, told)
        if proof:
            self.generated = with_proof(self.generated, claim_of(self.spec), proof.header())
        return proof
