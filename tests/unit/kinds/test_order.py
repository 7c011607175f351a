"""Lists of kinds have the declared order, whatever the order in which modules are imported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from momagen.kinds.registry import SHIPPED

MODULES = tuple(dict.fromkeys(SHIPPED.values()))
LISTS = """
import sys
from importlib import import_module

for module in sys.argv[1:]:
    import_module(module)
import momagen as mg
from momagen.api.manifest import kind_in
from momagen.cli import main
from momagen.clib.request import wish
from momagen.kinds.modular.make_spec import make_spec
from momagen.kinds.registry import kinds, names

print(*names(), *kinds())
WRONG = (
    lambda: mg.kernel("gemm"), lambda: mg.blas("gemm", bits=64), lambda: mg.tune("gemm", bits=64),
    lambda: make_spec("gemm"), lambda: kind_in({"kind": "gemm"}, "m"), lambda: wish("l", "1.0.0", None, ["gemm:n=2"]),
)
for call in WRONG:
    try:
        call()
    except mg.MomagenError as error:
        print(error)
sys.stderr = sys.stdout
for words in ("blas gemm --bits 64", "blas ntt --bits 64", "gemm", "help gemm", "tune gemm", "lib gemm:n=2"):
    main([*words.split(), *["--output", "none"] * words.startswith("lib")])
"""


def listed(modules: Sequence[str]) -> str:
    """Return the lists of kinds and the errors that name kinds, after modules were imported in this order."""
    done = subprocess.run([sys.executable, "-c", LISTS, *modules], capture_output=True, text=True)
    assert not done.stderr
    return done.stdout


@pytest.mark.whole
@pytest.mark.parametrize("modules", [MODULES, MODULES[::-1]], ids=["declared", "reversed"])
def test_lists_of_kinds_do_not_depend_on_imports(modules: Sequence[str]) -> None:
    found = listed(modules)
    assert found == listed(())
    first, *errors = found.splitlines()
    assert first.split() == [*SHIPPED, *SHIPPED]
    assert len(errors) == 12 and all("gemm" in each or "got ntt" in each for each in errors)


def test_blas_has_only_operations_on_vectors() -> None:
    refused = [line for line in listed(()).splitlines() if "one of the kernels vadd, vsub, " in line]
    assert [line.split()[-1] for line in refused] == ["gemm", "gemm", "ntt"]
    assert not any(word in refused[0] for word in ("polymul", "lde", "convert"))
