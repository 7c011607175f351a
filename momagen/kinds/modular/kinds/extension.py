"""Low-degree extensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from momagen.kinds.modular.commands import COMMANDS
from momagen.kinds.modular.extension import LIMITS, check_extension
from momagen.kinds.modular.making.request import KernelRequest
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import register
from momagen.kinds.titles import TITLES
from momagen.lazy import on_call

from .modular_kind import ModularKind
from .polynomials import columns_of, with_moduli
from .transform import TRANSFORM

if TYPE_CHECKING:
    from momagen.params.words import Words

extension_outputs: Callable[..., list[int]] = on_call("momagen.verify.definitions", "extension_outputs")
evaluates_quickly: Callable[..., bool] = on_call("momagen.verify.definitions", "evaluates_quickly")


class ExtensionKind(ModularKind):
    """The kind of extensions from values of a polynomial to its values on a larger coset."""

    title = TITLES["lde"]
    own_command = COMMANDS["lde"]
    manual = """Build a low-degree extension: from n values of a polynomial to its n·blowup values on a coset.

    For a polynomial p of degree below n, the operand is x[i] = p(ω^(blowup·i)), and the result is y[j] = p(g·ω^j) in
    natural order, or y[j] = p(g·ω^rev(j)) in bit-reversed order, where rev reverses the log2(n·blowup) bits of j. A
    vector has n values, or n rows of ``columns`` values.

    Returns:
        The kernel. It is generated already, but is compiled only when it is first needed.

    Raises:
        MomagenError: The arguments do not fit each other or the target.

    Examples:
        >>> import momagen as mg
        >>> k = mg.lde(4, blowup=2, modulus=17, order="natural")
        >>> k([1, 2, 3, 4])[::2]  # without a coset, every second value is a value of the operand
        [1, 2, 3, 4]
    """
    thing = "operand"
    transform_count, runs_on_gpus = 2, False
    run, meaning = "run_extension", "c/meaning/extension.txt.j2"
    has_special_tables = has_passes = True

    limits = LIMITS

    def check(self, asked: KernelRequest) -> None:
        """Check the blow-up, the coset and the orders, and that the target has extensions."""
        check_extension(asked)
        super().check(asked)

    def transforms(self, request: Spec, points: int = 1, lazy: int = 1) -> dict[str, Spec]:
        """Return the transform to the coset, block by block, and the one to coefficients."""
        options = replace(request.options, threads=None)
        forward = replace(
            request, kind=TRANSFORM, order="bitrev", input_order="", options=replace(options, input_factor=1)
        )
        inverse = replace(
            request, kind=TRANSFORM, order=request.input_order or "bitrev", input_order="", inverse=True, coset=0,
            options=replace(options, output_factor=1),
        )  # fmt: skip
        return {"forward": forward, "inverse": inverse}

    def vectors_of_memory(self, request: Spec) -> int:
        """Return the number of vectors that the function ``run`` stores besides its result."""
        return 1 + request.blowup * (request.order == "natural")

    def grows(self, blowup: int) -> int:
        """Return the blow-up."""
        return blowup

    def work(self, request: Spec) -> int:
        """Return the number of values."""
        return request.results

    def describe(self, request: Spec) -> str:
        """Return a description of the kernel."""
        many = f"{request.n} to {request.n * request.blowup} values{columns_of(request)}"
        orders = f"{request.input_order} in, {request.order} out".replace("bitrev", "bit-reversed")
        return with_moduli(f"low-degree extension of {many}, coset of {request.coset}, {orders}", request)

    def headline(self, request: Spec) -> str:
        """Return the first line of the kernel's files, without a full stop."""
        columns = f" in each of {request.columns} columns" if request.columns > 1 else ""
        points = f"{request.n} to {request.n * request.blowup} values{columns} on the coset of {request.coset}"
        return f"Low-degree extension from {points}, modulo q of up to {request.width} bits"

    def define(
        self, request: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]
    ) -> list[int]:  # fmt: skip
        """Return the correct outputs at some indices, by definition."""
        return extension_outputs(request, q, root, given, indices)

    def is_defined_quickly(self, request: Spec) -> bool:
        """Return whether all outputs can be computed by definition in little time."""
        return evaluates_quickly(request)


register(ExtensionKind("lde"))
