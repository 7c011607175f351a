"""From what a user asks for to a specification, checked once; what is not given is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import gcd

from momagen.errors import MomagenError, among
from momagen.kernels.elementwise.forms import check_form_bits
from momagen.kinds.limits import check
from momagen.kinds.registry import kind_named, kinds, names
from momagen.params import check_order, chosen_modulus, chosen_root
from momagen.params.primes import MAX_BITS, is_prime
from momagen.targets import Target, load_target

from .kinds.modular_kind import ModularKind
from .making.limits import OPTIONS
from .making.request import KernelRequest, check_request
from .options.reading import read_options
from .options.record import NO_OPTIONS, KernelOptions
from .ranges import check_ranges
from .spec import Spec


def make_spec(
    kind: str | ModularKind, *, n: int = 0, bits: int | None = None, modulus: int | None = None,
    root: int | None = None, target: str | Target = "c", inverse: bool = False, negacyclic: bool = False,
    order: str = "bitrev", options: KernelOptions | Mapping[str, object] = NO_OPTIONS, modulus_bits: int | None = None,
    generator: int | None = None, serves: int = 0, sized: bool = False, basis: Sequence[int] = (),
    roots: Sequence[int] = (), columns: int = 1, coset: int = 0, automorphism: int = 1, depth: int | None = None,
    montgomery: int = 0, blowup: int = 1, input_order: str = "",
) -> Spec:  # fmt: skip
    """The checked specification; the prime and the root are chosen where they are not given.

    ``sized``: a transform of any number of points up to n, which create is told. ``basis``: the moduli of a residue
    number system, beside which the longest is ``modulus``; ``roots``: one for each, or () for the smallest.
    ``columns``: of a matrix of n rows, each of which is transformed. ``coset``: g, for values at g·root^i; 0: for those
    at root^i. ``automorphism``: g, any odd integer, which counts modulo the order of the root, for a(x^g) instead of a.
    ``depth``: levels of butterflies, of 2^depth points each; None: all. ``montgomery``: k, for 2^k times the
    coefficients of an inverse transform, or 1/2^k times base products.

    ``blowup``, ``input_order``: of a low-degree extension from n values to n·blowup.

    Without a modulus: the largest prime q with 2n | q - 1, of exactly ``modulus_bits`` bits, or below 2^(bits - 4).
    The root: ω as given, or g^((q - 1)/order) of a ``generator`` g, or the smallest primitive one.

    Raises:
        MomagenError: anything that does not fit together, in one line.
    """
    machine = load_target(target) if isinstance(target, str) else target
    own = modular_kind(kind)
    asked = KernelRequest(
        own, machine, n, bits, modulus, root, inverse, negacyclic, order, read_options(own, options), modulus_bits,
        generator, serves, sized, columns, coset, automorphism, depth, montgomery, blowup, input_order, bool(basis),
    )  # fmt: skip
    check_request(asked)
    return _with_basis(asked, basis, roots) if basis else _of_one_modulus(asked)


def modular_kind(kind: str | ModularKind) -> ModularKind:
    """Return the kind of kernels modulo q with that name.

    Raises:
        MomagenError: There is none.
    """
    if not isinstance(kind, str):
        return kind
    found = kind_named(kind) if kind in names() else None
    if not isinstance(found, ModularKind):
        known = [name for name, each in kinds().items() if isinstance(each, ModularKind)]
        raise among("one of the kernels", known, kind, "kernel")
    return found


def _of_one_modulus(asked: KernelRequest) -> Spec:
    """The kernel of one modulus, which is chosen where it is not given."""
    q = _modulus(asked)
    root = _root(asked, q)
    if asked.serves and not q.bit_length() < asked.serves <= MAX_BITS:
        raise MomagenError(f"0, or a number of bits from {q.bit_length() + 1} to {MAX_BITS}", asked.serves, "serves")
    power = asked.automorphism if asked.blas else asked.automorphism % asked.order_of_root
    spec = Spec(
        asked.kind, asked.points, asked.bits or q.bit_length(), q, root, asked.target, asked.inverse, asked.negacyclic,
        asked.order, asked.options, asked.serves, asked.sized, columns=asked.columns * asked.degree,
        coset=asked.coset, automorphism=power, degree=asked.degree, montgomery=asked.montgomery, blowup=asked.blowup,
        input_order=asked.input_order,
    )  # fmt: skip
    return _checked(_serving_even(spec, q % 2 == 0))


def _modulus(asked: KernelRequest) -> int:
    """q, as it was given or the largest prime that fits."""
    points = asked.points * asked.blowup
    q = chosen_modulus(asked.bits, asked.modulus_bits, asked.modulus, points, asked.negacyclic, odd=not asked.blas)
    if asked.coset and (asked.coset >= q or gcd(asked.coset, q) > 1):
        raise MomagenError(f"a number below {q} and coprime to it", asked.coset, "coset")
    return q


def _root(asked: KernelRequest, q: int) -> int:
    """ω, as it was given or the smallest one; 0 for BLAS."""
    if asked.blas:
        return 0
    check_order(asked.points * asked.blowup, q, asked.negacyclic, "n" if asked.degree == 1 else "depth")
    return chosen_root(asked.root, asked.generator, asked.order_of_root, q)


def _with_basis(asked: KernelRequest, basis: Sequence[int], roots: Sequence[int]) -> Spec:
    """The kernel of a whole basis.

    Raises:
        MomagenError: moduli that share a factor, another number of roots, or a modulus that cannot be.
    """
    single = replace(asked, bits=None, modulus_bits=None, generator=None, serves=0)
    if roots and len(roots) != len(basis):
        raise MomagenError(f"{len(basis)} roots, one for each modulus", len(roots), "roots")
    for at, q in enumerate(basis):
        for other in basis[:at]:
            if gcd(q, other) > 1:
                raise MomagenError("pairwise coprime moduli", f"{other} and {q}", f"moduli[{at}]")
    rows = [replace(single, modulus=q, root=roots[at] if roots else None) for at, q in enumerate(basis)]
    each = list(map(_of_one_modulus, rows))
    longest = max(each, key=lambda spec: spec.modulus)
    whole = replace(longest, basis=tuple(basis), roots=tuple(spec.root for spec in each))
    return _serving_even(whole, any(q % 2 == 0 for q in basis))


def _serving_even(spec: Spec, even: bool) -> Spec:
    """Return ``spec``, with another reduction of products if a modulus is even and the default is Montgomery's."""
    reduction = spec.expression.for_even or None
    if not even or spec.options.reduction or spec.form or not reduction:
        return spec
    check_ranges(spec.ranges, spec.arith)  # a codelet, which says whether q must be odd, is made of what words hold
    return replace(spec, options=replace(spec.options, reduction=reduction)) if spec.odd else spec


def _checked(spec: Spec) -> Spec:
    """``spec``, whose options fit together and serve its modulus."""
    _ = spec.arith.kind  # refuses a reduction that the width cannot bear
    check_ranges(spec.ranges, spec.arith)
    check(spec, OPTIONS)
    if spec.form:
        check_form_bits(spec.form, spec.width, spec.arith.held)
    if spec.modulus % 2 == 0 and spec.odd:
        raise MomagenError("an odd modulus for Montgomery's reduction", f"the even number {spec.modulus}", "modulus")
    if spec.prime and not is_prime(spec.modulus):
        raise MomagenError("a prime modulus, because the kernel inverts numbers", spec.modulus, "modulus")
    return spec


def with_options(spec: Spec, options: KernelOptions | Mapping[str, object]) -> Spec:
    """``spec`` with more options, or others, checked like those of :func:`make_spec`."""
    return _checked(replace(spec, options=spec.options.updated(read_options(spec.kind, options))))


def with_modulus(spec: Spec, modulus: int, root: int | None) -> Spec:
    """``spec`` for another modulus of the same build, checked like that of :func:`make_spec`."""
    other = make_spec(
        spec.kind, n=spec.length, modulus=modulus, root=root, inverse=spec.inverse, negacyclic=spec.negacyclic,
        order=spec.order, sized=spec.sized, columns=spec.across, depth=spec.depth if spec.degree > 1 else None,
        blowup=spec.blowup, input_order=spec.input_order, coset=spec.coset,
    )  # fmt: skip
    length = modulus.bit_length()
    if length > spec.width:
        raise MomagenError(f"a modulus of at most {spec.width} bits", f"{length} bits", "modulus")
    return _checked(replace(spec, modulus=modulus, root=other.root, serves=spec.width if length < spec.width else 0))
