"""Write ciphertexts of OpenFHE and its results on them as JSON: ``python openfhe_ciphertext.py FILE [DEGREE]``.

This file needs OpenFHE's package for Python (``pip install openfhe``), whose wheels are for one version of Python each,
and nothing of momagen. ``tests/run/test_openfhe.py`` compares momagen's operators with the results.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import openfhe

BITS, FIRST_BITS, DEPTH = 28, 30, 3
X, Y = [0.5, 1.0, -0.25, 0.75], [-1.0, 0.5, 0.125, 0.25]


def context(degree: int) -> Any:
    """Return a context for RNS-CKKS with moduli of 28 and 30 bits, which is not secure."""
    given = openfhe.CCParamsCKKSRNS()
    given.SetMultiplicativeDepth(DEPTH)
    given.SetScalingModSize(BITS)
    given.SetFirstModSize(FIRST_BITS)
    given.SetRingDim(degree)
    given.SetBatchSize(degree // 2)
    given.SetSecurityLevel(openfhe.SecurityLevel.HEStd_NotSet)
    given.SetScalingTechnique(openfhe.ScalingTechnique.FIXEDMANUAL)
    given.SetKeySwitchTechnique(openfhe.KeySwitchTechnique.HYBRID)
    made = openfhe.GenCryptoContext(given)
    for feature in ("PKE", "KEYSWITCH", "LEVELEDSHE"):
        made.Enable(getattr(openfhe.PKESchemeFeature, feature))
    return made


def vectors(found: Any, degree: int) -> Iterator[tuple[int, list[int], int]]:
    """Yield the modulus, the residues and the format of every vector of N residues in serialised data."""
    if isinstance(found, dict):
        part = found.get("v", {})
        if isinstance(part, dict) and "f" in found and len(rows := inner(part)[0]) == degree:
            yield inner(part)[1], rows, found["f"]
            return
        found = list(found.values())
    if isinstance(found, list):
        for each in found:
            yield from vectors(each, degree)


def inner(part: dict[str, Any]) -> tuple[list[int], int]:
    """Return the residues and the modulus of a serialised vector."""
    data = part.get("ptr_wrapper", {}).get("data", {})
    return (data.get("v", []), data["m"]["v"]) if isinstance(data, dict) and "m" in data else ([], 0)


def polynomials(serialised: str, degree: int) -> tuple[list[int], list[list[list[int]]]]:
    """Return the moduli, and polynomials of shape (…, moduli, N), of a serialised ciphertext or key."""
    every = list(vectors(json.loads(serialised), degree))
    assert every and all(form == 0 for _, _, form in every), "values of transforms were expected"
    moduli = list(dict.fromkeys(modulus for modulus, _, _ in every))
    rows = [residues for _, residues, _ in every]
    return moduli, [rows[at : at + len(moduli)] for at in range(0, len(rows), len(moduli))]


def roots(found: Any) -> Iterator[tuple[int, int]]:
    """Yield the modulus and the root of unity of every limb in serialised data."""
    if isinstance(found, dict):
        if {"cm", "ru"} <= set(found) and isinstance(found["cm"].get("v"), int):
            yield found["cm"]["v"], found["ru"]["v"]
        found = list(found.values())
    if isinstance(found, list):
        for each in found:
            yield from roots(each)


def written(degree: int) -> dict[str, Any]:
    """Return ciphertexts of two vectors, their sum, difference, products and quotients, and the secret key."""
    its = context(degree)
    keys = its.KeyGen()
    its.EvalMultKeyGen(keys.secretKey)
    x, y = (its.Encrypt(keys.publicKey, its.MakeCKKSPackedPlaintext(each)) for each in (X, Y))
    product = its.EvalMult(x, y)
    results = {"x": x, "y": y, "sum": its.EvalAdd(x, y), "difference": its.EvalSub(x, y),
               "tensor": its.EvalMultNoRelin(x, y), "product": product, "rescaled": its.Rescale(product)}  # fmt: skip
    serialised = {name: openfhe.Serialize(each, openfhe.JSON) for name, each in results.items()}
    moduli, _ = polynomials(serialised["x"], degree)
    known = dict(roots(json.loads(serialised["x"])))
    secret = polynomials(openfhe.Serialize(keys.secretKey, openfhe.JSON), degree)[1][0]
    plain = its.Decrypt(keys.secretKey, product)
    plain.SetLength(len(X))
    return {
        "openfhe": version("openfhe"), "degree": degree, "moduli": moduli, "roots": [known[q] for q in moduli],
        "scale": x.GetScalingFactor(), "secret": secret[: len(moduli)],
        **{name: polynomials(each, degree)[1] for name, each in serialised.items()},
        "values": {"x": X, "y": Y, "product": plain.GetRealPackedValue()[: len(X)]},
    }  # fmt: skip


if __name__ == "__main__":
    degree = int(sys.argv[2]) if len(sys.argv) > 2 else 16
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(written(degree), file)
