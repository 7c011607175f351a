"""Operators of momagen.he on ciphertexts of OpenFHE: equal residues, and equal numbers after decryption.

A stored file has the ciphertexts and results of OpenFHE 1.6.1. New ones are compared, too, if the package ``openfhe``
is installed here, or if ``OPENFHE_PYTHON`` names a Python that has it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

jax = pytest.importorskip("jax", reason="JAX is missing")
import numpy as np  # noqa: E402

from momagen.he.encoding import centred, slots_of  # noqa: E402
from momagen.he.kernels import RnsKernels  # noqa: E402
from momagen.he.operators import added, rescaled, subtracted, tensor  # noqa: E402

pytestmark = pytest.mark.study

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "tests" / "vectors" / "openfhe-1.6.1.json"
LARGE = 1 << 11


def _python() -> str:
    """Return a Python that has OpenFHE."""
    if os.environ.get("OPENFHE_PYTHON"):
        return os.environ["OPENFHE_PYTHON"]
    if importlib.util.find_spec("openfhe") is None:
        pytest.skip("openfhe is not installed, and OPENFHE_PYTHON names no Python that has it")
    return sys.executable


@pytest.fixture(scope="module", params=["stored", "new"])
def given(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Ciphertexts and results of OpenFHE."""
    path = STORED
    if request.param == "new":
        path = tmp_path_factory.mktemp("openfhe") / "found.json"
        script = ROOT / "scripts" / "openfhe_ciphertext.py"
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run([_python(), str(script), str(path), str(LARGE)], check=True, env=environment)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _array(given: dict[str, Any], name: str) -> Any:
    return jax.numpy.asarray(np.array(given[name], np.uint32))


def test_operators_give_the_residues_of_openfhe(given: dict[str, Any]) -> None:
    kernels, basis = RnsKernels(given["degree"]), SimpleNamespace(moduli=tuple(given["moduli"]))
    x, y, product = (_array(given, name) for name in ("x", "y", "product"))
    assert (added(kernels, basis, x, y) == _array(given, "sum")).all()  # type: ignore[arg-type]
    assert (subtracted(kernels, basis, x, y) == _array(given, "difference")).all()  # type: ignore[arg-type]
    assert (tensor(kernels, basis, x, y) == _array(given, "tensor")).all()  # type: ignore[arg-type]
    assert (rescaled(kernels, basis, product) == _array(given, "rescaled")).all()  # type: ignore[arg-type]


def test_a_product_decrypts_to_the_numbers_of_openfhe(given: dict[str, Any]) -> None:
    kernels, moduli = RnsKernels(given["degree"]), tuple(given["moduli"])
    basis = SimpleNamespace(moduli=moduli)
    parts, secret = tensor(kernels, basis, _array(given, "x"), _array(given, "y")), _array(given, "secret")  # type: ignore[arg-type]
    total = parts[2]
    for part in (parts[1], parts[0]):
        total = kernels.add(kernels.multiply(total, secret, moduli), part, moduli)
    coefficients = np.array([float(a) for a in centred(kernels.intt(total, moduli), moduli)])
    numbers = slots_of(coefficients / given["scale"] ** 2, given["degree"])
    values = given["values"]
    assert numbers[:4].real == pytest.approx(np.multiply(values["x"], values["y"]), abs=1e-3)
    assert numbers[:4].real == pytest.approx(values["product"], abs=1e-3)
