# Generated from the declarations in momagen/kinds: do not edit. Edit the declarations, and run `momagen regen`.
# fmt: off
"""The functions that build kernels of the kinds whose parameters are declared in ``momagen/kinds``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from momagen.api.kernel import Kernel
from momagen.api.native import resolved
from momagen.arguments import checked_arguments
from momagen.emit import generate
from momagen.kinds.modular.typed import ConversionMethod, DivisionMethod, ProductEngine, Sums
from momagen.values.targets import TargetName


@checked_arguments
def convert(
    moduli: Sequence[int] | int, *, to: Sequence[int] | int, modulus_bits: int | None = None, exact: bool = True,
    method: ConversionMethod | None = None, positive: bool = False, scaled: bool = False, target: TargetName = "c",
    engine: ProductEngine | None = None, threads: int | None = None,
) -> Kernel:
    """Build a kernel that converts residues from one RNS basis to another (base conversion, base extension).

    The kernel maps the residues of an integer a, -Q/2 < a < Q/2 (0 ≤ a < Q with ``positive``), to the residues of the
    number in the second column, where Q is the product of the source moduli:

    | method | result | condition or error |
    |---|---|---|
    | "exact" | a | none; uses mixed radices (Garner) |
    | "corrected" | a | may be off by Q if a is within Q/2^40 of ±Q/2 (``positive``: if a > Q - Q/2^39) |
    | "shenoy-kumaresan" | a | the last source modulus m is redundant, see below |
    | "montgomery" | a | may be off by Q if a is within L·Q/2^b of ±Q/2 (``positive``: if a > Q - 2·L·Q/2^b) |
    | "fast" | a + u·Q | 0 ≤ u < L, with the same u for all target moduli |

    L is the number of source moduli. For "montgomery", b is the number of bits of the longest source or target modulus,
    and the multiple of Q is computed modulo 2^(b - 1). For "shenoy-kumaresan", Q is the product and L the number of the
    other source moduli, and a may be any number with |a| ≤ Q·(m - L)/2, or 0 ≤ a ≤ Q·(m - L) with ``positive``.

    Args:
        moduli: The source moduli, pairwise coprime; or the number of the largest primes of ``modulus_bits`` bits. They
            must be odd for the methods "exact" and "montgomery", and for targets other than C and CUDA.
        to: The target moduli, from 2 on in C and CUDA (odd for the method "montgomery"), and odd and pairwise coprime
            elsewhere; or a number of primes, which are the next ones below those of ``moduli``.
        modulus_bits: The width in bits of the primes, if a number of them was passed.
        exact: The method if ``method`` is None: "exact" if true, "fast" if false.
        method: The method, from the table above.
        positive: Whether the numbers are 0 ≤ a < Q instead of -Q/2 < a < Q/2. "fast" always uses 0 ≤ a < Q.
            ``positive`` and the methods other than "exact" and "fast" require moduli of at most 62 bits and a target in
            C; CUDA supports "corrected" and ``positive``, too.
        scaled: Whether the result is P·a/Q, rounded to the nearest integer, where P is the product of ``to`` and
            coprime to Q. If ``to`` is [t] for the plaintext modulus t, this is the last step of BFV's decryption.
            "corrected" may round to the other side if P·a modulo Q is within Q/2^40 of Q/2; the result of "fast" is
            less than P·a/Q by at most L. ``scaled`` requires the method "exact", "corrected" or "fast", a target in C,
            and moduli of at most 62 bits.
        target: A C target with 64-bit words, "native" for the best of them on this CPU, a CUDA target such as "cuda",
            or a JAX target with engines, as in :func:`matmul`. In C, moduli have at most 64 bits, and lengths up to 62
            bits can be mixed; with a 63-bit modulus, every source modulus must be at most twice every target modulus,
            and with a 64-bit modulus at most equal to it. In CUDA, moduli have at most 62 bits, and there are at most
            64 source moduli (32 for the method "exact").
        engine: The matrix engine of a JAX target: "int8", "int32", "words", "bfloat16", "float32" or "float64"
            (default: the cheapest engine of the target whose sums are exact).
        threads: The number of threads that compute one call, in C; ``k.threads`` sets another number.

    Returns:
        The kernel. ``k(x)`` maps residues of shape (…, moduli, n) to residues of shape (…, target moduli, n).

    Raises:
        MomagenError: The moduli do not satisfy the conditions, or the target does not support the method, the engine or
            threads.

    Examples:
        >>> import momagen as mg
        >>> k = mg.convert([13, 17], to=[19, 23])
        >>> k([[100 % 13], [100 % 17]])  # 100 modulo 19 and 23
        [[5], [8]]
        >>> k([[-1 % 13], [-1 % 17]])
        [[18], [22]]
    """
    return _made(
        "convert", moduli=moduli, to=to, modulus_bits=modulus_bits, exact=exact, method=method, positive=positive,
        scaled=scaled, target=target, engine=engine, threads=threads,
    )


@checked_arguments
def rescale(
    moduli: Sequence[int] | int, *, modulus_bits: int | None = None, rounding: Literal["nearest", "floor"] = "nearest",
    target: TargetName = "c", threads: int | None = None,
) -> Kernel:
    """Build a kernel that divides by the last modulus of an RNS basis and rounds (rescaling).

    For an integer a, given by its residues modulo all moduli, the result is the quotient a/d modulo all moduli but the
    last one, d, rounded to the nearest integer or down. a is from 0 to Q - 1, where Q is the product of all moduli; a
    negative a is represented by a + Q, and its quotient is then correct, too.

    Args:
        moduli: The basis: odd, pairwise coprime numbers of at most 64 bits; or the number of the largest primes of
            ``modulus_bits`` bits. d is at most 8 times the smallest of the other moduli, and at most 4, 2 or 1 times if
            the longest modulus has 62, 63 or 64 bits.
        modulus_bits: The width in bits of the primes, if a number of them was passed.
        rounding: "nearest" computes ⌊(a + ⌊d/2⌋)/d⌋, the nearest integer; "floor" computes ⌊a/d⌋.
        target: A C target with 64-bit words, "native" for the best of them on this CPU, or a CUDA target such as
            "cuda", for which moduli have at most 62 bits.
        threads: The number of threads that compute one call, in C; ``k.threads`` sets another number.

    Returns:
        The kernel. ``k(x)`` maps residues of shape (…, moduli, n) to residues of shape (…, moduli - 1, n).

    Raises:
        MomagenError: The moduli do not satisfy the conditions, or the target does not support the kernel or threads.

    Examples:
        >>> import momagen as mg
        >>> k = mg.rescale([193, 257, 97])
        >>> a = 1050
        >>> k([[a % 193], [a % 257], [a % 97]])  # 1050/97 = 10.8…
        [[11], [11]]
    """
    return _made(
        "rescale", moduli=moduli, modulus_bits=modulus_bits, rounding=rounding, target=target, threads=threads,
    )


@checked_arguments
def keyswitch(
    moduli: Sequence[int] | int, *, modulus_bits: int | None = None, outputs: int = 2, input_factor: int = 1,
    digits: int = 3, target: TargetName = "c", threads: int | None = None,
) -> Kernel:
    """Build the inner product of key switching: z_o = Σ_j d_j·k_{j,o} modulo each of ``moduli``, element by element.

    The products of all digits are summed before they are reduced. The operands are rows of residues, in homomorphic
    encryption usually values of polynomials (after the NTT). With one output, the result is the sum of element-wise
    products.

    Args:
        moduli: The RNS basis: any numbers from 2 to 2^62, or the number of the largest primes of ``modulus_bits`` bits.
        modulus_bits: The width in bits of the primes, if a number of them was passed.
        outputs: The number of keys for each digit and of results, 1 to 4; key switching of a ciphertext has 2.
        input_factor: The range of the digits, which are below ``input_factor`` times their modulus: 1, 2 or 4.
        digits: The number of digits with which ``verify`` tests the kernel, 1 to 64; calls accept any such number.
        target: A C target with 64-bit words, "native" for the best of them on this CPU, or a CUDA target such as
            "cuda".
        threads: The number of threads that compute one call, in C; ``k.threads`` sets another number.

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
    return _made(
        "keyswitch", moduli=moduli, modulus_bits=modulus_bits, outputs=outputs, input_factor=input_factor,
        digits=digits, target=target, threads=threads,
    )


@checked_arguments
def moddown(
    moduli: Sequence[int] | int, *, modulus_bits: int | None = None, drop: int = 1,
    method: DivisionMethod = "corrected", scale: int = 1, plaintext_modulus: int = 1, target: TargetName = "c",
    threads: int | None = None,
) -> Kernel:
    """Build a kernel that divides by the product P of the last ``drop`` moduli: the ModDown of key switching.

    The result is (s·a - t·r)/P modulo all other moduli, where r is congruent to s·a/t modulo P. The rows of a are
    residues of coefficients, not of values.

    Args:
        moduli: The RNS basis: numbers from 2 to 2^62, or the number of the largest primes of ``modulus_bits`` bits. The
            last ``drop`` moduli are coprime to each other and to all other moduli; they are odd if the method is
            "exact".
        modulus_bits: The width in bits of the primes, if a number of them was passed.
        drop: The number of moduli by whose product the kernel divides.
        method: "exact" uses |r| < P/2, so that s·a/P is rounded to the nearest integer if t is 1. "corrected" computes
            the same from rounded quotients; if s·a/t modulo P is within P/2^40 of ±P/2, it may use r ± P. "fast" uses 0
            ≤ r < drop·P, so that results are too small by at most ``drop`` if t is 1.
        scale: s, from 1 to 2^62 - 1. In BFV it is the plaintext modulus, so that a product is scaled and rounded;
            otherwise it is 1.
        plaintext_modulus: t. In BGV it is the plaintext modulus, so that the result is a·P^-1 modulo t; otherwise it is
            1.
        target: A C target with 64-bit words, "native" for the best of them on this CPU, or a CUDA target such as
            "cuda", for which ``drop`` is at most 64, or 32 if the method is "exact".
        threads: The number of threads that compute one call, in C; ``k.threads`` sets another number.

    Returns:
        The kernel. ``k(x)`` maps residues of shape (…, moduli, n) to residues of shape (…, moduli - drop, n).

    Raises:
        MomagenError: The moduli or a number are out of range, t shares a factor with P, or the target does not support
            the kernel or threads.

    Examples:
        >>> import momagen as mg
        >>> k = mg.moddown([193, 257, 97, 101], drop=2)
        >>> a = 7 * 97 * 101 + 1
        >>> k([[a % q] for q in k.moduli])
        [[7], [7]]
    """
    return _made(
        "moddown", moduli=moduli, modulus_bits=modulus_bits, drop=drop, method=method, scale=scale,
        plaintext_modulus=plaintext_modulus, target=target, threads=threads,
    )


@checked_arguments
def matmul(
    matrix: Any, *, modulus: int | str, target: TargetName = "jax", sums: Sums = "montgomery", sparse: bool = False,
    engine: ProductEngine | None = None,
) -> Kernel:
    """Build the product of a constant matrix with matrices modulo q, on a matrix engine of a JAX target.

    Residues are split into signed digits, whose products the engine sums exactly.

    Args:
        matrix: The rows of the matrix, integers of any size, which are reduced modulo q.
        modulus: The modulus q, odd, of up to 1024 bits.
        target: A target with engines: "jax", "jax_cpu", "jax_gpu" or "jax_tpu".
        sums: How sums of digits become residues: "montgomery" or "barrett" reduction, or "folded" by the engine.
        sparse: Whether the digits of the elements are stored unchanged at every distance, in 2·d - 1 rows for d digits,
            nearly half of them zeros (CROSS, Figure 7), instead of in d rows that hold the digits of the elements times
            powers of two, modulo q.
        engine: The matrix engine of a JAX target: "int8", "int32", "words", "bfloat16", "float32" or "float64"
            (default: the cheapest engine of the target whose sums are exact).

    Returns:
        The kernel. ``k(x)`` maps residues of shape (…, inner, columns) to products of shape (…, rows, columns), where
        (rows, inner) is the shape of ``matrix``. x is a JAX array of uint32 words, or a list of ``inner`` rows of
        integers.

    Raises:
        MomagenError: The matrix or the modulus is invalid, the target has no engines, or no engine can sum the rows
            exactly.
    """
    return _made(
        "matmul", matrix=matrix, modulus=modulus, target=target, sums=sums, sparse=sparse, engine=engine,
    )


def _made(kind: str, **values: object) -> Kernel:
    """Return the kernel for values as users write them."""
    return Kernel(generate(resolved(kind, values)))
