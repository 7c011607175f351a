"""What commands of kernels do: generate, verify, time and save a kernel, and report it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from momagen.screen import console
from momagen.screen.progress import Phases

from .make import MakeRequest, make
from .show import as_json, show

if TYPE_CHECKING:
    from momagen.api import Kernel


def report_kernel(request: Callable[[], Any], kernel: Callable[[Any], Kernel], wish: MakeRequest, json: bool) -> int:
    """Generate, verify, time and save a kernel, report it, and return the exit code.

    Args:
        request: A function that returns the checked request.
        kernel: A function that returns its kernel.
        wish: What to do with the kernel.
        json: Whether the report is JSON.
    """
    with Phases() as phases:
        with phases.of("check"):
            spec = request()
        made = make(lambda: kernel(spec), wish, phases)
    if json:
        print(as_json(made))
    else:
        show(made, console())
    return 0 if made.right else 1
