"""Proving the public functions of a saved kernel."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from time import perf_counter
from typing import TYPE_CHECKING, Any

from momagen.prove.c.source import COMPILERS, parse, texts_of
from momagen.prove.c.variants import is_same
from momagen.prove.checker import ProofError
from momagen.prove.claims import claim_of
from momagen.prove.result import Result
from momagen.prove.transforms.claim import transform_of
from momagen.prove.transforms.proof import prove_transform
from momagen.prove.vectors.proof import prove_elementwise

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path as File

    from momagen.prove.c.parsed import Source

PROVERS: dict[str, tuple[Callable[..., Any], Callable[..., Counter[str]]]] = {"ntt": (transform_of, prove_transform)}
"""By kind: the function that derives the claim from a manifest, and the one that proves it for a form of the source."""
ELEMENTWISE = claim_of, prove_elementwise
"""These functions for all other kinds."""


def prove(path: File, progress: Callable[[float, str], None] = lambda part, what: None) -> Result:
    """Prove the claim of a saved kernel from its C source.

    Args:
        path: The .c file, with the header NAME.h and the manifest NAME.json beside it.
        progress: A function that is called with the part done (0 to 1) and the name of the next step.

    Returns:
        The outcome; ``problem`` says why the claim is not proven.
    """
    started = perf_counter()
    request = path.with_suffix(".json").read_text(encoding="utf-8")
    manifest = json.loads(request)
    digest = sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    claim_from, prove_form = PROVERS.get(manifest["spec"]["kind"], ELEMENTWISE)
    text, problem, runs = "", "", Counter[str]()
    try:
        claim = claim_from(manifest)
        text = claim.text()
        if not digest:
            raise ProofError("only C source can be proven")
        texts = texts_of(path)
        seed = sha256("".join([request, *texts.values()]).encode()).hexdigest()
        for at, (compiler, source) in enumerate(forms := _forms(texts)):
            progress(at / len(forms), f"the source as {compiler} sees it")
            runs.update(prove_form(source, claim, seed, compiler))
    except ProofError as error:
        line = getattr(error, "line", None)
        problem = f"{error}" + (f" (line {line} after preprocessing)" if line else "")
    seconds = perf_counter() - started
    return Result(manifest["name"], text, problem, digest, tuple(COMPILERS), runs["paths"], runs["elements"], seconds)


def _forms(texts: dict[str, str]) -> list[tuple[str, Source]]:
    """Return the forms of a source that compilers see and that are not proven to be the same."""
    sources = [(compiler, parse(text)) for compiler, text in texts.items()]
    first = sources[0]
    return [first, *(other for other in sources[1:] if not is_same(first[1], other[1]))]
