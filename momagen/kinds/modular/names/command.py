"""The command line that generates a kernel."""

from __future__ import annotations

import shlex

from momagen.kinds.modular.fields import SpecFields
from momagen.kinds.modular.options.declared import OptionFields
from momagen.kinds.parameter import FILE, parameters_of

from .details import arguments


def command(spec: SpecFields) -> str:
    """Return a command line whose kernel has the same specification, whatever momagen chooses by default."""
    words = ["momagen", *spec.kind.command_words, *_size(spec), *_modulus(spec)]
    words += ["--inverse"] * spec.inverse + arguments(spec)
    words += ["--order", spec.order] * (spec.order != "bitrev")
    declared = parameters_of(OptionFields)
    for key, value in sorted(spec.options.texts().items()):
        words += [declared[key].flag, FILE if declared[key].is_file else value]
    return shlex.join([*words, *_layout(spec), "--target", str(spec.target)])


def _size(spec: SpecFields) -> list[str]:
    """Return the arguments for points, levels and columns."""
    words = ["--n", "any", "--max-n", str(spec.n)] if spec.sized else ["--n", str(spec.length)] * (spec.n > 0)
    words += ["--depth", str(spec.depth)] * (spec.degree > 1)
    return words + ["--columns", str(spec.across)] * (spec.across > 1)


def _modulus(spec: SpecFields) -> list[str]:
    """Return the arguments for the modulus and the root, or for the width of a longer modulus that the build serves."""
    if spec.basis:
        roots = ["--roots", ",".join(map(hex, spec.roots))] * (spec.n > 0)
        return ["--moduli", ",".join(map(hex, spec.basis)), *roots]
    if spec.serves:
        return ["--modulus-bits", str(spec.serves)]
    return ["--modulus", hex(spec.modulus), *["--root", hex(spec.root)] * (spec.n > 0)]


def _layout(spec: SpecFields) -> list[str]:
    """Return the argument for the words of arrays, or [] if the target chooses them by default."""
    other = spec.target.narrower(spec.width) is not spec.target
    return ["--layout", f"u{spec.target.of_width(spec.width).word}"] * other
