"""Every kind of kernel on every target: its text compiles, or momagen refuses the kernel in one line."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from compiling import COMPILERS, demand_compiled
from every_kernel import MAKERS, NO_KERNELS, Case, Text, attempt, every_case, is_offered
from support.tiers import cover, sample

import momagen as mg
from momagen.cuda.nvrtc import nvrtc_version
from momagen.kinds.modular.lists import MADE
from momagen.languages import CUDA, JAX, LANGUAGES
from momagen.targets import load_target, names

pytestmark = pytest.mark.compiles

SAMPLE = 40
REFUSED = re.compile("not available|supports|expected .* got")
FAILED_ONCE = (
    Case("vinv", "mqx", 60), Case("vinv", "mqx4", 60), Case("cmpadd", "mqx4", 124), Case("vsub", "avx512_words16", 31),
)  # fmt: skip
"""Cases of causes that the matrix found; they are in every run."""


def demand(case: Case, folder: Path) -> None:
    """Check that ``case`` compiles, or that momagen refuses it in one line, whichever it should."""
    found = attempt(case)
    if not is_offered(case):
        assert isinstance(found, str), "momagen generates a kernel that it should refuse"
        assert "\n" not in found and REFUSED.search(found), found
        return
    assert isinstance(found, Text), found
    demand_compiled(found, case.target, folder)


def skip_without_tools(target: str) -> None:
    """Skip the test if what compiles the language of ``target`` is missing."""
    syntax = load_target(target).syntax
    if syntax == CUDA and nvrtc_version() is None:
        pytest.skip("NVRTC is missing")
    if syntax == JAX and importlib.util.find_spec("jax") is None:
        pytest.skip("JAX is missing")


@pytest.mark.parametrize("case", [*FAILED_ONCE, *sample("every kernel", every_case(), SAMPLE)], ids=str)
def test_a_kernel_compiles_or_is_refused(case: Case, tmp_path: Path) -> None:
    skip_without_tools(case.target)
    demand(case, tmp_path)


@pytest.mark.whole
@pytest.mark.parametrize("case", cover("every facet", list(filter(is_offered, every_case())), tuple), ids=str)
def test_every_kind_every_target_and_every_width_compile(case: Case, tmp_path: Path) -> None:
    """The quick tier covers each of them at least once."""
    skip_without_tools(case.target)
    demand(case, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("target", names())
def test_every_kernel_of_a_target_compiles_or_is_refused(target: str, tmp_path: Path) -> None:
    skip_without_tools(target)
    wrong = {}
    for case in every_case():
        if case.target == target:
            try:
                demand(case, tmp_path)
            except Exception as error:  # of any kind: all failures of the target are reported
                wrong[str(case)] = f"{type(error).__name__}: {error}"
    assert not wrong, "\n".join(f"{case}: {text[:500]}" for case, text in wrong.items())


def test_the_matrix_has_every_kind_every_target_and_every_language() -> None:
    cases = every_case()
    assert {case.kind for case in cases} == {*MAKERS} >= {*MADE}
    assert {case.target for case in cases} == {*names()}
    assert {*COMPILERS} == {*LANGUAGES}
    offered = {case.kind for case in cases if is_offered(case)}
    assert offered == {*MAKERS}, "a kind that no target has is not tested"


def test_every_public_maker_is_in_the_matrix() -> None:
    makers = {*mg.__all__} - NO_KERNELS - {"blas"}
    assert makers <= {*MAKERS}, "add the new kind to MAKERS, or to NO_KERNELS if it generates no text"
