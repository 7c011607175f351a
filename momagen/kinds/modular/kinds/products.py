"""Products of polynomials, and of incomplete transforms modulo their factors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from momagen.kinds.command import KindCommand
from momagen.kinds.limits import Limit
from momagen.kinds.modular.commands import COMMANDS
from momagen.kinds.modular.incomplete import LARGEST_DEGREE
from momagen.kinds.modular.making.limits import on_device
from momagen.kinds.modular.making.request import KernelRequest
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import register
from momagen.kinds.titles import TITLES
from momagen.lazy import on_call

from .polynomials import PolynomialKind, levels_of, ring_of, with_moduli
from .transform import TRANSFORM

if TYPE_CHECKING:
    from momagen.params.words import Words

base_products_kernel: Callable[[Spec], Any] = on_call("momagen.lower.elementwise.kernels", "base_products_kernel")
remainder_outputs: Callable[..., list[int]] = on_call("momagen.verify.definitions", "remainder_outputs")
product_outputs: Callable[..., list[int]] = on_call("momagen.verify.definitions", "product_outputs")
product_trial: Callable[..., Any] = on_call("momagen.verify.products.trial", "ProductTrial")
remainders_trial: Callable[..., Any] = on_call("momagen.verify.products.trial", "RemaindersTrial")

PRODUCT = "run_product"
"""The name of the function that computes the product of two polynomials, which all targets have."""


class PolynomialProductKind(PolynomialKind):
    """The kind of products of two polynomials by transforms."""

    title = TITLES["polymul"]
    own_command: ClassVar[KindCommand] = COMMANDS["polymul"]
    manual = """Build a product of two polynomials of n coefficients modulo x^n - 1.

    If ``negacyclic`` is true, the product is that modulo x^n + 1. The kernel is called as ``k(x, y)``.
    Coefficients are residues modulo q in natural order, the constant one first. The kernel transforms both operands,
    multiplies their values and transforms the product back.

    Returns:
        The kernel. It is generated already, but is compiled only when it is first needed.

    Raises:
        MomagenError: The arguments do not fit each other or the target.

    Examples:
        >>> import momagen as mg
        >>> k = mg.polymul(4, modulus=17, negacyclic=True)
        >>> k([1, 2, 0, 0], [1, 0, 0, 1])  # (1 + 2x)·(1 + x^3) = 1 + 2x + x^3 + 2x^4, and x^4 = -1
        [16, 2, 0, 1]
    """
    vectors, result, thing = ("x", "y"), "z", "polynomial"
    recurs = "composite"
    joins_transforms, transform_count = True, 3
    run, meaning = PRODUCT, "c/meaning/product.txt.j2"

    limits = (
        Limit(lambda asked: asked.degree > LARGEST_DEGREE, "depth", "degree {0.degree}", "use a larger depth",
              expected=f"factors of degree at most {LARGEST_DEGREE} for products"),
        Limit(lambda asked: on_device(asked) and asked.kind.multiplies_remainders(asked), "target",
              "products of incomplete transforms are not available on {0.target}", "use a target in C or Python"),
        Limit(lambda asked: on_device(asked) and asked.kind.run != PRODUCT,
              "target", "{0.kind} is not available on {0.target}", "use a target in C or Python"),
    )  # fmt: skip

    @property
    def is_modular(self) -> bool:
        """Whether the kernels are products of two polynomials by transforms."""
        return self.run == PRODUCT and self.transform_count > 0

    def transforms(self, request: Spec, points: int = 1, lazy: int = 1) -> dict[str, Spec]:
        """Return the forward and the inverse transform, which threads do not share."""
        ranges = request.ranges
        factors = {"forward": (ranges.input, points), "inverse": (lazy, ranges.output)}
        return {
            name: replace(
                request, kind=TRANSFORM, inverse=name == "inverse",
                options=replace(request.options, threads=None, input_factor=taken, output_factor=given),
            )
            for name, (taken, given) in factors.items()
        }  # fmt: skip

    def multiplies_remainders(self, request: Spec | KernelRequest) -> bool:
        """Return whether the transforms are incomplete."""
        return request.degree > 1

    def work(self, request: Spec) -> int:
        """Return the number of coefficients."""
        return request.elements

    def describe(self, request: Spec) -> str:
        """Return a description of the kernel."""
        return with_moduli(f"polynomial product modulo {ring_of(request)}{levels_of(request)}", request)

    def noun(self, request: Spec) -> str:
        """Return the subject of the first line of the kernel's files, without its modulus and ring."""
        return f"Product of polynomials of {request.length} coefficients"

    def define(
        self, request: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]
    ) -> list[int]:  # fmt: skip
        """Return the correct outputs at some indices, by definition."""
        return product_outputs(request, q, root, given, indices)

    def trial(self, runner: Any, tally: Any, seed: int, twin: Any) -> Callable[[int, int], Any]:
        """Return the function that returns the trial for a modulus and a root."""
        return lambda q, root: product_trial(runner, q, root, tally, seed)


class BaseProductKind(PolynomialProductKind):
    """The kind of products of two incomplete transforms, modulo every factor x^d - z."""

    title = TITLES["basemul"]
    own_command = COMMANDS["basemul"]
    manual = """Build a base multiplication: the pointwise product of two (incomplete) NTTs.

    The operands are results of :func:`ntt` with the same arguments: remainders modulo the factors x^d - z with d =
    n/2^depth, which are multiplied modulo x^d - z. If the transform is complete, d is 1 and values are multiplied. d is
    at most 16. The kernel is called as ``k(x, y)`` and is available for C and Python targets.

    Returns:
        The kernel. It is generated already, but is compiled only when it is first needed.

    Raises:
        MomagenError: The arguments do not fit each other or the target.

    Examples:
        >>> import momagen as mg
        >>> transform, multiply = mg.ntt(8, modulus=17, depth=2), mg.basemul(8, modulus=17, depth=2)
        >>> x, y = [1, 2, 3, 4, 5, 6, 7, 8], [3, 1, 4, 1, 5, 9, 2, 6]
        >>> product = transform.inverse()(multiply(transform(x), transform(y)))
        >>> product == mg.polymul(8, modulus=17)(x, y)
        True
    """
    preposition = "for"
    joins_transforms, transform_count = False, 0
    meaning = "c/meaning/base_product.txt.j2"

    def multiplies_remainders(self, request: Spec | KernelRequest) -> bool:
        """Return true, because a complete transform has remainders as well, modulo x - z."""
        return True

    def reference_of(self, inverse: bool) -> str:
        """Return the key of the factor of products in the reference implementation of a preset."""
        return "product"

    def lower(self, request: Spec) -> Any:
        """Return the lowered program of a kernel for a processor."""
        return base_products_kernel(request)

    def describe(self, request: Spec) -> str:
        """Return a description of the kernel."""
        text = f"pointwise products of incomplete NTTs, ring {ring_of(request)}{levels_of(request)}"
        return with_moduli(text, request)

    def noun(self, request: Spec) -> str:
        """Return the subject of the first line of the kernel's files, without its modulus and ring."""
        points = f"Products of incomplete transforms of {request.length} points"
        return f"{points}, one product modulo each factor X^{request.degree} - c,"

    def define(
        self, request: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]
    ) -> list[int]:  # fmt: skip
        """Return the correct outputs at some indices, by definition."""
        return remainder_outputs(request, q, root, given, indices)

    def is_defined_quickly(self, request: Spec) -> bool:
        """Return whether all outputs can be computed by definition in little time."""
        return True

    def trial(self, runner: Any, tally: Any, seed: int, twin: Any) -> Callable[[int, int], Any]:
        """Return the function that returns the trial for a modulus and a root."""
        return lambda q, root: remainders_trial(runner, q, root, tally, seed)


register(PolynomialProductKind("polymul"))
register(BaseProductKind("basemul"))
