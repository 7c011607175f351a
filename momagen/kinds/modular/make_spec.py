"""The step from a request to a specification: checks all values, and chooses the values that are not set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from math import gcd
from typing import Any

from momagen.errors import MomagenError, among
from momagen.kernels.elementwise.forms import check_form_bits
from momagen.kinds.limits import check
from momagen.kinds.registry import kind_named, kinds, names
from momagen.params import check_order, chosen_modulus, chosen_root
from momagen.params.primes import MAX_BITS, is_prime
from momagen.targets import Target, load_target

from .incomplete import asked_values
from .kinds.modular_kind import ModularKind
from .making.limits import OPTIONS
from .making.request import KernelRequest, check_request, requested
from .options.reading import read_options
from .options.record import NO_OPTIONS, KernelOptions
from .parameters import SharedParameters
from .ranges import check_ranges
from .spec import Spec


def make_spec(
    kind: str | ModularKind, *, target: str | Target = "c",
    options: KernelOptions | Mapping[str, object] = NO_OPTIONS, **given: Any,
) -> Spec:  # fmt: skip
    """Return the checked specification of a kernel for exactly this target, without a choice between its word lengths.

    Args:
        kind: The kind of kernel.
        target: The target.
        options: The choices between implementations.
        **given: The fields of a :class:`momagen.kinds.modular.making.request.KernelRequest`. By default, the
            modulus is the largest prime q with 2n | q - 1, of exactly ``modulus_bits`` bits or below 2^(bits
            - 4), and the root is the smallest primitive one.

    Raises:
        MomagenError: The values do not fit each other, the kind or the target.
    """
    own, machine = modular_kind(kind), load_target(target) if isinstance(target, str) else target
    return specification(requested(own, target=machine, options=read_options(own, options), **given))


def specification(asked: KernelRequest) -> Spec:
    """Return the checked specification of a request.

    Raises:
        MomagenError: The values do not fit each other, the kind or the target.
    """
    check_request(asked)
    return _with_basis(asked) if asked.basis else _of_one_modulus(asked)


def with_chosen_modulus(asked: KernelRequest) -> KernelRequest:
    """Return the request with the modulus that it leaves open, after the checks that need no modulus."""
    check_request(asked)
    return asked if asked.basis else replace(asked, modulus=_modulus(asked))


def modular_kind(kind: str | ModularKind) -> ModularKind:
    """Return the kind of kernels modulo q with that name.

    Raises:
        MomagenError: There is no such kind.
    """
    if not isinstance(kind, str):
        return kind
    found = kind_named(kind) if kind in names() else None
    if not isinstance(found, ModularKind):
        known = [name for name, each in kinds().items() if isinstance(each, ModularKind)]
        raise among("one of the kernels", known, kind, "kernel")
    return found


def _of_one_modulus(asked: KernelRequest) -> Spec:
    """Return the specification of a kernel with one modulus, which is chosen if the request leaves it open.

    Raises:
        MomagenError: A value does not fit the modulus.
    """
    q = _modulus(asked)
    root = _root(asked, q)
    if asked.serves and not q.bit_length() < asked.serves <= MAX_BITS:
        raise MomagenError(f"0, or a number of bits from {q.bit_length() + 1} to {MAX_BITS}", asked.serves, "serves")
    shared = {each.name: getattr(asked, each.name) for each in fields(SharedParameters)}
    shared["columns"] *= asked.degree
    if not asked.blas:
        shared["automorphism"] %= asked.order_of_root
    bits = asked.bits or q.bit_length()
    spec = Spec(asked.kind, asked.points, bits, q, root, asked.target, **shared)
    return _checked(_serving_even(spec, q % 2 == 0))


def _modulus(asked: KernelRequest) -> int:
    """Return the modulus that was requested, or the largest suitable prime."""
    points = asked.points * asked.blowup
    q = chosen_modulus(asked.bits, asked.modulus_bits, asked.modulus, points, asked.negacyclic, odd=not asked.blas)
    if asked.coset and (asked.coset >= q or gcd(asked.coset, q) > 1):
        raise MomagenError(f"a number below {q} and coprime to it", asked.coset, "coset")
    return q


def _root(asked: KernelRequest, q: int) -> int:
    """Return the root that was requested, or the smallest one; 0 for element-wise kernels."""
    if asked.blas:
        return 0
    check_order(asked.points * asked.blowup, q, asked.negacyclic, "n" if asked.degree == 1 else "depth")
    return chosen_root(asked.root, asked.generator, asked.order_of_root, q)


def _with_basis(asked: KernelRequest) -> Spec:
    """Return the specification of a kernel on an RNS basis.

    Raises:
        MomagenError: Moduli have a common factor, the number of roots is wrong, or a modulus is not
            supported.
    """
    basis, roots = asked.basis, asked.roots
    single = replace(asked, bits=None, modulus_bits=None, generator=None, serves=0, basis=(), roots=())
    if roots and len(roots) != len(basis):
        raise MomagenError(f"{len(basis)} roots, one for each modulus", len(roots), "roots")
    for at, q in enumerate(basis):
        for other in basis[:at]:
            if gcd(q, other) > 1:
                raise MomagenError("pairwise coprime moduli", f"{other} and {q}", f"moduli[{at}]")
    rows = [replace(single, modulus=q, root=roots[at] if roots else None) for at, q in enumerate(basis)]
    each = list(map(_of_one_modulus, rows))
    longest = max(each, key=lambda spec: spec.modulus)
    whole = replace(longest, basis=basis, roots=tuple(spec.root for spec in each))
    return _serving_even(whole, any(q % 2 == 0 for q in basis))


def _serving_even(spec: Spec, even: bool) -> Spec:
    """Return a specification that supports even moduli if ``even`` is true.

    It has another reduction of products if the default reduction is Montgomery's.
    """
    reduction = spec.expression.for_even or None
    if not even or spec.options.reduction or spec.form or not reduction:
        return spec
    check_ranges(spec.ranges, spec.arith)  # spec.odd generates a codelet, whose operands must fit the words
    return replace(spec, options=replace(spec.options, reduction=reduction)) if spec.odd else spec


def _checked(spec: Spec) -> Spec:
    """Return a specification after checking that its options fit each other and its modulus.

    Raises:
        MomagenError: A check fails.
    """
    _ = spec.arith.kind  # raises an error if the width does not support the reduction
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
    """Return a specification with additional or other options, checked as by :func:`make_spec`."""
    return _checked(replace(spec, options=spec.options.updated(read_options(spec.kind, options))))


def with_modulus(spec: Spec, modulus: int, root: int | None) -> Spec:
    """Return a specification for another modulus that the same build serves, checked as by :func:`make_spec`.

    Args:
        spec: The specification.
        modulus: The modulus.
        root: The root of unity, or None for the smallest one.

    Raises:
        MomagenError: The modulus or the root is invalid, or the modulus is too long.
    """
    shared = {each.name: getattr(spec, each.name) for each in fields(SharedParameters)} | {"serves": 0, "basis": ()}
    values = asked_values({**shared, "n": spec.n, "modulus": modulus, "root": root})
    other = requested(spec.kind, target=spec.target, **values)
    length = _modulus(other).bit_length()
    found = _root(other, modulus)
    if length > spec.width:
        raise MomagenError(f"a modulus of at most {spec.width} bits", f"{length} bits", "modulus")
    return _checked(replace(spec, modulus=modulus, root=found, serves=spec.width if length < spec.width else 0))
