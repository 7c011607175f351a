"""The functions that build kernels for transforms, polynomial products and element-wise operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from momagen.arguments import checked_arguments
from momagen.errors import among
from momagen.kinds.modular.lists import BLAS
from momagen.kinds.modular.spec import Spec
from momagen.kinds.modular.typed import (
    BaseProductOptions,
    ElementwiseOptions,
    ExtensionOptions,
    PresetName,
    ProductOptions,
    TransformOptions,
)
from momagen.kinds.registry import kind_named, names
from momagen.tune.wish import Wish
from momagen.values.targets import TargetName
from momagen.values.texts import text

from .generated import generated
from .kernel import Kernel
from .native import resolved
from .request import specify, taking

Moduli = int | Sequence[int | str]
"""The type of ``moduli``: a number of primes, or the moduli themselves."""


@taking(TransformOptions)
def ntt(
    n: int | str | None = None, *, bits: int | None = None, modulus: int | str | None = None,
    root: int | str | None = None, inverse: bool = False, negacyclic: bool = False, order: str = "bitrev",
    target: TargetName = "c", wisdom: Wish = None, modulus_bits: int | None = None, generator: int | str | None = None,
    max_n: int | None = None, moduli: Moduli | None = None, roots: Sequence[int | str] | None = None,
    columns: int = 1, coset: int | str | None = None, automorphism: int | str | None = None, depth: int | None = None,
    preset: PresetName | None = None, montgomery: int | str | None = None, layout: str | None = None,
    **options: Unpack[TransformOptions],
) -> Kernel:  # fmt: skip
    """Build a number theoretic transform (NTT) of n points modulo q.

    The forward transform maps the coefficients a_0 … a_(n-1) of a polynomial a(x) to its values a(ω^i), or, if
    ``negacyclic`` is true, to its values at the odd powers of ψ, the roots of x^n + 1. Coefficients are in natural
    order; values are in bit-reversed order unless ``order`` is "natural". Operands and results are residues below q
    unless the options ``input_factor`` and ``output_factor`` widen that range.

    Args:
        n: The number of points, a power of two from 2 to 2^26. With "any", the kernel serves every power of two from 2
            to ``max_n``: in C, the caller passes n to ``create``; in Python, a call takes n from its operand, and
            ``k.at(n)`` returns the kernel of one size. The root is then that of ``max_n``. With a preset, n may be
            omitted.
        max_n: The largest size if n is "any" (default: 2^17).
        bits: The width of the container in bits, instead of a modulus: q is the largest prime below 2^(bits - 4) with
            2n | q - 1.
        modulus_bits: The width of the modulus in bits, instead of a modulus: q is the largest prime of exactly this
            width with 2n | q - 1.
        modulus: The modulus q: an odd prime with n | q - 1 (2n | q - 1 if the transform is negacyclic), given as an
            integer, an expression such as "2^64-2^32+1" or a name such as "goldilocks". An odd composite q is accepted
            if ``root`` is given.
        root: ω, a primitive n-th root of unity modulo every prime factor of q (ω^(n/2) = -1); for a negacyclic
            transform ψ, a primitive 2n-th root (ψ^n = -1). By default, the smallest one; q must then be prime.
        generator: A generator g of the multiplicative group modulo a prime q, instead of a root: ω = g^((q - 1)/n), or
            ψ = g^((q - 1)/(2n)).
        moduli: An RNS basis instead of one modulus: pairwise coprime moduli, or the number of the largest primes below
            2^(bits - 4), or of ``modulus_bits`` bits. One plan serves all of them, and vectors have an axis of moduli
            before n.
        roots: One root for each of ``moduli`` (default: the smallest ones).
        columns: The number of columns of a row-major matrix of n rows, each of which is transformed (default: 1). If it
            is not 1, vectors have an axis of columns after n. n·columns is at most 2^26, on JAX 2^30. A multiple of the
            target's number of lanes is fastest.
        coset: A number g. Values are those at g·ω^i instead of ω^i, of polynomials modulo x^n - g^n. CUDA targets
            support bit-reversed order only, C targets both orders.
        automorphism: An odd integer g, taken modulo the order of the root. The forward transform then computes the
            values of a(x^g) from the coefficients of a, and the inverse transform the coefficients of a(x^g) from the
            values of a. This costs nothing, because only the tables change.
        depth: The number of butterfly levels, if it is below log2 n. The transform is then incomplete: it computes the
            remainders modulo x^d - z with d = n/2^depth. Remainder i is at positions d·i … d·i + d - 1, and its z is
            the root to the power ``k.order[i]``. The root has order 2^depth, or 2^(depth + 1) if negacyclic, which must
            divide q - 1. The inverse is scaled by 1/2^depth.
        preset: The transform of a standard: "ml-kem", "ml-dsa", "falcon-512" or "falcon-1024". It sets n, depth,
            modulus, root and negacyclic.
        montgomery: k, if an inverse transform is to return 2^k times the coefficients, as reference implementations
            that multiply by Montgomery's method do. "reference" selects the factor of the preset's reference
            implementation.
        inverse: Whether to build the inverse transform, from values to coefficients, scaled by 1/n.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1) instead of Z_q[x]/(x^n - 1).
        order: The order of the values: "bitrev" (bit-reversed, the default) or "natural".
        target: The name of a target (see :func:`momagen.targets`), "native" for the best target that this CPU supports,
            or the path of a TOML file (default: "c").
        layout: The words of the kernel's arrays: "u16", "u32" or "u64", if a residue is one word. By default, a target
            with vector lanes uses the shortest words that leave residues a spare bit, because two or four times as many
            of them fit in a register. In Python, the kernel also accepts arrays of these words and returns its result
            in them.
        wisdom: Whether to add the options that :func:`momagen.tune` found to be fastest on this machine with the usual
            compiler: True for those in the default file, a path for those in that file, False for none. None reads the
            file that $MOMAGEN_WISDOM names, if it is set.
        **options: Choices between implementations of the same transform, such as ``radix`` (2, 4, 8 or 16),
            ``reduction`` (how products are reduced), ``multiply`` (how multi-word numbers are multiplied), ``threads``
            and ``bake``. ``quotients`` says whether twiddles are stored with their Shoup quotients ("table") or without
            ("computed", for Montgomery or pseudo-Mersenne reduction); the default depends on target, width and size.
            ``input_factor`` and ``output_factor`` (1, 2, 4, 8 or 16) allow operands and results below that multiple of
            q. ``momagen ntt --help`` describes all options.

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
    spec = specify(
        "ntt", n=n, bits=bits, modulus=modulus, root=root, inverse=inverse, negacyclic=negacyclic, order=order,
        target=target, options=options, modulus_bits=modulus_bits, generator=generator, max_n=max_n, moduli=moduli,
        roots=roots, columns=columns, coset=coset, automorphism=automorphism, depth=depth,
        preset=preset, montgomery=montgomery, layout=layout,
    )  # fmt: skip
    return advised(spec, wisdom)


@taking(ExtensionOptions)
def lde(
    n: int, *, blowup: int, coset: int | str = 1, columns: int = 1, bits: int | None = None,
    modulus: int | str | None = None, root: int | str | None = None, order: str = "bitrev",
    input_order: str = "natural", target: TargetName = "c", modulus_bits: int | None = None,
    generator: int | str | None = None, layout: str | None = None, **options: Unpack[ExtensionOptions],
) -> Kernel:  # fmt: skip
    """Build a low-degree extension: from n values of a polynomial to its n·blowup values on a coset.

    For a polynomial p of degree below n, the operand is x[i] = p(ω^(blowup·i)), and the result is y[j] = p(g·ω^j) in
    natural order, or y[j] = p(g·ω^rev(j)) in bit-reversed order, where rev reverses the log2(n·blowup) bits of j. A
    vector has n values, or n rows of ``columns`` values.

    Args:
        n: The number of values of the operand, a power of two from 2 on.
        blowup: The factor by which the number of values grows, a power of two. n·blowup·columns is at most 2^26.
        coset: g, a number below q that is coprime to q (default: 1, which is the subgroup of the roots of unity).
        columns: The number of columns of a row-major matrix of n rows, each of which is extended (default: 1).
        bits: The width of the container in bits, instead of a modulus; see :func:`ntt`.
        modulus: The modulus q; see :func:`ntt`.
        root: ω, a primitive root of unity of order n·blowup (default: the smallest one).
        order: The order of the result: "bitrev" (the default) or "natural".
        input_order: The order of the operand: "natural" (the default) or "bitrev".
        target: A C target; see :func:`ntt`.
        modulus_bits: The width of the modulus in bits, instead of a modulus; see :func:`ntt`.
        generator: A generator of the multiplicative group modulo q, instead of a root: ω = g^((q - 1)/(n·blowup)).
        layout: The words of the kernel's arrays; see :func:`ntt`.
        **options: Choices between implementations, as for :func:`ntt`; ``momagen lde --help`` describes them.

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
    spec = specify(
        "lde", n=n, blowup=blowup, coset=coset, columns=columns, bits=bits, modulus=modulus, root=root, order=order,
        input_order=input_order, target=target, options=options, modulus_bits=modulus_bits, generator=generator,
        layout=layout,
    )  # fmt: skip
    return advised(spec)


@taking(ProductOptions)
def polymul(
    n: int | None = None, *, bits: int | None = None, modulus: int | str | None = None, root: int | str | None = None,
    negacyclic: bool = False, target: TargetName = "c", wisdom: Wish = None, modulus_bits: int | None = None,
    generator: int | str | None = None, moduli: Moduli | None = None, roots: Sequence[int | str] | None = None,
    depth: int | None = None, preset: PresetName | None = None, layout: str | None = None,
    **options: Unpack[ProductOptions],
) -> Kernel:  # fmt: skip
    """Build a product of two polynomials of n coefficients modulo x^n - 1, or modulo x^n + 1 if ``negacyclic`` is true.

    The kernel is called as ``k(x, y)``. Coefficients are residues modulo q in natural order, the constant one first.
    The kernel transforms both operands, multiplies their values and transforms the product back.

    Args:
        n: The number of coefficients, a power of two from 2 to 2^26. With a preset, n may be omitted.
        bits: The width of the container in bits, instead of a modulus; see :func:`ntt`.
        modulus: The modulus q; see :func:`ntt`.
        root: The root of unity of the transforms; see :func:`ntt`.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1) instead of Z_q[x]/(x^n - 1).
        target: The name of a target, "native", or the path of a TOML file; see :func:`ntt`.
        wisdom: Whether to add the options that :func:`momagen.tune` found; see :func:`ntt`.
        modulus_bits: The width of the modulus in bits, instead of a modulus; see :func:`ntt`.
        generator: A generator of the multiplicative group modulo q, instead of a root; see :func:`ntt`.
        moduli: An RNS basis instead of one modulus; see :func:`ntt`.
        roots: One root for each of ``moduli``; see :func:`ntt`.
        depth: The number of butterfly levels of the transforms, if they are incomplete; see :func:`ntt`.
        preset: The ring of a standard, such as "ml-kem"; see :func:`ntt`.
        layout: The words of the kernel's arrays; see :func:`ntt`.
        **options: Choices between implementations, as for :func:`ntt`; ``momagen polymul --help`` describes them.

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
    spec = specify(
        "polymul", n=n, bits=bits, modulus=modulus, root=root, negacyclic=negacyclic, target=target, options=options,
        modulus_bits=modulus_bits, generator=generator, moduli=moduli, roots=roots, depth=depth, preset=preset,
        layout=layout,
    )  # fmt: skip
    return advised(spec, wisdom)


@taking(BaseProductOptions)
def basemul(
    n: int | None = None, *, depth: int | None = None, bits: int | None = None, modulus: int | str | None = None,
    root: int | str | None = None, negacyclic: bool = False, order: str = "bitrev", target: TargetName = "c",
    wisdom: Wish = None, modulus_bits: int | None = None, generator: int | str | None = None,
    moduli: Moduli | None = None, roots: Sequence[int | str] | None = None, preset: PresetName | None = None,
    montgomery: int | str | None = None, layout: str | None = None, **options: Unpack[BaseProductOptions],
) -> Kernel:  # fmt: skip
    """Build a base multiplication: the pointwise product of two (incomplete) NTTs.

    The operands are results of :func:`ntt` with the same arguments: remainders modulo the factors x^d - z with d =
    n/2^depth, which are multiplied modulo x^d - z. If the transform is complete, d is 1 and values are multiplied. d is
    at most 16. The kernel is called as ``k(x, y)`` and is available for C and Python targets.

    Args:
        n: The number of coefficients, a power of two. With a preset, n may be omitted.
        depth: The number of butterfly levels of the transform (default: log2 n); see :func:`ntt`.
        bits: The width of the container in bits, instead of a modulus; see :func:`ntt`.
        modulus: The modulus q; see :func:`ntt`.
        root: The root of unity of the transform; see :func:`ntt`.
        negacyclic: Whether the ring of the transform is Z_q[x]/(x^n + 1).
        order: The order of the values: "bitrev" (the default) or "natural".
        target: The name of a target, "native", or the path of a TOML file; see :func:`ntt`.
        wisdom: Whether to add the options that :func:`momagen.tune` found; see :func:`ntt`.
        modulus_bits: The width of the modulus in bits, instead of a modulus; see :func:`ntt`.
        generator: A generator of the multiplicative group modulo q, instead of a root; see :func:`ntt`.
        moduli: An RNS basis instead of one modulus; see :func:`ntt`.
        roots: One root for each of ``moduli``; see :func:`ntt`.
        preset: The ring of a standard, such as "ml-kem"; see :func:`ntt`.
        montgomery: k, if products are to be divided by 2^k, as the Montgomery products of reference implementations
            are. "reference" selects the factor of the preset's reference implementation.
        layout: The words of the kernel's arrays; see :func:`ntt`.
        **options: Choices between implementations, as for :func:`ntt`; ``momagen basemul --help`` describes them.

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
    spec = specify(
        "basemul", n=n, bits=bits, modulus=modulus, root=root, negacyclic=negacyclic, order=order, target=target,
        options=options, modulus_bits=modulus_bits, generator=generator, moduli=moduli, roots=roots, depth=depth,
        preset=preset, montgomery=montgomery, layout=layout,
    )  # fmt: skip
    return advised(spec, wisdom)


@taking(ElementwiseOptions)
def blas(
    kind: str, *, bits: int | None = None, modulus: int | str | None = None, target: TargetName = "c",
    wisdom: Wish = None, modulus_bits: int | None = None, moduli: Moduli | None = None, layout: str | None = None,
    **options: Unpack[ElementwiseOptions],
) -> Kernel:  # fmt: skip
    """Build an element-wise kernel (BLAS level 1) modulo q, for vectors of any length.

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

    Args:
        kind: The operation, from the table above.
        bits: The width of the container in bits, instead of a modulus: q is the largest prime below 2^(bits - 4).
        modulus: The modulus q, odd or even, from 2 on; odd if Montgomery reduction is requested.
        target: The name of a target, "native", or the path of a TOML file; see :func:`ntt`.
        wisdom: Whether to add the options that :func:`momagen.tune` found; see :func:`ntt`.
        modulus_bits: The width of the modulus in bits, instead of a modulus.
        moduli: An RNS basis instead of one modulus; see :func:`ntt`. Vectors then have shape (…, moduli, n, words), and
            scalars are one number for each modulus.
        layout: The words of the kernel's arrays; see :func:`ntt`.
        **options: Choices between implementations, as for :func:`ntt`, and three more. ``cmp`` is the comparison of x
            with the bound in "cmpadd" and "cmpsub": eq, lt, le, ne, nlt, nle (x > bound, the default), true or false.
            ``input_factor`` may also be "any", which is the default of "reduce". ``form="montgomery"`` means that
            operands and results are x·R mod q with R = 2^k, where k is ``form_bits`` (default: the bits of the words of
            a residue). ``momagen blas --help`` describes all options.

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
    if text(kind, "kind") not in BLAS:
        raise among("one of the BLAS kernels", BLAS, kind, "kernel")
    spec = specify(
        kind, bits=bits, modulus_bits=modulus_bits, modulus=modulus, moduli=moduli, target=target, options=options,
        layout=layout,
    )  # fmt: skip
    return advised(spec, wisdom)


@checked_arguments
def kernel(kind: str, *, wisdom: Wish = None, **parameters: object) -> Kernel:
    """Build a kernel of any kind, also of one that :func:`momagen.kinds.registry.register` made known.

    Args:
        kind: The name of the kind, such as "ntt" or "convert".
        wisdom: The wisdom to use; see :func:`momagen.ntt`.
        **parameters: The parameters of the kind, under the names that the function for the kind and the command line
            have, and its options.

    Returns:
        The kernel. It is generated already, but is compiled only when it is first needed.

    Raises:
        MomagenError: The kind does not exist, or the parameters do not fit each other or the target.

    Examples:
        >>> import momagen as mg
        >>> mg.kernel("vadd", modulus=17)([3, 16], [4, 5])
        [7, 4]
    """
    if text(kind, "kind") not in (known := list(names())):
        raise among("one of the kinds", known, kind, "kind")
    found = resolved(kind, {name: value for name, value in parameters.items() if value is not None})
    return advised(found, wisdom if kind_named(kind).command.option_types else False)


def advised(spec: Spec, wisdom: Wish = None, compiler: str | None = None) -> Kernel:
    """Return the kernel of ``spec``, with the options that wisdom adds for the ``compiler`` if it is asked for."""
    source, advice = generated(spec, wisdom, compiler)
    return Kernel(source, wisdom=advice)
