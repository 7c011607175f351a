"""Number theoretic transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from momagen.formula.breakdown import ALGORITHMS, RING
from momagen.kinds.limits import Limit
from momagen.kinds.modular.commands import COMMANDS
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import register
from momagen.kinds.titles import TITLES
from momagen.languages import MachineModel
from momagen.lazy import on_call

from .polynomials import PolynomialKind, columns_of, levels_of, ring_of, with_moduli

if TYPE_CHECKING:
    from momagen.params.words import Words

way: Callable[[Spec], str] = on_call("momagen.plan.ways", "way")
transform_outputs: Callable[..., list[int]] = on_call("momagen.verify.definitions", "transform_outputs")
evaluates_quickly: Callable[..., bool] = on_call("momagen.verify.definitions", "evaluates_quickly")
transform_trial: Callable[..., Any] = on_call("momagen.verify.transform", "TransformTrial")


class TransformKind(PolynomialKind):
    """The kind of transforms from coefficients to values at roots of unity, and back."""

    title = TITLES["ntt"]
    own_command = COMMANDS["ntt"]
    manual = """Build a number theoretic transform (NTT) of n points modulo q.

    The forward transform maps the coefficients a_0 … a_(n-1) of a polynomial a(x) to its values a(ω^i), or, if
    ``negacyclic`` is true, to its values at the odd powers of ψ, the roots of x^n + 1. Coefficients are in natural
    order; values are in bit-reversed order unless ``order`` is "natural". Operands and results are residues below q
    unless the options ``input_factor`` and ``output_factor`` widen that range.

    Returns:
        The kernel. It is generated already, but is compiled only when it is first needed.

    Raises:
        MomagenError: The arguments do not fit each other or the target.

    Examples:
        >>> import momagen as mg
        >>> k = mg.ntt(4, modulus=17)
        >>> k.root, k.order.tolist()
        (4, [0, 2, 1, 3])
        >>> k([0, 1, 0, 0]) == k.points()  # the values of a(x) = x are the points themselves
        True
        >>> k.inverse()(k([1, 2, 3, 4]))
        [1, 2, 3, 4]
        >>> mg.ntt(1024, bits=128, negacyclic=True, target="avx512ifma").modulus.bit_length()
        124
    """
    manual_of_options = (
        "Choices between implementations of the same transform, such as ``radix`` (2, 4, 8 or 16), ``reduction`` (how"
        " products are reduced), ``multiply`` (how multi-word numbers are multiplied), ``threads`` and ``bake``."
        ' ``quotients`` says whether twiddles are stored with their Shoup quotients ("table") or without ("computed",'
        " for Montgomery or pseudo-Mersenne reduction); the default depends on target, width and size."
        " ``input_factor`` and ``output_factor`` (1, 2, 4, 8 or 16) allow operands and results below that multiple of"
        " q. ``momagen ntt --help`` describes all options."
    )
    unit, thing, recurs = "butterfly", "transform", "never"
    transform_count, meaning = 1, "c/meaning/transform.txt.j2"
    has_special_tables = splits_among_threads = has_passes = True

    limits = (
        Limit(lambda asked: asked.montgomery and not asked.inverse, "montgomery",
              "`montgomery` does not apply to forward transforms", "omit `montgomery`, or use `inverse=True`"),
        Limit(lambda asked: asked.coset and asked.target.machine is MachineModel.ARRAYS,
              "coset", "`coset` is not available on {0.target}", "use a target such as c or cuda"),
    )  # fmt: skip

    @property
    def is_modular(self) -> bool:
        """Whether machines with modular arithmetic compute the kernels, which is true."""
        return True

    def transforms(self, request: Spec, points: int = 1, lazy: int = 1) -> dict[str, Spec]:
        """Return the transform itself."""
        return {"": request}

    def reference_of(self, inverse: bool) -> str:
        """Return the key of the factor of inverse transforms in the reference implementation of a preset."""
        return "inverse" * inverse

    def work(self, request: Spec) -> int:
        """Return the number of butterflies."""
        return request.elements // 2 * request.depth

    def describe(self, request: Spec) -> str:
        """Return a description such as "NTT of 8 points, ring x^8 - 1, natural in, bit-reversed out"."""
        points = f"{'2 to ' * request.sized}{request.length} points{levels_of(request)}{columns_of(request)}"
        points += f" of a(x^{request.automorphism})" * (request.automorphism > 1)
        text = f"{'inverse ' * request.inverse}NTT of {points}, ring {ring_of(request)}, {_order(request)}"
        return with_moduli(text, request)

    def noun(self, request: Spec) -> str:
        """Return the subject of the first line of the kernel's files, without its modulus and ring."""
        points = f"2 to {request.n}" if request.sized else request.length
        named = not request.sized and request.algorithm != RING and way(request) == "words"
        by = f" ({ALGORITHMS[request.algorithm].title})" if named else ""
        columns = f", {request.depth} levels" * (request.degree > 1)
        columns += f" in each of {request.across} columns" * (request.across > 1)
        moved = f" with the automorphism X -> X^{request.automorphism}" * (request.automorphism > 1)
        first = "Inverse n" if request.inverse else "N"
        return f"{first}umber theoretic transform of {points} points{columns}{moved}{by}"

    def define(
        self, request: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]
    ) -> list[int]:  # fmt: skip
        """Return the correct outputs at some indices, by definition."""
        return transform_outputs(request, q, root, given, indices)

    def is_defined_quickly(self, request: Spec) -> bool:
        """Return whether all outputs can be computed by definition in little time."""
        return evaluates_quickly(request)

    def trial(self, runner: Any, tally: Any, seed: int, twin: Any) -> Callable[[int, int], Any]:
        """Return the function that returns the trial for a modulus and a root."""
        return lambda q, root: transform_trial(runner, q, root, tally, seed, twin)


def _order(spec: Spec) -> str:
    """Return the orders of the operand and the result of a transform."""
    if spec.order == "natural":
        return "natural order in and out"
    return "bit-reversed in, natural out" if spec.inverse else "natural in, bit-reversed out"


TRANSFORM = register(TransformKind("ntt"))
