"""From a generated kernel to one that is built, verified, timed and saved; files come last, so none is half-made."""

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

cache_folder: Callable[[str], Path] = on_call("momagen.build.cache", "folder")
cache_key: Callable[..., str] = on_call("momagen.build.cache", "key")


@dataclass(frozen=True)
class MakeRequest:
    """What to do with a kernel.

    Attributes:
        output: the folder for its files; None for one in the cache.
        compiler: its name, or None for the best there is. verify, bench: whether to.
    """

    output: Path | None = None
    compiler: str | None = None
    verify: bool = True
    bench: bool = True


@dataclass
class Made:
    """A kernel and what was found out about it; ``folder`` holds its files, unless it is wrong."""

    kernel: Kernel
    folder: Path | None = None
    compiler: str = ""
    report: Report | None = None
    result: Result | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def right(self) -> bool:
        """Whether nothing wrong was found."""
        return self.report is None or self.report.ok


def make(kernel: Callable[[], Kernel], wish: MakeRequest, phases: Phases) -> Made:
    """The kernel, built, verified and timed as ``wish`` says, and saved where it is right.

    Raises:
        MomagenError: a folder that cannot be written, before anything else; whatever a phase refuses.
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
    """Exclude the objects that are created inside from garbage collection, which would take a twentieth of the time.

    A command needs them until its process ends.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _cached(kernel: Kernel) -> Path:
    """A folder of the cache for these texts alone."""
    return cache_folder("kernels") / cache_key("saved", kernel.source, kernel.header)


def check_folder(folder: Path, where: str = "output") -> None:
    """Refuse a folder that cannot be made or written, without making it.

    Raises:
        MomagenError: there is a file in the way, or no permission.
    """
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise MomagenError("a folder that can be written", folder, where, f"{place} is a file")
    if not os.access(place, os.W_OK | os.X_OK):
        raise MomagenError("a folder that can be written", folder, where, f"no permission for {place}")
