"""The two sides of a race, each a call that is ready to be timed; what it computes is checked first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from momagen.bench.measure.built import Built, build
from momagen.bench.measure.clock import TimedCall
from momagen.bench.measure.kernel import timed_call
from momagen.errors import MomagenError
from momagen.kinds.modular.spec import Spec
from momagen.params import from_words, to_words
from momagen.runtime import missing_features
from momagen.targets import load_target

from .build import build_peer
from .check import check_forward, check_inverse, compare, residues
from .contestant import Contestant
from .tables import Peer, PeerRace


class WrongValues(MomagenError):
    """Results that are no transform."""


def checked(check: Callable[[], None]) -> None:
    """Run a check; what it finds is an error of its own kind.

    Raises:
        WrongValues: it raised an error.
    """
    try:
        check()
    except MomagenError as error:
        raise WrongValues(error.expected, error.got, error.where) from None


def ours(race: PeerRace, n: int, target: str) -> TimedCall:
    """Our kernel's call, in place; a forward transform is compared with the definition."""
    kernel = generated(race.spec(n, target))
    if not kernel.spec.inverse:
        checked(partial(_compare_ours, kernel))
    return timed_call(kernel, 1, in_place=True)


def generated(spec: Spec) -> Built:
    """Our kernel.

    Raises:
        MomagenError: this CPU cannot run it.
    """
    if lacking := missing_features(spec.target.features):
        raise MomagenError(f"a CPU with {', '.join(lacking)}", "none", f"target {spec.target}")
    return build(spec)


def _compare_ours(kernel: Built) -> None:
    spec = kernel.spec
    x = residues(spec.elements, spec.modulus)
    words = to_words(x, spec.row)
    kernel.tables.execute(words, words, count=1)
    name, q, got = f"ours ({spec.target})", spec.modulus, from_words(words)
    if max(got) >= (top := spec.ranges.top(spec.ranges.output, q)):
        raise MomagenError(f"values below {top}", max(got), name)
    got = [value % q for value in got]
    for at in range(spec.across):
        values = got[at :: spec.across], x[at :: spec.across]
        compare(name, *values, q, negacyclic=spec.negacyclic, degree=spec.degree)


def theirs(race: PeerRace, n: int, target: str, peers: dict[str, Peer]) -> TimedCall:
    """The peer's call, checked, or that of our other target."""
    if race.against:
        return timed_call(generated(race.spec(n, race.against)), 1, in_place=True)
    peer, modulus = peers[race.peer], race.modulus(n)
    path = build_peer(peer, build_for(peer, target))
    make = partial(Contestant, path, peer.name, n=n, modulus=modulus, columns=race.columns)
    asked, negacyclic = make(kernel=race.kernel), race.kernel.endswith("negacyclic")
    forward = make(kernel=race.kernel.removeprefix("i"))
    checked(partial(check_forward, forward, n, modulus, negacyclic=negacyclic, degree=race.degree))
    if race.kernel.startswith("i"):
        checked(partial(check_inverse, forward, asked, n, modulus))
    return asked.call(residues(n * race.columns, modulus))


def build_for(peer: Peer, target: str) -> str:
    """The peer's build that is as wide as the target."""
    wide = any(feature.startswith("avx512") for feature in load_target(target).features)
    return "avx512" if wide and "avx512" in peer.builds else "avx2"
