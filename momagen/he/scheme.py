"""RNS-CKKS on generated kernels: keys, encryption, operators. A benchmark, and no library: nothing here is secure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from momagen.api.calls.integers import check_unmasked
from momagen.api.numbers import count, integer
from momagen.arguments import checked_arguments, checked_methods
from momagen.errors import MomagenError, build_error, quoted

from .ciphertext import LARGEST, Ciphertext, check_room, check_same
from .encoding import centred, embed, slots_of
from .kernels import RnsKernels
from .keys import HeKeys, errors, ternary
from .noise import NoiseBounds
from .operators import added, galois, multiplied, multiplied_plain, rescaled, rotated
from .parameters import HeParameters


def _scale(value: object) -> float:
    """Return the scale of encrypted messages.

    Raises:
        MomagenError: the value is not a number, or is out of range.
    """
    if not isinstance(value, int | float | np.integer | np.floating) or not 1 <= value < LARGEST:
        raise MomagenError("a scale from 1 to 2^62", quoted(value), "scale")
    return float(value)


@checked_methods
class Ckks:
    """The scheme for parameters, with keys made from ``seed``: repeatable, and secret to nobody.

    Attributes:
        parameters, kernels, keys, bounds: what it is made of. scale: of what is encrypted, 2^bits unless one is given;
            2^(2·bits) suits double rescaling. compiled: each operator is one function of XLA; else it calls kernels one
            by one, which need not be compiled for each operator anew.
    """

    @checked_arguments
    def __init__(
        self, parameters: HeParameters, *, seed: int = 0, scale: float | None = None, target: str = "jax",
        compiled: bool = True,
    ) -> None:  # fmt: skip
        self.parameters, self.kernels = parameters, RnsKernels(parameters.degree, target)
        self.scale = 2.0**parameters.bits if scale is None else _scale(scale)
        self._rng = np.random.default_rng(count(seed, "seed"))
        self.keys = HeKeys(self.kernels, parameters, self._rng)
        self.bounds = NoiseBounds(parameters, self.keys.nonzero)
        self.compiled, self._operators = compiled, dict[object, Callable[..., Any]]()

    def encode(self, z: Any, limbs: int) -> Any:
        """Values of the plaintext of N/2 complex numbers, (limbs, N).

        Raises:
            MomagenError: another number of them, or of limbs.
        """
        return self.keys.small(self._rounded(self._checked(z)), self._moduli(limbs))

    def encrypt(self, z: Any) -> Ciphertext:
        """A ciphertext of N/2 complex numbers with all limbs.

        Raises:
            MomagenError: another number of them.
        """
        given, p, k = self._checked(z), self.parameters, self.kernels
        import jax.numpy as jnp

        v = self.keys.small(ternary(self._rng, p.degree), p.moduli)
        first = errors(self._rng, p.degree) + self._rounded(given)
        noise = jnp.stack([self.keys.small(e, p.moduli) for e in (first, errors(self._rng, p.degree))])
        parts = k.add(k.multiply(jnp.stack(self.keys.public), v, p.moduli), noise, p.moduli)
        size = float(np.abs(given).max())
        return Ciphertext(parts, self.scale, self.bounds.fresh() + self.bounds.doubles(size * self.scale), size)

    def phase(self, parts: Any) -> list[int]:
        """The N coefficients of c_0 + c_1·s, integers around 0: the plaintext and its noise."""
        k, moduli = self.kernels, self._moduli(parts.shape[-2])
        hidden = k.multiply(parts[1], self.keys.secret[: len(moduli)], moduli)
        return centred(k.intt(k.add(parts[0], hidden, moduli), moduli), moduli)

    def decrypt(self, x: Ciphertext) -> Any:
        """The N/2 complex numbers, each with an error of at most ``x.error``."""
        coefficients = np.array([float(a) for a in self.phase(x.parts)])
        return slots_of(coefficients / x.scale, self.parameters.degree)

    def add(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """x + y.

        Raises:
            MomagenError: other limbs, or another scale.
        """
        check_same(x, y, scales=True)
        noise = x.noise + y.noise + abs(x.scale - y.scale) * y.size
        return Ciphertext(self.operator(added)(x.parts, y.parts), x.scale, noise, x.size + y.size)

    def multiply(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """x·y, relinearised, at the product of their scales.

        Raises:
            MomagenError: other limbs, or a product that these cannot hold.
        """
        check_same(x, y)
        given = x.size * x.scale, y.size * y.scale, x.noise, y.noise
        check_room(self._moduli(x.limbs), given[0] * given[1])
        parts = self.operator(multiplied)(x.parts, y.parts, self.keys.relinearisation())
        return Ciphertext(parts, x.scale * y.scale, self.bounds.multiplied(x.limbs, *given), x.size * y.size)

    def multiply_plain(self, x: Ciphertext, z: Any) -> Ciphertext:
        """x times N/2 complex numbers.

        Raises:
            MomagenError: another number of them, or a product that its limbs cannot hold.
        """
        size = float(np.abs(self._checked(z)).max())
        check_room(self._moduli(x.limbs), x.size * x.scale * size * self.scale)
        parts = self.operator(multiplied_plain)(x.parts, self.encode(z, x.limbs))
        e = self.bounds.encoding() + self.bounds.doubles(size * self.scale)
        noise = x.noise * (size * self.scale + e) + x.size * x.scale * e
        return Ciphertext(parts, x.scale * self.scale, noise, x.size * size)

    def rescale(self, x: Ciphertext, limbs: int = 1) -> Ciphertext:
        """Return x divided by the moduli of its last ``limbs`` limbs, without these limbs.

        Dividing by two moduli at once is called double rescaling. The scale is divided by the same moduli.

        Raises:
            MomagenError: x does not have more limbs than that.
        """
        limbs = integer(limbs, "limbs")
        if not 1 <= limbs < x.limbs:
            raise MomagenError(f"from 1 to {x.limbs - 1} limbs", limbs, "rescale")
        divisor = prod(self._moduli(x.limbs)[-limbs:])
        parts = self.operator(rescaled, dropped=limbs)(x.parts)
        return Ciphertext(parts, x.scale / divisor, self.bounds.rescaled(x.noise, divisor), x.size)

    def rotate(self, x: Ciphertext, steps: int) -> Ciphertext:
        """The numbers of x moved to the left, slot k + steps to slot k.

        Raises:
            MomagenError: steps that are no integer.
        """
        steps = integer(steps, "steps")
        turn = self.kernels.turn(galois(self.parameters.degree, steps), self._moduli(x.limbs))
        parts = self.operator(rotated)(x.parts, turn, self.keys.rotation(steps))
        return replace(x, parts=parts, noise=x.noise + self.bounds.switching(x.limbs))

    def drop(self, x: Ciphertext, limbs: int) -> Ciphertext:
        """Return x with only its first ``limbs`` limbs, to match another ciphertext.

        Raises:
            MomagenError: ``limbs`` is 0 or more than x has, or too few for the encrypted message.
        """
        limbs = integer(limbs, "limbs")
        if not 1 <= limbs <= x.limbs:
            raise MomagenError(f"from 1 to {x.limbs} limbs", limbs, "drop")
        check_room(self._moduli(limbs), x.size * x.scale)
        return replace(x, parts=x.parts[:, :limbs])

    def operator(self, function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        """An operator as a function of arrays alone; see :mod:`momagen.he.operators`."""
        bound = partial(function, self.kernels, self.parameters, **options)
        if not self.compiled:
            return bound
        key = function, tuple(options.items())
        if key not in self._operators:
            import jax

            self._operators[key] = jax.jit(bound)
        return self._operators[key]

    def _moduli(self, limbs: int) -> tuple[int, ...]:
        limbs = integer(limbs, "limbs")
        if not 1 <= limbs <= self.parameters.limbs:
            raise MomagenError(f"from 1 to {self.parameters.limbs} limbs", limbs, "limbs")
        return self.parameters.moduli[:limbs]

    def _checked(self, z: Any) -> Any:
        check_unmasked(z, "z")
        slots = self.parameters.slots
        try:
            given = np.asarray(z, dtype=np.complex128)
        except (TypeError, ValueError) as error:
            raise MomagenError(f"{slots} complex numbers", str(error), "z") from None
        if given.shape != (slots,):
            raise MomagenError(f"{slots} complex numbers", f"an array of shape {given.shape}", "z")
        if not np.isfinite(given).all():
            raise build_error("some numbers are infinite or NaN", "z")
        return given

    def _rounded(self, given: Any) -> Any:
        coefficients = embed(given, self.parameters.degree) * self.scale
        if np.abs(coefficients).max() >= LARGEST:
            expected = f"numbers below 2^62/{self.scale:g}, so that scaled coefficients fit 63 bits"
            raise MomagenError(expected, f"{np.abs(given).max():g}", "z")
        return np.rint(coefficients).astype(np.int64)
