"""The files of a library, by path: the kernels' own texts, and around them what the templates in ``lib/`` make."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from momagen import __version__
from momagen.api.display import what
from momagen.bench.measure.fresh import CHAINED, fresh
from momagen.emit import Source
from momagen.emit.claim import claim_of, state
from momagen.emit.codes import CODES, LIBRARY_CODES, UNKNOWN
from momagen.kernels.residues.arith import Arith
from momagen.kernels.spec.derived.sharing import smallest_part, work_of
from momagen.kernels.spec.spec import Spec
from momagen.lower.writer import host_of
from momagen.templates import templates
from momagen.verify import Report

from .features import leaves
from .gpu import GpuKernel
from .known_answers import FILLS, LENGTH, Answer, words_of
from .member import Member
from .request import LibraryRequest
from .variants import Variant

MANIFEST = "MANIFEST.sha256"
"""The file that says which others are ours; ``sha256sum -c`` reads it."""
SHORT = 1 << 12
"""About the same in words of residues, where the number of points is known at run time."""
LONG = 1 << 25
"""Word products of a transform, some tens of milliseconds, from which on a library's tests do the least."""
THINGS = {"ntt": "transform", "polymul": "polynomial", "basemul": "polynomial"}
FIXED = {
    "README.md": "README.md", "LICENSE": "LICENSE", "CMakeLists.txt": "CMakeLists.txt",
    "cmake/{}-config.cmake.in": "config.cmake.in", "cmake/{}.pc.in": "pc.in", "include/{}.h": "header.h",
    "src/{}_variants.h": "variants.h", "src/{}_variants.c": "variants.c", "src/{}_params.c": "params.c",
    "tests/kernels.h": "tests/kernels.h",
    "tests/kernels.c": "tests/kernels.c", "tests/test.c": "tests/test.c", "tests/threads.c": "tests/threads.c",
    "bench/bench.c": "bench/bench.c",
}  # fmt: skip
"""Paths, with the library's name between the braces, and their templates."""


def files(
    wish: LibraryRequest, variants: Sequence[Variant], members: Sequence[Member], command: str,
    gpus: Sequence[GpuKernel] = (),
) -> dict[str, str]:  # fmt: skip
    """All texts of the library, by path, in the order of the manifest that comes last."""
    shared = {**_shared(wish, variants, members, command), "gpus": gpus}
    texts = {path.format(wish.name): _render(name, shared) for path, name in FIXED.items()}
    texts[f"{wish.name}.toml"] = description(wish, variants, members, gpus)
    for variant in variants:
        texts[f"cmake/variant_{variant.name}.c"] = _render("probe.c", {**shared, **_probe(variant)})
    for member, numbers in zip(members, shared["members"], strict=True):
        plan = "basis.c" if member.spec.basis else "kernel.c"
        texts[f"src/{member.symbol}.c"] = _render(plan, {**shared, "k": numbers})
        for source in member.sources:
            texts |= {f"src/{source.name}.c": source.source, f"src/{source.name}.h": source.header}
    if gpus:
        texts[f"include/{wish.name}_cuda.h"] = _render("gpu.h", shared)
    for each in gpus:
        texts |= {f"src/{each.source.name}.cu": each.source.source, f"include/{each.source.name}.h": each.source.header}
    return {**texts, MANIFEST: manifest(texts)}


def manifest(texts: Mapping[str, str]) -> str:
    """A line per file: its SHA-256 and its path."""
    return "".join(f"{hashlib.sha256(texts[path].encode()).hexdigest()}  {path}\n" for path in sorted(texts))


def stated(texts: Mapping[str, str], sources: Sequence[Source], reports: Sequence[Report]) -> dict[str, str]:
    """Return the files of `sources` with what the `reports` of their verification allow to claim, and a new manifest.

    Args:
        texts: all files of the library, by path.
        sources: the kernels that were verified.
        reports: the report of each of them.
    """
    found = dict(texts)
    for source, report in zip(sources, reports, strict=True):
        about = claim_of(source.spec)
        own = {path for path in texts if Path(path).stem == source.name}
        found |= {path: state(texts[path], about, report.ok) for path in own}
    return {**found, MANIFEST: manifest({path: text for path, text in found.items() if path != MANIFEST})}


def _render(name: str, numbers: dict[str, Any]) -> str:
    return templates().get_template(f"lib/{name}.j2").render(numbers)


def _shared(
    wish: LibraryRequest, variants: Sequence[Variant], members: Sequence[Member], command: str
) -> dict[str, Any]:
    """What every template may ask for."""
    host = host_of(variants[0].target)
    read = leaves(feature for variant in variants for feature in variant.features)
    needs = [
        {"variant": variant.upper, "leaf": read.index((feature.leaf, feature.subleaf)), "feature": feature}
        for variant in variants
        for feature in variant.features
    ]
    return {
        "lib": wish.name, "upper": wish.name.upper(), "release": wish.version, "version": __version__,
        "command": command, "manifest": MANIFEST, "codes": CODES, "library_codes": LIBRARY_CODES,
        "unknown_code": UNKNOWN, "fills": FILLS, "variants": variants,
        "leaves": read, "needs": needs, "members": [_numbers(member) for member in members],
        "tried": list(_tried(members)), "word": host.types["word"], "word_bits": host.word, "unit": LENGTH,
        "operands": max(len(member.spec.ranges.operands) for member in members),
    }  # fmt: skip


def _numbers(member: Member) -> dict[str, Any]:
    """What the templates ask for of one kernel."""
    spec, functions = member.spec, member.functions
    return {
        "one": member.of_variant, "running": (*spec.ranges.vectors, spec.ranges.result), "basis": bool(spec.basis),
        "name": member.name, "symbol": member.symbol, "upper": member.symbol.upper(), "what": what(spec),
        "title": what(spec)[0].upper() + what(spec)[1:],
        "moduli": member.moduli, "words": spec.arith.words, "n": spec.length, "columns": spec.across,
        "thing": THINGS.get(spec.kind, ""),
        "create": functions["create"], "execute": functions["execute"], "destroy": functions["destroy"],
        "rooted": bool(spec.n), "sized": spec.sized, "sums": spec.sums,
        "unit": member.unit, "grain": SHORT if spec.sized else smallest_part(spec), "passed": _passed(member),
        "variants": [{"name": variant.name, "upper": variant.upper, "symbol": source.name}
                   for variant, source in zip(member.variants, member.sources, strict=True)],
        "variant_names": ", ".join(variant.name for variant in member.variants),
    }  # fmt: skip


def _tried(members: Sequence[Member]) -> Iterator[dict[str, Any]]:
    """What tests and the benchmark ask for: a row for each kernel, or for some of its sizes."""
    rows = [(member, spec, known) for member in members for spec, known in member.tried]
    for member, spec, known in rows:
        grain, brief = smallest_part(spec), _products(spec) > LONG
        yield {
            "name": member.name, "symbol": member.symbol, "row": member.name + f"_{spec.n}" * member.spec.sized,
            "sized": member.spec.sized, "max_n": member.spec.n * member.spec.sized,
            "arguments": _told(member, spec.n), "basis": bool(member.spec.basis),
            "words": spec.arith.words, "size": LENGTH if spec.sums else spec.elements,
            "rooted": bool(spec.n), "odd": spec.odd, "brief": brief,
            "batch": 2 if brief or spec.sums else 3 * grain + 2,
            "work": "butterfly" if spec.kind == "ntt" else "element", "works": work_of(spec),
            "inputs": len(spec.ranges.operands), "scalars": len(spec.ranges.scalars), "output": spec.ranges.output,
            "chained": fresh(spec, spec.modulus) == CHAINED, "count": 1 if spec.n or spec.sums else LENGTH,
            "back": next((at for at, (_, other, _) in enumerate(rows) if _undoes(other, spec)), -1),
            "answers": [_answer(answer, spec.arith) for answer in known],
        }  # fmt: skip


def _told(member: Member, n: int) -> str:
    """The arguments of create for n points and one modulus, as C."""
    names = [argument.name for argument in member.functions["create"].arguments]
    return ", ".join({"n": str(n), "moduli": "1"}.get(name, name) for name in names)


def _passed(member: Member) -> list[str]:
    """The arguments of execute, from those that the tests have for every kernel."""
    return ["plan", "z", *[f"in[{i}]" for i in range(len(member.spec.ranges.operands))], "count"]


def _products(spec: Spec) -> int:
    """Word products of one transform, product or element, about."""
    transforms = {"ntt": 1, "polymul": 3}.get(spec.kind, 0)
    return max(transforms * spec.elements // 2 * spec.n.bit_length(), 1) * spec.arith.words**2


def _undoes(other: Spec, spec: Spec) -> bool:
    ways = [(s.kind, s.n, s.columns, s.degree, s.negacyclic, s.order, s.modulus, s.root) for s in (other, spec)]
    taken = spec.ranges.output <= other.ranges.input and not other.montgomery + spec.montgomery
    return spec.kind == "ntt" and ways[0] == ways[1] and other.inverse != spec.inverse and taken


def _answer(answer: Answer, arith: Arith) -> dict[str, Any]:
    return {
        "modulus": _literals(answer.modulus, arith), "root": _literals(answer.root, arith), "fill": answer.fill,
        "most": [word for value in answer.largest for word in _literals(value, arith)],
        "seed": answer.seed, "digest": answer.digest, "places": list(answer.outputs),
        "shown": [_literals(value, arith) for value in answer.outputs.values()],
    }  # fmt: skip


def _literals(value: int, arith: Arith) -> list[str]:
    return [f"UINT{arith.word}_C({word:#x})" for word in words_of(value, arith)]


def _probe(variant: Variant) -> dict[str, Any]:
    """What the trial of one variant is made of."""
    target = variant.target
    known = {**host_of(target).prelude, **target.prelude}
    texts = dict.fromkeys(known[what] for what in sorted(known))
    return {"variant": variant, "target": target, "preludes": list(texts)}


def description(
    wish: LibraryRequest, variants: Sequence[Variant], members: Sequence[Member], gpus: Sequence[GpuKernel] = ()
) -> str:
    """The library as a TOML file, from which it is made again."""
    beside = list(dict.fromkeys(each.source.spec.target for each in gpus))
    of_kernel = {
        member.name: [each.source.spec.target for each in gpus if each.name == member.name] for member in members
    }
    head = [f"name = {_toml(wish.name)}", f"version = {_toml(wish.version)}"]
    head.append(f"targets = {_toml([*(variant.given for variant in variants), *beside])}")
    rows: list[str] = []
    for member in members:
        rows += _row(member)
        if member.variants != tuple(variants) or of_kernel[member.name] != beside:
            own = [*(variant.given for variant in member.variants), *of_kernel[member.name]]
            rows.append(f"targets = {_toml(own)}")
    return "\n".join([*head, *rows]) + "\n"


def _row(member: Member) -> Iterator[str]:
    spec = member.spec
    yield "\n[[kernel]]"
    yield f"name = {_toml(member.name)}"
    yield f"kind = {_toml(spec.kind)}"
    if spec.n:
        yield f'n = "any"\nmax_n = {spec.n}' if spec.sized else f"n = {spec.length}"
    numbers = {"modulus": hex(spec.modulus), "root": hex(spec.root)}
    if spec.basis:
        numbers = {"moduli": list(map(hex, spec.basis)), "roots": list(map(hex, spec.roots))}  # type: ignore[dict-item]
    yield from (f"{name} = {_toml(value)}" for name, value in numbers.items() if spec.n or name[0] == "m")
    if spec.degree > 1:
        yield f"depth = {spec.depth}"
    if spec.across > 1:
        yield f"columns = {spec.across}"
    if spec.montgomery:
        yield f"montgomery = {spec.montgomery}"
    for key in ("inverse", "negacyclic"):
        if getattr(spec, key):
            yield f"{key} = true"
    if spec.order != Spec.order:
        yield f"order = {_toml(spec.order)}"
    for key, value in sorted(spec.options.items()):
        yield f"{key} = {_toml(value)}"


def _toml(value: object) -> str:
    """Texts and lists of texts: what JSON and TOML write alike."""
    return json.dumps(value, ensure_ascii=False)
