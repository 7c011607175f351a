"""Proving the public functions of a saved kernel."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from time import perf_counter
from typing import TYPE_CHECKING, Any

from momagen import __version__
from momagen.prove.c.checks.declarations import check_names
from momagen.prove.c.source import COMPILERS, parse, texts_of
from momagen.prove.c.variants import is_same
from momagen.prove.certificates.certificate import Certificate
from momagen.prove.certificates.guide import SEARCH, Guide
from momagen.prove.certificates.record import Recorder
from momagen.prove.certificates.replay import Replay
from momagen.prove.checker import ProofError
from momagen.prove.claims import claim_of
from momagen.prove.result import Result
from momagen.prove.transforms.claim import transform_of
from momagen.prove.transforms.proof import prove_transform
from momagen.prove.vectors.proof import prove_elementwise

if TYPE_CHECKING:
    from pathlib import Path as File

    from momagen.prove.c.parsed import Source

PROVERS: dict[str, tuple[Callable[..., Any], Callable[..., Counter[str]]]] = {"ntt": (transform_of, prove_transform)}
"""By kind: the function that derives the claim from a manifest, and the one that proves it for a form of the source."""
ELEMENTWISE = claim_of, prove_elementwise
"""These functions for all other kinds."""
Progress = Callable[[float, str], None]


def unwatched(_part: float, _what: str) -> None:
    """Ignore the progress of a proof."""


def prove(path: File, progress: Progress = unwatched, guide: Guide = SEARCH) -> Result:
    """Prove the claim of a saved kernel from its C source.

    Args:
        path: The .c file, with the header NAME.h and the manifest NAME.json beside it.
        progress: A function that is called with the part done (0 to 1) and the name of the next step.
        guide: Where the proofs come from.

    Returns:
        The outcome; ``problem`` says why the claim is not proven.
    """
    started = perf_counter()
    request = path.with_suffix(".json").read_text(encoding="utf-8")
    manifest = json.loads(request)
    digest = sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    claim_from, prove_form = PROVERS.get(manifest["spec"]["kind"], ELEMENTWISE)
    text, problem, seed, runs = "", "", "", Counter[str]()
    try:
        claim = claim_from(manifest)
        text = claim.text()
        if not digest:
            raise ProofError("only C source can be proven")
        texts = texts_of(path)
        seed = sha256("".join([request, *texts.values()]).encode()).hexdigest()
        for at, (compiler, source) in enumerate(forms := _forms(texts, guide)):
            check_names(source, f"{manifest['name']}_")
            progress(at / len(forms), f"the source as {compiler} sees it")
            runs.update(prove_form(source, claim, seed, compiler, guide))
    except ProofError as error:
        line = getattr(error, "line", None)
        problem = f"{error}" + (f" (line {line} after preprocessing)" if line else "")
    seconds = perf_counter() - started
    checks = runs["paths"], runs["elements"], seconds
    return Result(manifest["name"], text, problem, digest, tuple(COMPILERS), *checks, seed, isinstance(guide, Replay))


def certify(path: File, progress: Progress = unwatched) -> tuple[Result, Certificate | None]:
    """Prove the claim of a saved kernel as :func:`prove` does, and return the certificate, too, if it is proven."""
    recorder = Recorder()
    result = prove(path, progress, recorder)
    if not result.is_proven:
        return result, None
    fields = result.name, result.claim, result.inputs, __version__, round(result.seconds, 3)
    return result, Certificate(*fields, recorder.written())


def check(path: File, certificate: Certificate, progress: Progress = unwatched) -> Result:
    """Prove the claim of a saved kernel by the steps of its certificate; nothing is searched for."""
    replay = Replay(certificate.sessions)
    result = prove(path, progress, replay)
    if certificate.name != result.name:
        return replace(result, problem=f"the certificate is that of {certificate.name}")
    if certificate.inputs != result.inputs:
        return replace(result, problem="the source, the header or the manifest has changed since the proof")
    return result


def _forms(texts: dict[str, str], guide: Guide) -> list[tuple[str, Source]]:
    """Return the forms of a source that compilers see and that are not proven to be the same."""
    sources = [(compiler, parse(text)) for compiler, text in texts.items()]
    first = sources[0]
    return [first, *(other for other in sources[1:] if not is_same(first[1], other[1], guide))]
