"""The tuning of one kernel: the search on this machine, and its result in the wisdom file."""

from __future__ import annotations

import time
from pathlib import Path

from momagen.errors import MomagenError, build_error
from momagen.kinds.modular.spec import Spec
from momagen.runtime import missing_features
from momagen.signals import noting

from .compilers import other_compilers, usual_compiler
from .row import key_for, row_of
from .running import time_unit
from .search import Progress, Search
from .space import axes
from .tuned import Tuned
from .wisdom import read, update
from .workshop import Workshop

UNCHANGED = "kept no result: {} is as before, because only what the final comparison confirms enters it"
NO_FILE = "kept no result"
NOTHING = "nothing was tried yet"


def tune(
    spec: Spec, *, seconds: float = 60.0, compiler: str | None = None, path: Path | None = None,
    progress: Progress | None = None,
) -> Tuned:  # fmt: skip
    """Return the options that make ``spec`` fastest on this machine, other than those that were passed.

    The default is built first. A candidate is kept only if gmpy2 agrees with it and it is faster than the default in
    nine of ten rounds of a separate final comparison, each of which times both. Otherwise the default stays. The
    options that wisdom adds are therefore never slower than the default, as measured on this machine.

    Args:
        spec: The specification.
        seconds: The time for the whole search in seconds, including compilation and verification. The step in progress
            when the time ends is the last one.
        compiler: The only compiler to use (default: $CC or the first of clang, gcc and zig that works, and then the
            preferred compiler of each other family).
        path: The wisdom file that receives the result, or None.
        progress: A function that is called before every step with the part done and a title.

    Raises:
        MomagenError: The time is not positive, n is "any", the CPU cannot run the target, there is no compiler, the
            kernel cannot be built, or the wisdom file is invalid or cannot be written; then nothing is written.
    """
    if not 0 < seconds < float("inf"):
        raise MomagenError("a positive number of seconds", seconds, "seconds")
    if spec.sized:
        raise build_error('`n="any"` cannot be tuned', "n", "tune each number of points separately")
    began, target = time.monotonic(), spec.target
    if missing := missing_features(target.features):
        needed, got = f"a CPU with {', '.join(target.features)}", f"one without {', '.join(missing)}"
        raise MomagenError(needed, got, f"target {target.name}", "emulated kernels cannot be timed")
    if path:
        read(path)  # reports an invalid file before the search instead of after it
    search: Search | None = None
    unchanged = UNCHANGED.format(path) if path else NO_FILE
    with noting(lambda: f"{unchanged}; {search.summary() if search else NOTHING}"):
        usual = usual_compiler(spec, compiler)
        compilers = {"": usual, **({} if compiler else other_compilers(usual))}
        workshop, told = Workshop(spec, compilers), progress or (lambda *_: None)
        search = Search(workshop.draft, list(axes(spec, [*compilers][1:])), seconds, progress=told, began=began)
        verdict = search.run()
    by, times = compilers[verdict.choice.compiler], (verdict.default.median, verdict.winner.median)
    row = row_of(key_for(spec, usual), verdict.choice.options, str(by), verdict.ratio, time_unit(spec), times)
    if path:
        with noting(lambda: f"the search was complete; momagen tune --show says whether {path} has kept its result"):
            update(path, lambda known: known.merged([row]))
    spent = time.monotonic() - began
    return Tuned(spec, row, verdict, tuple(search.trials), spent, path, seconds, search.kept)
