"""Generate a kernel, compile, verify and time it, and save its files last, so that no incomplete file remains."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from momagen.errors import MomagenError
from momagen.lazy import on_call
from momagen.screen.progress import Phases

if TYPE_CHECKING:
    from momagen.api import Kernel
    from momagen.bench import Result
    from momagen.verify import Report

cache_folder: Callable[[str], Path] = on_call("momagen.runtime.cache", "folder")
cache_key: Callable[..., str] = on_call("momagen.runtime.cache", "key")


@dataclass(frozen=True)
class MakeRequest:
    """What a command does with a kernel.

    Attributes:
        output: The folder for its files; None: a folder in the cache.
        compiler: Its name; None: the first that works.
        verify: Whether to verify the kernel.
        bench: Whether to time the kernel.
    """

    output: Path | None = None
    compiler: str | None = None
    verify: bool = True
    bench: bool = True


@dataclass
class Made:
    """A kernel with its verification and its time; ``folder`` holds its files, unless the verification failed."""

    kernel: Kernel
    folder: Path | None = None
    compiler: str = ""
    report: Report | None = None
    result: Result | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def right(self) -> bool:
        """Whether the verification passed, or was skipped."""
        return self.report is None or self.report.ok


def make(kernel: Callable[[], Kernel], wish: MakeRequest, phases: Phases) -> Made:
    """Return the kernel, compiled, verified and timed as ``wish`` requests; save it if the verification passed.

    Raises:
        MomagenError: The output folder is not writable, which is checked first, or a phase failed.
    """
    if wish.output:
        check_folder(wish.output)
    with phases.of("generate"), _kept():
        made = Made(kernel(), seconds=phases.seconds)
    if wish.verify or (wish.bench and made.kernel.timed):
        with phases.of("compile"):
            made.compiler = str(made.kernel.compile(wish.compiler).compiler)
    if wish.verify:
        with phases.of("verify") as report:
            made.report = made.kernel.verify(progress=report)
    if made.right:
        if wish.bench and made.kernel.timed:
            with phases.of("time"):
                made.result = made.kernel.bench()
        made.folder = made.kernel.save(wish.output or _cached(made.kernel))
    return made


@contextmanager
def _kept() -> Iterator[None]:
    """Exclude the objects that are created inside from garbage collection, which would take 5 % of the time.

    A command needs them until its process ends.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _cached(kernel: Kernel) -> Path:
    """Return the folder of the cache for the kernel, which depends on its source and header."""
    return cache_folder("kernels") / cache_key("saved", kernel.source, kernel.header)


def check_folder(folder: Path, where: str = "output") -> None:
    """Check that a folder can be created and written, without creating it.

    Raises:
        MomagenError: A file has the name of the folder or of a parent, or there is no permission.
    """
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise MomagenError("a writable folder", folder, where, f"{place} is not a folder")
    if not os.access(place, os.W_OK | os.X_OK):
        raise MomagenError("a writable folder", folder, where, f"no permission for {place}")
