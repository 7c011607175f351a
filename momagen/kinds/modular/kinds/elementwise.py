"""Element-wise kernels (BLAS level 1), one kind for each formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from momagen.kernels.elementwise.blas import KERNELS, ElementwiseKernel
from momagen.kinds.limits import Limit
from momagen.kinds.modular.commands import COMMANDS
from momagen.kinds.modular.derived.meaning import formula_of
from momagen.kinds.modular.making.limits import on_device
from momagen.kinds.modular.options.values import OPTIONS
from momagen.kinds.modular.spec import Spec
from momagen.kinds.registry import register
from momagen.kinds.titles import TITLES
from momagen.lazy import on_call

from .modular_kind import ModularKind
from .polynomials import with_moduli

if TYPE_CHECKING:
    from momagen.params.words import Words

elements_kernel: Callable[[Spec], Any] = on_call("momagen.lower.elementwise.kernels", "elements_kernel")
element_outputs: Callable[..., list[int]] = on_call("momagen.verify.definitions", "element_outputs")
sum_outputs: Callable[..., list[int]] = on_call("momagen.verify.definitions", "sum_outputs")
pointwise_trial: Callable[..., Any] = on_call("momagen.verify.elements.pointwise", "PointwiseTrial")
sum_trial: Callable[..., Any] = on_call("momagen.verify.elements.sums", "SumTrial")


class ElementwiseKind(ModularKind):
    """A kind of kernels that compute a formula for every element of their vectors.

    Attributes:
        expression: The formula, with the properties that it determines.
    """

    title = TITLES["blas"]
    own_command = COMMANDS["blas"]
    manual = """Build an element-wise kernel (BLAS level 1) modulo q, for vectors of any length.

    A call takes the scalars first, then the vectors; ``k.operands`` names them. x, y and w are vectors, a, ``bound``
    and ``diff`` scalars.

    | kind | result | kind | result |
    |---|---|---|---|
    | "vadd" | x + y | "vadds" | x + a |
    | "vsub" | x - y | "vsubs" | x - a |
    | "vmul" | x·y | "scal" | a·x |
    | "vmuladd" | x·y + w | "axpy" | a·x + y |
    | "vneg" | -x | "vinv" | 1/x, and 0 for x = 0; q must be prime |
    | "reduce" | x mod q | "dot" | Σ x·y, one residue for each vector |
    | "cmpadd" | x + diff if x > bound, otherwise x | "cmpsub" | x - diff mod q if x > bound, otherwise x mod q |
    | "tomont" | x·R mod q | "frommont" | x/R mod q |

    "reduce" accepts any number that the words hold. "cmpadd" computes modulo 2^(bits of the words) instead of q; the
    option ``cmp`` selects another comparison for it and for "cmpsub". "tomont" and "frommont" convert to and from
    Montgomery form.

    Returns:
        The kernel. It is generated already, but is compiled only when it is first needed.

    Raises:
        MomagenError: The kind is unknown, or the arguments do not fit each other or the target.

    Examples:
        >>> import momagen as mg
        >>> multiply = mg.blas("vmul", modulus=17)
        >>> multiply([1, 2, 16], [3, 9, 16])
        [3, 1, 1]
        >>> axpy = mg.blas("axpy", modulus=17)
        >>> axpy.operands
        ('a', 'x', 'y')
        >>> axpy(2, [1, 2, 3], [10, 10, 10])
        [12, 14, 16]
    """
    manual_of_options = (
        "Choices between implementations, as for :func:`ntt`, and three more. ``cmp`` is the comparison of x with the"
        ' bound in "cmpadd" and "cmpsub": eq, lt, le, ne, nlt, nle (x > bound, the default), true or false.'
        ' ``input_factor`` may also be "any", which is the default of "reduce". ``form="montgomery"`` means that'
        " operands and results are x·R mod q with R = 2^k, where k is ``form_bits`` (default: the bits of the words of"
        " a residue). ``momagen blas --help`` describes all options."
    )
    manual_of_kind = "The operation, from the table above."
    has_points, result = False, "z"
    limits = (
        Limit(lambda asked: on_device(asked) and (asked.kind.expression.inverts or asked.kind.expression.sums),
              "target", "{0.kind} is not available on {0.target}", "use a target such as c or avx2"),
    )  # fmt: skip
    meaning = "c/meaning/elements.txt.j2"

    def __init__(self, name: str, expression: ElementwiseKernel) -> None:
        super().__init__(name)
        self.expression, self.recurs = expression, expression.recurs
        self.usual_factors = expression.usual_factors

    @property
    def command_words(self) -> Sequence[str]:
        """The words of a command line that select the kind."""
        return ["blas", self.name]

    @property
    def is_modular(self) -> bool:
        """Whether the formula consists of sums and products of residues."""
        return self.expression.plain

    @cached_property
    def option_values(self) -> Mapping[str, tuple[str, ...]]:
        """The options, each with its values, some of which the formula determines."""
        factors = OPTIONS["output_factor"] if self.expression.has_factors else ()
        own: Mapping[str, tuple[str, ...]] = {
            "reduction": self.expression.reductions, "cmp": OPTIONS["cmp"] if self.expression.compared else (),
            **{option: OPTIONS[option] if self.expression.multiplies else () for option in ("limbs", "interleave")},
            "form": OPTIONS["form"] if self.expression.has_form else (),
            "input_factor": OPTIONS["input_factor"] if self.expression.any_input else factors, "output_factor": factors,
        }  # fmt: skip
        return {**super().option_values, **own}

    def operand_factors(self, factor: int) -> dict[str, int]:
        """Return the factors of the ranges of operands, scalars first."""
        return self.expression.factors(factor)

    def lower(self, request: Spec) -> Any:
        """Return the lowered program of a kernel for a processor."""
        return elements_kernel(request)

    def describe(self, request: Spec) -> str:
        """Return the kind and its formula."""
        return with_moduli(f"{self.name}, {formula_of(request)}", request)

    def headline(self, request: Spec) -> str:
        """Return the first line of the kernel's files, with the formula and without a full stop."""
        how = "" if request.sums else " element by element,"
        return f"z = {formula_of(request)},{how} on vectors of any length"

    def define(
        self, request: Spec, q: int, root: int, given: Sequence[Words], indices: Sequence[int]
    ) -> list[int]:  # fmt: skip
        """Return the correct outputs at some indices, by definition."""
        define = sum_outputs if self.expression.sums else element_outputs
        return define(request, q, root, given, indices)

    def trial(self, runner: Any, tally: Any, seed: int, twin: Any) -> Callable[[int, int], Any]:
        """Return the function that returns the trial for a modulus."""
        make = sum_trial if runner.spec.sums else pointwise_trial
        return lambda q, root: make(runner, q, tally, seed)


for _name, _row in KERNELS.items():
    register(ElementwiseKind(_name, _row))
