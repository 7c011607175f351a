"""RNS-CKKS on generated kernels: keys, encryption and operators, as a benchmark; nothing here is secure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from momagen.api.calls.integers import check_unmasked
from momagen.arguments import checked_arguments, checked_methods
from momagen.errors import MomagenError, build_error, quoted
from momagen.values.numbers import count, integer

from .ciphertext import LARGEST, Ciphertext, check_room, check_same
from .encoding import centred, embed, slots_of
from .kernels import RnsKernels
from .keys import HeKeys, errors, ternary
from .noise import NoiseBounds
from .operators import added, galois, multiplied, multiplied_plain, rescaled, rotated, subtracted
from .parameters import HeParameters


def _scale(value: object) -> float:
    """Return the scale of encryptions as a float.

    Raises:
        MomagenError: It is not a number, or is out of range.
    """
    if not isinstance(value, int | float | np.integer | np.floating) or not 1 <= value < LARGEST:
        raise MomagenError("a scale from 1 to 2^62", quoted(value), "scale")
    return float(value)


@checked_methods
class Ckks:
    """The CKKS scheme for given parameters, with keys from a seed, which are repeatable and not secret.

    Args:
        parameters: The parameters, for example from :func:`preset`.
        seed: The seed of all randomness.
        scale: The scale of encryptions, from 1 to 2^62 (default: 2^bits); 2^(2·bits) suits double rescaling.
        target: The JAX target of the kernels.
        compiled: Whether each operator is compiled into one function by XLA. Otherwise it calls kernels one by one, and
            no operator needs to be compiled.

    Attributes:
        parameters: The parameters.
        kernels: The kernels.
        keys: The keys.
        bounds: The noise bounds.
        scale: The scale of encryptions.
        compiled: Whether each operator is one compiled function.
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
        """Return the plaintext of N/2 complex numbers as values of the transform, residues of shape (limbs, N).

        The numbers are multiplied by the scale of encryptions, ``scale``.

        Args:
            z: The N/2 complex numbers.
            limbs: The number of RNS limbs.

        Raises:
            MomagenError: The number of complex numbers or of limbs is wrong, or a number is too large for the scale.
        """
        return self.keys.small(self._rounded(self._checked(z)), self._moduli(limbs))

    def encrypt(self, z: Any) -> Ciphertext:
        """Return a ciphertext with all RNS limbs.

        Args:
            z: The N/2 complex numbers.

        Raises:
            MomagenError: The number of complex numbers is wrong, or one is too large for the scale.
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
        """Return the N coefficients of c_0 + c_1·s for the secret s, integers around 0: the plaintext and its noise.

        Args:
            parts: The polynomials of a ciphertext.
        """
        k, moduli = self.kernels, self._moduli(parts.shape[-2])
        hidden = k.multiply(parts[1], self.keys.secret[: len(moduli)], moduli)
        return centred(k.intt(k.add(parts[0], hidden, moduli), moduli), moduli)

    def decrypt(self, x: Ciphertext) -> Any:
        """Return the N/2 complex numbers of the ciphertext ``x``, each with an error of at most ``x.error``."""
        coefficients = np.array([float(a) for a in self.phase(x.parts)])
        return slots_of(coefficients / x.scale, self.parameters.degree)

    def add(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """Return x + y.

        Raises:
            MomagenError: The ciphertexts have different numbers of RNS limbs or different scales.
        """
        return self._linear(added, x, y)

    def subtract(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """Return x - y.

        Raises:
            MomagenError: The ciphertexts have different numbers of RNS limbs or different scales.
        """
        return self._linear(subtracted, x, y)

    def multiply(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """Return x·y, relinearised; its scale is the product of the scales of x and y.

        Raises:
            MomagenError: The ciphertexts have different numbers of RNS limbs, or the moduli are too small for the
                product.
        """
        check_same(x, y)
        given = x.size * x.scale, y.size * y.scale, x.noise, y.noise
        check_room(self._moduli(x.limbs), given[0] * given[1])
        parts = self.operator(multiplied)(x.parts, y.parts, self.keys.relinearisation())
        return Ciphertext(parts, x.scale * y.scale, self.bounds.multiplied(x.limbs, *given), x.size * y.size)

    def multiply_plain(self, x: Ciphertext, z: Any) -> Ciphertext:
        """Return the product of x and N/2 complex numbers, slot by slot.

        The numbers are encoded with the scale of encryptions, ``scale``, so the scale of the result is the scale of x
        times this scale.

        Args:
            x: The ciphertext.
            z: The N/2 complex numbers.

        Raises:
            MomagenError: The number of complex numbers is wrong, or the moduli are too small for the product.
        """
        size = float(np.abs(self._checked(z)).max())
        check_room(self._moduli(x.limbs), x.size * x.scale * size * self.scale)
        parts = self.operator(multiplied_plain)(x.parts, self.encode(z, x.limbs))
        e = self.bounds.encoding() + self.bounds.doubles(size * self.scale)
        noise = x.noise * (size * self.scale + e) + x.size * x.scale * e
        return Ciphertext(parts, x.scale * self.scale, noise, x.size * size)

    def rescale(self, x: Ciphertext, limbs: int = 1) -> Ciphertext:
        """Return x without its last RNS limbs, with its scale divided by their moduli.

        Args:
            x: The ciphertext.
            limbs: The number of limbs: one, or two at once ("double rescaling").

        Raises:
            MomagenError: ``limbs`` is less than 1, or x does not have more limbs than ``limbs``.
        """
        limbs = integer(limbs, "limbs")
        if not 1 <= limbs < x.limbs:
            raise MomagenError(f"from 1 to {x.limbs - 1} limbs", limbs, "rescale")
        divisor = prod(self._moduli(x.limbs)[-limbs:])
        parts = self.operator(rescaled, dropped=limbs)(x.parts)
        return Ciphertext(parts, x.scale / divisor, self.bounds.rescaled(x.noise, divisor), x.size)

    def rotate(self, x: Ciphertext, steps: int) -> Ciphertext:
        """Return x with its numbers rotated to the left, so that slot k + steps moves to slot k.

        Args:
            x: The ciphertext.
            steps: The number of slots, an integer.

        Raises:
            MomagenError: ``steps`` is not an integer.
        """
        steps = integer(steps, "steps")
        turn = self.kernels.turn(galois(self.parameters.degree, steps), self._moduli(x.limbs))
        parts = self.operator(rotated)(x.parts, turn, self.keys.rotation(steps))
        return replace(x, parts=parts, noise=x.noise + self.bounds.switching(x.limbs))

    def drop(self, x: Ciphertext, limbs: int) -> Ciphertext:
        """Return x with its first ``limbs`` RNS limbs, so that it fits another ciphertext.

        Args:
            x: The ciphertext.
            limbs: The number of limbs that remain.

        Raises:
            MomagenError: ``limbs`` is less than 1 or more than x has, or the remaining moduli are too small for the
                message.
        """
        limbs = integer(limbs, "limbs")
        if not 1 <= limbs <= x.limbs:
            raise MomagenError(f"from 1 to {x.limbs} limbs", limbs, "drop")
        check_room(self._moduli(limbs), x.size * x.scale)
        return replace(x, parts=x.parts[:, :limbs])

    def operator(self, function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        """Return an operator whose kernels, parameters and options are bound, as a function of arrays.

        Args:
            function: A function of :mod:`momagen.he.operators`, such as `rotated`, whose first two arguments are the
                kernels and the parameters of a scheme.
            **options: Keyword arguments of the function, which are bound, too.

        Returns:
            The function of the remaining arguments, which are arrays of residues; compiled by JAX if the scheme is.
        """
        bound = partial(function, self.kernels, self.parameters, **options)
        if not self.compiled:
            return bound
        key = function, tuple(options.items())
        if key not in self._operators:
            import jax

            self._operators[key] = jax.jit(bound)
        return self._operators[key]

    def _linear(self, function: Callable[..., Any], x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """Return the sum or difference of two ciphertexts, which have the same bounds.

        Raises:
            MomagenError: The ciphertexts have different numbers of RNS limbs or different scales.
        """
        check_same(x, y, scales=True)
        noise = x.noise + y.noise + abs(x.scale - y.scale) * y.size
        return Ciphertext(self.operator(function)(x.parts, y.parts), x.scale, noise, x.size + y.size)

    def _moduli(self, limbs: int) -> tuple[int, ...]:
        """Return the first ``limbs`` moduli.

        Raises:
            MomagenError: The number is out of range.
        """
        limbs = integer(limbs, "limbs")
        if not 1 <= limbs <= self.parameters.limbs:
            raise MomagenError(f"from 1 to {self.parameters.limbs} limbs", limbs, "limbs")
        return self.parameters.moduli[:limbs]

    def _checked(self, z: Any) -> Any:
        """Return N/2 finite complex numbers as an array.

        Raises:
            MomagenError: They are something else.
        """
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
        """Return the coefficients of a plaintext, scaled and rounded to integers.

        Raises:
            MomagenError: They are too large for 64-bit integers.
        """
        coefficients = embed(given, self.parameters.degree) * self.scale
        if np.abs(coefficients).max() >= LARGEST:
            expected = f"numbers below 2^62/{self.scale:g}, so that scaled coefficients fit 63 bits"
            raise MomagenError(expected, f"{np.abs(given).max():g}", "z")
        return np.rint(coefficients).astype(np.int64)
