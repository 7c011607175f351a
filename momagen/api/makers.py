# Generated from the declarations in momagen/kinds: do not edit. Edit the declarations, and run `momagen regen`.
# fmt: off
"""The functions that build kernels of the kinds whose parameters are declared in ``momagen/kinds``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Unpack

from momagen.api.kernel import Kernel
from momagen.api.make import advised
from momagen.api.native import resolved
from momagen.api.request import taking
from momagen.arguments import checked_arguments
from momagen.kinds.modular.typed import (
    Algorithm,
    ConversionMethod,
    DivisionMethod,
    Engine,
    InputMultiple,
    Multiple,
    Order,
    PresetName,
    ProductEngine,
    Reduction,
    Sums,
    Switch,
    TransformReduction,
)
from momagen.kinds.registry import chosen_kind
from momagen.tune.wish import Wish
from momagen.values.targets import TargetName


class NttOptions(TypedDict, total=False):
    """Options of :func:`momagen.ntt`."""

    output_factor: Multiple | None
    input_factor: Multiple | None
    multiply: Literal["schoolbook", "karatsuba", "karatsuba_words"] | None
    compare: Literal["borrow", "less"] | None
    carry: Literal["unsigned", "signed"] | None
    borrow: Literal["comparison", "top"] | None
    product: Literal["words", "halves", "convolution"] | None
    bake: Switch
    unroll: Literal[1, 2, 4, 8] | None
    reduction: TransformReduction | None
    limbs: Literal["full", "reduced"] | None
    levels: Literal[2, 3, 4, 5, 6] | None
    interleave_blocks: Literal[1, 2, 4, 8] | None
    interleave_butterflies: Switch
    constants: Literal["registers", "memory"] | None
    chain: Literal[8, 16, 32, 64] | None
    twiddles: Literal["whole", "packed"] | None
    storage: Literal["limbs", "words"] | None
    prefetch: Switch
    dense: Literal[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] | None
    factors: str | tuple[int, ...] | None
    engine: Engine | None
    fused: Switch
    sums: Sums | None
    algorithm: Algorithm
    radix: Literal[2, 4, 8, 16] | None
    schedule: str | None
    quotients: Literal["table", "computed"] | None
    threads: int | None


class PolymulOptions(TypedDict, total=False):
    """Options of :func:`momagen.polymul`."""

    output_factor: Multiple | None
    form: Literal["plain", "montgomery"] | None
    form_bits: int | None
    input_factor: Multiple | None
    multiply: Literal["schoolbook", "karatsuba", "karatsuba_words"] | None
    compare: Literal["borrow", "less"] | None
    carry: Literal["unsigned", "signed"] | None
    borrow: Literal["comparison", "top"] | None
    product: Literal["words", "halves", "convolution"] | None
    bake: Switch
    unroll: Literal[1, 2, 4, 8] | None
    reduction: TransformReduction | None
    dense: Literal[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] | None
    factors: str | tuple[int, ...] | None
    engine: Engine | None
    fused: Switch
    sums: Sums | None
    radix: Literal[2, 4, 8, 16] | None
    quotients: Literal["table", "computed"] | None
    threads: int | None


class BasemulOptions(TypedDict, total=False):
    """Options of :func:`momagen.basemul`."""

    output_factor: Multiple | None
    input_factor: Multiple | None
    multiply: Literal["schoolbook", "karatsuba", "karatsuba_words"] | None
    compare: Literal["borrow", "less"] | None
    carry: Literal["unsigned", "signed"] | None
    borrow: Literal["comparison", "top"] | None
    product: Literal["words", "halves", "convolution"] | None
    bake: Switch
    unroll: Literal[1, 2, 4, 8] | None
    reduction: TransformReduction | None
    quotients: Literal["table", "computed"] | None
    threads: int | None


class LdeOptions(TypedDict, total=False):
    """Options of :func:`momagen.lde`."""

    output_factor: Multiple | None
    input_factor: Multiple | None
    multiply: Literal["schoolbook", "karatsuba", "karatsuba_words"] | None
    compare: Literal["borrow", "less"] | None
    carry: Literal["unsigned", "signed"] | None
    borrow: Literal["comparison", "top"] | None
    product: Literal["words", "halves", "convolution"] | None
    bake: Switch
    unroll: Literal[1, 2, 4, 8] | None
    reduction: TransformReduction | None
    limbs: Literal["full", "reduced"] | None
    levels: Literal[2, 3, 4, 5, 6] | None
    interleave_blocks: Literal[1, 2, 4, 8] | None
    interleave_butterflies: Switch
    constants: Literal["registers", "memory"] | None
    chain: Literal[8, 16, 32, 64] | None
    twiddles: Literal["whole", "packed"] | None
    storage: Literal["limbs", "words"] | None
    prefetch: Switch
    radix: Literal[2, 4, 8, 16] | None
    quotients: Literal["table", "computed"] | None
    threads: int | None


class BlasOptions(TypedDict, total=False):
    """Options of :func:`momagen.blas`."""

    output_factor: Multiple | None
    form: Literal["plain", "montgomery"] | None
    form_bits: int | None
    cmp: Literal["eq", "lt", "le", "ne", "nlt", "nle", "true", "false"] | None
    input_factor: InputMultiple | None
    multiply: Literal["schoolbook", "karatsuba", "karatsuba_words"] | None
    compare: Literal["borrow", "less"] | None
    carry: Literal["unsigned", "signed"] | None
    borrow: Literal["comparison", "top"] | None
    product: Literal["words", "halves", "convolution"] | None
    bake: Switch
    unroll: Literal[1, 2, 4, 8] | None
    reduction: Reduction | None
    limbs: Literal["full", "reduced"] | None
    interleave: Literal[1, 2, 3, 4, 6, 8] | None
    threads: int | None


class AnyOptions(TypedDict, total=False):
    """Options of :func:`momagen.tune`: those of the kind that is tuned."""

    output_factor: Multiple | None
    form: Literal["plain", "montgomery"] | None
    form_bits: int | None
    cmp: Literal["eq", "lt", "le", "ne", "nlt", "nle", "true", "false"] | None
    input_factor: InputMultiple | None
    multiply: Literal["schoolbook", "karatsuba", "karatsuba_words"] | None
    compare: Literal["borrow", "less"] | None
    carry: Literal["unsigned", "signed"] | None
    borrow: Literal["comparison", "top"] | None
    product: Literal["words", "halves", "convolution"] | None
    bake: Switch
    unroll: Literal[1, 2, 4, 8] | None
    reduction: Reduction | None
    limbs: Literal["full", "reduced"] | None
    interleave: Literal[1, 2, 3, 4, 6, 8] | None
    levels: Literal[2, 3, 4, 5, 6] | None
    interleave_blocks: Literal[1, 2, 4, 8] | None
    interleave_butterflies: Switch
    constants: Literal["registers", "memory"] | None
    chain: Literal[8, 16, 32, 64] | None
    twiddles: Literal["whole", "packed"] | None
    storage: Literal["limbs", "words"] | None
    prefetch: Switch
    dense: Literal[2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] | None
    factors: str | tuple[int, ...] | None
    engine: Engine | None
    fused: Switch
    sums: Sums | None
    algorithm: Algorithm
    radix: Literal[2, 4, 8, 16] | None
    schedule: str | None
    quotients: Literal["table", "computed"] | None
    threads: int | None


@taking(NttOptions)
def ntt(
    n: int | str | None = None, *, preset: PresetName | None = None, max_n: int | None = None, bits: int | None = None,
    modulus_bits: int | None = None, generator: int | str | None = None, modulus: int | str | None = None,
    moduli: int | Sequence[int | str] | None = None, roots: Sequence[int | str] | None = None,
    automorphism: int | str | None = None, montgomery: int | str | None = None, root: int | str | None = None,
    depth: int | None = None, inverse: bool = False, negacyclic: bool = False, order: Order = "bitrev",
    columns: int = 1, coset: int | str | None = None, target: TargetName = "c", layout: str | None = None,
    wisdom: Wish = None, **options: Unpack[NttOptions],
) -> Kernel:
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
        preset: The transform of a standard: "ml-kem", "ml-dsa", "falcon-512" or "falcon-1024". It sets n, depth,
            modulus, root and negacyclic.
        max_n: The largest size if n is "any" (default: 2^17).
        bits: The width of the container in bits, instead of a modulus: q is the largest prime below 2^(bits - 4) with
            2n | q - 1.
        modulus_bits: The width of the modulus in bits, instead of a modulus: q is the largest prime of exactly this
            width with 2n | q - 1.
        generator: A generator g of the multiplicative group modulo a prime q, instead of a root: ω = g^((q - 1)/n), or
            ψ = g^((q - 1)/(2n)).
        modulus: The modulus q: an odd prime with n | q - 1 (2n | q - 1 if the transform is negacyclic), given as an
            integer, an expression such as "2^64-2^32+1" or a name such as "goldilocks". An odd composite q is accepted
            if ``root`` is given.
        moduli: An RNS basis instead of one modulus: pairwise coprime moduli, or the number of the largest primes below
            2^(bits - 4), or of ``modulus_bits`` bits. One plan serves all of them, and vectors have an axis of moduli
            before n.
        roots: One root for each of ``moduli`` (default: the smallest ones).
        automorphism: An odd integer g, taken modulo the order of the root. The forward transform then computes the
            values of a(x^g) from the coefficients of a, and the inverse transform the coefficients of a(x^g) from the
            values of a. This costs nothing, because only the tables change.
        montgomery: k, if an inverse transform is to return 2^k times the coefficients, as reference implementations
            that multiply by Montgomery's method do. "reference" selects the factor of the preset's reference
            implementation.
        root: ω, a primitive n-th root of unity modulo every prime factor of q (ω^(n/2) = -1); for a negacyclic
            transform ψ, a primitive 2n-th root (ψ^n = -1). By default, the smallest one; q must then be prime.
        depth: The number of butterfly levels, if it is below log2 n. The transform is then incomplete: it computes the
            remainders modulo x^d - z with d = n/2^depth. Remainder i is at positions d·i … d·i + d - 1, and its z is
            the root to the power ``k.order[i]``. The root has order 2^depth, or 2^(depth + 1) if negacyclic, which must
            divide q - 1. The inverse is scaled by 1/2^depth.
        inverse: Whether to build the inverse transform, from values to coefficients, scaled by 1/n.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1) instead of Z_q[x]/(x^n - 1).
        order: The order of the values: "bitrev" (bit-reversed, the default) or "natural".
        columns: The number of columns of a row-major matrix of n rows, each of which is transformed (default: 1). If it
            is not 1, vectors have an axis of columns after n. n·columns is at most 2^26, on JAX 2^30. A multiple of the
            target's number of lanes is fastest.
        coset: A number g. Values are those at g·ω^i instead of ω^i, of polynomials modulo x^n - g^n. CUDA targets
            support bit-reversed order only, C targets both orders.
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
    return _made(
        "ntt", n=n, preset=preset, max_n=max_n, bits=bits, modulus_bits=modulus_bits, generator=generator,
        modulus=modulus, moduli=moduli, roots=roots, automorphism=automorphism, montgomery=montgomery, root=root,
        depth=depth, inverse=inverse, negacyclic=negacyclic, order=order, columns=columns, coset=coset, target=target,
        layout=layout, wisdom=wisdom, **options,
    )


@taking(PolymulOptions)
def polymul(
    n: int | None = None, *, preset: PresetName | None = None, bits: int | None = None, modulus_bits: int | None = None,
    generator: int | str | None = None, modulus: int | str | None = None,
    moduli: int | Sequence[int | str] | None = None, roots: Sequence[int | str] | None = None,
    root: int | str | None = None, depth: int | None = None, negacyclic: bool = False, target: TargetName = "c",
    layout: str | None = None, wisdom: Wish = None, **options: Unpack[PolymulOptions],
) -> Kernel:
    """Build a product of two polynomials of n coefficients modulo x^n - 1.

    If ``negacyclic`` is true, the product is that modulo x^n + 1. The kernel is called as ``k(x, y)``.
    Coefficients are residues modulo q in natural order, the constant one first. The kernel transforms both operands,
    multiplies their values and transforms the product back.

    Args:
        n: The number of coefficients, a power of two from 2 to 2^26. With a preset, n may be omitted.
        preset: The transform of a standard: "ml-kem", "ml-dsa", "falcon-512" or "falcon-1024". It sets n, depth,
            modulus, root and negacyclic.
        bits: The width of the container in bits, instead of a modulus: q is the largest prime below 2^(bits - 4) with
            2n | q - 1.
        modulus_bits: The width of the modulus in bits, instead of a modulus: q is the largest prime of exactly this
            width with 2n | q - 1.
        generator: A generator g of the multiplicative group modulo a prime q, instead of a root: ω = g^((q - 1)/n), or
            ψ = g^((q - 1)/(2n)).
        modulus: The modulus q: an odd prime with n | q - 1 (2n | q - 1 if the transform is negacyclic), given as an
            integer, an expression such as "2^64-2^32+1" or a name such as "goldilocks". An odd composite q is accepted
            if ``root`` is given.
        moduli: An RNS basis instead of one modulus: pairwise coprime moduli, or the number of the largest primes below
            2^(bits - 4), or of ``modulus_bits`` bits. One plan serves all of them, and vectors have an axis of moduli
            before n.
        roots: One root for each of ``moduli`` (default: the smallest ones).
        root: ω, a primitive n-th root of unity modulo every prime factor of q (ω^(n/2) = -1); for a negacyclic
            transform ψ, a primitive 2n-th root (ψ^n = -1). By default, the smallest one; q must then be prime.
        depth: The number of butterfly levels of the transforms, if they are incomplete; see :func:`ntt`. The results
            are the same.
        negacyclic: Whether the ring is Z_q[x]/(x^n + 1) instead of Z_q[x]/(x^n - 1).
        target: The name of a target (see :func:`momagen.targets`), "native" for the best target that this CPU supports,
            or the path of a TOML file (default: "c").
        layout: The words of the kernel's arrays: "u16", "u32" or "u64", if a residue is one word. By default, a target
            with vector lanes uses the shortest words that leave residues a spare bit, because two or four times as many
            of them fit in a register. In Python, the kernel also accepts arrays of these words and returns its result
            in them.
        wisdom: Whether to add the options that :func:`momagen.tune` found to be fastest on this machine with the usual
            compiler: True for those in the default file, a path for those in that file, False for none. None reads the
            file that $MOMAGEN_WISDOM names, if it is set.
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
    return _made(
        "polymul", n=n, preset=preset, bits=bits, modulus_bits=modulus_bits, generator=generator, modulus=modulus,
        moduli=moduli, roots=roots, root=root, depth=depth, negacyclic=negacyclic, target=target, layout=layout,
        wisdom=wisdom, **options,
    )


@taking(BasemulOptions)
def basemul(
    n: int | None = None, *, preset: PresetName | None = None, bits: int | None = None, modulus_bits: int | None = None,
    generator: int | str | None = None, modulus: int | str | None = None,
    moduli: int | Sequence[int | str] | None = None, roots: Sequence[int | str] | None = None,
    montgomery: int | str | None = None, root: int | str | None = None, depth: int | None = None,
    negacyclic: bool = False, order: Order = "bitrev", target: TargetName = "c", layout: str | None = None,
    wisdom: Wish = None, **options: Unpack[BasemulOptions],
) -> Kernel:
    """Build a base multiplication: the pointwise product of two (incomplete) NTTs.

    The operands are results of :func:`ntt` with the same arguments: remainders modulo the factors x^d - z with d =
    n/2^depth, which are multiplied modulo x^d - z. If the transform is complete, d is 1 and values are multiplied. d is
    at most 16. The kernel is called as ``k(x, y)`` and is available for C and Python targets.

    Args:
        n: The number of coefficients, a power of two from 2 to 2^26. With a preset, n may be omitted.
        preset: The transform of a standard: "ml-kem", "ml-dsa", "falcon-512" or "falcon-1024". It sets n, depth,
            modulus, root and negacyclic.
        bits: The width of the container in bits, instead of a modulus: q is the largest prime below 2^(bits - 4) with
            2n | q - 1.
        modulus_bits: The width of the modulus in bits, instead of a modulus: q is the largest prime of exactly this
            width with 2n | q - 1.
        generator: A generator g of the multiplicative group modulo a prime q, instead of a root: ω = g^((q - 1)/n), or
            ψ = g^((q - 1)/(2n)).
        modulus: The modulus q: an odd prime with n | q - 1 (2n | q - 1 if the transform is negacyclic), given as an
            integer, an expression such as "2^64-2^32+1" or a name such as "goldilocks". An odd composite q is accepted
            if ``root`` is given.
        moduli: An RNS basis instead of one modulus: pairwise coprime moduli, or the number of the largest primes below
            2^(bits - 4), or of ``modulus_bits`` bits. One plan serves all of them, and vectors have an axis of moduli
            before n.
        roots: One root for each of ``moduli`` (default: the smallest ones).
        montgomery: k, if products are to be divided by 2^k, as the Montgomery products of reference implementations
            are. "reference" selects the factor of the preset's reference implementation.
        root: ω, a primitive n-th root of unity modulo every prime factor of q (ω^(n/2) = -1); for a negacyclic
            transform ψ, a primitive 2n-th root (ψ^n = -1). By default, the smallest one; q must then be prime.
        depth: The number of butterfly levels of the transforms (default: log2 n); see :func:`ntt`.
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
    return _made(
        "basemul", n=n, preset=preset, bits=bits, modulus_bits=modulus_bits, generator=generator, modulus=modulus,
        moduli=moduli, roots=roots, montgomery=montgomery, root=root, depth=depth, negacyclic=negacyclic, order=order,
        target=target, layout=layout, wisdom=wisdom, **options,
    )


@taking(LdeOptions)
def lde(
    n: int, *, blowup: int, bits: int | None = None, modulus_bits: int | None = None,
    generator: int | str | None = None, modulus: int | str | None = None, root: int | str | None = None,
    order: Order = "bitrev", columns: int = 1, coset: int | str = 1, input_order: Order = "natural",
    target: TargetName = "c", layout: str | None = None, **options: Unpack[LdeOptions],
) -> Kernel:
    """Build a low-degree extension: from n values of a polynomial to its n·blowup values on a coset.

    For a polynomial p of degree below n, the operand is x[i] = p(ω^(blowup·i)), and the result is y[j] = p(g·ω^j) in
    natural order, or y[j] = p(g·ω^rev(j)) in bit-reversed order, where rev reverses the log2(n·blowup) bits of j. A
    vector has n values, or n rows of ``columns`` values.

    Args:
        n: The number of values of the operand, a power of two from 2 on.
        blowup: The factor by which the number of values grows, a power of two. n·blowup·columns is at most 2^26.
        bits: The width of the container in bits, instead of a modulus: q is the largest prime below 2^(bits - 4) with
            2n·blowup | q - 1.
        modulus_bits: The width of the modulus in bits, instead of a modulus: q is the largest prime of exactly this
            width with 2n·blowup | q - 1.
        generator: A generator of the multiplicative group modulo q, instead of a root: ω = g^((q - 1)/(n·blowup)).
        modulus: The modulus q: an odd prime with n·blowup | q - 1; see :func:`ntt`.
        root: ω, a primitive root of unity of order n·blowup (default: the smallest one).
        order: The order of the result: "bitrev" (bit-reversed, the default) or "natural".
        columns: The number of columns of a row-major matrix of n rows, each of which is extended (default: 1).
        coset: g, a number below q that is coprime to q (default: 1, which is the subgroup of the roots of unity).
        input_order: The order of the operand: "natural" (the default) or "bitrev".
        target: The name of a C or Python target, "native", or the path of a TOML file (default: "c").
        layout: The words of the kernel's arrays: "u16", "u32" or "u64", if a residue is one word. By default, a target
            with vector lanes uses the shortest words that leave residues a spare bit, because two or four times as many
            of them fit in a register. In Python, the kernel also accepts arrays of these words and returns its result
            in them.
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
    return _made(
        "lde", n=n, blowup=blowup, bits=bits, modulus_bits=modulus_bits, generator=generator, modulus=modulus,
        root=root, order=order, columns=columns, coset=coset, input_order=input_order, target=target, layout=layout,
        **options,
    )


@taking(BlasOptions)
def blas(
    kind: str, *, bits: int | None = None, modulus_bits: int | None = None, modulus: int | str | None = None,
    moduli: int | Sequence[int | str] | None = None, target: TargetName = "c", layout: str | None = None,
    wisdom: Wish = None, **options: Unpack[BlasOptions],
) -> Kernel:
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
        modulus_bits: The width of the modulus in bits, instead of a modulus: q is the largest prime of exactly this
            width.
        modulus: The modulus q, odd or even, from 2 on; odd if Montgomery reduction is requested. It is given as an
            integer, an expression such as "2^64-2^32+1" or a name such as "goldilocks".
        moduli: An RNS basis instead of one modulus; see :func:`ntt`. Vectors then have shape (…, moduli, n, words), and
            scalars are one number for each modulus.
        target: The name of a target (see :func:`momagen.targets`), "native" for the best target that this CPU supports,
            or the path of a TOML file (default: "c").
        layout: The words of the kernel's arrays: "u16", "u32" or "u64", if a residue is one word. By default, a target
            with vector lanes uses the shortest words that leave residues a spare bit, because two or four times as many
            of them fit in a register. In Python, the kernel also accepts arrays of these words and returns its result
            in them.
        wisdom: Whether to add the options that :func:`momagen.tune` found to be fastest on this machine with the usual
            compiler: True for those in the default file, a path for those in that file, False for none. None reads the
            file that $MOMAGEN_WISDOM names, if it is set.
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
    return _made(
        chosen_kind(kind, "blas").name, bits=bits, modulus_bits=modulus_bits, modulus=modulus, moduli=moduli,
        target=target, layout=layout, wisdom=wisdom, **options,
    )


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
        digits: The number of digits for which the kernel is tuned and with which ``verify`` tests it, 1 to 64; calls
            accept any such number.
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


def _made(kind: str, wisdom: Wish = False, **values: object) -> Kernel:
    """Return the kernel for values as users write them."""
    return advised(resolved(kind, **values), wisdom)
