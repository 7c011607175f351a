"""The package of an RNS context: a library of kernels, and the context in C that uses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from momagen import __version__
from momagen.arguments import checked_arguments
from momagen.clib import Library, library
from momagen.clib.request import Row, read
from momagen.clib.variants import IDENTIFIER
from momagen.data import folder
from momagen.emit.codes import LIBRARY_CODES
from momagen.errors import MomagenError, among, quoted
from momagen.notebook import Progress
from momagen.packages import Package, largest_size, render, whole
from momagen.packages.package import DESCRIPTION
from momagen.values.numbers import integer
from momagen.values.texts import text, text_or
from momagen.verify import Report

from .classes import METHODS, find_role, group_roles, select_kernels
from .known_answers import build_test_values
from .methods import METHOD_TEXTS, Methods
from .verification import verify_context

TEMPLATES = "rns"
DEFAULT = 1 << 16
"""The default of the largest n."""
LONGEST = 62
SHORTEST = 20
MOST = 64
"""The largest number of moduli of a context."""
TRIED = (28, 40, 50, 60, 61, 62)
"""The widths in bits of the moduli that verification tries by default."""
CODES = LIBRARY_CODES | {
    "BAD_MODULUS": "a modulus is out of range or not prime, or two moduli are equal",
    "BAD_ROOT": "a root does not have order 2n modulo its modulus, or 2n does not divide q - 1",
    "NULL_POINTER": "a pointer is NULL",
    "NO_MEMORY": "there is not enough memory",
    "BAD_SIZE": "n or another number is out of range",
    "BAD_LEVEL": "the level is out of range",
    "NO_SPECIAL": "the context has no special moduli",
}
"""The error codes of a context with their texts; those of the kernels come first."""


@dataclass(frozen=True)
class RnsPackage(Package):
    """A CMake project of an RNS context; built by :func:`rns_context`.

    Attributes:
        files: The texts of all files, by path.
        library: The kernels.
        name: The prefix of the context's functions.
        max_n: The largest number of coefficients.
        methods: How ModUp converts digits and ModDown divides sums.
        lengths: The widths in bits of the moduli that verification tries.
    """

    name: str
    max_n: int
    methods: Methods
    lengths: tuple[int, ...]

    def verify(
        self, *, seed: int = 0, compiler: str | None = None, progress: Progress | None = None, all_sizes: bool = True
    ) -> list[Report]:  # fmt: skip
        """Compare every kernel in every variant with gmpy2, and the context with its definition on this machine.

        Args:
            seed: The seed of the random values.
            compiler: The compiler (default: the one that momagen finds).
            progress: A function that is called before every kernel with the part done (0 to 1) and the kernel's name.
            all_sizes: Whether emulated transforms with ``n=any`` are compared at every size; see
                :meth:`momagen.clib.Library.verify`.

        Returns:
            One report for each kernel and variant, and the report of the context.
        """
        reports = super().verify(seed=seed, compiler=compiler, progress=progress, all_sizes=all_sizes)
        checked = verify_context(
            self.library, self.files, self.name, self.methods, self.lengths, self.max_n, seed=seed, compiler=compiler
        )
        return [*reports, checked]

    def __repr__(self) -> str:
        names = ", ".join(variant.name for variant in self.library.variants)
        return f"<momagen RNS context {self.name}; polynomials up to n = {self.max_n} for {names}>"


@checked_arguments
def rns_context(
    name: str, *, max_n: int | str = DEFAULT, modulus_bits: int | Sequence[int] = (), mod_up: str = "corrected",
    mod_down: str = "corrected", targets: Sequence[str] | None = None, progress: Progress | None = None,
) -> RnsPackage:  # fmt: skip
    """Generate an RNS context: a C library with the operations of homomorphic encryption on a basis of primes.

    The operations are transforms, element-wise operations, automorphisms, rescaling, and hybrid key switching with
    ModUp and ModDown.

    Args:
        name: The prefix of the context's functions.
        max_n: The largest number of coefficients, a power of two from 2 to 2^20, or an expression such as "2^16".
        modulus_bits: The widths in bits of the moduli that the context must serve, 20 to 62 (default: all of them).
            Fewer widths make the library smaller.
        mod_up: How ModUp converts digits to the basis with the auxiliary moduli: "corrected" (the default), "exact" or
            "fast"; see the table of :func:`momagen.convert`.
        mod_down: How ModDown divides sums by the product P of the auxiliary moduli: "corrected" (the default), "exact"
            or "fast".
        targets: The names of targets or TOML files (default: "c", "avx2", "avx512" and "avx512ifma").
        progress: A function that is called before every kernel with the part done (0 to 1) and the kernel's name.

    Returns:
        The package, which is verified by ``verify()`` and written by ``save(folder)``.

    Raises:
        MomagenError: An argument is out of range, or a target does not support a kernel.
    """
    longest = largest_size(max_n)
    if not IDENTIFIER.fullmatch(text(name, "name")):
        expected = "a name of lower-case letters, digits and _ that begins with a letter"
        raise MomagenError(expected, quoted(name), "name")
    methods, lengths = Methods(mod_up, mod_down), _read_lengths(modulus_bits)
    for option, method in methods._asdict().items():
        if text_or("", method, option) not in METHOD_TEXTS:
            raise among("one of the methods", METHOD_TEXTS, method, option)
    found = read(folder("templates") / TEMPLATES / DESCRIPTION)
    given = found["kernel"]
    assert isinstance(given, list)
    rows = [_complete_row(row, longest, methods) for row in select_kernels(given, lengths)]
    names = found["targets"] if targets is None else targets
    assert isinstance(names, list | tuple)
    kernels = library(f"{name}_kernels", rows, targets=names, version=str(found["version"]), progress=progress)
    bits = {str(row["name"]): int(row["modulus_bits"]) for row in rows}  # type: ignore[call-overload]
    command = _write_command(name, longest, lengths, methods, targets)
    tried = lengths or TRIED
    values = {
        **_collect_values(name, kernels, longest, methods, bits), **build_test_values(tried, methods, longest),
        "lengths": lengths, "command": command,
    }  # fmt: skip
    texts = render(TEMPLATES, kernels, values, name)
    return RnsPackage(whole(texts, kernels), kernels, name, longest, methods, tried)


def _read_lengths(given: int | Sequence[int]) -> tuple[int, ...]:
    """Return the widths of the moduli in bits, sorted.

    Raises:
        MomagenError: A width is out of range.
    """
    wanted = given if isinstance(given, list | tuple) else [given]
    lengths = sorted({integer(each, "modulus_bits") for each in wanted})
    for length in lengths:
        if not SHORTEST <= length <= LONGEST:
            raise MomagenError(f"bit lengths from {SHORTEST} to {LONGEST}", length, "modulus_bits")
    return tuple(lengths)


def _complete_row(row: Row, max_n: int, methods: Methods) -> Row:
    """Return the description of a kernel with the largest size and the method of the request."""
    option = METHODS.get(find_role(str(row["name"])))
    sized = {"max_n": max_n} if row.get("n") == "any" else {}
    return {**row, **sized, **({"method": getattr(methods, option)} if option else {})}


def _write_command(
    name: str, max_n: int, lengths: Sequence[int], methods: Methods, targets: Sequence[str] | None
) -> str:  # fmt: skip
    """Return the command line that generates the package."""
    words = ["momagen rns", f"--name {name}", f"--max-n {max_n}"]
    words += [f"--modulus-bits {','.join(map(str, lengths))}"] * bool(lengths)
    words += [f"--{option.replace('_', '-')} {method}" for option, method in methods._asdict().items()]
    words += [f"--targets {','.join(targets or ())}"] * (targets is not None)
    return " ".join([*words, "--output DIR"])


def _collect_values(
    name: str, kernels: Library, max_n: int, methods: Methods, bits: dict[str, int]
) -> dict[str, object]:
    """Return the values that the templates use."""
    up, down = METHOD_TEXTS[methods.mod_up], METHOD_TEXTS[methods.mod_down]
    by_role = group_roles(kernels, bits)
    longest = min(role.classes[-1]["bits"] for role in by_role)
    return {
        "lib": name, "upper": name.upper(), "version": __version__, "release": kernels.version, "max_n": max_n,
        "max_bits": longest, "max_moduli": MOST, "codes": CODES, "kernel_codes": [*LIBRARY_CODES], "gpus": (),
        "variants": [variant.name for variant in kernels.variants], "roles": by_role,
        "example": _choose_example(max_n, longest), **methods._asdict(), "raised": up.raised, "converted": up.converted,
        "divided": down.divided,
    }  # fmt: skip


def _choose_example(max_n: int, longest: int) -> dict[str, int]:
    """Return the parameters of the example in the documentation.

    They are n, and the widths of the first modulus, the special one and the others.
    """
    special = min(longest, 61)
    return {"n": min(max_n, 4096), "special": special, "first": special - 1, "scale": min(40, special - 6)}
