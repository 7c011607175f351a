"""The makers of kernels, and the one that all go through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from momagen.errors import among
from momagen.kernels.spec.kinds import BLAS
from momagen.kernels.spec.spec import Spec
from momagen.kernels.spec.typed import (
    BaseProductOptions,
    ElementwiseOptions,
    ExtensionOptions,
    PresetName,
    ProductOptions,
    TransformOptions,
)
from momagen.tune.wish import Wish

from .checks.arguments import text
from .generated import generated
from .kernel import Kernel
from .request import TargetName, specify, taking

Moduli = int | Sequence[int | str]
"""How many moduli, or which."""


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
    """A number theoretic transform of n points.

    Args:
        n: a power of two from 2 to 2^26; or "any": the kernel has all sizes from 2 to ``max_n``. C's create is told
            one; a call in Python takes what it is given, and ``k.at(n)`` is one. The root is that of ``max_n``.
        max_n: the largest size of n = "any", 2^17 where nothing is said.
        bits: of the container, where there is no modulus: the largest prime q < 2^(bits - 4) with 2n | q - 1 is taken.
        modulus_bits: of the modulus: the largest prime of exactly that many bits with 2n | q - 1 is taken.
        modulus: an odd prime with n | q - 1 (2n | q - 1 where negacyclic), an integer or an expression ("2^64-2^32+1");
            or an odd composite number beside a root.
        root: ω, a primitive n-th (2n-th) root of unity, modulo every prime factor of the modulus: its power n/2 (n)
            is -1. The smallest one where none is given and the modulus is prime.
        generator: of the multiplicative group, instead of a root: ω = g^((q - 1)/n), or g^((q - 1)/(2n)).
        moduli: of a residue number system, without common factors, instead of one modulus; or how many of the largest
            primes below 2^(bits - 4), or of ``modulus_bits`` bits, are to be taken. One plan has them all, and vectors
            have an axis of them before n.
        roots: a root for each of them, instead of the smallest.
        columns: of a matrix of n rows, each of which is transformed, where that is not 1: an axis behind n. Any number,
            but n·columns is at most 2^26, on JAX 2^30; fastest where it is a multiple of the target's lanes.
        coset: g, for values at g·ω^i instead of ω^i: of polynomials modulo x^n - g^n. Targets of C have values in
            either order, "cuda" in bit-reversed order only.
        automorphism: g, any odd integer, which counts modulo the order of the root, for a(x^g) instead of a: values of
            a(x^g) from the coefficients of a; or inverse, its coefficients from the values of a. It costs nothing: the
            tables are those of another root.
        depth: levels of butterflies, where they are fewer than log2 n: an incomplete transform, to remainders modulo
            x^d - z for d = n/2^depth. That of factor i stands at d·i … d·i + d - 1, and its z is the root to the power
            ``k.order[i]``. The root has the order 2^depth, negacyclic 2^(depth + 1), of which q - 1 must be a multiple;
            an inverse is scaled by 1/2^depth.
        preset: the transform of a standard, by name, as its vectors have it: n, depth, modulus, root and negacyclic.
        montgomery: k, for 2^k times the coefficients of an inverse transform, as reference codes have them that
            multiply by Montgomery's product; "reference": as that of the preset does.
        inverse: from values to coefficients, scaled by 1/n.
        negacyclic: modulo x^n + 1 instead of x^n - 1.
        order: "bitrev" (values in bit-reversed order) or "natural".
        target: a name in targets/, "native" for the best that this CPU has, or the path of a TOML file.
        layout: the words of the arrays that the kernel takes, "u16", "u32" or "u64", where a residue is one word. By
            default a target with lanes takes the shortest that leave residues a bit: twice or four times as many fit a
            register. Python takes arrays of these words as they are, and answers in them; all others as ever.
        wisdom: adds the options that :func:`momagen.tune` found fastest here by the usual compiler: True for those in
            the default file, or a file's path; False for none. None: those in the file that $MOMAGEN_WISDOM names, if
            it is set.
        options: "reduction", "multiply", "radix", …: alternatives of the rule table and of the kernels; "quotients":
            "table" or "computed", whether twiddles are loaded with their quotients by q (Shoup's) or without
            (Montgomery's, or folded), by default as the target, the width and the size ask; "input_factor" and
            "output_factor": 1, 2, 4, 8 or 16, where vectors may lie below that multiple of q and need no reduction.

    Raises:
        MomagenError: what does not fit together, in one line.
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
    """A low-degree extension: values of a polynomial at n roots of unity become those at n·blowup points of a coset.

    Called on x of n values, or of n rows of ``columns`` values, it gives y of n·blowup: x[i] = p(ω^(blowup·i)), and
    y[j] = p(g·ω^j), or p(g·ω^rev(j)) in bit-reversed order, for the polynomial p of degree below n.

    Args:
        n: a power of two from 2 on. blowup: one, too; n·blowup·columns is at most 2^26.
        coset: g, a number below the modulus without a common factor; 1: the roots of unity of order n·blowup.
        columns: of a matrix of n rows, each of which is extended.
        root: ω, a primitive root of unity of order n·blowup; the smallest one where none is given.
        order: of the values that come out, "bitrev" or "natural". input_order: of those that come in.
        target: of C.

    Other arguments and errors as for :func:`ntt`.
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
    """The product of two polynomials of n coefficients modulo x^n - 1, or x^n + 1 where ``negacyclic``.

    Arguments and errors as for :func:`ntt`; coefficients stand in natural order, the constant one first.
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
    """Base multiplication: the product of two polynomials that :func:`ntt` has transformed, of the same arguments.

    Remainders modulo every x^d - z, d = n/2^depth at most 16, are multiplied modulo x^d - z; where the transform is
    complete, values are. For targets of C and Python.

    Args:
        montgomery: k, for products over 2^k, as the Montgomery products of reference codes; "reference": as that of the
            preset does.

    Other arguments and errors as for :func:`ntt`.
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
    """Element by element, at any length; called with scalars first, then vectors.

    Args:
        kind: "vadd" x + y, "vsub" x - y, "vmul" x·y, "vmuladd" x·y + w, "axpy" a·x + y, "scal" a·x, "vadds" x + a,
            "vsubs" x - a, "vneg" -x; "reduce" x mod q for any x that its words hold (or below input_factor·q); "cmpadd"
            and "cmpsub", called as k(bound, diff, x): x + diff modulo 2 to the bits of its words, and x - diff modulo
            q, where x compares with the bound as the option "cmp" says, and x elsewhere; "tomont" x·R and "frommont"
            x/R modulo q, into Montgomery form and back.
        modulus: any number from 2 up, odd or even; an odd one where Montgomery's reduction is asked for.
        options: as for :func:`ntt`; "cmp": eq, lt, le, ne, nlt, nle (the default: x > bound), true or false;
            input_factor="any" for reduce (its default) and cmpsub; form="montgomery" where numbers are x·R mod q,
            R = 2^k with k = form_bits, by default the bits of the words of a residue.

    Other arguments and errors as for :func:`ntt`.
    """
    if text(kind, "kind") not in BLAS:
        raise among("one of the BLAS kernels", BLAS, kind, "kernel")
    spec = specify(
        kind, bits=bits, modulus_bits=modulus_bits, modulus=modulus, moduli=moduli, target=target, options=options,
        layout=layout,
    )  # fmt: skip
    return advised(spec, wisdom)


def advised(spec: Spec, wisdom: Wish = None, compiler: str | None = None) -> Kernel:
    """The kernel of ``spec``, with what wisdom adds for the ``compiler`` where it is asked."""
    source, advice = generated(spec, wisdom, compiler)
    return Kernel(source, wisdom=advice)
