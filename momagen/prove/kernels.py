"""Proving the public functions of a saved kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any

from momagen import __version__
from momagen.errors import MomagenError, quoted
from momagen.files import text_of
from momagen.prove.b512.claim import program_claim_of
from momagen.prove.b512.proof import prove_program
from momagen.prove.bases.claim import key_switch_of, rescaling_of
from momagen.prove.bases.conversions.claim import conversion_of, division_of
from momagen.prove.bases.proof import prove_basis
from momagen.prove.c.checks.declarations import check_names
from momagen.prove.c.checks.text import read_text
from momagen.prove.c.cuda.source import device_text, parse_device
from momagen.prove.c.source import COMPILERS, parse, text_seen_by, texts_of
from momagen.prove.c.variants import is_same
from momagen.prove.certificates.certificate import Certificate
from momagen.prove.certificates.guide import SEARCH, Guide
from momagen.prove.certificates.record import Recorder
from momagen.prove.certificates.replay import Replay
from momagen.prove.checker import ProofError
from momagen.prove.claims import Claim, claim_of
from momagen.prove.grids.claim import grid_claim_of
from momagen.prove.grids.proof import COMPILER, check_launches, narrowed_to_odd, prove_grid
from momagen.prove.grids.threads.claim import grid_transform_of
from momagen.prove.grids.threads.proof import narrowed_to_long, prove_grid_transform
from momagen.prove.result import Result
from momagen.prove.sums.claim import sum_of
from momagen.prove.sums.proof import prove_sum
from momagen.prove.transforms.claim import extension_of, product_of, transform_of
from momagen.prove.transforms.proof import prove_transform
from momagen.prove.vectors.proof import narrowed, prove_elementwise
from momagen.tables import parse_json

if TYPE_CHECKING:
    from pathlib import Path as File

    from momagen.prove.c.parsed import Source
    from momagen.prove.machine.build import Build

PROVERS: dict[str, tuple[Callable[..., Any], Callable[..., Counter[str]]]] = {
    "ntt": (transform_of, prove_transform),
    "lde": (extension_of, prove_transform),
    "basemul": (product_of, prove_transform),
    "polymul": (product_of, prove_transform),
    "dot": (sum_of, prove_sum),
    "rescale": (rescaling_of, prove_basis),
    "keyswitch": (key_switch_of, prove_basis),
    "convert": (conversion_of, prove_basis),
    "moddown": (division_of, prove_basis),
}
"""By kind: the function that derives the claim from a manifest, and the one that proves it for a form of the source."""
ELEMENTWISE = claim_of, prove_elementwise
"""These functions for all other kinds."""
GRIDS: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[..., Counter[str]]]] = {
    "ntt": (grid_transform_of, narrowed_to_long, prove_grid_transform),
}
"""These functions for kernels for CUDA that are not element-wise, and the function that narrows the claim's moduli."""
ON_ELEMENTS = grid_claim_of, narrowed_to_odd, prove_grid
"""These functions for element-wise kernels for CUDA."""
UNSUPPORTED = AttributeError, LookupError, TypeError, ValueError, SyntaxError, RecursionError
"""What the prover raises at a source that it does not expect; such a source is not proven."""
NO_CODE = "machine code of such kernels is not supported yet"
Progress = Callable[[float, str], None]


def unwatched(_part: float, _what: str) -> None:
    """Ignore the progress of a proof."""


@dataclass
class Attempt:
    """What is known of an attempt to prove a kernel, also if it fails.

    Attributes:
        claim: What is to be proven.
        inputs: The hash of the manifest and of the texts that the proof is about.
        compilers: The compilers whose view of the source is covered.
        runs: The number of paths and of elements that were checked.
        machine: What machine code is proven, or an empty text.
    """

    claim: str = ""
    inputs: str = ""
    compilers: tuple[str, ...] = ()
    runs: Counter[str] = field(default_factory=Counter)
    machine: str = ""

    def take(self, request: str, texts: Iterable[str]) -> None:
        """Take the texts that the proof is about; their hash determines the random choices."""
        self.inputs = sha256("".join([request, *texts]).encode()).hexdigest()


def prove(
    path: File, progress: Progress = unwatched, guide: Guide = SEARCH, build: Build | None = None
) -> Result:
    """Prove the claim of a saved kernel from its C source, or from the text of its B512 program.

    Args:
        path: The source or the manifest NAME.json; the other files of the kernel are beside it.
        progress: A function that is called with the part done (0 to 1) and the name of the next step.
        guide: Where the proofs come from.
        build: What a compiler made of the source, if the claim is proven of its machine code, too.

    Returns:
        The outcome; ``problem`` says why the claim is not proven.

    Raises:
        MomagenError: The manifest cannot be read, or is not that of a kernel.
    """
    started = perf_counter()
    request = text_of(str(path.with_suffix(".json")), "a saved kernel")
    manifest = _manifest_of(request, path.with_suffix(".json").name)
    attempt, problem, digest = Attempt(), "", ""
    try:
        source = next((found for suffix in LANGUAGES if (found := path.with_suffix(suffix)).is_file()), None)
        if source is None:
            raise ProofError("only C and CUDA source and B512 programs can be proven")
        digest = sha256(source.read_bytes()).hexdigest()
        LANGUAGES[source.suffix](attempt, source, request, manifest, progress, guide, build)
    except UNSUPPORTED as error:
        problem = f"the prover does not support this source ({type(error).__name__}: {error})"
    except ProofError as error:
        line = getattr(error, "line", None)
        problem = f"{error}" + (f" (line {line} after preprocessing)" if line else "")
    return Result(
        name=manifest["name"],
        claim=attempt.claim,
        problem=problem,
        digest=digest,
        compilers=attempt.compilers,
        paths=attempt.runs["paths"],
        elements=attempt.runs["elements"],
        seconds=perf_counter() - started,
        inputs=attempt.inputs,
        is_replayed=isinstance(guide, Replay),
        machine=attempt.machine,
    )


def _manifest_of(request: str, where: str) -> dict[str, Any]:
    """Return a manifest, which must be a JSON object with the name of a kernel and its specification."""
    manifest = parse_json(request, "a manifest in JSON", where)
    found = manifest if isinstance(manifest, dict) else {}
    if not isinstance(found.get("name"), str) or not isinstance(found.get("spec"), dict):
        raise MomagenError("the manifest of a kernel with its “name” and “spec”", quoted(manifest), where)
    return found


def _prove_c(
    attempt: Attempt,
    path: File,
    request: str,
    manifest: dict[str, Any],
    progress: Progress,
    guide: Guide,
    build: Build | None,
) -> None:
    claim_from, prove_form = PROVERS.get(manifest["spec"]["kind"], ELEMENTWISE)
    claim = claim_from(manifest)
    attempt.claim = claim.text()
    if build is not None and not isinstance(claim, Claim):
        raise ProofError(NO_CODE)
    texts = texts_of(path)
    code = None if build is None else build.path.read_bytes()
    attempt.take(request, [*texts.values(), *([] if code is None else [sha256(code).hexdigest()])])
    attempt.compilers = tuple(COMPILERS)
    forms = _forms(texts, guide)
    shared: dict[str, Any] = {} if isinstance(claim, Claim) else {"summaries": {}}
    if isinstance(claim, Claim):
        claim = narrowed(claim, forms[0][1], attempt.inputs, guide)
        attempt.claim = claim.text()
    for at, (compiler, source) in enumerate(forms):
        check_names(source, f"{manifest['name']}_")
        progress(at / len(forms), f"the source as {compiler} sees it")
        attempt.runs.update(prove_form(source, claim, attempt.inputs, compiler, guide, **shared))
    if build is not None and code is not None:
        progress(0.9, "the machine code")
        _prove_code(attempt, parse(text_seen_by(path, build.view)), claim, code, build, guide)
        attempt.machine = build.text(manifest["name"])


def _prove_code(attempt: Attempt, source: Source, claim: Claim, code: bytes, build: Build, guide: Guide) -> None:
    """Prove the claim of the machine code that a compiler made of a source, whose claim is proven."""
    if claim.is_odd:
        raise ProofError(NO_CODE)
    machine = import_module("momagen.prove.machine.proof")
    attempt.runs.update(machine.prove_machine(source, code, claim, build.view, guide))


def _prove_b512(
    attempt: Attempt, path: File, request: str, manifest: dict[str, Any], progress: Progress, *_: Any
) -> None:
    claim = program_claim_of(manifest)
    attempt.claim = claim.text()
    text = path.read_text(encoding="utf-8")
    attempt.take(request, [line.split("#")[0].rstrip() for line in text.splitlines()])
    progress(0.0, "the program")
    attempt.runs.update(prove_program(text, claim, attempt.inputs))


def _prove_cuda(
    attempt: Attempt,
    path: File,
    request: str,
    manifest: dict[str, Any],
    progress: Progress,
    guide: Guide,
    *_: Any,
) -> None:
    claim_from, narrow, prove_launches = GRIDS.get(manifest["spec"]["kind"], ON_ELEMENTS)
    claim = claim_from(manifest, read_text(path))
    attempt.claim = claim.text()
    text = device_text(path)
    attempt.take(request, [text, repr(claim.launches)])
    attempt.compilers = (COMPILER,)
    progress(0.0, f"the source as {COMPILER} sees it")
    device = parse_device(text)
    check_launches(device, claim.launches)
    claim = narrow(device, claim, attempt.inputs, guide)
    attempt.claim = claim.text()
    attempt.runs.update(prove_launches(device, claim, attempt.inputs, guide))


LANGUAGES: dict[str, Callable[..., None]] = {".c": _prove_c, ".cu": _prove_cuda, ".s": _prove_b512}
"""By the suffix of the source: the function that proves its claim."""


def certify(
    path: File, progress: Progress = unwatched, build: Build | None = None
) -> tuple[Result, Certificate | None]:
    """Prove the claim of a saved kernel as :func:`prove` does, and return the certificate, too, if it is proven."""
    recorder = Recorder()
    result = prove(path, progress, recorder, build)
    if not result.is_proven:
        return result, None
    fields = result.name, result.claim, result.inputs, __version__, round(result.seconds, 3)
    return result, Certificate(*fields, recorder.written())


def check(
    path: File, certificate: Certificate, progress: Progress = unwatched, build: Build | None = None
) -> Result:
    """Prove the claim of a saved kernel by the steps of its certificate; nothing is searched for."""
    replay = Replay(certificate.sessions)
    result = prove(path, progress, replay, build)
    if certificate.name != result.name:
        return replace(result, problem=f"the certificate is that of {certificate.name}")
    if certificate.inputs != result.inputs:
        what = "the source, the header or the manifest" if build is None else "the source or the machine code"
        return replace(result, problem=f"{what} has changed since the proof")
    return result


def _forms(texts: dict[str, str], guide: Guide) -> list[tuple[str, Source]]:
    """Return the forms of a source that compilers see and that are not proven to be the same."""
    found: list[tuple[str, Source]] = []
    for compiler, text in texts.items():
        source = parse(text)
        if not any(is_same(form, source, guide) for _, form in found):
            found.append((compiler, source))
    return found
