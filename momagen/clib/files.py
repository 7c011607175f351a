"""The files of a library: the sources of its kernels, and the files rendered from the templates in ``lib/``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from momagen import __version__
from momagen.api import Kernel
from momagen.emit.codes import LIBRARY_CODES, UNKNOWN
from momagen.lower.writer import host_of
from momagen.templates import templates

from .features import leaves
from .gpu import GpuKernel
from .known_answers import FILLS, LENGTH, Answer
from .member import Member
from .request import LibraryRequest
from .tried_kernel import TriedKernel, undone_by
from .variants import Variant

MANIFEST = "MANIFEST.sha256"
"""The file that lists all other files of a library with their SHA-256; ``sha256sum -c`` reads it."""
FIXED = {
    "README.md": "README.md", "LICENSE": "LICENSE", "CMakeLists.txt": "CMakeLists.txt",
    "cmake/{}-config.cmake.in": "config.cmake.in", "cmake/{}.pc.in": "pc.in", "include/{}.h": "header.h",
    "src/{}_variants.h": "variants.h", "src/{}_variants.c": "variants.c", "src/{}_params.c": "params.c",
    "tests/kernels.h": "tests/kernels.h",
    "tests/kernels.c": "tests/kernels.c", "tests/test.c": "tests/test.c", "tests/threads.c": "tests/threads.c",
    "bench/bench.c": "bench/bench.c",
}  # fmt: skip
"""The files of every library: their paths, with the library's name in place of the braces, and their templates."""


def files(
    wish: LibraryRequest, variants: Sequence[Variant], members: Sequence[Member], command: str,
    gpus: Sequence[GpuKernel] = (),
) -> dict[str, str]:  # fmt: skip
    """Return all texts of a library by path, in the order of the manifest, which comes last.

    Args:
        wish: The checked request.
        variants: The ISA variants, best first.
        members: The kernels.
        command: The command that generates the library, which its files quote.
        gpus: The kernels for GPUs.
    """
    shared = {**_shared(wish, variants, members, command), "gpus": gpus}
    texts = {path.format(wish.name): _render(name, shared) for path, name in FIXED.items()}
    texts[f"{wish.name}.toml"] = description(wish, variants, members, gpus)
    for variant in variants:
        texts[f"cmake/variant_{variant.name}.c"] = _render("probe.c", {**shared, **_probe(variant)})
    for member, numbers in zip(members, shared["members"], strict=True):
        texts[f"src/{member.symbol}.c"] = _render(member.template, {**shared, "k": numbers})
        for source in member.sources:
            texts |= {f"src/{source.name}.c": source.source, f"src/{source.name}.h": source.header}
    if gpus:
        texts[f"include/{wish.name}_cuda.h"] = _render("gpu.h", shared)
    for each in gpus:
        texts |= {f"src/{each.source.name}.cu": each.source.source, f"include/{each.source.name}.h": each.source.header}
    return {**texts, MANIFEST: manifest(texts)}


def manifest(texts: Mapping[str, str]) -> str:
    """Return the text of the manifest: a line with the SHA-256 and the path of each file."""
    return "".join(f"{hashlib.sha256(texts[path].encode()).hexdigest()}  {path}\n" for path in sorted(texts))


def stated(texts: Mapping[str, str], kernels: Sequence[Kernel]) -> dict[str, str]:
    """Return the files of a library with the texts of verified kernels and a new manifest.

    The texts state what was verified.

    Args:
        texts: All files of the library, by path.
        kernels: The kernels after their verification.
    """
    paths = {path.rpartition("/")[2]: path for path in texts}
    found = {paths[f"{kernel.name}{end}"]: text for kernel in kernels for end, text in kernel.generated.files.items()}
    whole = {**texts, **found}
    return {**whole, MANIFEST: manifest({path: text for path, text in whole.items() if path != MANIFEST})}


def _render(name: str, numbers: dict[str, Any]) -> str:
    """Return the text of a template."""
    return templates().get_template(f"lib/{name}.j2").render(numbers)


def _shared(
    wish: LibraryRequest, variants: Sequence[Variant], members: Sequence[Member], command: str
) -> dict[str, Any]:
    """Return the values that all templates use."""
    host = host_of(variants[0].target)
    trials = [trial for member in members for trial in member.trials]
    read = leaves(feature for variant in variants for feature in variant.features)
    needs = [
        {"variant": variant.upper, "leaf": read.index((feature.leaf, feature.subleaf)), "feature": feature}
        for variant in variants
        for feature in variant.features
    ]
    return {
        "lib": wish.name, "upper": wish.name.upper(), "release": wish.version, "version": __version__,
        "command": command, "manifest": MANIFEST, "library_codes": LIBRARY_CODES,
        "unknown_code": UNKNOWN, "fills": FILLS, "variants": variants,
        "leaves": read, "needs": needs, "members": [member.numbers() for member in members],
        "tried": [_row(trial, trials) for trial in trials], "word": host.types["word"], "word_bits": host.word,
        "unit": LENGTH,
        "operands": max(len(trial.rows) for trial in trials),
        "counts": max(1, *(len(trial.counts) for trial in trials)),
        "verbs": list(dict.fromkeys(verb for member in members for verb in member.functions)),
    }  # fmt: skip


def _row(trial: TriedKernel, trials: Sequence[TriedKernel]) -> dict[str, Any]:
    """Return the values that the tests and the benchmark use for one row of their table."""
    return {**vars(trial), "words": trial.arith.words, "back": undone_by(trial, trials),
            "answers": [_answer(answer, trial) for answer in trial.answers]}  # fmt: skip


def _answer(answer: Answer, trial: TriedKernel) -> dict[str, Any]:
    """Return the values that the tests use for one known answer."""
    return {
        "modulus": trial.literals(answer.moduli), "root": trial.literals([answer.root]), "fill": answer.fill,
        "most": trial.literals(answer.largest), "seed": answer.seed, "digest": answer.digest,
        "places": list(answer.outputs), "shown": [trial.literals([value]) for value in answer.outputs.values()],
    }  # fmt: skip


def _probe(variant: Variant) -> dict[str, Any]:
    """Return the values for the program that tests whether the compiler supports a variant."""
    target = variant.target
    known = {**host_of(target).prelude, **target.prelude}
    texts = dict.fromkeys(known[what] for what in sorted(known))
    return {"variant": variant, "target": target, "preludes": list(texts)}


def description(
    wish: LibraryRequest, variants: Sequence[Variant], members: Sequence[Member], gpus: Sequence[GpuKernel] = ()
) -> str:
    """Return the description of the library as a TOML file, from which it can be generated again."""
    beside = list(dict.fromkeys(str(each.source.spec.target) for each in gpus))
    of_kernel = {
        member.name: [str(each.source.spec.target) for each in gpus if each.name == member.name] for member in members
    }
    head = [f"name = {_toml(wish.name)}", f"version = {_toml(wish.version)}"]
    head.append(f"targets = {_toml([*(str(variant.target) for variant in variants), *beside])}")
    rows: list[str] = []
    for member in members:
        rows += ["", "[[kernel]]", f"name = {_toml(member.name)}"]
        rows += [f"{key} = {_toml(value)}" for key, value in member.description()]
        if member.variants != tuple(variants) or of_kernel[member.name] != beside:
            own = [*(str(variant.target) for variant in member.variants), *of_kernel[member.name]]
            rows.append(f"targets = {_toml(own)}")
    return "\n".join([*head, *rows]) + "\n"


def _toml(value: object) -> str:
    """Return texts, numbers, booleans and lists of them as TOML, which JSON writes in the same way."""
    return json.dumps(value, ensure_ascii=False)
