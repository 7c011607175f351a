"""What is not asked for is not imported: the package and the command line start with the standard library alone."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import momagen
from momagen.cli.parser import COMMANDS, CommandParser
from momagen.lazy import is_instance, on_demand

HEAVY = {"gmpy2", "jinja2", "numpy", "rich", "sympy"}
FIRST = ["momagen.tune", "momagen.tune.wisdom", "momagen.api", "momagen.clib", "momagen.cli.commands.tune"]


def loaded(code: str) -> set[str]:
    """The modules that a new interpreter has after ``code``."""
    script = f"{code}\nimport sys\nsys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


HELP = """
from contextlib import suppress
from momagen.cli import main
with suppress(SystemExit):
    main(["{}", "--help"])"""


@pytest.mark.parametrize(
    "code", ["import momagen", "from momagen.cli import main; main([])", *map(HELP.format, ("ntt", "polymul", "blas"))]
)
def test_nothing_heavy_is_imported_before_it_is_needed(code: str) -> None:
    assert not (HEAVY | {"momagen.rewrite", "momagen.ir"}) & loaded(code)


LATER = {
    "numpy", "sympy", "jax", "rich.progress", "momagen.api.calls", "momagen.bench", "momagen.runtime.compile",
    "momagen.cuda", "momagen.explain.explanation", "momagen.he", "momagen.isa", "momagen.papers", "momagen.simulate",
    "momagen.tune.advice", "momagen.verify",
}  # fmt: skip
"""What no kernel needs before it is compiled, verified, timed or called."""
CUDA, JAX, B512, PYTHON = "momagen.emit.cuda", "momagen.emit.jax", "momagen.emit.b512", "momagen.emit.python"
THREADS, ARRAYS, RPU = "momagen.lower.threads", "momagen.lower.arrays", "momagen.rpu"
WORDS, TILES, STEPS = "momagen.lower.words", "momagen.lower.cache_blocking", "momagen.lower.register_blocking"
ELEMENTS, PASSES = "momagen.lower.elementwise", {"momagen.rewrite.digits.slack", "momagen.rewrite.digits.doubles"}
UNNEEDED: dict[str, set[str]] = {
    "ntt --n 16 --bits 128 --target c": {CUDA, JAX, B512, PYTHON, THREADS, ARRAYS, RPU, TILES, STEPS, *PASSES},
    "ntt --n 256 --bits 128 --target avx512": {CUDA, JAX, B512, PYTHON, THREADS, ARRAYS, RPU, WORDS, STEPS, ELEMENTS},
    "ntt --n 256 --modulus-bits 50 --target avx2": {CUDA, JAX, B512, PYTHON, THREADS, ARRAYS, RPU, TILES, ELEMENTS},
    "blas vmul --bits 128 --target c": {CUDA, JAX, B512, PYTHON, THREADS, ARRAYS, RPU, WORDS, TILES, STEPS, *PASSES},
    "ntt --n 256 --bits 128 --target cuda": {"momagen.emit.jax", B512, PYTHON, ARRAYS, RPU, WORDS, TILES, STEPS},
    "ntt --n 256 --bits 32 --target jax": {CUDA, B512, PYTHON, THREADS, RPU, WORDS, TILES, STEPS, ELEMENTS, *PASSES},
    "ntt --n 1024 --bits 128 --target b512": {CUDA, JAX, PYTHON, THREADS, ARRAYS, WORDS, TILES, STEPS, ELEMENTS},
}
"""The packages that a request must not import, besides those of ``LATER``: mostly the back ends of other targets."""
NUMPY = ("jax", "b512")
"""Targets whose generation computes with NumPy."""
RUN = """
from momagen.cli import main
assert main({!r}) == 0"""


@pytest.mark.parametrize("request_text", UNNEEDED)
def test_a_request_imports_only_what_it_needs(request_text: str, tmp_path: Path) -> None:
    words = [*request_text.split(), "--no-verify", "--no-bench", "--output", str(tmp_path / "made")]
    later = LATER - {"numpy"} if words[words.index("--target") + 1] in NUMPY else LATER
    found = loaded(RUN.format(words)) & (later | UNNEEDED[request_text])
    assert not found and [*(tmp_path / "made").iterdir()]


@pytest.mark.parametrize("words", [["isa", "--help"], ["rules"], ["explain", "vmul", "--bits", "128"]])
def test_no_command_imports_sympy(words: list[str]) -> None:
    assert "sympy" not in loaded(f"from momagen.cli import main\ntry: main({words!r})\nexcept SystemExit: pass")


def test_packages_that_requests_must_not_import_exist() -> None:
    named = LATER.union(*UNNEEDED.values()) - {"jax"}
    assert all(map(find_spec, named))


@pytest.mark.parametrize("first", FIRST)
def test_the_public_names_are_the_functions_whatever_was_imported_first(first: str) -> None:
    check = "assert all(callable(getattr(momagen, n)) for n in momagen.__all__ if n != '__version__'), momagen.tune"
    loaded(f"import {first}, momagen\n{check}\nfrom momagen import *\nassert callable(tune)")


def test_a_library_that_another_thread_is_importing_has_no_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "half", ModuleType("half"))
    assert not is_instance(3, "half.Class") and not is_instance(3, "nowhere.Class")
    assert is_instance(3, "half.Class", "builtins.int")


def test_names_are_listed_before_they_are_imported_and_unknown_ones_refused() -> None:
    assert set(momagen.__all__) <= set(dir(momagen))
    with pytest.raises(AttributeError, match="module 'momagen' has no attribute 'nnt'"):
        _ = momagen.nnt  # type: ignore[attr-defined]
    find, listed = on_demand("momagen.lazy", {"momagen.errors": ("MomagenError",)})
    assert find("MomagenError") is momagen.MomagenError and "MomagenError" in listed()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_completes_once(name: str) -> None:
    parser = CommandParser(prog=name, command=COMMANDS[name])
    parser.complete()
    known = parser.format_help()
    parser.complete()
    assert COMMANDS[name].text.split()[0] in known and parser.format_help() == known and "--" in known
