"""Proving the claims of element-wise kernels: for which moduli at once, and on which paths."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from momagen.prove.c.source import seen_by
from momagen.prove.certificates.guide import SEARCH, Guide
from momagen.prove.checker import ProofError
from momagen.prove.elementwise import Kernel
from momagen.prove.facts import Facts, Path
from momagen.prove.quotients import Powers, UndecidedPowerError, powers_between
from momagen.prove.vectors.odd import prove_odd
from momagen.prove.vectors.plans import Plans
from momagen.prove.vectors.shifted import ShiftedKernel
from momagen.prove.vectors.shifts import ShiftLemmas

if TYPE_CHECKING:
    from collections.abc import Callable

    from momagen.prove.c.parsed import Source
    from momagen.prove.claims import Claim


def narrowed(claim: Claim, source: Source, seed: str, guide: Guide) -> Claim:
    """Return the claim, or the one about odd moduli only if ``create`` refuses all others.

    Montgomery's product needs odd moduli. A request does not say which method a kernel uses.
    """
    if claim.is_odd:
        return claim
    return claim.for_odd_moduli() if Plans(source, claim, seed, guide).accepts_odd_only() else claim


@dataclass(frozen=True)
class Kernels:
    """What runs the functions of a source, which depends on its language.

    Attributes:
        plain: A run of a kernel.
        shifted: A run of a kernel for moduli that are shorter than the longest one.
        set_up: What sets up a plan, for messages.
    """

    plain: type[Kernel] = Kernel
    shifted: type[ShiftedKernel] = ShiftedKernel
    set_up: str = "create"


IN_C = Kernels()


def prove_elementwise(source: Source, claim: Claim, seed: str, compiler: str, guide: Guide) -> Counter[str]:
    """Prove the claim of an element-wise kernel for one form of its source.

    Args:
        source: The source as a compiler sees it.
        claim: The claim.
        seed: What determines the random choices, which only the proof of constants modulo odd q makes.
        compiler: The compiler, for messages.
        guide: Where the proofs come from.

    Returns:
        The number of paths and of elements that were checked.
    """
    if claim.is_odd:
        return prove_odd(source, claim, seed, compiler, guide)
    refusals = _check_refusals(source, claim, compiler, guide)
    return _all_moduli(source, claim, compiler, guide) + Counter(paths=refusals)


def moduli_of(claim: Claim) -> list[tuple[int, int]]:
    """Return the ranges of moduli that are proven one by one if one proof for all does not succeed.

    There are two for each length, the longest first: the power of two, and the others.
    """
    found = []
    for bits in range(claim.greatest.bit_length(), claim.least.bit_length() - 1, -1):
        power = 1 << bits - 1
        found += [(power + 1, min(2 * power - 1, claim.greatest)), (power, power)]
    return [(max(least, claim.least), greatest) for least, greatest in found if claim.least <= greatest >= least]


def _check_refusals(source: Source, claim: Claim, compiler: str, guide: Guide) -> int:
    """Prove that ``create`` refuses 0, 1, long moduli and NULL, and ``execute`` NULL; return the number of paths."""
    runs = check_excluded(source, claim, compiler, guide)
    for at in range(3 + len(claim.operation.operands)):
        problem = f"pointer {at} of create and execute is not proven to be checked for NULL"
        check = partial(Kernel.refuses_null, at=at)
        runs += _check_refusal(source, claim, (claim.least, claim.greatest), check, problem, compiler, guide)
    return runs


def check_excluded(source: Source, claim: Claim, compiler: str, guide: Guide, kernels: Kernels = IN_C) -> int:
    """Prove that the moduli that the claim excludes are refused, and return the number of paths."""
    cases: list[tuple[int, int, int | None]] = [(1, 1, q) for q in range(claim.least)]
    if claim.greatest < claim.longest:
        cases.append((claim.greatest + 1, claim.longest, None))
    runs = 0
    for least, greatest, q in cases:
        what = f"every q from {least} to {greatest}" if q is None else f"q = {q}"
        check, problem = partial(kernels.plain.refuses, constant=q), f"{kernels.set_up} is not proven to refuse {what}"
        runs += _check_refusal(source, claim, (least, greatest), check, problem, compiler, guide, kernels)
    return runs


def _check_refusal(
    source: Source,
    claim: Claim,
    moduli: tuple[int, int],
    check: Callable[[Kernel], bool],
    problem: str,
    compiler: str,
    guide: Guide,
    kernels: Kernels = IN_C,
) -> int:
    """Prove a refusal on every path, and return the number of paths."""
    runs = 0
    for path in Path.every():
        if not check(kernels.plain(source, claim, Facts(*moduli, path, guide))):
            raise ProofError(f"{problem} [{compiler}]")
        runs += 1
    return runs


def _all_moduli(source: Source, claim: Claim, compiler: str, guide: Guide) -> Counter[str]:
    """Prove a claim for all moduli: at once, except powers of two, for all shifts at once, or for each length."""
    for method in (_at_once, _all_but_powers, _all_shifts):
        with suppress(ProofError):
            return method(source, claim, compiler, guide)
    return _all_lengths(source, claim, compiler, guide)


def _at_once(source: Source, claim: Claim, compiler: str, guide: Guide) -> Counter[str]:
    return all_paths(source, claim, (claim.least, claim.greatest), compiler, guide)


def _all_but_powers(source: Source, claim: Claim, compiler: str, guide: Guide) -> Counter[str]:
    """Prove a claim for all moduli that are no powers of two at once, and for ranges of powers of two."""
    total = all_paths(source, claim, (claim.least, claim.greatest), compiler, guide, powers=Powers.NONE)
    return total + _all_powers(source, claim, powers_between(claim.least, claim.greatest), compiler, guide)


def _all_powers(
    source: Source, claim: Claim, ends: tuple[int, int], compiler: str, guide: Guide
) -> Counter[str]:
    """Prove a claim for all powers of two in a range: at once or, if this does not succeed, in two parts.

    Args:
        source: The source as a compiler sees it.
        claim: The claim.
        ends: The least and the greatest power of two.
        compiler: The compiler, for messages.
        guide: Where the proofs come from.
    """
    least, greatest = ends
    if least == greatest:
        return all_paths(source, claim, ends, compiler, guide)
    try:
        return all_paths(source, claim, ends, compiler, guide, powers=Powers.ALL)
    except UndecidedPowerError as error:
        middle = error.end
    except ProofError:
        middle = 1 << (least.bit_length() + greatest.bit_length() - 1) // 2
    parts = (least, middle >> 1), (middle, greatest)
    return sum((_all_powers(source, claim, part, compiler, guide) for part in parts), Counter[str]())


def _all_shifts(source: Source, claim: Claim, compiler: str, guide: Guide = SEARCH) -> Counter[str]:
    """Prove a claim for the longest moduli, and for all others by the shift that makes them as long."""
    lemmas = ShiftLemmas(source, claim.bits, claim.words, claim.word, guide)
    total = Counter[str]()
    for moduli in moduli_of(claim)[:2]:
        total += all_paths(source, claim, moduli, compiler, guide, lemmas)
        total += all_paths(source, claim, moduli, compiler, guide)
    return total


def _all_lengths(source: Source, claim: Claim, compiler: str, guide: Guide) -> Counter[str]:
    """Prove a claim for one length after the other."""
    total, powers = Counter[str](), list[int]()
    for least, greatest in moduli_of(claim):
        try:
            total.update(all_paths(source, claim, (least, greatest), compiler, guide))
        except ProofError:
            if least < greatest:
                raise
            powers.append(least.bit_length() - 1)
    if powers:
        raise ProofError(f"proven for every q except 2^k with k = {', '.join(map(str, powers))} [{compiler}]")
    return total


def all_paths(
    source: Source,
    claim: Claim,
    moduli: tuple[int, int],
    compiler: str,
    guide: Guide = SEARCH,
    lemmas: ShiftLemmas | None = None,
    kernels: Kernels = IN_C,
    powers: Powers = Powers.SOME,
) -> Counter[str]:
    """Prove a claim for a range of moduli on every path.

    Args:
        source: The source as a compiler sees it.
        claim: The claim.
        moduli: The least and the greatest modulus, or of ``2^s * q``, if there are lemmas.
        compiler: The compiler, for messages.
        guide: Where the proofs come from.
        lemmas: If they are not None, the claim is proven for all shorter moduli q with 2^s * q in the range.
        kernels: What runs the functions.
        powers: For which of these moduli the claim is proven: for powers of two, for the others, or for all.

    Returns:
        The number of paths and of elements that were checked.
    """
    runs = Counter[str]()
    for path in Path.every():
        facts = Facts(*moduli, path, guide, powers)
        if lemmas is None:
            kernel = kernels.plain(source, claim, facts)
        else:
            kernel = kernels.shifted(source, claim, facts, lemmas)
        with seen_by(f"{compiler}; q of {moduli[1].bit_length()} bits"):
            kernel.run()
        runs.update(paths=1, elements=kernel.elements)
    if not runs["elements"]:
        raise ProofError("no path stores an element")
    return runs
