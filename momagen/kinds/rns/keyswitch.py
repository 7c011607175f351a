"""The request for the inner product of key switching: sums of products of digits and keys modulo an RNS basis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from momagen.kinds.columns import Column
from momagen.kinds.limits import check
from momagen.kinds.parameter import Param
from momagen.kinds.registry import register
from momagen.kinds.titles import TITLES
from momagen.lazy import on_call
from momagen.targets import Target

from .basis import MODULI, TARGET, THREADS, RowsSpec
from .interfaces.interface import BAD_ANY, BELOW, RowsInterface, any_below
from .moduli import check_moduli
from .rows import EntryPoints, RowsKind, RowsLowering
from .targets import LIMITS

MOST_DIGITS = 64
"""The largest number of digits of a plan."""
FACTORS = (1, 2, 4)
"""Multiples of a modulus below which digits may be; transforms leave lazily reduced residues below 4q."""
MOST_OUTPUTS = 4
"""The largest number of keys for each digit: the sums of all outputs stay in registers."""
LAZY = "Residues of d are below {}·q_i. "
ORDER = (
    "If `order` is not NULL, it has n elements, and column c of the result takes the digits from column order[c] and"
    " the keys from column c; execute does not check that order[c] < n. An automorphism X -> X^g is applied to the"
    " digits in this way: it permutes the values of their NTTs."
)
if TYPE_CHECKING:
    from gmpy2 import mpz

    from momagen.api.kernel import Kernel

LOWERING = RowsLowering(
    on_call("momagen.lower.rns.kernels", "add_inner_products"), on_call("momagen.lower.rns.device", "switch_keys"),
    EntryPoints("keyswitch_words", "keyswitch_room", "set_keyswitch", "run_keyswitch"),
)  # fmt: skip
EDGES = {
    "largest digits and keys": (-1, -1), "zeros": (0, 0), "largest digits, keys 1": (-1, 1),
    "digits 1, largest keys": (1, -1),
}  # fmt: skip
"""Digits and keys of edge cases; -1 is the largest residue."""
keyswitch_caller: Callable[..., Any] = on_call("momagen.api.rns.callers", "keyswitch_caller")


@dataclass(frozen=True)
class KeySwitchSpec(RowsSpec):
    """The sums z_o = Σ_j d_j·k_{j,o} modulo each of ``moduli``, element by element."""

    moduli: Annotated[tuple[int, ...], replace(
        MODULI,
        doc="The RNS basis: any numbers from 2 to 2^62, or the number of the largest primes of ``modulus_bits`` bits.",
    )]  # fmt: skip
    target: Annotated[Target, TARGET]
    outputs: Annotated[int, Param(
        f"number of keys per digit, and number of results, from 1 to {MOST_OUTPUTS}",
        doc=f"The number of keys for each digit and of results, 1 to {MOST_OUTPUTS}; key switching of a ciphertext has"
        " 2.",
        group="Sums", metavar="K", least=1, most=MOST_OUTPUTS,
    )] = 2  # fmt: skip
    input_factor: Annotated[int, Param(
        "accept digits below F·q (lazy range)",
        doc="The range of the digits, which are below ``input_factor`` times their modulus: 1, 2 or 4.",
        group="Sums", choices=FACTORS,
    )] = 1  # fmt: skip
    digits: Annotated[int, Param(
        "number of digits (1 to 64) for which the kernel is tuned and with which it is verified; the generated function"
        " `create` accepts every number in this range",
        doc="The number of digits for which the kernel is tuned and with which ``verify`` tests it, 1 to"
        f" {MOST_DIGITS}; calls accept any such number.",
        group="Sums", metavar="D", flag="--dnum", least=1, most=MOST_DIGITS,
    )] = 3  # fmt: skip
    threads: Annotated[int, THREADS] = 0

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands of a call."""
        return ("d", "k")

    @property
    def goals(self) -> tuple[int, ...]:
        """The moduli of the rows of the result."""
        return self.moduli * self.outputs

    @property
    def stem(self) -> str:
        """The name without its target."""
        outputs = f"_{self.outputs}outputs" * (self.outputs != 2)
        factor = f"_below{self.input_factor}q" * (self.input_factor > 1)
        return f"keyswitch{len(self.moduli)}_{self.bits}b{outputs}{factor}"


def check_keyswitch(spec: KeySwitchSpec) -> None:
    """Check a request.

    Raises:
        MomagenError: there is no such kernel: no moduli, moduli that are too long, a target of another language, or
            threads in CUDA.
    """
    check_moduli(spec.moduli, "moduli", odd=False)
    check(spec, LIMITS)


class KeySwitchKind(RowsKind):
    """Inner products of key switching."""

    name = "keyswitch"
    title = TITLES[name]
    request = KeySwitchSpec
    permutes = True
    sample = MappingProxyType({"moduli": 3, "modulus_bits": 50})
    examples = ("keyswitch --moduli 4 --modulus-bits 60 --dnum 2",)
    manual = """
    Build the inner product of key switching: z_o = Σ_j d_j·k_{j,o} modulo each of ``moduli``, element by element.

    The products of all digits are summed before they are reduced. The operands are rows of residues, in homomorphic
    encryption usually values of polynomials (after the NTT). With one output, the result is the sum of element-wise
    products.

    Returns:
        The kernel. ``k(d, keys)`` maps digits of shape (…, digits, moduli, n) and keys of shape (digits, outputs,
        moduli, n) to sums of shape (…, outputs, moduli, n).

    Raises:
        MomagenError: The moduli or a number are out of range, or the target does not support the kernel or threads.

    Examples:
        >>> import momagen as mg
        >>> k = mg.keyswitch([97], outputs=1)
        >>> digits = [[[2, 3]], [[4, 5]]]  # two digits, one modulus, n = 2
        >>> keys = [[[[10, 10]]], [[[1, 1]]]]  # two digits, one output, one modulus, n = 2
        >>> k(digits, keys)
        [[[24, 35]]]
    """

    def check(self, request: KeySwitchSpec) -> None:
        """Check the moduli and the numbers of digits and outputs."""
        check_keyswitch(request)

    def describe(self, request: KeySwitchSpec) -> str:
        """Return what the kernel computes, in words."""
        return f"inner product of key switching in an RNS basis, keys per digit: {request.outputs}"

    def tops(self, request: KeySwitchSpec) -> Sequence[Sequence[int]]:
        """Return, for digits and keys, the number above the residues of each row."""
        digits = [request.input_factor * q for q in request.moduli] * request.digits
        return [digits, [*request.moduli] * request.outputs * request.digits]

    def lowering(self, request: KeySwitchSpec) -> RowsLowering:
        """Return how a kernel is lowered."""
        return LOWERING

    def interface(self, request: KeySwitchSpec) -> RowsInterface:
        """Return the C interface."""
        last, factor, several = request.outputs - 1, request.input_factor, request.outputs > 1
        outputs = f"o from 0 to {last}" if several else "o = 0"
        key = f"({request.outputs}·j + o)·moduli + i" if several else "j·moduli + i"
        return RowsInterface(
            purpose="Computes the inner product of key switching: sums of products of digits and keys modulo all moduli"
            " of an RNS basis.",
            counts=f"`moduli` moduli q and `digits` digits, 1 to {MOST_DIGITS}", bad=BAD_ANY,
            served=any_below(request.bits),
            execute=f"Computes z_o = the sum of d_j·k_{{j,o}} over all digits j, for {outputs}, modulo every q_i and in"
            " each of n columns. Column c consists of element c of every row. Row i of the digit d_j, modulo q_i, is"
            f" row j·moduli + i of d; row i of the key k_{{j,o}} is row {key} of k; row i of z_o is row o·moduli + i of"
            f" z. Every row has n residues, and rows are contiguous. {LAZY.format(factor) * (factor > 1)}{ORDER}",
            aliases="A row of z may be a row of d or k for the same modulus if `order` is NULL.",
            goals="moduli", operands=("d", "k"), sizes=("digits",), scratch="digits", permutations=("order",),
            wrong_size=(f"digits < 1 || digits > {MOST_DIGITS}",
                        f"the number of digits is not from 1 to {MOST_DIGITS}"),
            ranges=BELOW + f"; residues of d are below {factor} times their modulus" * (factor > 1),
            public="The number of elements, the contents of `order` and all arguments of create, such as q,",
            constants={"OUTPUTS": (request.outputs, "the number of keys per digit, and of groups of a result")},
        )  # fmt: skip

    def numbers(self, request: KeySwitchSpec) -> Mapping[str, int]:
        """Return the number of digits."""
        return {"digits": request.digits}

    def device_numbers(self, request: KeySwitchSpec) -> Mapping[str, int]:
        """Return the number of moduli, whose sums blocks of threads compute, and the number of digits."""
        return {"goals": len(request.moduli), "digits": request.digits}

    def caller(self, kernel: Kernel) -> Callable[..., Any]:
        """Return the function that checks digits and keys and calls the kernel."""
        return keyswitch_caller(kernel)  # type: ignore[no-any-return]

    def shapes(self, request: KeySwitchSpec) -> Sequence[tuple[int, ...]]:
        """Return the shapes of digits and keys without their last axis."""
        digits, moduli = request.digits, len(request.moduli)
        return [(digits, moduli), (digits, request.outputs, moduli)]

    def define(self, request: KeySwitchSpec, column: Sequence[mpz]) -> Column:
        """Return the sums of products of digits and keys modulo every modulus, for one output after another."""
        count, outputs = len(request.moduli), request.outputs
        digits, keys = column[: request.digits * count], column[request.digits * count :]
        terms = range(request.digits)
        return Column([
            int(sum(digits[j * count + i] * keys[(j * outputs + o) * count + i] for j in terms) % q)
            for o in range(outputs) for i, q in enumerate(request.moduli)
        ])  # fmt: skip

    def edge_columns(self, request: KeySwitchSpec) -> Mapping[str, Sequence[int]]:
        """Return columns of the largest digits and keys, and of zeros and ones."""
        digits, keys = self.tops(request)
        return {name: [d % top for top in digits] + [k % top for top in keys] for name, (d, k) in EDGES.items()}


KeySwitchSpec.kind = register(KeySwitchKind())
